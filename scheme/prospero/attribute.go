package prospero

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// These constants are the value types of an [attribute].
const (
	valueSequence = "SEQUENCE"
	valueLink     = "LINK"
	valueFilter   = "FILTER"
)

// These constants are the names of the attributes that this package uses.
const (
	attrAccessMethod = "ACCESS-METHOD"
	attrContents     = "CONTENTS"
	attrFilter       = "FILTER"
	attrForwarding   = "FORWARDING-POINTER"
	attrModTime      = "LAST-MODIFIED"
	attrModes        = "UNIX-MODES"
	attrSize         = "SIZE"
)

// attribute is a property of an object or of a link. If a name has several values,
// each is a separate attribute.
type attribute struct {
	// AppliesTo is OBJECT, LINK, CACHED, REPLACEMENT or ADDITIONAL. A replacement takes
	// precedence over the object's own value, which takes precedence over a cached value.
	AppliesTo string
	Name      string
	Type      string   // value type SEQUENCE, LINK or FILTER
	Value     []string // value, unless Type is LINK
	Link      *link    // link, if Type is LINK
}

// fieldType returns the value type of a FIELD attribute. If the attribute line of a field must
// contain the type, ok is false.
func fieldType(name string) (valueType string, ok bool) {
	switch name {
	case attrAccessMethod, "BASE-TYPE", "DEST-EXP", "HOST", "HOST-TYPE", "HSONAME", "HSONAME-TYPE", "ID", "LINK-TYPE", "NAME-COMPONENT", "OWNER", "TARGET", "TTL", "VERSION":
		return valueSequence, true
	case "CLOSURE":
		return valueLink, true
	case attrFilter:
		return valueFilter, true
	}
	return "", false
}

// errValueType means that the type of an attribute value is unknown.
var errValueType = fmt.Errorf("%w: the type of an attribute", scheme.ErrUnsupported)

// parseAttribute parses the tokens of a line after the word ATTRIBUTE. If the error wraps
// errValueType, the caller may skip the line.
func parseAttribute(tokens []string) (attribute, error) {
	if len(tokens) < 3 {
		return attribute{}, fmt.Errorf("%w: an attribute has fewer than 3 fields", scheme.ErrProtocol)
	}
	a := attribute{AppliesTo: tokens[0], Name: tokens[2]}
	a.Type, tokens = cutType(tokens[1], a.Name, tokens[3:])
	switch a.Type {
	case valueSequence, valueFilter:
		a.Value = slices.Clone(tokens)
	case valueLink:
		l, err := parseLink(tokens)
		if err != nil {
			return attribute{}, err
		}
		a.Link = &l
	default:
		return attribute{}, fmt.Errorf("%w: %s has type %s", errValueType, locus.Quote(a.Name), locus.Quote(a.Type))
	}
	return a, nil
}

// cutType splits the tokens of an attribute into the value type and the value. Servers omit the
// type of the best-known fields.
func cutType(nature, name string, tokens []string) (valueType string, value []string) {
	if nature == "FIELD" { // servers may omit the type of registered fields
		if t, ok := fieldType(name); ok {
			if len(tokens) > 1 && tokens[0] == t {
				tokens = tokens[1:]
			}
			return t, tokens
		}
	}
	if len(tokens) == 0 {
		return "", nil
	}
	if tokens[0] == "ASCII" { // ASCII is the older name for SEQUENCE
		return valueSequence, tokens[1:]
	}
	return tokens[0], tokens[1:]
}

// find returns all attributes with the given name, in order. It ignores the case of names.
func find(list []attribute, name string) []attribute {
	var found []attribute
	for _, a := range list {
		if sameName(a.Name, name) {
			found = append(found, a)
		}
	}
	return found
}

// value returns the tokens of the attribute with the given name. It prefers a replacement
// over the object's own value, and the object's own value over a cached value.
func value(list []attribute, name string) []string {
	rank := func(a attribute) int {
		switch a.AppliesTo {
		case "REPLACEMENT":
			return 3
		case "CACHED":
			return 1
		}
		return 2
	}
	var best attribute
	bestRank := 0
	for _, a := range list {
		if r := rank(a); r > bestRank && sameName(a.Name, name) && len(a.Value) > 0 {
			best, bestRank = a, r
		}
	}
	return best.Value
}

// sizeOf returns the size of an object in octets. If the attributes do not contain the
// size, it returns -1.
func sizeOf(list []attribute) int64 {
	tokens := value(list, attrSize)
	if len(tokens) == 2 && tokens[1] == "bytes" { // in version 1, the value has two tokens
		tokens = tokens[:1]
	}
	if len(tokens) != 1 {
		return -1
	}
	n, err := strconv.ParseUint(strings.TrimSuffix(tokens[0], " bytes"), 10, 63)
	if err != nil {
		return -1
	}
	return int64(n)
}

// modTime returns the modification time of an object. If the attributes do not contain the
// time, modTime returns the zero time.
func modTime(list []attribute) time.Time {
	tokens := value(list, attrModTime)
	if len(tokens) != 1 {
		return time.Time{}
	}
	t, _ := time.Parse("20060102150405Z", tokens[0])
	return t
}

// isDirectory reports whether UNIX-MODES in the attributes describes a directory.
func isDirectory(list []attribute) bool {
	tokens := value(list, attrModes)
	return len(tokens) == 1 && strings.HasPrefix(tokens[0], "d")
}

// forwarding returns the new address of an object that has moved, or nil if the attributes contain
// no new address. Such an attribute has the same meaning as a FORWARDED line.
func forwarding(list []attribute) *target {
	for _, a := range find(list, attrForwarding) {
		if a.Link != nil && a.Link.Type == typeForwarding && a.Link.Err == nil {
			return &a.Link.target
		}
	}
	return nil
}

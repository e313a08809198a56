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

// Value types of an [Attribute].
const (
	valueSequence = "SEQUENCE"
	valueLink     = "LINK"
	valueFilter   = "FILTER"
)

// natureField is the nature of registered attributes.
const natureField = "FIELD"

// Names of attributes that this package reads.
const (
	attrAccessMethod = "ACCESS-METHOD"
	attrContents     = "CONTENTS"
	attrFilter       = "FILTER"
	attrForwarding   = "FORWARDING-POINTER"
	attrModTime      = "LAST-MODIFIED"
	attrModes        = "UNIX-MODES"
	attrSize         = "SIZE"
)

// Attribute is a property of an object or of a link. One name may have several values;
// each is an attribute of its own.
type Attribute struct {
	// AppliesTo is OBJECT, LINK, CACHED, REPLACEMENT or ADDITIONAL. A cached value is
	// weaker than the object's own, a replacement is stronger.
	AppliesTo  string
	Nature     string // FIELD, INTRINSIC or APPLICATION; empty in a reply of version 1
	Name       string
	Type       string      // SEQUENCE, LINK or FILTER
	Value      []string    // of type SEQUENCE
	Link       *Link       // of type LINK
	Filter     []string    // of type FILTER
	Attributes []Attribute // of the Link
}

// fieldType returns the type of a FIELD whose line may leave out the word for it.
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

// errValueType: the value of an attribute has an unknown type.
var errValueType = fmt.Errorf("%w: the type of an attribute", scheme.ErrUnsupported)

// parseAttribute reads the tokens of an ATTRIBUTE line after that word. If the error
// wraps errValueType, the line may be skipped.
func parseAttribute(tokens []string) (Attribute, error) {
	if len(tokens) < 3 {
		return Attribute{}, fmt.Errorf("%w: an attribute has fewer than 3 fields", scheme.ErrProtocol)
	}
	a := Attribute{AppliesTo: tokens[0], Nature: tokens[1], Name: tokens[2]}
	a.Type, tokens = cutType(a, tokens[3:])
	switch a.Type {
	case valueSequence:
		a.Value = slices.Clone(tokens)
	case valueFilter:
		a.Filter = slices.Clone(tokens)
	case valueLink:
		l, err := parseLink(tokens)
		if err != nil {
			return Attribute{}, err
		}
		a.Link = &l
	default:
		return Attribute{}, fmt.Errorf("%w: %s has type %s", errValueType, locus.Quote(a.Name), locus.Quote(a.Type))
	}
	return a, nil
}

// cutType splits off the type of an attribute's value. For the best-known fields
// servers leave out the word for the type.
func cutType(a Attribute, tokens []string) (valueType string, value []string) {
	if a.Nature == natureField {
		if t, ok := fieldType(a.Name); ok {
			if len(tokens) > 1 && tokens[0] == t {
				tokens = tokens[1:]
			}
			return t, tokens
		}
	}
	if len(tokens) == 0 {
		return "", nil
	}
	if tokens[0] == "ASCII" { // its older name
		return valueSequence, tokens[1:]
	}
	return tokens[0], tokens[1:]
}

// Find returns the attributes of that name, in their order. Case is ignored.
func Find(list []Attribute, name string) []Attribute {
	var found []Attribute
	for _, a := range list {
		if sameName(a.Name, name) {
			found = append(found, a)
		}
	}
	return found
}

// value returns the tokens of the strongest attribute of that name: a replacement
// before the object's own, and that before a cached one.
func value(list []Attribute, name string) []string {
	rank := func(a Attribute) int {
		switch a.AppliesTo {
		case "REPLACEMENT":
			return 3
		case "CACHED":
			return 1
		}
		return 2
	}
	var best Attribute
	bestRank := 0
	for _, a := range list {
		if r := rank(a); r > bestRank && sameName(a.Name, name) && len(a.Value) > 0 {
			best, bestRank = a, r
		}
	}
	return best.Value
}

// Size returns the size of an object in octets; -1 if the attributes don't have it.
func Size(list []Attribute) int64 {
	tokens := value(list, attrSize)
	if len(tokens) == 2 && tokens[1] == "bytes" { // version 1 has two tokens
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

// ModTime returns when an object was last modified; the zero time if the attributes
// don't have it.
func ModTime(list []Attribute) time.Time {
	tokens := value(list, attrModTime)
	if len(tokens) != 1 {
		return time.Time{}
	}
	t, _ := parseTime(tokens[0])
	return t
}

// IsDirectory reports whether UNIX-MODES among the attributes are those of a directory.
func IsDirectory(list []Attribute) bool {
	tokens := value(list, attrModes)
	return len(tokens) == 1 && strings.HasPrefix(tokens[0], "d")
}

// forwarding returns the new address of an object that has moved, or nil. It means the
// same as a FORWARDED line.
func forwarding(list []Attribute) *Target {
	for _, a := range Find(list, attrForwarding) {
		if a.Link != nil && a.Link.Type == TypeForwarding && a.Link.Err == nil {
			return &a.Link.Target
		}
	}
	return nil
}

package prospero

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// These constants are the host types of a [target].
const (
	hostInternet = "INTERNET-D"
	hostVirtual  = "VIRTUAL-SYSTEM" // host type that only symbolic links use
)

// nameASCII is the only name type.
const nameASCII = "ASCII"

// target is the address of an object in the form that Prospero servers use.
type target struct {
	HostType string // INTERNET-D, or VIRTUAL-SYSTEM if Host is the path of a virtual system
	Host     string // host as written, without its port
	Port     uint16 // port; 0 means the default port of the protocol
	NameType string // name type; always ASCII
	Name     string // hsoname, or the object's name for the access method
	Version  int32  // version of the object; 0 means the current version
}

// parseTarget parses the host type, host, name type, name and version. All five tokens are
// required. It ignores further tokens, such as the time after DEST-EXP, at which the target may
// become stale. In version 1, the line may end with an additional number.
func parseTarget(tokens []string) (t target, err error) {
	t = target{HostType: tokens[0], Host: tokens[1], NameType: tokens[2], Name: tokens[3]}
	if t.HostType == hostInternet {
		if t.Host, t.Port, err = cutPort(t.Host); err != nil {
			return t, err
		}
	}
	ok := false
	if t.Version, ok = versionNumber(tokens[4]); !ok {
		return t, fmt.Errorf("%w: %s is not a version", scheme.ErrProtocol, locus.Quote(tokens[4]))
	}
	return t, nil
}

// checkTypes returns an error if the target cannot be the address of an object on a Prospero
// server.
func (t target) checkTypes() error {
	switch {
	case t.HostType != hostInternet:
		return fmt.Errorf("%w: host type %s", scheme.ErrUnsupported, locus.Quote(t.HostType))
	case t.NameType != nameASCII:
		return fmt.Errorf("%w: name type %s", scheme.ErrUnsupported, locus.Quote(t.NameType))
	}
	return nil
}

// cutPort parses a host of the form "name" or "name(port)". If parsing fails, the result host is
// the whole text.
func cutPort(text string) (host string, port uint16, err error) {
	host, digits, ok := strings.Cut(text, "(")
	if !ok {
		return text, 0, nil
	}
	digits, ok = strings.CutSuffix(digits, ")")
	n, err := strconv.ParseUint(digits, 10, 16)
	if !ok || err != nil || n == 0 {
		return text, 0, fmt.Errorf("%w: %s is not a host with a port", scheme.ErrProtocol, locus.Quote(text))
	}
	return host, uint16(n), nil
}

// These constants are the link kinds, which are letters in LINK lines.
const (
	kindLink      = 'L'
	kindUnion     = 'U' // the links of the target directory replace this link
	kindInvisible = 'I' // hidden link; few servers send such links
)

// These constants are the link types. A link type is the type that the target object had when the
// link was created.
const (
	typeFile          = "FILE"
	typeDirectory     = "DIRECTORY"
	typeDirectoryFile = "DIRECTORY+FILE"
	typeObject        = "OBJECT"
	typeExternal      = "EXTERNAL" // object outside Prospero; the link contains its access methods
	typeSymbolic      = "SYMBOLIC" // name in a virtual system
	typeForwarding    = "FP"       // new address of an object; occurs only in attributes
	typeNull          = "NULL"     // link whose name is visible, but not its target
)

// link is a link in a directory.
type link struct {
	Kind byte   // kindLink, kindUnion, kindInvisible, or an unknown letter
	Type string // link type from the list above, or an unknown type
	Name string // octets of the label; must not be used as a path
	target
	Attributes []attribute // attributes in the server's order
	// Err is the reason why the client cannot follow this link. The kind, the type or the
	// target is unknown or malformed. Other links in the same reply may still be valid.
	Err error
}

// linkFields is the minimum number of fields in a LINK line, including the kind letter.
const linkFields = 8

// parseLink parses the fields of a LINK line, starting with the letter. It returns an error if
// there are too few fields. It stores other errors in [link.Err].
func parseLink(tokens []string) (link, error) {
	if len(tokens) < linkFields {
		return link{}, fmt.Errorf("%w: LINK with %d of %d fields", scheme.ErrProtocol, len(tokens), linkFields)
	}
	l := link{Type: tokens[1], Name: tokens[2]}
	if len(tokens[0]) == 1 {
		l.Kind = tokens[0][0]
	}
	l.target, l.Err = parseTarget(tokens[3:])
	if err := l.check(tokens[0]); err != nil {
		l.Err = err
	}
	return l, nil
}

// check returns an error if the kind or the type of the link is unknown. The argument
// letter is the first field of the link.
func (l link) check(letter string) error {
	switch l.Kind {
	case kindLink, kindUnion, kindInvisible:
	default:
		return fmt.Errorf("%w: unknown kind of link %s", scheme.ErrProtocol, locus.Quote(letter))
	}
	switch l.Type {
	case typeFile, typeDirectory, typeDirectoryFile, typeObject, typeForwarding:
		return l.checkTypes()
	case typeExternal, typeSymbolic, typeNull:
		return nil
	}
	return fmt.Errorf("%w: a link to an object of type %s", scheme.ErrUnsupported, locus.Quote(l.Type))
}

// cutNullLink parses a LINK line of type NULL at the beginning of message. Servers do not quote
// the name in such a line. An ordinary parser would split the name at a space, or would treat an
// apostrophe as the beginning of a quoted text that includes the next lines.
func cutNullLink(message string) (l link, rest string, ok bool) {
	text, ok := strings.CutPrefix(message, "LINK")
	if !ok || text == "" || !isBlank(rune(text[0])) {
		return link{}, "", false
	}
	if text, ok = strings.CutPrefix(trimBlanks(text), "L NULL "); !ok {
		return link{}, "", false
	}
	text, rest = cutRawLine(text)
	if text, ok = strings.CutSuffix(text, " NULL NULL NULL NULL 0"); !ok {
		return link{}, "", false
	}
	if isToken(text) {
		text = unquote(text)
	}
	const null = typeNull
	return link{Kind: kindLink, Type: null, Name: text, target: target{HostType: null, Host: null, NameType: null, Name: null}}, rest, true
}

// isToken reports whether text is one token without open quotes.
func isToken(text string) bool {
	line, _, closed := cutLine(text)
	if !closed || line != text || text == "" || isBlank(rune(text[0])) {
		return false
	}
	_, rest := cutToken(text)
	return rest == ""
}

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

// Host types of a [Target].
const (
	hostInternet = "INTERNET-D"
	hostVirtual  = "VIRTUAL-SYSTEM" // in symbolic links alone
)

// nameASCII is the one name type there is.
const nameASCII = "ASCII"

// Target is where an object is, as a Prospero server says it.
type Target struct {
	HostType string // INTERNET-D; VIRTUAL-SYSTEM if Host is the path of a virtual system
	Host     string // as written, without its port
	Port     uint16 // 0: the default of whoever is meant
	NameType string // ASCII
	Name     string // octets: the hsoname, or what the access method calls the object
	Version  int32  // 0: the current one
	// Expires is when the target may be stale; it may be used for all that. Zero:
	// not said.
	Expires time.Time
}

// parseTarget reads the tokens from the host type on: host type, host, name
// type, name, version, and perhaps DEST-EXP and a time. There are five at least.
// More at the end means nothing here: version 1 has a number there.
func parseTarget(tokens []string) (t Target, err error) {
	t = Target{HostType: tokens[0], Host: tokens[1], NameType: tokens[2], Name: tokens[3]}
	rest := tokens[5:]
	if i := slices.Index(rest, "DEST-EXP"); i >= 0 && i+1 < len(rest) {
		t.Expires, _ = parseTime(rest[i+1])
	}
	if t.HostType == hostInternet {
		if t.Host, t.Port, err = cutPort(t.Host); err != nil {
			return t, err
		}
	}
	ok := false
	if t.Version, ok = versionNumber(tokens[4]); !ok {
		return t, fmt.Errorf("%w: %s is no version", scheme.ErrProtocol, locus.Quote(tokens[4]))
	}
	return t, nil
}

// needsServer returns an error if t is nothing that a Prospero server can be
// asked about.
func (t Target) needsServer() error {
	switch {
	case t.HostType != hostInternet:
		return fmt.Errorf("%w: host type %s", scheme.ErrUnsupported, locus.Quote(t.HostType))
	case t.NameType != nameASCII:
		return fmt.Errorf("%w: name type %s", scheme.ErrUnsupported, locus.Quote(t.NameType))
	}
	return nil
}

// cutPort reads a host as "name" or "name(port)". If it is neither, host is all
// of the text.
func cutPort(text string) (host string, port uint16, err error) {
	host, digits, ok := strings.Cut(text, "(")
	if !ok {
		return text, 0, nil
	}
	digits, ok = strings.CutSuffix(digits, ")")
	n, err := strconv.ParseUint(digits, 10, 16)
	if !ok || err != nil || n == 0 {
		return text, 0, fmt.Errorf("%w: %s is no host and port", scheme.ErrProtocol, locus.Quote(text))
	}
	return host, uint16(n), nil
}

// timeForm is how Prospero writes a time; it is UTC.
const timeForm = "20060102150405Z"

func parseTime(token string) (time.Time, error) { return time.Parse(timeForm, token) }

// Link kinds: the letter of a LINK line.
const (
	KindLink      = 'L'
	KindUnion     = 'U' // the links of that directory belong to this one, in this place
	KindInvisible = 'I' // said by few servers
)

// Link types: what the directory remembers of the object. It may have changed.
const (
	TypeFile          = "FILE"
	TypeDirectory     = "DIRECTORY"
	TypeDirectoryFile = "DIRECTORY+FILE"
	TypeObject        = "OBJECT"
	TypeExternal      = "EXTERNAL" // no object of Prospero: access methods come with it
	TypeSymbolic      = "SYMBOLIC" // a name in a virtual system
	TypeForwarding    = "FP"       // where an object has gone; within attributes alone
	TypeNull          = "NULL"     // the name may be known, and nothing else
)

// Link is a line of a directory.
type Link struct {
	Kind byte   // KindLink, KindUnion, KindInvisible, or what the server said
	Type string // one of the types above, or what the server said
	Name string // octets: a label, never to be used as a path
	Target
	IDs        [][]string  // ID lines: type and value
	Attributes []Attribute // in the server's order
	// Err says that this link can't be followed, whatever others there are: its
	// kind or type is unknown, or its target is none.
	Err error
}

// linkFields is how many fields a link has at least, from the letter on.
const linkFields = 8

// parseLink reads the fields of a LINK line from the letter on. The error says
// that they are none; what is wrong with a single one is in [Link.Err].
func parseLink(tokens []string) (Link, error) {
	if len(tokens) < linkFields {
		return Link{}, fmt.Errorf("%w: a link with %d fields has %d too few", scheme.ErrProtocol, len(tokens), linkFields-len(tokens))
	}
	l := Link{Type: tokens[1], Name: tokens[2]}
	if len(tokens[0]) == 1 {
		l.Kind = tokens[0][0]
	}
	l.Target, l.Err = parseTarget(tokens[3:])
	if err := l.fault(tokens[0]); err != nil {
		l.Err = err
	}
	return l, nil
}

// fault returns what is wrong with kind and type of a link. letter is the first
// of its fields.
func (l Link) fault(letter string) error {
	switch l.Kind {
	case KindLink, KindUnion, KindInvisible:
	default:
		return fmt.Errorf("%w: link type %s", scheme.ErrProtocol, locus.Quote(letter))
	}
	switch l.Type {
	case TypeFile, TypeDirectory, TypeDirectoryFile, TypeObject, TypeForwarding:
		return l.needsServer()
	case TypeExternal, TypeSymbolic, TypeNull:
		return nil
	}
	return fmt.Errorf("%w: a link to %s", scheme.ErrUnsupported, locus.Quote(l.Type))
}

// cutNull reads a link that may be listed and not read, at the beginning of a
// line. The servers do not quote the name in this one line, so that a blank
// splits it and an apostrophe would take the following lines with it.
func cutNull(message string) (l Link, rest string, ok bool) {
	text, ok := strings.CutPrefix(message, "LINK")
	if !ok || text == "" || !isBlank(text[0]) {
		return Link{}, "", false
	}
	if text, ok = strings.CutPrefix(trimBlanks(text), "L NULL "); !ok {
		return Link{}, "", false
	}
	text, rest = cutRawLine(text)
	if text, ok = strings.CutSuffix(text, " NULL NULL NULL NULL 0"); !ok {
		return Link{}, "", false
	}
	if isToken(text) {
		text = unquote(text)
	}
	const null = TypeNull
	return Link{Kind: KindLink, Type: null, Name: text, Target: Target{HostType: null, Host: null, NameType: null, Name: null}}, rest, true
}

// isToken reports whether text is one token with its quotes closed.
func isToken(text string) bool {
	line, _, closed := cutLine(text)
	if !closed || line != text || text == "" || isBlank(text[0]) {
		return false
	}
	_, rest := cutToken(text)
	return rest == ""
}

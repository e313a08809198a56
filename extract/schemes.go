package extract

import "strings"

// Scheme selects how URLs of a scheme are recognized in running text.
type Scheme struct {
	Name string // name in lower case
	Part Part
}

// Part is the text that must follow the ":" of a scheme, so that prose such as "news: today"
// or "file:line" is not a URL. Any URL may also begin with "//" and a host.
type Part uint8

const (
	// Host is "//" and a host.
	Host Part = iota
	// HostOrPath is "//" and a host, "///" and a path, or "/" and a path.
	HostOrPath
	// Address is a mail address or a message-id, such as "joe@host.dom".
	Address
	// Group is a newsgroup with a dot in its name, or a message-id.
	Group
	// Namespace is the name of a URN namespace, ":" and more text (RFC 8141 section 2).
	Namespace
	// Any is any text.
	Any
)

// standard lists the schemes of RFC 1738 sections 3 and 4 and of the URI draft, and later schemes
// for the same protocols over another transport. The list is in this package, not in the scheme
// packages. So the zero [Options] do not need the code that opens URLs.
var standard = [...]struct {
	part  Part
	names string
}{
	{Host, "http https ftp ftps gopher gophers nntp nntps telnet tn3270 rlogin wais prospero afs nfs mailserver z39.50 whois x500"},
	{HostOrPath, "file"},
	{Address, "mailto mid cid"},
	{Group, "news snews"},
	{Namespace, "urn"},
}

// The schemes that [Options.Schemeless] assumes (GitHub Flavored Markdown section 6.9).
const (
	webScheme  = "http"
	mailScheme = "mailto"
)

// Standard returns the schemes for the zero [Options].
func Standard() (list []Scheme) {
	for _, row := range standard {
		for name := range strings.FieldsSeq(row.names) {
			list = append(list, Scheme{name, row.part})
		}
	}
	return list
}

// Schemes is an immutable set of schemes. It may be used concurrently.
type Schemes struct {
	byName map[string]Scheme
	// ends contains the last two letters of each scheme name, and of the prefix "URL". Most words
	// before a ":" end in other letters.
	ends [1 << 10]bool
}

// NewSchemes returns the set of the schemes in list. The search never finds schemes with
// names longer than 64 bytes.
func NewSchemes(list ...Scheme) *Schemes {
	s := &Schemes{byName: make(map[string]Scheme, len(list))}
	for _, scheme := range list {
		s.byName[scheme.Name] = scheme
		s.end(scheme.Name)
	}
	s.end("url")
	return s
}

// Named returns the set of the schemes with the given names. A scheme that is not
// [Standard] gets the Part in other.
func Named(other Part, names ...string) *Schemes {
	list := make([]Scheme, len(names))
	for i, name := range names {
		var ok bool
		if list[i], ok = defaultSchemes.Lookup(name); !ok {
			list[i] = Scheme{name, other}
		}
	}
	return NewSchemes(list...)
}

// defaultSchemes is never modified.
var defaultSchemes = NewSchemes(Standard()...)

// Lookup returns the scheme with the given name, ignoring case. If the set does not
// contain it, ok is false. A nil set contains the [Standard] schemes.
func (s *Schemes) Lookup(name string) (scheme Scheme, ok bool) {
	if s == nil {
		s = defaultSchemes
	}
	if len(name) > maxName {
		return scheme, false
	}
	scheme, ok = s.byName[strings.ToLower(name)]
	return scheme, ok
}

func (s *Schemes) end(name string) {
	switch n := len(name); n {
	case 0:
	case 1:
		// A name of one letter may follow any byte.
		for c := range byte(1 << 5) {
			s.ends[pair(c, name[0])] = true
		}
	default:
		s.ends[pair(name[n-2], name[n-1])] = true
	}
}

// pair returns the index of two bytes in Schemes.ends. Upper and lower case, and some other bytes,
// have the same index.
func pair(a, b byte) int { return int(a&0x1F)<<5 | int(b&0x1F) }

package extract

import "strings"

// Scheme describes how to recognize the URLs of a scheme in running text.
type Scheme struct {
	Name string // scheme name in lower case
	Part Part
}

// Part describes the text that must follow the ":" of a scheme. Without this condition, prose such
// as "news: today" or "file:line" would be a URL. For every Part, "//" and a host may follow.
type Part uint8

const (
	// Host requires "//" and a host.
	Host Part = iota
	// HostOrPath requires "//" and a host, "///" and a path, or "/" and a path.
	HostOrPath
	// Address requires a mail address or a message-id, such as "joe@host.dom".
	Address
	// Group requires a newsgroup name that contains a dot, or a message-id.
	Group
	// Namespace requires the name of a URN namespace, a ":" and more text (RFC 8141 section 2).
	Namespace
	// Any allows any text.
	Any
)

// standard lists the schemes in RFC 1738 sections 3 and 4 and in the URI draft, and later schemes
// for the same protocols over another transport. The list is in this package and not in the scheme
// packages, so that the zero [Options] does not need the code that opens URLs.
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

// These are the schemes that [Options.Schemeless] assumes (GitHub Flavored Markdown section 6.9).
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

// Schemes is an immutable set of schemes. A Schemes may be used concurrently.
type Schemes struct {
	byName map[string]Scheme
	// endings contains the last two letters of each scheme name and of the prefix "URL". It allows
	// a fast check, because most words before a ":" end in other letters.
	endings [1 << 10]bool
}

// NewSchemes returns a set with the schemes in list. The search never finds a scheme whose name is
// longer than 64 bytes.
func NewSchemes(list ...Scheme) *Schemes {
	s := &Schemes{byName: make(map[string]Scheme, len(list))}
	for _, scheme := range list {
		s.byName[scheme.Name] = scheme
		s.end(scheme.Name)
	}
	s.end("url")
	return s
}

// Named returns a set with the schemes that have the given names. If a scheme is not a [Standard]
// scheme, its Part is the value of other.
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

// defaultSchemes is the set of the [Standard] schemes. defaultSchemes must not be modified.
var defaultSchemes = NewSchemes(Standard()...)

// Lookup returns the scheme with the given name, ignoring case. If the set does not contain the
// scheme, ok is false. A nil set contains the [Standard] schemes.
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
		// For a name of one letter, the byte before the name can be any byte.
		for c := range byte(1 << 5) {
			s.endings[pair(c, name[0])] = true
		}
	default:
		s.endings[pair(name[n-2], name[n-1])] = true
	}
}

// pair returns the index in Schemes.ends for two bytes. Upper and lower case letters, and some
// other bytes, share an index.
func pair(a, b byte) int { return int(a&0x1F)<<5 | int(b&0x1F) }

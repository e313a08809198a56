package extract

import "strings"

// Scheme says how URLs of a scheme are recognised in running text.
type Scheme struct {
	Name string // in lower case
	Part Part
}

// Part is what must follow the ":" of a scheme's name, so that no other text is taken for
// a URL: "news: today", "file:line". Any URL may also begin with "//" and a host.
type Part uint8

const (
	// Host: "//" and a host.
	Host Part = iota
	// HostOrPath: "//" and a host, "///" and a path, or "/" and a path.
	HostOrPath
	// Address: a mail address or a message-id, "joe@host.dom".
	Address
	// Group: a newsgroup with a dot in its name, or a message-id.
	Group
	// Namespace: the name of a namespace, ":" and more (RFC 8141 section 2).
	Namespace
	// Any: any text.
	Any
)

// standard are the schemes of RFC 1738 sections 3 and 4 and of the URI draft, and those
// that came after them and are the same over another transport. It stands here, and not
// in the packages of the schemes, so that the zero [Options] find the URLs that most
// texts have without all code that opens them.
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

// Standard returns the schemes that the zero [Options] look for.
func Standard() (list []Scheme) {
	for _, row := range standard {
		for name := range strings.FieldsSeq(row.names) {
			list = append(list, Scheme{name, row.part})
		}
	}
	return list
}

// Schemes is a set of schemes. It does not change, so several goroutines may use it.
type Schemes struct {
	byName map[string]Scheme
	// ends has the last two letters of each name and of the prefix "URL": most words
	// before a ":" end in others.
	ends [1 << 10]bool
}

// NewSchemes returns the set of these schemes. Names of more than 64 octets are never
// found.
func NewSchemes(list ...Scheme) *Schemes {
	s := &Schemes{byName: make(map[string]Scheme, len(list))}
	for _, scheme := range list {
		s.byName[scheme.Name] = scheme
		s.end(scheme.Name)
	}
	s.end("url")
	return s
}

// Named returns the set of the schemes with these names. Those that are not [Standard]
// have the part other.
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

// defaultSchemes is never written again.
var defaultSchemes = NewSchemes(Standard()...)

// Lookup returns the scheme of that name, in either case; ok is false if it is not in the
// set. A nil set is that of the [Standard] schemes.
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
		// What is before the one letter may be any octet.
		for c := range byte(1 << 5) {
			s.ends[pair(c, name[0])] = true
		}
	default:
		s.ends[pair(name[n-2], name[n-1])] = true
	}
}

// pair is the index of two octets in Schemes.ends. It does not tell upper from lower
// case, nor some octets from others.
func pair(a, b byte) int { return int(a&0x1F)<<5 | int(b&0x1F) }

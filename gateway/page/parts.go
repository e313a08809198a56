package page

import (
	"strings"

	"github.com/locus-url/locus"
)

// Part is a piece of a URL's text, as it is written. The pieces of a URL, in order,
// are its text.
type Part struct {
	// Name is what the BNF of RFC 1738 section 5 calls it: "hostport" is in two
	// parts, "host" and "port". Empty: it is a delimiter.
	Name string
	Text string
	// Hue groups names that mean the like: "scheme", "login", "host", "path", "search",
	// "type", "fragment".
	Hue string
}

// Parts returns the pieces of u. A password is left out.
func Parts(u locus.URL) []Part {
	u = withoutPassword(u)
	s := splitter{rest: u.String()}
	name, _, _ := strings.Cut(s.rest, ":")
	s.part("scheme", "scheme", len(name))
	s.delimiter(1)
	fragment, hasFragment := u.Fragment()
	body := len(s.rest)
	if hasFragment {
		body -= len(fragment) + 1
	}
	s.rest, fragment = s.rest[:body], s.rest[body:]
	if u.Facts().Has(locus.Internet) {
		s.delimiter(2)
		if user, ok := u.User(); ok {
			s.part("user", "login", len(user))
			s.delimiter(1)
		}
		s.part("host", "host", len(u.Host()))
		if port, ok := u.PortText(); ok {
			s.delimiter(1)
			s.part("port", "host", len(port))
		}
		if _, ok := u.Path(); ok && strings.HasPrefix(s.rest, "/") {
			s.delimiter(1)
		}
	}
	s.path(u.Scheme())
	if hasFragment {
		s.rest = fragment
		s.delimiter(1)
		s.part("fragmentid", "fragment", len(s.rest))
	}
	return s.list
}

// splitter takes pieces off the front of a text.
type splitter struct {
	rest string
	list []Part
}

func (s *splitter) part(name, hue string, n int) {
	if n > 0 {
		s.list = append(s.list, Part{name, s.rest[:n], hue})
		s.rest = s.rest[n:]
	}
}

func (s *splitter) delimiter(n int) { s.part("", "", n) }

// upTo takes a part up to the separator, and that as a delimiter; without one it
// takes all there is.
func (s *splitter) upTo(separator, name, hue string) (found bool) {
	before, _, found := strings.Cut(s.rest, separator)
	s.part(name, hue, len(before))
	if found {
		s.delimiter(len(separator))
	}
	return found
}

// all takes what is left.
func (s *splitter) all(name, hue string) { s.part(name, hue, len(s.rest)) }

// path splits an url-path, or a scheme-specific part that has none, as the scheme's
// own production does.
func (s *splitter) path(name string) {
	switch name {
	case "http", "https":
		s.upTo("?", "hpath", "path")
		s.all("search", "search")
	case "ftp", "ftps":
		if fpath, found := cutTypecode(s.rest); found {
			s.part("fpath", "path", len(fpath))
			s.delimiter(len(typeWord))
			s.all("ftptype", "type")
		}
		s.all("fpath", "path")
	case "file":
		s.all("fpath", "path")
	case "gopher", "gophers":
		s.gopher()
	case "wais":
		s.wais()
	case "nntp", "nntps":
		s.upTo("/", "group", "path")
		s.all("digits", "type")
	case "news", "snews":
		if strings.Contains(s.rest, "@") {
			s.all("article", "path")
		}
		s.all("group", "path")
	case "prospero":
		for i := 0; s.rest != "" && i < maxFieldspecs; i++ {
			if i == 0 {
				s.upTo(";", "ppath", "path")
			} else if s.upTo("=", "fieldname", "type") {
				s.upTo(";", "fieldvalue", "search")
			}
		}
		s.all("fieldspec", "search")
	case "mailto":
		s.upTo("?", "encoded822addr", "path")
		s.all("hfields", "search")
	case "mid", "cid":
		s.all("addr-spec", "path")
	default:
		s.all("urlpath", "path")
	}
}

// typeWord stands before a typecode, in either case.
const typeWord = ";type="

// cutTypecode returns what stands before the ";type=" of an ftp URL's path, and
// whether there is one: nothing but a typecode follows it.
func cutTypecode(path string) (before string, found bool) {
	i := strings.LastIndexByte(path, ';')
	if i < 0 || len(path)-i < len(typeWord) || !strings.EqualFold(path[i:i+len(typeWord)], typeWord) ||
		strings.Contains(path[i:], "/") {
		return path, false
	}
	return path[:i], true
}

// maxFieldspecs is how many fields of a URL of Prospero are told apart.
const maxFieldspecs = 64

// gopher splits gtype, selector, search and gopher+_string. The delimiters between
// them are escapes.
func (s *splitter) gopher() {
	size := min(len(s.rest), 1)
	if strings.HasPrefix(s.rest, "%") {
		size = min(len(s.rest), 3)
	}
	s.part("gtype", "type", size)
	if s.upTo("%09", "selector", "path") && s.upTo("%09", "search", "search") {
		s.all("gopher+_string", "type")
	}
}

// wais splits database and search, or database, wtype and wpath.
func (s *splitter) wais() {
	slash, question := strings.IndexByte(s.rest, '/'), strings.IndexByte(s.rest, '?')
	if question >= 0 && (slash < 0 || question < slash) {
		s.upTo("?", "database", "path")
		s.all("search", "search")
		return
	}
	if s.upTo("/", "database", "path") && s.upTo("/", "wtype", "type") {
		s.all("wpath", "path")
	}
}

package gopher

import (
	"cmp"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
)

// Port is the port of a URL that has none (section 3.4.1).
const Port = 70

// secureName is the scheme of the same URLs and the same protocol within TLS. No
// RFC has it; its port is gopher's.
const (
	name       = "gopher"
	secureName = "gophers"
)

// The types that RFC 1738 speaks of, and those of RFC 1436 that make a client do
// something else than asking for the selector.
const (
	TypeMenu   = '1' // the default
	TypePhone  = '2' // a CSO or Ph phone book, with a protocol of its own
	TypeSearch = '7'
	TypeTelnet = '8'
	TypeTN3270 = 'T'
	TypeHTML   = 'h' // or a link, if the selector begins with "URL:"
)

// tab is what stands between the parts of a gopher-path.
const tab = "%09"

// URL is a gopher URL, decoded. It is comparable: two are == if their texts are.
type URL struct {
	url                    locus.URL
	selector, search, plus string
	gtype                  byte
	hasSearch, hasPlus     bool
}

// Parse reads u as a gopher or gophers URL. The error is a [*locus.SyntaxError] if
// u is not gopher:// and a host. Octets that can't be sent are no error here; see
// [URL.AppendRequest].
func Parse(u locus.URL) (URL, error) {
	if err := form(u); err != nil {
		return URL{}, err
	}
	w := split(u)
	g := URL{url: u, gtype: w.gtypeOctet(), hasSearch: w.hasSearch, hasPlus: w.hasPlus}
	g.selector = bnf.Decode(w.selector)
	g.search = bnf.Decode(w.search)
	g.plus = bnf.Decode(w.plus)
	return g, nil
}

// form says why u is not in the form of section 3.4, if it is not.
func form(u locus.URL) error {
	if isSecure(u) {
		return bnf.Form(u, secureName, "gopherurl")
	}
	return bnf.Form(u, name, "gopherurl")
}

func isSecure(u locus.URL) bool { return u.Scheme() == secureName }

// Secure reports whether the scheme is gophers, and the protocol runs within TLS.
func (g URL) Secure() bool { return isSecure(g.url) }

// URL returns the URL that g was parsed from.
func (g URL) URL() locus.URL { return g.url }

// Type returns the gophertype (section 3.4.1).
func (g URL) Type() byte { return g.gtype }

// Selector returns the octets of the selector, perhaps none.
func (g URL) Selector() string { return g.selector }

// Search returns the octets of the search (section 3.4.2). ok reports whether
// there is one, perhaps empty.
func (g URL) Search() (octets string, ok bool) { return g.search, g.hasSearch }

// Plus returns the octets of the Gopher+ string (section 3.4.3). ok reports
// whether there is one, perhaps empty.
func (g URL) Plus() (octets string, ok bool) { return g.plus, g.hasPlus }

// written are the parts of a gopher-path as they stand in the URL, and where the
// first of them begins.
type written struct {
	offset                        int
	gtype, selector, search, plus string
	hasSearch, hasPlus            bool
}

func split(u locus.URL) written {
	path, _ := u.Path()
	w := written{offset: u.PathOffset()}
	if path == "" {
		return w
	}
	_, size := bnf.Octet(path, 0)
	w.gtype = path[:size]
	w.selector, w.search, w.hasSearch = strings.Cut(path[size:], tab)
	w.search, w.plus, w.hasPlus = strings.Cut(w.search, tab)
	return w
}

func (w written) gtypeOctet() byte {
	if w.gtype == "" {
		return TypeMenu
	}
	o, _ := bnf.Octet(w.gtype, 0)
	return o
}

func (w written) selectorOffset() int { return w.offset + len(w.gtype) }
func (w written) searchOffset() int   { return w.selectorOffset() + len(w.selector) + len(tab) }
func (w written) plusOffset() int     { return w.searchOffset() + len(w.search) + len(tab) }

// Parts are what a gopher URL is made of, as octets.
type Parts struct {
	Secure   bool   // gophers
	Host     string // as URL text
	Port     uint16 // 0: left out, which means 70
	Type     byte   // 0: type 1
	Selector string
	Search   *string // nil: absent
	Plus     *string // nil: absent. With a Plus and no Search, the search is empty.
}

// URL makes the URL. What can't be sent is an error, a [*locus.SyntaxError], as
// it is with [URL.AppendRequest].
func (p Parts) URL() (URL, error) {
	scheme := name
	if p.Secure {
		scheme = secureName
	}
	u, err := bnf.HostURL(locus.Parts{Scheme: scheme, Host: p.Host, Port: p.Port, Path: p.path()})
	if err != nil {
		return URL{}, err
	}
	g, err := Parse(u)
	if err != nil {
		return URL{}, err
	}
	if part, offset, ok := p.differs(g); ok {
		return URL{}, u.Errorf(offset, part, "%w: a TAB ends it", locus.ErrValue)
	}
	for x := range g.faults {
		return URL{}, x.Error(u)
	}
	return g, nil
}

// parts returns the parts of g.
func (g URL) parts() Parts {
	p := Parts{Secure: g.Secure(), Host: g.url.Host(), Type: g.gtype, Selector: g.selector}
	p.Port, _ = g.url.Port()
	if g.hasSearch {
		p.Search = &g.search
	}
	if g.hasPlus {
		p.Plus = &g.plus
	}
	return p
}

// path returns the gopher-path. "?" in the selector of a search, "/" and "?" in
// the search are escaped though they need not be: some programs take them for
// delimiters.
func (p Parts) path() *string {
	b := appendTypeSelector(nil, cmp.Or(p.Type, TypeMenu), p.Selector)
	if p.Search != nil || p.Plus != nil {
		b = append(b, tab...)
	}
	if p.Search != nil {
		b = escape.AppendEncode(b, *p.Search, escape.Hsegment())
	}
	if p.Plus != nil {
		b = append(b, tab...)
		b = escape.AppendEncode(b, *p.Plus, escape.Xchar())
	}
	path := string(b)
	return &path
}

// differs returns the first part that a TAB within it cut short, and where.
func (p Parts) differs(g URL) (part string, offset int, ok bool) {
	w := split(g.url)
	switch {
	case g.selector != p.Selector:
		return "selector", w.searchOffset() - len(tab), true
	case p.Search != nil && g.search != *p.Search:
		return "search", w.plusOffset() - len(tab), true
	}
	return "", 0, false
}

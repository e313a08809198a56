package gopher

import (
	"cmp"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
)

// Port is the default port (RFC 1738 section 3.4.1).
const Port = 70

const (
	name       = "gopher"
	secureName = "gophers" // the scheme for Gopher over TLS on the same port, which no RFC defines
)

// These are the types of RFC 1738, and the types of RFC 1436 that need more than a request for
// the selector.
const (
	TypeMenu   = '1' // the default type
	TypePhone  = '2' // a CSO or Ph phone book, which has its own protocol
	TypeSearch = '7'
	TypeTelnet = '8'
	TypeTN3270 = 'T'
	TypeHTML   = 'h' // an HTML page, or a link if the selector begins with "URL:"
)

const tab = "%09"

// URL is a parsed gopher or gophers URL. URLs are comparable with ==. Two URLs are equal if
// their texts are equal. The zero URL is invalid.
type URL struct {
	url                    locus.URL
	selector, search, plus string
	gtype                  byte
	hasSearch, hasPlus     bool
}

// Parse parses u as a gopher or gophers URL. It fails if u has another scheme, or does not
// match the syntax. The error is a [*locus.SyntaxError]. Parse accepts octets that a request
// cannot contain (see [URL.AppendRequest]).
func Parse(u locus.URL) (URL, error) {
	if err := checkForm(u); err != nil {
		return URL{}, err
	}
	w := split(u)
	g := URL{url: u, gtype: w.gtypeOctet(), hasSearch: w.hasSearch, hasPlus: w.hasPlus}
	g.selector = bnf.Decode(w.selector)
	g.search = bnf.Decode(w.search)
	g.plus = bnf.Decode(w.plus)
	return g, nil
}

func isGopher(u locus.URL) bool { return u.Scheme() == name || u.Scheme() == secureName }

func checkForm(u locus.URL) error {
	if u.Scheme() == secureName {
		return bnf.Form(u, secureName, "gopherurl")
	}
	return bnf.Form(u, name, "gopherurl")
}

// Secure reports whether the scheme is gophers, which uses TLS.
func (g URL) Secure() bool { return g.url.Scheme() == secureName }

// URL returns the URL from which g was parsed.
func (g URL) URL() locus.URL { return g.url }

func (g URL) port() uint16 {
	if n, ok := g.url.Port(); ok {
		return n
	}
	return Port
}

// Type returns the gophertype (RFC 1738 section 3.4.1).
func (g URL) Type() byte { return g.gtype }

// Selector returns the decoded selector, which may be empty.
func (g URL) Selector() string { return g.selector }

// Search returns the decoded search (RFC 1738 section 3.4.2). The result ok reports whether
// the URL contains a search, which may be empty.
func (g URL) Search() (octets string, ok bool) { return g.search, g.hasSearch }

// Plus returns the decoded Gopher+ string (RFC 1738 section 3.4.3). The result ok reports
// whether the URL contains a Gopher+ string, which may be empty.
func (g URL) Plus() (octets string, ok bool) { return g.plus, g.hasPlus }

// written holds the encoded parts of a gopher-path.
type written struct {
	offset                        int // offset of the gopher-path in the URL
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

// Parts holds the decoded parts of a gopher URL.
type Parts struct {
	Secure   bool   // whether the scheme is gophers
	Host     string // host as a URL contains it
	Port     uint16 // port; 0 means the default port, 70
	Type     byte   // gophertype; 0 means TypeMenu
	Selector string
	Search   *string // nil if absent
	Plus     *string // nil if absent; if Plus is set and Search is nil, the search is empty
}

// URL builds a URL from its parts. It also fails if a part contains octets that a request
// cannot contain (see [URL.AppendRequest]). The error is a [*locus.SyntaxError].
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
	if part, offset, ok := p.cutPart(g); ok {
		return URL{}, u.Errorf(offset, part, "%w: it can't contain a TAB", locus.ErrValue)
	}
	for x := range split(g.url).faults {
		return URL{}, x.Error(u)
	}
	return g, nil
}

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

// path returns the encoded gopher-path. It escapes "?" in the selector of a search, and "/"
// and "?" in the search, because some programs interpret them as delimiters.
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

// cutPart returns the first part that contains a TAB, and the offset of the TAB. In the parsed
// URL g, the TAB ends this part too early.
func (p Parts) cutPart(g URL) (part string, offset int, ok bool) {
	w := split(g.url)
	switch {
	case g.selector != p.Selector:
		return "selector", w.searchOffset() - len(tab), true
	case p.Search != nil && g.search != *p.Search:
		return "search", w.plusOffset() - len(tab), true
	}
	return "", 0, false
}

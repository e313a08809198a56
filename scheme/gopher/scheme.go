package gopher

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/relative"
	"github.com/locus-url/locus/scheme"
)

// Scheme returns the description of the gopher scheme. The client c opens its URLs. If c is
// nil, a client with default options opens them.
func Scheme(c *Client) scheme.Scheme {
	s := scheme.Scheme{
		Name:    name,
		Port:    Port,
		Status:  scheme.Standard,
		Section: "RFC 1738 3.4",
		Traits:  scheme.Fragments | scheme.AcceptsTypes | scheme.Lines | scheme.NoStatus,
		Syntax: scheme.Syntax{
			Form:      "gopher://<host>:<port>/<gophertype><selector>[%09<search>[%09<gopher+_string>]]",
			Current:   inForce,
			Reserved:  escape.Chars("\t"),
			Fields:    fields,
			Canonical: canonical,
			Check:     check,
			Clean:     bnf.CleanHostPort | locus.PathHsegment | locus.NoEscape,
			Hierarchy: relative.Data,
		},
		Access: scheme.Access{Protocol: "Gopher (RFC 1436) and Gopher+"},
		Display: scheme.Display{
			Icon:    "gopher",
			Split:   splitPath,
			Title:   title,
			Parents: parents,
		},
		Crawl: scheme.Crawl{Freshness: freshness, Below: below},
		Policy: scheme.Policy{
			OffPort:   escape.Chars("\t"), // separates the selector from the search
			OtherPort: otherPort,
			FromProxy: fromProxy,
			ProxyVars: []string{"gopher_proxy"},
		},
	}
	if c == nil {
		c = New(nil)
	}
	s.Access.Opener, s.Access.Archived = c, c.readArchived
	return s
}

// fromProxy converts the URL of a type 7 item with search words after a "?" to a URL with a
// search. A "+" in the words means a space. Lynx and other clients of HTTP proxies send search
// words in this form. Only a proxy may call fromProxy, because in RFC 1738, a "?" belongs to
// the selector.
func fromProxy(u locus.URL) locus.URL {
	path, _ := u.Path()
	before, words, ok := strings.Cut(path, "?")
	if !ok || !strings.HasPrefix(path, "7") || strings.Contains(path, "%09") {
		return u
	}
	p := u.Parts()
	path = before + "%09" + strings.ReplaceAll(words, "+", "%20")
	p.Path = &path
	if to, err := p.URL(); err == nil {
		return to
	}
	return u // the converted URL would be too long
}

// csoPort is the port of CSO, the protocol of phone books (RFC 2378).
const csoPort = 105

// otherPort returns csoPort for an item of type 2, which is a phone book, and 0 for other
// items.
func otherPort(u locus.URL) uint16 {
	if path, _ := u.Path(); strings.HasPrefix(path, "2") {
		return csoPort
	}
	return 0
}

// SecureScheme is like [Scheme], but returns the description of the gophers scheme, which no
// RFC defines.
func SecureScheme(c *Client) scheme.Scheme {
	s := Scheme(c)
	s.Name = secureName
	s.Status = scheme.Extension
	s.Section = "in no RFC"
	s.Syntax.Current.Name = "" // RFC 4266 defines the syntax, but not the name gophers
	s.Syntax.Form = "gophers" + s.Syntax.Form[len(name):]
	s.Access.Protocol = "Gopher within TLS"
	s.Traits |= scheme.Secure
	s.Policy.ProxyVars = nil
	return s
}

func fields(u locus.URL) ([]scheme.Field, error) {
	g, err := Parse(u)
	if err != nil {
		return nil, err
	}
	return []scheme.Field{
		{Name: "gophertype", Value: string([]byte{g.gtype})},
		{Name: "selector", Value: g.selector},
		{Name: "search", Value: present(g.search, g.hasSearch)},
		{Name: "gopherPlus", Value: present(g.plus, g.hasPlus)},
	}, nil
}

func present(octets string, ok bool) any {
	if !ok {
		return nil
	}
	return octets
}

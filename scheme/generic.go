package scheme

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/octet"
)

// generic is what holds for a scheme that nobody registered:
//
//	otherurl   = genericurl
//	genericurl = scheme ":" schemepart
//	schemepart = *xchar | ip-schemepart
//
// Every ip-schemepart is made of xchars, so the first alternative is the test.
// What a "/" or "?" means is not known; nothing of that kind is ever touched.
var generic = Generic("", Reserved)

// Generic returns a scheme of that name whose URLs are any that RFC 1738 section
// 5 allows for otherurl: for a name that is registered without a syntax, and for
// one that is not registered at all.
func Generic(name string, status Status) Scheme {
	return Scheme{
		Name:      name,
		Status:    status,
		Section:   "RFC 1738 5",
		Syntax:    "<scheme>:<scheme-specific-part>",
		Fields:    func(locus.URL) ([]Field, error) { return []Field{}, nil },
		Canonical: genericCanonical,
		Check:     genericCheck,
	}
}

func genericCheck(u locus.URL, p locus.Profile) []locus.Violation {
	const clean = locus.SchemeLower | locus.LoginPlain | locus.PortPlain | locus.PathXchar | locus.FragmentXchar
	facts := u.Facts()
	if p == locus.RFC1738 && facts.Has(clean) && octet.Is(u.String()[0], octet.Alpha) &&
		(!facts.Has(locus.Internet) || facts&(locus.HostName|locus.HostNumber) != 0) {
		return nil
	}
	f := bnf.Findings{URL: u, Profile: p}
	f.Scheme()
	set := octet.Xchar
	if p == locus.RFC1630 {
		// uri = scheme : path [ ? search ]
		set = octet.Xalpha
	}
	part := u.SchemePart()
	offset := u.Len() - len(part)
	if fragment, ok := u.Fragment(); ok {
		offset -= len(fragment) + 1
	}
	if p == locus.RFC1738 {
		f.Chars("schemepart", offset, part, set)
		return f.List()
	}
	start, searching := 0, false
	for i := 0; i <= len(part); i++ {
		if i < len(part) && (searching || part[i] != '/' && part[i] != '?') {
			continue
		}
		f.Chars("path", offset+start, part[start:i], set)
		searching = i < len(part) && part[i] == '?'
		start = i + 1
	}
	return f.List()
}

func genericCanonical(u locus.URL) (locus.URL, locus.Change, error) {
	if bnf.Spelled(u, 0) {
		return u, 0, nil
	}
	var c bnf.Canon
	c.Begin(u)
	if path, ok := u.Path(); u.Facts().Has(locus.Internet) {
		c.Login(0)
		if ok && !u.MissingSlash() {
			c.Raw("/")
		}
		c.Text(path, escape.Unreserved())
	} else {
		c.Text(u.SchemePart(), escape.Unreserved())
	}
	return c.End()
}

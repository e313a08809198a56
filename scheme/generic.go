package scheme

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/octet"
)

// generic describes a scheme that is not registered:
//
//	otherurl   = genericurl
//	genericurl = scheme ":" schemepart
//	schemepart = *xchar | ip-schemepart
//
// Every ip-schemepart also matches *xchar, so the first alternative decides. The meaning of
// "/" and "?" in such URLs is unknown, so normalization never changes these characters.
var generic = Generic("", Reserved)

// Generic returns a scheme whose URLs have the form of otherurl (RFC 1738 section 5). A
// registry uses Generic for names that are registered without a syntax, and for names that are
// not registered.
func Generic(name string, status Status) Scheme {
	return Scheme{
		Name:    name,
		Status:  status,
		Section: "RFC 1738 5",
		Syntax: Syntax{
			Form:      "<scheme>:<scheme-specific-part>",
			Fields:    func(locus.URL) ([]Field, error) { return []Field{}, nil },
			Canonical: genericCanonical,
			Check:     genericCheck,
			Hierarchy: opaque(name),
		},
		Display: Display{
			Icon:      "unknown",
			Split:     splitGeneric,
			Title:     LastSegment,
			Parents:   noParents,
			MenuLabel: noLabel,
		},
		Crawl: Crawl{Freshness: neverFresh},
	}
}

func noLabel(locus.URL) string { return "" }

func genericCheck(u locus.URL, p locus.Profile) []locus.Violation {
	const clean = locus.SchemeLower | locus.LoginPlain | locus.PortPlain | locus.PathXchar | locus.FragmentXchar
	facts := u.Facts()
	if p == locus.RFC1738 && facts.Has(clean) && octet.Is(u.String()[0], octet.Alpha) &&
		(!facts.Has(locus.Internet) || facts&(locus.HostName|locus.HostNumber) != 0) {
		return nil
	}
	f := bnf.Findings{URL: u, Profile: p}
	part, offset := bnf.SchemePart(u)
	if p == locus.RFC1738 {
		f.Scheme()
		f.Chars("schemepart", offset, part, octet.Xchar)
		return f.List()
	}
	// uri = scheme : path [ ? search ]
	f.AnyCase()
	path, search, searching := strings.Cut(part, "?")
	at := offset
	for segment := range strings.SplitSeq(path, "/") {
		f.Chars("path", at, segment, octet.Xalpha)
		at += len(segment) + len("/")
	}
	if searching {
		f.Empty("search", at, search)
		f.Chars("search", at, search, octet.Xalpha)
	}
	return f.List()
}

func genericCanonical(u locus.URL) (locus.URL, locus.Change, error) {
	if u.IsZero() {
		return u, 0, u.Errorf(0, "scheme", "%w", locus.ErrZero)
	}
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
		c.Path(path, escape.Unreserved())
	} else {
		c.Path(u.SchemePart(), escape.Unreserved())
	}
	return c.End()
}

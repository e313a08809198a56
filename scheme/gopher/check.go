package gopher

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/octet"
)

// check returns the violations in u of the following productions:
//
//	gopherurl      = "gopher://" hostport [ / [ gtype [ selector
//	                 [ "%09" search [ "%09" gopher+_string ] ] ] ] ]
//	gtype          = xchar
//	selector       = *xchar
//	gopher+_string = *xchar
//
// For the profile [locus.RFC1630], it applies the productions of the URI draft instead:
//
//	gopheraddress  = gopher://hostport [/ gtype [ gcommand ] ]
//	gtype          = xalpha
//	gcommand       = path
//
// The function also reports octets that a request cannot contain, and adds notes on text that
// other programs misread. For a valid URL, check does not allocate memory.
func check(u locus.URL, p locus.Profile) []locus.Violation {
	if p == locus.RFC1738 && isSound(u) {
		return nil
	}
	return findings(u, p)
}

// findings returns the same result as check, without the fast path for valid URLs.
func findings(u locus.URL, p locus.Profile) []locus.Violation {
	f := bnf.Findings{URL: u, Profile: p}
	f.Scheme()
	if f.Internet(bnf.Login{Section: "RFC 1738 3.4"}) {
		path(&f)
	}
	if err := checkForm(u); err != nil {
		f.Error(err, "RFC 1738 3.4.1")
		return f.List()
	}
	for x := range split(u).faults {
		section := "RFC 1738 6" // no line protocol can transfer the octet
		if x.Part == "gopher+_string" {
			section = "RFC 1738 3.4.9"
		}
		f.Fault(x, section)
	}
	return f.List()
}

// isSound reports whether u has no violations of RFC 1738. It may return false for valid URLs
// that contain an escaped type, a "?", or escapes in the Gopher+ string.
func isSound(u locus.URL) bool {
	path, _ := u.Path()
	facts := u.Facts()
	if path == "" || path[0] == '%' || !facts.Has(locus.PathHsegment) || !bnf.SoundHostPort(u) || !isGopher(u) {
		return false
	}
	if facts.Has(locus.NoControl) {
		return true
	}
	selector, search, _ := strings.Cut(path, tab)
	search, plus, _ := strings.Cut(search, tab)
	return isField(selector) && isField(search) && strings.IndexByte(search, '/') < 0 && strings.IndexByte(plus, '%') < 0
}

// isField reports whether a request field can contain the decoded text.
func isField(text string) bool {
	return fieldFaults("", 0, text, func(bnf.Fault) bool { return false })
}

func path(f *bnf.Findings) {
	w := split(f.URL)
	if o := w.gtypeOctet(); octet.Is(o, octet.Control) {
		f.Impossible("gtype", "RFC 1738 3.4.1", w.offset, w.gtype, "the type must be a graphic character: write one before the selector")
	}
	if f.Profile == locus.RFC1630 {
		f.Chars("gtype", w.offset, w.gtype, octet.Xalpha)
		text, _ := f.URL.Path()
		f.DraftPath("gcommand", w.selectorOffset(), text[len(w.gtype):])
		return
	}
	f.Chars("gtype", w.offset, w.gtype, octet.Xchar)
	f.Chars("selector", w.selectorOffset(), w.selector, octet.Xchar)
	f.Chars("search", w.searchOffset(), w.search, octet.Xchar)
	f.Chars("gopher+_string", w.plusOffset(), w.plus, octet.Xchar)
	notes(f, w)
}

// notes adds notes on text that RFC 1738 allows but other programs misinterpret.
func notes(f *bnf.Findings, w written) {
	if i := strings.IndexByte(w.selector, '?'); i >= 0 && w.gtypeOctet() == TypeSearch {
		f.Note("question-mark", "RFC 1738 3.4.1", w.selectorOffset()+i, "?",
			`"?" is part of the selector: write %09 before search words, or %3F for a question mark`)
	}
	for i := 0; i < len(w.search); i++ {
		if c := w.search[i]; c == '/' || c == '?' {
			f.Note("search-character", "RFC 1738 5", w.searchOffset()+i, w.search[i:i+1], `the production search has no "/" and "?": escape them`)
		}
	}
}

// canonical adds a missing type and removes port 70. It also normalizes the escapes in the
// gopher-path, in which "no characters are reserved" (RFC 1738 section 3.4.1), and in which
// slashes and dots have no special meaning. In a search, it escapes "/" and "?", because the
// production does not allow them.
func canonical(u locus.URL) (locus.URL, locus.Change, error) {
	path, _ := u.Path()
	if path != "" && bnf.Spelled(u, Port) && isGopher(u) {
		return u, 0, nil
	}
	if err := checkForm(u); err != nil {
		return locus.URL{}, 0, err
	}
	var c bnf.Canon
	c.Begin(u)
	c.Login(Port)
	c.Raw("/")
	if path == "" {
		c.Raw(string(TypeMenu))
		c.Change |= locus.DefaultType
	}
	if u.MissingSlash() {
		c.Change |= locus.EmptyPath
	}
	w := split(u)
	var none escape.Set
	c.Octets(w.gtype, escape.Xchar(), none)
	c.Octets(w.selector, escape.Xchar(), none)
	if w.hasSearch {
		c.Raw(tab)
		c.Octets(w.search, escape.Hsegment(), none)
	}
	if w.hasPlus {
		c.Raw(tab)
		c.Octets(w.plus, escape.Xchar(), none)
	}
	return c.End()
}

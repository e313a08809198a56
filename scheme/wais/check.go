package wais

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/octet"
)

const (
	section      = "RFC 1738 3.9"
	draftSection = "URI draft, WAIS"
)

// check returns the violations in u of the following productions:
//
//	waisurl      = waisdatabase | waisindex | waisdoc
//	waisdatabase = "wais://" hostport "/" database
//	waisindex    = "wais://" hostport "/" database "?" search
//	waisdoc      = "wais://" hostport "/" database "/" wtype "/" wpath
//	database     = *uchar
//	wtype        = *uchar
//	wpath        = *uchar
//	search       = *[ uchar | ";" | ":" | "@" | "&" | "=" ]
//
// For the profile [locus.RFC1630], it applies the productions of the URI draft instead:
//
//	waisindex    = wais://hostport/database [ ? search ]
//	waisdoc      = wais://hostport/database/wtype/wpath
//	wpath        = digits = path ; [ wpath ]
//	database     = xalphas
//	wtype        = xalphas
//	search       = xalphas [ + search ]
//
// The function also reports invalid document-ids. For a valid URL, check does not allocate
// memory.
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
	if !f.Internet(bnf.Login{Section: section}) {
		return f.List()
	}
	w, err := split(u)
	if err == nil {
		err = bnf.Form(u, name, "waisurl")
	}
	if err != nil {
		f.Error(err, section)
	}
	if p == locus.RFC1630 {
		draftPath(&f, w)
	} else {
		path(&f, w)
	}
	if w.hasDocument {
		for x := range readWpath(w.wpath).faults(w.wpathOffset()) {
			f.Fault(x, section)
		}
	}
	return f.List()
}

// isSound reports whether u is a waisindex or waisdoc without violations of RFC 1738. It
// returns false for every wpath that contains "=", because such a wpath may be an invalid list
// of fields.
func isSound(u locus.URL) bool {
	if !bnf.SoundHostPort(u) || u.Scheme() != name {
		return false
	}
	path, _ := u.Path()
	if database, search, searching := strings.Cut(path, "?"); searching {
		return octet.All(database)&octet.Uchar != 0 && octet.All(search)&octet.Search != 0
	}
	database, rest, _ := strings.Cut(path, "/")
	wtype, wpath, _ := strings.Cut(rest, "/")
	return wpath != "" && octet.All(database)&octet.All(wtype)&octet.All(wpath)&octet.Uchar != 0
}

func path(f *bnf.Findings, w written) {
	f.Chars("database", w.offset, w.database, octet.Uchar)
	f.Chars("wtype", w.wtypeOffset(), w.wtype, octet.Uchar)
	f.Chars("wpath", w.wpathOffset(), w.wpath, octet.Uchar)
	f.Chars("search", w.searchOffset, w.search, octet.Search)
	if w.hasDocument && w.wpath == "" {
		f.Impossible("empty-wpath", section, w.wpathOffset(), "", "the document-id is empty: write one")
	}
}

func draftPath(f *bnf.Findings, w written) {
	xalphas(f, "database", w.offset, w.database)
	if w.hasSearch {
		xalphas(f, "search", w.searchOffset, w.search)
	}
	if !w.hasDocument {
		f.Chars("wtype", w.wtypeOffset(), w.wtype, octet.Xalpha)
		return
	}
	xalphas(f, "wtype", w.wtypeOffset(), w.wtype)
	draftWpath(f, w)
}

// xalphas checks that text is not empty and contains only xalphas and "+".
func xalphas(f *bnf.Findings, part string, offset int, text string) {
	if text == "" {
		f.Add("empty", draftSection, offset, "", "write at least one character")
	}
	f.Chars(part, offset, text, octet.Xalpha)
}

func draftWpath(f *bnf.Findings, w written) {
	r := readWpath(w.wpath)
	offset := w.wpathOffset()
	switch r.form {
	case LengthForm:
		f.Add("length", draftSection, offset, w.wpath[:r.offset], "the length is not part of the document-id: leave it out")
	case EscapedForm, OpaqueForm:
		f.Add("wpath", draftSection, offset, w.wpath, `write the document-id as fields, each a number, "=", contents, and ";"`)
		f.Chars("wpath", offset, w.wpath, octet.Xchar)
		return
	}
	offset += r.offset
	for i := range r.fields {
		text := r.list[:i.size]
		r.list = r.list[i.size:]
		digits, _, _ := strings.Cut(text, "=")
		f.Chars("digits", offset, digits, octet.Digit)
		f.DraftPath("contents", offset+len(digits)+1, i.content)
		offset += i.size
	}
	if !strings.HasSuffix(w.wpath, ";") {
		f.Add("semicolon", draftSection, offset, "", `write ";" at the end of each field`)
	}
}

// checkForm returns the error of parseURL. It does not call parseURL for a wpath without "=",
// because such a wpath is never an invalid list of fields.
func checkForm(u locus.URL) error {
	if path, ok := u.Path(); !ok || strings.IndexByte(path, '=') >= 0 {
		_, _, err := parseURL(u)
		return err
	}
	if err := bnf.Form(u, name, "waisurl"); err != nil {
		return err
	}
	_, err := split(u)
	return err
}

// inSearch is the set of characters that have the same meaning as their escapes in a search.
var inSearch = escape.Unreserved().Without("+")

// canonicalize removes port 210 and decodes escaped unreserved characters. It does not decode
// "%2B" in a search, because a "+" in a search may mean a space. It does not change the [Form]
// of a wpath.
func canonicalize(u locus.URL) (locus.URL, locus.Change, error) {
	if err := checkForm(u); err != nil {
		return locus.URL{}, 0, err
	}
	if bnf.Spelled(u, Port) {
		return u, 0, nil
	}
	var c bnf.Canon
	c.Internet(u, Port)
	path, _ := u.Path()
	names, search, searching := strings.Cut(path, "?")
	c.Path(names, escape.Unreserved())
	if searching {
		c.Raw("?")
		c.Path(search, inSearch)
	}
	return c.End()
}

package prospero

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/octet"
)

const (
	section      = "RFC 1738 3.11"
	draftSection = "URI draft, Prospero"
)

// Check holds u against
//
//	prosperourl = "prospero://" hostport "/" ppath *[ fieldspec ]
//	ppath       = psegment *[ "/" psegment ]
//	psegment    = *[ uchar | "?" | ":" | "@" | "&" | "=" ]
//	fieldspec   = ";" fieldname "=" fieldvalue
//	fieldname   = *[ uchar | "?" | ":" | "@" | "&" ]
//	fieldvalue  = *[ uchar | "?" | ":" | "@" | "&" ]
//
// or, in the URI draft,
//
//	prosperolink = prospero://hostport/hsoname [ %00 version [ attributes ] ]
//	hsoname      = path
//	version      = digits
//	attributes   = attribute [ attributes ]
//	attribute    = alphanums
//
// and adds which versions can't be. A URL that conforms costs no allocation.
func Check(u locus.URL, p locus.Profile) []locus.Violation {
	if p == locus.RFC1738 && clean(u) {
		return nil
	}
	return findings(u, p)
}

// clean reports whether there is nothing to find in u.
func clean(u locus.URL) bool {
	if _, ok := u.Path(); !ok || !bnf.SoundHostPort(u) || !strings.HasPrefix(u.String(), name+":") {
		return false
	}
	if u.Facts().Has(locus.PathFsegment | locus.NoControl) {
		return true
	}
	w := split(u)
	if octet.All(w.ppath)&octet.Fsegment == 0 || strings.Contains(w.ppath, nul) {
		return false
	}
	versions := 0
	for _, f := range w.all {
		if !f.equals || octet.All(f.name)&octet.All(f.value)&octet.Field == 0 {
			return false
		}
		if f.isObjectVersion() {
			if versions++; versions > 1 || !f.hasVersionNumber() {
				return false
			}
		}
	}
	return true
}

// hasVersionNumber reports whether the value is a number that a request can hold.
func (f fieldspec) hasVersionNumber() bool {
	var buf [32]byte
	digits, _ := escape.AppendDecode(buf[:0], f.value)
	_, ok := versionNumber(string(digits))
	return ok
}

func findings(u locus.URL, p locus.Profile) []locus.Violation {
	f := bnf.Findings{URL: u, Profile: p}
	f.Scheme()
	if !f.Internet(bnf.Login{Section: section}) {
		return f.List()
	}
	if err := form(u); err != nil {
		f.Error(err, section)
		return f.List()
	}
	w := split(u)
	if p == locus.RFC1630 {
		draftPath(&f, w)
	} else {
		path(&f, w)
	}
	for x := range w.faults {
		f.Fault(x, section)
	}
	versions(&f, w)
	return f.List()
}

func path(f *bnf.Findings, w written) {
	f.Chars("psegment", w.offset, w.ppath, octet.Fsegment)
	if i := strings.Index(w.ppath, nul); i >= 0 {
		f.Note("draft-version", draftSection, w.offset+i, nul, "a version in the form of the URI draft: RFC 1738 writes ;"+ObjectVersion+"= and the number")
	}
	for _, spec := range w.all {
		f.Chars("fieldname", spec.offset+len(";"), spec.name, octet.Field)
		f.Chars("fieldvalue", spec.valueOffset(), spec.value, octet.Field)
	}
}

// draftPath looks at the url-path by the rules of the URI draft.
func draftPath(f *bnf.Findings, w written) {
	hsoname, version, ok := strings.Cut(w.ppath, nul)
	f.DraftPath("hsoname", w.offset, hsoname)
	if ok {
		if !startsWithDigit(version) {
			f.Add("version", draftSection, w.offset+len(hsoname)+len(nul), "", "write the digits of a version after %00")
		}
		f.Chars("version or attributes", w.offset+len(hsoname)+len(nul), version, octet.Alpha|octet.Digit)
	}
	for _, spec := range w.all {
		f.Add("field", draftSection, spec.offset, spec.in(f.URL), "the URI draft has no fields: a version is %00 and its digits")
	}
}

// in returns the field with its ";", of which all is in u.
func (f fieldspec) in(u locus.URL) string { return u.String()[f.offset : f.offset+f.size()] }

// versions looks for versions that no request can hold.
func versions(f *bnf.Findings, w written) {
	if i := strings.Index(w.ppath, nul); i >= 0 {
		digits, _ := cutDigits(bnf.Decode(w.ppath[i+len(nul):]))
		if _, ok := versionNumber(digits); !ok && digits != "" {
			f.Impossible("version", draftSection, w.offset+i, nul, versionHelp)
		}
	}
	seen := false
	for _, spec := range w.all {
		if !spec.isObjectVersion() {
			continue
		}
		if seen {
			f.Impossible("version", section, spec.offset, spec.in(f.URL), "an object has one version: leave out all but one")
		}
		seen = true
		if spec.equals && !spec.hasVersionNumber() {
			f.Impossible("version", section, spec.valueOffset(), spec.value, versionHelp)
		}
	}
}

const versionHelp = "a version is a number up to 2147483647"

// plain reports whether the fields hold only characters that their productions have.
func (w written) plain() bool {
	for _, spec := range w.all {
		if octet.All(spec.name)&octet.All(spec.value)&octet.Field == 0 {
			return false
		}
	}
	return true
}

// canonical drops port 1525 and writes each octet in one way: in the hsoname "/" has
// no significance, and ";" alone ends it; "=" splits a field (section 3.11). Dots and
// the order of the fields stay as they are.
func canonical(u locus.URL) (locus.URL, locus.Change, error) {
	if err := form(u); err != nil {
		return locus.URL{}, 0, err
	}
	for x := range split(u).faults {
		return locus.URL{}, 0, x.Error(u)
	}
	w := split(u)
	if bnf.Spelled(u, Port) && w.plain() {
		return u, 0, nil
	}
	var c bnf.Canon
	var none escape.Set
	c.Internet(u, Port)
	c.Octets(w.ppath, escape.Fsegment().With("/"), none)
	for _, spec := range w.all {
		c.Raw(";")
		c.Octets(spec.name, escape.Field(), none)
		c.Raw("=")
		c.Octets(spec.value, escape.Field(), none)
	}
	return c.End()
}

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

// check returns the violations in the URL u. The productions of RFC 1738 are as follows.
//
//	prosperourl = "prospero://" hostport "/" ppath *[ fieldspec ]
//	ppath       = psegment *[ "/" psegment ]
//	psegment    = *[ uchar | "?" | ":" | "@" | "&" | "=" ]
//	fieldspec   = ";" fieldname "=" fieldvalue
//	fieldname   = *[ uchar | "?" | ":" | "@" | "&" ]
//	fieldvalue  = *[ uchar | "?" | ":" | "@" | "&" ]
//
// For the profile [locus.RFC1630], check uses the productions of the URI draft.
//
//	prosperolink = prospero://hostport/hsoname [ %00 version [ attributes ] ]
//	hsoname      = path
//	version      = digits
//	attributes   = attribute [ attributes ]
//	attribute    = alphanums
//
// check also returns a finding for each version that a request cannot contain. If the URL
// conforms, check does not allocate.
func check(u locus.URL, profile locus.Profile) []locus.Violation {
	if _, ok := u.Path(); ok && profile == locus.RFC1738 && u.Scheme() == name && bnf.SoundHostPort(u) && soundPath(u) {
		return nil
	}
	f := bnf.Findings{URL: u, Profile: profile}
	f.Scheme()
	if !f.Internet(bnf.Login{Section: section}) {
		return f.List()
	}
	if err := form(u); err != nil {
		f.Error(err, section)
		return f.List()
	}
	p := split(u)
	if profile == locus.RFC1630 {
		checkDraftPath(&f, p)
	} else {
		checkPath(&f, p)
	}
	for x := range p.faults {
		f.Fault(x, section)
	}
	checkVersions(&f, p)
	return f.List()
}

// soundPath reports whether the url-path of u conforms to RFC 1738.
func soundPath(u locus.URL) bool {
	if u.Facts().Has(locus.PathFsegment | locus.NoControl) {
		return true
	}
	p := split(u)
	if octet.All(p.ppath)&octet.Fsegment == 0 || strings.Contains(p.ppath, nul) {
		return false
	}
	versions := 0
	for f := range p.fields {
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

func checkPath(f *bnf.Findings, p rawPath) {
	f.Chars("psegment", p.offset, p.ppath, octet.Fsegment)
	if i := strings.Index(p.ppath, nul); i >= 0 {
		f.Note("draft-version", draftSection, p.offset+i, nul, "a version in the URI draft's form: RFC 1738 writes ;"+ObjectVersion+"= and the number")
	}
	for spec := range p.fields {
		f.Chars("fieldname", spec.offset+len(";"), spec.name, octet.Field)
		f.Chars("fieldvalue", spec.valueOffset(), spec.value, octet.Field)
	}
}

func checkDraftPath(f *bnf.Findings, p rawPath) {
	hsoname, version, ok := strings.Cut(p.ppath, nul)
	f.DraftPath("hsoname", p.offset, hsoname)
	if ok {
		offset := p.offset + len(hsoname) + len(nul)
		if !startsWithDigit(version) {
			f.Add("version", draftSection, offset, "", "write the digits of a version after %00")
		}
		f.Chars("version or attributes", offset, version, octet.Alpha|octet.Digit)
	}
	for spec := range p.fields {
		f.Add("field", draftSection, spec.offset, spec.textIn(f.URL), "the URI draft has no fields: a version is %00 and its digits")
	}
}

// textIn returns the field, including its ";", as written in the URL u.
func (f fieldspec) textIn(u locus.URL) string { return u.String()[f.offset : f.offset+f.size()] }

// checkVersions adds a finding for each version that a request cannot contain.
func checkVersions(f *bnf.Findings, p rawPath) {
	if _, version, ok := strings.Cut(p.ppath, nul); ok {
		digits, _ := cutDigits(bnf.Decode(version))
		if _, ok := versionNumber(digits); !ok && digits != "" {
			f.Impossible("version", draftSection, p.offset+strings.Index(p.ppath, nul), nul, versionHelp)
		}
	}
	seen := false
	for spec := range p.fields {
		if !spec.isObjectVersion() {
			continue
		}
		if seen {
			f.Impossible("version", section, spec.offset, spec.textIn(f.URL), "an object has one version: leave out all but one")
		}
		seen = true
		if spec.equals && !spec.hasVersionNumber() {
			f.Impossible("version", section, spec.valueOffset(), spec.value, versionHelp)
		}
	}
}

const versionHelp = "a version is a number up to 2147483647"

// isPlain reports whether the fields contain only characters that their productions allow.
func (p rawPath) isPlain() bool {
	for spec := range p.fields {
		if octet.All(spec.name)&octet.All(spec.value)&octet.Field == 0 {
			return false
		}
	}
	return true
}

// canonical returns the canonical form of a URL. It removes port 1525 and escapes an octet only if
// necessary. In an hsoname, "/" has no special meaning, and only ";" ends the hsoname. In a field,
// only "=" separates the name from the value (section 3.11). The canonical form preserves dots and
// the order of the fields.
func canonical(u locus.URL) (locus.URL, locus.Change, error) {
	// A URL without ";" has no fields.
	const usual = locus.Internet | locus.Slash | locus.PathFsegment
	if u.Facts().Has(usual) && bnf.Spelled(u, Port) && u.Scheme() == name {
		return u, 0, nil
	}
	if err := form(u); err != nil {
		return locus.URL{}, 0, err
	}
	p := split(u)
	for x := range p.faults {
		return locus.URL{}, 0, x.Error(u)
	}
	if bnf.Spelled(u, Port) && p.isPlain() {
		return u, 0, nil
	}
	var c bnf.Canon
	var none escape.Set
	c.Internet(u, Port)
	c.Octets(p.ppath, escape.Fsegment().With("/"), none)
	for spec := range p.fields {
		c.Raw(";")
		c.Octets(spec.name, escape.Field(), none)
		c.Raw("=")
		c.Octets(spec.value, escape.Field(), none)
	}
	return c.End()
}

package bnf

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/octet"
)

// Form returns the error that a scheme's Parse has for a URL that is not scheme
// "://" and a host, or nil. production is the name that section 5 has for the
// whole: "gopherurl".
func Form(u locus.URL, scheme, production string) error {
	switch {
	case u.Scheme() != scheme:
		return u.Errorf(0, production, "%w: the scheme is not %s", locus.ErrForm, scheme)
	case !u.Facts().Has(locus.Internet):
		return u.Errorf(len(scheme)+1, production, `%w: "//" and a host follow "%s:"`, locus.ErrForm, scheme)
	}
	return nil
}

// HostURL makes a URL of a scheme whose URLs all have a host.
func HostURL(p locus.Parts) (locus.URL, error) {
	u, err := p.URL()
	if err == nil && p.Host == "" {
		err = u.Errorf(u.HostOffset(), "host", "%w: a %s URL has a host", locus.ErrForm, p.Scheme)
	}
	if err != nil {
		return locus.URL{}, err
	}
	return u, nil
}

// EncodeUser returns octets as URL text for the user or password of
// [locus.Parts]; nil, which is none, stays nil.
func EncodeUser(octets *string) *string {
	if octets == nil {
		return nil
	}
	return new(locus.EncodeUser(*octets))
}

// SchemePart returns the scheme-specific part of u as it is written, and where it
// begins.
func SchemePart(u locus.URL) (text string, offset int) {
	return u.SchemePart(), len(u.Scheme()) + 1
}

// Decode returns the octets that text stands for, which is of a [locus.URL]: every
// escape in it is whole, so it can't fail.
func Decode(text string) string {
	octets, _ := escape.Decode(text)
	return octets
}

// Octet returns the octet that stands at i in URL text, and in how many
// characters it is written: three if it is escaped.
func Octet(text string, i int) (o byte, size int) {
	if text[i] == '%' {
		return octet.Unescape(text, i), 3
	}
	return text[i], 1
}

// OctetOffset returns where in text, as it is written, its octet number n is.
func OctetOffset(text string, n int) int {
	i := 0
	for ; n > 0; n-- {
		_, size := Octet(text, i)
		i += size
	}
	return i
}

// DraftPath adds the findings about text, which begins at offset and is a path
// of the URI draft:
//
//	path    = void | segment [ / path ]
//	segment = xpalphas
//
// So a segment before the last can't be empty.
func (f *Findings) DraftPath(part string, offset int, text string) {
	for {
		segment, rest, more := strings.Cut(text, "/")
		if segment == "" && more {
			f.Add("empty-segment", "URI draft, path", offset, "/", part+": a segment before the last can't be empty")
		}
		f.Chars(part, offset, segment, octet.Xalpha)
		if !more {
			return
		}
		text = rest
		offset += len(segment) + 1
	}
}

// Fault is a reason why a scheme's Parse, or what makes a request of a URL,
// refuses it. It is cheap to make: a hostile text has thousands.
type Fault struct {
	Err          error  // locus.ErrForm, or locus.ErrValue
	Part         string // as in locus.SyntaxError
	Offset, Size int    // the octets of the URL that it is about
	Why          string
}

// Error returns the fault as an error about u.
func (x Fault) Error(u locus.URL) *locus.SyntaxError {
	return u.Errorf(x.Offset, x.Part, "%w: %s", x.Err, x.Why)
}

// Fault adds a fault as a finding: one against the form is against the grammar,
// one of a value is what the grammar allows and can't be.
func (f *Findings) Fault(x Fault, section string) {
	text := f.URL.String()[x.Offset : x.Offset+x.Size]
	if x.Err == locus.ErrForm {
		f.Add("form", section, x.Offset, text, x.Part+": "+x.Why)
	} else {
		f.Impossible("value", section, x.Offset, text, x.Part+": "+x.Why)
	}
}

package bnf

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/octet"
)

// Form returns an error if u has another scheme, or if u contains no "//" after the scheme.
// production is the name of the scheme's production in section 5, such as "gopherurl".
func Form(u locus.URL, scheme, production string) error {
	switch {
	case !IsScheme(u, scheme):
		return u.Errorf(0, production, "%w: the scheme is not %s", locus.ErrForm, scheme)
	case !u.Facts().Has(locus.Internet):
		return u.Errorf(len(scheme)+1, production, `%w: write "//" and a host after "%s:"`, locus.ErrForm, scheme)
	}
	return nil
}

// IsScheme reports whether name, which must be in lower case, is the scheme of u. Unlike a
// comparison with [locus.URL.Scheme], it allocates no memory if the scheme of u has upper case.
func IsScheme(u locus.URL, name string) bool {
	text := u.String()
	return len(text) > len(name) && text[len(name)] == ':' && (text[:len(name)] == name || strings.EqualFold(text[:len(name)], name))
}

// HostURL creates a URL in a scheme that requires a host.
func HostURL(p locus.Parts) (locus.URL, error) {
	u, err := p.URL()
	if err == nil && p.Host == "" {
		err = u.Errorf(u.HostOffset(), "host", "%w: a %s URL needs a host", locus.ErrForm, p.Scheme)
	}
	if err != nil {
		return locus.URL{}, err
	}
	return u, nil
}

// EncodeUser encodes octets as URL text for the user or password of [locus.Parts]. If octets
// is nil, EncodeUser returns nil.
func EncodeUser(octets *string) *string {
	if octets == nil {
		return nil
	}
	return new(locus.EncodeUser(*octets))
}

// SchemePart returns the scheme-specific part of u as written, and its offset.
func SchemePart(u locus.URL) (text string, offset int) {
	return u.SchemePart(), len(u.Scheme()) + 1
}

// Decode decodes the escapes in text. The text must be part of a [locus.URL], so that all
// escapes are valid.
func Decode(text string) string {
	octets, _ := escape.Decode(text)
	return octets
}

// Octet returns the decoded octet at offset i of a URL text. size is the length of the octet's
// text, which is 3 for an escape and 1 otherwise.
func Octet(text string, i int) (o byte, size int) {
	if text[i] == '%' {
		return octet.Unescape(text, i), 3
	}
	return text[i], 1
}

// OctetOffset returns the offset in text of the decoded octet with the index n. text is a part of
// a URL.
func OctetOffset(text string, n int) int {
	i := 0
	for ; n > 0; n-- {
		_, size := Octet(text, i)
		i += size
	}
	return i
}

// DraftPath adds the findings about text as a path of the URI draft. The text begins at
// offset:
//
//	path    = void | segment [ / path ]
//	segment = xpalphas
//
// Only the last segment may therefore be empty.
func (f *Findings) DraftPath(production string, offset int, text string) {
	for {
		segment, rest, more := strings.Cut(text, "/")
		if segment == "" && more {
			f.Add("empty-segment", "URI draft, path", offset, "/", production+": a segment before the last can't be empty")
		}
		f.Chars(production, offset, segment, octet.Xalpha)
		if !more {
			return
		}
		text = rest
		offset += len(segment) + 1
	}
}

// Fault is the reason why a scheme rejects a URL. A Fault is cheap to create, because a
// hostile text may contain thousands of faults.
type Fault struct {
	Err          error  // locus.ErrForm or locus.ErrValue
	Part         string // see locus.SyntaxError
	Offset, Size int    // position of the invalid text in the URL
	Why          string
}

// Error converts the fault to an error about u.
func (x Fault) Error(u locus.URL) *locus.SyntaxError {
	return u.Errorf(x.Offset, x.Part, "%w: %s", x.Err, x.Why)
}

// Fault adds a finding for the fault x. The kind of the finding is Ungrammatical for
// locus.ErrForm, and Impossible for locus.ErrValue.
func (f *Findings) Fault(x Fault, section string) {
	text := f.URL.String()[x.Offset : x.Offset+x.Size]
	if x.Err == locus.ErrForm {
		f.Add("form", section, x.Offset, text, x.Why)
	} else {
		f.Impossible("value", section, x.Offset, text, x.Why)
	}
}

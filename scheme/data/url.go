package data

import (
	"fmt"
	"log/slog"
	"mime"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
)

// URL is a data URL, decoded. The zero URL is invalid.
type URL struct {
	url     locus.URL
	content content
}

// Parse reads u as a data URL. Its base64 must follow RFC 4648 section 4. The error
// is a [*locus.SyntaxError].
func Parse(u locus.URL) (URL, error) {
	if u.Scheme() != "data" {
		return URL{}, u.Errorf(0, "scheme", "%w: not a data URL", locus.ErrForm)
	}
	text, offset := bnf.SchemePart(u)
	var r reader
	if r.read(text); len(r.faults) > 0 {
		f := r.faults[0]
		return URL{}, u.Errorf(offset+f.offset, f.part, "%w: %s", f.err, f.help)
	}
	return URL{u, r.content}, nil
}

// URL returns the URL from which d was parsed.
func (d URL) URL() locus.URL { return d.url }

// MediaType returns the type and subtype in lower case: "text/plain".
func (d URL) MediaType() string { return d.content.mediaType }

// Parameters returns the parameters of the media type as written. The caller must not
// change them.
func (d URL) Parameters() []Parameter { return d.content.parameters }

// Base64 reports whether u writes the data in base64.
func (d URL) Base64() bool { return d.content.base64 }

// Octets returns the decoded data.
func (d URL) Octets() string { return d.content.octets }

// ContentType returns the media type with its parameters, as in a Content-Type field.
func (d URL) ContentType() string {
	parameters := make(map[string]string, len(d.content.parameters))
	for _, p := range d.content.parameters {
		parameters[p.Name] = p.Value
	}
	return mime.FormatMediaType(d.content.mediaType, parameters)
}

// Parts are the decoded parts of a URL.
type Parts struct {
	MediaType  string // "text/plain"; empty means text/plain;charset=US-ASCII
	Parameters []Parameter
	Octets     string
}

// URL returns the URL in canonical form. The error is a [*locus.SyntaxError]: the media
// type or a parameter is malformed, or the URL is too long.
func (p Parts) URL() (URL, error) {
	c := content{mediaType: p.MediaType, parameters: p.Parameters, octets: p.Octets}
	if p.MediaType == "" {
		c.mediaType = plainText
		if p.Parameters == nil {
			c.parameters = []Parameter{{"charset", usASCII}}
		}
	}
	u, err := locus.Parse("data:" + c.spell(escape.Xchar()))
	if err != nil {
		return URL{}, err
	}
	return Parse(u)
}

// Format writes the URL for every verb, with "***" in place of a password: see
// [github.com/locus-url/locus.Mask].
func (d URL) Format(s fmt.State, verb rune) { d.url.Format(s, verb) }

// LogValue returns the URL with "***" in place of a password.
func (d URL) LogValue() slog.Value { return slog.StringValue(d.url.Shown()) }

package data

import (
	"fmt"
	"log/slog"
	"mime"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
)

// URL is a decoded data URL. The zero URL is invalid.
type URL struct {
	url     locus.URL
	content content
}

// Parse parses the URL u as a data URL. Base64 data must follow RFC 4648 section 4. The error is a
// [*locus.SyntaxError].
func Parse(u locus.URL) (URL, error) {
	if u.Scheme() != "data" {
		return URL{}, u.Errorf(0, "scheme", "%w: not a data URL", locus.ErrForm)
	}
	text, offset := bnf.SchemePart(u)
	var r reader
	if r.parse(text); len(r.faults) > 0 {
		f := r.faults[0]
		return URL{}, u.Errorf(offset+f.offset, f.part, "%w: %s", f.err, f.help)
	}
	return URL{u, r.content}, nil
}

// URL returns the URL that was parsed.
func (d URL) URL() locus.URL { return d.url }

// MediaType returns the type and subtype in lower case, such as "text/plain".
func (d URL) MediaType() string { return d.content.mediaType }

// Parameters returns the parameters of the media type as written. The caller must not
// change them.
func (d URL) Parameters() []Parameter { return d.content.parameters }

// Base64 reports whether the data is encoded in base64.
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

// URL returns the URL in canonical form. It returns a [*locus.SyntaxError] if the media type or a
// parameter is malformed, or if the URL is too long.
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

// Format writes the URL for every verb, and replaces a password with "***". See
// [github.com/locus-url/locus.Mask].
func (d URL) Format(s fmt.State, verb rune) { d.url.Format(s, verb) }

// LogValue returns the URL, in which "***" replaces a password.
func (d URL) LogValue() slog.Value { return slog.StringValue(d.url.Shown()) }

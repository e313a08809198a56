package show

import (
	"io"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/charset"
)

// showText returns a writer that shows text of that media type on w: decoded from its
// charset, and safe for a terminal. The caller must call done at the end of the text.
func (v *Viewer) showText(w io.Writer, f Found, mediaType string) (text io.Writer, done func()) {
	safe := &safeWriter{w: w}
	name := charset.OfType(mediaType)
	switch {
	case !charset.IsKnown(name):
		v.NoteLater("%s: unknown charset %s: octets that are not UTF-8 are shown as escapes", f.Asked.Redacted(), locus.Quote(name))
	case !charset.IsUTF8(name):
		decoder := charset.NewWriter(name, safe)
		seen := &asciiCheck{w: decoder}
		return seen, func() {
			decoder.Close()
			safe.Close()
			if seen.other {
				v.NoteLater("%s: decoded from %s", f.Asked.Redacted(), locus.Quote(name))
			}
		}
	}
	return safe, func() { safe.Close() }
}

// asciiCheck notes whether a text has octets beyond US-ASCII.
type asciiCheck struct {
	w     io.Writer
	other bool
}

func (c *asciiCheck) Write(p []byte) (int, error) {
	for _, octet := range p {
		c.other = c.other || octet >= utf8.RuneSelf
	}
	return c.w.Write(p)
}

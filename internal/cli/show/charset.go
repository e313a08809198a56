package show

import (
	"io"
	"mime"
	"strings"
	"unicode/utf8"

	"github.com/locus-url/locus"
)

// latin1 is ISO Latin 1, as media types name it.
const latin1 = "iso-8859-1"

// showText returns a writer that decodes text of a media type by its charset and makes
// it safe for the terminal w. done flushes it.
func (v *Viewer) showText(w io.Writer, f Found, mediaType string) (text io.Writer, done func()) {
	safe := &safeWriter{w: w}
	_, parameters, _ := mime.ParseMediaType(mediaType)
	switch charset := strings.ToLower(parameters["charset"]); charset {
	case latin1, "iso_8859-1", "latin1", "l1":
		decoder := &latin1Writer{w: safe}
		return decoder, func() {
			safe.Close()
			if decoder.met {
				v.NoteLater("%s: shown as ISO Latin 1", f.Asked.Redacted())
			}
		}
	case "", "utf-8", "utf8", "us-ascii", "ascii":
	default:
		v.NoteLater("%s: unknown charset %s; octets that are not UTF-8 are shown as escapes", f.Asked.Redacted(), locus.Quote(charset))
	}
	return safe, func() { safe.Close() }
}

// latin1Writer converts ISO Latin 1 to UTF-8.
type latin1Writer struct {
	w   io.Writer
	met bool // an octet that US-ASCII does not have
}

func (l *latin1Writer) Write(p []byte) (int, error) {
	text := make([]byte, 0, len(p)+len(p)/8)
	for _, octet := range p {
		l.met = l.met || octet >= utf8.RuneSelf
		text = utf8.AppendRune(text, rune(octet))
	}
	if _, err := l.w.Write(text); err != nil {
		return 0, err
	}
	return len(p), nil
}

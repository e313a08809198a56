// Package charset decodes text in the charsets of mail and the web to UTF-8.
//
// Charset names in the WHATWG Encoding Standard take precedence over IANA names, because text with
// the label iso-8859-1 or gb2312 often contains characters that exist only in windows-1252 or gbk.
// Text in an unknown charset is read as UTF-8, and invalid UTF-8 in the text as ISO Latin 1.
package charset

import (
	"bytes"
	"io"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/locus-url/locus/internal/octet"
)

// lookup returns the encoding with the given name. The encoding is nil for US-ASCII, for an empty
// name, and for the name that RFC 1428 defines for an unknown charset. If lookup does not know the
// name, ok is false.
func lookup(name string) (e encoding.Encoding, ok bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	switch name {
	case "", "us-ascii", "ascii", "unknown-8bit":
		return nil, true
	case "utf-7", "csutf7", "unicode-1-1-utf-7", "csunicode11utf7":
		return utf7{}, true
	case "utf-16":
		// Browsers decode utf-16 as little endian, but RFC 2781 section 4.3 requires big endian.
		return unicode.UTF16(unicode.BigEndian, unicode.UseBOM), true
	}
	if e, err := htmlindex.Get(name); err == nil && e != encoding.Replacement {
		return e, true
	}
	for _, index := range []*ianaindex.Index{ianaindex.MIME, ianaindex.IANA} {
		if e, err := index.Encoding(name); err == nil && e != nil {
			return e, true
		}
	}
	return nil, false
}

func decoder(name string) transform.Transformer {
	if e, _ := lookup(name); e != nil {
		return e.NewDecoder()
	}
	return guess{}
}

// IsKnown reports whether the charset with the given name is supported. For the empty name, it
// returns true.
func IsKnown(name string) bool {
	_, ok := lookup(name)
	return ok
}

// IsUTF8 reports whether valid text in the charset is also valid UTF-8. The result is true for
// UTF-8, US-ASCII and the empty name.
func IsUTF8(name string) bool {
	e, ok := lookup(name)
	return ok && (e == nil || e == unicode.UTF8)
}

// IsUTF7 reports whether name is a name of UTF-7.
func IsUTF7(name string) bool {
	e, _ := lookup(name)
	return e == utf7{}
}

// OfType returns the charset of a media type, or "".
func OfType(mediaType string) string {
	_, params, _ := mime.ParseMediaType(mediaType)
	return params["charset"]
}

// Decode converts octets from the charset with the given name to UTF-8. Malformed characters
// become U+FFFD. If the charset is unknown, ok is false and text is the result of [Text].
func Decode(name, octets string) (text string, ok bool) {
	e, ok := lookup(name)
	if e == nil {
		return Text(octets), ok
	}
	text, err := e.NewDecoder().String(octets)
	return text, err == nil
}

// Text converts octets in an unknown charset to UTF-8. Text reads octets as ISO Latin 1 if they
// are not valid UTF-8.
func Text(octets string) string { return octet.Text(octets) }

// NewReader returns a reader that converts the text in r from the charset with the given name to
// UTF-8. If the name is empty or unknown, the reader decodes each byte that is not part of a UTF-8
// character as ISO Latin 1. The parameter size is the approximate size of the text, or negative if
// the size is unknown. NewReader reads a short text at once, without larger buffers.
func NewReader(name string, r io.Reader, size int64) io.Reader {
	const short = 4 << 10
	if size < 0 || size > short {
		return transform.NewReader(r, decoder(name))
	}
	octets, err := io.ReadAll(r)
	text, _, _ := transform.Bytes(decoder(name), octets) // malformed characters cause no error
	if err == nil {
		return bytes.NewReader(text)
	}
	return io.MultiReader(bytes.NewReader(text), failed{err})
}

// failed is a reader that always returns an error.
type failed struct{ err error }

func (f failed) Read([]byte) (int, error) { return 0, f.err }

// NewWriter returns a writer that converts text like [NewReader] and writes the result to w. The
// caller must call Close, which writes the rest of the text and does not close w.
func NewWriter(name string, w io.Writer) io.WriteCloser {
	return transform.NewWriter(w, decoder(name))
}

// guess decodes UTF-8, and decodes all other bytes as ISO Latin 1. Unlike [Text], guess decides
// for each character separately, so the result does not depend on the sizes of the reads from a
// stream.
type guess struct{ transform.NopResetter }

func (guess) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		r, size := utf8.DecodeRune(src[nSrc:])
		if r == utf8.RuneError && size == 1 {
			if !atEOF && !utf8.FullRune(src[nSrc:]) {
				return nDst, nSrc, transform.ErrShortSrc
			}
			r = rune(src[nSrc])
		}
		if len(dst)-nDst < utf8.RuneLen(r) {
			return nDst, nSrc, transform.ErrShortDst
		}
		nDst += utf8.EncodeRune(dst[nDst:], r)
		nSrc += size
	}
	return nDst, nSrc, nil
}

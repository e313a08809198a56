package message

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/transform"
)

// charset returns the encoding that name stands for. It is nil for US-ASCII, for
// no name at all, and for the name that RFC 1428 has for what nobody knows: such
// texts are read by [guess]. ok is false if name means nothing to us.
func charset(name string) (e encoding.Encoding, ok bool) {
	name = strings.ToLower(strings.TrimSpace(name))
	if isUTF7(name) {
		return utf7{}, true
	}
	switch name {
	case "", "us-ascii", "ascii", "unknown-8bit":
		return nil, true
	case "utf-16":
		// The web reads it as little endian; RFC 2781 section 4.3 doesn't.
		e, err := ianaindex.MIME.Encoding(name)
		return e, err == nil
	}
	// The web's names come first: they know what mail programs write, and that text
	// called iso-8859-1 or gb2312 is often of the larger sets windows-1252 and gbk.
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

// isCharset reports whether name is a charset that we read.
func isCharset(name string) bool {
	_, ok := charset(name)
	return ok
}

// decodeCharset returns octets as UTF-8. ok is false if the charset is unknown.
func decodeCharset(name, octets string) (text string, ok bool) {
	e, ok := charset(name)
	if !ok {
		return "", false
	}
	if e == nil {
		return text8(octets), true
	}
	text, err := e.NewDecoder().String(octets)
	return text, err == nil
}

// text8 returns octets of which no charset is known: as UTF-8 if they are that, else
// as ISO Latin 1.
func text8(octets string) string {
	if utf8.ValidString(octets) {
		return octets
	}
	var b strings.Builder
	b.Grow(len(octets) + len(octets)/4)
	for i := 0; i < len(octets); i++ {
		b.WriteRune(rune(octets[i]))
	}
	return b.String()
}

// utf8Reader returns a text of that charset as UTF-8. One of an unknown charset is
// read by [guess]. size is about how many octets r has.
func utf8Reader(name string, r io.Reader, size int64) io.Reader {
	var t transform.Transformer = guess{}
	if e, _ := charset(name); e != nil {
		t = e.NewDecoder()
	}
	// The buffers of a transform.Reader are larger than most texts.
	const small = 4 << 10
	if size <= small {
		return &smallText{r: r, t: t}
	}
	return transform.NewReader(r, t)
}

// smallText is a short text, which is read as a whole at the first Read.
type smallText struct {
	r    io.Reader
	t    transform.Transformer
	text []byte
	err  error // after text; nil before the first Read
}

func (s *smallText) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if s.err == nil {
		octets, err := io.ReadAll(s.r)
		if s.err = err; err == nil {
			s.err = io.EOF
		}
		if s.text, _, err = transform.Bytes(s.t, octets); err != nil && s.err == io.EOF {
			s.err = err
		}
	}
	if len(s.text) == 0 {
		return 0, s.err
	}
	n := copy(p, s.text)
	s.text = s.text[n:]
	return n, nil
}

// guess is [text8] for a text that is not at hand as a whole: each character that is
// UTF-8 as such, and each other octet as ISO Latin 1.
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

// oneLine returns text with a space for each line end, so that what a field says can't
// be taken for a line of its own. Other controls stay.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '\r', '\n', '\v', '\f', '\u0085', '\u2028', '\u2029':
			return ' '
		}
		return r
	}, text)
}

// isHidden reports whether r can't be seen, or changes how what is around it is seen.
func isHidden(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' || r == '\ufeff'
}

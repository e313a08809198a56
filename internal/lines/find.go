package lines

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/locus-url/locus/internal/jsonpath"
)

// ErrNoURL is the error of [Finder.Find] for a line that needs no URL, such as the header of a CDX
// file. It is not a failure, and callers should leave the line unchanged.
var ErrNoURL = errors.New("the line has no URL")

// Finder finds the URL in a line. For a nil Finder, the whole line is the URL. A Finder may be used
// concurrently.
type Finder struct{ form }

type form interface {
	find(line []byte) (start, end int, err error)
	decode(buf, text []byte) ([]byte, error)
	append(dst []byte, url string) []byte
}

// Find returns the position of the URL in the given line, which must not include its line
// end. The error is [ErrNoURL] or describes the missing part.
func (f *Finder) Find(line []byte) (start, end int, err error) {
	if f == nil {
		return 0, len(line), nil
	}
	return f.find(line)
}

// Decode decodes the URL at the position from Find. The result is a part of text or, if text
// contains escapes, of *buf, which grows as needed.
func (f *Finder) Decode(buf *[]byte, text []byte) ([]byte, error) {
	if f == nil {
		return text, nil
	}
	url, err := f.decode((*buf)[:0], text)
	if err == nil && len(url) < len(text)-len(`""`) {
		*buf = url // url is shorter than the text, so the text had escapes and url is in the buffer
	}
	return url, err
}

// Append appends a URL encoded to replace the text at the position from Find.
func (f *Finder) Append(dst []byte, url string) []byte {
	if f == nil {
		return append(dst, url...)
	}
	return f.append(dst, url)
}

// Field returns a Finder for field n of a line. n counts from 1, or from the end with -1 as the
// last field. The text in delimiter separates the fields, as in cut(1). With the delimiters ","
// and ";", lines are CSV (RFC 4180): fields may be quoted but must not contain a line end.
func Field(n int, delimiter string) (*Finder, error) {
	switch {
	case n == 0:
		return nil, errors.New("field 0 does not exist: count from 1, or from the end with -1")
	case delimiter == "":
		return nil, errors.New("the delimiter must not be empty")
	case strings.ContainsAny(delimiter, "\r\n"):
		return nil, errors.New("a line end can't be the delimiter")
	}
	f := field{n, []byte(delimiter)}
	if isCSV(delimiter) {
		return &Finder{csv{f}}, nil
	}
	return &Finder{f}, nil
}

// Key returns a Finder for the string at a path in a JSON line ([jsonpath.Parse]).
func Key(path string) (*Finder, error) {
	p, err := jsonpath.Parse(path)
	if err != nil {
		return nil, err
	}
	return &Finder{key{p}}, nil
}

// key finds the URL in JSON lines.
type key struct{ path jsonpath.Path }

func (k key) find(line []byte) (start, end int, err error) {
	start, end, err = k.path.Find(line)
	switch {
	case errors.Is(err, jsonpath.ErrMissing):
		return 0, 0, fmt.Errorf("the line has no %s", k.path)
	case err != nil:
		return 0, 0, err
	case line[start] != '"':
		return 0, 0, fmt.Errorf("%s is %s, not a string", k.path, kindOf(line[start]))
	}
	return start, end, nil
}

func kindOf(c byte) string {
	switch c {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

func (key) decode(buf, text []byte) ([]byte, error) { return jsonpath.Unquote(buf, text) }
func (key) append(dst []byte, url string) []byte {
	return jsonpath.AppendQuoted(dst, strings.ToValidUTF8(url, string(utf8.RuneError)))
}

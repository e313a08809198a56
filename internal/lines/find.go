package lines

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/locus-url/locus/internal/jsonpath"
)

// ErrNoURL means that a line has no URL, and needs none. An example is the header of a CDX
// file. ErrNoURL is not a failure, and callers should leave the line unchanged.
var ErrNoURL = errors.New("the line has no URL")

// Finder finds the URL in a line. A nil Finder means that the whole line is the URL. A Finder
// may be used concurrently.
type Finder struct{ form }

type form interface {
	find(line []byte) (start, end int, err error)
	decode(buf, text []byte) ([]byte, error)
	append(dst []byte, url string) []byte
}

// Find returns the start and end of the URL in the given line, which must not include the line
// end. Find returns [ErrNoURL] for a line that needs no URL. Any other error describes the
// missing part.
func (f *Finder) Find(line []byte) (start, end int, err error) {
	if f == nil {
		return 0, len(line), nil
	}
	return f.find(line)
}

// Decode decodes text, which must be the part of a line that Find returned. The result is a
// part of text. If text contains escapes, the result is instead a part of *buf, which grows as
// needed.
func (f *Finder) Decode(buf *[]byte, text []byte) ([]byte, error) {
	if f == nil {
		return text, nil
	}
	url, err := f.decode((*buf)[:0], text)
	if err == nil && len(url) < len(text)-len(`""`) {
		*buf = url // url is shorter than text, so text contained escapes and url is in the buffer
	}
	return url, err
}

// Append encodes url so that it can replace the part of a line that Find returned. Append
// appends the result to dst.
func (f *Finder) Append(dst []byte, url string) []byte {
	if f == nil {
		return append(dst, url...)
	}
	return f.append(dst, url)
}

// Field returns a Finder for field n of a line. The first field is 1, and the last field is
// -1. The delimiter separates fields, as in cut(1). If the delimiter is "," or ";", lines are
// CSV (RFC 4180). A CSV field may be quoted, but must not contain a line end.
func Field(n int, delimiter string) (*Finder, error) {
	switch {
	case n == 0:
		return nil, errors.New("field 0 does not exist: count from 1, or from the end with -1")
	case delimiter == "":
		return nil, errors.New("the delimiter must not be empty")
	case strings.ContainsAny(delimiter, "\r\n"):
		return nil, errors.New("a line end can't be the delimiter")
	}
	f := fieldFinder{n, []byte(delimiter)}
	if isCSV(delimiter) {
		return &Finder{csvFinder{f}}, nil
	}
	return &Finder{f}, nil
}

// Key returns a Finder for the string at a path in a JSON line. The path must have the syntax
// of [jsonpath.Parse].
func Key(path string) (*Finder, error) {
	p, err := jsonpath.Parse(path)
	if err != nil {
		return nil, err
	}
	return &Finder{keyFinder{p}}, nil
}

// keyFinder finds the URL in JSON lines.
type keyFinder struct{ path jsonpath.Path }

func (k keyFinder) find(line []byte) (start, end int, err error) {
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

func (keyFinder) decode(buf, text []byte) ([]byte, error) { return jsonpath.Unquote(buf, text) }
func (keyFinder) append(dst []byte, url string) []byte {
	return jsonpath.AppendQuoted(dst, strings.ToValidUTF8(url, string(utf8.RuneError)))
}

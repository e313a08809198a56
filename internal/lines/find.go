package lines

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/locus-url/locus/internal/jsonpath"
)

// ErrNoURL is the error of [Finder.Find] for a line that has no URL and needs none, such as
// the header of a CDX file. It is not a failure: the line stays as it is.
var ErrNoURL = errors.New("the line has no URL")

// Finder finds the URL in a line. A nil Finder takes the whole line. It may be used
// concurrently.
type Finder struct{ form }

// form is a form of lines.
type form interface {
	find(line []byte) (start, end int, err error)
	decode(buf, text []byte) ([]byte, error)
	append(dst []byte, url string) []byte
}

// Find returns where in line the URL is written. line has no line end. The error is
// [ErrNoURL] or says what the line lacks.
func (f *Finder) Find(line []byte) (start, end int, err error) {
	if f == nil {
		return 0, len(line), nil
	}
	return f.find(line)
}

// Decode returns the URL that is written as text, where Find found it. The result is a part
// of text, or in *buf, which grows, if text has escapes.
func (f *Finder) Decode(buf *[]byte, text []byte) ([]byte, error) {
	if f == nil {
		return text, nil
	}
	url, err := f.decode((*buf)[:0], text)
	if err == nil && len(url) < len(text)-len(`""`) {
		*buf = url // an escape is longer than what it stands for
	}
	return url, err
}

// Append appends a URL as it is written in place of what Find found.
func (f *Finder) Append(dst []byte, url string) []byte {
	if f == nil {
		return append(dst, url...)
	}
	return f.append(dst, url)
}

// Field returns a Finder of field n of a line, from 1, or from the end: -1 is the last.
// The fields have delimiter between them, as cut(1) has it. "," and ";" are for CSV (RFC
// 4180): a field may be in quotes, but not contain a line end.
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

// Key returns a Finder of the string at a path in a line of JSON ([jsonpath.Parse]).
func Key(path string) (*Finder, error) {
	p, err := jsonpath.Parse(path)
	if err != nil {
		return nil, err
	}
	return &Finder{key{p}}, nil
}

// key is the form of lines of JSON.
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

// kindOf names the kind of a value of JSON by its first octet.
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

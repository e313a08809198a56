package lines

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/locus-url/locus/internal/jsonpath"
)

// cdxFinder finds the URL in CDX lines, whose fields the header of the file names.
type cdxFinder struct {
	fieldFinder
	header string // header of the file, or empty if the file has none
}

const (
	// cdxMark is the text between the delimiter and the letters in a CDX header.
	cdxMark = "CDX"
	// cdxURL is the letter that names the field with the original URL.
	cdxURL = "a"
	// cdxURLField is the number of the field with the original URL in a file without a header.
	// The field always follows the sort key and the date.
	cdxURLField = 3
	// dateLength is the length of a date such as 20260102030405.
	dateLength = 14
)

// newCDX returns a Finder for a CDX file with the given first line.
func newCDX(line []byte) (*Finder, error) {
	if !isCDXHeader(line) {
		return &Finder{cdxFinder{fieldFinder{cdxURLField, []byte{' '}}, ""}}, nil
	}
	n := 0
	for i, letter := range bytes.Split(line[1:], line[:1]) {
		if string(letter) == cdxURL {
			n = i // use the last such field, because wget also writes the URL as the sort key
		}
	}
	if n == 0 {
		return nil, fmt.Errorf("the header of this CDX file has no field %q (the URL)", cdxURL)
	}
	return &Finder{cdxFinder{fieldFinder{n, bytes.Clone(line[:1])}, string(line)}}, nil
}

// isCDXHeader reports whether line is a CDX header, which consists of a delimiter, "CDX", and
// letters. The same delimiter precedes each letter.
func isCDXHeader(line []byte) bool {
	const first = 1 + len(cdxMark)
	return len(line) > first && (line[0] == ' ' || line[0] == '\t') && string(line[1:first]) == cdxMark && line[first] == line[0]
}

// isCDX reports whether line could be a line of a CDX file without a header. Such a line
// begins with a sort key, a date and a URL.
func isCDX(line []byte) bool {
	f := bytes.SplitN(line, []byte{' '}, cdxURLField+1)
	return len(f) >= cdxURLField && len(f[0]) > 0 && isDate(f[1]) && len(f[2]) > 0 && f[2][0] != '{'
}

func isDate(text []byte) bool {
	return len(text) == dateLength && len(bytes.Trim(text, "0123456789")) == 0
}

func (c cdxFinder) find(line []byte) (start, end int, err error) {
	if isCDXHeader(line) {
		if string(line) != c.header {
			return 0, 0, errors.New("unexpected CDX header: only the first line may be a header")
		}
		return 0, 0, ErrNoURL
	}
	start, end, err = c.fieldFinder.find(line)
	if err == nil && string(line[start:end]) == "-" {
		err = fmt.Errorf(`field %d, the URL, is "-"`, c.n)
	}
	return start, end, err
}

// cdxjFinder finds the URL in CDXJ lines. A line consists of a sort key, a date, and JSON. The
// URL is the JSON member "url". In the older OpenWayback format, the URL is the member "uri".
type cdxjFinder struct{ url, uri keyFinder }

func newCDXJ() *Finder {
	return &Finder{cdxjFinder{keyFinder{jsonpath.Names("url")}, keyFinder{jsonpath.Names("uri")}}}
}

// isCDXJ reports whether line could be a line of a CDXJ file.
func isCDXJ(line []byte) bool {
	name, rest, _ := bytes.Cut(line, []byte{' '})
	date, _, _ := bytes.Cut(rest, []byte{' '})
	return isCDXJHeader(line) && (bytes.Contains(line, []byte("CDXJ")) || bytes.Contains(line, cdxjBlock)) || len(name) > 0 && (isDate(date) || isLongDate(date)) && bytes.Contains(rest, cdxjBlock)
}

// isCDXJHeader reports whether line is a header line, such as "!OpenWayback-CDXJ 1.0".
func isCDXJHeader(line []byte) bool { return len(line) > 1 && line[0] == '!' }

// isLongDate reports whether text is a date in OpenWayback's format, such as
// 2026-01-02T03:04:05Z.
func isLongDate(text []byte) bool {
	_, err := time.Parse(time.RFC3339, string(text))
	return err == nil
}

// cdxjBlock is the text with which the JSON of a line begins. Sort keys and dates contain no
// spaces.
var cdxjBlock = []byte(" {")

func (c cdxjFinder) find(line []byte) (start, end int, err error) {
	if isCDXJHeader(line) {
		return 0, 0, ErrNoURL
	}
	at := bytes.Index(line, cdxjBlock) + 1
	if at == 0 {
		return 0, 0, errors.New("not a CDXJ line: write a sort key, a date and a JSON object")
	}
	start, end, err = c.url.find(line[at:])
	if err != nil {
		if s, e, uriErr := c.uri.find(line[at:]); uriErr == nil {
			start, end, err = s, e, nil
		}
	}
	return at + start, at + end, err
}

func (cdxjFinder) decode(buf, text []byte) ([]byte, error) { return keyFinder{}.decode(buf, text) }
func (cdxjFinder) append(dst []byte, url string) []byte    { return keyFinder{}.append(dst, url) }

package lines

import (
	"bytes"
	"fmt"
	"strings"
)

// fieldFinder finds the URL in lines with fields. The URL is in field n, where 1 means the first
// field and -1 the last field.
type fieldFinder struct {
	n         int
	delimiter []byte
}

func (f fieldFinder) find(line []byte) (start, end int, err error) {
	if f.n < 0 {
		return f.fromEnd(line)
	}
	for i := 1; ; i++ {
		length := bytes.Index(line[start:], f.delimiter)
		switch {
		case length < 0 && i < f.n:
			return 0, 0, f.missingField(i)
		case length < 0:
			return start, len(line), nil
		case i == f.n:
			return start, start + length, nil
		}
		start += length + len(f.delimiter)
	}
}

func (f fieldFinder) fromEnd(line []byte) (start, end int, err error) {
	end = len(line)
	for i := -1; ; i-- {
		at := bytes.LastIndex(line[:end], f.delimiter)
		switch {
		case at < 0 && i > f.n:
			return 0, 0, f.missingField(-i)
		case at < 0:
			return 0, end, nil
		case i == f.n:
			return at + len(f.delimiter), end, nil
		}
		end = at
	}
}

// isCSV reports whether fields that the delimiter separates may be quoted.
func isCSV(delimiter string) bool { return delimiter == "," || delimiter == ";" }

// missingField returns the error for a line with too few fields.
func (f fieldFinder) missingField(fields int) error {
	if fields == 1 {
		return fmt.Errorf("the line has no field %d: it has 1 field", f.n)
	}
	return fmt.Errorf("the line has no field %d: it has %d fields", f.n, fields)
}

func (fieldFinder) decode(_, text []byte) ([]byte, error) { return text, nil }
func (fieldFinder) append(dst []byte, url string) []byte  { return append(dst, url...) }

// csvFinder finds the URL in lines with fields that may be quoted (RFC 4180). The accepted lines
// are the same as for encoding/csv, except that a field can't contain a line end.
type csvFinder struct{ fieldFinder }

func (c csvFinder) find(line []byte) (start, end int, err error) {
	n := c.n
	if n < 0 {
		fields := 1
		for start, end = 0, 0; ; fields++ {
			if end, err = c.fieldEnd(line, start); err != nil {
				return 0, 0, err
			}
			if end == len(line) {
				break
			}
			start = end + 1
		}
		if n += fields + 1; n < 1 {
			return 0, 0, c.missingField(fields)
		}
		start = 0
	}
	for i := 1; ; i++ {
		end, err = c.fieldEnd(line, start)
		switch {
		case err != nil:
			return 0, 0, err
		case i == n:
			return start, end, nil
		case end == len(line):
			return 0, 0, c.missingField(i)
		}
		start = end + 1
	}
}

// fieldEnd returns the end of the field that begins at start.
func (c csvFinder) fieldEnd(line []byte, start int) (int, error) {
	if start < len(line) && line[start] == '"' {
		return c.quotedEnd(line, start)
	}
	length := bytes.IndexByte(line[start:], c.delimiter[0])
	if length < 0 {
		length = len(line) - start
	}
	if quote := bytes.IndexByte(line[start:start+length], '"'); quote >= 0 {
		return 0, fmt.Errorf("byte %d: a quote inside an unquoted field", start+quote)
	}
	return start + length, nil
}

func (c csvFinder) quotedEnd(line []byte, start int) (int, error) {
	for at := start + 1; ; {
		length := bytes.IndexByte(line[at:], '"')
		if length < 0 {
			return 0, fmt.Errorf("byte %d: the quote is not closed on this line", start)
		}
		at += length + 1
		switch {
		case at == len(line) || line[at] == c.delimiter[0]:
			return at, nil
		case line[at] != '"':
			return 0, fmt.Errorf("byte %d: text after the closing quote: write a quote in a field as two quotes", at)
		}
		at++
	}
}

func (c csvFinder) decode(buf, text []byte) ([]byte, error) {
	if len(text) == 0 || text[0] != '"' {
		return text, nil
	}
	inner := text[1 : len(text)-1]
	at := bytes.IndexByte(inner, '"')
	if at < 0 {
		return inner, nil
	}
	for ; at >= 0; at = bytes.IndexByte(inner, '"') {
		buf = append(buf, inner[:at+1]...)
		inner = inner[at+2:] // two quotes mean one quote within the field
	}
	return append(buf, inner...), nil
}

func (c csvFinder) append(dst []byte, url string) []byte {
	if !strings.ContainsAny(url, "\"\r\n ") && strings.IndexByte(url, c.delimiter[0]) < 0 {
		return append(dst, url...)
	}
	dst = append(dst, '"')
	for i := range len(url) {
		if url[i] == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, url[i])
	}
	return append(dst, '"')
}

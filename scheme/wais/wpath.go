package wais

import (
	"iter"
	"math"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf"
)

// Form is the syntax of a wpath.
type Form uint8

const (
	NoDocument  Form = iota // no wpath, because the URL names a database or a search
	LengthForm              // a length in bytes, "/", and fields, as in programs of the 1990s
	FieldsForm              // fields, as in the URI draft
	EscapedForm             // fields with "=", ";" and "/" escaped, as in RFC 1738
	OpaqueForm              // the octets of a document-id that does not consist of fields
)

func (f Form) String() string {
	return [...]string{"no document", "length and fields", "fields", "escaped fields", "opaque"}[f]
}

// Field is one element of a document-id. Fields 1 to 3 are the original server, database and
// local id. Fields 4 to 6 are the distributor's server, database and local id. Field 7 is the
// copyright.
type Field struct {
	Number  int
	Content string // contents, which may be any octets
}

// maxField is the largest valid field number. maxFields is the maximum number of fields in a
// document-id.
const (
	maxField  = 127
	maxFields = 16
)

type reading struct {
	form   Form
	length int64  // length in LengthForm; math.MaxInt64 if the length is too large
	list   string // the encoded fields
	offset int    // offset of list in the wpath
}

// readWpath determines the first form that matches the wpath.
func readWpath(wpath string) reading {
	length, size := parseNumber(wpath, 0)
	if size > 0 && strings.HasPrefix(wpath[size:], "/") && isList(wpath[size+1:], false) {
		return reading{form: LengthForm, length: length, list: wpath[size+1:], offset: size + 1}
	}
	switch {
	case isList(wpath, false):
		return reading{form: FieldsForm, list: wpath}
	case isList(wpath, true) && isValidList(wpath):
		return reading{form: EscapedForm, list: wpath}
	}
	return reading{form: OpaqueForm}
}

type writtenField struct {
	number  int // field number; maxField + 1 if the number is too large
	content string
	size    int // number of characters in the list, including the ";"
}

// fieldAt parses the field "digits=contents;" at index i. If escaped is true, "=" and ";"
// may be escaped. The last ";" may be missing.
func fieldAt(list string, i int, escaped bool) (f writtenField, ok bool) {
	n, size := parseNumber(list, i)
	start := i
	i += size
	equals, ok := delimiterAt(list, i, '=', escaped)
	if size == 0 || !ok {
		return writtenField{}, false
	}
	i += equals
	content := i
	for i < len(list) {
		if semicolon, ok := delimiterAt(list, i, ';', escaped); ok {
			return writtenField{int(min(n, maxField+1)), list[content:i], i + semicolon - start}, true
		}
		_, size := bnf.Octet(list, i)
		i += size
	}
	return writtenField{int(min(n, maxField+1)), list[content:], i - start}, true
}

// delimiterAt reports whether text contains the character c at index i. If escaped is true, c
// may be escaped. The size is the length of c or of its escape.
func delimiterAt(text string, i int, c byte, escaped bool) (size int, ok bool) {
	if i == len(text) {
		return 0, false
	}
	o, size := bnf.Octet(text, i)
	return size, o == c && (escaped || size == 1)
}

// parseNumber parses the decimal digits at index i. The digits may be escaped. If there are no
// digits, size is 0. For numbers above math.MaxInt64, n is math.MaxInt64.
func parseNumber(text string, i int) (n int64, size int) {
	start := i
	for i < len(text) {
		o, size := bnf.Octet(text, i)
		if o < '0' || o > '9' {
			break
		}
		if d := int64(o - '0'); n > (math.MaxInt64-d)/10 {
			n = math.MaxInt64
		} else {
			n = n*10 + d
		}
		i += size
	}
	return n, i - start
}

// isList reports whether text is a list of at least one field.
func isList(text string, escaped bool) bool {
	for i := 0; i < len(text); {
		f, ok := fieldAt(text, i, escaped)
		if !ok {
			return false
		}
		i += f.size
	}
	return text != ""
}

// isValidList reports whether a document-id can contain the fields of a list with escaped
// delimiters. If it cannot, the wpath is opaque, because RFC 1738 allows any octets in a
// document-id.
func isValidList(list string) bool {
	n := 0
	for f := range (reading{form: EscapedForm, list: list}).fields {
		if n++; n > maxFields || f.number < 1 || f.number > maxField {
			return false
		}
	}
	return true
}

func (r reading) fields(yield func(writtenField) bool) {
	for i := 0; i < len(r.list); {
		f, ok := fieldAt(r.list, i, r.form == EscapedForm)
		if !ok || !yield(f) {
			return
		}
		i += f.size
	}
}

func (r reading) decoded() (list []Field) {
	for f := range r.fields {
		list = append(list, Field{Number: f.number, Content: bnf.Decode(f.content)})
	}
	return list
}

// faults yields the faults in a list of fields, in order of offset. The argument offset is the
// offset of the wpath in the URL.
func (r reading) faults(offset int) iter.Seq[bnf.Fault] {
	return func(yield func(bnf.Fault) bool) {
		x := bnf.Fault{Err: locus.ErrValue, Part: "length", Offset: offset, Size: r.offset, Why: "the length must be below 9223372036854775807"}
		if r.length == math.MaxInt64 && !yield(x) {
			return
		}
		at, n := offset+r.offset, 0
		for f := range r.fields {
			x := bnf.Fault{Err: locus.ErrValue, Part: "digits", Offset: at, Size: f.size, Why: "the number of a field must be 1 to 127"}
			if (f.number < 1 || f.number > maxField) && !yield(x) {
				return
			}
			if n++; n == maxFields+1 {
				x.Part, x.Why = "wpath", "a document-id has at most 16 fields"
				if !yield(x) {
					return
				}
			}
			at += f.size
		}
	}
}

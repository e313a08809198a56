package wais

import (
	"iter"
	"math"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf"
)

// Form tells how a wpath is read.
type Form uint8

const (
	NoDocument  Form = iota // there is no wpath: a database, or a search
	LengthForm              // a length in octets, "/", and fields, as programs wrote it
	FieldsForm              // fields, as the URI draft has it
	EscapedForm             // fields, with their "=", ";" and "/" escaped, as RFC 1738 must have them
	OpaqueForm              // the octets of the document-id
)

func (f Form) String() string {
	return [...]string{"no document", "length and fields", "fields", "escaped fields", "opaque"}[f]
}

// Field is one element of a document-id: 1 to 3 name the document's first
// server, database and local id, 4 to 6 the same of the server that has it, 7
// its copyright.
type Field struct {
	Number  int
	Content string // octets
}

// MaxField is the highest number of a field, and MaxFields the most fields of a
// document-id that is written as a list.
const (
	MaxField  = 127
	MaxFields = 16
)

// reading is how a wpath, as it stands in the URL, is read.
type reading struct {
	form   Form
	length int64  // of LengthForm; math.MaxInt64: that or more
	list   string // the fields, as they stand
	offset int    // of list in the wpath
}

// read finds the first form that the wpath fits.
func read(wpath string) reading {
	length, size := number(wpath, 0)
	if size > 0 && strings.HasPrefix(wpath[size:], "/") && isList(wpath[size+1:], false) {
		return reading{form: LengthForm, length: length, list: wpath[size+1:], offset: size + 1}
	}
	switch {
	case isList(wpath, false):
		return reading{form: FieldsForm, list: wpath}
	case isList(wpath, true) && canBe(wpath):
		return reading{form: EscapedForm, list: wpath}
	}
	return reading{form: OpaqueForm}
}

// item is a field as it stands in a list.
type item struct {
	number  int // MaxField + 1: that or more
	content string
	size    int // characters of the list, with the ";"
}

// itemAt reads the field at i:
//
//	digits "=" contents [ ";" ]
//
// escaped: "=" and ";" count also if they are escaped.
func itemAt(list string, i int, escaped bool) (f item, ok bool) {
	n, size := number(list, i)
	start := i
	i += size
	equals, ok := delimiter(list, i, '=', escaped)
	if size == 0 || !ok {
		return item{}, false
	}
	i += equals
	content := i
	for i < len(list) {
		if semicolon, ok := delimiter(list, i, ';', escaped); ok {
			return item{int(min(n, MaxField+1)), list[content:i], i + semicolon - start}, true
		}
		_, size := bnf.Octet(list, i)
		i += size
	}
	return item{int(min(n, MaxField+1)), list[content:], i - start}, true
}

// delimiter reports whether c is at i, and in how many characters.
func delimiter(text string, i int, c byte, escaped bool) (size int, ok bool) {
	if i == len(text) {
		return 0, false
	}
	o, size := bnf.Octet(text, i)
	return size, o == c && (escaped || size == 1)
}

// number reads the decimal digits at i, escaped or not. size is 0 if there are
// none. The highest result stands for all
// numbers above it, too.
func number(text string, i int) (n int64, size int) {
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

// isList reports whether text is a list of fields, one at least.
func isList(text string, escaped bool) bool {
	for i := 0; i < len(text); {
		f, ok := itemAt(text, i, escaped)
		if !ok {
			return false
		}
		i += f.size
	}
	return text != ""
}

// canBe reports whether a list with escaped delimiters is one that a document-id
// can have. If not, it is no list: RFC 1738 lets a document-id be anything.
func canBe(list string) bool {
	n := 0
	for f := range (reading{form: EscapedForm, list: list}).fields {
		if n++; n > MaxFields || f.number < 1 || f.number > MaxField {
			return false
		}
	}
	return true
}

// fields yields the fields of the list.
func (r reading) fields(yield func(item) bool) {
	for i := 0; i < len(r.list); {
		f, ok := itemAt(r.list, i, r.form == EscapedForm)
		if !ok || !yield(f) {
			return
		}
		i += f.size
	}
}

// faults yields what a document-id can't have, in order. offset is where in the
// URL the wpath begins.
func (r reading) faults(offset int) iter.Seq[bnf.Fault] {
	return func(yield func(bnf.Fault) bool) {
		x := bnf.Fault{Err: locus.ErrValue, Part: "length", Offset: offset, Size: r.offset, Why: "a length is below 9223372036854775807"}
		if r.length == math.MaxInt64 && !yield(x) {
			return
		}
		at, n := offset+r.offset, 0
		for f := range r.fields {
			x := bnf.Fault{Err: locus.ErrValue, Part: "digits", Offset: at, Size: f.size, Why: "a field's number is 1 to 127"}
			if (f.number < 1 || f.number > MaxField) && !yield(x) {
				return
			}
			if n++; n == MaxFields+1 {
				x.Part, x.Why = "wpath", "a document-id has at most 16 fields"
				if !yield(x) {
					return
				}
			}
			at += f.size
		}
	}
}

package prospero

import (
	"fmt"
	"log/slog"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/octet"
)

// Port is the default port (section 3.11).
const Port = 1525

const name = "prospero"

// ObjectVersion is the name of the field that contains the version of an object (section 3.11).
const ObjectVersion = "OBJECT-VERSION"

// URL is a decoded prospero URL. Two URLs are equal (==) if their texts are equal. The zero URL is
// invalid.
type URL struct {
	url                          locus.URL
	hsoname, version, attributes string
}

// Field is a decoded field of a URL. Name and Value may contain any octets.
type Field struct{ Name, Value string }

// Parse parses the URL u as a prospero URL. The error is a [*locus.SyntaxError]. It wraps
// [locus.ErrValue] if the URL contains an invalid %00, and [locus.ErrForm] otherwise.
func Parse(u locus.URL) (URL, error) {
	if err := form(u); err != nil {
		return URL{}, err
	}
	p := split(u)
	for x := range p.faults {
		return URL{}, x.Error(u)
	}
	x := URL{url: u}
	octets := ""
	x.hsoname, octets, _ = strings.Cut(bnf.Decode(p.ppath), "\x00")
	x.version, x.attributes = cutDigits(octets)
	return x, nil
}

// URL returns the URL that was parsed.
func (x URL) URL() locus.URL { return x.url }

// Format writes the URL for every verb, and replaces a password with "***". See
// [github.com/locus-url/locus.Mask].
func (x URL) Format(s fmt.State, verb rune) { x.url.Format(s, verb) }

// LogValue returns the URL, in which "***" replaces a password.
func (x URL) LogValue() slog.Value { return slog.StringValue(x.url.Shown()) }

// Hsoname returns the decoded host-specific object name, without the "/" that separates the host
// from the name.
func (x URL) Hsoname() string { return x.hsoname }

// Version returns the digits of a version that follows %00, as in the URI draft. If there is no
// such version, ok is false. [URL.ObjectVersion] supports both this syntax and the field of RFC
// 1738.
func (x URL) Version() (digits string, ok bool) { return x.version, x.version != "" }

// Attributes returns the decoded text that follows a version after %00. The URI draft does not
// define the meaning of this text.
func (x URL) Attributes() string { return x.attributes }

// Fields returns the fields in order.
func (x URL) Fields() []Field {
	var list []Field
	for f := range split(x.url).fields {
		list = append(list, f.decoded())
	}
	return list
}

// Field returns the value of the first field with the given name. Field names are
// case-insensitive. If there is no such field, ok is false.
func (x URL) Field(name string) (value string, ok bool) {
	for _, f := range x.Fields() {
		if sameName(f.Name, name) {
			return f.Value, true
		}
	}
	return "", false
}

// ObjectVersion returns the version of the object. The version comes from the field
// OBJECT-VERSION, or follows %00 as in the URI draft. If there is no version, or a request cannot
// contain the version, ok is false.
func (x URL) ObjectVersion() (n int32, ok bool) {
	digits := x.version
	if digits == "" {
		digits, _ = x.Field(ObjectVersion)
	}
	return versionNumber(digits)
}

// versionNumber parses the version token of a request.
func versionNumber(digits string) (n int32, ok bool) {
	v, err := strconv.ParseUint(digits, 10, 31)
	return int32(v), err == nil
}

func cutDigits(octets string) (digits, rest string) {
	i := 0
	for i < len(octets) && octet.Is(octets[i], octet.Digit) {
		i++
	}
	return octets[:i], octets[i:]
}

func form(u locus.URL) error {
	if err := bnf.Form(u, name, "prosperourl"); err != nil {
		return err
	}
	if _, ok := u.Path(); !ok {
		return u.Errorf(u.PathOffset(), "ppath", `%w: write "/" and the name of an object after the host`, locus.ErrForm)
	}
	return nil
}

// rawPath is the url-path of a prospero URL after splitting, but before decoding.
type rawPath struct {
	offset     int // offset of the ppath
	ppath      string
	fieldspecs string // text from the first ";" on
}

// fieldspec is an encoded field.
type fieldspec struct {
	name, value string
	equals      bool
	offset      int // offset of the ";" before the field
}

func split(u locus.URL) rawPath {
	path, _ := u.Path()
	i := strings.IndexByte(path, ';')
	if i < 0 {
		i = len(path)
	}
	return rawPath{offset: u.PathOffset(), ppath: path[:i], fieldspecs: path[i:]}
}

func (p rawPath) fields(yield func(fieldspec) bool) {
	offset := p.offset + len(p.ppath)
	for rest := p.fieldspecs; rest != ""; {
		text, _, _ := strings.Cut(rest[len(";"):], ";")
		rest = rest[len(";")+len(text):]
		f := fieldspec{offset: offset}
		f.name, f.value, f.equals = strings.Cut(text, "=")
		if !yield(f) {
			return
		}
		offset += len(";") + len(text)
	}
}

func (f fieldspec) decoded() Field { return Field{bnf.Decode(f.name), bnf.Decode(f.value)} }

// size returns the length of the field, including its ";".
func (f fieldspec) size() int {
	if !f.equals {
		return len(";") + len(f.name)
	}
	return f.valueOffset() + len(f.value) - f.offset
}

func (f fieldspec) valueOffset() int { return f.offset + len(";") + len(f.name) + len("=") }

// isObjectVersion reports whether the field has the name OBJECT-VERSION. It does not
// allocate.
func (f fieldspec) isObjectVersion() bool {
	var buf [3 * len(ObjectVersion)]byte
	if len(f.name) > len(buf) {
		return false
	}
	octets, _ := escape.AppendDecode(buf[:0], f.name)
	return sameName(octets, ObjectVersion)
}

// hasVersionNumber reports whether the field's value is a version number that a request can
// contain.
func (f fieldspec) hasVersionNumber() bool {
	var buf [32]byte
	digits, _ := escape.AppendDecode(buf[:0], f.value)
	_, ok := versionNumber(string(digits))
	return ok
}

// sameName compares two names. It ignores the case of US-ASCII letters.
func sameName[T ~string | ~[]byte](a T, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(b) {
		lower := b[i] | 0x20
		if a[i] != b[i] && (a[i]|0x20 != lower || lower < 'a' || lower > 'z') {
			return false
		}
	}
	return true
}

const nul = "%00"

// faults yields the errors in each %00 and each field, in order.
func (p rawPath) faults(yield func(bnf.Fault) bool) {
	version := strings.Index(p.ppath, nul)
	for i, next := version, 0; i >= 0 && next >= 0; i += len(nul) + next {
		rest := p.ppath[i+len(nul):]
		next = strings.Index(rest, nul)
		x := bnf.Fault{Err: locus.ErrValue, Part: "attributes", Offset: p.offset + i, Size: len(nul), Why: "only one NUL ends the name of an object"}
		if i == version {
			if startsWithDigit(rest) {
				continue
			}
			x.Part, x.Why = "version", "the name of an object has no NUL, and a version after one is digits"
		}
		if !yield(x) {
			return
		}
	}
	for f := range p.fields {
		x := bnf.Fault{Part: "fieldspec", Offset: f.offset, Size: f.size()}
		switch {
		case !f.equals:
			x.Err, x.Why = locus.ErrForm, `a field is a name, "=" and a value; within the name of an object ";" is written %3B`
		case version >= 0 && f.isObjectVersion():
			x.Err, x.Why = locus.ErrValue, "%00 has already given a version"
		default:
			continue
		}
		if !yield(x) {
			return
		}
	}
}

func startsWithDigit(text string) bool {
	if text == "" {
		return false
	}
	o, _ := bnf.Octet(text, 0)
	return octet.Is(o, octet.Digit)
}

// Parts are the decoded parts of a prospero URL. The field [ObjectVersion] of RFC 1738 contains a
// version. Parts does not support the version syntax of the URI draft.
type Parts struct {
	Host    string // host, as written in a URL
	Port    uint16 // 0 means the default port, which the URL omits
	Hsoname string
	Fields  []Field
}

// URL returns the URL with these parts. It returns a [*locus.SyntaxError] if Hsoname contains a
// NUL or Host is invalid.
func (p Parts) URL() (URL, error) {
	path := p.path()
	u, err := bnf.HostURL(locus.Parts{Scheme: name, Host: p.Host, Port: p.Port, Path: &path})
	if err != nil {
		return URL{}, err
	}
	if i := strings.Index(split(u).ppath, nul); i >= 0 {
		return URL{}, u.Errorf(u.PathOffset()+i, "ppath", "%w: the name of an object has no NUL", locus.ErrValue)
	}
	return Parse(u)
}

func (p Parts) path() string {
	b := escape.AppendEncode(nil, p.Hsoname, escape.Fsegment().With("/"))
	for _, f := range p.Fields {
		b = append(b, ';')
		b = escape.AppendEncode(b, f.Name, escape.Field())
		b = append(b, '=')
		b = escape.AppendEncode(b, f.Value, escape.Field())
	}
	return string(b)
}

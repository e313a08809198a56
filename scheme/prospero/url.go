package prospero

import (
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/octet"
)

// Port is the port of a URL that has none (section 3.11).
const Port = 1525

const name = "prospero"

// ObjectVersion is the name of the field that tells which version of an object
// is meant (section 3.11).
const ObjectVersion = "OBJECT-VERSION"

// URL is a prospero URL, decoded. It is comparable: two are == if their texts
// are.
type URL struct {
	url                          locus.URL
	hsoname, version, attributes string
}

// Field is one field of a URL and its value, as octets.
type Field struct{ Name, Value string }

// Parse reads u as a prospero URL. The error is a [*locus.SyntaxError] that wraps
// [locus.ErrForm], or [locus.ErrValue] if it is about a %00.
func Parse(u locus.URL) (URL, error) {
	if err := form(u); err != nil {
		return URL{}, err
	}
	w := split(u)
	for x := range w.faults {
		return URL{}, x.Error(u)
	}
	x := URL{url: u}
	octets := ""
	x.hsoname, octets, _ = strings.Cut(bnf.Decode(w.ppath), "\x00")
	x.version, x.attributes = cutDigits(octets)
	return x, nil
}

// URL returns the URL that x was parsed from.
func (x URL) URL() locus.URL { return x.url }

// Hsoname returns the octets of the host-specific object name, without the "/"
// between it and the host.
func (x URL) Hsoname() string { return x.hsoname }

// Version returns the digits of a version in the form of the URI draft, behind
// %00. ok reports whether there is one. [URL.ObjectVersion] has the number,
// whichever form it is in.
func (x URL) Version() (digits string, ok bool) { return x.version, x.version != "" }

// Attributes returns the octets of what follows the version in the form of the
// URI draft. Nobody says what they mean.
func (x URL) Attributes() string { return x.attributes }

// Fields returns the fields in their order.
func (x URL) Fields() []Field {
	var list []Field
	for _, f := range split(x.url).all {
		list = append(list, f.decoded())
	}
	return list
}

// Field returns the value of the first field of that name, in any case. ok
// reports whether there is one.
func (x URL) Field(name string) (value string, ok bool) {
	for _, f := range x.Fields() {
		if sameName(f.Name, name) {
			return f.Value, true
		}
	}
	return "", false
}

// ObjectVersion returns the version of the object, from the field of that name
// or in the form of the URI draft. ok reports whether there is one, and it is a
// number that a request can hold.
func (x URL) ObjectVersion() (n int32, ok bool) {
	digits := x.version
	if digits == "" {
		digits, _ = x.Field(ObjectVersion)
	}
	return versionNumber(digits)
}

// versionNumber reads the version token of a request.
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

// form returns what is wrong with the form of u up to its hsoname, or nil.
func form(u locus.URL) error {
	if err := bnf.Form(u, name, "prosperourl"); err != nil {
		return err
	}
	if _, ok := u.Path(); !ok {
		return u.Errorf(u.PathOffset(), "ppath", `%w: "/" and a hsoname follow the host`, locus.ErrForm)
	}
	return nil
}

// written are the parts of a prospero URL as they stand in it.
type written struct {
	offset     int // of ppath
	ppath      string
	fieldspecs string // from the first ";" on
}

// fieldspec is a field as it stands in a URL.
type fieldspec struct {
	name, value string
	equals      bool
	offset      int // of its ";"
}

func split(u locus.URL) written {
	path, _ := u.Path()
	i := strings.IndexByte(path, ';')
	if i < 0 {
		i = len(path)
	}
	return written{offset: u.PathOffset(), ppath: path[:i], fieldspecs: path[i:]}
}

// all yields the fields, and where each begins, in order.
func (w written) all(yield func(int, fieldspec) bool) {
	offset := w.offset + len(w.ppath)
	for n, rest := 0, w.fieldspecs; rest != ""; n++ {
		text := rest[1:]
		if i := strings.IndexByte(text, ';'); i >= 0 {
			text = text[:i]
		}
		rest = rest[1+len(text):]
		f := fieldspec{offset: offset}
		f.name, f.value, f.equals = strings.Cut(text, "=")
		if !yield(n, f) {
			return
		}
		offset += 1 + len(text)
	}
}

func (f fieldspec) decoded() Field { return Field{bnf.Decode(f.name), bnf.Decode(f.value)} }

// size is the length of the field with its ";".
func (f fieldspec) size() int {
	if !f.equals {
		return len(";") + len(f.name)
	}
	return len(";") + len(f.name) + len("=") + len(f.value)
}

func (f fieldspec) valueOffset() int { return f.offset + len(";") + len(f.name) + len("=") }

// isObjectVersion reports whether the field has that name.
func (f fieldspec) isObjectVersion() bool {
	var buf [3 * len(ObjectVersion)]byte
	if len(f.name) > len(buf) {
		return false
	}
	octets, _ := escape.AppendDecode(buf[:0], f.name)
	return sameName(octets, ObjectVersion)
}

// sameName compares names without the case of US-ASCII letters.
func sameName[T ~string | ~[]byte](a T, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := 0; i < len(b); i++ {
		if upper(a[i]) != upper(b[i]) {
			return false
		}
	}
	return true
}

func upper(o byte) byte {
	if 'a' <= o && o <= 'z' {
		return o - 'a' + 'A'
	}
	return o
}

const nul = "%00"

// faults yields, in order, what makes the url-path no ppath with fields and no
// hsoname with a version of the URI draft.
func (w written) faults(yield func(bnf.Fault) bool) {
	first := strings.Index(w.ppath, nul)
	if first >= 0 && !w.draftFaults(first, yield) {
		return
	}
	for _, f := range w.all {
		x := bnf.Fault{Part: "fieldspec", Offset: f.offset, Size: f.size()}
		switch {
		case !f.equals:
			x.Err, x.Why = locus.ErrForm, `a field is a name, "=" and a value; within the hsoname ";" is written %3B`
		case first >= 0 && f.isObjectVersion():
			x.Err, x.Why = locus.ErrValue, "there is a version behind %00 already"
		default:
			continue
		}
		if !yield(x) {
			return
		}
	}
}

// draftFaults yields what is wrong with the version behind the first %00, and
// with every %00 that follows. It reports whether to go on.
func (w written) draftFaults(first int, yield func(bnf.Fault) bool) bool {
	x := bnf.Fault{Err: locus.ErrValue, Part: "version", Offset: w.offset + first, Size: len(nul), Why: "a hsoname has no NUL, and a version after one is digits"}
	first += len(nul)
	if !startsWithDigit(w.ppath[first:]) && !yield(x) {
		return false
	}
	x.Part, x.Why = "attributes", "only one NUL ends the hsoname"
	for {
		i := strings.Index(w.ppath[first:], nul)
		if i < 0 {
			return true
		}
		x.Offset = w.offset + first + i
		if !yield(x) {
			return false
		}
		first += i + len(nul)
	}
}

func startsWithDigit(text string) bool {
	if text == "" {
		return false
	}
	o, _ := bnf.Octet(text, 0)
	return octet.Is(o, octet.Digit)
}

// Parts are what a prospero URL is made of, as octets. A version is the field
// [ObjectVersion], as RFC 1738 has it; the draft's form of one is not written.
type Parts struct {
	Host    string // as URL text
	Port    uint16 // 0: left out, which means 1525
	Hsoname string
	Fields  []Field
}

// URL makes the URL. The error is a [*locus.SyntaxError]: a NUL is in the
// hsoname, or the host is not one.
func (p Parts) URL() (URL, error) {
	path := p.path()
	u, err := bnf.HostURL(locus.Parts{Scheme: name, Host: p.Host, Port: p.Port, Path: &path})
	if err != nil {
		return URL{}, err
	}
	if i := strings.Index(path, nul); i >= 0 && i < len(split(u).ppath) {
		return URL{}, u.Errorf(u.PathOffset()+i, "ppath", "%w: a hsoname has no NUL", locus.ErrValue)
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

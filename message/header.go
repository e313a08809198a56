package message

import (
	"iter"
	"strings"
	"time"
)

// Header is the header of a message or part. A Header holds the fields in order and as written
// (RFC 5322 section 2.2). The zero Header is empty. Field names are case-insensitive.
type Header struct {
	raw    string
	offset int64 // offset of raw in the message
}

// Field is one field of a header.
type Field struct {
	Name   string // as written, without the ":"
	Value  string // unfolded (RFC 5322 section 2.2.3), not decoded, without surrounding spaces
	Raw    string // exactly as written, with its line ends
	Offset int64  // offset of Raw in the message, in bytes
}

// Lines returns the header exactly as written, including lines that are not fields, without
// the blank line after it.
func (h Header) Lines() string { return h.raw }

// rawField is a field before it is unfolded.
type rawField struct {
	name  string
	value string
	start int
	end   int
}

// rawFields iterates over the fields. Lines that are not fields, and their continuation lines,
// are skipped.
func (h Header) rawFields() iter.Seq[rawField] {
	return func(yield func(rawField) bool) {
		text := h.raw
		for start := 0; start < len(text); {
			end := start
			for {
				end += lineLen(text[end:])
				if end == len(text) || !isBlank(text[end]) {
					break
				}
			}
			if n := nameLen(text[start:end]); n > 0 {
				_, value, _ := strings.Cut(text[start+n:end], ":")
				if !yield(rawField{text[start : start+n], value, start, end}) {
					return
				}
			}
			start = end
		}
	}
}

// lineLen returns the length of the first line of text, including the line end.
func lineLen(text string) int {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return i + 1
	}
	return len(text)
}

// nameLen returns the length of the field name that begins line, or 0 if line is not a field.
// Spaces before the ":" are obsolete but accepted (RFC 5322 section 4.5).
func nameLen[T ~string | ~[]byte](line T) int {
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == ':':
			return i
		case isBlank(c):
			n := i
			for i < len(line) && isBlank(line[i]) {
				i++
			}
			if i < len(line) && line[i] == ':' {
				return n
			}
			return 0
		case c <= ' ' || c >= 0x7F:
			return 0
		}
	}
	return 0
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// unfold returns a field's value as one line. Only line ends are removed.
func unfold(value string) string {
	value = strings.Trim(value, " \t\r\n")
	if strings.IndexByte(value, '\n') < 0 {
		return value
	}
	var b strings.Builder
	b.Grow(len(value))
	for line := range strings.Lines(value) {
		line = strings.TrimSuffix(line, "\n")
		b.WriteString(strings.TrimSuffix(line, "\r"))
	}
	return b.String()
}

// Fields iterates over the fields in order. Fields skips lines that are not fields, which
// [Message.Faults] reports.
func (h Header) Fields() iter.Seq[Field] {
	return func(yield func(Field) bool) {
		for f := range h.rawFields() {
			if !yield(Field{Name: f.name, Value: unfold(f.value), Raw: h.raw[f.start:f.end], Offset: h.offset + int64(f.start)}) {
				return
			}
		}
	}
}

// Lookup returns the value of the first field called name, unfolded and not decoded. ok is false if
// the field is missing.
func (h Header) Lookup(name string) (value string, ok bool) {
	for f := range h.rawFields() {
		if strings.EqualFold(f.name, name) {
			return unfold(f.value), true
		}
	}
	return "", false
}

// Get returns the value of the first field called name, or "" if the field is missing.
func (h Header) Get(name string) string {
	value, _ := h.Lookup(name)
	return value
}

// Values returns the unfolded values of all fields called name, in order. The values are not
// decoded.
func (h Header) Values(name string) []string {
	var list []string
	for f := range h.rawFields() {
		if strings.EqualFold(f.name, name) {
			list = append(list, unfold(f.value))
		}
	}
	return list
}

// Text returns the value of the first field called name, decoded by [DecodeWords].
func (h Header) Text(name string) string { return DecodeWords(h.Get(name)) }

// Subject returns the decoded value of the Subject field.
func (h Header) Subject() string { return h.Text("Subject") }

// Date returns the time in the Date field, parsed by [ParseDate]. ok is false if the field is
// missing or invalid.
func (h Header) Date() (t time.Time, ok bool) { return ParseDate(h.Get("Date")) }

// MessageID returns the identifier in the Message-ID field without "<" and ">", or "" if the
// field is missing.
func (h Header) MessageID() string { return firstID(h.Get("Message-ID")) }

// References returns the identifiers of the References field in order, oldest
// first, without "<" and ">".
func (h Header) References() []string { return ParseIDs(h.Get("References")) }

// InReplyTo returns the identifiers of the In-Reply-To field, without "<" and ">" and without
// the words that old programs wrote between the identifiers.
func (h Header) InReplyTo() []string { return ParseIDs(h.Get("In-Reply-To")) }

// Newsgroups returns the newsgroups of the Newsgroups field (RFC 5536 section 3.1.4).
func (h Header) Newsgroups() []string {
	return strings.FieldsFunc(h.Get("Newsgroups"), func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
}

// From returns the addresses of the From field.
func (h Header) From() []Address { return h.Addresses("From") }

// To returns the addresses of the To fields.
func (h Header) To() []Address { return h.Addresses("To") }

// Addresses returns the addresses of all fields called name.
func (h Header) Addresses(name string) []Address {
	var list []Address
	for _, value := range h.Values(name) {
		list = append(list, parseAddresses(value)...)
	}
	return list
}

package message

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/locus-url/locus"
)

var (
	// ErrNoMessage means that the input has no header.
	ErrNoMessage = errors.New("not a message: it has no header")
	// ErrLimit means that a limit of [Limits] was reached.
	ErrLimit = errors.New("limit reached")

	errNoID = fmt.Errorf(`%w: a message-id must contain "@"`, locus.ErrForm)
)

// Limits bound the cost of a message. The zero value, and nil, has the defaults.
type Limits struct {
	// Octets is the largest message that [Read] accepts; 0: 64 MiB. [Parse] accepts any
	// size.
	Octets int64
	// Header is the largest header; 0: 1 MiB. All headers of a message together may have
	// eight times as much.
	Header int
	// Parts is the largest number of parts; 0: 10,000.
	Parts int
	// Depth is the largest nesting depth of parts; 0: 50.
	Depth int
	// Part is the largest decoded part in octets; 0: 1 GiB.
	Part int64
	// Held is the largest total size of enclosed messages that have a transfer encoding:
	// they are decoded, and kept in memory as long as the message; 0: 32 MiB.
	Buffered int64
}

// headers times the limit of one header is the limit of all headers.
const headers = 8

func (l *Limits) orDefault() Limits {
	var r Limits
	if l != nil {
		r = *l
	}
	r.Octets = cmp.Or(r.Octets, 64<<20)
	r.Header = cmp.Or(r.Header, 1<<20)
	r.Parts = cmp.Or(r.Parts, 10_000)
	r.Depth = cmp.Or(r.Depth, 50)
	r.Part = cmp.Or(r.Part, 1<<30)
	r.Buffered = cmp.Or(r.Buffered, 32<<20)
	return r
}

// Fault is an error in a message that did not stop the reading.
type Fault struct {
	Rule   string // the broken rule: "base64", "boundary", "header-line"
	Offset int64  // in octets from the start of the message
	Path   string // of the part; empty: the message as a whole
	Text   string // for people
}

// The rules of a [Fault].
const (
	RuleBareCR      = "bare-cr"          // a CR without LF (RFC 5322 section 2.2)
	RuleBoundary    = "boundary"         // a multipart without a boundary, or without a part (RFC 2046 section 5.1.1)
	RuleCharset     = "charset"          // an unknown charset
	RuleContentType = "content-type"     // an invalid Content-Type
	RuleEncoding    = "encoding"         // a Content-Transfer-Encoding that is unknown or not allowed
	RuleBase64      = "base64"           // an invalid base64 character
	RuleQuoted      = "quoted-printable" // a "=" without two digits
	RuleUuencode    = "uuencode"         // a file without its "end"
	RuleEndBoundary = "end-boundary"     // a multipart without its last boundary
	RuleHeaderLine  = "header-line"      // a line of a header that is not a field
	RuleLimit       = "limit"            // a limit was reached
	RuleLineEnd     = "line-end"         // both CR LF and LF in one message
	RuleNUL         = "nul"              // a NUL
	RuleSize        = "size"             // the message ends before the size it should have
)

// String returns the fault with its location.
func (f Fault) String() string {
	if f.Path == "" {
		return fmt.Sprintf("byte %d: %s", f.Offset, f.Text)
	}
	return fmt.Sprintf("part %s, byte %d: %s", f.Path, f.Offset, f.Text)
}

// Error returns the fault with its location. A Fault is an error where it ended the reading.
func (f Fault) Error() string { return "message: " + f.String() }

// Unwrap returns [ErrLimit] for the rule [RuleLimit].
func (f Fault) Unwrap() error {
	if f.Rule == RuleLimit {
		return ErrLimit
	}
	return nil
}

// Message is a parsed message or news article. It is immutable, and may be used
// concurrently if its reader may. The reader must stay open while parts are read.
type Message struct {
	Header
	// Faults are the errors in the message in the order of their discovery, at most a
	// hundred.
	Faults []Fault

	r      io.ReaderAt
	size   int64
	limits Limits
	nodes  []node
	parts  []Part
}

// Parse finds the parts of the message in the first size octets of r, in one pass. It
// keeps the headers, the offsets of the parts, and the content of enclosed messages that
// have a transfer encoding. nil limits are the defaults.
//
// Damage is not an error: it is in [Message.Faults]. The error is [ErrNoMessage], that of
// r, or a [Fault] that wraps [ErrLimit] if the message's own header is too large. With all
// but the first it returns the message up to the error.
func Parse(r io.ReaderAt, size int64, l *Limits) (*Message, error) {
	m := &Message{r: r, size: max(size, 0), limits: l.orDefault()}
	s := newScanner(m)
	err := s.scan()
	if errors.Is(err, ErrNoMessage) {
		return nil, err
	}
	m.finish(s.faulty)
	return m, err
}

// Read reads a message into memory and parses it. If it has more than [Limits.Octets], or
// its header more than [Limits.Header], Read returns the message up to there and an error
// that wraps [ErrLimit].
func Read(r io.Reader, l *Limits) (*Message, error) {
	limits := l.orDefault()
	var b bytes.Buffer
	// Twice the limit of the header is enough for Parse to reach it.
	_, err := io.CopyN(&b, r, min(2*int64(limits.Header), limits.Octets))
	if err == nil && hasHeader(b.Bytes()) {
		_, err = io.CopyN(&b, r, limits.Octets-int64(b.Len()))
	}
	if err == nil && int64(b.Len()) == limits.Octets {
		// Is there more?
		_, err = io.CopyN(io.Discard, r, 1)
	}
	m, parseErr := Parse(bytes.NewReader(b.Bytes()), int64(b.Len()), &limits)
	switch {
	case parseErr != nil:
		return m, parseErr
	case err == nil:
		fault := Fault{Rule: RuleLimit, Offset: limits.Octets, Text: fmt.Sprintf("the message has more than %d bytes", limits.Octets)}
		return m, fault
	case err == io.EOF:
		return m, nil
	}
	return m, fmt.Errorf("message: %w", err)
}

// hasHeader reports whether b has the blank line that ends a header.
func hasHeader(b []byte) bool {
	return bytes.Contains(b, []byte("\n\r\n")) || bytes.Contains(b, []byte("\n\n"))
}

// ReadHeader reads the header of a message from a stream, and not much more. Errors are
// those of [Parse].
func ReadHeader(r io.Reader, l *Limits) (Header, error) {
	m := &Message{limits: l.orDefault()}
	s := scanner{m: m, lines: newLines(r, 8<<10), marks: map[string][]int{}}
	err := s.scanHeader()
	return m.Header, err
}

// Size returns the size of the message in octets.
func (m *Message) Size() int64 { return m.size }

// Raw returns the message as it was read.
func (m *Message) Raw() *io.SectionReader { return io.NewSectionReader(m.r, 0, m.size) }

// Parts returns the parts, each before the parts in it. The only part of a message that is
// not a multipart is "1". The parts of a multipart are "1", "2" and so on, those of part 1
// are "1.1", "1.2": the numbers of RFC 9051 section 6.4.5. The parts of an enclosed message
// are numbered as if they were parts of the part that encloses it.
//
// A multipart is listed as a part ([Part.Multipart]), with everything between its
// boundaries as its content. The outermost multipart, which is the message, is not listed.
// Uuencoded files in a text are parts of that text.
func (m *Message) Parts() []Part { return slices.Clone(m.parts) }

// Part returns the part with that path.
func (m *Message) Part(path string) (Part, bool) {
	for _, p := range m.parts {
		if p.Path == path {
			return p, true
		}
	}
	return Part{}, false
}

// Find returns the part with that Content-ID (RFC 2045 section 7), given with or without
// "<" and ">". Case matters. The first such part counts; a part of an enclosed message
// counts only if there is no other.
func (m *Message) Find(contentID string) (Part, bool) {
	contentID = trimAngles(contentID)
	var within Part
	for _, p := range m.parts {
		switch {
		case contentID == "" || p.ContentID != contentID:
		case !p.enclosed:
			return p, true
		case within.m == nil:
			within = p
		}
	}
	return within, within.m != nil
}

func trimAngles(id string) string {
	if len(id) > 2 && id[0] == '<' && id[len(id)-1] == '>' {
		return id[1 : len(id)-1]
	}
	return id
}

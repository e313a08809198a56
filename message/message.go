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

// Limits bounds the memory and the time that a message can cost. A nil *Limits and the zero
// value select the defaults.
type Limits struct {
	// Octets limits the size of a message for [Read] in bytes. Zero means 64 MiB. [Parse] accepts
	// any size.
	Octets int64
	// Header limits the size of a header in bytes. Zero means 1 MiB. The total size of all
	// headers in a message may be eight times as large.
	Header int
	// Parts limits the number of parts. Zero means 10,000.
	Parts int
	// Depth limits the nesting depth of parts. Zero means 50.
	Depth int
	// Part limits the size of a decoded part in bytes. Zero means 1 GiB.
	Part int64
	// Buffered limits the total decoded size of the enclosed messages with a transfer
	// encoding, in bytes. The decoded messages stay in memory as long as the message. Zero
	// means 32 MiB.
	Buffered int64
}

// totalHeaderRatio is the ratio of the total limit for all headers to the limit for one header.
const totalHeaderRatio = 8

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

// Fault is an error in a message that did not stop the parser.
type Fault struct {
	Rule   string // the violated rule, such as "base64" or "header-line"
	Offset int64  // in bytes from the start of the message
	Path   string // path of the part; empty if the fault concerns the message as a whole
	Text   string // description for users
}

// The rules of a [Fault].
const (
	RuleBareCR      = "bare-cr"          // a CR without LF (RFC 5322 section 2.2)
	RuleBoundary    = "boundary"         // a multipart without a boundary or without parts (RFC 2046 section 5.1.1)
	RuleCharset     = "charset"          // an unknown charset
	RuleContentType = "content-type"     // an invalid Content-Type
	RuleEncoding    = "encoding"         // a Content-Transfer-Encoding that is unknown or not allowed
	RuleBase64      = "base64"           // an invalid base64 character
	RuleQuoted      = "quoted-printable" // a "=" without two hexadecimal digits
	RuleUuencode    = "uuencode"         // a file without its "end"
	RuleEndBoundary = "end-boundary"     // a multipart without its last boundary
	RuleHeaderLine  = "header-line"      // a line of a header that is not a field
	RuleLimit       = "limit"            // a limit was reached
	RuleLineEnd     = "line-end"         // both CR LF and LF in one message
	RuleNUL         = "nul"              // a NUL byte
	RuleSize        = "size"             // the message is shorter than the size that the caller passed
)

// String returns the fault with its location.
func (f Fault) String() string {
	if f.Path == "" {
		return fmt.Sprintf("byte %d: %s", f.Offset, f.Text)
	}
	return fmt.Sprintf("part %s, byte %d: %s", f.Path, f.Offset, f.Text)
}

// Error returns the fault with its location. A function that cannot continue after a Fault
// returns the Fault as its error.
func (f Fault) Error() string { return "message: " + f.String() }

// Unwrap returns [ErrLimit] for the rule [RuleLimit].
func (f Fault) Unwrap() error {
	if f.Rule == RuleLimit {
		return ErrLimit
	}
	return nil
}

// Message is a parsed mail message or news article. A Message is immutable. A Message may be
// used concurrently if its [io.ReaderAt] may be used concurrently. The caller must not close
// that reader before the last part is read.
type Message struct {
	Header
	// Faults lists the errors in the message in the order of discovery, up to 100.
	Faults []Fault

	r      io.ReaderAt
	size   int64
	limits Limits
	nodes  []node
	parts  []Part
}

// Parse finds the parts of the message in the first size bytes of r, in one pass. Parse stores
// the headers, the offsets of the parts, and the content of enclosed messages with a transfer
// encoding. If l is nil, the default limits apply.
//
// Parse reports damage in [Message.Faults], not as an error. Parse returns [ErrNoMessage] if
// the input is not a message, and a [Fault] that wraps [ErrLimit] if the message's own header
// is too large. Other errors come from r. Unless the error is ErrNoMessage, Parse also returns
// the message up to the error.
func Parse(r io.ReaderAt, size int64, l *Limits) (*Message, error) {
	m := &Message{r: r, size: max(size, 0), limits: l.orDefault()}
	s := newScanner(m)
	err := s.scan()
	if errors.Is(err, ErrNoMessage) {
		return nil, err
	}
	m.makeParts(s.faulty)
	return m, err
}

// Read reads a message into memory and parses it. If the message exceeds [Limits].Octets, or its
// header exceeds [Limits].Header, Read returns the message up to the limit and an error that wraps
// [ErrLimit].
func Read(r io.Reader, l *Limits) (*Message, error) {
	limits := l.orDefault()
	var b bytes.Buffer
	// Twice the header limit is enough for Parse to detect a header that is too large.
	_, err := io.CopyN(&b, r, min(2*int64(limits.Header), limits.Octets))
	if err == nil && hasHeader(b.Bytes()) {
		_, err = io.CopyN(&b, r, limits.Octets-int64(b.Len()))
	}
	if err == nil && int64(b.Len()) == limits.Octets {
		// Check whether more data follows.
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

// hasHeader reports whether b contains the blank line that ends a header.
func hasHeader(b []byte) bool {
	return bytes.Contains(b, []byte("\n\r\n")) || bytes.Contains(b, []byte("\n\n"))
}

// ReadHeader reads the header of a message from a stream. ReadHeader may read a few bytes
// after the header. ReadHeader returns the same errors as [Parse].
func ReadHeader(r io.Reader, l *Limits) (Header, error) {
	m := &Message{limits: l.orDefault()}
	s := scanner{m: m, lines: newLines(r, 8<<10), marks: map[string][]int{}}
	err := s.scanHeader()
	return m.Header, err
}

// Size returns the size of the message in bytes.
func (m *Message) Size() int64 { return m.size }

// Raw returns a reader of the unmodified message.
func (m *Message) Raw() *io.SectionReader { return io.NewSectionReader(m.r, 0, m.size) }

// Parts returns the parts of the message. Each part precedes the parts that it contains. A message
// that is not a multipart has only the part "1". The parts of a multipart message are "1", "2" and
// so on, and the parts of part 1 are "1.1" and "1.2", as in RFC 9051 section 6.4.5. If part 2 is an
// enclosed message, the parts of that message are "2.1", "2.2" and so on.
//
// The list also contains each multipart ([Part.Multipart]) except the outermost one, which is
// the message itself. The content of a multipart is the text between its boundaries. Uuencoded
// files in a text are parts of that text.
func (m *Message) Parts() []Part { return slices.Clone(m.parts) }

// Part returns the part with the given path, such as "1.2".
func (m *Message) Part(path string) (Part, bool) {
	for _, p := range m.parts {
		if p.Path == path {
			return p, true
		}
	}
	return Part{}, false
}

// Find returns the first part with the given Content-ID (RFC 2045 section 7). The argument may
// include "<" and ">" and is case-sensitive. Find prefers parts outside enclosed messages.
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

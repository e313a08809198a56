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
	// ErrNoMessage: what was read has no header.
	ErrNoMessage = errors.New("no message: it does not begin with a header")
	// ErrLimit: a limit of [Limits] was reached.
	ErrLimit = errors.New("limit reached")

	errNoID = fmt.Errorf(`%w: a message-id is needed, with an "@" in it`, locus.ErrForm)
)

// Limits bound what a message can cost. The zero value, and nil, has the defaults.
type Limits struct {
	// Octets is the most that [Read] takes; 0: 64 MiB. [Parse] holds no more than the
	// headers, and takes messages of any size.
	Octets int64
	// Header is the most octets of one header; 0: 1 MiB. All headers of a message
	// together may have eight times as much.
	Header int
	// Parts is the most parts that are told apart; 0: 10,000.
	Parts int
	// Depth is how deep parts may be in each other; 0: 50.
	Depth int
	// Part is the most octets that a part may have when it is decoded; 0: 1 GiB.
	Part int64
	// Held is the most octets of messages within that have a transfer encoding: they
	// are decoded, and held as long as the message; 0: 32 MiB.
	Held int64
}

// headers is how many times as much as one header all headers may have.
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
	r.Held = cmp.Or(r.Held, 32<<20)
	return r
}

// Fault is something in a message that is not as it must be. Reading went on.
type Fault struct {
	Rule   string // what is broken: "base64", "boundary", "header-line"
	Offset int64  // where, in octets from the start of the message
	Path   string // of the part that has it; empty: the message as a whole
	Text   string // for people
}

// The rules that a [Fault] can be about.
const (
	RuleBareCR      = "bare-cr"          // a CR without LF (RFC 5322 section 2.2)
	RuleBoundary    = "boundary"         // a multipart without a boundary, or without a part (RFC 2046 section 5.1.1)
	RuleCharset     = "charset"          // a charset that is unknown
	RuleContentType = "content-type"     // a Content-Type that can't be read
	RuleEncoding    = "encoding"         // a Content-Transfer-Encoding that is unknown, or can't be where it is
	RuleBase64      = "base64"           // a character that is not of base64
	RuleQuoted      = "quoted-printable" // a "=" that two digits don't follow
	RuleUuencode    = "uuencode"         // a file that ends before its "end"
	RuleEndBoundary = "end-boundary"     // a multipart that ends before its last boundary
	RuleHeaderLine  = "header-line"      // a line of a header that is no field
	RuleLimit       = "limit"            // a limit was reached
	RuleLineEnd     = "line-end"         // CR LF and LF alone in one message
	RuleNUL         = "nul"              // an octet 0
	RuleSize        = "size"             // the message ends before the size it should have
)

// String returns the fault with its place.
func (f Fault) String() string {
	if f.Path == "" {
		return fmt.Sprintf("octet %d: %s", f.Offset, f.Text)
	}
	return fmt.Sprintf("part %s, octet %d: %s", f.Path, f.Offset, f.Text)
}

// Error returns the fault with its place: a Fault is an error where it ended the
// reading.
func (f Fault) Error() string { return "message: " + f.String() }

// Unwrap returns [ErrLimit] if that is what the fault is about.
func (f Fault) Unwrap() error {
	if f.Rule == RuleLimit {
		return ErrLimit
	}
	return nil
}

// Message is a message or news article whose parts are known. It is immutable, and as
// safe for several goroutines as the reader it was parsed from, which must stay open
// as long as parts are read.
type Message struct {
	Header
	// Faults is what is wrong, in the order it was met; at most a hundred.
	Faults []Fault

	r      io.ReaderAt
	size   int64
	limits Limits
	nodes  []node
	parts  []Part
}

// Parse finds the parts of the message that r holds, in one pass over its size octets.
// It keeps the headers and the places of the parts, and no content but that of messages
// within that have a transfer encoding. nil limits are the defaults.
//
// Damage is in [Message.Faults] and no error. Errors are: [ErrNoMessage]; what r
// returns; and a [Fault] that wraps [ErrLimit] if the header of the message itself is
// larger than it may be. With all but the first there is a message all the same, of
// what came before.
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

// Read reads a message into memory and parses it. If there is more than [Limits.Octets]
// of it, or its header is larger than [Limits.Header], it returns the message of what
// came before, and an error that wraps [ErrLimit].
func Read(r io.Reader, l *Limits) (*Message, error) {
	limits := l.orDefault()
	var b bytes.Buffer
	_, err := io.CopyN(&b, r, min(int64(limits.Header)+1, limits.Octets))
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
		fault := Fault{Rule: RuleLimit, Offset: limits.Octets, Text: fmt.Sprintf("the message has more than %d octets", limits.Octets)}
		return m, fault
	case err == io.EOF:
		return m, nil
	}
	return m, fmt.Errorf("message: %w", err)
}

// hasHeader reports whether an empty line is in b, which the header ends with.
func hasHeader(b []byte) bool {
	return bytes.Contains(b, []byte("\n\r\n")) || bytes.Contains(b, []byte("\n\n"))
}

// ReadHeader reads the header of a message from a stream, and not much more; for an
// index of many messages. Errors are as those of [Parse].
func ReadHeader(r io.Reader, l *Limits) (Header, error) {
	m := &Message{limits: l.orDefault()}
	s := scanner{m: m, lines: newLines(r, 8<<10), marks: map[string][]int{}}
	err := s.scanHeader()
	return m.Header, err
}

// Size returns the length of the message in octets.
func (m *Message) Size() int64 { return m.size }

// Raw returns the octets of the message as they are.
func (m *Message) Raw() *io.SectionReader { return io.NewSectionReader(m.r, 0, m.size) }

// Parts returns the parts, each before those that are in it. A message that is no
// multipart has one, "1". Those of a multipart are "1", "2" and so on, and those
// within part 1 "1.1", "1.2": the numbers of RFC 9051 section 6.4.5. Parts of a
// message that is a part are numbered as if they were that part's own.
//
// A multipart is a part itself, whose content is what is between the boundaries, and
// all; the outermost, which is the message, has no number and is not listed.
// [Part.Multipart] tells. Files that are uuencoded within a text, as old programs sent
// them, are parts of that text.
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

// Find returns the part with that Content-ID (RFC 2045 section 7), given with "<" and
// ">" or without, and compared octet by octet. If several have it, the first counts;
// one within a message that is a part itself only if there is no other.
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

// trimAngles takes "<" and ">" off an identifier.
func trimAngles(id string) string {
	if len(id) > 2 && id[0] == '<' && id[len(id)-1] == '>' {
		return id[1 : len(id)-1]
	}
	return id
}

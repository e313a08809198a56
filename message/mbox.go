package message

import (
	"bufio"
	"bytes"
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
)

const (
	// mboxBuffer is the size of the read-ahead buffer of an mbox.
	mboxBuffer = 64 << 10
	// fromText is the maximum size of the text that is searched for a From_ line and the
	// header field after it.
	fromText = 2 << 10
	// maxLine is the size to which other lines are truncated.
	maxLine = 8 << 10
	// maxIDField is the maximum size of a Message-ID field, including its folding.
	maxIDField = 4 << 10
	// maxIDs is the maximum number of identifiers for one message. A valid message contains
	// one identifier.
	maxIDs = 100
	// maxFromQuotes is the maximum number of lines in a message from which a ">" is removed.
	maxFromQuotes = 1 << 20
)

// Mbox reads the messages of an mbox in order.
//
// A message begins with a From_ line ([IsFromLine]) and ends before the next From_ line. Mbox
// uses the Content-Length of a message (mboxcl, mboxcl2) only if a From_ line or the end of
// the mbox follows the body of that length. In a stream, the body must then end within the
// next 64 KiB.
//
// An Mbox must not be used concurrently.
type Mbox struct {
	// If IDs is true, [Mbox.End] sets MboxMessage.IDs. If Quotes is true, [Mbox.End] sets
	// MboxMessage.Quotes.
	IDs, Quotes bool

	lines fragmentReader
	file  *io.SectionReader // nil for a stream
	err   error

	message  MboxMessage
	header   idHeader
	state    mboxState
	f        fragment
	rest     []byte // bytes of f that Read has not returned yet
	blankLen int    // length of the blank line that precedes the current line of the body, or 0
	ended    bool   // the last line ended with a line end
	single   bool   // the input is one message; a From_ line does not end it
	bare     bool   // whether a line of the body begins with "From "
}

type mboxState int

const (
	mboxDone mboxState = iota
	mboxFrom
	mboxHeader
	mboxBody
)

// MboxMessage describes a message in an mbox. Offsets are in bytes from the start of the mbox.
type MboxMessage struct {
	IDs    []string // up to 100 distinct identifiers of the Message-ID fields, in order
	From   int64    // start of the From_ line
	Header int64    // start of the header, after the From_ line
	Body   int64    // start of the body
	End    int64    // end of the body, without the blank line that the mbox adds
	Next   int64    // start of the next From_ line, or the end of the mbox
	Sized  bool     // whether End comes from the Content-Length
	Cut    bool     // whether the message is the last and seems incomplete

	// Quotes lists the offsets of the ">" to remove from lines that begin with one or more ">"
	// and "From " (mboxrd). Quotes is empty if the body has a correct Content-Length and lines
	// that begin with "From ", because such a body is not quoted (mboxcl2). Quotes is also
	// empty if there are more than a million offsets.
	Quotes []int64
	// Doubtful is the number of lines that begin with ">From ". In an mboxo file, where a
	// program quotes only lines that begin with "From ", the original message may contain the
	// ">".
	Doubtful int
}

// NewMbox returns a reader of the mbox r. If r is an [*io.SectionReader], reading begins at
// the current offset of r, and offsets count from the start of r.
func NewMbox(r io.Reader) *Mbox {
	m := &Mbox{lines: newLines(r, mboxBuffer)}
	if file, ok := r.(*io.SectionReader); ok {
		m.file = file
		m.lines.offset, m.err = file.Seek(0, io.SeekCurrent)
	}
	return m
}

// Next advances to the next message, and reports whether a message follows. Next skips the
// rest of the current message. Next treats the first line of the mbox as a From_ line.
func (m *Mbox) Next() bool {
	m.End()
	if m.err == nil {
		_, m.err = m.lines.r.Peek(1)
	}
	if m.err != nil {
		return false
	}
	m.message = MboxMessage{From: m.lines.offset}
	m.header = idHeader{length: -1, noIDs: !m.IDs, value: m.header.value[:0]}
	m.state, m.blankLen, m.bare = mboxFrom, 0, false
	return true
}

// Err returns the read error, or nil at the end of the mbox.
func (m *Mbox) Err() error {
	if m.err == io.EOF {
		return nil
	}
	return m.err
}

// Read reads the current message as stored in the mbox, with its From_ line, quotes and the
// blank line after it. Read returns [io.EOF] at the end of the message.
func (m *Mbox) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for len(m.rest) == 0 {
		if !m.readLine() {
			return 0, cmp.Or(m.Err(), io.EOF)
		}
		m.rest = m.f.text[:len(m.f.text)+len(m.f.eol)]
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

// End skips the rest of the current message and describes it.
func (m *Mbox) End() MboxMessage {
	for m.readLine() {
		switch {
		case m.Quotes || m.state != mboxBody:
		case m.message.Sized:
			m.skipBody()
		default:
			m.skipLines()
		}
	}
	m.rest = nil
	return m.message
}

// skipBody skips to the next message, whose offset must be known.
func (m *Mbox) skipBody() {
	n := m.message.Next - m.lines.offset
	switch {
	case n <= int64(m.lines.r.Buffered()):
		_, m.err = m.lines.r.Discard(int(n))
	case m.file != nil:
		_, m.err = m.file.Seek(m.message.Next, io.SeekStart)
		m.lines.r.Reset(m.file)
	default:
		return
	}
	m.lines.offset, m.lines.middle = m.message.Next, false
}

// skipLines skips buffered lines of the body, but not a From_ line or the line before it.
// Skipping is much faster than reading each line.
func (m *Mbox) skipLines() {
	text, _ := m.lines.r.Peek(m.lines.r.Buffered())
	if m.lines.middle || m.lines.offset == m.message.Body || bytes.HasPrefix(text, []byte(from)) {
		return
	}
	end := bytes.Index(text, []byte("\n"+from))
	if end < 0 {
		end = bytes.LastIndexByte(text, '\n')
	}
	n := bytes.LastIndexByte(text[:max(end, 0)], '\n') + 1
	n, m.err = m.lines.r.Discard(n)
	m.lines.offset += int64(n)
}

// readLine reads a line of the current message, or a fragment of a long line, into m.f. At the
// end of the message, the result is false.
func (m *Mbox) readLine() bool {
	if m.state == mboxDone {
		return false
	}
	if !m.lines.middle && m.atEnd() {
		m.endMessage()
		return false
	}
	f := &m.f
	if m.err = m.lines.readFragment(f); m.err != nil {
		m.endMessage()
		return false
	}
	m.ended = f.eol != ""
	switch m.state {
	case mboxFrom:
		m.message.Header = f.next()
		if f.ends {
			m.state = mboxHeader
		}
	case mboxHeader:
		if m.header.readLine(f) {
			m.state, m.message.Body = mboxBody, m.header.body
			if !m.header.ended {
				m.bodyLine(f)
			}
		}
	case mboxBody:
		m.bodyLine(f)
	}
	return true
}

// atEnd reports whether the message ends before the line that begins here.
func (m *Mbox) atEnd() bool {
	switch {
	case m.state == mboxFrom, m.single:
		return false
	case m.state == mboxHeader:
		return m.isFrom(false)
	}
	first := m.header.ended && m.lines.offset == m.message.Body
	if first && m.header.length >= 0 {
		m.checkLength()
	}
	if m.message.Sized {
		return m.lines.offset >= m.message.Next
	}
	return m.isFrom(first || m.blankLen > 0)
}

func (m *Mbox) isFrom(afterBlank bool) bool {
	if start, _ := m.lines.r.Peek(len(from)); string(start) != from {
		return false
	}
	text, _ := m.lines.r.Peek(fromText)
	return IsFromLine(text, afterBlank)
}

// checkLength uses the Content-Length if a From_ line or the end of the mbox follows the body of
// that length.
func (m *Mbox) checkLength() {
	body, n := m.message.Body, m.header.length
	if m.file != nil && n > m.file.Size()-body {
		return
	}
	before := min(n, 1) // include the last byte of the body
	text, all := m.peek(body+n-before, int(before)+len("\r\n\r\n")+fromText)
	if int64(len(text)) < before {
		return
	}
	atLine := n == 0 || text[0] == '\n'
	text = text[before:]
	next := body + n
	// Only some programs include the last line end in the Content-Length. A blank line must
	// follow.
	for range 2 {
		end := lineEnd(text)
		text, next, atLine = text[end:], next+int64(end), atLine || end > 0
	}
	if all && len(text) == 0 || atLine && IsFromLine(text[:min(len(text), fromText)], true) {
		m.message.Sized, m.message.End, m.message.Next = true, body+n, next
	}
}

// peek returns n bytes at the given offset, or fewer bytes at the end of the mbox. atEOF reports
// whether the mbox ends after the returned bytes. If the offset is too far ahead in a stream,
// peek returns no bytes.
func (m *Mbox) peek(offset int64, n int) (text []byte, atEOF bool) {
	ahead := offset - m.lines.offset
	switch {
	case ahead <= mboxBuffer-int64(n):
		text, err := m.lines.r.Peek(int(ahead) + n)
		return text[min(int(ahead), len(text)):], err == io.EOF && len(text) >= int(ahead)
	case m.file == nil:
		return nil, false
	}
	text = make([]byte, n)
	got, _ := m.file.ReadAt(text, offset)
	return text[:got], offset+int64(got) == m.file.Size()
}

func lineEnd(text []byte) int {
	switch {
	case bytes.HasPrefix(text, []byte("\n")):
		return 1
	case bytes.HasPrefix(text, []byte("\r\n")):
		return 2
	}
	return 0
}

func (m *Mbox) bodyLine(f *fragment) {
	m.blankLen = 0
	if f.begins && len(f.text) == 0 {
		m.blankLen = len(f.eol)
	}
	if !m.Quotes || !f.begins {
		return
	}
	text := f.text[:min(len(f.text), maxLine)]
	rest := bytes.TrimLeft(text, ">")
	n := len(text) - len(rest)
	switch {
	case !bytes.HasPrefix(rest, []byte(from)):
		return
	case n == 0:
		m.bare = true
		return
	case n == 1:
		m.message.Doubtful++
	}
	if len(m.message.Quotes) <= maxFromQuotes {
		m.message.Quotes = append(m.message.Quotes, f.start)
	}
}

// endMessage ends the current message before the next line.
func (m *Mbox) endMessage() {
	e, h := &m.message, &m.header
	if m.state != mboxBody {
		h.endHeader(m.lines.offset)
		e.Body = h.body
	}
	m.state = mboxDone
	e.IDs = h.ids
	switch {
	case e.Sized && m.bare:
		e.Quotes, e.Doubtful = nil, 0
	case len(e.Quotes) > maxFromQuotes:
		e.Quotes = nil
	}
	if e.Sized {
		return
	}
	e.Next = m.lines.offset
	e.End = e.Next
	if h.ended {
		e.End -= int64(m.blankLen)
	}
	if m.err != nil {
		e.Cut = !h.ended || !m.ended || h.length > e.Next-e.Body
	}
}

// idHeader reads the header fields that an mbox and an index need. An idHeader reads the
// header line by line, so that memory does not depend on the length of the header.
type idHeader struct {
	ids    []string
	length int64 // Content-Length, or -1
	body   int64 // offset of the body
	ended  bool  // a blank line ends the header
	noIDs  bool  // skip the Message-ID fields

	name  string // name of the current field, or "" if the field is ignored
	value []byte
}

// readLine reads a line of the header. isEnd reports whether the header ends with this line or
// before it.
func (h *idHeader) readLine(f *fragment) (isEnd bool) {
	if !f.begins {
		return false
	}
	text := f.text[:min(len(f.text), maxLine)]
	switch {
	case len(text) == 0 || f.eol == "" && string(text) == "\r":
		h.endHeader(f.next())
		h.ended = f.eol != ""
		return true
	case isBlank(text[0]):
		if h.name != "" && len(h.value) <= maxIDField {
			h.value = append(append(h.value, '\n'), text...)
		}
		return false
	}
	h.endField()
	n := nameLen(text)
	switch {
	case n > 0:
		for _, name := range []string{"Content-Length", "Message-ID"} {
			if n == len(name) && strings.EqualFold(string(text[:n]), name) && (!h.noIDs || name != "Message-ID") {
				_, value, _ := bytes.Cut(text, []byte{':'})
				h.name, h.value = name, append(h.value, value...)
			}
		}
	case bytes.HasPrefix(text, []byte(">"+from)), bytes.HasPrefix(text, []byte(from)):
		// Some programs leave a From_ line within the header of a forwarded message.
	default:
		h.body = f.start
		return true
	}
	return false
}

// endHeader ends the header. The body begins at offset.
func (h *idHeader) endHeader(offset int64) {
	h.endField()
	h.body = offset
}

func (h *idHeader) endField() {
	switch {
	case h.name == "Message-ID" && len(h.value) <= maxIDField && len(h.ids) < maxIDs:
		for _, id := range messageIDs(string(h.value)) {
			if len(h.ids) < maxIDs && !slices.Contains(h.ids, id) {
				h.ids = append(h.ids, id)
			}
		}
	case h.name == "Content-Length" && h.length < 0:
		if n, err := strconv.ParseUint(string(bytes.TrimSpace(h.value)), 10, 63); err == nil {
			h.length = int64(n)
		}
	}
	h.name, h.value = "", h.value[:0]
}

var idBuffers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 16<<10) }}

// ReadIDs reads the header of a message for an index. ReadIDs returns the identifiers of the
// Message-ID fields, like [MboxMessage].IDs. ReadIDs also returns the offset at which the
// header starts, which is greater than 0 if a From_ line precedes the header. Memory does not
// depend on the length of the header. If mbox is true, a second From_ line ends the message,
// as in an mbox.
func ReadIDs(r io.Reader, mbox bool) (ids []string, start int64, err error) {
	buffer := idBuffers.Get().(*bufio.Reader)
	defer idBuffers.Put(buffer)
	buffer.Reset(r)
	defer buffer.Reset(nil)
	m := &Mbox{lines: fragmentReader{r: buffer}, header: idHeader{length: -1}, state: mboxHeader, single: !mbox}
	if start, _ := buffer.Peek(len(from)); string(start) == from {
		m.state = mboxFrom
	}
	for m.state != mboxBody && m.readLine() {
	}
	return m.header.ids, m.message.Header, m.Err()
}

const from = "From "

// IsFromLine reports whether the text, which must be part of an mbox, begins with a From_
// line. A From_ line begins with "From " and contains a date, and a header field must follow
// the line. After a blank line, or at the start of an mbox, either the date or the header
// field is sufficient. A line that begins with "From :" is not a From_ line, but a header
// field with a space before its colon (RFC 5322 section 4.5). IsFromLine reads only the first
// 2 KiB of the text.
func IsFromLine(text []byte, afterBlank bool) bool {
	if !bytes.HasPrefix(text, []byte(from)) {
		return false
	}
	line, next, _ := bytes.Cut(text[:min(len(text), fromText)], []byte{'\n'})
	if nameLen(line) > 0 {
		return false
	}
	dated := isDated(line)
	if dated == afterBlank {
		return dated
	}
	return nameLen(next) > 0
}

// isDated reports whether a From_ line contains a time and a year, in any order. The line may
// contain other text, as in "From joe@host.dom Sat Jan 3 01:05:34 1996".
func isDated(line []byte) bool {
	timed := false
	for i := 1; i+1 < len(line) && !timed; i++ {
		timed = line[i] == ':' && isDigit(line[i-1]) && isDigit(line[i+1])
	}
	if !timed {
		return false
	}
	for word := range bytes.FieldsSeq(line) {
		if len(word) == 4 && (string(word[:2]) == "19" || string(word[:2]) == "20") && isDigit(word[2]) && isDigit(word[3]) {
			return true
		}
	}
	return false
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// FieldName returns the name of the header field that begins with line, or nil (RFC 5322 section
// 2.2; section 4.5 allows spaces before the ":").
func FieldName(line []byte) []byte { return line[:nameLen(line)] }

package document

import (
	"bufio"
	"bytes"
	"io"
	"strconv"
	"strings"
)

// mbox reports the links of the messages of an mbox, which are numbered from 1.
func (f *finder) mbox(it item) {
	b := &mboxReader{r: bufio.NewReaderSize(it.r, mboxBuffer), start: true, empty: true}
	for n := 1; b.message(); n++ {
		if !f.next(it) {
			return
		}
		part := it.part(b, "", strconv.Itoa(n))
		part.typ = "message/rfc822"
		f.find(part)
		// Skip the rest of the message.
		if _, err := io.Copy(io.Discard, b); err != nil {
			break
		}
	}
	if b.err != nil && b.err != io.EOF {
		f.fail(it, b.err)
	}
}

const (
	mboxBuffer = 32 << 10
	// fromLine is how much of a From_ line and of the line after it is looked at.
	fromLine = 1 << 10
)

// mboxReader reads one message of an mbox after another: Read returns io.EOF at the end of
// each, and message moves to the next.
type mboxReader struct {
	r       *bufio.Reader
	err     error
	pending []byte // rest of a line
	start   bool   // a line begins after it
	empty   bool   // the line before that is empty or missing
	first   bool   // that line is the first of the message
}

// message moves to the next message, and reports whether there is one. The message before
// must have been read to its end.
func (b *mboxReader) message() bool {
	if b.err == nil {
		b.first = true
		_, b.err = b.r.Peek(1)
	}
	return b.err == nil
}

// Read reads from the message, its From_ line included.
func (b *mboxReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if len(b.pending) == 0 {
		if b.err != nil {
			return 0, b.err
		}
		if b.start && !b.first && b.isFrom() {
			return 0, io.EOF
		}
		b.line()
		if len(b.pending) == 0 {
			return 0, b.err
		}
	}
	n := copy(p, b.pending)
	b.pending = b.pending[n:]
	return n, nil
}

// line reads a line, or as much of it as the buffer has.
func (b *mboxReader) line() {
	whole := b.start
	b.pending, b.err = b.r.ReadSlice('\n')
	if b.err == bufio.ErrBufferFull {
		b.err = nil
	}
	b.start = bytes.HasSuffix(b.pending, []byte{'\n'})
	b.empty = whole && len(bytes.TrimRight(b.pending, "\r\n")) == 0
	b.first = false
}

// isFrom reports whether the line that begins here is a From_ line: it has a date and
// follows an empty line, or has one of both, and a field of a header follows.
func (b *mboxReader) isFrom() bool {
	if start, _ := b.r.Peek(len(from)); !bytes.Equal(start, from) {
		return false
	}
	text, _ := b.r.Peek(2 * fromLine)
	line, next, _ := bytes.Cut(text, []byte{'\n'})
	dated := isDated(line)
	if dated == b.empty {
		return dated
	}
	return isField(next)
}

var from = []byte("From ")

// isMbox reports whether a text begins like an mbox.
func isMbox(text []byte) bool {
	line, next, ok := bytes.Cut(text, []byte{'\n'})
	return ok && bytes.HasPrefix(line, from) && isDated(line) && isField(next)
}

// isDated reports whether a line has a time and a year.
func isDated(line []byte) bool {
	timed, year := false, false
	for word := range bytes.FieldsSeq(line) {
		timed = timed || len(word) >= len("1:05") && bytes.IndexByte(word, ':') > 0 && isDigit(word[0]) && isDigit(word[len(word)-1])
		year = year || len(word) == 4 && (word[0] == '1' && word[1] == '9' || word[0] == '2' && word[1] == '0') &&
			isDigit(word[2]) && isDigit(word[3])
	}
	return timed && year
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isField reports whether text begins with a field of a header.
func isField(text []byte) bool { return fieldName(text) != nil }

// fieldName returns the name of the field that text begins with, or nil.
func fieldName(text []byte) []byte {
	colon := bytes.IndexByte(text[:min(len(text), maxFieldName)], ':')
	if colon <= 0 {
		return nil
	}
	for _, c := range text[:colon] {
		if c <= ' ' || c >= 0x7F {
			return nil
		}
	}
	return text[:colon]
}

// maxFieldName is the longest name of a field that counts.
const maxFieldName = 64

// isMail reports whether a text begins with the header of a message: only fields up to an
// empty line or the end of text, and at least two of the usual ones.
func isMail(text []byte) bool {
	known := 0
	for len(text) > 0 {
		line, rest, ok := bytes.Cut(text, []byte{'\n'})
		if !ok {
			break // The line is cut.
		}
		line = bytes.TrimSuffix(line, []byte{'\r'})
		if len(line) == 0 {
			break
		}
		if line[0] != ' ' && line[0] != '\t' {
			name := fieldName(line)
			if name == nil {
				return false
			}
			switch strings.ToLower(string(name)) {
			case "from", "date", "message-id", "received", "return-path", "newsgroups", "mime-version", "path":
				known++
			}
		}
		text = rest
	}
	return known >= 2
}

package news

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/locus-url/locus/message"
	"github.com/locus-url/locus/scheme/internal/lineconn"
)

// block is the multi-line block of a reply. A line that contains only a dot ends the block.
type block struct {
	*operation
	command string
	err     error // the error that ended the block; io.EOF after the whole block
}

// finish records err as the error that ended the block, and ends the operation.
func (b *block) finish(err error) {
	b.End(err == io.EOF)
	b.err = err
	if err != io.EOF {
		b.err = lineconn.Failure(b.ctx, "news", fmt.Errorf("the reply to %s: %w", b.command, err))
	}
}

// body reads the text of an article. It is the Body of the object for the article.
type body struct {
	block
	dots *dotReader
	head []byte // bytes that newBody has read to find the date
}

// maxHead is the number of bytes at the beginning of an article in which the client looks for
// the date.
const maxHead = 32 << 10

// headEnd separates the head of an article from its body.
const headEnd = "\r\n\r\n"

// newBody returns a body. Before it returns, it reads the head of the article, but at most
// maxHead bytes.
func newBody(x *operation) *body {
	b := &body{block: block{operation: x, command: "ARTICLE"}, dots: x.conn.blockReader()}
	head := make([]byte, 0, 4<<10)
	for len(head) < maxHead && b.err == nil {
		if len(head) == cap(head) {
			head = append(head, 0)[:len(head)]
		}
		from := max(len(head)-len(headEnd)+1, 0)
		n, err := b.read(head[len(head):cap(head)])
		head = head[:len(head)+n]
		if err != nil || bytes.Contains(head[from:], []byte(headEnd)) {
			break
		}
	}
	b.head = head
	return b
}

// date returns the date in the head. If the head contains no date, it returns the zero time.
func (b *body) date() time.Time {
	h, _ := message.ReadHeader(bytes.NewReader(b.head), nil)
	t, _ := h.Date()
	return t
}

func (b *body) read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.dots.Read(p)
	if err != nil {
		b.conn.endDots(b.dots)
		b.finish(err)
	}
	return n, b.err
}

// Read returns io.EOF only if the server has sent the dot that ends the block.
func (b *body) Read(p []byte) (int, error) {
	if len(b.head) > 0 {
		n := copy(p, b.head)
		b.head = b.head[n:]
		return n, nil
	}
	return b.read(p)
}

// blockReader returns a reader for the bytes of the next block.
func (c *conn) blockReader() *dotReader {
	c.Owed++
	if c.archived {
		return newDotReader(octetReader{c})
	}
	return newDotReader(connReader{c})
}

// endDots updates the state of the connection after the last read from d.
func (c *conn) endDots(d *dotReader) {
	// Buffered data means that the server sent more than the client requested.
	c.Broken = c.Broken || d.r.Buffered() > 0
	if d.err == io.EOF {
		c.Owed--
	}
}

// connReader reads from a connection, and classifies errors with readError.
type connReader struct{ *conn }

func (r connReader) Read(p []byte) (int, error) {
	n, err := r.Lines.Read(p)
	r.source.Write(p[:n])
	if err != nil {
		err = readError(err)
	}
	return n, err
}

// octetReader reads archived replies. It does not read ahead.
type octetReader struct{ *conn }

func (r octetReader) Read(p []byte) (int, error) { return connReader(r).Read(p[:min(len(p), 1)]) }

// articleID returns the message-id in the reply to ARTICLE or STAT, without "<" and
// ">".
func articleID(r reply) string {
	for text := range strings.FieldsSeq(r.text) {
		if text[0] == '<' {
			return unbracketed(text)
		}
	}
	return ""
}

// dotReader reads a multi-line block, which ends with a line that contains only a dot. A
// server adds a dot to a line that begins with a dot, and dotReader removes the added dot (RFC
// 3977 section 3.1.1). Only CR LF ends a line; any other CR or LF belongs to the article.
type dotReader struct {
	r      *bufio.Reader
	unread []byte // bytes read from r, but not yet returned
	inLine bool   // the next byte of r does not begin a line
	cr     bool   // the last byte of r was CR
	err    error  // the error that ended the block; io.EOF at its regular end
}

func newDotReader(r io.Reader) *dotReader { return &dotReader{r: bufio.NewReader(r)} }

// Read returns io.ErrUnexpectedEOF if r ends before the end of the block.
func (d *dotReader) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(d.unread) == 0 {
			if d.err != nil || n > 0 && d.r.Buffered() == 0 {
				break
			}
			d.readLine()
			continue
		}
		copied := copy(p[n:], d.unread)
		d.unread = d.unread[copied:]
		n += copied
	}
	if n > 0 {
		return n, nil
	}
	return 0, d.err
}

// readLine reads the rest of the current line. If the buffer is too small, it reads a part of
// the line.
func (d *dotReader) readLine() {
	text, err := d.r.ReadSlice('\n')
	switch err {
	case nil, bufio.ErrBufferFull:
	case io.EOF:
		d.err = io.ErrUnexpectedEOF // io.EOF would mean that the block is complete
	default:
		d.err = err
	}
	if !d.inLine && len(text) > 0 && text[0] == '.' {
		if string(text) == ".\r\n" {
			d.err = io.EOF
			return
		}
		text = text[1:]
		if d.err != nil && string(text) == "\r" {
			return // the connection ended within the line that ends the block
		}
	}
	d.unread = text
	if len(text) > 0 {
		d.inLine = !bytes.HasSuffix(text, []byte("\r\n")) && !(d.cr && text[0] == '\n')
		d.cr = text[len(text)-1] == '\r'
	}
}

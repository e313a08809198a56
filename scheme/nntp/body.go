package nntp

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"
)

// block is what follows a reply and goes on to a dot alone on a line.
type block struct {
	*exchange
	what string // the command that it answers
	err  error  // that it ended with, io.EOF if all went well
}

// finish ends the block, and the exchange with it, when err came.
func (b *block) finish(err error) {
	b.end(err == io.EOF)
	b.err = err
	if err != io.EOF {
		b.err = b.failure(fmt.Errorf("the reply to %s: %w", b.what, err))
	}
}

// body is the octets of an article.
type body struct {
	block
	dots dotReader
	head []byte // was read before it was asked for
}

// maxHead is how much of an article is looked at for its date.
const maxHead = 32 << 10

// newBody waits for the head of an article, or a good part of it.
func newBody(x *exchange) *body {
	b := &body{block: block{exchange: x, what: "ARTICLE"}, dots: x.conn.dots()}
	room := make([]byte, 0, 4<<10)
	for len(room) < maxHead && b.err == nil {
		if len(room) == cap(room) {
			room = append(room, 0)[:len(room)]
		}
		from := max(len(room)-len(headEnd)+1, 0)
		n, err := b.read(room[len(room):cap(room)])
		room = room[:len(room)+n]
		if err != nil || bytes.Contains(room[from:], []byte(headEnd)) {
			break
		}
	}
	b.head = room
	return b
}

// headEnd is between the head of an article and its body.
const headEnd = "\r\n\r\n"

// date returns what the head says, or the zero time.
func (b *body) date() time.Time {
	head, _, _ := bytes.Cut(b.head, []byte(headEnd))
	o := overviewOf(0, string(head))
	return o.time()
}

// read reads what comes from the server.
func (b *body) read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.dots.Read(p)
	if err != nil {
		b.conn.endDots(&b.dots)
		b.finish(err)
	}
	return n, b.err
}

// Read reads the article. It ends in io.EOF only at the end that the server gave
// it.
func (b *body) Read(p []byte) (int, error) {
	if len(b.head) > 0 {
		n := copy(p, b.head)
		b.head = b.head[n:]
		return n, nil
	}
	return b.read(p)
}

// dots begins to read a block as octets.
func (c *conn) dots() dotReader {
	c.owed++
	return dotReader{r: octets{c}}
}

// endDots notes that the block has been read to its end, if it has. Nothing was
// asked for that could be behind it.
func (c *conn) endDots(d *dotReader) {
	c.broken = c.broken || d.surplus()
	if d.err == io.EOF {
		c.owed--
	}
}

// octets is what a connection has to read.
type octets struct{ *conn }

func (o octets) Read(p []byte) (int, error) {
	n, err := o.lines.Read(p)
	if err != nil {
		err = replyError(err)
	}
	return n, err
}

// articleID is the message-id in a reply that an article follows, without "<" and
// ">".
func articleID(r Reply) string {
	for text := range strings.FieldsSeq(r.Text) {
		if text[0] == '<' {
			return unbracketed(text)
		}
	}
	return ""
}

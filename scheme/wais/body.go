package wais

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/locus-url/locus/scheme"
)

// A document is asked for in ranges, since servers have a buffer for an answer. How
// long it is shows at its end alone: a length that a header or a URL has is that of
// another type of the document, or of another day.

// minRange is how small a range is tried when the server can't answer.
const minRange = 500

// aroundRange is how much of an answer is left for what is not the document's, apart
// from the document-id: programs of the time leave as much.
const aroundRange = 1000

// referenceID is what retrievals have, so that an answer to another shows. It is the
// one that programs of the time have in each.
const referenceID = "3"

// body is the octets of a document.
type body struct {
	exchange *exchange
	ask      Retrieval // Start: of the next range
	begin    int64     // where the first range began
	size     int64     // octets of a range
	most     int64     // how many octets it may have,
	left     int64     // and how many yet

	text   []byte // of the last range: what is not read yet
	err    error  // what comes after it
	closed atomic.Bool
}

// newBody returns the body of a document that is to be opened. The error says that it
// can't be asked for.
func newBody(database string, id DocumentID, wtype string) (*body, error) {
	b := &body{ask: Retrieval{Database: database, ID: id, Wtype: wtype, Unit: UnitOctets, ReferenceID: referenceID}}
	return b, b.ask.check()
}

// open asks for the first range, so that there is a document. It may be called again
// with another exchange if that fails.
func (b *body) open(x *exchange, offset, limit int64) error {
	b.exchange, b.most, b.left = x, limit, limit
	b.size = x.rangeSize(b.ask.ID)
	b.begin, b.ask.Start = offset, offset
	text, err := b.next()
	if offset > 0 && len(text) == 0 && errors.Is(err, scheme.ErrNotFound) {
		// It is not that long, so it is not the one that the first part is of.
		b.begin, b.ask.Start = 0, 0
		text, err = b.next()
	}
	if err != nil && err != io.EOF && len(text) == 0 {
		return err
	}
	b.got(text, err)
	return nil
}

// rangeSize is how much of a document is asked for at once.
func (x *exchange) rangeSize(id DocumentID) int64 {
	size := int64(x.job.client.o.Range)
	if x.conn.room > 0 {
		size = min(size, max(x.conn.room-aroundRange-int64(len(id)), minRange))
	}
	return size
}

// got takes what next returned. At the end the connection is for others.
func (b *body) got(text []byte, err error) {
	b.text, b.err = text, err
	if err != nil {
		b.exchange.end()
	}
}

// next returns the next range, and what comes after it if that is known: io.EOF at
// the end of the document.
func (b *body) next() (text []byte, err error) {
	first := b.ask.Start == b.begin
	want, err := b.retrieve()
	if err != nil {
		return nil, err
	}
	r := &b.exchange.reply
	outOfRange, failed := tellEnd(r.Diagnostics)
	switch {
	case len(r.Texts) > 1:
		return nil, fmt.Errorf("wais: %w: %d texts for one range of a document", scheme.ErrProtocol, len(r.Texts))
	case len(r.Texts) == 1:
		text = r.Texts[0].Octets
		text = text[:min(int64(len(text)), want)]
	case failed != nil:
		return nil, failed
	case outOfRange == nil:
		return nil, fmt.Errorf("wais: %w: an answer without a text, and without a word of what is wrong", scheme.ErrProtocol)
	case first:
		return nil, outOfRange
	}
	whole := int64(len(text)) == want
	if int64(len(text)) > b.left {
		return text[:b.left], fmt.Errorf("wais: %w: the document has more than %d octets", scheme.ErrTooLarge, b.most)
	}
	b.left -= int64(len(text))
	b.ask.Start += int64(len(text))
	if failed == nil && !whole {
		failed = io.EOF
	}
	return text, failed
}

// tellEnd tells the diagnostic that a range goes beyond the end, which is how ends show,
// from others. Either may be nil.
func tellEnd(list []Diagnostic) (outOfRange, failed error) {
	for _, d := range list {
		switch {
		case d.Code == codeOutOfRange:
			outOfRange = d
		case failed == nil:
			failed = d
		}
	}
	return outOfRange, failed
}

// retrieve asks for the next range, and for a smaller one if the answer would not fit
// the server's buffer. It returns how many octets it asked for.
func (b *body) retrieve() (want int64, err error) {
	for {
		// One octet more than may be tells a document that ends there from one that
		// goes on.
		want = min(b.size, b.left+1)
		b.ask.End = b.ask.Start + want
		err = b.exchange.retrieve(&b.ask)
		if !errors.Is(err, ErrEmpty) || want <= minRange {
			return want, err
		}
		b.size = max(want/2, minRange)
	}
}

// Read reads the document. What it waits for is one range at a time.
func (b *body) Read(p []byte) (int, error) {
	switch {
	case b.closed.Load():
		return 0, errClosed
	case len(p) == 0:
		return 0, nil
	}
	if len(b.text) == 0 && b.err == nil {
		b.got(b.next())
	}
	switch {
	case len(b.text) == 0:
		return 0, b.err
	case b.exchange.job.ctx.Err() != nil:
		return 0, b.exchange.failure(errClosed)
	}
	n := copy(p, b.text)
	b.text = b.text[n:]
	return n, nil
}

// Close ends the reading. The connection is kept, unless a range is under way.
func (b *body) Close() error {
	b.closed.Store(true)
	b.exchange.end()
	return nil
}

package wais

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/locus-url/locus/scheme"
)

// The client requests a document in ranges, because servers have a limited buffer
// for a response. Only the last range shows the length of the document: the length
// in a header or a URL may belong to another type or an older version.

const (
	// minRange is the minimum size of a range that the client requests after the server
	// could not send a larger range.
	minRange = 500
	// referenceID is the Reference-ID of all retrievals, by which the client recognizes
	// their responses. Programs of the time always send this Reference-ID.
	referenceID = "3"
)

type body struct {
	exchange *exchange
	ask      retrieval // request for the next range, which begins at its Start
	begin    int64     // start of the first range that was requested
	size     int64     // size of a range in octets
	most     int64     // maximum number of octets in the document
	left     int64     // number of octets that the document may still have

	text   []byte // unread octets of the last range
	err    error  // the error to return after text
	closed atomic.Bool
}

// newBody returns the body of a document. The caller must then call open. If no request can
// contain the arguments, newBody returns an error.
func newBody(database string, id DocumentID, wtype string) (*body, error) {
	b := &body{ask: retrieval{Database: database, ID: id, Wtype: wtype, ReferenceID: referenceID}}
	return b, b.ask.check()
}

// open requests the first range. If it fails, the caller may call it again with another
// exchange.
func (b *body) open(x *exchange, offset, limit int64) error {
	b.exchange, b.most, b.left = x, limit, limit
	b.size = int64(x.op.client.o.Range)
	b.begin, b.ask.Start = offset, offset
	text, err := b.next()
	if offset > 0 && len(text) == 0 && errors.Is(err, scheme.ErrNotFound) {
		// The document is shorter than offset, so it has changed. Begin at its start.
		b.begin, b.ask.Start = 0, 0
		text, err = b.next()
	}
	if err != nil && err != io.EOF && len(text) == 0 {
		return err
	}
	b.got(text, err)
	return nil
}

// got stores the results of next. If err is not nil, got ends the exchange, which releases
// the connection.
func (b *body) got(text []byte, err error) {
	b.text, b.err = text, err
	if err != nil {
		b.exchange.end()
	}
}

// next returns the next range. If no range follows, it also returns io.EOF or another
// error.
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
		text = r.Texts[0][:min(int64(len(r.Texts[0])), want)]
	case failed != nil:
		return nil, failed
	case outOfRange == nil:
		return nil, fmt.Errorf("wais: %w: the response has neither a text nor a diagnostic", scheme.ErrProtocol)
	case first:
		return nil, outOfRange
	}
	whole := int64(len(text)) == want
	if int64(len(text)) > b.left {
		return text[:b.left], fmt.Errorf("wais: %w: the document has more than %d bytes", scheme.ErrTooLarge, b.most)
	}
	b.left -= int64(len(text))
	b.ask.Start += int64(len(text))
	if failed == nil && !whole {
		failed = io.EOF
	}
	return text, failed
}

// tellEnd returns two diagnostics, either of which may be nil. The diagnostic outOfRange
// reports that the range exceeds the document, and failed is the first other diagnostic.
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

// retrieve requests the next range. If the response does not fit into the server's buffer,
// retrieve requests a smaller range. It returns the size of the requested range.
func (b *body) retrieve() (want int64, err error) {
	for {
		// One octet more than the limit shows whether the document is too large.
		want = min(b.size, b.left+1)
		b.ask.End = b.ask.Start + want
		err = b.exchange.retrieve(&b.ask)
		if !errors.Is(err, ErrEmpty) || want <= minRange {
			return want, err
		}
		b.size = max(want/2, minRange)
	}
}

// Read reads the document, one range at a time.
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
	case b.exchange.op.ctx.Err() != nil:
		return 0, b.exchange.failure(errClosed)
	}
	n := copy(p, b.text)
	b.text = b.text[n:]
	return n, nil
}

// Close ends the reading. If no response is pending, it releases the connection for reuse.
// Otherwise it closes the connection.
func (b *body) Close() error {
	b.closed.Store(true)
	b.exchange.end()
	return nil
}

package wais

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/locus-url/locus/scheme"
)

// The client requests a document in ranges, because a server's response buffer is limited.
// Only the response to the last range reveals the length of the document. The length in a
// document header or a URL may belong to another type or an older version of the document.

const (
	// minRange is the smallest range that the client requests if the server cannot send a
	// larger range.
	minRange = 500
	// referenceID is the Reference-ID of all retrievals. The client checks it in responses.
	// Clients of the 1990s always send this Reference-ID.
	referenceID = "3"
)

type body struct {
	exchange  *exchange
	request   retrieval // request for the next range
	begin     int64     // offset of the first requested range
	size      int64     // size of a range in bytes
	maxSize   int64     // maximum size of the document in bytes
	remaining int64     // number of bytes that the document may still contain

	unread []byte // unread bytes of the last range
	err    error  // the error to return after the unread bytes
	closed atomic.Bool
}

// newBody returns the body of a document. The caller must call readFirst before Read. If a
// request cannot contain the arguments, newBody returns an error.
func newBody(database string, id DocumentID, wtype string) (*body, error) {
	b := &body{request: retrieval{Database: database, ID: id, Wtype: wtype, ReferenceID: referenceID}}
	return b, b.request.check()
}

// readFirst requests the first range. If readFirst fails, the caller may call it again with
// another exchange.
func (b *body) readFirst(x *exchange, offset, limit int64) error {
	b.exchange, b.maxSize, b.remaining = x, limit, limit
	b.size = int64(x.op.client.o.Range)
	b.begin, b.request.Start = offset, offset
	text, err := b.readNext()
	if offset > 0 && len(text) == 0 && errors.Is(err, scheme.ErrNotFound) {
		// The document is shorter than offset, so it has changed. The transfer begins at
		// offset 0 instead.
		b.begin, b.request.Start = 0, 0
		text, err = b.readNext()
	}
	if err != nil && err != io.EOF && len(text) == 0 {
		return err
	}
	b.setResult(text, err)
	return nil
}

// setResult stores the results of readNext. If err is not nil, setResult ends the exchange and
// thereby releases the connection.
func (b *body) setResult(text []byte, err error) {
	b.unread, b.err = text, err
	if err != nil {
		b.exchange.finish()
	}
}

// readNext returns the text of the next range. If no range follows, it also returns io.EOF or
// another error.
func (b *body) readNext() (text []byte, err error) {
	first := b.request.Start == b.begin
	want, err := b.retrieve()
	if err != nil {
		return nil, err
	}
	r := &b.exchange.reply
	outOfRange, failed := splitDiagnostics(r.Diagnostics)
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
	if int64(len(text)) > b.remaining {
		return text[:b.remaining], fmt.Errorf("wais: %w: the document has more than %d bytes", scheme.ErrTooLarge, b.maxSize)
	}
	b.remaining -= int64(len(text))
	b.request.Start += int64(len(text))
	if failed == nil && !whole {
		failed = io.EOF
	}
	return text, failed
}

// splitDiagnostics splits the diagnostics of a response. The error outOfRange is the
// diagnostic that reports that the range exceeds the document. The error failure is the first
// other diagnostic. Both errors may be nil.
func splitDiagnostics(list []Diagnostic) (outOfRange, failure error) {
	for _, d := range list {
		switch {
		case d.Code == codeOutOfRange:
			outOfRange = d
		case failure == nil:
			failure = d
		}
	}
	return outOfRange, failure
}

// retrieve requests the next range. If the response does not fit into the server's buffer,
// retrieve requests a smaller range. It returns the size of the requested range.
func (b *body) retrieve() (size int64, err error) {
	for {
		// Requesting one byte more than the limit detects a document that is too large.
		size = min(b.size, b.remaining+1)
		b.request.End = b.request.Start + size
		err = b.exchange.retrieve(&b.request)
		if !errors.Is(err, ErrEmpty) || size <= minRange {
			return size, err
		}
		b.size = max(size/2, minRange)
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
	if len(b.unread) == 0 && b.err == nil {
		b.setResult(b.readNext())
	}
	switch {
	case len(b.unread) == 0:
		return 0, b.err
	case b.exchange.op.ctx.Err() != nil:
		return 0, b.exchange.failure(errClosed)
	}
	n := copy(p, b.unread)
	b.unread = b.unread[n:]
	return n, nil
}

// Close ends the exchange. If no response is pending, Close releases the connection for reuse.
// Otherwise it closes the connection.
func (b *body) Close() error {
	b.closed.Store(true)
	b.exchange.finish()
	return nil
}

package http

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"

	"github.com/locus-url/locus/internal/httpwire"
	"github.com/locus-url/locus/scheme"
)

// newBody returns a reader for the body of response a. If decode is true, the reader
// decompresses the body. Reading fails if the number of transferred bytes differs from length.
// A length of -1 means that the length is unknown.
func newBody(a *response, length int64, decode bool, t *tracer) io.ReadCloser {
	counted := &body{answer: a, length: length, tracer: t}
	if decode {
		return &gunzip{ReadCloser: counted}
	}
	return counted
}

// body reads the body of a response, without decompression.
type body struct {
	answer           *response
	tracer           *tracer
	received, length int64
	err              error // the error that the last Read returned
}

func (b *body) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.answer.Body.Read(p)
	b.received += int64(n)
	if err == nil {
		return n, nil
	}
	if err == io.EOF {
		b.err = b.checkEnd()
	} else {
		b.err = b.incompleteError(err)
	}
	return n, b.err
}

func (b *body) Close() error { return b.answer.Body.Close() }

// checkEnd checks the body after the last byte. If the body is complete, checkEnd returns
// io.EOF.
func (b *body) checkEnd() error {
	if f := b.answer.framing; f != nil && f.excess.Load() {
		return fmt.Errorf("http: %w: the server sent more than the %d bytes that it announced", scheme.ErrProtocol, b.received)
	}
	if b.length >= 0 && b.received != b.length {
		return b.incompleteError(io.ErrUnexpectedEOF)
	}
	b.tracer.fields(b.answer.Trailer)
	for _, name := range slices.Sorted(maps.Keys(b.answer.Trailer)) {
		if len(b.answer.Trailer[name]) == 0 {
			return fmt.Errorf("http: %w: got %d bytes, but not the announced trailer %q", scheme.ErrProtocol, b.received, name)
		}
	}
	return io.EOF
}

// incompleteError returns the error for an incomplete body.
func (b *body) incompleteError(err error) error {
	of := "an unknown number of"
	if b.length >= 0 {
		of = fmt.Sprint(b.length)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, fs.ErrClosed) || isTimeout(err) {
		return fmt.Errorf("http: got %d of %s bytes: %w", b.received, of, err)
	}
	return fmt.Errorf("http: %w: got %d of %s bytes: %w", scheme.ErrProtocol, b.received, of, quoted{err})
}

// gunzip decompresses a body. It reads the gzip header in the first Read, so that Open does
// not wait for the header.
type gunzip struct {
	io.ReadCloser
	reader *gzip.Reader
	err    error
}

func (g *gunzip) Read(p []byte) (int, error) {
	if g.reader == nil && g.err == nil {
		g.start()
	}
	if g.err != nil {
		return 0, g.err
	}
	n, err := g.reader.Read(p)
	g.err = gzipError(err)
	return n, g.err
}

func (g *gunzip) start() {
	in := bufio.NewReader(g.ReadCloser)
	if _, g.err = in.Peek(1); g.err != nil {
		// An empty body is valid even without a gzip header.
		return
	}
	var err error
	g.reader, err = gzip.NewReader(in)
	g.err = gzipError(err)
}

// gzipError wraps a decompression error in ErrProtocol. It returns other errors unchanged.
func gzipError(err error) error {
	var corrupt flate.CorruptInputError
	if err == io.ErrUnexpectedEOF || err == gzip.ErrHeader || err == gzip.ErrChecksum || errors.As(err, &corrupt) {
		return fmt.Errorf("http: %w: the compressed body is damaged: %w", scheme.ErrProtocol, err)
	}
	return err
}

// newRecordedBody returns a reader for the given body. When the body ends, the reader also
// ends the recorded exchange.
func newRecordedBody(body io.ReadCloser, a *response) io.ReadCloser {
	if a.exchange == nil {
		return body
	}
	return &recordedBody{body, a}
}

type recordedBody struct {
	io.ReadCloser
	answer *response
}

func (b *recordedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	switch {
	case err == io.EOF:
		b.answer.exchange.End(nil)
	case err != nil:
		b.answer.exchange.End(err)
	}
	return n, err
}

func (b *recordedBody) Close() error {
	var err error
	if f := b.answer.framing; f == nil || !f.ended.Load() {
		err = httpwire.ErrUnread
	}
	b.answer.exchange.End(err)
	return b.ReadCloser.Close()
}

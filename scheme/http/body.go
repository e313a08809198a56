package http

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/locus-url/locus/scheme"
)

// newBody returns the octets of a, decoded if they are to be, and makes sure that
// they are all there. length is how many must come; -1 is unknown.
func newBody(a *answer, length int64, decode bool, t *tracer) io.ReadCloser {
	counted := &body{answer: a, length: length, tracer: t}
	if decode {
		return &gunzip{ReadCloser: counted}
	}
	return counted
}

// body is the octets of a response as they are transferred.
type body struct {
	answer      *answer
	tracer      *tracer
	got, length int64
	err         error // what the body ended in
}

func (b *body) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.answer.Body.Read(p)
	b.got += int64(n)
	if err == nil {
		return n, nil
	}
	if err == io.EOF {
		b.err = b.end()
	} else {
		b.err = b.broken(err)
	}
	return n, b.err
}

func (b *body) Close() error { return b.answer.Body.Close() }

// end looks at a body that came to its end, and returns io.EOF if all is well.
func (b *body) end() error {
	if wire := b.answer.wire; wire != nil {
		wire.ended.Store(true)
		if wire.excess.Load() {
			return fmt.Errorf("http: %w: the server sent more than the %d octets that it announced", scheme.ErrProtocol, b.got)
		}
	}
	if b.length >= 0 && b.got != b.length {
		return b.broken(io.ErrUnexpectedEOF)
	}
	b.tracer.fields(b.answer.Trailer)
	for _, name := range slices.Sorted(maps.Keys(b.answer.Trailer)) {
		if len(b.answer.Trailer[name]) == 0 {
			return fmt.Errorf("http: %w: got %d octets and not the trailer %q that was announced", scheme.ErrProtocol, b.got, name)
		}
	}
	return io.EOF
}

// broken says that the body stopped before its end.
func (b *body) broken(err error) error {
	of := "an unknown number of"
	if b.length >= 0 {
		of = fmt.Sprint(b.length)
	}
	if errors.Is(err, context.Canceled) || isTimeout(err) {
		return fmt.Errorf("http: got %d of %s octets: %w", b.got, of, err)
	}
	return fmt.Errorf("http: %w: got %d of %s octets: %w", scheme.ErrProtocol, b.got, of, quoted{err})
}

// gunzip is the octets of a response that was compressed for its transfer. The
// header is read with the first octets, so that opening need not wait for them.
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
	g.err = damaged(err)
	return n, g.err
}

func (g *gunzip) start() {
	in := bufio.NewReader(g.ReadCloser)
	if _, g.err = in.Peek(1); g.err != nil {
		// Nothing at all is nothing, compressed or not.
		return
	}
	var err error
	g.reader, err = gzip.NewReader(in)
	g.err = damaged(err)
}

// damaged says of an error of decompression whose it is; those of the transfer
// speak for themselves.
func damaged(err error) error {
	var corrupt flate.CorruptInputError
	if err == io.ErrUnexpectedEOF || err == gzip.ErrHeader || err == gzip.ErrChecksum || errors.As(err, &corrupt) {
		return fmt.Errorf("http: %w: the compressed body is damaged: %w", scheme.ErrProtocol, err)
	}
	return err
}

// held is a body whose client is told when it is closed.
type held struct {
	io.ReadCloser
	leave func()
	once  sync.Once
}

func (h *held) Close() error {
	err := h.ReadCloser.Close()
	h.once.Do(h.leave)
	return err
}

package lines

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/internal/unpack"
)

// reader reads the sources in order.
type reader struct {
	o      Options
	ctx    context.Context
	out    chan<- *Block
	waited bool   // whether the last block had Wait set
	headed bool   // whether a source had a header
	last   []byte // header of the last source that has a header
	source
	filling
}

// source describes the current source.
type source struct {
	name    string
	line    int64         // number of the next line
	unit    string        // unit of the field line: "line" or "record"
	piped   bool          // whether a pump reads the source
	octets  byteCounter   // number of bytes read from the source before decompression
	packing unpack.Format // compression format
	finder  *Finder
}

// send delivers a block of the current source.
func (r *reader) send(b *Block) error {
	b.Source, b.Line, b.Read, b.Finder = r.name, r.line, r.octets.n, r.finder
	switch {
	case b.Cut > 0:
		r.line++
	case len(b.Text) > 0:
		r.line += int64(bytes.Count(b.Text, newline))
	}
	r.waited = b.Wait
	select {
	case r.out <- b:
		return nil
	case <-r.ctx.Done():
		return r.ctx.Err()
	}
}

var newline = []byte{'\n'}

// headSize is the buffer size for the first bytes of a source.
const headSize = 64 << 10

// readSource reads a source, and delivers any error.
func (r *reader) readSource(name string) {
	r.source = source{name: name, line: 1, unit: "line"}
	unpacked, err := r.openUnpacked()
	if err == nil {
		err = r.readContent(unpacked.Reader)
		unpacked.Close()
	}
	if err != nil && r.ctx.Err() == nil {
		r.send(&Block{Err: r.explain(err)})
	}
}

// explain adds the name of the source and the position to err.
func (r *reader) explain(err error) error {
	var system *os.PathError
	if errors.As(err, &system) {
		err = system.Err
	}
	name := locus.Quote(r.name)
	if r.name == "-" {
		name = "standard input"
	}
	if errors.As(err, new(*FormatError)) || errors.As(err, new(*ColumnError)) {
		return fmt.Errorf("%s: %w", name, err) // these errors need no position
	}
	var where []string
	if r.line > 1 {
		where = append(where, fmt.Sprintf("after %s %d", r.unit, r.line-1))
	}
	if r.packing != unpack.None {
		where = append(where, fmt.Sprintf("near byte %d of the compressed file", r.octets.offset()))
	}
	if len(where) > 0 {
		name += ": " + strings.Join(where, ", ")
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		name += ": the file is cut"
	}
	return fmt.Errorf("%s: %w", name, err)
}

// openUnpacked opens the current source and decompresses it.
func (r *reader) openUnpacked() (*openedSource, error) {
	f, err := r.openCurrent()
	if err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(readFunc(r.octets.read), headSize)
	r.octets.r, r.octets.head = f, in
	opened := &openedSource{Reader: in, closers: []io.Closer{f}}
	for range maxDepth {
		format, err := detect(opened.Reader)
		if err != nil || format == unpack.None {
			opened.skipMark()
			return opened, nil // the next read repeats an error
		}
		r.packing = format
		z, err := unpack.NewReader(opened.Reader, format)
		if err != nil {
			opened.Close()
			return nil, err
		}
		opened.closers = append(opened.closers, z)
		opened.Reader = bufio.NewReaderSize(z, headSize)
	}
	return opened, nil
}

// maxDepth is the maximum depth of nested compression.
const maxDepth = 4

func detect(in *bufio.Reader) (f unpack.Format, err error) {
	for sure := false; !sure; {
		// In a short file, decide from the available bytes.
		if _, err = in.Peek(in.Buffered() + 1); err != nil && in.Buffered() == 0 {
			return unpack.None, err
		}
		head, _ := in.Peek(in.Buffered())
		if f, sure = unpack.Detect(head); err != nil {
			return f, nil
		}
	}
	return f, nil
}

// skipMark skips a byte order mark. If a US-ASCII character follows a UTF-16 mark, skipMark
// decodes the source as UTF-16, which some Windows programs write.
func (o *openedSource) skipMark() {
	const mark, big, little = "\uFEFF", "\xFE\xFF", "\xFF\xFE"
	switch {
	case o.startsWith(mark):
		o.Discard(len(mark))
	case o.startsWith(big + "\x00"), o.startsWith(little) && o.hasNUL(len(little)+1):
		o.Reader = bufio.NewReaderSize(charset.NewReader("utf-16", o.Reader, -1), headSize)
	}
}

// startsWith reports whether the unread content begins with text. Reading does not wait for more
// bytes than necessary.
func (o *openedSource) startsWith(text string) bool {
	for n := 1; n <= len(text); n++ {
		if head, err := o.Peek(n); err != nil || !strings.HasPrefix(text, string(head)) {
			return false
		}
	}
	return true
}

// hasNUL reports whether the byte at offset n is NUL. This byte must be in the buffer.
func (o *openedSource) hasNUL(n int) bool {
	head, err := o.Peek(n + 1)
	return err == nil && head[n] == 0
}

// openedSource is the decompressed content of a source.
type openedSource struct {
	*bufio.Reader
	closers []io.Closer
}

func (o *openedSource) Close() error {
	for i := len(o.closers) - 1; i >= 0; i-- {
		o.closers[i].Close()
	}
	return nil
}

// byteCounter counts the bytes of a source.
type byteCounter struct {
	r    io.Reader
	n    int64
	head *bufio.Reader // reader that reads from the counter
}

func (c *byteCounter) read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// offset returns the number of bytes consumed from the source.
func (c *byteCounter) offset() int64 { return c.n - int64(c.head.Buffered()) }

type readFunc func([]byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

// openCurrent opens the current source. If reading the source may wait, openCurrent returns a
// pump.
func (r *reader) openCurrent() (io.ReadCloser, error) {
	if r.name == "-" {
		in := r.o.Stdin
		if in == nil {
			in = strings.NewReader("")
		}
		if f, ok := in.(*os.File); ok && isRegular(f) {
			return io.NopCloser(f), nil
		}
		return r.startPump(func() (io.ReadCloser, error) { return io.NopCloser(in), nil }), nil
	}
	info, err := os.Stat(r.name)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errFolder
	case info.Mode().IsRegular():
		return os.Open(r.name)
	}
	name := r.name
	return r.startPump(func() (io.ReadCloser, error) { return os.Open(name) }), nil
}

var errFolder = errors.New("is a directory: name its files")

func isRegular(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}

package message

import (
	"bufio"
	"io"
)

// lineBuffer is the maximum length of a fragment. A longer line, which no standard allows,
// becomes several fragments.
const lineBuffer = 64 << 10

// fragment is a line, or a piece of a line that is longer than [lineBuffer].
type fragment struct {
	text   []byte // text without the line end; valid until the next fragment is read
	eol    string // line end: "\r\n" or "\n"; empty if the text ends or the line continues
	begins bool   // the fragment begins its line
	ends   bool   // the fragment ends its line
	start  int64  // offset of the fragment in the text
}

func (f *fragment) next() int64 { return f.start + int64(len(f.text)+len(f.eol)) }

// fragmentReader reads a text fragment by fragment.
type fragmentReader struct {
	r      *bufio.Reader
	offset int64
	middle bool // reading stopped in the middle of a line
}

func newLines(r io.Reader, size int) fragmentReader {
	return fragmentReader{r: bufio.NewReaderSize(r, size)}
}

// readFragment reads the next fragment into f. At the end of the text, readFragment returns
// io.EOF. Other errors come from the underlying reader.
func (l *fragmentReader) readFragment(f *fragment) error {
	text, err := l.r.ReadSlice('\n')
	f.text, f.eol, f.begins, f.ends, f.start = text, "", !l.middle, true, l.offset
	switch {
	case err == nil:
		n := len(text) - 1
		f.eol, f.text = "\n", text[:n]
		if n > 0 && text[n-1] == '\r' {
			f.eol, f.text = "\r\n", text[:n-1]
		}
	case err == bufio.ErrBufferFull:
		f.ends = false
		if n := len(text) - 1; text[n] == '\r' && l.r.UnreadByte() == nil {
			// CR LF must not be split.
			f.text = text[:n]
		}
	case err != io.EOF || len(text) == 0:
		return err
	}
	l.middle = !f.ends
	l.offset = f.next()
	return nil
}

// pieceReader reads the texts that nextPiece returns. Reading ends with the first error of
// nextPiece.
type pieceReader struct {
	nextPiece func() ([]byte, error)
	rest      []byte
	err       error
}

func (r *pieceReader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for len(r.rest) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.rest, r.err = r.nextPiece()
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// lineReader is a reader that rewrites a text line by line.
type lineReader struct {
	lines fragmentReader
	// rewrite appends the rewritten fragment to dst. rewrite must return io.EOF if the rewritten
	// text ends before its source.
	rewrite func(dst []byte, f *fragment) ([]byte, error)
	line    fragment
	buf     []byte
}

// newLineReader returns a reader that rewrites the lines of r with rewrite. size is the
// approximate number of bytes in r.
func newLineReader(r io.Reader, size int64, rewrite func([]byte, *fragment) ([]byte, error)) io.Reader {
	const least, most = 256, 16 << 10
	l := &lineReader{lines: newLines(r, int(min(max(size+1, least), most))), rewrite: rewrite}
	return &pieceReader{nextPiece: l.rewriteNext}
}

// rewriteNext rewrites the next line and the lines in the buffer.
func (l *lineReader) rewriteNext() (_ []byte, err error) {
	const batch = 4 << 10
	l.buf = l.buf[:0]
	for err == nil && (len(l.buf) == 0 || len(l.buf) < batch && l.lines.r.Buffered() > 0) {
		if err = l.lines.readFragment(&l.line); err == nil {
			l.buf, err = l.rewrite(l.buf, &l.line)
		}
	}
	return l.buf, err
}

func unixLine(dst []byte, f *fragment) ([]byte, error) {
	dst = append(dst, f.text...)
	if f.eol != "" {
		dst = append(dst, '\n')
	}
	return dst, nil
}

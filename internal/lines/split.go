package lines

import (
	"bytes"
	"cmp"
	"io"

	"github.com/locus-url/locus"
)

// filling is the block that the reader is filling. The bytes memory[start:end] have not been
// delivered.
type filling struct {
	block      *Block
	start, end int
	long       []byte // stored first bytes of a line that is too long
	dropped    int64  // number of bytes of that line so far; 0 if there is no such line
	last       byte   // last byte of that line
}

// pendingText returns the undelivered text.
func (f *filling) pendingText() []byte { return f.block.memory[f.start:f.end] }

// wholeLines returns the length of the complete lines in the text.
func (f *filling) wholeLines() int { return bytes.LastIndexByte(f.pendingText(), '\n') + 1 }

func (r *reader) lines(in io.Reader) error {
	f := &r.filling
	f.block = r.newBlock()
	defer func() {
		f.block.Release()
		*f = filling{}
	}()
	for r.ctx.Err() == nil {
		if f.start == f.end {
			f.start, f.end = 0, 0
		}
		n, err := in.Read(f.block.memory[f.end:])
		f.end += n
		switch {
		case err == io.EOF:
			return r.deliver(len(f.pendingText()))
		case err != nil:
			// The line is incomplete and must not be delivered as a complete line.
			return cmp.Or(r.deliverLines(), err)
		case f.end == len(f.block.memory):
			err = r.makeRoom()
		}
		if err != nil {
			return err
		}
	}
	return r.ctx.Err()
}

// deliverBeforeWait delivers the lines so far before a read that blocks.
func (r *reader) deliverBeforeWait() error {
	if r.filling.block != nil {
		if err := r.deliverLines(); err != nil {
			return err
		}
	}
	if r.waited {
		return nil
	}
	return r.send(&Block{Wait: true})
}

// makeRoom provides free space if the block is full.
func (r *reader) makeRoom() error {
	f := &r.filling
	text := f.pendingText()
	n := f.wholeLines()
	switch {
	case n > 0:
		return r.deliver(n)
	case f.start > 0:
		f.start, f.end = 0, copy(f.block.memory, text)
	case f.dropped == 0 && len(text) <= r.o.MaxLine:
		f.block.memory = append(text, make([]byte, min(len(text), r.o.MaxLine+1-len(text)))...)
	default:
		f.dropBytes(len(text), r.keepLimit())
	}
	return nil
}

// deliverLines sends the whole lines.
func (r *reader) deliverLines() error {
	if n := r.filling.wholeLines(); n > 0 {
		return r.deliver(n)
	}
	return nil
}

// deliver sends n bytes, which must be whole lines or the rest of a source.
func (r *reader) deliver(n int) error {
	f := &r.filling
	if f.dropped > 0 {
		end := bytes.IndexByte(f.pendingText()[:n], '\n') + 1
		if end == 0 {
			end = n
		}
		if err := r.sendCut(end); err != nil {
			return err
		}
		n -= end
	}
	for n > 0 {
		whole, long := splitLong(f.pendingText()[:n], r.o.MaxLine)
		if whole > 0 {
			if err := r.sendText(whole); err != nil {
				return err
			}
		}
		if long > 0 {
			if err := r.sendCut(long); err != nil {
				return err
			}
		}
		n -= whole + long
	}
	return nil
}

// splitLong finds the first line with more than maxLen bytes. splitLong returns the length of the
// text before that line, and the length of that line. For speed, splitLong does not search for
// every line end.
func splitLong(text []byte, maxLen int) (whole, long int) {
	for len(text)-whole > maxLen {
		n := bytes.LastIndexByte(text[whole:whole+maxLen], '\n') + 1
		if n == 0 {
			if n = bytes.IndexByte(text[whole:], '\n') + 1; n == 0 {
				n = len(text) - whole
			}
			return whole, n
		}
		whole += n
	}
	return len(text), 0
}

// sendText sends n bytes. sendText passes on the block's memory, unless a pending read from a
// pipe still writes to that memory.
func (r *reader) sendText(n int) error {
	f := &r.filling
	text := f.pendingText()
	next := r.newBlock()
	if r.piped {
		next.Text = append(next.memory[:0], text[:n]...)
		next.memory = next.Text[:cap(next.Text)]
		f.start += n
		return r.send(next)
	}
	full := f.block
	full.Text = text[:n]
	rest := text[n:]
	if len(rest) >= len(next.memory) {
		next.memory = make([]byte, len(full.memory))
	}
	f.block, f.start, f.end = next, 0, copy(next.memory, rest)
	return r.send(full)
}

// dropBytes consumes n bytes of a line that is too long. If these are the first bytes of the
// line, dropBytes stores at most keep bytes.
func (f *filling) dropBytes(n, keep int) {
	if n == 0 {
		return
	}
	if f.dropped == 0 {
		f.long = bytes.Clone(f.pendingText()[:min(n, keep)])
	}
	f.start += n
	f.dropped += int64(n)
	f.last = f.block.memory[f.start-1]
}

// sendCut sends a line that is too long. The next n bytes in the buffer are the end of that line.
func (r *reader) sendCut(n int) error {
	f := &r.filling
	if n > 0 && f.pendingText()[n-1] == '\n' {
		f.dropBytes(n-1, r.keepLimit())
		f.start++
		if f.last == '\r' {
			f.dropped--
		}
	} else {
		f.dropBytes(n, r.keepLimit())
	}
	b := &Block{Text: f.long, Cut: f.dropped}
	f.long, f.dropped = nil, 0
	return r.send(b)
}

// keepLimit returns the number of bytes to store for a line that is too long.
func (r *reader) keepLimit() int { return min(locus.MaxLen, r.o.MaxLine) }

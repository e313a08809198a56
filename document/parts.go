package document

import (
	"bytes"
	"io"
	"iter"
	"sync"

	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/internal/octet"
)

const (
	// partSize is the minimum size of a block of plain text. If the block is smaller, reading it
	// in another goroutine saves no time.
	partSize = 384 << 10
	// maxPart is the maximum size of a block that can't be divided.
	maxPart = 8 * partSize
)

// blocks holds buffers for blocks of text. A buffer also has space for the rest of the previous
// block.
var blocks = sync.Pool{New: func() any { b := make([]byte, 0, partSize+partSize/8); return &b }}

// divides reports whether [Options].Parts receives the links of plain text.
func (t *texts) divides() bool {
	return t.f.o.Parts != nil && t.it.file != nil && !t.it.isWaited()
}

// divide divides plain text into blocks, and passes the links in each block to [Options].Parts.
func (t *texts) divide(h *head) {
	// Read the file directly, because another buffer would require another copy of the text.
	t.it.r = io.MultiReader(bytes.NewReader(h.octets), h.raw)
	block := newBlock(nil)
	for {
		err := fill(block, t.it.r)
		cut := len(*block)
		if err != io.EOF {
			cut = extract.SplitPoint(octet.View(*block))
		}
		if err != nil && err != io.EOF || cut == 0 && len(*block) >= maxPart {
			t.it.r = io.MultiReader(bytes.NewReader(*block), t.it.r)
			if err != nil {
				t.it.r = io.MultiReader(bytes.NewReader(*block), failed{err})
			}
			t.readStream()
			return
		}
		if cut == 0 && err == nil {
			continue
		}
		next := newBlock((*block)[cut:])
		*block = (*block)[:cut]
		part := t.linksIn(block)
		t.base += int64(cut)
		if !t.f.o.NoPosition {
			t.line += int64(bytes.Count(*block, []byte{'\n'}))
		}
		t.f.done = !t.f.o.Parts(part)
		if t.f.done || err == io.EOF {
			blocks.Put(next)
			return
		}
		block = next
	}
}

// newBlock returns a block that contains a copy of octets.
func newBlock(octets []byte) *[]byte {
	block := blocks.Get().(*[]byte)
	*block = append((*block)[:0], octets...)
	return block
}

// fill reads partSize bytes from r and appends them to block. If r returns an error, such as
// io.EOF, fill returns the same error.
func fill(block *[]byte, r io.Reader) error {
	b := *block
	start, end := len(b), len(b)+partSize
	if end > cap(b) {
		b = append(make([]byte, 0, end), b...)
	}
	n, err := io.ReadFull(r, b[start:end])
	*block = b[:start+n]
	if err == io.ErrUnexpectedEOF {
		return io.EOF
	}
	return err
}

// linksIn returns an iterator over the links in a block of text. After the loop, the iterator frees
// the block.
func (t *texts) linksIn(block *[]byte) iter.Seq2[Link, error] {
	p, f := *t, *t.f
	p.f = &f
	return func(yield func(Link, error) bool) {
		f.yield = yield
		p.readShort(*block)
		blocks.Put(block)
	}
}

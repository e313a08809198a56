// Package lines reads the lines of files and of standard input in blocks, which can be
// worked on side by side. A [Finder] finds the URL in a line.
//
// The content of a file tells what it is: text, with a URL a line; CDX and CDXJ, indexes of
// web archives; WARC, ARC or WAT. Each of them may be compressed with gzip, bzip2, xz, zstd
// or compress(1).
package lines

import (
	"cmp"
	"context"
	"io"
	"iter"
	"sync"

	"github.com/locus-url/locus"
)

// Block is a number of lines of one source, or an error.
type Block struct {
	// Source is the name of the file; "-": standard input.
	Source string
	// Line is the number of the first line in its source, from 1. In a web archive it is the
	// number of a record: each record is a line, an empty one if it has no target.
	Line int64
	// Text has whole lines with their ends, LF or CR LF. Only the last line of a source
	// may have none. Text may be empty. A byte order mark before the first line is left
	// out.
	Text []byte
	// Cut is 0, or the length in octets of the only line of the block, which is too long:
	// Text has its first [locus.MaxLen] octets.
	Cut int64
	// Wait: after this block the reader may wait for more input, so answers should be
	// written first.
	Wait bool
	// Read is the number of octets of the source that were read so far, as they are stored.
	Read int64
	// Finder finds the URLs in the lines; nil: each line is a URL.
	Finder *Finder
	// Header is the line with the names of the columns, without its end, if
	// [Options.Column] is set. It is not in Text. Only the first block of a source has it,
	// and only if the source before has another one.
	Header []byte
	// Err says that the source can't be read further. Its message names the source and
	// the last line before. Text is then empty.
	Err error

	memory []byte
}

// Release lets the memory of b serve again. Text must not be used after it.
func (b *Block) Release() {
	if len(b.memory) == blockSize {
		blocks.Put(b)
	}
}

const (
	// blockSize is the size of a block of a file in octets.
	blockSize = 1 << 20
	// ahead is the number of blocks that are read before they are asked for.
	ahead = 2
)

var blocks = sync.Pool{New: func() any { return &Block{memory: make([]byte, blockSize)} }}

func (r *reader) newBlock() *Block {
	if r.o.block > 0 {
		return &Block{memory: make([]byte, r.o.block)}
	}
	b := blocks.Get().(*Block)
	*b = Block{memory: b.memory}
	return b
}

// Options say how to read. Nil means the zero Options.
type Options struct {
	// Stdin is standard input, the source "-"; nil: empty.
	Stdin io.Reader
	// MaxLine is the length of the longest line in octets, with its end; 0: twice
	// [locus.MaxLen]. Longer lines are cut.
	MaxLine int
	// Format is the format of all sources; Detect: their content tells.
	Format Format
	// Finder finds the URL in the lines of all sources. They are text then, whatever their
	// content. Nil: the format tells.
	Finder *Finder
	// Column is the name of the field with the URL; empty: Finder or the format tells. The
	// first line of each source has the names of its fields.
	Column string
	// Delimiter is between the fields of lines with a Column, as for [Field].
	Delimiter string

	block int // the size of a block in octets, for tests; 0: blockSize
}

func (o *Options) orDefault() Options {
	var r Options
	if o != nil {
		r = *o
	}
	r.MaxLine = cmp.Or(r.MaxLine, 2*locus.MaxLen)
	return r
}

// Blocks yields the lines of the named files in order. "-" is standard input. A file that
// can't be read yields an error, and the next ones follow. A pipe yields the lines that it
// has without waiting for more. Blocks ends early, without an error, when ctx ends.
//
// The result can be ranged over once. Its memory does not grow with the input.
func Blocks(ctx context.Context, names []string, o *Options) iter.Seq[*Block] {
	return func(yield func(*Block) bool) {
		ctx, cancel := context.WithCancel(ctx)
		out := make(chan *Block, ahead)
		go func() {
			defer close(out)
			r := &reader{o: o.orDefault(), ctx: ctx, out: out, waited: true}
			for _, name := range names {
				if ctx.Err() != nil {
					return
				}
				r.read(name)
			}
		}()
		defer func() {
			cancel()
			for range out { // until the files are closed
			}
		}()
		for {
			select {
			case b, ok := <-out:
				if !ok || ctx.Err() != nil || !yield(b) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

// Package lines reads the lines of files and of standard input in blocks, which callers can process
// concurrently. A [Finder] finds the URL in a line.
//
// The package detects the format of a file from its content: text with one URL per line, web
// archive indexes (CDX and CDXJ), and web archives (WARC, ARC and WAT). Files may be compressed
// with gzip, bzip2, xz, zstd or compress(1).
package lines

import (
	"cmp"
	"context"
	"io"
	"iter"
	"sync"

	"github.com/locus-url/locus"
)

// Block contains lines in one source, or an error.
type Block struct {
	// Source is the file name, or "-" for standard input.
	Source string
	// Line is the number of the first line in its source, from 1. In a web archive, each record
	// counts as a line, which is empty if the record has no target.
	Line int64
	// Text contains whole lines with their ends, LF or CR LF. Only the last line of a source
	// may lack a line end. Text may be empty. It does not include a byte order mark.
	Text []byte
	// Cut is not 0 if the block is a single line that is too long. It is then the length of the
	// line in bytes, and Text contains the first [locus.MaxLen] bytes.
	Cut int64
	// Wait reports whether the reader may block after this Block. Callers should write pending
	// results first.
	Wait bool
	// Read is the number of stored bytes of the source read so far.
	Read int64
	// Finder finds the URLs in the lines. If nil, each line is a URL.
	Finder *Finder
	// Header is the line with the column names, without its end. It is set only if
	// [Options].Column is set, in the first block of a source with another header than the
	// previous source. Text does not include it.
	Header []byte
	// Err is not nil if the source can't be read further. Its message includes the source and the
	// last line read. Text is then empty.
	Err error

	memory []byte
}

// Release returns the memory of b for reuse. The caller must not use Text afterwards.
func (b *Block) Release() {
	if len(b.memory) == blockSize {
		blocks.Put(b)
	}
}

const (
	// blockSize is the block size for files, in bytes.
	blockSize = 1 << 20
	// ahead is the number of blocks to read ahead.
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

// Options holds the options of [Blocks]. A nil *Options selects the defaults.
type Options struct {
	// Stdin is the source "-". If nil, standard input is empty.
	Stdin io.Reader
	// MaxLine limits a line in bytes, including its end. Zero means twice [locus.MaxLen]. Longer
	// lines are cut.
	MaxLine int
	// Format is the format of all sources. [Detect] detects it from their content.
	Format Format
	// Finder finds the URL in the lines of all sources, which are then read as text. If nil, the
	// format determines the position.
	Finder *Finder
	// Column is the name of the field with the URL. If set, the first line of each source contains
	// the names of its fields. If empty, Finder or the format determines the position.
	Column string
	// Delimiter separates the fields of lines with a Column, as for [Field].
	Delimiter string

	block int // block size in bytes, for tests; 0 means blockSize
}

func (o *Options) orDefault() Options {
	var r Options
	if o != nil {
		r = *o
	}
	r.MaxLine = cmp.Or(r.MaxLine, 2*locus.MaxLen)
	return r
}

// Blocks yields the lines of the named files in order. "-" is standard input. A file that can't be
// read yields an error, and Blocks continues with the next file. A pipe yields its available lines
// without waiting for more. When ctx ends, Blocks ends early without an error.
//
// The caller must range over the result at most once. Memory does not grow with the input.
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
			for range out { // wait until the files are closed
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

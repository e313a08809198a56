// Package lines reads the lines of files and of standard input in blocks, which callers can process
// concurrently. A [Finder] finds the URL in a line.
//
// The package detects the format of a file from the file's content. The formats are text with
// one URL per line, web archive indexes (CDX and CDXJ), and web archives (WARC, ARC and WAT).
// Files may be compressed with gzip, bzip2, xz, zstd or compress(1).
package lines

import (
	"cmp"
	"context"
	"io"
	"iter"
	"sync"

	"github.com/locus-url/locus"
)

// Block contains lines of one source, or an error.
type Block struct {
	// Source is the file name, or "-" for standard input.
	Source string
	// Line is the number of the block's first line in the source. The first line of a source
	// is 1. In a web archive, each record counts as a line, which is empty if the record has
	// no target.
	Line int64
	// Text contains whole lines with their line ends, LF or CR LF. Only the last line of a
	// source may lack a line end. Text may be empty. Text does not include a byte order mark.
	Text []byte
	// Cut is the length in bytes of a line that is too long. Text then contains the first
	// [locus.MaxLen] bytes of only this line. For all other blocks, Cut is 0.
	Cut int64
	// Wait reports whether reading the next Block may wait for more input. If so, callers
	// should first write pending results.
	Wait bool
	// Read is the number of bytes that were read from the source so far, before decompression.
	Read int64
	// Finder finds the URLs in the lines. If Finder is nil, each line is a URL.
	Finder *Finder
	// Header is the line with the column names, without the line end. Header is set only if
	// [Options].Column is set, and only in the first block of a source whose header differs
	// from the header of the previous source. Text does not include Header.
	Header []byte
	// Err is not nil if reading the source failed. Text is then empty. The error message
	// includes the source and the number of the last line.
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
	blocksAhead = 2
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
	// Stdin is the reader for the source "-". If Stdin is nil, this source is empty.
	Stdin io.Reader
	// MaxLine is the maximum length of a line in bytes, including the line end. Zero means
	// twice [locus.MaxLen]. Blocks truncates longer lines.
	MaxLine int
	// Format is the format of all sources. With [Detect], the format depends on the content of
	// each source.
	Format Format
	// Finder finds the URL in the lines of all sources, which Blocks then reads as text. If
	// Finder is nil, the format determines the position of the URL.
	Finder *Finder
	// Column is the name of the field with the URL. If Column is set, the first line of each
	// source must contain the field names. If Column is empty, Finder or the format determines
	// the position of the URL.
	Column string
	// Delimiter separates the fields of a line if Column is set; see [Field].
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

// Blocks yields the lines of the named files in order. The name "-" means standard input. For
// a file that can't be read, Blocks yields an error and continues with the next file. For a
// pipe, Blocks yields the available lines without waiting for more lines. When ctx ends,
// Blocks ends early without an error.
//
// The caller must range over the result at most once. Memory does not grow with the input.
func Blocks(ctx context.Context, names []string, o *Options) iter.Seq[*Block] {
	return func(yield func(*Block) bool) {
		ctx, cancel := context.WithCancel(ctx)
		out := make(chan *Block, blocksAhead)
		go func() {
			defer close(out)
			r := &reader{o: o.orDefault(), ctx: ctx, out: out, waited: true}
			for _, name := range names {
				if ctx.Err() != nil {
					return
				}
				r.readSource(name)
			}
		}()
		defer func() {
			cancel()
			for range out { // wait until all files are closed
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

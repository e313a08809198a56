package pipeline

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/sdf"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/rtrackers/offsetrange"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/lines"
)

// text counts the lines of a text file that begin within the restriction of the tracker. It claims
// the last line of each chunk before it counts the chunk, so that the runner can split the
// restriction only after that line.
func (f *scanFn) text(ctx context.Context, tracker *sdf.LockRTracker, s Source, bury deadLetterWriter) error {
	start := tracker.GetRestriction().(offsetrange.Restriction).Start
	in, err := open(ctx, s, max(start-1, 0))
	if err != nil {
		return err
	}
	defer in.Close()
	defer func() { f.read += in.read.Load() }()
	f.buffered.Reset(in)
	if start, err = textStart(f.buffered, start); err != nil {
		return err
	}
	finder := f.finder(ctx, s)
	for ctx.Err() == nil {
		chunk, err := f.buffered.Peek(f.buffered.Size())
		if err != nil && err != io.EOF {
			return err
		}
		if len(chunk) == 0 {
			tracker.TryClaim(tracker.GetRestriction().(offsetrange.Restriction).End) // mark the restriction as done
			return nil
		}
		whole := bytes.LastIndexByte(chunk, '\n') + 1
		if err == io.EOF {
			whole = len(chunk)
		}
		last := bytes.LastIndexByte(chunk[:max(whole-1, 0)], '\n') + 1
		mine := tracker.TryClaim(start + int64(last))
		end := int64(math.MaxInt64)
		if !mine {
			end = tracker.GetRestriction().(offsetrange.Restriction).End
		}
		if whole == 0 && mine {
			n, err := f.longLine(start, chunk, bury)
			if err != nil {
				return err
			}
			start += n
			continue
		}
		f.chunk(s, finder, chunk[:whole], start, end, bury)
		if !mine {
			return nil
		}
		f.buffered.Discard(whole)
		start += int64(whole)
	}
	return ctx.Err()
}

const byteOrderMark = "\uFEFF"

// textStart advances a reader to the first line that begins at or after the given offset, and
// returns the offset of that line. The reader must be one byte before the given offset, unless the
// offset is zero. At the start of a text it skips a byte order mark.
func textStart(in *bufio.Reader, start int64) (int64, error) {
	if start > 0 {
		n, err := skipLine(in)
		if err != nil && err != io.EOF {
			return 0, err
		}
		return start + n - 1, nil
	}
	if mark, _ := in.Peek(len(byteOrderMark)); string(mark) != byteOrderMark {
		return 0, nil
	}
	n, err := in.Discard(len(byteOrderMark))
	return int64(n), err
}

// longLine writes a line that is too long for the buffer to the dead letters. It returns the
// length of the line.
func (f *scanFn) longLine(start int64, chunk []byte, bury deadLetterWriter) (int64, error) {
	f.lines++
	kept := bytes.Clone(chunk[:locus.MaxLen])
	n, err := skipLine(f.buffered)
	if err != nil && err != io.EOF {
		return 0, err
	}
	bury(place{unitOctet, start}, kept, f.tooLong(n))
	return n, nil
}

// chunk counts the lines of a chunk that begin before the file offset end. The parameter offset is
// the file offset of the first byte in the chunk.
func (f *scanFn) chunk(s Source, finder *lines.Finder, chunk []byte, offset, end int64, bury deadLetterWriter) {
	for len(chunk) > 0 && offset < end {
		n := bytes.IndexByte(chunk, '\n') + 1
		if n == 0 {
			n = len(chunk)
		}
		if n > f.maxLine {
			f.lines++
			bury(place{unitOctet, offset}, chunk[:locus.MaxLen], f.tooLong(int64(n)))
		} else {
			f.line(s, finder, chunk[:n], place{unitOctet, offset}, bury)
		}
		chunk = chunk[n:]
		offset += int64(n)
	}
}

func (f *scanFn) tooLong(n int64) error {
	return fmt.Errorf("the line has %d bytes: the limit is %d", n, f.maxLine)
}

// blocks counts the lines in a file that workers can't share, such as a compressed file.
func (f *scanFn) blocks(ctx context.Context, s Source, bury deadLetterWriter) error {
	in, err := open(ctx, s, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	defer func() { f.read += in.read.Load() }()
	o := &lines.Options{Stdin: in, Finder: f.records.finder, MaxLine: f.maxLine}
	for b := range lines.Blocks(ctx, []string{"-"}, o) {
		if b.Err != nil {
			return cmp.Or(in.err(), error(&damageError{errors.New(strings.TrimPrefix(b.Err.Error(), "standard input: "))}))
		}
		f.block(s, b, bury)
		b.Release()
	}
	return cmp.Or(in.err(), ctx.Err())
}

func (f *scanFn) block(s Source, b *lines.Block, bury deadLetterWriter) {
	if b.Cut > 0 {
		f.lines++
		bury(place{unitLine, b.Line}, b.Text, f.tooLong(b.Cut))
		return
	}
	number := b.Line
	for line := range bytes.Lines(b.Text) {
		f.line(s, b.Finder, line, place{unitLine, number}, bury)
		number++
	}
}

// blanks contains the whitespace characters that the pipeline removes around a URL.
const blanks = " \t\r\n\v\f"

func (f *scanFn) line(s Source, finder *lines.Finder, line []byte, at place, bury deadLetterWriter) {
	f.lines++
	url := bytes.Trim(line, blanks)
	if len(url) == 0 {
		return
	}
	var err error
	if finder != nil {
		url, err = f.find(finder, bytes.TrimRight(line, "\r\n"))
	}
	if err == nil {
		err = f.records.add(&f.counts, s.Side, url)
	}
	if err != nil && !errors.Is(err, lines.ErrNoURL) {
		bury(at, bytes.TrimRight(line, "\r\n"), err)
	}
}

func (f *scanFn) find(finder *lines.Finder, line []byte) ([]byte, error) {
	start, end, err := finder.Find(line)
	if err != nil {
		return nil, err
	}
	url, err := finder.Decode(&f.decoded, line[start:end])
	return bytes.Trim(url, blanks), err
}

// finder returns the Finder for the lines of the file s. The first line of the file shows the
// format.
func (f *scanFn) finder(ctx context.Context, s Source) *lines.Finder {
	if f.records.finder != nil || s.First == "" {
		return f.records.finder
	}
	return finderOf(ctx, s.First)
}

// finderOf returns the Finder for a list with the given first line. It returns nil if each line is
// a URL.
func finderOf(ctx context.Context, first string) *lines.Finder {
	for b := range lines.Blocks(ctx, []string{"-"}, &lines.Options{Stdin: strings.NewReader(first)}) {
		return b.Finder
	}
	return nil
}

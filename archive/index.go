package archive

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"

	"github.com/locus-url/locus/scheme"
)

// index is a file with sorted entries. The first line of the file identifies the archives.
type index struct {
	file  *os.File
	name  string // name for messages
	start int64  // offset of the first entry
	size  int64  // file size
}

// withAdvice adds advice for the user to err.
func (x *index) withAdvice(err error) error {
	if !errors.Is(err, errEntry) {
		return err
	}
	return scheme.Hint(fmt.Errorf("%s: %w", x.name, err), "remove the file to rebuild the index")
}

// openIndex opens the index in the file f. The first line of the file must equal firstLine.
func openIndex(f *os.File, firstLine string) (*index, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	got := make([]byte, len(firstLine))
	if _, err := f.ReadAt(got, 0); err != nil || string(got) != firstLine {
		return nil, errEntry
	}
	x := &index{file: f, name: f.Name(), start: int64(len(firstLine)), size: info.Size()}
	// If the file was truncated, the last line is missing.
	last := make([]byte, len(indexEnd))
	if _, err := f.ReadAt(last, x.size-int64(len(last))); err != nil || string(last) != indexEnd {
		return nil, errEntry
	}
	x.size -= int64(len(last))
	if x.size < x.start {
		return nil, errEntry
	}
	return x, nil
}

// indexEnd is the last line of an index.
const indexEnd = "\xFF end\n"

// entriesFrom yields all entries whose lines do not sort before the given prefix, in order.
// The iteration ends after an error. Each iteration reads the file again.
func (x *index) entriesFrom(prefix string) iter.Seq2[entry, error] {
	return func(yield func(entry, error) bool) {
		at, err := x.find(prefix)
		if err != nil {
			yield(entry{}, x.withAdvice(err))
			return
		}
		r := bufio.NewReaderSize(io.NewSectionReader(x.file, at, x.size-at), 16<<10)
		for {
			line, err := readLine(r)
			if err == io.EOF {
				return
			}
			var e entry
			if err == nil {
				e, err = parseEntry(line)
			}
			if !yield(e, x.withAdvice(err)) || err != nil {
				return
			}
		}
	}
}

// entriesWithPrefix yields the entries whose lines begin with the given prefix.
func (x *index) entriesWithPrefix(prefix string) iter.Seq2[entry, error] {
	return func(yield func(entry, error) bool) {
		for e, err := range x.entriesFrom(prefix) {
			if err == nil && !strings.HasPrefix(e.key+"\t", prefix) {
				return
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// find returns the offset of the first line that does not sort before the given prefix.
func (x *index) find(prefix string) (int64, error) {
	candidate := x.size
	// Lines that begin before the offset low sort before the prefix. If a line begins at the
	// offset high or later, the candidate is the offset of the first such line. Otherwise it
	// is the size of the file.
	for low, high := x.start, x.size; low < high; {
		middle := low + (high-low)/2
		at, line, err := x.lineAfter(middle, low)
		switch {
		case err != nil:
			return 0, err
		case at >= high:
			high = middle
		case string(line) < prefix:
			low = at + int64(len(line))
		default:
			candidate, high = at, at
		}
	}
	return candidate, nil
}

// lineAfter returns the first line that begins at the given offset or later, and the offset of
// this line. At the end of the index the returned line is empty. The parameter first must be
// the offset of a line.
func (x *index) lineAfter(offset, first int64) (lineOffset int64, line []byte, err error) {
	if offset == first {
		return x.lineAt(first)
	}
	// The byte before offset shows whether a line begins there.
	part, err := x.readText(offset - 1)
	if err != nil {
		return 0, nil, err
	}
	return x.lineAt(offset - 1 + int64(len(part)))
}

// lineAt returns the line that begins at the given offset, with its newline.
func (x *index) lineAt(offset int64) (lineOffset int64, line []byte, err error) {
	if offset >= x.size {
		return x.size, nil, nil
	}
	line, err = x.readText(offset)
	if err == nil && !isWhole(line[:len(line)-1]) {
		err = errEntry
	}
	return offset, line, err
}

// readText returns the text from the given offset up to the next newline.
func (x *index) readText(offset int64) ([]byte, error) {
	var line []byte
	for size := 512; ; size *= 4 {
		if size > maxEntry {
			return nil, errEntry
		}
		line = make([]byte, min(int64(size), x.size-offset))
		if _, err := x.file.ReadAt(line, offset); err != nil {
			return nil, fmt.Errorf("%w: %w", errEntry, err)
		}
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			return line[:i+1], nil
		}
		if offset+int64(len(line)) >= x.size {
			return nil, errEntry
		}
	}
}

// readLine reads a line of at most maxEntry bytes, and returns the line without its
// newline.
func readLine(r *bufio.Reader) (string, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case err == nil:
			return string(line[:len(line)-1]), nil
		case !errors.Is(err, bufio.ErrBufferFull) && len(line) == 0:
			return "", err
		case !errors.Is(err, bufio.ErrBufferFull), len(line) > maxEntry:
			return "", errEntry
		}
	}
}

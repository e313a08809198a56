package mirror

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"os"
)

// maxLine is the maximum length of a line.
const maxLine = 1 << 20

// lineFile is a file with a JSON value on each line. Lines are read by their offset, so that
// only offsets need memory.
type lineFile struct {
	file *os.File
	w    *bufio.Writer // buffered writer of append; the field size includes buffered bytes
	size int64
}

func openLines(root *os.Root, name string, flag int) (*lineFile, error) {
	f, err := root.OpenFile(name, flag, 0o666)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return &lineFile{f, bufio.NewWriterSize(f, 64<<10), info.Size()}, nil
}

// lines yields the current lines in the file, with their offsets. The bytes are valid until the
// next iteration. The iteration ends before a line that is too long or lacks its newline.
func (l *lineFile) lines() iter.Seq2[[]byte, int64] {
	return func(yield func([]byte, int64) bool) {
		if l.flush() != nil {
			return
		}
		r := bufio.NewReaderSize(io.NewSectionReader(l.file, 0, l.size), maxLine)
		for at := int64(0); ; {
			text, err := r.ReadSlice('\n')
			if err != nil || !yield(text[:len(text)-1], at) {
				return
			}
			at += int64(len(text))
		}
	}
}

// read decodes the line at the offset at into value.
func (l *lineFile) read(at int64, value any) error {
	if err := l.flush(); err != nil {
		return err
	}
	text, err := bufio.NewReaderSize(io.NewSectionReader(l.file, at, maxLine), 2<<10).ReadBytes('\n')
	if err != nil {
		return err
	}
	if json.Unmarshal(text, value) != nil {
		return damagedAt(at)
	}
	return nil
}

func damagedAt(at int64) error { return fmt.Errorf("%w at offset %d", ErrManifest, at) }

// append adds a line at the end. Only flush returns an error.
func (l *lineFile) append(value any) (at int64) {
	at = l.size
	text := encode(value)
	l.w.Write(text)
	l.size += int64(len(text))
	return at
}

// encode returns v as a JSON line. Encoding can't fail for the types in this package.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
	return b.Bytes()
}

// flush writes the buffered lines to the file, so that they survive if this process is killed.
func (l *lineFile) flush() error { return l.w.Flush() }

// cut truncates the file to size bytes. The next append continues there.
func (l *lineFile) cut(size int64) error {
	l.w.Reset(l.file)
	l.size = size
	if err := l.file.Truncate(size); err != nil {
		return err
	}
	_, err := l.file.Seek(size, io.SeekStart)
	return err
}

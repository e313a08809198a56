package lines

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
)

// ColumnError means that a source does not have exactly one column called [Options].Column.
type ColumnError struct {
	Column  string
	Columns []string // names in the first line of the source
}

// maxNames is the maximum number of column names in a message.
const maxNames = 30

func (e *ColumnError) Error() string {
	if slices.Contains(e.Columns, e.Column) {
		return fmt.Sprintf("column %q appears twice in the first line: choose it by number", e.Column)
	}
	names := e.Columns[:min(len(e.Columns), maxNames)]
	more := ""
	if len(e.Columns) > maxNames {
		more = ", ..."
	}
	return fmt.Sprintf("no column %q in the first line: choose %s%s", e.Column, strings.Join(names, ", "), more)
}

// readHeader finds the URL column in the first line of a source.
func (r *reader) readHeader(in *bufio.Reader) error {
	line, err := in.ReadSlice('\n')
	switch {
	case err == io.EOF && len(line) == 0:
		return nil
	case err == bufio.ErrBufferFull:
		return fmt.Errorf("the line with the column names is longer than %d bytes", headSize)
	case err != nil && err != io.EOF:
		return err
	}
	line = withoutEnd(line)
	if r.finder, err = r.o.columnIn(line); err != nil {
		return err
	}
	r.line = 2
	if r.headed && bytes.Equal(line, r.last) {
		return nil
	}
	r.headed, r.last = true, bytes.Clone(line)
	return r.send(&Block{Header: r.last})
}

// withoutEnd returns line without LF or CR LF.
func withoutEnd(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, newline), []byte{'\r'})
}

// columnIn returns a Finder for the URL column of a source with the given first line.
func (o *Options) columnIn(line []byte) (*Finder, error) {
	names, err := splitFields(line, o.Delimiter)
	if err != nil {
		return nil, err
	}
	i := slices.Index(names, o.Column)
	if i < 0 || slices.Contains(names[i+1:], o.Column) {
		return nil, &ColumnError{o.Column, names}
	}
	return Field(i+1, o.Delimiter)
}

// splitFields returns the fields in a line, which must have the syntax that [Field] describes.
func splitFields(line []byte, delimiter string) (list []string, err error) {
	if !isCSV(delimiter) {
		return strings.Split(string(line), delimiter), nil
	}
	form := csvFinder{fieldFinder{1, []byte(delimiter)}}
	for start := 0; ; {
		end, err := form.fieldEnd(line, start)
		if err != nil {
			return nil, err
		}
		text, err := form.decode(nil, line[start:end])
		if err != nil {
			return nil, err
		}
		list = append(list, string(text))
		if end == len(line) {
			return list, nil
		}
		start = end + 1
	}
}

package archive

import (
	"bufio"
	"bytes"
	"context"
	"io"

	"github.com/locus-url/locus/internal/bulk"
)

// sortMemory is the memory limit in bytes for sorting an index.
const sortMemory = 32 << 20

// newSorter returns a sorter for lines. It creates temporary files in dir.
func newSorter(dir string) *bulk.Sorter {
	return bulk.NewSorter(bulk.SorterOptions{Memory: sortMemory, Folder: dir})
}

// writeSorted writes all distinct lines to w, in order.
func writeSorted(ctx context.Context, w io.Writer, lines *bulk.Sorter) error {
	out := bufio.NewWriterSize(w, 64<<10)
	var last []byte
	err := lines.Sorted(ctx, func(line []byte) error {
		if bytes.Equal(line, last) {
			return nil
		}
		last = append(last[:0], line...)
		_, err := out.Write(line)
		return err
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

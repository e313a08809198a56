package warc

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/locus-url/locus/internal/bulk"
)

// maxIndex is the memory for sorting an index, in octets.
const maxIndex = 16 << 20

// indexName returns the name of the index of an archive: "a.cdxj" for "a.warc.gz".
func indexName(archive string) string {
	name := strings.TrimSuffix(strings.TrimSuffix(archive, ".gz"), ".warc")
	return name + ".cdxj"
}

// index collects the lines of an index, sorted with a temporary file if there are many.
type index struct {
	lines *bulk.Sorter
	line  []byte
	err   error // of the temporary file
}

// newIndex returns an empty index, which has its temporary file in dir.
func newIndex(dir string) index {
	return index{lines: bulk.NewSorter(bulk.SorterOptions{Memory: maxIndex, Folder: dir})}
}

func (x *index) add(c CDXJ) {
	x.line = c.Append(x.line[:0])
	if x.err == nil {
		x.err = x.lines.Add(nil, x.line)
	}
}

// write writes the sorted index to a file, which has its name only when it is complete.
func (x *index) write(name string) (err error) {
	defer x.release()
	if x.err != nil {
		return fmt.Errorf("warc: the index: %w", x.err)
	}
	f, err := os.OpenFile(name+".part", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return fmt.Errorf("warc: the index: %w", err)
	}
	out := bufio.NewWriterSize(f, 64<<10)
	err = x.lines.Sorted(context.Background(), func(line []byte) error {
		_, err := out.Write(line)
		return err
	})
	err = cmp.Or(err, out.Flush(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("warc: the index: %w", err), os.Remove(f.Name()))
	}
	return nil
}

func (x *index) release() { x.lines.Close() }

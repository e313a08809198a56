package warc

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/locus-url/locus/internal/bulk"
	"github.com/locus-url/locus/internal/wholefile"
)

// maxIndex is the memory limit in bytes for sorting an index.
const maxIndex = 16 << 20

// indexName returns the name of the index file for an archive, such as "a.cdxj" for
// "a.warc.gz".
func indexName(archive string) string {
	name := strings.TrimSuffix(strings.TrimSuffix(archive, ".gz"), ".warc")
	return name + ".cdxj"
}

// index collects and sorts the lines of an index. It uses a temporary file if there are
// many lines.
type index struct {
	lines *bulk.Sorter
	line  []byte
	err   error // first error of the temporary file
}

// newIndex returns an empty index, which creates temporary files in dir.
func newIndex(dir string) index {
	return index{lines: bulk.NewSorter(bulk.SorterOptions{Memory: maxIndex, Folder: dir})}
}

func (x *index) add(c CDXJ) {
	x.line = c.Append(x.line[:0])
	if x.err == nil {
		x.err = x.lines.Add(nil, x.line)
	}
}

// write writes the sorted index to a file. The file gets its name only when the file is
// complete.
func (x *index) write(name string) error {
	defer x.release()
	err := x.err
	if err == nil {
		err = x.replace(name)
	}
	if err != nil {
		return fmt.Errorf("warc: index: %w", err)
	}
	return nil
}

func (x *index) replace(name string) error {
	r, err := wholefile.NewReplacementIn(nil, name, name+".part", 0o666)
	if err != nil {
		return err
	}
	defer r.Discard()
	out := bufio.NewWriterSize(r, 64<<10)
	err = x.lines.Sorted(context.Background(), func(line []byte) error {
		_, err := out.Write(line)
		return err
	})
	if err = cmp.Or(err, out.Flush()); err != nil {
		return err
	}
	return r.Commit()
}

func (x *index) release() { x.lines.Close() }

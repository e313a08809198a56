package warc

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/locus-url/locus/internal/wholefile"
)

// maxIndex is how many octets of an index are sorted in memory.
const maxIndex = 16 << 20

// indexName returns the name of the index of an archive: "a.cdxj" for "a.warc.gz".
func indexName(archive string) string {
	name := strings.TrimSuffix(strings.TrimSuffix(archive, ".gz"), ".warc")
	return name + ".cdxj"
}

// index collects the lines of an index. Those that do not fit into memory are in sorted
// temporary files.
type index struct {
	dir   string
	lines []string
	size  int
	runs  []*wholefile.Temporary
	err   error // of a temporary file
}

func (x *index) add(c CDXJ) {
	line := string(c.Append(nil))
	x.lines = append(x.lines, line)
	if x.size += len(line); x.size > maxIndex && x.err == nil {
		x.err = x.spill()
	}
}

// spill writes the lines to a temporary file.
func (x *index) spill() error {
	f, err := wholefile.CreateTemporary(x.dir, ".cdxj-*")
	if err != nil {
		return err
	}
	x.runs = append(x.runs, f)
	slices.Sort(x.lines)
	out := bufio.NewWriter(f)
	for _, line := range x.lines {
		out.WriteString(line) // out keeps its first error
	}
	x.lines, x.size = nil, 0
	err = out.Flush()
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	return err
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
	err = x.merge(out)
	err = cmp.Or(err, out.Flush(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("warc: the index: %w", err), os.Remove(f.Name()))
	}
	return nil
}

// merge writes the lines of all files and of the memory in order.
func (x *index) merge(out *bufio.Writer) error {
	slices.Sort(x.lines)
	rest := x.lines
	heads := make([]string, len(x.runs)) // "": the file has ended
	readers := make([]*bufio.Reader, len(x.runs))
	for i, f := range x.runs {
		readers[i] = bufio.NewReader(f)
		var err error
		if heads[i], err = nextLine(readers[i]); err != nil {
			return err
		}
	}
	for {
		least, at := "", -1
		if len(rest) > 0 {
			least = rest[0]
		}
		for i, head := range heads {
			if head != "" && (least == "" || head < least) {
				least, at = head, i
			}
		}
		if least == "" {
			return nil
		}
		out.WriteString(least)
		if at < 0 {
			rest = rest[1:]
			continue
		}
		var err error
		if heads[at], err = nextLine(readers[at]); err != nil {
			return err
		}
	}
}

// nextLine returns the next line with its end, or "" at the end of the file.
func nextLine(r *bufio.Reader) (string, error) {
	line, err := r.ReadString('\n')
	if err == io.EOF {
		return "", nil
	}
	return line, err
}

func (x *index) release() {
	for _, f := range x.runs {
		f.Close()
	}
	x.runs, x.lines = nil, nil
}

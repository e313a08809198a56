package archive

import (
	"bufio"
	"bytes"
	"container/heap"
	"io"
	"slices"

	"github.com/locus-url/locus/internal/wholefile"
)

// runSize is how many octets of lines are sorted in memory at once.
const runSize = 32 << 20

// sorter sorts lines, with temporary files if there are many.
type sorter struct {
	dir   string // of temporary files
	size  int    // of a run; 0: runSize
	lines [][]byte
	used  int
	block []byte // memory of the next lines
	runs  []*wholefile.Temporary
}

// add adds a line, with its end.
func (s *sorter) add(line []byte) error {
	if len(line) > cap(s.block)-len(s.block) {
		s.block = make([]byte, 0, max(1<<20, len(line)))
	}
	start := len(s.block)
	s.block = append(s.block, line...)
	s.lines = append(s.lines, s.block[start:len(s.block):len(s.block)])
	const header = 24 // octets of a slice
	limit := s.size
	if limit == 0 {
		limit = runSize
	}
	if s.used += len(line) + header; s.used < limit {
		return nil
	}
	return s.spill()
}

// spill writes the lines in memory to a temporary file.
func (s *sorter) spill() error {
	f, err := wholefile.CreateTemporary(s.dir, "locus-sort-*")
	if err != nil {
		return err
	}
	s.runs = append(s.runs, f)
	w := bufio.NewWriterSize(f, 64<<10)
	s.sort()
	for _, line := range s.lines {
		w.Write(line)
	}
	clear(s.lines) // their memory is free
	s.lines, s.used, s.block = s.lines[:0], 0, nil
	if err := w.Flush(); err != nil {
		return err
	}
	_, err = f.Seek(0, io.SeekStart)
	return err
}

func (s *sorter) sort() { slices.SortFunc(s.lines, bytes.Compare) }

// write writes all lines in order to w, each once.
func (s *sorter) write(w io.Writer) error {
	out := bufio.NewWriterSize(w, 64<<10)
	s.sort()
	m := merger{{next: sliceLines(s.lines)}}
	for _, f := range s.runs {
		r := bufio.NewReaderSize(f, 64<<10)
		m = append(m, &run{next: func() ([]byte, error) { return r.ReadBytes('\n') }})
	}
	live := m[:0]
	for _, r := range m {
		if err := r.advance(); err == nil {
			live = append(live, r)
		} else if err != io.EOF {
			return err
		}
	}
	heap.Init(&live)
	var last []byte
	for len(live) > 0 {
		r := live[0]
		if !bytes.Equal(r.line, last) {
			if _, err := out.Write(r.line); err != nil {
				return err
			}
		}
		last = append(last[:0], r.line...)
		switch err := r.advance(); err {
		case nil:
			heap.Fix(&live, 0)
		case io.EOF:
			heap.Pop(&live)
		default:
			return err
		}
	}
	return out.Flush()
}

// close removes the temporary files.
func (s *sorter) close() {
	for _, f := range s.runs {
		f.Close()
	}
	s.runs = nil
}

func sliceLines(lines [][]byte) func() ([]byte, error) {
	return func() ([]byte, error) {
		if len(lines) == 0 {
			return nil, io.EOF
		}
		line := lines[0]
		lines = lines[1:]
		return line, nil
	}
}

// run is a sorted sequence of lines.
type run struct {
	line []byte
	next func() ([]byte, error)
}

// advance reads the next line. At the end the error is io.EOF.
func (r *run) advance() (err error) {
	r.line, err = r.next()
	if err == io.EOF && len(r.line) > 0 {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// merger is a heap of runs by their lines.
type merger []*run

func (m merger) Len() int           { return len(m) }
func (m merger) Less(i, j int) bool { return bytes.Compare(m[i].line, m[j].line) < 0 }
func (m merger) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }
func (m *merger) Push(x any)        { *m = append(*m, x.(*run)) }

func (m *merger) Pop() any {
	old := *m
	r := old[len(old)-1]
	*m = old[:len(old)-1]
	return r
}

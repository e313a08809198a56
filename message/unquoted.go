package message

import (
	"io"
	"sort"
)

// Open returns a reader of the message in the mbox r. Open omits each ">" whose offset is in
// Quotes.
func (m *MboxMessage) Open(r io.ReaderAt) *io.SectionReader {
	size := m.End - m.Header
	if len(m.Quotes) == 0 {
		return io.NewSectionReader(r, m.Header, size)
	}
	return io.NewSectionReader(&unquotedReader{r, m.Header, m.Quotes}, 0, size-int64(len(m.Quotes)))
}

// unquotedReader reads r from an offset on, and omits some bytes.
type unquotedReader struct {
	r       io.ReaderAt
	start   int64
	omitted []int64 // sorted offsets in r of the omitted bytes
}

// ReadAt implements [io.ReaderAt].
func (u *unquotedReader) ReadAt(p []byte, off int64) (n int, err error) {
	off += u.start
	// omittedBefore is the number of omitted bytes before the byte at off.
	omittedBefore := sort.Search(len(u.omitted), func(i int) bool { return u.omitted[i]-int64(i) > off })
	for n < len(p) && err == nil {
		at := off + int64(n) + int64(omittedBefore)
		var got int
		got, err = u.r.ReadAt(p[n:], at)
		kept := n
		for i, c := range p[n : n+got] {
			if omittedBefore < len(u.omitted) && u.omitted[omittedBefore] == at+int64(i) {
				omittedBefore++
				continue
			}
			p[kept] = c
			kept++
		}
		n = kept
	}
	if n == len(p) {
		err = nil
	}
	return n, err
}

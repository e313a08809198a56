package mailstore

import (
	"io"
	"sort"
)

// unquoted is a run of octets with some of them left out.
type unquoted struct {
	r    io.ReaderAt
	left []int64 // which are left out, in order
}

// ReadAt implements [io.ReaderAt].
func (u *unquoted) ReadAt(p []byte, off int64) (n int, err error) {
	// The octet at off is behind as many that are left out as are before it.
	skip := sort.Search(len(u.left), func(i int) bool { return u.left[i]-int64(i) > off })
	for n < len(p) && err == nil {
		at := off + int64(n) + int64(skip)
		var got int
		got, err = u.r.ReadAt(p[n:], at)
		kept := n
		for i, c := range p[n : n+got] {
			if skip < len(u.left) && u.left[skip] == at+int64(i) {
				skip++
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

package menufs

import (
	"io"
	"io/fs"
	"sync"
)

// dir is an open directory, with the entries at the time when it was opened.
type dir struct {
	path string
	info *info

	mu     sync.Mutex
	rest   []*entry // not read yet
	err    error    // the error after rest, or nil
	closed bool
}

var _ fs.ReadDirFile = (*dir)(nil)

func (d *dir) Stat() (fs.FileInfo, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, pathError("stat", d.path, fs.ErrClosed)
	}
	return d.info, nil
}

func (d *dir) Read([]byte) (int, error) { return 0, pathError("read", d.path, errDirectory) }

// ReadDir implements [fs.ReadDirFile]. The entries are in the order of the menu.
func (d *dir) ReadDir(n int) ([]fs.DirEntry, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, pathError("readdir", d.path, fs.ErrClosed)
	}
	all := n <= 0
	if all || n > len(d.rest) {
		n = len(d.rest)
	}
	entries := dirEntries(d.rest[:n])
	d.rest = d.rest[n:]
	switch {
	case !all && n > 0:
		return entries, nil
	case !all && d.err == nil:
		return entries, io.EOF
	}
	return entries, pathError("readdir", d.path, d.err)
}

func (d *dir) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return pathError("close", d.path, fs.ErrClosed)
	}
	d.closed, d.rest = true, nil
	return nil
}

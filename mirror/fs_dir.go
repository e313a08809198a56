package mirror

import (
	"io"
	"io/fs"
	"sync"
)

// openDir is an open directory. The entries of an open directory do not change.
type openDir struct {
	path string
	info *entryInfo

	mu     sync.Mutex
	rest   []*fsEntry // entries that were not read yet
	err    error      // the error to return after the entries in rest, or nil
	closed bool
}

var _ fs.ReadDirFile = (*openDir)(nil)

func (d *openDir) Stat() (fs.FileInfo, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, pathError("stat", d.path, fs.ErrClosed)
	}
	return d.info, nil
}

func (d *openDir) Read([]byte) (int, error) { return 0, pathError("read", d.path, errDirectory) }

// ReadDir implements [fs.ReadDirFile]. The entries are in the order of the menu.
func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
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

func (d *openDir) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return pathError("close", d.path, fs.ErrClosed)
	}
	d.closed, d.rest = true, nil
	return nil
}

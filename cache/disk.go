package cache

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// file contains a body. The store writes a file once, and reads it at any offset.
type file interface {
	io.Writer
	io.ReaderAt
	io.Closer
}

// body is a file with one descriptor that all readers share.
type body struct {
	path string

	mu   sync.Mutex
	file file
	refs int
}

// handle is an open body. The caller must close it. Close may be called during a read.
type handle struct {
	file
	body *body
	once sync.Once
}

// open opens the file, unless it is open already.
func (b *body) open() (*handle, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refs == 0 {
		f, err := os.Open(b.path)
		if err != nil {
			return nil, err
		}
		b.file = f
	}
	b.refs++
	return &handle{file: b.file, body: b}, nil
}

func (h *handle) Close() error {
	h.once.Do(h.body.release)
	return nil
}

func (b *body) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.refs--; b.refs == 0 {
		b.file.Close()
		b.file = nil
	}
}

func createFile(path string) (file, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
}

// createBody creates the file for a body, and also the subdirectory if it is missing.
func (s *Store) createBody(path string) (file, error) {
	f, err := s.create(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return s.create(path)
}

func (b *body) sync() error {
	f, err := os.OpenFile(b.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	err = f.Sync()
	f.Close()
	return err
}

// bodies is the directory of the bodies. It contains up to 256 subdirectories, which the store
// creates on demand.
const bodies = "bodies"

func (s *Store) pathOf(k key, id uint64) string {
	name := fmt.Sprintf("%x-%016x", k[:], id)
	return filepath.Join(s.dir, bodies, name[:2], name)
}

const nameLen = 2*len(key{}) + 1 + 16

// sweep deletes bodies that are not in the index. A killed process may leave such bodies. It
// returns the entries with a missing body or a body of the wrong size.
func (s *Store) sweep(list []*entry) (missing map[string]*entry, err error) {
	missing = make(map[string]*entry, len(list))
	for _, e := range list {
		missing[filepath.Base(e.body.path)] = e
	}
	return missing, filepath.WalkDir(filepath.Join(s.dir, bodies), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !isBody(d.Name()) {
			return err // not a file of the store
		}
		if e := missing[d.Name()]; e != nil {
			if info, err := d.Info(); err == nil && info.Size() == e.size {
				delete(missing, d.Name())
				return nil
			}
		}
		return os.Remove(path)
	})
}

func isBody(name string) bool {
	if len(name) != nameLen || name[2*len(key{})] != '-' {
		return false
	}
	_, err := hex.DecodeString(name[:2*len(key{})] + name[2*len(key{})+1:])
	return err == nil
}

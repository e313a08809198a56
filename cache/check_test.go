package cache

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// fullFile is a file on a full disk.
type fullFile struct{ file }

func (fullFile) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// Check reports a directory that is not writable, and leaves no files in a writable
// directory.
func TestCheckFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	s := openStore(t, dir, nil)
	left := filepath.Join(dir, "check")
	for range 2 {
		if err := s.Check(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("left behind: %v", err)
		}
		// The file already exists, as after kill -9.
		if err := os.WriteFile(left, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	create := s.create
	s.create = func(path string) (file, error) {
		f, err := create(path)
		return fullFile{f}, err
	}
	if err := s.Check(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a full disk: %v", err)
	}
	s.create = create
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := s.Check(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}

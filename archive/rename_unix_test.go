//go:build unix

package archive

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/locus-url/locus/scheme/all"
)

// isOpen reports whether this process has the file open.
func isOpen(t *testing.T, name string) bool {
	t.Helper()
	var want, got syscall.Stat_t
	if err := syscall.Stat(name, &want); err != nil {
		t.Fatal(err)
	}
	for fd := range 1 << 12 {
		if syscall.Fstat(fd, &got) == nil && got.Dev == want.Dev && got.Ino == want.Ino {
			return true
		}
	}
	return false
}

// The index is closed when it gets its name, because Windows renames no open file. One that
// does not get its name is made without one.
func TestIndexIsRenamedClosed(t *testing.T) {
	registry, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	for _, refused := range []bool{false, true} {
		dir := t.TempDir()
		notes, renames := 0, 0
		s := &Store{registry: registry, options: Options{Cache: dir, Note: func(error) { notes++ }}}
		s.rename = func(old, new string) error {
			renames++
			if isOpen(t, old) {
				t.Error("the file is open")
			}
			if refused {
				return &os.LinkError{Op: "rename", Old: old, New: new, Err: syscall.EACCES}
			}
			return os.Rename(old, new)
		}
		if err := s.openIndex(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		if !refused && !isOpen(t, s.index.file.Name()) {
			t.Error("the index is not open")
		}
		left, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || renames != 1 || refused && (notes != 1 || len(left) != 0) || !refused && (notes != 0 || len(left) != 1 || left[0] != s.index.name) {
			t.Errorf("refused %t: %d renames, %d notes, left %q, %v", refused, renames, notes, left, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

package filelock

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func open(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// Only one of two open files can hold the lock, until it is closed.
func TestTry(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, second := open(t, path), open(t, path)
	if err := Try(first); errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	if err := Try(second); !errors.Is(err, ErrLocked) {
		t.Errorf("locked twice: %v", err)
	}
	first.Close()
	if err := Try(second); err != nil {
		t.Error(err)
	}
}

func TestProcess(t *testing.T) {
	for text, want := range map[string]int{"": 0, "notes": 0, "{}": 0, `{"process":7}` + "\n": 7, `{"process":7,"state":"open"}   `: 7, strings.Repeat(" ", MaxText) + `{"process":7}`: 0} {
		f := open(t, filepath.Join(t.TempDir(), "lock"))
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if got := Process(f); got != want {
			t.Errorf("%.20q: %d, want %d", text, got, want)
		}
	}
}

package wholefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

func TestWrite(t *testing.T) {
	name := t.TempDir()
	dir, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	want := time.Date(2001, 2, 3, 4, 5, 6, 7000, time.UTC)
	at, err := Write(dir, "a", []byte("text"), want, true)
	if err != nil {
		t.Skip(err) // this system does not support unnamed files
	}
	info, err := os.Stat(filepath.Join(name, "a"))
	if err != nil || !at.Equal(want) || !info.ModTime().Equal(want) {
		t.Errorf("%v, %v, %v", at, info, err)
	}
	if _, err := Write(dir, "a", []byte("other"), time.Time{}, false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("it exists: %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(name, "a")); string(text) != "text" {
		t.Errorf("%q, %v", text, err)
	}
	now := time.Now()
	at, err = Write(dir, "b", nil, time.Time{}, false)
	if err != nil || at.Before(now.Add(-time.Minute)) {
		t.Errorf("%v, %v", at, err)
	}
	if entries, err := os.ReadDir(name); len(entries) != 2 {
		t.Errorf("%v, %v", entries, err)
	}
}

// If the system supports unnamed files, no directory listing contains a temporary file. After
// Close, no listing contains the file on any system.
func TestTemporary(t *testing.T) {
	folder := t.TempDir()
	f, err := CreateTemporary(folder, "a-*")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("text"), 3); err != nil {
		t.Error(err)
	}
	text := make([]byte, 4)
	if _, err := f.ReadAt(text, 3); err != nil || string(text) != "text" {
		t.Errorf("%q, %v", text, err)
	}
	if list, err := os.ReadDir(folder); err != nil || len(list) > 0 && runtime.GOOS != "windows" {
		t.Errorf("%v, %v", list, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if list, err := os.ReadDir(folder); err != nil || len(list) > 0 {
		t.Errorf("closed: %v, %v", list, err)
	}
	if _, err := CreateTemporary(filepath.Join(folder, "missing"), "a-*"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without the folder: %v", err)
	}
}

package wholefile

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// replacements lists the functions that begin to replace the file "a" in a directory.
var replacements = map[string]func(t *testing.T, dir string) (*Replacement, error){
	"a file of the user": func(_ *testing.T, dir string) (*Replacement, error) {
		return NewReplacement(filepath.Join(dir, "a"))
	},
	"paths": func(_ *testing.T, dir string) (*Replacement, error) {
		return NewReplacementIn(nil, filepath.Join(dir, "a"), filepath.Join(dir, "a.new"), 0o640)
	},
	"a root": func(t *testing.T, dir string) (*Replacement, error) {
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { root.Close() })
		return NewReplacementIn(root, "a", "a.new", 0o640)
	},
}

// eachReplacement runs a test with each of these functions. The replacement replaces a file that
// contains "old" with a file that contains "new".
func eachReplacement(t *testing.T, test func(t *testing.T, r *Replacement, dir string, content func() string)) {
	for name, begin := range replacements {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "a")
			if err := os.WriteFile(file, []byte("old"), 0o640); err != nil {
				t.Fatal(err)
			}
			r, err := begin(t, dir)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.WriteString("new"); err != nil {
				t.Fatal(err)
			}
			test(t, r, dir, func() string {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Error(err)
				}
				return string(text)
			})
		})
	}
}

// wantAlone checks that a directory contains only one file, and returns the mode of the file.
func wantAlone(t *testing.T, dir string) os.FileMode {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	info, err := list[0].Info()
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}

// Commit writes the file to the disk before the rename, and then writes the directory to the disk.
// It closes the file before the rename, because Windows can't rename open files.
func TestCommit(t *testing.T) {
	eachReplacement(t, func(t *testing.T, r *Replacement, dir string, content func() string) {
		defer r.Discard()
		old, err := os.Stat(filepath.Join(dir, "a"))
		if err != nil {
			t.Fatal(err)
		}
		var synced []string
		r.sync = func(f *os.File) error {
			synced = append(synced, filepath.Base(f.Name())+" "+content())
			return f.Sync()
		}
		r.folder = closedBefore{r.folder, r.File, t}
		if err := r.Commit(); err != nil {
			t.Error(err)
		}
		if len(synced) != 2 || synced[0] != filepath.Base(r.Name())+" old" || synced[1][len(synced[1])-4:] != " new" {
			t.Errorf("synced %q", synced)
		}
		r.Discard()
		if mode := wantAlone(t, dir); content() != "new" || mode != old.Mode() {
			t.Errorf("%q, %v instead of %v", content(), mode, old.Mode())
		}
	})
}

// closedBefore is a folder that permits renaming only a closed file.
type closedBefore struct {
	folder
	file *os.File
	t    *testing.T
}

func (c closedBefore) Rename(old, new string) error {
	if _, err := c.file.Stat(); !errors.Is(err, os.ErrClosed) {
		c.t.Errorf("the file is open when it is renamed: %v", err)
	}
	return c.folder.Rename(old, new)
}

// A file that is not on the disk does not replace another file. A directory that can't be
// synced is not a failure, but a failing disk is.
func TestCommitSyncFails(t *testing.T) {
	for _, test := range []struct {
		file, folder, want error
		content            string
	}{
		{syscall.EIO, nil, syscall.EIO, "old"},
		{nil, syscall.EIO, syscall.EIO, "new"},
		{nil, syscall.EINVAL, nil, "new"},
		{nil, syscall.EACCES, nil, "new"},
		{nil, errors.ErrUnsupported, nil, "new"},
	} {
		eachReplacement(t, func(t *testing.T, r *Replacement, dir string, content func() string) {
			r.sync = func(f *os.File) error {
				if f == r.File {
					return test.file
				}
				return test.folder
			}
			err := r.Commit()
			r.Discard()
			if !errors.Is(err, test.want) || content() != test.content {
				t.Errorf("%v, %v: %v, %q", test.file, test.folder, err, content())
			}
			wantAlone(t, dir)
		})
	}
}

// After Discard, the directory contains only the original file.
func TestDiscard(t *testing.T) {
	eachReplacement(t, func(t *testing.T, r *Replacement, dir string, content func() string) {
		r.Discard()
		wantAlone(t, dir)
		if content() != "old" {
			t.Error(content())
		}
	})
}

// A replacement replaces the temporary file that a killed process left. It also replaces symbolic
// links at both names and does not follow them.
func TestReplacementOverLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	for _, name := range []string{"paths", "a root"} {
		dir := t.TempDir()
		for _, err := range []error{
			os.WriteFile(filepath.Join(dir, "other"), []byte("other"), 0o600),
			os.Symlink("other", filepath.Join(dir, "a")),
			os.Symlink("other", filepath.Join(dir, "a.new")),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, text := range []string{"killed", "new"} {
			r, err := replacements[name](t, dir)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.WriteString(text); err != nil {
				t.Fatal(err)
			}
			if text == "killed" {
				r.Close()
				continue
			}
			if err := r.Commit(); err != nil {
				t.Error(err)
			}
		}
		got := map[string]string{}
		list, err := os.ReadDir(dir)
		for _, e := range list {
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Error(err)
			}
			got[e.Name()+" "+e.Type().String()] = string(text)
		}
		want := map[string]string{"a ----------": "new", "other ----------": "other"}
		if err != nil || !maps.Equal(got, want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// If a temporary file can't be removed, the error says so, not that the file exists.
func TestReplacementOverFolder(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "new", "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := NewReplacementIn(nil, filepath.Join(dir, "a"), filepath.Join(dir, "new"), 0o600)
	if err == nil || errors.Is(err, syscall.EEXIST) || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("NewReplacementIn over a folder = %v, want that it is not empty", err)
	}
}

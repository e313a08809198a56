package wholefile

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// replacement begins to replace a file "a" that has the text "old" by one with "new".
func replacement(t *testing.T) (r *Replacement, content func() string) {
	t.Helper()
	dir := t.TempDir()
	name := filepath.Join(dir, "a")
	if err := os.WriteFile(name, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	r, err := NewReplacement(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.WriteString("new"); err != nil {
		t.Fatal(err)
	}
	return r, func() string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Error(err)
		}
		return string(text)
	}
}

// wantAlone checks that a folder has one file, and returns its mode.
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

// The file is on the disk before it has its name, and the name is after that.
func TestCommit(t *testing.T) {
	r, content := replacement(t)
	defer r.Discard()
	dir := filepath.Dir(r.Target)
	old, err := os.Stat(r.Target)
	if err != nil {
		t.Fatal(err)
	}
	var synced []string
	r.sync = func(f *os.File) error {
		synced = append(synced, filepath.Base(f.Name())+" "+content())
		return f.Sync()
	}
	if err := r.Commit(); err != nil {
		t.Error(err)
	}
	if want := []string{filepath.Base(r.Name()) + " old", filepath.Base(dir) + " new"}; !slices.Equal(synced, want) {
		t.Errorf("synced %q, want %q", synced, want)
	}
	r.Discard()
	if mode := wantAlone(t, dir); content() != "new" || mode != old.Mode() {
		t.Errorf("%q, %v instead of %v", content(), mode, old.Mode())
	}
}

// A file that is not on the disk does not replace another one. A folder that can't be
// synced is no failure; one whose disk fails is.
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
		r, content := replacement(t)
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
		wantAlone(t, filepath.Dir(r.Target))
	}
}

// A replacement that is not completed leaves the file, and no other.
func TestDiscard(t *testing.T) {
	r, content := replacement(t)
	r.Discard()
	wantAlone(t, filepath.Dir(r.Target))
	if content() != "old" {
		t.Error(content())
	}
}

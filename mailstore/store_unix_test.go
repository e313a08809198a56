//go:build unix

package mailstore

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestPipes(t *testing.T) {
	dir := t.TempDir()
	mail := filepath.Join(dir, "mail")
	at := func(name string) string { return filepath.Join(mail, name) }
	write(t, at("mbox"), inMbox("1@a", "one"))
	write(t, at("Maildir/cur/2.host:2,"), messageText("2@a", "two"))
	write(t, at("Maildir/new/3.host"), messageText("3@a", "three"))
	for _, name := range []string{"pipe", "Maildir/new/pipe", "Maildir/pipe"} {
		if err := syscall.Mkfifo(at(name), 0o600); err != nil {
			t.Skip(err)
		}
	}
	if err := os.Symlink("../../pipe", at("Maildir/cur/link")); err != nil {
		t.Fatal(err)
	}
	s, n := openStore(t, filepath.Join(dir, "cache"), mail, at("pipe"))
	checkFind(t, s, "1@a", "one", at("mbox"))
	checkFind(t, s, "2@a", "two", at("Maildir/cur/2.host:2,"))
	checkFind(t, s, "3@a", "three", at("Maildir/new/3.host"))
	for _, name := range []string{"mail/pipe", "new/pipe", "cur/link"} {
		if !n.hasNote(name, "not a regular file") {
			t.Errorf("nothing about %s: %q", name, n.list)
		}
	}
	// A pipe replaces a message.
	list, err := s.Find(t.Context(), "1@a")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(at("mbox")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(at("mbox"), 0o600); err != nil {
		t.Fatal(err)
	}
	if m, err := s.Open(list[0]); !errors.Is(err, errNotRegular) {
		t.Errorf("%v, %v", m, err)
	}
	checkFind(t, s, "1@a", "")
}

func TestPermission(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root is refused nothing")
	}
	dir := t.TempDir()
	mail, cache := filepath.Join(dir, "mail"), filepath.Join(dir, "cache")
	write(t, filepath.Join(mail, "a"), inMbox("1@a", "one"))
	write(t, filepath.Join(mail, "b", "2.eml"), messageText("2@a", "two"))
	s, n := openStore(t, cache, mail)
	checkFind(t, s, "2@a", "two", filepath.Join(mail, "b", "2.eml"))
	for _, path := range []string{filepath.Join(mail, "a"), filepath.Join(mail, "b")} {
		if err := os.Chmod(path, 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(path, 0o700) })
	}
	checkFind(t, s, "1@a", "")
	if !n.hasNote("permission denied") {
		t.Errorf("%q", n.list)
	}
	// Files that cannot be read must stay in the index.
	os.Chmod(filepath.Join(mail, "b"), 0o700)
	checkRefresh(t, s, 0)
	checkFind(t, s, "2@a", "two", filepath.Join(mail, "b", "2.eml"))

	// A directory that cannot be written: it is empty, or contains an old index.
	for _, folder := range []string{filepath.Join(dir, "none"), cache} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(folder, 0o500); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(folder, 0o700) })
	}
	s, n = openStore(t, filepath.Join(dir, "none"), mail)
	checkFind(t, s, "2@a", "two", filepath.Join(mail, "b", "2.eml"))
	if !n.hasNote("temporary", "permission denied") {
		t.Errorf("%q", n.list)
	}
	if _, err := os.Stat(filepath.Join(dir, "none", filepath.Base(s.index.Path))); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

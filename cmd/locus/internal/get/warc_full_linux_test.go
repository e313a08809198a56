package get_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// If the disk is full, recording stopped after the last complete record, and the command continues.
func TestWARCFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"); err != nil {
		t.Skip("no file system can be mounted: ", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	noise := make([]byte, 1<<20)
	rand.NewChaCha8([32]byte{}).Read(noise)
	from := t.TempDir()
	for name, octets := range map[string][]byte{"first": []byte("first\n"), "large": noise, "last": []byte("last\n")} {
		if err := os.WriteFile(filepath.Join(from, name), octets, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	url := func(name string) string { return "file://" + filepath.Join(from, name) }
	name := filepath.Join(dir, "a.warc.gz")
	got := runGet(t, nil, "--raw", "--warc", name, url("first"), url("large"), url("last"))
	if want := "first\n" + string(noise) + "last\n"; got.Out != want || got.Status != 3 || strings.Count(got.Err, "no space left") != 1 || !strings.Contains(got.Err, "--warc: ") {
		t.Errorf("%d octets, status %d, %s", len(got.Out), got.Status, got.Err)
	}
	if kept := runGet(t, nil, "--from", name, url("first")); kept.Out != "first\n" || kept.Status != 0 {
		t.Errorf("runGet(--from, %q) = %+v, want kept.Out %q and kept.Status 0", name, kept, "first\n")
	}
	if kept := runGet(t, nil, "--from", name, url("last")); kept.Status != 3 || !strings.Contains(kept.Err, "not in the archive") {
		t.Errorf("runGet(--from, %q) = %+v, want kept.Status 3 and %q in kept.Err", name, kept, "not in the archive")
	}
	if octets, err := os.ReadFile(name); err != nil || !bytes.HasPrefix(octets, []byte{0x1F, 0x8B}) {
		t.Error(err)
	}
}

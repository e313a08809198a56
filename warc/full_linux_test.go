package warc_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/locus-url/locus/warc"
)

// If the disk is full, the recording ends with an error, and all earlier records are
// complete.
func TestFullDisk(t *testing.T) {
	for _, ext := range []string{".warc", ".warc.gz"} {
		dir := t.TempDir()
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
			t.Skip("no file system can be mounted: ", err)
		}
		t.Cleanup(func() {
			if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
				t.Error(err)
			}
		})
		name := filepath.Join(dir, "a"+ext)
		w := create(t, name, warc.WriterOptions{})
		noise := make([]byte, 100_000)
		r := rand.NewChaCha8([32]byte{})
		n := 0
		var err error
		for err == nil {
			r.Read(noise)
			if err = w.Write(response(w, fmt.Sprintf("http://h.example/%d", n), string(noise))); err == nil {
				n++
			}
		}
		if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "recording stopped after the last complete record") || n < 5 {
			t.Errorf("%d records, %v", n, err)
		}
		if again := w.Write(response(w, "http://h.example/", "x")); !errors.Is(again, syscall.ENOSPC) {
			t.Errorf("then %v", again)
		}
		if err := w.Close(); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("at the end %v", err)
		}
		if text := describeRecords(bytes.NewReader(file(t, name))); strings.Count(text, "\nWARC/1.1 response") != n || strings.Contains(text, "\n! ") {
			t.Errorf("%d of %d records", strings.Count(text, "\nWARC/1.1 response"), n)
		}
		checkIndex(t, name, n)
		if got := names(t, dir); got != "a.cdxj a"+ext {
			t.Error(got)
		}
		// With more space, the recording continues. The block of this record needed a
		// temporary file.
		if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=16m"); err != nil {
			t.Fatal(err)
		}
		w = create(t, name, warc.WriterOptions{})
		long := bytes.Repeat(noise, 15)
		if err := w.Write(response(w, "http://h.example/long", string(long))); err != nil {
			t.Error(err)
		}
		closed(t, w)
		checkIndex(t, name, n+1)
	}
}

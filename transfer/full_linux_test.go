package transfer

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/locus-url/locus/access"
)

// mountSmall mounts a file system of the given size at a new directory.
func mountSmall(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skip("no file system can be mounted: ", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func TestFullDisk(t *testing.T) {
	dir := mountSmall(t, "256k")
	data := octets(1 << 20)
	m := &memory{files: map[string]*file{"a": {data: data}}}
	r := runOne(t, m, dir, &Options{Politeness: access.Politeness{Retry: 3}})
	var e *Error
	if !errors.As(r.Err, &e) || !errors.Is(e, syscall.ENOSPC) || !errors.Is(e, ErrFile) || e.PartSize == 0 || len(m.asked) != 1 {
		t.Fatalf("%v, after %d requests", r.Err, len(m.asked))
	}
	if want := filepath.Join(dir, "a.part") + ": no space left on device"; !strings.Contains(e.Error(), want) {
		t.Errorf("%v does not say %q", e, want)
	}
	wantNames(t, dir, "a.part", "a.part.json")

	// With more space, the download continues.
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=4m"); err != nil {
		t.Fatal(err)
	}
	if r := runOne(t, m, dir, &Options{Resume: true}); r.Err != nil || r.Resumed != e.PartSize {
		t.Errorf("%+v", r)
	}
	wantFile(t, dir, "a", data)
	wantNames(t, dir, "a")
}

func TestReadOnlyFileSystem(t *testing.T) {
	dir := mountSmall(t, "256k")
	write(t, dir, "a", []byte("old"))
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	m := &memory{files: map[string]*file{"a": {data: octets(10)}, "b": {data: octets(10)}}}
	for _, r := range run(t, t.Context(), m, dir, &Options{Overwrite: true}, Job{mem("a"), "a"}, Job{mem("b"), "b"}) {
		if !errors.Is(r.Err, syscall.EROFS) || !strings.Contains(r.Err.Error(), filepath.Join(dir, r.Job.Name)) {
			t.Error(r.Err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "a")); err != nil || string(text) != "old" {
		t.Errorf("the old file is %q, %v", text, err)
	}
}

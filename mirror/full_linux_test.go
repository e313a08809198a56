package mirror_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/locus-url/locus/mirror"
)

// A run ends when the folder is full, and another continues it.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"); err != nil {
		t.Skip("no file system can be mounted: ", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	s := links(100)
	for path := range s.pages {
		if path != "/" {
			s.pages[path] += strings.Repeat(" text", 2000)
		}
	}
	root, _ := serve(t, s)
	c := newClient(t)
	out := run(t, c, dir, nil, root+"/")
	file := (*mirror.FileError)(nil)
	if !errors.Is(out.err, syscall.ENOSPC) || !errors.As(out.err, &file) || strings.Contains(out.err.Error(), "\n") || out.Failed > 0 || len(s.asked()) > 50 {
		t.Fatalf("%v, %+v", out.err, out.Summary)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=8m"); err != nil {
		t.Fatal(err)
	}
	if out := mustRun(t, c, dir, nil, root+"/"); out.Added != 101 || len(filesOf(t, dir)) != 101 {
		t.Errorf("%+v", out.Summary)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	if out := run(t, c, dir, nil, root+"/"); !errors.Is(out.err, syscall.EROFS) {
		t.Error(out.err)
	}
}

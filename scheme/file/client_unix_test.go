//go:build unix

package file

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

func TestSpecialFiles(t *testing.T) {
	c, dir := fixture(t, nil)
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644); err != nil {
		t.Skip(err)
	}
	var listen net.ListenConfig
	l, err := listen.Listen(t.Context(), "unix", filepath.Join(dir, "socket"))
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	whole := New(nil)
	for url, word := range map[string]string{"file:///pipe": "pipe", "file:///socket": "socket", "file:///dev/null": "device", "file:///dev/zero": "device"} {
		client := c
		if strings.Contains(url, "/dev/") {
			client = whole
		}
		if _, err := open(t, client, scheme.Request{URL: locus.MustParse(url)}); !errors.Is(err, scheme.ErrUnsupported) || !strings.Contains(err.Error(), word) {
			t.Errorf("%s: %v", url, err)
		}
	}
	r, err := open(t, c, scheme.Request{URL: locus.MustParse("file:///")})
	if err != nil {
		t.Fatal(err)
	}
	for item, err := range r.(*scheme.Menu).Items {
		if err != nil || item.Kind != scheme.KindUnknown || item.Note != item.Title {
			t.Errorf("%+v, %v", item, err)
		}
	}
}

// swapped is a file tree in which a pipe replaces a file after the client has checked the file
// type, but before the client opens the file.
type swapped struct {
	tree
	file string
}

func (s swapped) Stat(string) (os.FileInfo, error) { return s.tree.Stat(s.file) }

func TestPipeReplacesFile(t *testing.T) {
	c, dir := fixture(t, map[string]string{"file": "x"})
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644); err != nil {
		t.Skip(err)
	}
	c.tree = swapped{c.tree, "file"}
	if _, err := open(t, c, scheme.Request{URL: locus.MustParse("file:///pipe")}); !errors.Is(err, scheme.ErrUnsupported) {
		t.Error(err)
	}
}

func TestPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	c, dir := fixture(t, map[string]string{"secret": "x"})
	if err := os.Chmod(filepath.Join(dir, "secret"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, c, scheme.Request{URL: locus.MustParse("file:///secret")}); !errors.Is(err, scheme.ErrAuth) || !errors.Is(err, os.ErrPermission) {
		t.Error(err)
	}
}

func TestFilesWithoutSize(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip(err)
	}
	c := New(nil)
	u := locus.MustParse("file:///proc/self/status")
	o := openObject(t, c, scheme.Request{URL: u})
	if text := read(t, o.Body); o.Size != -1 || !strings.Contains(text, "Pid:") {
		t.Errorf("size %d, %q", o.Size, text)
	}
	o = openObject(t, c, scheme.Request{URL: u, Limit: 10})
	n, err := o.Body.Read(make([]byte, 100))
	if n != 10 || !errors.Is(err, scheme.ErrTooLarge) {
		t.Errorf("a limit of 10: %d, %v", n, err)
	}
}

package archive_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locus-url/locus/archive"
	"github.com/locus-url/locus/internal/dev/faults"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
)

// faultVar names the archive, for all processes of the test.
const faultVar = "LOCUS_TEST_ARCHIVE"

// faultPages is the number of pages in the archive. Larger page numbers wrap around.
const faultPages = 400

func faultURL(i int) string  { return fmt.Sprintf("http://h.example/%d", i%faultPages) }
func faultPage(i int) string { return strings.Repeat(fmt.Sprint("page ", i%faultPages, " "), 20) }

// faultIndex treats the index of an archive as a store. The store finds every page,
// whatever happens to the index.
type faultIndex struct {
	*archive.Store
	registry *scheme.Registry
	dir      string
}

func openFaultIndex(registry *scheme.Registry, dir string) (*faultIndex, error) {
	s, err := archive.Open(context.Background(), registry, []string{os.Getenv(faultVar)}, &archive.Options{Cache: dir})
	if err != nil {
		return nil, err
	}
	return &faultIndex{s, registry, dir}, nil
}

// Put makes the index again, or opens a page.
func (s *faultIndex) Put(i int) error {
	if i%3 != 0 {
		_, err := s.Get(i)
		return err
	}
	names, err := filepath.Glob(filepath.Join(s.dir, "*.idx"))
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	again, err := openFaultIndex(s.registry, s.dir)
	if err != nil {
		return err
	}
	old := s.Store
	s.Store = again.Store
	return old.Close()
}

func (s *faultIndex) Get(i int) (bool, error) {
	r, err := s.Store.Open(context.Background(), &scheme.Request{URL: mustParse(faultURL(i))})
	if errors.Is(err, scheme.ErrNotArchived) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer r.Close()
	o, ok := r.(*scheme.Object)
	if !ok {
		return true, fmt.Errorf("%w: a %T", faults.ErrWrong, r)
	}
	text, err := io.ReadAll(o.Body)
	if err == nil && string(text) != faultPage(i) {
		err = fmt.Errorf("%w: %.40q", faults.ErrWrong, text)
	}
	return true, err
}

func TestFaults(t *testing.T) {
	registry, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv(faultVar) == "" {
		dir := t.TempDir()
		for _, name := range []string{filepath.Dir(dir), dir} {
			if err := os.Chmod(name, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		var b strings.Builder
		for i := range faultPages {
			b.WriteString(response(faultURL(i), "2020-01-02T03:04:05Z", page(faultPage(i))).text())
		}
		name := filepath.Join(dir, "a.warc")
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Setenv(faultVar, name)
	}
	faults.Run(t, faults.Driver{
		Open:      func(dir string) (faults.Store, error) { return openFaultIndex(registry, dir) },
		Promise:   faults.Always,
		Shared:    true,
		DiskSpace: 16 << 10,
		Litter:    []string{"*.part", "locus-index-*", "locus-*.tmp"},
	})
}

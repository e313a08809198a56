package verify

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locus-url/locus/internal/dev/faults"
	"github.com/locus-url/locus/verify"
)

// faultFiles contains the names of the two files that a run replaces, a baseline and a document.
// Entries are written alternately to the two files.
type faultFiles struct{ baseline, document string }

func faultLink(i int) string {
	return fmt.Sprintf("http://h%d.example/%s", i, strings.Repeat("x", 200))
}

func (f faultFiles) links() ([]string, error) {
	text, err := os.ReadFile(f.baseline)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	known, err := verify.ParseBaseline(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.baseline, err)
	}
	return known.Links(), nil
}

func (f faultFiles) Put(i int) error {
	if i%2 == 0 {
		text, err := os.ReadFile(f.document)
		if err != nil {
			return err
		}
		return replaceFile(f.document, text, append(bytes.Clone(text), faultLink(i)+"\n"...))
	}
	links, err := f.links()
	if err != nil {
		return err
	}
	v := &verifier{baseline: f.baseline, bad: map[string]bool{faultLink(i): true}}
	for _, link := range links {
		v.bad[link] = true
	}
	return v.saveBaseline()
}

func (f faultFiles) Get(i int) (bool, error) {
	name := f.baseline
	if i%2 == 0 {
		name = f.document
	}
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return bytes.Contains(text, []byte(faultLink(i)+"\n")), err
}

func (faultFiles) Close() error { return nil }

func TestFaults(t *testing.T) {
	faults.Run(t, faults.Driver{
		Open: func(dir string) (faults.Store, error) {
			f := faultFiles{filepath.Join(dir, "baseline.txt"), filepath.Join(dir, "page.md")}
			if _, err := f.links(); err != nil {
				return nil, err
			}
			if _, err := os.Stat(f.document); errors.Is(err, fs.ErrNotExist) {
				return f, os.WriteFile(f.document, []byte("# Links\n"), 0o600)
			}
			return f, nil
		},
		Promise:   faults.AtPut,
		Shared:    true,
		Entries:   30,
		DiskSpace: 32 << 10,
		Silent:    true,
		Cannot:    map[faults.Fault]string{faults.Two: "a run writes its own baseline, and changes no document that another process has changed"},
	})
}

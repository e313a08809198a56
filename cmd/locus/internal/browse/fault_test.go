package browse

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/dev/faults"
)

// faultMarks tests the bookmarks file as a store for package faults.
type faultMarks struct{ bookmarks }

func faultURL(i int) locus.URL { return locus.MustParse(fmt.Sprintf("gopher://h.example/0/%d", i)) }

func (m *faultMarks) Put(i int) error {
	_, err := m.add(faultURL(i), fmt.Sprint("Title ", i), time.Now())
	return err
}

func (m *faultMarks) Get(i int) (bool, error) {
	list, err := m.read()
	if err != nil {
		return false, err
	}
	for _, b := range list {
		if b.URL == faultURL(i) {
			if b.Title != fmt.Sprint("Title ", i) {
				err = fmt.Errorf("%w: %q", faults.ErrWrong, b.Title)
			}
			return true, err
		}
	}
	return false, nil
}

func (m *faultMarks) Close() error { return nil }

func TestFaults(t *testing.T) {
	faults.Run(t, faults.Driver{
		Open: func(dir string) (faults.Store, error) {
			m := &faultMarks{bookmarks{filepath.Join(dir, "bookmarks.toml")}}
			_, err := m.read()
			return m, err
		},
		Promise:   faults.AtPut,
		Shared:    true,
		Entries:   30,
		DiskSpace: 32 << 10,
		Litter:    []string{".bookmarks.new"},
		Silent:    true,
	})
}

package bulk

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/locus-url/locus/internal/dev/faults"
)

// faultSorter tests a Sorter with faults. Closing a faultSorter checks that the Sorter returns
// all records.
type faultSorter struct {
	*Sorter
	put map[string]bool
	bad bool // whether adding failed, so that the Sorter must not be used
}

func (s *faultSorter) Put(i int) error {
	for j := range 8 {
		text := fmt.Sprintf("%d %d %s", i, j, strings.Repeat("x", 4000))
		if err := s.Add(nil, []byte(text)); err != nil {
			s.bad = true
			return err
		}
		s.put[text] = true
	}
	return nil
}

func (s *faultSorter) Get(int) (bool, error) { return false, nil }

func (s *faultSorter) Close() error {
	defer s.Sorter.Close()
	if s.bad {
		return nil
	}
	last := ""
	err := s.Sorted(context.Background(), func(record []byte) error {
		if !s.put[string(record)] || string(record) <= last {
			return fmt.Errorf("%w: %.20q after %.20q", faults.ErrWrong, record, last)
		}
		last = string(record)
		delete(s.put, last)
		return nil
	})
	if err == nil && len(s.put) > 0 {
		err = fmt.Errorf("%w: %d records are lost", faults.ErrWrong, len(s.put))
	}
	return err
}

func TestFaults(t *testing.T) {
	faults.Run(t, faults.Driver{
		Open: func(dir string) (faults.Store, error) {
			return &faultSorter{Sorter: NewSorter(SorterOptions{Memory: 64 << 10, Folder: dir}), put: map[string]bool{}}, nil
		},
		Promise: faults.Never,
		Shared:  true,
		Litter:  []string{"locus-*"},
		Cannot: map[faults.Fault]string{
			faults.Clock:  "the file has no name and ends with its process",
			faults.Damage: "the file has no name, so only its process writes it",
		},
	})
}

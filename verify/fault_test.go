package verify

import (
	"encoding/binary"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus/internal/dev/faults"
)

// faultResults is a store of outcomes.
type faultResults struct{ *Store }

func faultKey(i int) (k recordKey) {
	binary.BigEndian.PutUint64(k[:], uint64(i))
	return k
}

func (s faultResults) Put(i int) error {
	s.put(faultKey(i), record{Verdict: Alive, When: time.Now().Unix(), Detail: fmt.Sprint(i, strings.Repeat(" text", 50))})
	return nil
}

func (s faultResults) Get(i int) (bool, error) {
	r, ok := s.get(faultKey(i))
	if ok && !strings.HasPrefix(r.Detail, fmt.Sprint(i, " ")) {
		return true, fmt.Errorf("%w: %.20q", faults.ErrWrong, r.Detail)
	}
	return ok, nil
}

func TestFaults(t *testing.T) {
	faults.Run(t, faults.Driver{
		Open: func(dir string) (faults.Store, error) {
			s, err := OpenStore(filepath.Join(dir, "results.db"))
			if err != nil {
				return nil, err
			}
			return faultResults{s}, nil
		},
		Promise: faults.AtClose,
	})
}

package fleet

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/verify"
)

// TestSubmitStreams checks that a list is submitted while it is read. The first targets and lines
// must be in the frontier before the end of the list is written. If the list is submitted again,
// it must add nothing.
func TestSubmitStreams(t *testing.T) {
	t.Parallel()
	w := newFixture(t, func(string, string) (int, string) { return 200, "" })
	f := openTestFrontier(t)
	e, err := NewSubmitter(w.worker(f, w.options()))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	const first, count = 2 * maxPart, 2*maxPart + 10
	stored := func() (targets, pieces uint64) {
		t.Helper()
		s, err := f.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		links, err := f.links.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s.Targets, links.State.Msgs
	}
	submit := func(wait func()) {
		r, pipe := io.Pipe()
		list := verify.Source{Name: "list.txt", URL: locus.MustParse("file:///nowhere/list.txt"), Open: func(context.Context) (io.ReadCloser, error) { return r, nil }}
		var running sync.WaitGroup
		defer running.Wait()
		running.Go(func() {
			if err := e.Submit(t.Context(), slices.Values([]verify.Source{list})); err != nil {
				t.Error(err)
			}
		})
		defer pipe.Close()
		for i := range count {
			if i == first {
				// The submitter reads the document in blocks, so it may not have read the last
				// lines yet.
				wait()
			}
			fmt.Fprintf(pipe, "http://h%d.example/%0200d\n", i%100, i)
		}
	}
	submit(func() {
		eventually(t, func() bool { targets, pieces := stored(); return targets >= maxPart/2 && pieces > 0 })
	})
	targets, pieces := stored()
	if targets != count {
		t.Errorf("%d targets", targets)
	}
	submit(func() {})
	if again, more := stored(); again != targets || more != pieces {
		t.Errorf("%d targets and %d pieces, then %d and %d", targets, pieces, again, more)
	}
	lines := map[int64]bool{}
	for r := range e.Results(t.Context()) {
		lines[r.Line] = true
	}
	if len(lines) != count || !lines[1] || !lines[count] {
		t.Errorf("%d lines", len(lines))
	}
}

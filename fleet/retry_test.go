package fleet

import (
	"encoding/binary"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/locus-url/locus/verify"
)

// TestRetry checks that Retry makes workers check the right targets again, within the per-host
// limits, even if the workers are already running. Two calls must cause one check. Good and bad
// verdicts must stay, unless the retry includes bad verdicts.
func TestRetry(t *testing.T) {
	t.Parallel()
	const warned = maxWaiting + 20 // more targets of one host than a worker holds
	var mu sync.Mutex
	failing := true
	w := newFixture(t, func(_, path string) (int, string) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case !failing, path == "/good":
			return 200, ""
		case path == "/bad":
			return 404, ""
		}
		return 403, ""
	})
	f := openTestFrontier(t)
	var list strings.Builder
	for i := range warned {
		fmt.Fprintf(&list, "http://h.example/%d\n", i)
	}
	list.WriteString("http://h.example/good http://h.example/bad http://private1.example/")
	end := w.startWorker(w.worker(f, w.options()))
	w.submitAll(f, document("d", list.String()))()
	end()
	const targets = warned + 3
	verdicts := func() map[verify.Verdict]int {
		t.Helper()
		e, err := NewSubmitter(w.worker(f, w.options()))
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		got := map[verify.Verdict]int{}
		for r := range e.Results(t.Context()) {
			got[r.Verdict]++
		}
		return got
	}
	expect := func(warning, dead, alive int) {
		t.Helper()
		got := verdicts()
		if got[verify.Warning] != warning || got[verify.Dead] != dead || got[verify.Alive] != alive || got[verify.Denied] != 1 {
			t.Errorf("%v", got)
		}
		if s, err := f.Status(t.Context()); err != nil || s.Targets != targets || s.Verdicts != targets || s.Dead != 0 {
			t.Errorf("%+v %v", s, err)
		}
	}
	expect(warned, 1, 1)
	mu.Lock()
	failing = false
	mu.Unlock()
	w.mu.Lock()
	clear(w.log)
	clear(w.most)
	w.mu.Unlock()
	for range 2 {
		if n, err := f.Retry(t.Context(), false); err != nil || n != warned+1 {
			t.Errorf("%d %v", n, err)
		}
		expect(warned, 1, 1) // until a worker stores new verdicts
	}
	defer w.startWorker(w.worker(f, w.options()))()
	eventually(t, func() bool { return verdicts()[verify.Warning] == 0 })
	expect(0, 1, 1+warned)
	if asked := w.requests(); len(asked) != warned || w.repeated() != nil || w.most["h.example"] > 2 {
		t.Errorf("%d requests, repeated %q, %d at once", len(asked), w.repeated(), w.most["h.example"])
	}
	if n, err := f.Retry(t.Context(), true); err != nil || n != 2 {
		t.Errorf("%d %v", n, err)
	}
	eventually(t, func() bool { return verdicts()[verify.Dead] == 0 })
	expect(0, 0, 2+warned)
}

// TestStatusOfRetries checks that the status counts retries without listing them.
func TestStatusOfRetries(t *testing.T) {
	t.Parallel()
	const retries = 3000
	f := openTestFrontier(t)
	b := &batch{f: f}
	for i := range uint64(retries) {
		at := address{hostAddress: f.hostAddressOf("h.example")}
		binary.BigEndian.PutUint64(at.key[:], i)
		if err := b.addMessage(t.Context(), f.subject(targetStream, at.words()...), nil); err != nil {
			t.Fatal(err)
		}
		if err := b.addMessage(t.Context(), f.retrySubject(at, i+1), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := f.nc.Stats().InBytes
	s, err := f.Status(t.Context())
	if err != nil || s.Targets != retries {
		t.Errorf("%d targets, %v", s.Targets, err)
	}
	if n := f.nc.Stats().InBytes - before; n > 16*retries {
		t.Errorf("the server sent %d bytes", n)
	}
}

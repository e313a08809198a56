package fleet

import (
	"context"
	"encoding/hex"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/locus-url/locus/verify"
)

// TestResume checks that an interrupted run resumes and repeats only requests that were in flight.
func TestResume(t *testing.T) {
	const n, hosts = 400, 5
	w := newFixture(t, redirecting)
	o := w.options()
	dir := t.TempDir()
	run := func(ctx context.Context, each func()) (results []verify.Result, err error) {
		e, err := Embed(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		f, nc := connected(t, e, Settings{})
		defer nc.Close()
		if err := f.ForgetLeases(t.Context()); err != nil {
			t.Fatal(err)
		}
		worker := w.worker(f, o)
		s, err := NewSubmitter(worker)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		end := w.startWorker(worker)
		defer end()
		for r := range s.Run(ctx, slices.Values([]verify.Source{manyHosts(n, hosts)})) {
			results = append(results, r)
			each()
		}
		return results, s.Err()
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	first := 0
	_, err := run(ctx, func() {
		if first++; first == n/3 {
			cancel()
		}
	})
	if err == nil {
		t.Error("the first run was not interrupted")
	}
	got, err := run(t.Context(), func() {})
	if err != nil || len(got) != n {
		t.Fatalf("%d results, %v", len(got), err)
	}
	twice := map[string]int{}
	extra := 0
	for _, r := range w.requests() {
		if twice[r]++; twice[r] > 1 {
			extra++
		}
	}
	if extra > 2*o.Parallel {
		t.Errorf("%d were asked for twice", extra)
	}
}

// TestDeadLetters checks that unreadable messages become dead letters and that no reader waits for
// them.
func TestDeadLetters(t *testing.T) {
	w := newFixture(t, redirecting)
	f := openTestFrontier(t)
	at := address{f.hostAddressOf("h.example"), key{1}}
	for subject, text := range map[string]string{
		f.subject(targetStream, at.words()...):                                   `{"l":{"url":"http://other.example/"}}`,
		f.subject(targetStream, "3", "no", hex.EncodeToString(at.key[:])):        "{}",
		f.subject(targetStream, "3", at.host, "00"):                              "\x00",
		f.subject(targetStream, f.hostAddressOf("x").words(key{2})...):           `{"l":{"url":"file:///etc/passwd"}}`,
		f.subject(targetStream, f.hostAddressOf("y").words(key{3})...) + ".more": "",
	} {
		if _, err := f.js.Publish(t.Context(), subject, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	worker := w.worker(f, w.options())
	end := w.startWorker(worker)
	defer end()
	for deadline := time.Now().Add(time.Minute); ; {
		s, err := f.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if s.Dead == 5 && s.Verdicts == 2 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%+v", s)
		}
		time.Sleep(10 * time.Millisecond)
	}
	if v, err := f.verdictOf(t.Context(), at); err != nil || v == nil || v.response.Outcome.Verdict != verify.Unknown {
		t.Errorf("%+v %v", v, err)
	}
	if asked := w.requests(); len(asked) > 0 {
		t.Errorf("asked: %q", asked)
	}
}

// TestRecrawl checks that workers check old verdicts again and store changes.
func TestRecrawl(t *testing.T) {
	var phase atomic.Int32
	w := newFixture(t, func(_, path string) (int, string) {
		switch {
		case path == "/steady":
			return 200, ""
		case path == "/to":
			return 200, ""
		}
		return []int{200, 404, 200, 301}[phase.Load()], "/to"
	})
	e, err := Embed(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	f, _ := connected(t, e, Settings{Every: time.Nanosecond, EveryBad: time.Nanosecond})
	worker := w.worker(f, w.options())
	s, err := NewSubmitter(worker)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	end := w.startWorker(worker)
	defer end()
	text := document("d", "http://h.example/x http://h.example/steady")
	for r := range s.Run(t.Context(), slices.Values([]verify.Source{text})) {
		if r.Verdict != verify.Alive {
			t.Errorf("%+v", r)
		}
	}
	phase.Store(1)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var got []string
	err = f.Changes(ctx, true, func(c Change) bool {
		if c.URL != "http://h.example/x" {
			t.Errorf("%+v", c)
		}
		got = append(got, c.Change)
		phase.Add(1)
		return len(got) < 3
	})
	if want := []string{"died", "came back", "moved"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, want %q, %v", got, want, err)
	}
}

// TestModes checks that paused workers make no requests and drained workers stop.
func TestModes(t *testing.T) {
	w := newFixture(t, redirecting)
	f := openTestFrontier(t)
	worker := w.worker(f, w.options())
	s, err := NewSubmitter(worker)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := f.SetMode(t.Context(), Pause); err != nil {
		t.Fatal(err)
	}
	if err := s.Submit(t.Context(), slices.Values([]verify.Source{manyHosts(50, 5)})); err != nil {
		t.Fatal(err)
	}
	end := w.startWorker(worker)
	for worker.Counts().Held < 64 {
		time.Sleep(10 * time.Millisecond)
	}
	if asked := w.requests(); len(asked) > 0 {
		t.Errorf("asked although paused: %q", asked)
	}
	if err := f.SetMode(t.Context(), Run); err != nil {
		t.Fatal(err)
	}
	for worker.Counts().Requests < 50 {
		time.Sleep(10 * time.Millisecond)
	}
	end()
	if err := f.SetMode(t.Context(), Drain); err != nil {
		t.Fatal(err)
	}
	if err := w.worker(f, w.options()).Run(t.Context()); err != nil {
		t.Error(err)
	}
	if status, err := f.Status(t.Context()); err != nil || len(status.Workers) != 0 || status.Verdicts != 50 {
		t.Errorf("%+v %v", status, err)
	}
}

package fleet

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/locus-url/locus/verify"
)

// TestRecrawlAges checks that a good verdict is checked again after Every, and a bad verdict
// after EveryBad, by the worker's clock. Each change must be reported once.
func TestRecrawlAges(t *testing.T) {
	var mu sync.Mutex
	answers := map[string]int{"/good": 200, "/bad": 404}
	w := newFixture(t, func(_, path string) (int, string) {
		mu.Lock()
		defer mu.Unlock()
		return answers[path], ""
	})
	e, err := Embed(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	f, _ := connected(t, e, Settings{Partitions: 1, Every: 30 * 24 * time.Hour, EveryBad: 24 * time.Hour})
	start := time.Now().Truncate(time.Second)
	clock := &skewedClock{now: start}
	worker := NewWorker(f, WorkerOptions{Client: w.client, Verify: w.options(), Clock: clock})
	s, err := NewSubmitter(worker)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	end := w.startWorker(worker)
	for range s.Run(t.Context(), slices.Values([]verify.Source{document("d", "http://h.example/good http://h.example/bad")})) {
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	end()
	requests := func(path string) (n int) {
		for _, r := range w.requests() {
			if r == "h.example HEAD "+path || r == "h.example GET "+path {
				n++
			}
		}
		return n
	}
	good, bad := requests("/good"), requests("/bad")
	mu.Lock()
	answers["/bad"], answers["/good"] = 200, 404
	mu.Unlock()
	var told []string
	round := func(age time.Duration) {
		t.Helper()
		clock.set(start.Add(age))
		worker := NewWorker(f, WorkerOptions{Client: w.client, Verify: w.options(), Clock: clock})
		end := w.startWorker(worker)
		defer end()
		eventually(t, func() bool { return worker.Counts().Held == 1 })
		for _, p := range worker.sortedParts() {
			if err := worker.recrawlPart(t.Context(), p); err != nil {
				t.Fatal(err)
			}
		}
		eventually(t, func() bool { return worker.Counts().Waiting == 0 })
		told = nil
		if err := f.Changes(t.Context(), false, func(c Change) bool { told = append(told, c.Change+" "+c.URL); return true }); err != nil {
			t.Fatal(err)
		}
	}
	round(23 * time.Hour)
	if requests("/good") != good || requests("/bad") != bad || told != nil {
		t.Errorf("asked too soon: %q %q", w.requests(), told)
	}
	round(25 * time.Hour)
	if requests("/good") != good || requests("/bad") == bad || !slices.Equal(told, []string{"came back http://h.example/bad"}) {
		t.Errorf("after a day: %q %q", w.requests(), told)
	}
	round(31 * 24 * time.Hour)
	if requests("/good") == good || !slices.Equal(told, []string{"came back http://h.example/bad", "died http://h.example/good"}) {
		t.Errorf("after a month: %q %q", w.requests(), told)
	}
}

// skewedClock is the system clock plus an offset, which set changes. The offset does not affect
// timers.
type skewedClock struct {
	mu    sync.Mutex
	now   time.Time
	since time.Time
}

func (c *skewedClock) set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now, c.since = now, time.Now()
}

func (c *skewedClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.since.IsZero() {
		c.since = time.Now()
	}
	return c.now.Add(time.Since(c.since))
}

func (c *skewedClock) AfterFunc(d time.Duration, f func()) (stop func()) {
	return SystemClock{}.AfterFunc(d, f)
}

// TestRecrawlStops checks that a round of the recrawl reads the verdicts in the order in which
// they were stored, and stops at the first verdict that is too young.
func TestRecrawlStops(t *testing.T) {
	f := openSettings(t, Settings{Partitions: 1, Every: 30 * 24 * time.Hour, EveryBad: 24 * time.Hour})
	w := newFixture(t, redirecting)
	clock := &skewedClock{now: time.Now()}
	worker := NewWorker(f, WorkerOptions{Client: w.client, Verify: w.options(), Clock: clock})
	s, err := NewSubmitter(worker)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	defer w.startWorker(worker)()
	for range s.Run(t.Context(), slices.Values([]verify.Source{manyHosts(50, 5)})) {
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	reads, err := f.nc.SubscribeSync("$JS.API.DIRECT.GET." + f.stream(verdictStream))
	if err != nil {
		t.Fatal(err)
	}
	for age, want := range map[time.Duration]int{23 * time.Hour: 1, 25 * time.Hour: 51} {
		clock.set(time.Now().Add(age))
		for _, p := range worker.sortedParts() {
			if err := worker.recrawlPart(t.Context(), p); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.nc.Flush(); err != nil {
			t.Fatal(err)
		}
		got := 0
		for n, _, _ := reads.Pending(); n > 0; n-- {
			m, err := reads.NextMsg(time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(m.Data), "next_by_subj") {
				got++
			}
		}
		if got != want {
			t.Errorf("%d reads after %s, want %d", got, age, want)
		}
	}
}

func TestChangeOf(t *testing.T) {
	o := func(v verify.Verdict) *verify.Outcome { return &verify.Outcome{Verdict: v} }
	for _, c := range []struct {
		before, now verify.Verdict
		want        string
	}{
		{verify.Alive, verify.Dead, "died"}, {verify.Warning, verify.Dead, "died"}, {verify.Dead, verify.Dead, ""}, {verify.Dead, verify.Alive, "came back"},
		{verify.Dead, verify.Moved, "came back"}, {verify.Alive, verify.Moved, "moved"}, {verify.Moved, verify.Moved, ""}, {verify.Dead, verify.Warning, ""}, {verify.Alive, verify.Warning, ""},
	} {
		if got := changeOf(o(c.before), o(c.now)); got != c.want {
			t.Errorf("%v to %v: %q, want %q", c.before, c.now, got, c.want)
		}
	}
}

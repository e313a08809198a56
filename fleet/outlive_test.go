package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/locus-url/locus/verify"
)

// successor is a test in which one worker dies after some requests. Another worker, whose clock
// is wrong by 10 minutes, continues the work.
type successor struct {
	*fixture
	sources []verify.Source
	options verify.Options
	// mustDie reports whether the test must kill the first worker now.
	mustDie func(*Frontier) bool
}

// run returns the results, and the time at which the second worker began, by the second worker's
// clock.
func (s *successor) run(t *testing.T) (got []verify.Result, secondBegin time.Time) {
	e, err := Embed(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	f, _ := connected(t, e, Settings{Partitions: 2})
	f1, cut := connected(t, e, Settings{})
	f2, _ := connected(t, e, Settings{})
	first, second := newFakeClock(), newFakeClock()
	second.advance(10 * time.Minute)
	for _, c := range []*fakeClock{first, second} {
		c.advanceRepeatedly(t, 20*time.Millisecond)
	}
	submitter, err := NewSubmitter(s.worker(f, s.options))
	if err != nil {
		t.Fatal(err)
	}
	defer submitter.Close()
	s.clock = first
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() {
		for r := range submitter.Run(t.Context(), slices.Values(s.sources)) {
			got = append(got, r)
		}
	})
	ctx, kill := context.WithCancel(context.Background())
	var dying sync.WaitGroup
	dying.Go(func() { _ = s.workerAt(f1, s.options, first).Run(ctx) })
	for !s.mustDie(f) {
		time.Sleep(time.Millisecond)
	}
	cut.Close()
	kill()
	dying.Wait()
	s.mu.Lock()
	s.clock = second
	s.mu.Unlock()
	secondBegin = second.Now()
	end := s.startWorker(s.workerAt(f2, s.options, second))
	defer end()
	running.Wait()
	if err := submitter.Err(); err != nil {
		t.Fatal(err)
	}
	return got, secondBegin
}

// isStored reports whether the store contains a record of the host for which matches returns
// true.
func isStored(t *testing.T, f *Frontier, host string, matches func(hostRecord) bool) bool {
	entry, err := f.hosts.Get(t.Context(), hostKey(f.hostAddressOf(hostName(t, host)).host))
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	return matches(decodeHost(entry.Value(), 0))
}

// hostName returns the name that [verify.Checker.Host] returns for the host.
func hostName(t *testing.T, host string) string {
	w := newFixture(t, nil)
	o := w.options()
	a := verify.NewChecker(w.plainClient(), &o, nil)
	found := a.Typed(site("http://" + host + "/").URL)
	name, _, _ := a.Host(found.Target.Canonical)
	return name
}

// TestPauseOutlivesWorker checks that the worker that takes over a host observes the pause that
// the host requested or a failure caused.
func TestPauseOutlivesWorker(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		name, after string
		status      int
		wait        time.Duration
		least       time.Duration
		refused     int // number of refused requests; a GET follows a HEAD if the response requests no pause
	}{
		{"Retry-After", "40", 429, time.Millisecond, 39 * time.Second, 1},
		{"backoff", "", 503, 30 * time.Second, 14 * time.Second, 2},
	} {
		t.Run(one.name, func(t *testing.T) {
			var mu sync.Mutex
			asked := 0
			w := newFixture(t, func(string, string) (int, string) {
				mu.Lock()
				defer mu.Unlock()
				if asked++; asked <= one.refused {
					return one.status, ""
				}
				return 200, ""
			})
			w.after = one.after
			var links strings.Builder
			for i := range 5 {
				fmt.Fprintf(&links, "http://busy.example/%d\n", i)
			}
			s := &successor{fixture: w, sources: []verify.Source{document("d", links.String())}, options: w.options()}
			s.options.Wait, s.options.PerHost, s.options.Interval = one.wait, 1, time.Second
			s.mustDie = func(f *Frontier) bool {
				return isStored(t, f, "busy.example", func(r hostRecord) bool { return r.Pause > 0 })
			}
			got, began := s.run(t)
			for _, r := range got {
				if r.Verdict != verify.Alive {
					t.Errorf("%s %s %s", r.URL, r.Verdict, r.Detail)
				}
			}
			log := w.times("busy.example")
			if len(log) != 5+one.refused {
				t.Fatalf("%+v", log)
			}
			// The pause begins when the second worker reads the record, which is not before the
			// worker begins.
			if d := log[one.refused].at.Sub(began); d < one.least {
				t.Errorf("asked %v after the takeover began, want %v", d, one.least)
			}
		})
	}
}

// TestRobotsOutlivesWorker checks that the worker that takes over a host observes the Crawl-delay
// of the host's robots.txt, without a second request for the file.
func TestRobotsOutlivesWorker(t *testing.T) {
	t.Parallel()
	w := newFixture(t, func(_, path string) (int, string) {
		switch path {
		case "/robots.txt":
			return 200, "User-agent: *\nCrawl-delay: 5\n"
		case "/":
			return 200, "<a href=/1>1</a> <a href=/2>2</a> <a href=/3>3</a> <a href=/4>4</a> <a href=/5>5</a>"
		}
		return 200, ""
	})
	s := &successor{fixture: w, sources: []verify.Source{site("http://slow.example/")}, options: w.options()}
	s.options.Interval = time.Second / 10
	s.mustDie = func(f *Frontier) bool {
		return len(w.times("slow.example")) >= 4 && isStored(t, f, "slow.example", func(r hostRecord) bool { return r.Interval > 0 })
	}
	got, began := s.run(t)
	if len(got) != 6 {
		t.Errorf("%d results", len(got))
	}
	robots := 0
	var last time.Time
	for i, r := range w.times("slow.example") {
		if strings.HasSuffix(r.what, "/robots.txt") {
			robots++
		}
		// The second worker's requests are compared with each other, and with the time at which
		// the worker began.
		if r.at.After(began) {
			if last.IsZero() {
				last = began
			}
			if d := r.at.Sub(last); d < 5*time.Second-100*time.Millisecond {
				t.Errorf("%d: %s %v after the one before", i, r.what, d)
			}
			last = r.at
		}
	}
	if robots != 1 || last.IsZero() {
		t.Errorf("%d requests for the robots.txt; %+v", robots, w.times("slow.example"))
	}
}

// TestPauseForAllWorkers checks that all workers pause if a host reports an overload to one
// worker during a redirect.
func TestPauseForAllWorkers(t *testing.T) {
	t.Parallel()
	const pause = 30 * time.Second
	var mu sync.Mutex
	var refused time.Time
	clock := newFakeClock()
	w := newFixture(t, func(host, path string) (int, string) {
		if strings.HasPrefix(host, "from") {
			return 301, "http://to.example/landing" + strings.TrimSuffix(host, ".example")
		}
		mu.Lock()
		defer mu.Unlock()
		if strings.HasPrefix(path, "/landing") && refused.IsZero() {
			refused = clock.Now()
			return 429, ""
		}
		return 200, ""
	})
	w.after, w.clock = fmt.Sprint(int(pause.Seconds())), clock
	clock.advanceRepeatedly(t, 5*time.Millisecond)
	e, err := Embed(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	f, _ := connected(t, e, Settings{Partitions: 8})
	other, _ := connected(t, e, Settings{})
	o := w.options()
	o.PerHost, o.Interval = 1, 2*time.Second
	one, two := w.workerAt(f, o, clock), w.workerAt(other, o, clock)
	defer w.startWorker(one)()
	defer w.startWorker(two)()
	for one.Counts().Held != 4 || two.Counts().Held != 4 {
		time.Sleep(time.Millisecond)
	}
	// Find a host that redirects and belongs to a different worker than the redirect target.
	to := f.hostAddressOf(hostName(t, "to.example")).partition
	from := ""
	for i := 0; from == ""; i++ {
		host := fmt.Sprintf("from%d.example", i)
		if at := f.hostAddressOf(hostName(t, host)).partition; (one.queue.partition(at) != nil) != (one.queue.partition(to) != nil) {
			from = host
		}
	}
	links := "http://" + from + "/a\n"
	for i := range 6 {
		links += fmt.Sprintf("http://to.example/own%d\n", i)
	}
	s, err := NewSubmitter(w.worker(f, o))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for r := range s.Run(t.Context(), slices.Values([]verify.Source{document("d", links)})) {
		if r.Verdict != verify.Alive && r.Verdict != verify.Moved {
			t.Errorf("%s %s %s", r.URL, r.Verdict, r.Detail)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if refused.IsZero() {
		t.Fatal("the redirect was not followed")
	}
	for i, r := range w.times("to.example") {
		if d := r.at.Sub(refused); d > 0 && d < pause {
			t.Errorf("%d: %s %v after the host asked for a pause", i, r.what, d)
		}
	}
}

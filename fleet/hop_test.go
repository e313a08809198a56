package fleet

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/verify"
)

// submitAll submits sources. The function results waits for their results.
func (w *fixture) submitAll(f *Frontier, sources ...verify.Source) (results func() []verify.Result) {
	e, err := NewSubmitter(w.worker(f, w.options()))
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(e.Close)
	var got []verify.Result
	var running sync.WaitGroup
	running.Go(func() { got = slices.Collect(e.Run(w.Context(), slices.Values(sources))) })
	return func() []verify.Result {
		running.Wait()
		if err := e.Err(); err != nil {
			w.Error(err)
		}
		return got
	}
}

// repeated returns the requests that were made more than once.
func (w *fixture) repeated() (list []string) {
	before := ""
	for _, one := range w.requests() {
		if one == before {
			list = append(list, one)
		}
		before = one
	}
	return list
}

// TestBusyHub checks that targets that redirect to a busy host (the hub) do not delay other
// targets. While the hub delays its responses, all other targets must get their verdicts. No
// request may be repeated, and the per-host limits must hold for the hub.
func TestBusyHub(t *testing.T) {
	t.Parallel()
	for _, workers := range []int{1, 2} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			t.Parallel()
			const hosts, each = 20, 3 // number of hosts, and number of targets of each kind on a host
			held := make(chan struct{})
			w := newFixture(t, func(host, path string) (int, string) {
				switch {
				case host == "hub.example":
					<-held
				case strings.HasPrefix(path, "/hub"):
					return 301, "http://hub.example/" + host + path
				}
				return 200, ""
			})
			release := sync.OnceFunc(func() { close(held) })
			defer release()
			e, err := Embed(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			f, _ := connected(t, e, Settings{Partitions: 8})
			o := w.options()
			o.Parallel, o.PerHost = 4, 2
			var all []*Worker
			for range workers {
				one, _ := connected(t, e, Settings{})
				all = append(all, w.worker(one, o))
				defer w.startWorker(all[len(all)-1])()
			}
			// If a partition moved to another worker, its waiting targets would be checked again.
			eventually(t, func() bool {
				return !slices.ContainsFunc(all, func(one *Worker) bool { return one.Counts().Held != 8/workers })
			})
			var list strings.Builder
			for i := range hosts {
				for n := range each {
					fmt.Fprintf(&list, "http://h%d.example/hub%d http://h%d.example/own%d\n", i, n, i, n)
				}
			}
			results := w.submitAll(f, document("d", list.String()))
			eventually(t, func() bool {
				s, err := f.Status(t.Context())
				w.mu.Lock()
				defer w.mu.Unlock()
				return err == nil && s.Verdicts == hosts*each && w.active["hub.example"] == 2
			})
			release()
			verdicts := map[verify.Verdict]int{}
			for _, r := range results() {
				verdicts[r.Verdict]++
				if r.Tries != 1 {
					t.Errorf("%s: %d tries", r.URL, r.Tries)
				}
			}
			if verdicts[verify.Alive] != hosts*each || verdicts[verify.Moved] != hosts*each {
				t.Errorf("%v", verdicts)
			}
			if list := w.repeated(); list != nil {
				t.Errorf("asked for again: %q", list)
			}
			if n := w.most["hub.example"]; n != 2 {
				t.Errorf("%d requests at once", n)
			}
		})
	}
}

// TestHopContinues checks that a check continues at the redirect target after any number of waits
// for a turn. It covers cookies from redirects, a GET request after a failed HEAD request, pages
// with a refresh, resources of other schemes, the GitHub API, and the policy for redirects from
// public and private addresses. No request may be repeated.
func TestHopContinues(t *testing.T) {
	t.Parallel()
	w := newFixture(t, func(host, path string) (int, string) {
		switch {
		case host == "api.example" && path != "/repos/o/known":
			return 404, ""
		case path == "/chain" && host != "h4.example":
			return 301, fmt.Sprintf("http://h%c.example/chain", host[1]+1)
		case path == "/there-and-back" && host != "h1.example":
			return 301, "http://h1.example/there-and-back"
		case path == "/there-and-back":
			return 301, "http://h0.example/back"
		case path == "/dead" && host == "h0.example":
			return 301, "http://h1.example/dead"
		case path == "/dead":
			return 404, ""
		case path == "/back":
			return 301, "http://h0.example/login"
		case path == "/inside" && host != "private1.example":
			return 301, "http://private1.example/inside"
		case path == "/refresh":
			return 200, `<p id="here"><meta http-equiv="refresh" content="0; url=http://h1.example/chain">`
		case path == "/to-refresh":
			return 301, "http://h5.example/refresh"
		case path == "/refresh-to-dead":
			return 200, `<meta http-equiv="refresh" content="0; url=http://h1.example/dead">`
		case path == "/loop":
			return 301, fmt.Sprintf("http://h%c.example/loop", '0'+'1'-host[1])
		}
		return 200, ""
	})
	w.login = true
	sources := []verify.Source{document("d", "http://h0.example/chain http://h0.example/there-and-back http://h0.example/dead http://h0.example/loop "+
		"http://h0.example/login http://h0.example/inside http://h5.example/refresh#elsewhere "+
		"http://h0.example/to-refresh#elsewhere http://h5.example/refresh-to-dead#elsewhere gopher://g.example/hURL:http://h0.example/chain "+
		"http://github.com/o/known http://github.com/o/unknown")}
	for i := range 16 {
		sources = append(sources, site(fmt.Sprintf("http://private%d.example/inside", 2+i))) // other slots continue the check
	}
	plain := verify.Options{Politeness: access.Politeness{Interval: access.None}, Reserved: true}
	plain.HTTP.GitHub = locus.MustParse("http://api.example/")
	want := sortedLines(slices.Collect(verify.New(w.plainClient(), &plain).Run(t.Context(), slices.Values(sources))))
	asked := w.requests()
	w.mu.Lock()
	clear(w.log)
	w.mu.Unlock()
	f := openTestFrontier(t)
	o := w.options()
	o.Parallel, o.HTTP = 4, plain.HTTP
	defer w.startWorker(w.worker(f, o))()
	w.equal(sortedLines(w.submitAll(f, sources...)()), want)
	w.equal(w.requests(), asked)
}

// TestPauseInRequest checks a host that requests a short pause after a HEAD request. The GET
// request must follow the pause without a second HEAD request. Each request counts as an attempt.
func TestPauseInRequest(t *testing.T) {
	t.Parallel()
	f := openTestFrontier(t)
	var mu sync.Mutex
	tries := map[string]int{}
	asked := make(chan struct{})
	w := newFixture(t, func(_, path string) (int, string) {
		mu.Lock()
		tries[path]++
		n := tries[path]
		mu.Unlock()
		switch {
		case path == "/busy" && n == 1:
			<-asked
			return 429, ""
		case path == "/flaky" && n == 1:
			close(asked)
			eventually(t, func() bool {
				return isStored(t, f, "h.example", func(r hostRecord) bool { return r.Pause > 0 })
			})
			return 500, ""
		case path == "/flaky" && n == 2:
			return 500, ""
		}
		return 200, ""
	})
	w.after = "1"
	defer w.startWorker(w.worker(f, w.options()))()
	for _, r := range w.submitAll(f, document("d", "http://h.example/busy http://h.example/flaky"))() {
		if r.Verdict != verify.Alive || r.Tries != 2 {
			t.Errorf("%s: %s after %d tries", r.URL, r.Verdict, r.Tries)
		}
	}
	if n := tries["/flaky"]; n != 3 {
		t.Errorf("%d requests", n)
	}
}

// TestHopAfterRebinding checks that a redirect from a host with a public address can't reach a
// private address. This must hold even if the host's name has a private address when the check
// continues.
func TestHopAfterRebinding(t *testing.T) {
	t.Parallel()
	w := newFixture(t, func(host, _ string) (int, string) {
		if host == "rebind1.example" {
			return 301, "http://rebind2.example/"
		}
		return 200, ""
	})
	f := openTestFrontier(t)
	o := w.options()
	o.NoRobots = true // a request for robots.txt would look up the name, too
	defer w.startWorker(w.worker(f, o))()
	for _, r := range w.submitAll(f, site("http://rebind1.example/"))() {
		if r.Verdict != verify.Denied {
			t.Errorf("%s: %s", r.Verdict, r.Detail)
		}
	}
	if asked := w.requests(); !slices.Equal(asked, []string{"rebind1.example GET /"}) {
		t.Errorf("requests: %q", asked)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := w.looked["rebind2.example"]; n < 2 {
		t.Errorf("%d look-ups: the target did not wait", n)
	}
}

// TestHopAfterPause checks a target that waits for its turn again after a pause, and then
// continues at another host. Other targets that wait for the first host must not be affected.
func TestHopAfterPause(t *testing.T) {
	t.Parallel()
	e, err := Embed(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	f, _ := connected(t, e, Settings{Partitions: 1})
	w := newFixture(t, redirecting).worker(f, verify.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	defer w.running.Wait()
	defer cancel()
	p := w.holdPartition(ctx, t, 0)
	defer p.stop()
	defer w.queue.stop()
	to := func(name string) hopError { return hopError{f.hostAddressOf(name), limits{atOnce: 1}} }
	waiting := func() *task {
		h, err := w.queue.awaitTurn(ctx, p, "from", limits{})
		if err != nil {
			t.Fatal(err)
		}
		return &task{host: h, jobs: []*job{{}}, request: new(verify.Request)}
	}
	setPaused := func(is bool) {
		w.queue.mu.Lock()
		defer w.queue.mu.Unlock()
		w.queue.paused = is
	}
	first, second := waiting(), waiting()
	first.nextHop = to("b.example")
	setPaused(true)
	w.putBack(ctx, first)
	w.postpone(ctx, second, to("b.example"))
	setPaused(false)
	given := make(chan *task, 3)
	go func() {
		for range 3 {
			given <- w.queue.nextTask()
		}
	}()
	expect := func(want *task, name string) {
		t.Helper()
		select {
		case got := <-given:
			if got != want || got.turn == nil || got.turn.host() != to(name).host.host {
				t.Fatalf("another target continues than that to %s, or elsewhere", name)
			}
		case <-time.After(time.Minute):
			t.Fatalf("the target to %s never continues", name)
		}
	}
	expect(first, "b.example")
	await(t, func() bool {
		w.queue.mu.Lock()
		defer w.queue.mu.Unlock()
		h := p.hosts[first.turn.host()]
		return h != nil && len(h.waitingTurns) == 1
	})
	atB := first.turn
	w.postpone(ctx, first, to("c.example"))
	expect(first, "c.example")
	atB.release()
	expect(second, "b.example")
	first.turn.release()
	second.turn.release()
	await(t, func() bool { w.hopQueue.mu.Lock(); defer w.hopQueue.mu.Unlock(); return len(w.hopQueue.waiting) == 0 })
}

// TestBusySlots checks that a target waits for the next turn if all slots were busy when the
// previous turn came. Such a wait must not count as a failure to get a turn.
func TestBusySlots(t *testing.T) {
	t.Parallel()
	e, err := Embed(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	f, _ := connected(t, e, Settings{Partitions: 2})
	c := newFakeClock()
	x := newFixture(t, redirecting)
	w := x.workerAt(f, x.options(), c)
	s, closeSlot, err := w.newSlot()
	if err != nil {
		t.Fatal(err)
	}
	defer closeSlot()
	from, lead := locus.MustParse("http://h0.example/"), locus.MustParse("http://h0.example/")
	place := func(u locus.URL) hopError {
		name, _, _ := s.checker.Host(u)
		return hopError{host: f.hostAddressOf(name)}
	}
	for i := 1; place(lead).host.partition == place(from).host.partition; i++ {
		lead = locus.MustParse(fmt.Sprintf("http://h%d.example/", i))
	}
	to := place(lead)
	ctx, cancel := context.WithCancel(t.Context())
	defer w.running.Wait()
	defer cancel()
	defer w.holdPartition(ctx, t, place(from).host.partition).stop()
	h, err := w.queue.awaitTurn(ctx, w.queue.partition(place(from).host.partition), place(from).host.host, limits{})
	if err != nil {
		t.Fatal(err)
	}
	j := &job{lateCount: maxLate - 1}
	j.found.Target = verify.Target{URL: from, Canonical: from}
	due := s.checker.Begin(&verify.Target{URL: lead, Canonical: lead}, nil)
	k := &task{host: h, jobs: []*job{j}, nextHop: to, request: due}
	for range 2 {
		k.turn = w.newRemoteTurn(to.host, f.permitSubject(to.host.partition), &permitRecord{ID: "x", Left: leaseTime}, c.Now())
		c.advance(permitTime)
		w.queue.addHold(h.part)
		w.runTask(ctx, s, k)
		w.hopQueue.mu.Lock()
		waits := slices.Contains(w.hopQueue.waiting[to.host], k)
		delete(w.hopQueue.waiting, to.host)
		w.hopQueue.mu.Unlock()
		if !waits || j.lateCount != maxLate-1 || k.request != due || len(x.requests()) > 0 {
			t.Fatalf("waits %v, late %d times, %d requests", waits, j.lateCount, len(x.requests()))
		}
	}
}

// holdPartition makes the worker w take a partition, and returns the partition.
func (w *Worker) holdPartition(ctx context.Context, t *testing.T, number int) *partition {
	t.Helper()
	_, err := w.renewLease(ctx)
	p := &partition{number: number, lease: w.lease, takenAt: w.clock.Now()}
	if err == nil {
		p.revision, err = w.leases.takePartition(ctx, w.lease, number, 0)
	}
	if err == nil {
		err = w.startPartition(ctx, ctx, p)
	}
	if err != nil {
		t.Fatal(err)
	}
	return w.queue.partition(number)
}

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

// finish submits sources and waits for their results.
func (w *fixture) finish(f *Frontier, sources ...verify.Source) (results func() []verify.Result) {
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

// repeated returns the repeated requests.
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

// Targets that redirect to a busy host do not delay others, and are requested once. While the
// hub delays its responses, all other targets get their verdicts. The hub gets no more
// concurrent requests than any host.
func TestBusyHub(t *testing.T) {
	t.Parallel()
	for _, workers := range []int{1, 2} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			t.Parallel()
			const hosts, each = 20, 3 // hosts, and on each targets of both kinds
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
				defer w.start(all[len(all)-1])()
			}
			// A partition that moves to another worker repeats the targets that wait.
			eventually(t, func() bool {
				return !slices.ContainsFunc(all, func(one *Worker) bool { return one.Counts().Held != 8/workers })
			})
			var list strings.Builder
			for i := range hosts {
				for n := range each {
					fmt.Fprintf(&list, "http://h%d.example/hub%d http://h%d.example/own%d\n", i, n, i, n)
				}
			}
			results := w.finish(f, document("d", list.String()))
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

// A target continues at its redirect target, however often it waits for a turn: with the redirects'
// cookies, with a GET after a failed HEAD, after a page with a refresh or a resource of another
// scheme, after the GitHub API, and under the policy for redirects from a public or private address.
// No request is repeated.
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
		sources = append(sources, site(fmt.Sprintf("http://private%d.example/inside", 2+i))) // continued by other slots
	}
	plain := verify.Options{Politeness: access.Politeness{Interval: access.None}, Reserved: true}
	plain.HTTP.GitHub = locus.MustParse("http://api.example/")
	want := lines(slices.Collect(verify.New(w.plain(), &plain).Run(t.Context(), slices.Values(sources))))
	asked := w.requests()
	w.mu.Lock()
	clear(w.log)
	w.mu.Unlock()
	f := open(t)
	o := w.options()
	o.Parallel, o.HTTP = 4, plain.HTTP
	defer w.start(w.worker(f, o))()
	w.equal(lines(w.finish(f, sources...)()), want)
	w.equal(w.requests(), asked)
}

// A request consists of HEAD and GET. If the host requests a short pause in between, GET
// follows the pause, and HEAD is not repeated. Each request counts as an attempt.
func TestPauseInRequest(t *testing.T) {
	t.Parallel()
	f := open(t)
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
	defer w.start(w.worker(f, w.options()))()
	for _, r := range w.finish(f, document("d", "http://h.example/busy http://h.example/flaky"))() {
		if r.Verdict != verify.Alive || r.Tries != 2 {
			t.Errorf("%s: %s after %d tries", r.URL, r.Verdict, r.Tries)
		}
	}
	if n := tries["/flaky"]; n != 3 {
		t.Errorf("%d requests", n)
	}
}

// A redirect from a host with a public address can't reach a private address, even if the
// host's name has a private address when the target continues.
func TestHopAfterRebinding(t *testing.T) {
	t.Parallel()
	w := newFixture(t, func(host, _ string) (int, string) {
		if host == "rebind1.example" {
			return 301, "http://rebind2.example/"
		}
		return 200, ""
	})
	f := open(t)
	o := w.options()
	o.NoRobots = true // a robots.txt needs lookups
	defer w.start(w.worker(f, o))()
	for _, r := range w.finish(f, site("http://rebind1.example/"))() {
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

// A target that waits for its turn again, after a pause, changes nothing for others that wait for
// the same host when it continues elsewhere.
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
	p := w.holds(ctx, t, 0)
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

// A turn at a host of another worker that comes while all slots are busy does not count as none:
// the target waits for the next turn, however often that happens.
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
	defer w.holds(ctx, t, place(from).host.partition).stop()
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

// holds returns a partition that w takes.
func (w *Worker) holds(ctx context.Context, t *testing.T, number int) *partition {
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

package fleet

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/locus-url/locus/verify"
)

// manyHosts returns a document with links to n targets on the given number of hosts. Some targets
// redirect to another host.
func manyHosts(n, hosts int) verify.Source {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "http://h%d.example/t%d\n", i%hosts, i)
	}
	return document("many.txt", b.String())
}

func redirecting(host, path string) (int, string) {
	var i int
	_, err := fmt.Sscanf(path, "/t%d", &i)
	switch {
	case err != nil:
		// After a redirected HEAD request for a missing page, the checker sends a GET request.
		// That would be a second request for the page.
		return 200, ""
	case i%10 == 0:
		return 301, fmt.Sprintf("http://h%d.example/after%d", i/10%20, i)
	case i%7 == 0:
		return 404, ""
	}
	return 200, ""
}

// limitViolations returns the violations of the limits in the hosts' logs. A busy machine writes
// the log entries late, so the interval is measured over many requests. The function detects
// twice the permitted rate.
func (w *fixture) limitViolations(atOnce int, interval time.Duration) (list []string) {
	const together = 20
	least := interval * (together - 1) * 2 / 3
	w.mu.Lock()
	defer w.mu.Unlock()
	for host, log := range w.log {
		if w.most[host] > atOnce {
			list = append(list, fmt.Sprintf("%s: %d at once", host, w.most[host]))
		}
		for i := together; i < len(log); i++ {
			if d := log[i-1].at.Sub(log[i-together].at); d < least {
				list = append(list, fmt.Sprintf("%s: %d requests in %v", host, together, d))
			}
		}
	}
	return list
}

// connected opens the frontier over a new connection.
func connected(t testing.TB, e *Embedded, s Settings) (*Frontier, *nats.Conn) {
	t.Helper()
	nc, err := e.Connect()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	f, err := OpenFrontier(t.Context(), nc, "default", s)
	if err != nil {
		t.Fatal(err)
	}
	return f, nc
}

// TestTwoWorkers checks that a second worker takes over after the first worker lost its
// connection. Each target must get one verdict, only requests in flight may be repeated, and the
// per-host limits must hold.
func TestTwoWorkers(t *testing.T) {
	t.Parallel()
	const hosts, atOnce, parallel = 20, 2, 8
	n := 1200
	if testing.Short() {
		n = 400
	}
	interval := 40 * time.Millisecond
	w := newFixture(t, redirecting)
	w.delay = 5 * time.Millisecond
	o := w.options()
	o.PerHost, o.Interval, o.Parallel = atOnce, interval, parallel
	e, err := Embed(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	f, _ := connected(t, e, Settings{Partitions: 16})
	f1, cut := connected(t, e, Settings{})
	f2, _ := connected(t, e, Settings{})
	one, two := w.worker(f1, o), w.worker(f2, o)
	submitter, err := NewSubmitter(w.worker(f, o))
	if err != nil {
		t.Fatal(err)
	}
	defer submitter.Close()
	ctx, kill := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = one.Run(ctx) }) // the worker ends without a connection
	end := w.startWorker(two)
	defer end()
	for one.Counts().Held != 8 || two.Counts().Held != 8 {
		time.Sleep(10 * time.Millisecond)
	}
	killed := make(chan time.Time, 1)
	running.Go(func() {
		for one.Counts().Requests < n/4 {
			time.Sleep(time.Millisecond)
		}
		killed <- time.Now()
		cut.Close()
		kill()
	})
	var got []verify.Result
	for r := range submitter.Run(t.Context(), slices.Values([]verify.Source{manyHosts(n, hosts)})) {
		got = append(got, r)
	}
	running.Wait()
	if err := submitter.Err(); err != nil || len(got) != n {
		t.Fatalf("%d results, %v", len(got), err)
	}
	plain := w.options()
	plain.PerHost, plain.Parallel = 8, 32
	quiet := newFixture(t, redirecting)
	w.equal(sortedLines(got), sortedLines(slices.Collect(verify.New(quiet.plainClient(), &plain).Run(t.Context(), slices.Values([]verify.Source{manyHosts(n, hosts)})))))
	s, err := f.Status(t.Context())
	if err != nil || s.Targets != uint64(n) || s.Verdicts != uint64(n) {
		t.Errorf("%+v %v", s, err)
	}
	info, err := f.verdicts.Info(t.Context())
	if err != nil || info.State.LastSeq != uint64(n) {
		t.Errorf("%d verdicts were stored, %v", info.State.LastSeq, err)
	}
	twice := map[string]int{}
	for _, r := range w.requests() {
		twice[r]++
	}
	extra := 0
	for _, count := range twice {
		extra += count - 1
	}
	if extra > 2*parallel { // each request in flight may have a second request, to its redirect target
		t.Errorf("%d were asked for twice", extra)
	}
	if list := w.limitViolations(atOnce, interval); len(list) > 0 {
		t.Errorf("%d breaches:\n%s", len(list), strings.Join(list[:min(len(list), 10)], "\n"))
	}
	t.Logf("%v after the end of one", time.Since(<-killed))
	t.Logf("%d twice; %+v; %+v", extra, one.Counts(), two.Counts())
}

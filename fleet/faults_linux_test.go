package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/locus-url/locus/verify"
)

// faultTest holds three servers, four workers, and the faults that affect them.
type faultTest struct {
	testing.TB
	cluster  *cluster
	frontier *Frontier
	hosts    string
	workers  [4]*child
	configs  [4]childConfig
	names    int

	mu      sync.Mutex
	outages []outage
	stopped []outage
}

// startWorker starts a worker with a new name.
func (x *faultTest) startWorker(i int) {
	c := x.configs[i]
	x.names++
	c.Name = fmt.Sprintf("w%d.%d", i, x.names)
	x.workers[i] = spawn(x, c)
}

// during calls f, and records an outage of the named worker during the call. If the name is
// empty, the outage may affect any worker.
func (x *faultTest) during(worker string, f func()) outage {
	o := outage{worker: worker, from: time.Now().UnixNano()}
	f()
	o.to = time.Now().UnixNano()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.outages = append(x.outages, o)
	x.Logf("%v: %q for %v", time.Unix(0, o.from).Format("05.000"), worker, time.Duration(o.to-o.from))
	return o
}

// takeoverTime is the maximum time until another worker takes over the hosts of a stopped worker.
const takeoverTime = leaseTime + leaseMargin + 8*time.Second

func (x *faultTest) killWorker(i int) {
	x.during(x.workers[i].config.Name, func() {
		x.workers[i].kill()
		time.Sleep(2 * time.Second)
	})
	x.startWorker(i)
}

func (x *faultTest) killServer(ctx context.Context, i int, meanwhile func()) {
	x.during("", func() {
		x.cluster.servers[i].kill()
		time.Sleep(5 * time.Second)
		meanwhile()
		x.cluster.start(i)
		x.cluster.awaitReplicas(ctx, x.frontier)
	})
}

// stopWorker stops a worker until other workers have taken over its hosts.
func (x *faultTest) stopWorker(i int) {
	w := x.workers[i]
	var end int64
	o := x.during(w.config.Name, func() {
		w.signal(syscall.SIGSTOP)
		time.Sleep(takeoverTime)
		end = time.Now().UnixNano()
		w.signal(syscall.SIGCONT)
		time.Sleep(lastBytes)
	})
	o.to = end
	x.mu.Lock()
	defer x.mu.Unlock()
	x.stopped = append(x.stopped, o)
}

// disconnectWorker interrupts the connections of the worker that uses the relays, until other
// workers have taken over its hosts.
func (x *faultTest) disconnectWorker(i int) {
	x.during(x.workers[i].config.Name, func() {
		for _, r := range x.cluster.relays {
			r.gate.Lock()
		}
		time.Sleep(takeoverTime)
		for _, r := range x.cluster.relays {
			r.gate.Unlock()
		}
		time.Sleep(time.Second)
	})
}

// fillDisk fills the small disk of a server, and then kills the server.
func (x *faultTest) fillDisk(ctx context.Context, i int) {
	name := filepath.Join(x.cluster.configs[i].Dir, "..", "filler")
	x.during("", func() {
		f, err := os.Create(name)
		if err != nil {
			x.Error(err)
			return
		}
		block := make([]byte, 1<<20)
		for size := len(block); size > 0; {
			if _, err := f.Write(block[:size]); err != nil {
				size /= 2
			}
		}
		f.Close()
		time.Sleep(10 * time.Second)
		x.killServer(ctx, i, func() { os.Remove(name) })
	})
}

// smallDisk returns a directory on a disk of the given size. It returns false unless root runs
// the test.
func smallDisk(t testing.TB, size string) (dir string, ok bool) {
	if os.Getuid() != 0 {
		return "", false
	}
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Logf("no disk of its own: %v", err)
		return "", false
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir, true
}

// faultScale is the scale of a run of the test.
type faultScale struct {
	targets, hosts, sites int
	allEvents             bool // run all kinds of events; otherwise, only kill a worker and a server
	limit                 time.Duration
}

// TestFaults kills, stops and disconnects some of three servers and four workers. It checks that
// each target gets one correct verdict, that the per-host limits hold, and that only requests in
// flight are repeated.
//
// If LOCUS_FLEET_FAULTS is set, the test runs all kinds of events. The value of the variable is
// the number of targets.
func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("takes most of a minute")
	}
	form := faultScale{targets: 5000, hosts: 400, sites: 3, limit: 4 * time.Minute}
	if n, err := strconv.Atoi(os.Getenv("LOCUS_FLEET_FAULTS")); err == nil {
		form = faultScale{targets: n, hosts: max(n/50, 50), sites: 10, allEvents: true, limit: 30 * time.Minute}
	}
	x := newFaultTest(t, &form)
	ctx, cancel := context.WithTimeout(t.Context(), form.limit)
	defer cancel()
	submitter, err := NewSubmitter(NewWorker(x.frontier, WorkerOptions{Client: faultClient(x.hosts, "submitter"), Verify: faultOptions()}))
	if err != nil {
		t.Fatal(err)
	}
	defer submitter.Close()
	begin := time.Now()
	done := make(chan struct{})
	var events sync.WaitGroup
	if form.allEvents {
		events.Go(func() { x.allEvents(ctx, form.targets, done) })
	} else {
		events.Go(func() { x.twoKills(ctx, form.targets, done) })
	}
	var got []verify.Result
	for r := range submitter.Run(ctx, slices.Values(faultSources(&form))) {
		got = append(got, r)
	}
	took := time.Since(begin)
	close(done)
	events.Wait()
	x.endWorkers()
	if err := submitter.Err(); err != nil {
		t.Errorf("after %d results: %v", len(got), err)
		x.checkFrontier(t.Context())
		t.FailNow()
	}
	x.checkResults(&form, got)
	x.checkFrontier(ctx)
	x.checkLog(took)
}

func newFaultTest(t testing.TB, form *faultScale) *faultTest {
	x := &faultTest{TB: t}
	dirs := []string{t.TempDir(), t.TempDir(), ""}
	if form.allEvents {
		if small, ok := smallDisk(t, "2g"); ok {
			dirs[2] = filepath.Join(small, "store")
		}
	}
	if dirs[2] == "" {
		dirs[2] = t.TempDir()
	}
	x.cluster = newCluster(t, func(i int) string { return dirs[i] })
	hosts := spawn(t, childConfig{Kind: "hosts", Name: "hosts"})
	x.hosts = hosts.line()
	nc, err := nats.Connect(x.cluster.url(), nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true), nats.ReconnectWait(200*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		nc.Close()
		for _, s := range x.cluster.servers {
			s.finish()
		}
		hosts.finish()
	})
	x.frontier, err = tryQuietly(t.Context(), func() (*Frontier, error) {
		return OpenFrontier(t.Context(), nc, "default", Settings{Replicas: 3, Partitions: faultPartitions, PerHost: faultAtOnce, Interval: faultInterval})
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range x.configs {
		x.configs[i] = childConfig{Kind: "worker", URL: x.cluster.url(), Hosts: x.hosts}
	}
	x.configs[1].URL = x.cluster.relayed()
	x.configs[3].Offset = 10 * time.Minute
	for i := range x.workers {
		x.startWorker(i)
	}
	// If a partition moves to another worker, the targets that wait for a redirect target are
	// checked again. So the workers must share the partitions before the first target exists.
	eventually(t, func() bool {
		s, err := x.frontier.Status(t.Context())
		if err != nil || len(s.Workers) != len(x.workers) {
			return false
		}
		for _, c := range s.Workers {
			if c.Held != faultPartitions/len(x.workers) {
				return false
			}
		}
		return true
	})
	return x
}

// faultSources returns the documents and sites of the test. The documents are lists of targets.
func faultSources(form *faultScale) (list []verify.Source) {
	for from := 0; from < form.targets; from += 500 {
		var b strings.Builder
		for i := from; i < min(from+500, form.targets); i++ {
			fmt.Fprintf(&b, "http://h%d.example/t%d\n", i%form.hosts, i)
		}
		list = append(list, document(fmt.Sprint("d", from), b.String()))
	}
	for i := range form.sites {
		list = append(list, site(fmt.Sprintf("http://site%d.example/", i)))
	}
	return list
}

// awaitVerdicts waits until n targets have a verdict. It returns false if the run ended before.
func (x *faultTest) awaitVerdicts(ctx context.Context, n int, done <-chan struct{}) bool {
	for {
		info, err := x.frontier.verdicts.Info(context.WithoutCancel(ctx))
		if err == nil && int(info.State.LastSeq) >= n {
			return true
		}
		select {
		case <-done:
			x.Errorf("the test was over before event %d", n)
			return false
		case <-ctx.Done():
			return false
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// twoKills kills a worker and the server that is the leader.
func (x *faultTest) twoKills(ctx context.Context, n int, done <-chan struct{}) {
	if x.awaitVerdicts(ctx, n/5, done) {
		x.killWorker(0)
	}
	if x.awaitVerdicts(ctx, n/2, done) {
		x.killServer(ctx, x.cluster.leader(ctx, x.frontier), func() {})
	}
}

// allEvents runs all kinds of events sequentially.
func (x *faultTest) allEvents(ctx context.Context, n int, done <-chan struct{}) {
	events := []func(){
		func() { x.killWorker(0) },
		func() { x.killServer(ctx, 0, func() {}) },
		func() { x.stopWorker(2) },
		func() { x.killWorker(1) },
		func() { x.disconnectWorker(1) },
		func() { x.killServer(ctx, 1, func() {}) },
		func() { x.killWorker(2) },
		func() {
			if x.cluster.configs[2].Dir != "" && strings.HasSuffix(x.cluster.configs[2].Dir, "/store") {
				x.fillDisk(ctx, 2)
			}
		},
		func() { x.killWorker(3) },
		func() { x.killServer(ctx, x.cluster.leader(ctx, x.frontier), func() {}) },
	}
	for i, event := range events {
		if !x.awaitVerdicts(ctx, n*(i+1)/(len(events)+1), done) {
			return
		}
		event()
	}
}

// endWorkers ends the workers and logs their statistics.
func (x *faultTest) endWorkers() {
	sum := map[string]int{}
	for _, w := range x.workers {
		var c Counts
		if err := json.Unmarshal([]byte(w.finish()), &c); err != nil {
			x.Errorf("%s: %v", w.config.Name, err)
		}
		x.Logf("%s: %+v", w.config.Name, c)
		for verdict, n := range c.Verdicts {
			sum[verdict] += n
		}
	}
	x.Logf("those that live: %v", sum)
}

func (x *faultTest) checkResults(form *faultScale, got []verify.Result) {
	// Each site has a first page, other pages and a private page.
	want := form.targets + form.sites*(1+sitePages+1)
	if len(got) != want {
		x.Errorf("%d results, want %d", len(got), want)
	}
	wrong := 0
	for _, r := range got {
		host := r.URL.Host()
		path, _ := r.URL.Path()
		if v := wantVerdict(host, "/"+path); r.Verdict != v {
			if wrong++; wrong < 10 {
				x.Errorf("%s is %s, want %s: %s", r.URL, r.Verdict, v, r.Detail)
			}
		}
	}
	if wrong > 0 {
		x.Errorf("%d wrong verdicts", wrong)
	}
}

// checkFrontier checks that each target has one verdict, which was never replaced. It waits for
// servers that have just been restarted.
func (x *faultTest) checkFrontier(ctx context.Context) {
	ctx, cancel := withoutDeadline(ctx)
	defer cancel()
	s, err := tryQuietly(ctx, func() (Status, error) { return x.frontier.Status(ctx) })
	if err != nil {
		x.Fatal(err)
	}
	info, err := tryQuietly(ctx, func() (*jetstream.StreamInfo, error) { return x.frontier.verdicts.Info(ctx) })
	if err != nil {
		x.Fatal(err)
	}
	if s.Targets != s.Verdicts || info.State.LastSeq != s.Verdicts || s.Dead > 0 {
		x.Errorf("%d targets, %d verdicts, %d were stored, %d dead letters", s.Targets, s.Verdicts, info.State.LastSeq, s.Dead)
	}
}

func (x *faultTest) checkLog(took time.Duration) {
	log := visits(x, x.hosts)
	j := &logJudge{atOnce: faultAtOnce, interval: faultInterval, outages: x.outages, stopped: x.stopped}
	breaches, apart := j.findViolations(log)
	inFlight, unexplained := j.repeated(log)
	goneOn := j.sentOnResume(log)
	x.Logf("%d requests in %v, %d by stopped workers, %d of them after the stop; %d breaches; %d repeated that were in flight, %d others; %d outages",
		len(log), took.Round(time.Second), apart, len(goneOn), len(breaches), inFlight, len(unexplained), len(x.outages))
	if most := len(x.stopped) * faultParallel * perTarget; len(goneOn) > most {
		x.Errorf("stopped workers sent %d requests when they went on, the most is %d: %q", len(goneOn), most, goneOn)
	}
	for _, list := range [][]string{breaches, unexplained} {
		for _, text := range list[:min(len(list), 20)] {
			x.Error(text)
		}
	}
	// An outage may interrupt all concurrent requests of the workers. Each target may have a
	// second request, for a redirect.
	if most := len(x.outages) * len(x.workers) * faultParallel * 2; inFlight > most {
		x.Errorf("%d were asked for twice, the most is %d", inFlight, most)
	}
}

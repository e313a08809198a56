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

// startWorker starts a worker, which gets a name of its own.
func (x *faultTest) startWorker(i int) {
	c := x.configs[i]
	x.names++
	c.Name = fmt.Sprintf("w%d.%d", i, x.names)
	x.workers[i] = spawn(x, c)
}

// during records that the called function affects a worker, or any worker if the name is empty.
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

// takeoverTime is how long the hosts of a worker may wait until another one has them.
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
		x.cluster.whole(ctx, x.frontier)
	})
}

// stop stops a worker until others have taken over.
func (x *faultTest) stop(i int) {
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

// cut cuts the worker off that uses the relays.
func (x *faultTest) cut(i int) {
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

// fill fills the disk of a server, which is a small one, and ends it then.
func (x *faultTest) fill(ctx context.Context, i int) {
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

// smallDisk returns a directory on its own disk. It returns false unless root runs the test.
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

// faultForm is a form of the test.
type faultForm struct {
	targets, hosts, sites int
	all                   bool // kinds of events; otherwise two kills
	limit                 time.Duration
}

// Some of three servers and four workers are killed, stopped or disconnected. Each target gets
// one correct verdict, no host gets more requests than its limit, and only requests in flight
// are repeated.
//
// LOCUS_FLEET_FAULTS selects the long form. Its value is the number of targets.
func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("takes most of a minute")
	}
	form := faultForm{targets: 5000, hosts: 400, sites: 3, limit: 4 * time.Minute}
	if n, err := strconv.Atoi(os.Getenv("LOCUS_FLEET_FAULTS")); err == nil {
		form = faultForm{targets: n, hosts: max(n/50, 50), sites: 10, all: true, limit: 30 * time.Minute}
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
	if form.all {
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
	x.end()
	if err := submitter.Err(); err != nil {
		t.Errorf("after %d results: %v", len(got), err)
		x.checkFrontier(t.Context())
		t.FailNow()
	}
	x.checkResults(&form, got)
	x.checkFrontier(ctx)
	x.checkLog(took)
}

func newFaultTest(t testing.TB, form *faultForm) *faultTest {
	x := &faultTest{TB: t}
	dirs := []string{t.TempDir(), t.TempDir(), ""}
	if form.all {
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
			s.end()
		}
		hosts.end()
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
	// A partition that moves to another worker repeats the targets that wait for the host of a
	// redirect. So the workers share the partitions before the first target.
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

// faultSources are the documents: lists of targets, and sites.
func faultSources(form *faultForm) (list []verify.Source) {
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

// reach waits until the given number of targets have a verdict. It returns false if all have
// one.
func (x *faultTest) reach(ctx context.Context, n int, done <-chan struct{}) bool {
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

// twoKills kills a worker and the leading server.
func (x *faultTest) twoKills(ctx context.Context, n int, done <-chan struct{}) {
	if x.reach(ctx, n/5, done) {
		x.killWorker(0)
	}
	if x.reach(ctx, n/2, done) {
		x.killServer(ctx, x.cluster.leader(ctx, x.frontier), func() {})
	}
}

// allEvents lets everything happen, one after another.
func (x *faultTest) allEvents(ctx context.Context, n int, done <-chan struct{}) {
	events := []func(){
		func() { x.killWorker(0) },
		func() { x.killServer(ctx, 0, func() {}) },
		func() { x.stop(2) },
		func() { x.killWorker(1) },
		func() { x.cut(1) },
		func() { x.killServer(ctx, 1, func() {}) },
		func() { x.killWorker(2) },
		func() {
			if x.cluster.configs[2].Dir != "" && strings.HasSuffix(x.cluster.configs[2].Dir, "/store") {
				x.fill(ctx, 2)
			}
		},
		func() { x.killWorker(3) },
		func() { x.killServer(ctx, x.cluster.leader(ctx, x.frontier), func() {}) },
	}
	for i, event := range events {
		if !x.reach(ctx, n*(i+1)/(len(events)+1), done) {
			return
		}
		event()
	}
}

// end ends the workers and logs their statistics.
func (x *faultTest) end() {
	sum := map[string]int{}
	for _, w := range x.workers {
		var c Counts
		if err := json.Unmarshal([]byte(w.end()), &c); err != nil {
			x.Errorf("%s: %v", w.config.Name, err)
		}
		x.Logf("%s: %+v", w.config.Name, c)
		for verdict, n := range c.Verdicts {
			sum[verdict] += n
		}
	}
	x.Logf("those that live: %v", sum)
}

func (x *faultTest) checkResults(form *faultForm, got []verify.Result) {
	// Each site has a first page, pages and a private one.
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

// checkFrontier checks that each target has one verdict, which was never replaced. A server that
// was started again just now may not answer at once.
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
	breaches, apart := j.judge(log)
	inFlight, unexplained := j.repeated(log)
	goneOn := j.goneOn(log)
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
	// Each outage may interrupt as many targets as the workers request concurrently. Each
	// target may have a second request, for a redirect.
	if most := len(x.outages) * len(x.workers) * faultParallel * 2; inFlight > most {
		x.Errorf("%d were asked for twice, the most is %d", inFlight, most)
	}
}

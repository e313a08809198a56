package fleet

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
)

var waitingTargets = flag.Int("targets", 100_000, "with -bench Waiting: how many targets wait")

// workerEnv is the environment variable with the server's URL for a worker in a separate process.
const workerEnv = "LOCUS_FLEET_TEST_WORKER"

// TestWorkerProcess is the worker of BenchmarkWaiting.
func TestWorkerProcess(t *testing.T) {
	url := os.Getenv(workerEnv)
	if url == "" {
		t.Skip("it is for BenchmarkWaiting")
	}
	nc, err := nats.Connect(url)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	f, err := OpenFrontier(t.Context(), nc, "default", Settings{})
	if err != nil {
		t.Fatal(err)
	}
	// The hosts respond so slowly that the worker holds the maximum number of targets.
	w, client := newFastHosts(t, 50*time.Millisecond)
	o := w.options()
	o.PerHost, o.Interval, o.Parallel = 2, 100*time.Millisecond, 32
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := NewWorker(f, WorkerOptions{Client: client, Verify: o}).Run(ctx); err != nil {
		t.Error(err)
	}
}

// residentOf returns the peak memory of a process in bytes.
func residentOf(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, after, _ := bytes.Cut(text, []byte("VmHWM:"))
	var kib int64
	if _, err := fmt.Sscan(string(after), &kib); err != nil {
		return 0
	}
	return kib << 10
}

// BenchmarkWaiting measures the memory of a worker for half a minute while -targets targets wait.
// The worker runs in a separate process, and the server runs in this process.
func BenchmarkWaiting(b *testing.B) {
	n := *waitingTargets
	for b.Loop() {
		dir := b.TempDir()
		s, err := server.NewServer(&server.Options{ServerName: "bench", Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: dir, NoSigs: true, NoLog: true, MaxPayload: maxMessage})
		if err != nil {
			b.Fatal(err)
		}
		s.Start()
		if !s.ReadyForConnections(time.Minute) {
			b.Fatal("no server")
		}
		nc, err := nats.Connect("", nats.InProcessServer(s))
		if err != nil {
			b.Fatal(err)
		}
		f, err := OpenFrontier(b.Context(), nc, "default", Settings{})
		if err != nil {
			b.Fatal(err)
		}
		w := newFixture(b, redirecting)
		submitter, err := NewSubmitter(w.worker(f, w.options()))
		if err != nil {
			b.Fatal(err)
		}
		before, begun := memoryUse(), time.Now()
		if err := submitter.Submit(b.Context(), manyDocuments(n, max(n/100, 1))); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(n)/time.Since(begun).Seconds(), "submitted/s")
		submitter.Close()
		b.ReportMetric(float64(int64(memoryUse())-int64(before))/float64(n), "server-B/target")
		b.ReportMetric(float64(diskUse(b, dir))/float64(n), "disk-B/target")
		cmd := exec.Command(os.Args[0], "-test.run", "^TestWorkerProcess$")
		cmd.Env = append(os.Environ(), workerEnv+"="+s.ClientURL())
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		var most int64
		held := 0
		ended := make(chan struct{})
		var watching sync.WaitGroup
		watching.Go(func() {
			for !sleep(SystemClock{}, time.Second/4, ended) {
				most = max(most, residentOf(cmd.Process.Pid))
				if status, err := f.Status(b.Context()); err == nil {
					for _, c := range status.Workers {
						held = max(held, c.Waiting)
					}
				}
			}
		})
		err = cmd.Wait()
		close(ended)
		watching.Wait()
		if err != nil {
			b.Fatalf("%v\n%s", err, out.Bytes())
		}
		b.ReportMetric(float64(most)/(1<<20), "worker-MiB")
		b.ReportMetric(float64(held), "worker-targets")
		status, err := f.Status(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(status.Verdicts)/30, "verdicts/s")
		nc.Close()
		s.Shutdown()
		s.WaitForShutdown()
	}
}

// newFastHosts returns hosts that respond after a delay, and a function that creates clients for
// these hosts.
func newFastHosts(t testing.TB, delay time.Duration) (w *fixture, client NewClient) {
	w = newFixture(t, func(string, string) (int, string) { return 200, "" })
	p := newPipes()
	s := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(delay) })}
	go s.Serve(p)
	t.Cleanup(func() { s.Close() })
	return w, func(check func(locus.URL) error, wrap func(Dial) Dial) (*access.Client, func(), error) {
		return w.clientWith(&access.Options{Lookup: w.lookup, Dial: wrap(p.dial), Check: check})
	}
}

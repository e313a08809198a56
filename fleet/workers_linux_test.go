package fleet

import (
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// BenchmarkWorkers measures the throughput of workers with hosts that respond after 50 ms and
// allow 5 requests per second each. A worker makes 8 concurrent requests, which is 160 requests
// per second.
//
// The measurement begins when all workers use all slots, and ends before a worker runs out of
// targets. Workers read the mode, which starts them, once a second. A host belongs to one worker,
// so a worker with more hosts ends later.
func BenchmarkWorkers(b *testing.B) {
	for _, workers := range []int{1, 2, 4, 8} {
		b.Run(strconv.Itoa(workers), func(b *testing.B) {
			for b.Loop() {
				newWorkerFleet(b, workers).runWorkers()
			}
		})
	}
}

// workerFleet consists of the workers of one frontier and a server in this process.
type workerFleet struct {
	*testing.B
	frontier *Frontier
	workers  []*Worker
	ends     []func()
}

const (
	benchHosts    = 1024
	benchParallel = 8
	benchTime     = 6 * time.Second
	// benchTargets is the number of targets for each worker. It is four times the number of
	// requests during the measurement, because some workers have fewer hosts.
	benchTargets = benchParallel * 20 * 24
)

// newWorkerFleet returns a fleet with targets, and with workers that are not running yet.
func newWorkerFleet(b *testing.B, workers int) *workerFleet {
	w, client := newFastHosts(b, 50*time.Millisecond)
	o := w.options()
	o.PerHost, o.Interval, o.Parallel = 1, 200*time.Millisecond, benchParallel
	e, err := Embed(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	x := &workerFleet{B: b, ends: []func(){func() {
		if err := e.Close(); err != nil {
			b.Error(err)
		}
	}}}
	f, _ := connected(b, e, Settings{})
	x.frontier = f
	if err := f.SetMode(b.Context(), Pause); err != nil {
		b.Fatal(err)
	}
	for range workers {
		f, _ := connected(b, e, Settings{})
		x.workers = append(x.workers, NewWorker(f, WorkerOptions{Client: client, Verify: o}))
	}
	s, err := NewSubmitter(x.workers[0])
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	if err := s.Submit(b.Context(), manyDocuments(workers*benchTargets, benchHosts)); err != nil {
		b.Fatal(err)
	}
	for _, worker := range x.workers {
		x.ends = append(x.ends, w.startWorker(worker))
	}
	for _, worker := range x.workers {
		eventually(b, func() bool { return worker.Counts().Held == 64/workers })
	}
	return x
}

func (x *workerFleet) verdicts() uint64 {
	info, err := x.frontier.verdicts.Info(x.Context())
	if err != nil {
		x.Fatal(err)
	}
	return info.State.Msgs
}

// runWorkers runs the workers, reports their throughput, and ends them.
func (x *workerFleet) runWorkers() {
	if err := x.frontier.SetMode(x.Context(), Run); err != nil {
		x.Fatal(err)
	}
	for _, worker := range x.workers {
		eventually(x.B, func() bool { return worker.Counts().Active == benchParallel })
	}
	begin, before, processor := time.Now(), x.verdicts(), processorTime()
	used, samples := 0, 0
	for time.Since(begin) < benchTime {
		time.Sleep(50 * time.Millisecond)
		for _, worker := range x.workers {
			c := worker.Counts()
			used += c.Active
			samples += benchParallel
			if c.Waiting == 0 {
				x.Errorf("a worker with %d hosts has nothing left after %v", c.Hosts, time.Since(begin))
			}
		}
	}
	took := time.Since(begin).Seconds()
	x.ReportMetric(float64(x.verdicts()-before)/took, "verdicts/s")
	x.ReportMetric((processorTime()-processor).Seconds()/took, "processors")
	x.ReportMetric(100*float64(used)/float64(samples), "%slots")
	for _, end := range slices.Backward(x.ends) {
		end()
	}
}

// processorTime returns the processor time of this process.
func processorTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

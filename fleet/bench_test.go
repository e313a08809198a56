package fleet

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"net"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/verify"
)

// manyDocuments returns documents with n targets in all. Each document has a thousand targets,
// which are on the given number of hosts.
func manyDocuments(n, hosts int) iter.Seq[verify.Source] {
	return func(yield func(verify.Source) bool) {
		for from := 0; from < n; from += 1000 {
			var b strings.Builder
			for i := from; i < min(from+1000, n); i++ {
				fmt.Fprintf(&b, "http://h%d.example/some/path/to/page%d.html\n", i%hosts, i)
			}
			if !yield(document(fmt.Sprint("d", from), b.String())) {
				return
			}
		}
	}
}

// memoryUse returns the size of the heap after a garbage collection.
func memoryUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func diskUse(b *testing.B, dir string) (n int64) {
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			n += info.Size()
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// BenchmarkSubmit submits 100,000 targets and reports bytes on disk and in memory per target.
func BenchmarkSubmit(b *testing.B) {
	const n, hosts = 100_000, 2000
	w := newFixture(b, redirecting)
	for b.Loop() {
		dir := b.TempDir()
		e, f := benchFrontier(b, dir)
		before := memoryUse()
		s, err := NewSubmitter(w.worker(f, w.options()))
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Submit(b.Context(), manyDocuments(n, hosts)); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(int64(memoryUse())-int64(before))/n, "heap/target")
		b.ReportMetric(float64(diskUse(b, dir))/n, "disk/target")
		s.Close()
		e()
	}
	b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "targets/s")
}

func benchFrontier(b *testing.B, dir string) (end func(), f *Frontier) {
	e, err := Embed(dir)
	if err != nil {
		b.Fatal(err)
	}
	nc, err := e.Connect()
	if err != nil {
		b.Fatal(err)
	}
	if f, err = OpenFrontier(b.Context(), nc, "default", Settings{}); err != nil {
		b.Fatal(err)
	}
	return func() {
		nc.Close()
		if err := e.Close(); err != nil {
			b.Error(err)
		}
	}, f
}

// pipes is a listener for in-process connections. System sockets would dominate the measurement.
type pipes struct {
	connections chan net.Conn
	closed      chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.connections:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes"} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.connections <- pipe{far}:
		return pipe{near}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// pipe is an end of a net.Pipe. It ignores deadlines in the future, because a pipe with such a
// deadline stays in memory until then, even if it is closed.
type pipe struct{ net.Conn }

func (p pipe) SetDeadline(t time.Time) error {
	if t.After(time.Now()) {
		t = time.Time{}
	}
	return p.Conn.SetDeadline(t)
}

func (p pipe) SetReadDeadline(t time.Time) error {
	if t.After(time.Now()) {
		t = time.Time{}
	}
	return p.Conn.SetReadDeadline(t)
}

func (p pipe) SetWriteDeadline(t time.Time) error {
	if t.After(time.Now()) {
		t = time.Time{}
	}
	return p.Conn.SetWriteDeadline(t)
}

func newPipes() *pipes { return &pipes{make(chan net.Conn), make(chan struct{})} }

// BenchmarkVerdicts measures one worker with fast in-process hosts. For comparison, it also
// measures package verify. Each request uses its own connection.
func BenchmarkVerdicts(b *testing.B) {
	const n, hosts = 20_000, 500
	w, client := newFastHosts(b, 0)
	o := w.options()
	o.Parallel = 32
	b.Run("fleet", func(b *testing.B) {
		for b.Loop() {
			end, f := benchFrontier(b, b.TempDir())
			worker := NewWorker(f, WorkerOptions{Client: client, Verify: o})
			s, err := NewSubmitter(worker)
			if err != nil {
				b.Fatal(err)
			}
			stop := w.startWorker(worker)
			count := 0
			for range s.Run(b.Context(), manyDocuments(n, hosts)) {
				count++
			}
			if err := s.Err(); err != nil || count != n {
				b.Fatal(count, err)
			}
			stop()
			s.Close()
			end()
		}
		b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "verdicts/s")
	})
	b.Run("verify", func(b *testing.B) {
		for b.Loop() {
			c, closeClient, err := client(func(locus.URL) error { return nil }, func(d Dial) Dial { return d })
			if err != nil {
				b.Fatal(err)
			}
			if got := len(slices.Collect(verify.New(c, &o).Run(b.Context(), manyDocuments(n, hosts)))); got != n {
				b.Fatal(got)
			}
			closeClient()
		}
		b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "verdicts/s")
	})
}

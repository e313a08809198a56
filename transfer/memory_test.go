package transfer

import (
	"context"
	"io"
	"runtime"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// endless is a reader of the given number of bytes that needs no memory for them.
type endless struct{ left int64 }

func (e *endless) Read(p []byte) (int, error) {
	n := int(min(int64(len(p)), e.left))
	if n == 0 {
		return 0, io.EOF
	}
	e.left -= int64(n)
	return n, nil
}

func (e *endless) Close() error { return nil }

// memoryLimit limits the memory of a transfer and its allocations.
const memoryLimit = 16 << 20

// grown returns by how much the memory of the process grew at its peak during f, and how
// much f allocated. The function f must call watch from time to time.
func grown(f func(watch func())) (peak, allocated uint64) {
	runtime.GC()
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	watch := func() {
		runtime.ReadMemStats(&now)
		peak = max(peak, now.Sys-before.Sys)
	}
	f(watch)
	watch()
	return peak, now.TotalAlloc - before.TotalAlloc
}

// The memory of a transfer does not grow with the object.
func TestMemoryCopy(t *testing.T) {
	const size = 1 << 30
	peak, allocated := grown(func(watch func()) {
		o := &scheme.Object{Size: size, Body: &endless{size}}
		if n, err := Copy(t.Context(), io.Discard, o, func(Event) { watch() }); err != nil || n != size {
			t.Errorf("%d octets, %v", n, err)
		}
	})
	if peak > memoryLimit || allocated > memoryLimit {
		t.Errorf("%d octets were taken from the system and %d allocated for 1 GiB", peak, allocated)
	}
}

func TestMemoryRun(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 128 MiB")
	}
	const size = 32 << 20
	s := scheme.Generic("x-mem", scheme.Experimental)
	s.Access.Opener = scheme.OpenerFunc(func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
		return &scheme.Object{URL: req.URL, Size: size, Body: &endless{size}}, nil
	})
	registry, err := scheme.NewRegistry(s)
	if err != nil {
		t.Fatal(err)
	}
	folder := openRoot(t, t.TempDir())
	var jobs []Job
	for _, name := range []string{"a", "b", "c", "d"} {
		jobs = append(jobs, Job{locus.MustParse("x-mem://" + name + ".example/x"), name})
	}
	peak, allocated := grown(func(watch func()) {
		results, err := Run(t.Context(), access.New(registry, policy.Policy{}, nil), folder, jobs, &Options{Progress: func(Event) { watch() }})
		if err != nil {
			t.Fatal(err)
		}
		for r := range results {
			if r.Err != nil || r.Size != size {
				t.Errorf("%+v", r)
			}
		}
	})
	if peak > memoryLimit || allocated > memoryLimit {
		t.Errorf("%d octets were taken from the system and %d allocated for 4 objects of 32 MiB", peak, allocated)
	}
}

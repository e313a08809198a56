package fleet

import (
	"context"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/verify"
)

type traceKey struct{}

// TestHeaderOfTargets checks that values of the submitter's context, such as a trace context,
// reach the requests for its targets. They must also reach the requests for links in the pages of
// these targets.
func TestHeaderOfTargets(t *testing.T) {
	t.Parallel()
	w := newFixture(t, func(_, path string) (int, string) {
		if path == "/" {
			return 200, "<a href='/next'>x</a>"
		}
		return 200, ""
	})
	const field = "Traceparent"
	var mu sync.Mutex
	requests := map[string]string{}
	worker := func(f *Frontier) *Worker {
		observe := func(ctx context.Context, a access.Attempt) func(access.AttemptResult) {
			mu.Lock()
			defer mu.Unlock()
			if value, _ := ctx.Value(traceKey{}).(string); !strings.HasSuffix(a.URL, "/robots.txt") {
				requests[a.URL] = value
			}
			return nil
		}
		return NewWorker(f, WorkerOptions{
			Client: func(check func(locus.URL) error, wrap func(Dial) Dial) (*access.Client, func(), error) {
				return w.clientWith(&access.Options{Lookup: w.lookup, Dial: wrap(w.dial), Check: check, Observe: observe})
			},
			Verify: w.options(), Note: func(text string) { w.Log(text) },
			Inject: func(ctx context.Context, h nats.Header) {
				if value, ok := ctx.Value(traceKey{}).(string); ok {
					h.Set(field, value)
				}
			},
			Extract: func(ctx context.Context, h nats.Header) context.Context {
				return context.WithValue(ctx, traceKey{}, h.Get(field))
			},
		})
	}
	f := openTestFrontier(t)
	a := worker(f)
	run := func(value string, sources iter.Seq[verify.Source]) {
		t.Helper()
		e, err := NewSubmitter(a)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		ctx := context.WithValue(t.Context(), traceKey{}, value)
		if got := slices.Collect(e.Run(ctx, sources)); len(got) == 0 {
			t.Error("no results")
		}
		if err := e.Err(); err != nil {
			t.Fatal(err)
		}
	}
	defer w.startWorker(a)()
	run("one", slices.Values([]verify.Source{site("http://site.example/")}))
	run("two", slices.Values([]verify.Source{document("a.txt", "http://h1.example/2")}))
	// The worker ignores a header that is too large.
	run(strings.Repeat("x", maxHeader+1), slices.Values([]verify.Source{document("b.txt", "http://h1.example/3")}))
	mu.Lock()
	defer mu.Unlock()
	for u, want := range map[string]string{"http://site.example/": "one", "http://site.example/next": "one", "http://h1.example/2": "two", "http://h1.example/3": ""} {
		if got, ok := requests[u]; !ok || got != want {
			t.Errorf("%s: %q, %t, want %q", u, got, ok, want)
		}
	}
}

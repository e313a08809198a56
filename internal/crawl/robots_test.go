package crawl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/scheme"
)

// files responds to requests for robots.txt files with the text for each host.
type files struct {
	mu    sync.Mutex
	texts map[string]string // robots.txt by host; if it is missing, the request fails
	log   []string
}

func (f *files) do(_ context.Context, req access.Request) (*access.Result, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log = append(f.log, req.URL.String())
	text, ok := f.texts[req.URL.Host()]
	if !ok {
		return nil, access.NewError("open", req.URL, scheme.ErrUnreachable)
	}
	return &access.Result{Resource: &scheme.Object{Body: io.NopCloser(strings.NewReader(text))}}, nil
}

func TestRobots(t *testing.T) {
	f := &files{texts: map[string]string{"a.example": "User-agent: *\nDisallow: /no\nCrawl-delay: 3"}}
	r := NewRobots(f.do, access.Politeness{Retry: 1})
	ask := func(text string) (allowed, final bool, err error) {
		u := locus.MustParse(text)
		rules, final, err := r.Rules(t.Context(), u, nil)
		return rules.Allows(u), final, err
	}
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if allowed, final, err := ask(fmt.Sprint("http://anna:secret@a.example/", i)); !allowed || final || err != nil {
				t.Errorf("%v, %v, %v", allowed, final, err)
			}
		})
	}
	all.Wait()
	if allowed, _, err := ask("http://anna@a.example/no/x"); allowed || err != nil {
		t.Errorf("%v, %v", allowed, err)
	}
	if want := "[http://anna@a.example/robots.txt]"; fmt.Sprint(f.log) != want {
		t.Errorf("%s, want %s", f.log, want)
	}
	// Different hosts and ports have different rules.
	f.texts["b.example"] = ""
	for _, text := range []string{"http://b.example/no", "http://b.example:8080/no"} {
		if allowed, final, err := ask(text); !allowed || final || err != nil {
			t.Errorf("%s: %v, %v, %v", text, allowed, final, err)
		}
	}
	if len(f.log) != 3 {
		t.Errorf("%s", f.log)
	}
}

// The number of retries for a robots.txt is the same as for a page.
func TestRobotsFailure(t *testing.T) {
	f := &files{texts: map[string]string{}}
	r := NewRobots(f.do, access.Politeness{Retry: 2})
	for i, want := range []bool{false, false, true, true, true} {
		if _, final, err := r.Rules(t.Context(), locus.MustParse("http://a.example/x"), nil); final != want || access.KindOf(err) != access.Unreachable {
			t.Errorf("%d: %v, %v", i, final, err)
		}
	}
	r.Rules(t.Context(), locus.MustParse("http://b.example/"), nil)
	f.texts["b.example"] = "User-agent: *\nDisallow: /"
	rules, final, err := r.Rules(t.Context(), locus.MustParse("http://b.example/"), nil)
	if rules.Allows(locus.MustParse("http://b.example/")) || final || err != nil {
		t.Errorf("%v, %v", final, err)
	}
	if len(f.log) != 5 {
		t.Errorf("%s", f.log)
	}
}

// If several pages fail at the same time, this counts as one attempt for the host. Each page is
// retried after its pause.
func TestRobotsOfManyPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &files{texts: map[string]string{}}
		p := Settle(access.Politeness{})
		r := NewRobots(f.do, p)
		u := locus.MustParse("http://a.example/")
		for round := 1; round <= 2; round++ {
			for range 4 {
				if _, final, err := r.Rules(t.Context(), u, nil); final || err == nil {
					t.Errorf("round %d: final %v, %v", round, final, err)
				}
			}
			pause, again := Backoff(p, round, 0)
			if len(f.log) != round || !again {
				t.Errorf("round %d: %q", round, f.log)
			}
			time.Sleep(pause)
		}
		f.texts["a.example"] = "User-agent: *\nDisallow: /no"
		if rules, final, err := r.Rules(t.Context(), u, nil); !rules.Allows(u) || final || err != nil {
			t.Errorf("at last: %v, %v", final, err)
		}
	})
}

// A call whose context is cancelled does not count as an attempt, and does not wait for another
// call.
func TestRobotsContext(t *testing.T) {
	begun, end := make(chan struct{}), make(chan struct{})
	r := NewRobots(func(ctx context.Context, req access.Request) (*access.Result, error) {
		begun <- struct{}{}
		select {
		case <-ctx.Done():
			return nil, access.NewError("open", req.URL, context.Cause(ctx))
		case <-end:
			return &access.Result{Resource: &scheme.Object{Body: io.NopCloser(strings.NewReader(""))}}, nil
		}
	}, access.Politeness{})
	u := locus.MustParse("http://a.example/")
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error)
	ask := func(ctx context.Context) {
		_, final, err := r.Rules(ctx, u, nil)
		if final {
			t.Error("the failure is final")
		}
		result <- err
	}
	go ask(ctx)
	<-begun
	ended, stop := context.WithCancel(t.Context())
	stop()
	go ask(ended)
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("while another call asks: %v", err)
	}
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	go ask(t.Context())
	<-begun
	close(end)
	if err := <-result; err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// The number of cached hosts is limited.
func TestRobotsAreBounded(t *testing.T) {
	r := NewRobots((&files{}).do, access.Politeness{})
	for i := range 3 * maxRobots {
		root := fmt.Sprintf("http://h%d/", i)
		if h := r.entryFor(root); h != r.entryFor(root) {
			t.Fatalf("%s is forgotten at once", root)
		}
		if len(r.hosts) != min(i+1, maxRobots) {
			t.Fatalf("%d hosts after %d", len(r.hosts), i+1)
		}
	}
}

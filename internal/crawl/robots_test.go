package crawl

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/scheme"
)

// files answers requests for robots.txt files with the texts of their hosts.
type files struct {
	mu    sync.Mutex
	texts map[string]string // by host; a missing one fails
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
	r := NewRobots(f.do, 1)
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
	// Another host and another port have their own rules.
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

// A file that can't be read is requested again as often as a page would be.
func TestRobotsFailure(t *testing.T) {
	f := &files{texts: map[string]string{}}
	r := NewRobots(f.do, 2)
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

// The memory that hosts take is bounded.
func TestRobotsAreBounded(t *testing.T) {
	r := NewRobots((&files{}).do, 0)
	for i := range 3 * maxRobots {
		root := fmt.Sprintf("http://h%d/", i)
		if h := r.host(root); h != r.host(root) {
			t.Fatalf("%s is forgotten at once", root)
		}
		if len(r.hosts) != min(i+1, maxRobots) {
			t.Fatalf("%d hosts after %d", len(r.hosts), i+1)
		}
	}
}

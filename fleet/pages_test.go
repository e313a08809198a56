package fleet

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/locus-url/locus/verify"
)

// TestMaxPages checks that all workers together read at most the given number of pages of a site.
// They must request the other links in these pages, but not read their content.
func TestMaxPages(t *testing.T) {
	t.Parallel()
	const most, n = 25, 60
	w := newFixture(t, func(host, path string) (int, string) {
		if path == "/robots.txt" {
			return 404, ""
		}
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "<a href=/p%d>p</a> ", (i+len(path)*7)%n)
		}
		return 200, b.String()
	})
	e, err := Embed(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	f, _ := connected(t, e, Settings{Partitions: 16, MaxPages: most})
	other, _ := connected(t, e, Settings{})
	o := w.options()
	o.PerHost = 8
	for _, worker := range []*Worker{w.worker(f, o), w.worker(other, o)} {
		defer w.startWorker(worker)()
	}
	s, err := NewSubmitter(w.worker(f, o))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	sources := make([]verify.Source, 6)
	for i := range sources {
		sources[i] = site(fmt.Sprintf("http://s%d.example/", i))
	}
	found := map[string]int{}
	for r := range s.Run(t.Context(), slices.Values(sources)) {
		if r.Verdict != verify.Alive {
			t.Errorf("%s %s %s", r.URL, r.Verdict, r.Detail)
		}
		found[r.URL.Host()]++
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	gets, heads := map[string]int{}, map[string]int{}
	for _, text := range w.requests() {
		host, what, _ := strings.Cut(text, " ")
		if strings.HasPrefix(what, "GET") {
			gets[host]++
		} else {
			heads[host]++
		}
	}
	for i := range sources {
		host := fmt.Sprintf("s%d.example", i)
		// The expected requests are the pages, including the first page, and the links that are
		// not read.
		if gets[host] != most || heads[host] != n+1-most {
			t.Errorf("%s: %d pages, %d other links; want %d and %d", host, gets[host], heads[host], most, n+1-most)
		}
		if found[host] != 1+most*n {
			t.Errorf("%s: %d links, want %d", host, found[host], 1+most*n)
		}
	}
}

// TestAskHereAgain checks that targets outside the frontier are also retried, and are not
// requested during a pause of the host.
func TestAskHereAgain(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	asked := map[string]int{}
	w := newFixture(t, func(_, path string) (int, string) {
		mu.Lock()
		defer mu.Unlock()
		asked[path]++
		if path != "/robots.txt" && asked[path] == 1 {
			return 503, ""
		}
		return 200, ""
	})
	w.after, w.passwords = "1", true
	f := openTestFrontier(t)
	worker := w.worker(f, w.options())
	defer w.startWorker(worker)()
	s, err := NewSubmitter(w.worker(f, w.options()))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Submit(t.Context(), slices.Values([]verify.Source{document("a.txt", "http://h1.example/busy\n")})); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool {
		q := worker.queue
		q.mu.Lock()
		defer q.mu.Unlock()
		for _, p := range q.parts {
			for _, h := range p.hosts {
				if h.pauseEnd.After(time.Now()) {
					return true
				}
			}
		}
		return false
	})
	secret := document("b.txt", "http://u:secret@h1.example/in\n")
	for r := range s.Run(t.Context(), slices.Values([]verify.Source{secret})) {
		if r.Document == "b.txt" && (r.Verdict != verify.Alive || r.Tries != 2) {
			t.Errorf("%s %s after %d tries: %s", r.URL, r.Verdict, r.Tries, r.Detail)
		}
	}
	if err := s.Err(); err != nil {
		t.Error(err)
	}
}

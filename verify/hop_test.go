package verify

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
)

// hub returns a clock with many hosts. Some URLs on these hosts redirect to the host "hub". The
// result text contains links to all URLs.
func hub(hosts, each, redirects int) (c *clock, text string) {
	c = &clock{leads: map[string]string{}}
	for i := range hosts * each {
		u := fmt.Sprintf("x-clock://h%d/%d", i%hosts, i)
		text += u + "\n"
		if i < redirects {
			c.leads[u] = fmt.Sprintf("x-clock://hub/%d", i)
		}
	}
	return c, text
}

// requestTimes returns the times of the requests to a host, and the time of the last request to any
// other host.
func (c *clock) requestTimes(host string) (list []time.Duration, lastOther time.Duration) {
	for _, asked := range c.asked {
		passed, u, _ := strings.Cut(asked, " ")
		d, _ := time.ParseDuration(passed)
		if strings.HasPrefix(u, host+"/") {
			list = append(list, d)
		} else {
			lastOther = max(lastOther, d)
		}
	}
	return list, lastOther
}

// Redirects wait until the limits of the target's host allow a request, and do not delay other
// hosts.
func TestHopsTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, text := hub(40, 5, 60)
		c.answer = func(u locus.URL, _ int) (time.Duration, error) {
			if u.Host() == "hub" {
				return time.Second, nil
			}
			return 0, nil
		}
		got := c.run(t, Options{Politeness: access.Politeness{Interval: 100 * time.Millisecond, PerHost: 2, Parallel: 4}}, text+"x-clock://hub/direct")
		moved := 0
		for _, r := range got {
			if r.Verdict == Moved {
				moved++
			}
		}
		if moved != 60 || len(c.asked) != 200+1+60 {
			t.Errorf("%d of 60 moved, %d requests", moved, len(c.asked))
		}
		times, last := c.requestTimes("hub")
		for i := 1; i < len(times); i++ {
			if times[i]-times[i-1] < 100*time.Millisecond {
				t.Errorf("the hub was asked at %v and at %v", times[i-1], times[i])
			}
		}
		if c.most["hub"] != 2 || last > 2*time.Second {
			t.Errorf("%d requests at once at the hub; the last one elsewhere after %v", c.most["hub"], last)
		}
	})
}

// If the host of a redirect target requests a pause, the pause applies to all redirects to this
// host and to no other host.
func TestHopsPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, text := hub(10, 2, 20)
		var once sync.Once
		c.answer = func(u locus.URL, _ int) (took time.Duration, err error) {
			if u.Host() == "hub" {
				once.Do(func() { err = busy(429, 30*time.Second) })
			}
			return 0, err
		}
		got := c.run(t, Options{Politeness: access.Politeness{Interval: 100 * time.Millisecond, PerHost: 1}}, text)
		again := 0
		for _, r := range got {
			if again += r.Tries - 1; r.Verdict != Moved {
				t.Errorf("%+v", r)
			}
		}
		if again != 1 {
			t.Errorf("%d tries were repeated", again)
		}
		times, _ := c.requestTimes("hub")
		for _, at := range times[1:] {
			if at < 30*time.Second {
				t.Errorf("the hub was asked after %v", at)
			}
		}
		if times, _ := c.requestTimes("h1"); times[1] != 100*time.Millisecond {
			t.Errorf("another host was asked at %v", times)
		}
	})
}

// If a host requests a pause that is too long, the Verifier sends it no more requests, even for
// redirects.
func TestHopsShut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, text := hub(5, 2, 10)
		c.answer = func(u locus.URL, n int) (time.Duration, error) {
			if u.Host() == "hub" {
				return 0, busy(503, time.Hour)
			}
			return 0, nil
		}
		got := c.run(t, Options{Politeness: access.Politeness{Interval: 100 * time.Millisecond, PerHost: 1}}, text)
		skipped := 0
		for _, r := range got {
			if strings.HasPrefix(r.Detail, "skipped: ") && r.To.Host() == "hub" {
				skipped++
			}
			if r.Verdict != Warning {
				t.Errorf("%+v", r)
			}
		}
		if times, _ := c.requestTimes("hub"); skipped != 9 || len(times) != 1 {
			t.Errorf("%d links skipped, the hub was asked at %v", skipped, times)
		}
	})
}

// The time limit of an attempt includes all redirects, but not the time in queues.
func TestHopsTimeout(t *testing.T) {
	for _, test := range []struct {
		took time.Duration
		want Verdict
	}{{25 * time.Second, Moved}, {40 * time.Second, Warning}} {
		synctest.Test(t, func(t *testing.T) {
			c := &clock{leads: map[string]string{"x-clock://a/1": "x-clock://b/1"}}
			c.answer = func(u locus.URL, _ int) (time.Duration, error) {
				if path, _ := u.Path(); path == "busy" {
					return 10 * time.Minute, nil
				}
				return test.took, nil
			}
			rules, err := ParseRules("[[host]]\nurl = \"x-clock://a/1\"\ntimeout = \"1m\"\n")
			if err != nil {
				t.Fatal(err)
			}
			got := c.run(t, Options{Politeness: access.Politeness{PerHost: 1, Retry: access.None}, Timeout: time.Hour, Rules: rules}, "x-clock://b/busy x-clock://a/1")
			times, _ := c.requestTimes("b")
			if got[1].Verdict != test.want || len(times) != 2 || times[1] != 10*time.Minute {
				t.Errorf("%+v; the second host was asked at %v", got[1], times)
			}
		})
	}
}

// Each request after a redirect counts for the host that receives the request. This includes
// requests after a Refresh field, and a GET for a fragment in the redirect target.
func TestHopsOverHTTP(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	w.serve("hub.example", func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		io.WriteString(rw, "<p id=part>")
	})
	w.serve("a.example", func(rw http.ResponseWriter, r *http.Request) {
		to := "http://hub.example" + r.URL.Path
		switch r.URL.Path {
		case "/fragment":
			to += "#part"
		case "/refresh":
			rw.Header().Set("Refresh", "0;url="+to)
			return
		}
		http.Redirect(rw, r, to, http.StatusFound)
	})
	v := New(w.client, &w.o)
	for r := range v.Run(t.Context(), slices.Values([]Source{textDoc("d", "http://a.example/moved http://a.example/refresh http://a.example/fragment")})) {
		if r.Verdict != Moved || r.To.Host() != "hub.example" || r.Tries != 1 {
			t.Errorf("%+v", r)
		}
	}
	for _, h := range v.Slowest(9) {
		if h.Requests != 4 {
			t.Errorf("%d turns of %s, want 4; requests: %q", h.Requests, h.Host, w.requestedURLs())
		}
	}
}

// If a resource of another scheme redirects to a page, checking the fragment requires a second
// request. The second request reads the content from the start, and the run ends.
func TestHopsFromGopher(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w.serve("hub.example", func(rw http.ResponseWriter, r *http.Request) {
		if len(w.requestedURLs()) > 20 {
			cancel()
		}
		rw.Header().Set("Content-Type", "text/html")
		io.WriteString(rw, "<p id=part>")
	})
	v := New(w.client, &w.o)
	for r := range v.Run(ctx, slices.Values([]Source{textDoc("d", "gopher://g.example/hURL:http://hub.example/x%23part")})) {
		if r.Verdict != Moved || r.To.Host() != "hub.example" {
			t.Errorf("%+v", r)
		}
	}
	if list := w.requestedURLs(); len(list) > 3 {
		t.Errorf("%d requests: %q", len(list), list)
	}
}

// If another link needs a fragment while a HEAD request is redirected, one GET is enough.
func TestHopsWant(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	v := New(w.client, &w.o)
	redirected := make(chan struct{})
	once := sync.OnceFunc(func() { close(redirected) })
	w.serve("a.example", func(rw http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			http.Redirect(rw, r, "http://b.example/x", http.StatusFound)
			return
		}
		rw.Header().Set("Content-Type", "text/html")
		io.WriteString(rw, "<p id=p1>")
	})
	w.serve("b.example", func(rw http.ResponseWriter, r *http.Request) {
		once()
		for v.Progress().Links < 3 && r.Context().Err() == nil {
			time.Sleep(time.Millisecond)
		}
		http.NotFound(rw, r)
	})
	w.serve("c.example", func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(rw, r)
			return
		}
		<-redirected
		rw.Header().Set("Content-Type", "text/html")
		io.WriteString(rw, `<a href="http://a.example/r#p1">x</a>`)
	})
	for r := range v.Run(t.Context(), slices.Values([]Source{textDoc("d", "http://a.example/r"), sourceAt("http://c.example/")})) {
		if r.Verdict != Alive {
			t.Error(line(r))
		}
	}
	if got := strings.Count(strings.Join(w.requestedURLs(), "\n"), "GET http://a.example/r"); got != 1 {
		t.Errorf("%d times GET, want 1: %q", got, w.requestedURLs())
	}
}

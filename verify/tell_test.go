package verify

import (
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
)

// The result of a dead link contains the time at which an earlier run found the resource alive,
// also if the result is from the store.
func TestLastAlive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "verify.db")
	var gone atomic.Bool
	run := func(maxAge time.Duration) Result {
		t.Helper()
		w := newFixture(t, policy.Rules{})
		w.serve("a.example", func(rw http.ResponseWriter, r *http.Request) {
			if gone.Load() {
				rw.WriteHeader(http.StatusNotFound)
			}
		})
		w.o.Store = openTestStore(t, path)
		defer closeStore(t, w.o.Store)
		w.o.MaxAge, w.o.MaxAgeBad = maxAge, maxAge
		return w.run(textDoc("d", "http://a.example/page"))[0]
	}
	before := time.Now().Truncate(time.Second)
	if r := run(None); r.Verdict != Alive || !r.LastAlive.IsZero() {
		t.Fatalf("%s: %v", line(r), r.LastAlive)
	}
	after := time.Now()
	gone.Store(true)
	for i, maxAge := range []time.Duration{None, None, time.Hour} {
		r := run(maxAge)
		if r.Verdict != Dead || r.LastAlive.Before(before) || r.LastAlive.After(after) || r.LastAlive.Location() != time.UTC || r.Cached != (maxAge > 0) {
			t.Errorf("run %d: %s, last alive %v, cached %v", i, line(r), r.LastAlive, r.Cached)
		}
	}
}

// If a link was never alive, LastAlive is zero.
func TestNeverAlive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "verify.db")
	for range 2 {
		w := newFixture(t, policy.Rules{})
		w.serve("a.example", pages)
		w.o.Store, w.o.MaxAgeBad = openTestStore(t, path), None
		if r := w.run(textDoc("d", "http://a.example/none"))[0]; r.Verdict != Dead || !r.LastAlive.IsZero() {
			t.Errorf("%s: %v", line(r), r.LastAlive)
		}
		closeStore(t, w.o.Store)
	}
}

// Hops returns each redirect target without passwords, also from the store.
func TestHops(t *testing.T) {
	path := filepath.Join(t.TempDir(), "verify.db")
	secret := locus.MustParse("http://u:secret@h/")
	if text := join([]locus.URL{secret, secret, secret}); strings.Contains(text, "secret") || strings.Count(text, "\n") != 1 {
		t.Errorf("%q", text)
	}
	for i, cached := range []bool{false, true} {
		w := newFixture(t, policy.Rules{})
		w.serve("a.example", func(rw http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/one":
				http.Redirect(rw, r, "/two", http.StatusMovedPermanently)
			case "/two":
				http.Redirect(rw, r, "/three", http.StatusPermanentRedirect)
			case "/three":
				http.Redirect(rw, r, "/four", http.StatusMovedPermanently)
			}
		})
		w.o.Store = openTestStore(t, path)
		got := w.run(textDoc("d", "http://a.example/one http://a.example/four"))
		var hops []string
		for _, u := range got[0].Hops() {
			hops = append(hops, u.String())
		}
		text := strings.Join(hops, " ")
		if text != "http://a.example/two http://a.example/three http://a.example/four" || !got[0].Permanent || got[0].Cached != cached {
			t.Errorf("%s\nrun %d: %q, permanent %v, cached %v", line(got[0]), i, text, got[0].Permanent, got[0].Cached)
		}
		if got[1].Hops() != nil {
			t.Errorf("hops of a link that did not move: %v", got[1].Hops())
		}
		closeStore(t, w.o.Store)
	}
}

package cache

import (
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus/internal/secrettest"
)

// If a server repeats a request field without naming it in Vary, other clients do not get
// that response.
func TestReflectedFields(t *testing.T) {
	for _, name := range []string{
		"X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-For", "X-Host", "X-Original-URL", "X-Rewrite-URL", "Forwarded", "X-Http-Method-Override",
		"Origin", "Referer", "User-Agent", "From", "X-Anything",
	} {
		s := openStore(t, t.TempDir(), nil)
		rt := s.Transport(&upstream{response: func(_ int, req *http.Request) (*http.Response, error) {
			return response(200, "host="+req.Header.Get(name), "Cache-Control: max-age=100"), nil
		}})
		for _, c := range []struct {
			header []string
			body   string
			hit    bool
		}{
			{[]string{name + ": evil.example"}, "host=evil.example", false},
			{nil, "host=", false},
			{nil, "host=", true},
			{[]string{"Accept: text/html"}, "host=", true},
			{[]string{name + ": evil.example"}, "host=evil.example", true},
			{[]string{name + ": other.example"}, "host=other.example", false},
			{[]string{name + ": evil.example", "X-More: y"}, "host=evil.example", false},
		} {
			resp, body, err := ask(rt, request(t, "GET", "http://h/", c.header...))
			if err != nil || body != c.body || strings.Contains(resp.Header.Get("Cache-Status"), "; hit") != c.hit {
				t.Errorf("%s, %q: %q, %v, %v", name, c.header, body, resp.Header["Cache-Status"], err)
			}
		}
	}
}

// If the clock was set back, a stored response is validated, even if it was fresh. It does
// not replace an error.
func TestClockSetBack(t *testing.T) {
	for _, url := range []string{"http://h/", "ftp://h/x", "news:a@b"} {
		now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		dir := t.TempDir()
		s := openStore(t, dir, &Options{Now: func() time.Time { return now }})
		rt := s.Transport(&upstream{response: func(n int, _ *http.Request) (*http.Response, error) {
			resp := response(200, "x", "Date: "+now.Format(http.TimeFormat))
			if strings.HasPrefix(url, "http") {
				resp.Header.Set("Cache-Control", "max-age=1000")
			}
			return resp, nil
		}})
		isHit := func() bool {
			t.Helper()
			resp, body, err := ask(rt, request(t, "GET", url))
			if err != nil || body != "x" {
				t.Fatalf("%s: %q, %v", url, body, err)
			}
			return strings.Contains(resp.Header.Get("Cache-Status"), "; hit")
		}
		if isHit() || !isHit() {
			t.Fatalf("%s is not stored", url)
		}
		now = now.Add(-500 * time.Millisecond)
		if !isHit() {
			t.Errorf("%s: half a second back counts", url)
		}
		now = now.Add(-24 * time.Hour)
		if isHit() {
			t.Errorf("%s: an answer from the future is fresh", url)
		}
		// The new response is fresh by the current clock.
		if !isHit() {
			t.Errorf("%s: not stored again", url)
		}
		now = now.Add(-time.Hour)
		rt = s.Transport(&upstream{response: func(int, *http.Request) (*http.Response, error) {
			return nil, &net.OpError{Op: "dial", Err: errors.New("down")}
		}})
		if resp, _, err := ask(rt, request(t, "GET", url)); err == nil {
			t.Errorf("%s: an answer from the future stands in: %v", url, resp.Header)
		}
	}
}

// The store writes no URL that may contain a password.
func TestNoPasswordIsStored(t *testing.T) {
	s := openStore(t, t.TempDir(), nil)
	rt := s.Transport(&upstream{response: func(int, *http.Request) (*http.Response, error) {
		return response(200, "x", "Cache-Control: max-age=100"), nil
	}})
	for _, url := range secrettest.URLs(secrettest.Password, "h.example") {
		req, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
		if err != nil || !strings.Contains(req.URL.Redacted(), secrettest.Half) && req.URL.User == nil || req.URL.Fragment != "" {
			continue
		}
		if _, _, err := ask(rt, req); err != nil {
			t.Errorf("%s: %v", url, err)
		}
	}
	if n := s.Stats().Entries; n != 0 {
		t.Errorf("%d answers are stored", n)
	}
}

package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/locus-url/locus/gateway"
)

// healthy is the response of a gateway without problems.
const healthy = "{\"ok\":true,\"problems\":[]}\n"

// problems returns the status and the problems of /healthz.
func (w *fixture) problems() (status int, list []string) {
	w.t.Helper()
	a := w.get("/healthz")
	var body struct {
		OK       bool
		Problems []struct{ Part, Message string }
	}
	if err := json.Unmarshal([]byte(a.body), &body); err != nil || a.Header.Get("Content-Type") != "application/json" || a.Header.Get("Cache-Control") != "no-store" {
		w.t.Fatalf("%v: %s %v", err, a.body, a.Header)
	}
	if body.OK != (a.StatusCode == 200) || body.OK != (len(body.Problems) == 0) || !strings.Contains(a.body, `"problems":[`) {
		w.t.Errorf("%s %s", a.Status, a.body)
	}
	for _, p := range body.Problems {
		list = append(list, p.Part+": "+p.Message)
	}
	return a.StatusCode, list
}

// Each problem is reported once, without names of files and users and without passwords.
func TestHealthChecks(t *testing.T) {
	s := loopbackSetup
	full := &fs.PathError{Op: "write", Path: "/var/cache/private/locus/check", Err: syscall.ENOSPC}
	s.gateway.Health = []gateway.HealthCheck{
		{Part: "good", Check: func(context.Context) error { return nil }},
		{Part: "cache", Check: func(context.Context) error { return errors.Join(full) }},
		{Part: "proxies", Check: func(context.Context) error {
			return errors.New("http://fred:hunter2@proxy.example: refused\nsocks5h://wilma@[2001:db8::1]:1080: refused\nhttp://b%40rney:a/b@h/x@y: refused")
		}},
		{Part: "archive", Check: func(context.Context) error { return errors.New("archive: no more space") }},
	}
	w := start(t, s)
	status, list := w.problems()
	want := []string{"cache: no space left on device", "proxies: http://***@proxy.example: refused; socks5h://***@[2001:db8::1]:1080: refused; http://***@y: refused", "archive: no more space"}
	if status != 503 || !slices.Equal(list, want) {
		t.Errorf("%d %q", status, list)
	}
	if a := w.exchange("HEAD", "/healthz", ""); a.StatusCode != 503 || a.body != "" {
		t.Errorf("%s %q", a.Status, a.body)
	}
	if a := w.exchange("POST", "/healthz", ""); a.StatusCode != 405 {
		t.Errorf("%s", a.Status)
	}
}

// A check that does not return is a problem, and is not called again until it returns.
// Frequent requests do not run checks frequently.
func TestHealthSilentCheck(t *testing.T) {
	t.Parallel() // it waits for the timeout of a check
	s := loopbackSetup
	calls, release := make(chan bool, 100), make(chan bool)
	s.gateway.Health = []gateway.HealthCheck{{Part: "cache", Check: func(context.Context) error {
		calls <- true
		<-release
		return nil
	}}}
	w := start(t, s)
	defer close(release)
	for range 3 {
		if status, list := w.problems(); status != 503 || len(list) != 1 || !strings.HasPrefix(list[0], "cache: timed out after") {
			t.Errorf("%d %q", status, list)
		}
	}
	if len(calls) != 1 {
		t.Errorf("%d calls", len(calls))
	}
}

// /healthz reports the limit of requests even at the limit. No other path bypasses the
// limit.
func TestHealthAtTheLimit(t *testing.T) {
	inside, leave := make(chan struct{}), make(chan struct{})
	far := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		inside <- struct{}{}
		<-leave
	}))
	defer far.Close()
	s := loopbackSetup
	s.gateway.Limits.Requests = 1
	w := start(t, s)
	done := make(chan answer)
	go func() { done <- w.get("/-/raw/http/" + strings.TrimPrefix(far.URL, "http://") + "/") }()
	<-inside
	if status, list := w.problems(); status != 503 || !slices.Equal(list, []string{"requests: the limit of 1 concurrent requests is reached"}) {
		t.Errorf("%d %q", status, list)
	}
	for name, a := range map[string]answer{"a proxied URL": w.proxied("GET", far.URL+"/healthz"), "another path": w.get("/healthz/"), "a query": w.get("/healthz?x")} {
		if a.StatusCode != 503 || !strings.HasPrefix(a.body, "busy") {
			t.Errorf("%s: %s %s", name, a.Status, a.body)
		}
	}
	close(leave)
	<-done
	if status, list := w.problems(); status != 200 {
		t.Errorf("%d %q", status, list)
	}
}

// /readyz reports only limits and the shutdown. /livez always succeeds.
func TestReadyAndLive(t *testing.T) {
	s := loopbackSetup
	s.gateway.Health = []gateway.HealthCheck{{Part: "proxies", Check: func(context.Context) error { return errors.New("refused") }}}
	s.gateway.Limits.Memory = 1
	w := start(t, s)
	const memory = `{"part":"memory","message":"the limit of 1 bytes of memory is reached"}`
	for path, want := range map[string]string{
		"/livez": healthy, "/readyz": `{"ok":false,"problems":[` + memory + "]}\n",
		"/healthz": `{"ok":false,"problems":[` + memory + `,{"part":"proxies","message":"refused"}]}` + "\n",
	} {
		if a := w.get(path); a.body != want || (a.StatusCode == 200) != (want == healthy) {
			t.Errorf("%s: %s %s, want %s", path, a.Status, a.body, want)
		}
	}
}

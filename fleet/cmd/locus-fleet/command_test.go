package main

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/locus-url/locus/internal/cli/base"
	"github.com/locus-url/locus/internal/cli/clitest"
)

// run runs the command, and returns its status and output.
func run(t *testing.T, args ...string) (status int, out, errOut string) {
	t.Helper()
	var o, e bytes.Buffer
	status = runArgs(base.New(context.Background(), strings.NewReader(""), &o, &e, clitest.NoEnv), args)
	return status, o.String(), e.String()
}

func TestVerify(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.md")
	if err := os.WriteFile(name, []byte("# Title\n[here](#title) [no](#none) [gone](gone.md)\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	store := filepath.Join(dir, "store")
	status, out, errOut := run(t, "verify", "--store", store, "--json", name)
	if status != base.StatusNo || strings.Count(out, "\n") != 3 || strings.Count(out, `"verdict":"alive"`) != 1 || strings.Count(out, `"verdict":"fragment"`) != 1 || strings.Count(out, `"verdict":"dead"`) != 1 || errOut != "" {
		t.Errorf("status %d\n%s%s", status, out, errOut)
	}
	// Nothing is left of a run that is complete.
	if left, err := filepath.Glob(filepath.Join(store, "jetstream", "*", "streams", "*")); err != nil || len(left) > 0 {
		t.Errorf("%q %v", left, err)
	}
}

func TestSubmitAndResults(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(name, []byte("http://waits.example/ file:///none/at/all"), 0o600); err != nil {
		t.Fatal(err)
	}
	store := "--store=" + filepath.Join(dir, "store")
	if status, out, errOut := run(t, "submit", store, "--quiet", name); status != base.StatusDone {
		t.Fatalf("status %d\n%s%s", status, out, errOut)
	}
	status, out, errOut := run(t, "results", store)
	if status != base.StatusDone || strings.Count(out, `"verdict":"unknown"`) != 1 || strings.Count(out, `"verdict":"dead"`) != 1 {
		t.Errorf("status %d\n%s%s", status, out, errOut)
	}
	status, out, _ = run(t, "status", store, "--json")
	if status != base.StatusDone || !strings.Contains(out, `"targets":1,"verdicts":0`) {
		t.Errorf("status %d\n%s", status, out)
	}
	if status, _, errOut := run(t, "drain", store); status != base.StatusDone {
		t.Errorf("status %d\n%s", status, errOut)
	}
	if status, _, errOut := run(t, "worker", store); status != base.StatusDone {
		t.Errorf("a drained worker: status %d\n%s", status, errOut)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{
		{"verify"}, {"verify", "--max-age", "1h", "."}, {"worker", "x"}, {"status", "--frontier", "a.b", "--store", t.TempDir()},
		{"worker", "--every", "3x"}, {"worker", "--partitions", "99999", "--store", t.TempDir()}, {"status", "--nats", "nats://127.0.0.1:1"}, {"status", "--nats", "nats://h", "--tls-cert", "x"},
	} {
		if status, out, errOut := run(t, args...); status == base.StatusDone || out != "" || !strings.HasPrefix(errOut, "locus: ") {
			t.Errorf("%q: status %d\n%s%s", args, status, out, errOut)
		}
	}
}

// status and its like make no frontier, and name those that exist.
func TestNoFrontier(t *testing.T) {
	store := "--store=" + t.TempDir()
	for _, name := range []string{"status", "results", "changes", "pause", "resume", "drain", "ui"} {
		status, out, errOut := run(t, name, store, "--frontier", "docs")
		if status != base.StatusAccess || out != "" || !strings.Contains(errOut, `no frontier "docs"; there are no frontiers yet`) {
			t.Errorf("%s: status %d\n%s%s", name, status, out, errOut)
		}
	}
	if status, _, errOut := run(t, "create", store, "--frontier", "docs", "--every", "30d"); status != base.StatusDone {
		t.Fatalf("status %d\n%s", status, errOut)
	}
	if status, _, errOut := run(t, "create", store, "--frontier", "docs", "--every", "7d"); status != base.StatusDone || !strings.Contains(errOut, "--every stays 720h0m0s") {
		t.Errorf("status %d\n%s", status, errOut)
	}
	if status, _, errOut := run(t, "status", store); status != base.StatusAccess || !strings.Contains(errOut, "there are: docs") {
		t.Errorf("status %d\n%s", status, errOut)
	}
	if status, _, errOut := run(t, "delete", store, "docs"); status != base.StatusDone {
		t.Errorf("status %d\n%s", status, errOut)
	}
	if status, _, errOut := run(t, "status", store, "--frontier", "docs"); status != base.StatusAccess || !strings.Contains(errOut, "there are no frontiers yet") {
		t.Errorf("status %d\n%s", status, errOut)
	}
}

// Errors have their status, say what to do, and have no password.
func TestErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		status int
		want   string
		args   []string
	}{
		{base.StatusAccess, "no NATS server answers at", []string{"status", "--nats", "nats://u:secret@127.0.0.1:1,nats://127.0.0.1:1"}},
		{base.StatusAccess, "no NATS server answers at", []string{"verify", "--nats", "nats://127.0.0.1:1", file}},
		{base.StatusUsage, "--warc has no meaning here", []string{"verify", "--warc", "x", file}},
		{base.StatusUsage, "--format has no meaning here", []string{"submit", "--format", "junit", file}},
		{base.StatusUsage, "--creds", []string{"status", "--nats", "nats://127.0.0.1:1", "--creds", "/none"}},
		{base.StatusUsage, "--parallel must be 1", []string{"worker", "--parallel", "0"}},
		{base.StatusUsage, "write 30d, 12h or 45m", []string{"create", "--every", "1x"}},
	} {
		status, out, errOut := run(t, c.args...)
		if status != c.status || out != "" || !strings.Contains(errOut, c.want) || strings.Contains(errOut, "secret") {
			t.Errorf("%q: status %d\n%s%s", c.args, status, out, errOut)
		}
	}
}

// Pages have a policy, and answer only to their own address.
func TestServe(t *testing.T) {
	c := &command{a: base.New(context.Background(), strings.NewReader(""), new(bytes.Buffer), new(bytes.Buffer), clitest.NoEnv)}
	page := http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) { rw.Write([]byte("page")) })
	var errOut bytes.Buffer
	c.a.ErrOut = &errOut
	end, err := c.serve(t.Context(), "--listen", ":0", page, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	url := regexp.MustCompile(`http://127\.0\.0\.1:\d+/`).FindString(errOut.String())
	for host, want := range map[string]int{"": 200, "localhost:80": 200, "127.0.0.1": 200, "evil.example": 421, "evil.example:9101": 421, "10.0.0.1": 421} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want || !strings.HasPrefix(resp.Header.Get("Content-Security-Policy"), "default-src 'none'") || resp.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %v", host, resp.StatusCode, resp.Header)
		}
	}
	if _, err := c.serve(t.Context(), "--listen", "nowhere", page, nil); err == nil {
		t.Error("it listens nowhere")
	}
}

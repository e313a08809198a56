package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
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

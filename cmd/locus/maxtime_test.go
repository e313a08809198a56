package main

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus/cmd/locus/internal/commandtest"
	"github.com/locus-url/locus/internal/command/base"
)

// A server that occasionally sends a byte never reaches the idle timeout. The flag --max-time ends
// every command that opens URLs.
func TestMaxTime(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		for r.Context().Err() == nil {
			w.Write([]byte("x"))
			w.(http.Flusher).Flush()
			time.Sleep(10 * time.Millisecond)
		}
	}))
	defer server.Close()
	dir := t.TempDir()
	for _, args := range [][]string{
		{"get"}, {"get", "--json", "-o", filepath.Join(dir, "a")}, {"get", "-o", filepath.Join(dir, "b"), "--retry", "1"},
		{"open"}, {"verify", "--no-cache", "--retry", "0", "--all"},
	} {
		got := commandtest.Run(t, nil, append(args, "--allow-private", "--max-time", "0.3", server.URL+"/")...)
		if args[0] != "verify" && got.Status != base.StatusAccess {
			t.Errorf("%q: status %d, %s, want status %d", args, got.Status, got.Err, base.StatusAccess)
		}
		if said := got.Out + got.Err; args[0] == "get" && !strings.Contains(said, "exceeded the total time limit (300ms)") {
			t.Errorf("%q: %s, want the limit in the message", args, said)
		}
	}
}

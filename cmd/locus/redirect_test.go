package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/locus-url/locus/cmd/locus/internal/commandtest"
	"github.com/locus-url/locus/internal/command/base"
)

// The redirect table in package access applies to get, open and verify. All their requests go
// through a proxy that simulates the Internet.
func TestRedirects(t *testing.T) {
	text, err := os.ReadFile("../../access/testdata/referrals.txt")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var to string
	var asked []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.RequestURI)
		n := 0
		_, err := fmt.Sscanf(r.RequestURI, "http://pub.example/chain/%d", &n)
		switch {
		case strings.HasSuffix(r.RequestURI, "/robots.txt"):
			http.NotFound(w, r)
		case strings.HasSuffix(r.RequestURI, "/r"):
			w.Header().Set("Location", to)
			w.WriteHeader(302)
		case r.RequestURI == "http://pub.example/loop":
			w.Header().Set("Location", "http://pub.example/r")
			w.WriteHeader(302)
		case err == nil:
			w.Header().Set("Location", fmt.Sprintf("/chain/%d", n+1))
			w.WriteHeader(302)
		default:
			w.Header().Set("Content-Type", "text/plain")
			io.WriteString(w, "here")
		}
	}))
	defer s.Close()
	home := t.TempDir()
	proxied := func(a *base.App) {
		a.Getenv = func(name string) string {
			return map[string]string{"HOME": home, "all_proxy": s.URL, "XDG_CACHE_HOME": t.TempDir()}[name]
		}
	}
	lines := 0
	for line := range strings.Lines(string(text)) {
		fields := append(strings.Split(strings.TrimSpace(line), " | "), "")
		// Skip names of private hosts, because a proxy resolves names itself.
		if len(fields) < 4 || line[0] == '#' || strings.Contains(fields[1], "inward.example") {
			continue
		}
		lines++
		from, verdict, says := fields[0], fields[2], fields[3]
		for _, args := range [][]string{{"get"}, {"open"}, {"verify", "--no-cache", "--retry", "0", "--rate", "0"}} {
			mu.Lock()
			to, asked = fields[1], nil
			mu.Unlock()
			got := commandtest.Run(t, proxied, append(args, from)...)
			mu.Lock()
			reached := slices.ContainsFunc(asked, func(u string) bool { return u == fields[1] })
			mu.Unlock()
			want := map[string]int{"ok": 0, "denied": base.StatusDenied, "circle": base.StatusAccess}[verdict]
			if args[0] == "verify" && want != 0 || verdict == "circle" {
				want = -1 // the message reports the denial
			}
			if got.Status != want && want >= 0 || verdict == "denied" && reached || verdict == "ok" && !reached || !strings.Contains(got.Out+got.Err, says) {
				t.Errorf("%s %s -> %s: status %d, reached %v, want %s %q\n%s%s", args[0], from, to, got.Status, reached, verdict, says, got.Out, got.Err)
			}
		}
	}
	if lines < 40 {
		t.Errorf("%d lines", lines)
	}
}

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/locus-url/locus/cmd/locus/internal/commandtest"
)

// Each command retries requests as often as its flags permit, and has its own default.
func TestRepeatedRequests(t *testing.T) {
	for _, test := range []struct {
		args  string // FILE and DIR represent new files and directories
		after string // value of the Retry-After field; empty if the server sends none
		want  int32  // expected number of requests
	}{
		{"get -o FILE", "", 1},
		{"get -o FILE --retry 1", "", 2},
		{"get -o FILE --retry 1", "61", 1},
		{"mirror -d DIR --no-robots", "", 3},
		{"mirror -d DIR --no-robots --retry 0", "", 1},
		{"mirror -d DIR --no-robots --retry 1 --max-wait 0", "", 2},
		{"mirror -d DIR --no-robots --max-wait 0", "1", 1},
		{"mirror -d DIR --no-robots", "61", 1},
		{"verify --no-cache --no-robots", "", 3},
		{"verify --no-cache --no-robots --retry 0", "", 1},
		{"verify --no-cache --no-robots --retry 1 --max-wait 0", "", 2},
		{"verify --no-cache --no-robots --max-wait 0", "1", 1},
		{"verify --no-cache --no-robots", "61", 1},
	} {
		t.Run(fmt.Sprint(test.args, " ", test.after), func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				if test.after != "" {
					w.Header().Set("Retry-After", test.after)
				}
				w.WriteHeader(http.StatusServiceUnavailable)
			}))
			defer server.Close()
			dir := t.TempDir()
			text := strings.NewReplacer("FILE", filepath.Join(dir, "file"), "DIR", dir).Replace(test.args)
			got := commandtest.Run(t, nil, append(strings.Fields(text), server.URL+"/")...)
			if n := requests.Load(); n != test.want {
				t.Errorf("%d requests, want %d: %s%s", n, test.want, got.Out, got.Err)
			}
		})
	}
}

package peers

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/locus-url/locus/cache"
	"github.com/locus-url/locus/scheme/all"
)

// suiteFields lists the request fields with which http-cache-tests identifies its requests. The
// cache must not see these fields, because a cached response depends on each unknown request
// field.
var suiteFields = []string{"Test-Name", "Test-Id", "Req-Num"}

// suiteKey is the context key for the suiteFields of a request.
type suiteKey struct{}

// suiteProxy starts a caching reverse proxy for a server of http-cache-tests.
func suiteProxy(t *testing.T, origin *url.URL) *httptest.Server {
	t.Helper()
	registry, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	store, err := cache.Open(t.TempDir(), registry, nil)
	if err != nil {
		t.Fatal(err)
	}
	cached := store.Transport(roundTrip(func(req *http.Request) (*http.Response, error) {
		req = req.Clone(req.Context())
		fields, _ := req.Context().Value(suiteKey{}).(http.Header)
		for name, values := range fields {
			req.Header[name] = values
		}
		return http.DefaultTransport.RoundTrip(req)
	}))
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:  func(r *httputil.ProxyRequest) { r.SetURL(origin) },
		ErrorLog: log.New(io.Discard, "", 0), // the suite breaks connections
		Transport: roundTrip(func(req *http.Request) (*http.Response, error) {
			fields := http.Header{}
			for _, name := range suiteFields {
				fields[name] = req.Header[name]
				delete(req.Header, name)
			}
			return cached.RoundTrip(req.WithContext(context.WithValue(req.Context(), suiteKey{}, fields)))
		}),
	})
	t.Cleanup(func() {
		proxy.Close()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return proxy
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// suiteResult is the result of one test of http-cache-tests. The field Result is true, or a list
// that contains the kind of failure and the reason.
type suiteResult struct {
	ID, Kind, Name string
	Result         any
}

func (r *suiteResult) passed() bool { return r.Result == true }

// runSuite runs the tests of http-cache-tests with the given identifiers against the cache. If ids
// is empty, it runs all tests.
func runSuite(t *testing.T, node, dir string, ids ...string) (results []suiteResult) {
	t.Helper()
	process := exec.CommandContext(t.Context(), node, append([]string{"testdata/http-cache-tests.mjs", dir}, ids...)...)
	in, err := process.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	address, err := lines.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	origin, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(in, suiteProxy(t, origin).URL)
	said, err := io.ReadAll(lines)
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Wait(); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(said, &results); err != nil {
		t.Fatalf("%v: %.200s", err, said)
	}
	return results
}

// readKnown returns the tests of http-cache-tests that the cache does not pass, with the reason.
func readKnown(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("testdata/http-cache-tests.tsv")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if id, reason, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok && !strings.HasPrefix(id, "#") {
			known[id] = reason
		}
	}
	return known
}

// TestHTTPCacheTests runs the required tests of http-cache-tests, the suite of
// https://cache-tests.fyi/. The cache passes all tests except the tests that
// testdata/http-cache-tests.tsv lists.
func TestHTTPCacheTests(t *testing.T) {
	node, dir := need(t, "node"), unpacked("npm/http-cache-tests")
	if _, err := os.Stat(dir); err != nil {
		missing(t, "the npm package http-cache-tests is not installed: .ci/peers does that")
	}
	known := readKnown(t)
	required, seen := 0, map[string]bool{}
	for _, r := range runSuite(t, node, dir) {
		if r.Kind != "required" {
			continue
		}
		required++
		seen[r.ID] = true
		switch reason := known[r.ID]; {
		case r.passed() && reason != "":
			t.Errorf("%s passes, and is named as one that does not: %s", r.ID, reason)
		case !r.passed() && reason == "":
			t.Errorf("%s (%s): %v", r.ID, r.Name, r.Result)
		}
	}
	if required < 150 {
		t.Errorf("%d required tests ran", required)
	}
	for id := range known {
		if !seen[id] {
			t.Errorf("the suite has no required test %s", id)
		}
	}
}

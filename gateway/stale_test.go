package gateway_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/locus-url/locus/cache"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
	"github.com/locus-url/locus/scheme/gopher/gophertest"
)

// A page of a stored response shows its age, even if the response replaces an error. The
// store ignores Cache-Status of other caches.
func TestStalePage(t *testing.T) {
	hole, err := gophertest.Start(gophertest.Item{Items: []gophertest.Item{{Name: "About", Selector: "a", Data: "Hello\n"}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer hole.Close()
	files, err := ftptest.Start(ftptest.Files{"a.txt": {Data: "Hello\n"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	var busy atomic.Bool
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if busy.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		h := w.Header()
		h.Set("Content-Type", "text/plain")
		h.Set("Cache-Control", "max-age=86400, stale-if-error=86400")
		switch r.URL.Path {
		case "/near":
			h.Set("Cache-Status", "near; hit")
		case "/far":
			h.Set("Cache-Status", "far; fwd=stale; fwd-status=304")
			h.Set("Age", "7200")
		}
		w.Write([]byte("Hello\n"))
	}))
	defer web.Close()

	var ahead atomic.Int64 // of the store's clock
	var gone atomic.Bool
	s := loopbackSetup
	s.store = &cache.Options{Now: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }}
	s.access.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		if gone.Load() {
			return nil, syscall.ECONNREFUSED // the port may be another server's by then
		}
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	w := start(t, s)
	paths := []string{"/gopher/" + hole.Addr() + "/", "/ftp/" + files.Addr() + "/a.txt"}
	for _, name := range []string{"object", "near", "far"} {
		paths = append(paths, "/http/"+web.Listener.Addr().String()+"/"+name)
	}
	// note returns what the page at path says about the store.
	note := func(path string) string {
		waitForStore(make([]byte, 1<<20))
		a := w.get(path, browser...)
		if a.StatusCode != 200 || !strings.Contains(a.body, "Hello") && !strings.Contains(a.body, "About") {
			t.Errorf("%s: %s\n%s", path, a.Status, a.body)
		}
		_, rest, _ := strings.Cut(a.body, `<span class="unseen">Cache: </span>`)
		text, _, _ := strings.Cut(rest, "</li>")
		return text
	}
	want := func(text string, paths ...string) {
		t.Helper()
		for _, path := range paths {
			if got := note(path); got != text {
				t.Errorf("%s: %q, want %q", path, got, text)
			}
		}
	}

	want("", paths...)
	ahead.Store(int64(3*time.Minute + time.Second))
	want("cached 3 minutes ago", paths[:4]...)

	ahead.Store(int64(25*time.Hour + time.Second))
	gone.Store(true)
	w.closeIdle()
	want("cached 25 hours ago", paths[1:4]...)
	// Another cache had the response for two hours.
	want("cached 27 hours ago", paths[4])
	ahead.Store(int64(12*time.Hour + time.Second))
	want("cached 12 hours ago", paths[0])

	// A stored response also replaces an error response.
	ahead.Store(int64(25*time.Hour + time.Second))
	gone.Store(false)
	busy.Store(true)
	want("cached 25 hours ago", paths[2:4]...)

	// The server responds again.
	busy.Store(false)
	want("", paths...)

	w = start(t, loopbackSetup) // without a store
	want("", paths...)
}

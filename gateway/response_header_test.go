package gateway_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
)

// The header of a server's response is limited to 256 KiB, for the proxy and for pages.
func TestResponseHeader(t *testing.T) {
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		size, _ := strconv.Atoi(r.URL.Path[1:])
		for range size {
			w.Header().Add("X-Long", strings.Repeat("x", 1000))
		}
	}))
	defer far.Close()
	w := start(t, loopbackSetup)
	host := strings.TrimPrefix(far.URL, "http://")
	for size, want := range map[string]int{"200": 200, "300": 502, "3000": 502} {
		for name, a := range map[string]answer{"proxy": w.proxied("GET", far.URL+"/"+size), "raw": w.get("/-/raw/http/" + host + "/" + size)} {
			if a.StatusCode != want || want == 502 && !strings.HasSuffix(strings.TrimSpace(a.body), "protocol error: the response header exceeds 262144 bytes") {
				t.Errorf("%s, %s KB: %s %.300s", name, size, a.Status, a.body)
			}
		}
	}
}

package gateway_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/locus-url/locus/cache"
)

// BenchmarkRaw requests an object of a web server through the gateway, with and without a
// cache.
func BenchmarkRaw(b *testing.B) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "max-age=3600")
		io.WriteString(w, "hello")
	}))
	b.Cleanup(web.Close)
	for name, store := range map[string]*cache.Options{"fetched": nil, "cached": {}} {
		b.Run(name, func(b *testing.B) {
			s := loopbackSetup
			s.store = store
			w := start(b, s)
			r := httptest.NewRequest(http.MethodGet, "/-/raw?url="+query(web.URL+"/"), nil)
			r.Host = "localhost"
			b.ReportAllocs()
			for b.Loop() {
				answer := httptest.NewRecorder()
				w.g.ServeHTTP(answer, r)
				if answer.Code != http.StatusOK || answer.Body.String() != "hello" {
					b.Fatalf("%d %s", answer.Code, answer.Body)
				}
			}
		})
	}
}

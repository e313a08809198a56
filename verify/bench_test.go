package verify

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/policy"
)

// BenchmarkSite serves and crawls 500 pages with ten links each.
func BenchmarkSite(b *testing.B) {
	const pages = 500
	list := make([]string, pages)
	for i := range list {
		var text strings.Builder
		for j := range 10 {
			fmt.Fprintf(&text, "<p>Some text, and <a href=\"/%d.html\">a link</a> in it.</p>\n", (i*7+j*13+1)%pages)
		}
		list[i] = text.String()
	}
	w := newFixture(b, policy.Rules{})
	w.serve("a.example", func(rw http.ResponseWriter, r *http.Request) {
		n := 0
		fmt.Sscanf(r.URL.Path, "/%d.html", &n)
		rw.Header().Set("Content-Type", "text/html")
		io.WriteString(rw, list[n])
	})
	w.o.PerHost = 8
	for b.Loop() {
		n := 0
		for range New(w.client, &w.o).Run(b.Context(), slices.Values([]Source{sourceAt("http://a.example/")})) {
			n++
		}
		if n < pages*10 {
			b.Fatalf("%d links", n)
		}
	}
}

package verify

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// The Verifier stores only the first maxAnchors anchors of a page.
func TestAnchorsAreBounded(t *testing.T) {
	var a anchors
	for i := range maxAnchors + 10 {
		a.add(fmt.Sprint(i))
	}
	a.sort()
	if len(a.names) != maxAnchors || !a.has("0") || !a.has(fmt.Sprint(maxAnchors-1)) || a.has(fmt.Sprint(maxAnchors)) {
		t.Errorf("%d anchors of %d", len(a.names), maxAnchors)
	}
}

// The Verifier reads only the first maxItems items in a menu or a sitemap, and reports that there
// are more items.
func TestItemsAreBounded(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	e := NewChecker(w.client, &w.o, nil)
	base := locus.MustParse("http://a.example/sitemap.xml")
	for n, want := range map[int]error{maxItems: nil, maxItems + 1: errItems, 1 << 30: errItems} {
		read := 0
		m := &scheme.Menu{Items: func(yield func(scheme.Item, error) bool) {
			for read < n {
				read++
				if !yield(scheme.Item{Title: "x"}, nil) {
					return
				}
			}
		}}
		a := new(attempt)
		e.readMenu(a, &access.Result{URL: base}, m)
		if read != min(n, maxItems+1) || !errors.Is(errors.Join(a.failures...), want) || want == nil && len(a.failures) > 0 {
			t.Errorf("menu of %d items: %d were read, %v", n, read, a.failures)
		}
		read = 0
		e.findInIndexFile(t.Context(), a, new(checkedURL), nil, m)
		if read != min(n, maxItems+1) {
			t.Errorf("menu of %d items: %d were read to find the index file", n, read)
		}
	}
	if testing.Short() || raceEnabled {
		return
	}
	for name, text := range map[string]string{
		"text": strings.Repeat("x:\n", maxItems+1),
		"XML":  "<urlset>" + strings.Repeat("<loc>x</loc>", maxItems+1) + "</urlset>",
	} {
		list, _, err := e.sitemapLinks([]byte(text), base)
		if len(list) != maxItems || !errors.Is(err, errItems) {
			t.Errorf("sitemap of %s: %d links, %v", name, len(list), err)
		}
	}
}

// Certificates stores the certificates of at most maxCertificates hosts.
func TestCertificatesAreBounded(t *testing.T) {
	var c Certificates
	end := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	list := []*x509.Certificate{{NotAfter: end}}
	for i := range maxCertificates + 10 {
		if err := c.Record(tls.ConnectionState{ServerName: fmt.Sprintf("h%d.example", i), PeerCertificates: list}); err != nil {
			t.Fatal(err)
		}
	}
	_, beyond := c.expiry(fmt.Sprintf("h%d.example", maxCertificates))
	if got, ok := c.expiry(fmt.Sprintf("h%d.example", maxCertificates-1)); len(c.end) != maxCertificates || !ok || got != end || beyond {
		t.Errorf("%d certificates: the last of the limit %v, the next %v", len(c.end), ok, beyond)
	}
}

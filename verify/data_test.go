package verify

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/locus-url/locus/policy"
)

// A data URL is alive if it can be decoded, which needs no network. Otherwise it gets a warning,
// because browsers accept more data URLs. A data URL that exceeds the maximum length of URLs is
// not reported.
func TestDataLinks(t *testing.T) {
	for _, offline := range []bool{false, true} {
		w := newFixture(t, policy.Rules{})
		w.o.Offline = offline
		text := `<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="><a href="data:,a%20note">a</a><a href="data:text/html,%3Cp%20id=x%3Ea#x">b</a><a href="data:text/html,%3Cp%3Ea#none">c</a>` +
			`<a href="data:;base64,QQ">d</a><a href="data:x">e</a><img src="data:image/png;base64,` + strings.Repeat("A", 1<<17) + `">`
		got := w.run(Source{Name: "a.html", Type: "text/html", Open: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }})
		want := []Verdict{Alive, Alive, Alive, Fragment, Warning, Warning}
		if len(got) != len(want) {
			t.Fatalf("%d links", len(got))
		}
		for i, r := range got {
			if r.Verdict != want[i] {
				t.Errorf("offline %v: link %d: %v (%s), want %v", offline, i, r.Verdict, r.Detail, want[i])
			}
		}
	}
}

package extract_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/extract"
)

// The package must find the URL in the result of locus.Wrap, at any position in a text and with
// any marks at the start of each line.
func TestWrapIsReadBack(t *testing.T) {
	part := rapid.StringMatching(`([a-zA-Z0-9;/?:@=&.~+,%-]|%[0-9A-Fa-f]{2}|----|[a-z]{20})*`)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom([]string{"http://h/", "ftp://u@h:2121/", "mailto:", "x-name:", "news:", "wais://h/d?"}).Draw(t, "start") + part.Draw(t, "rest")
		if rapid.Bool().Draw(t, "has a fragment") {
			text += "#" + part.Draw(t, "fragment")
		}
		u, err := locus.Parse(text)
		if err != nil {
			t.Skip(err)
		}
		wrapped, err := locus.Wrap(u, rapid.IntRange(0, 100).Draw(t, "width"))
		if err != nil {
			t.Fatal(err)
		}
		before := rapid.SampledFrom([]string{"", "See ", "wrapped          ", "Yes, Jim, I found it under "}).Draw(t, "before")
		mark := rapid.SampledFrom([]string{"", "> ", "> > ", "# ", "   "}).Draw(t, "mark")
		document := mark + strings.ReplaceAll(before+wrapped+" but you can", "\n", "\n"+mark)
		n := 0
		for m := range extract.All(document, nil) {
			if n++; n > 1 || m.URL != u || m.Form != extract.Wrapped || m.Alternative != (locus.URL{}) {
				t.Fatalf("%q is read as %q (%v), in %q", u, m.URL, m.Form, document)
			}
		}
		if n != 1 {
			t.Fatalf("%d URLs are found in %q", n, document)
		}
	})
}

package gemini

import (
	"io"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

func FuzzHeader(f *testing.F) {
	for _, seed := range []string{"20 text/plain", "51", "44 10", "6 x", "", "31 /"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		h, err := parseHeader(text)
		if err == nil && (h.status < 10 || h.status > 69 || (h.err() != nil) != (h.status >= 40)) {
			t.Errorf("%q: %+v, %v", text, h, h.err())
		}
	})
}

// Reading a menu must end, and the URL of each item must be valid.
func FuzzMenu(f *testing.F) {
	f.Add("# a\n=> b c\n=>\n```\n=> x\n=> //h:99999\n\r\n=> #\n")
	f.Fuzz(func(t *testing.T, text string) {
		items := 0
		for i, err := range menu(locus.MustParse("gemini://h/a/b?c"), io.NopCloser(strings.NewReader(text))).Items {
			if items++; items > strings.Count(text, "\n")+1 {
				t.Fatalf("%d items of %q", items, text)
			}
			if err == nil && !i.URL.IsZero() && i.Kind == scheme.KindInfo {
				t.Errorf("%+v", i)
			}
		}
	})
}

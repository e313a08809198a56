package mirror

import (
	"fmt"
	"strings"
	"testing"

	"github.com/locus-url/locus"
)

// A path has at most maxPath names, and maxRepeats times the same name in a row.
func TestEndlessPaths(t *testing.T) {
	names := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "/%d", i)
		}
		return b.String()
	}
	for ref, want := range map[string]bool{
		names(maxPath - 2): false, names(maxPath - 1): true, // "//h" has two slashes
		strings.Repeat("/a", maxRepeats): false, strings.Repeat("/a", maxRepeats+1): true,
		strings.Repeat("/a", maxRepeats) + "/": false, strings.Repeat("/a", maxRepeats+1) + "/": true,
		"/b" + strings.Repeat("/a", maxRepeats) + "/b" + strings.Repeat("/a", maxRepeats): false,
		"/b" + strings.Repeat("/a", maxRepeats+1) + "/b":                                  true,
		strings.Repeat("/a/b", maxRepeats+1):                                              false,
		"/?" + names(maxPath):                                                             false,
		"/" + strings.Repeat("/", maxRepeats-1):                                           false,
	} {
		if u := locus.MustParse("http://h" + ref); isEndless(u) != want {
			t.Errorf("%s: endless: %v", u, !want)
		}
	}
}

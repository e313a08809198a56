package wais

import (
	"testing"

	"github.com/locus-url/locus"
)

func TestTitleAndParents(t *testing.T) {
	for text, want := range map[string]struct {
		title, words string
		parents      int
	}{
		"wais://h/db":           {"db", "", 0},
		"wais://h/db?two+words": {"two+words in db", "two words", 2},
		"wais://h/db/TEXT/3=a;": {"db", "", 2},
		"wais://h/db/TEXT":      {"db", "", 2},
	} {
		u := locus.MustParse(text)
		got, _ := words(u)
		if title(u) != want.title || got != want.words || len(parents(u)) != want.parents || freshness(u).For == 0 {
			t.Errorf("%s: %q, %q, %v, %v", text, title(u), got, parents(u), freshness(u))
		}
	}
}

package news_test

import (
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme/news"
)

func FuzzParse(f *testing.F) {
	for _, text := range seeds {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		laws.Text(t, text)
		u, err := locus.Parse(text)
		if err != nil {
			return
		}
		n, err := news.Parse(u)
		if err != nil {
			return
		}
		if again, err := news.Parse(n.URL()); again != n || err != nil {
			t.Errorf("%q: read again: %v", text, err)
		}
		parts := news.Parts{All: n.All(), Newsgroup: n.Newsgroup(), MessageID: n.MessageID()}
		made, err := parts.URL()
		if err != nil {
			// Escapes may be longer than what they stand for.
			if u.Len() < locus.MaxLen/3 {
				t.Errorf("%q: %+v: %v", text, parts, err)
			}
			return
		}
		if made.All() != n.All() || made.Newsgroup() != n.Newsgroup() || made.MessageID() != n.MessageID() {
			t.Errorf("%q: %+v made %q", text, parts, made.URL())
		}
	})
}

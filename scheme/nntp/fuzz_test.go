package nntp_test

import (
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme/nntp"
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
		n, err := nntp.Parse(u)
		if err != nil {
			return
		}
		if again, err := nntp.Parse(n.URL()); again != n || err != nil {
			t.Errorf("%q: read again: %v", text, err)
		}
		parts := nntp.Parts{Host: "h", Newsgroup: n.Newsgroup()}
		number, ok := n.ArticleNumber()
		if ok {
			parts.ArticleNumber = &number
		}
		made, err := parts.URL()
		if err != nil {
			// Escapes may be longer than what they stand for.
			if u.Len() < locus.MaxLen/3 {
				t.Errorf("%q: %+v: %v", text, parts, err)
			}
			return
		}
		if m, has := made.ArticleNumber(); made.Newsgroup() != n.Newsgroup() || m != number || has != ok {
			t.Errorf("%q: %+v made %q", text, parts, made.URL())
		}
	})
}

package nntp_test

import (
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme/nntp"
)

func FuzzParse(f *testing.F) {
	laws.Fuzz(f, seeds, func(t *testing.T, u locus.URL) {
		n, _ := nntp.Parse(u)
		parts := nntp.Parts{Host: "h", Newsgroup: n.Newsgroup()}
		if number, ok := n.ArticleNumber(); ok {
			parts.ArticleNumber = &number
		}
		made, err := parts.URL()
		laws.Remade(t, u, made.URL(), err)
	})
}

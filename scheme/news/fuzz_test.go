package news_test

import (
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme/news"
)

// rebuild parses u, and builds a URL from the parts.
func rebuild(u locus.URL) (news.URL, error) {
	n, err := news.Parse(u)
	if err != nil {
		return n, err
	}
	parts := news.Parts{Scheme: u.Scheme(), All: n.All(), Newsgroup: n.Newsgroup(), MessageID: n.MessageID()}
	if strings.HasPrefix(u.Scheme(), "nntp") {
		parts.Host = "h"
	}
	if number, ok := n.ArticleNumber(); ok {
		parts.ArticleNumber = &number
	}
	return parts.URL()
}

func FuzzParse(f *testing.F) {
	invariants.Fuzz(f, seeds, func(t *testing.T, u locus.URL) {
		made, err := rebuild(u)
		invariants.Remade(t, u, made.URL(), err)
	})
}

func FuzzParseNNTP(f *testing.F) {
	nntpInvariants.Fuzz(f, nntpSeeds, func(t *testing.T, u locus.URL) {
		made, err := rebuild(u)
		nntpInvariants.Remade(t, u, made.URL(), err)
	})
}

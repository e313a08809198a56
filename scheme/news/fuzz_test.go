package news_test

import (
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme/news"
)

func FuzzParse(f *testing.F) {
	laws.Fuzz(f, seeds, func(t *testing.T, u locus.URL) {
		n, _ := news.Parse(u)
		made, err := news.Parts{All: n.All(), Newsgroup: n.Newsgroup(), MessageID: n.MessageID()}.URL()
		laws.Remade(t, u, made.URL(), err)
	})
}

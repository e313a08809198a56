package news_test

import (
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme/news"
	"github.com/locus-url/locus/scheme/schemetest"
)

// FuzzKept: any octets give a resource or an error, and are closed.
func FuzzKept(f *testing.F) {
	f.Add("211 2 1 2 g\r\n215 order of fields\r\nSubject:\r\nFrom:\r\nDate:\r\nMessage-ID:\r\nReferences:\r\n:bytes\r\n:lines\r\n.\r\n224 list\r\n1\tOne\ta@b\tFri, 20 Nov 2026 10:00:00 +0000\t<a@x>\t\t10\t1\r\n.\r\n")
	f.Add("211 2 1 2 g\r\n503 no\r\n500 no\r\n500 no\r\n225 list\r\n1 <a@x>\r\n.\r\n500 no\r\n500 no\r\n500 no\r\n500 no\r\n")
	f.Add("211 1 1 1 g\r\n503 no\r\n500 no\r\n500 no\r\n500 no\r\n500 no\r\n211 1 1 1 g\r\n1\r\n.\r\n221 1 <a@x>\r\nSubject: a\r\n.\r\n")
	f.Add("215 descriptions\r\ng\ta group\r\n.\r\n215 list\r\ng 2 1 y\r\n.\r\n")
	f.Add("Subject: an article\r\n\r\nText\r\n")
	rows := news.Schemes(nil)
	f.Fuzz(func(t *testing.T, octets string) {
		for _, s := range rows {
			for _, rest := range map[string][]string{"news": {":g", ":*", ":a@x"}, "nntp": {"://h/g", "://h/g/1"}}[s.Name] {
				schemetest.ReadKept(t, s, locus.MustParse(s.Name+rest), "", []byte(octets))
			}
		}
	})
}

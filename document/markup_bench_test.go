package document_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/locus-url/locus/document"
)

func benchmarkMarkup(b *testing.B, find finder, text string) {
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n = 0
		for range find(text, nil) {
			n++
		}
	}
	b.ReportMetric(float64(n), "matches")
}

// prose returns n bytes of text that looks like English documentation. One in gap words is a URL,
// and one in 30 words contains a ":".
func prose(n, gap int) string {
	words := strings.Fields(`the of and to in a is that for it as was with be by on not he his but at are this have from or
		had an they which one you were all her she there would their we him been has when who will no more if out so
		said what up its about than into them can only other time new some could these two may first then do any
		section "quoted," (parenthesis) std::vector 12:34 http scheme, well-known; however Note:`)
	hosts := strings.Fields("www.example.org info.cern.ch ftp.uu.net gopher.micro.umn.edu www.acl.lanl.gov ds.internic.net en.wikipedia.org github.com localhost:8080 10.0.0.1")
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for word := 0; b.Len() < n; word++ {
		if r.IntN(gap) == 0 {
			b.WriteString("http://" + hosts[r.IntN(len(hosts))])
			for range 1 + r.IntN(4) {
				b.WriteString("/" + words[r.IntN(50)])
			}
		} else {
			b.WriteString(words[r.IntN(len(words))])
		}
		if word%12 == 11 {
			b.WriteByte('\n')
		} else {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

func BenchmarkHTML(b *testing.B) {
	const page = `<tr class="odd"><td id="x1" class=name><a href="/dir/page.html" title="A page">A page</a></td><td>&nbsp;Some words &amp; more</td></tr>` + "\n"
	b.Run("few", func(b *testing.B) {
		benchmarkMarkup(b, document.HTML, "<p>"+strings.ReplaceAll(prose(1<<20, 2000), "\n\n", "\n<p class=text>"))
	})
	b.Run("dense", func(b *testing.B) { benchmarkMarkup(b, document.HTML, strings.Repeat(page, 1<<13)) })
}

func BenchmarkMarkdown(b *testing.B) {
	const item = "- [a page](dir/page.md \"A page\"), `code` and *some* words: <http://host.dom/dir/page.html>.\n"
	b.Run("few", func(b *testing.B) { benchmarkMarkup(b, document.Markdown, prose(1<<20, 2000)) })
	b.Run("dense", func(b *testing.B) { benchmarkMarkup(b, document.Markdown, strings.Repeat(item, 1<<13)) })
}

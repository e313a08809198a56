package extract_test

import (
	"strings"
	"testing"

	"github.com/locus-url/locus/extract"
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

func BenchmarkHTML(b *testing.B) {
	const page = `<tr class="odd"><td id="x1" class=name><a href="/dir/page.html" title="A page">A page</a></td><td>&nbsp;Some words &amp; more</td></tr>` + "\n"
	b.Run("few", func(b *testing.B) {
		benchmarkMarkup(b, extract.HTML, "<p>"+strings.ReplaceAll(prose(1<<20, 2000), "\n\n", "\n<p class=text>"))
	})
	b.Run("dense", func(b *testing.B) { benchmarkMarkup(b, extract.HTML, strings.Repeat(page, 1<<13)) })
}

func BenchmarkMarkdown(b *testing.B) {
	const item = "- [a page](dir/page.md \"A page\"), `code` and *some* words: <http://host.dom/dir/page.html>.\n"
	b.Run("few", func(b *testing.B) { benchmarkMarkup(b, extract.Markdown, prose(1<<20, 2000)) })
	b.Run("dense", func(b *testing.B) { benchmarkMarkup(b, extract.Markdown, strings.Repeat(item, 1<<13)) })
}

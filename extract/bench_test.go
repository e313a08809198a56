package extract_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/locus-url/locus/extract"
)

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

func BenchmarkFew(b *testing.B)   { benchmark(b, prose(4<<20, 2000)) }
func BenchmarkDense(b *testing.B) { benchmark(b, prose(4<<20, 2)) }

// BenchmarkHostile searches texts in which a naive search would read the same text many times.
func BenchmarkHostile(b *testing.B) {
	for _, piece := range []string{"<URL:http://h/ ", "http://@@", "http://a,", "mailto:", "urn:ab:", "<", "http://h/(", "http://h/.", ":"} {
		b.Run(piece, func(b *testing.B) { benchmark(b, strings.Repeat(piece, (1<<20)/len(piece))) })
	}
}

func benchmark(b *testing.B, text string) {
	b.Run("all", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			for range extract.All(text, nil) {
			}
		}
	})
	b.Run("stream", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			for _, err := range extract.Stream(strings.NewReader(text), nil) {
				if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

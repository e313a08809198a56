package locus

import "testing"

func BenchmarkParse(b *testing.B) {
	for _, s := range []string{"http://www.library.my.town.va.us/Catalogue/76523471236%2Fwen44--4.98", "ftp://user:pass@ftp.example.org:2121/pub/doc/file.txt;type=i", "gopher://h/7sel%09word"} {
		b.Run(s, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Parse(s)
			}
		})
	}
}

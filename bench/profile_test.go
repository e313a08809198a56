package bench

import (
	"testing"

	whatwg "github.com/nlnwa/whatwg-url/url"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/bench/lists"
	"github.com/locus-url/locus/profile/rfc3986"
	ours "github.com/locus-url/locus/profile/whatwg"
	"github.com/locus-url/locus/scheme/all"
)

// Checking a URL by RFC 3986 does not allocate memory, even if the URL does not conform.
func TestProfileAllocs(t *testing.T) {
	list := append(lists.Ten(1738, 2000), lists.Web(1738, 2000)...)
	for i := range list[:200] {
		list = append(list, list[i]+"\\[%zz")
	}
	if n := testing.AllocsPerRun(3, func() {
		for _, text := range list {
			rfc3986.Parse(text).Conforms()
		}
	}); n != 0 {
		t.Errorf("%d URLs: %v allocations", len(list), n)
	}
}

// BenchmarkProfiles compares the speed of checking URLs by each standard. It also compares the URL
// Standard parser and serializer with another library.
func BenchmarkProfiles(b *testing.B) {
	r := Must(all.Registry())
	for _, list := range lists.All() {
		for _, reader := range []struct {
			name string
			read func(text string)
		}{
			{"rfc1738", func(text string) {
				if u, err := locus.Parse(text); err == nil {
					locus.Conforms(r.Check(u, locus.RFC1738))
				}
			}},
			{"rfc3986", func(text string) { rfc3986.Parse(text).Conforms() }},
			{"rfc1738-parse", func(text string) { locus.Parse(text) }},
			{"rfc3986-parse", func(text string) { rfc3986.Parse(text) }},
			{"whatwg", func(text string) {
				if u, err := ours.Parse(text, nil); err == nil {
					u.Href()
				}
			}},
			{"nlnwa", func(text string) {
				if u, err := whatwg.Parse(text); err == nil {
					u.Href(false)
				}
			}},
		} {
			b.Run(list.Name+"/"+reader.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					for _, text := range list.URLs {
						reader.read(text)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(list.URLs)), "ns/URL")
			})
		}
	}
}

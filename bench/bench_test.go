package bench

import (
	"bytes"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/bench/lists"
	"github.com/locus-url/locus/scheme/all"
)

func run(b *testing.B, peers []Peer) {
	for _, list := range lists.All() {
		for _, p := range peers {
			b.Run(list.Name+"/"+strings.ReplaceAll(p.Name, " ", "-"), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					p.Run(list.URLs)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(list.URLs)), "ns/URL")
			})
		}
	}
}

func BenchmarkRead(b *testing.B) {
	run(b, Readers(Must(all.Registry())))
}

func BenchmarkWrite(b *testing.B) {
	run(b, Writers(Must(all.Registry())))
}

func BenchmarkCanonicalLines(b *testing.B) {
	r := Must(all.Registry())
	for _, list := range lists.All() {
		b.Run(list.Name, func(b *testing.B) {
			text := []byte(strings.Join(list.URLs, "\n") + "\n")
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := Canonical(r, bytes.NewReader(text), io.Discard); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*len(list.URLs))/b.Elapsed().Seconds(), "URLs/s")
		})
	}
}

// Every generated URL conforms. Otherwise, the benchmarks would measure the creation of
// violations.
func TestGenerated(t *testing.T) {
	r := Must(all.Registry())
	for name, list := range map[string][]string{"ten": lists.Ten(1738, 5000), "web": lists.Web(1738, 5000)} {
		for _, s := range list {
			u, err := locus.Parse(s)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if found := r.Check(u, locus.RFC1738); found != nil {
				t.Errorf("%s: %q: %v", name, s, found)
			}
			if _, _, err := r.Canonical(u); err != nil {
				t.Errorf("%s: %q: %v", name, s, err)
			}
		}
	}
	if a, b := lists.Ten(1, 100), lists.Ten(1, 100); strings.Join(a, " ") != strings.Join(b, " ") {
		t.Error("the same seed gives another list")
	}
}

// Parsing and checking a URL that conforms does not allocate.
func TestVerdictAllocs(t *testing.T) {
	r := Must(all.Registry())
	list := append(lists.Ten(1738, 2000), lists.Web(1738, 2000)...)
	if n := testing.AllocsPerRun(3, func() {
		if Verdicts(r, list) != len(list) {
			t.Fatal("not all conform")
		}
	}); n != 0 {
		t.Errorf("%d URLs: %v allocations", len(list), n)
	}
}

func TestCanonical(t *testing.T) {
	r := Must(all.Registry())
	var out strings.Builder
	n, err := Canonical(r, strings.NewReader("HTTP://H:80\nno URL\nhttp://h/%7e\n"), &out)
	if want := "http://h/\nno URL\nhttp://h/%7E\n"; n != 3 || err != nil || out.String() != want {
		t.Errorf("%d, %v: %q, want %q", n, err, out.String(), want)
	}
}

// BenchmarkSchemes measures Check and Canonical separately for each scheme in the list "ten".
// The URLs are already parsed. Canonical is also measured with canonical URLs.
func BenchmarkSchemes(b *testing.B) {
	r := Must(all.Registry())
	urls, same := map[string][]locus.URL{}, map[string][]locus.URL{}
	for _, text := range lists.Ten(1738, 20_000) {
		u := locus.MustParse(text)
		urls[u.Scheme()] = append(urls[u.Scheme()], u)
		if c, _, err := r.Canonical(u); err == nil && c == u {
			same[u.Scheme()] = append(same[u.Scheme()], u)
		}
	}
	measure := func(name string, list []locus.URL, f func(locus.URL)) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, u := range list {
					f(u)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(list)), "ns/URL")
		})
	}
	check := func(u locus.URL) { r.Check(u, locus.RFC1738) }
	canonical := func(u locus.URL) { r.Canonical(u) }
	for _, name := range slices.Sorted(maps.Keys(urls)) {
		measure(name+"/check", urls[name], check)
		measure(name+"/canonical", urls[name], canonical)
		measure(name+"/same", same[name], canonical)
	}
}

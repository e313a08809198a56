package extract

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// If a text is divided at any valid offset, the parts must contain the same URLs as the whole
// text.
func TestSplitPointAnywhere(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 39))
	rounds := 3_000
	if testing.Short() {
		rounds = 500
	}
	divided := 0
	for range rounds {
		text := compose(r, 1+r.IntN(20))
		divided += sameDivided(t, text)
	}
	if divided < rounds/2 {
		t.Errorf("%d texts were divided %d times: too few to tell", rounds, divided)
	}
}

func FuzzSplitPoint(f *testing.F) {
	r := rand.New(rand.NewPCG(17, 39))
	for range 50 {
		f.Add(compose(r, 12))
	}
	f.Add("> <URL:http://h/a\n> b\n> c> d")
	f.Add("<URL:http://h/a\nb\n\nc.\nd>")
	f.Add("<URL:http://h/a\n\n[Page 1]\n\fa.\n\nb.\nd>")
	f.Add("a.\n\n<URL:http://h/b.\nc>")
	f.Add("<URL:\n<http://h\n<a\nhttp://i\n")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) < 4<<10 {
			sameDivided(t, text)
		}
	})
}

// sameDivided divides text at every possible offset, and returns the number of divisions.
func sameDivided(t *testing.T, text string) (divided int) {
	t.Helper()
	for _, o := range []*Options{nil, {Schemeless: true}} {
		whole := slices.Collect(All(text, o))
		done := map[int]bool{0: true}
		for i := range len(text) + 1 {
			at := SplitPoint(text[:i])
			if done[at] {
				continue
			}
			done[at] = true
			divided++
			parts := slices.Collect(All(text[:at], o))
			for m := range All(text[at:], o) {
				m.Start += int64(at)
				m.End += int64(at)
				parts = append(parts, m)
			}
			if !slices.Equal(whole, parts) {
				t.Fatalf("%q divided at %d:\nwhole: %v\nparts: %v", text, at, whole, parts)
			}
		}
	}
	return divided
}

func TestSplitPoint(t *testing.T) {
	long := strings.Repeat("x ", maxWrapper)
	for _, row := range []struct {
		text string
		want int
	}{
		{"", 0},
		{"http://h/a", 0},
		{"a\nhttp://h/a", 2},
		{"a\nb\n", 4},
		{"a\n<URL:http://h/a\nb", 2},
		{"a\n<URL:http://h/a\nb> and what follows it\nc", 41},
		{"a\n<URL:http://h/a\n\nb c d e f g h i j k l m\n", 43},
		{"a\n<\nb", 2},
		{"a\n<b c\nd", 7},
		{"a < b\n", 6},
		{"> a\n> <URL:http://h/a\n> b\n", 4},
		{"> a\n> <URL:http://h/a\n> b> and what follows it\n", 47},
		{"<\n<\n<\n", 0},
		{"<URL:http://h/a b.\n\nc.\nd", 23},
		{"<URL:http://h/a b.\n\nc 1\nd", 0},
		{"a.\n\n<URL:http://h/b.\nd", 4},
		{"<URL:" + long + "\n", len("<URL:") + len(long) + 1},
	} {
		if got := SplitPoint(row.text); got != row.want {
			t.Errorf("%.40q: %d, want %d", row.text, got, row.want)
		}
	}
}

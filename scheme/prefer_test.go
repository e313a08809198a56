package scheme_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// TestPreferenceRFC9110 checks the examples of RFC 9110 sections 12.5.1 and 12.5.4,
// and of RFC 4647 section 3.3.1.
func TestPreferenceRFC9110(t *testing.T) {
	checkQualities(t, "audio/*; q=0.2, audio/basic", map[string]float64{"audio/basic": 1, "audio/mpeg": 0.2, "text/plain": 0})
	checkQualities(t, "text/plain; q=0.5, text/html, text/x-dvi; q=0.8, text/x-c", map[string]float64{
		"text/html": 1, "text/x-c": 1, "text/x-dvi": 0.8, "text/plain": 0.5, "image/gif": 0,
	})
	// Parameters are ignored, so both ranges match text/plain equally well, and the greater
	// weight applies.
	checkQualities(t, "text/*, text/plain, text/plain;format=flowed, */*", map[string]float64{"text/plain": 1, "text/html": 1, "image/jpeg": 1})
	checkQualities(t, "text/*;q=0.3, text/plain;q=0.7, text/plain;format=flowed, text/plain;format=fixed;q=0.4, */*;q=0.5", map[string]float64{
		"text/plain;format=flowed": 1, "text/plain": 1, "text/html": 0.3, "image/jpeg": 0.5,
	})
	checkQualities(t, "da, en-gb;q=0.8, en;q=0.7", map[string]float64{"da": 1, "en-GB": 0.8, "en": 0.7, "en-US": 0.7, "de": 0, "dan": 0, "": 0})
	checkQualities(t, "de-de", map[string]float64{"de-DE-1996": 1, "de-Deva": 0, "de-Latn-DE": 0, "de": 0})
}

func TestPreference(t *testing.T) {
	for _, text := range []string{"", " ", ",", " , \t,,"} {
		checkQualities(t, text, map[string]float64{"text/plain": 1, "de": 1, "": 1})
	}
	checkQualities(t, "*", map[string]float64{"text/plain": 1, "de": 1, "": 1})
	checkQualities(t, "*/*;q=0", map[string]float64{"text/plain": 0, "": 0})
	checkQualities(t, ",TEXT/Plain ; Q=0.25 ,, */* \t;\t q=1.000,", map[string]float64{"text/PLAIN": 0.25, "a/b": 1, "text/plain ; charset=x": 0.25})
	checkQualities(t, `text/html;a="q=0,\" ;";level=1;q=0.001, *;q=0.`, map[string]float64{"text/html": 0.001, "b/c": 0})
	checkQualities(t, "text/html;;q=0.5;", map[string]float64{"text/html": 0.5})
	checkQualities(t, "a/b;q=0.1, a/b;q=0.3, a/b;q=0.2", map[string]float64{"a/b": 0.3})
	// Gopher+ servers spell languages with "_".
	checkQualities(t, "en_us, es-ES;q=0.5, de;q=0.2, *;q=0.1", map[string]float64{"En_US": 1, "En-us": 1, "Es_ES": 0.5, "De_DE": 0.2, "de": 0.2, "En_GB": 0.1, "": 0.1})
	checkQualities(t, "application/gopher+-menu, Directory/*;q=0", map[string]float64{"Application/Gopher+-Menu": 1, "application/gopher-menu": 0, "Directory/recursive": 0})
	// The most specific range must decide, even if its weight is lower.
	checkQualities(t, "en, en-gb;q=0.1, en-gb-oed;q=0", map[string]float64{"en": 1, "En_GB": 0.1, "en-GB-oed": 0, "en-US": 1})
	// The characters "_" and "-" must be equivalent only in a language.
	checkQualities(t, "a/b-c", map[string]float64{"a/b_c": 0})
	checkQualities(t, "text", map[string]float64{"text/plain": 0, "text": 1})
	checkQualities(t, "text/*", map[string]float64{"text": 0, "textual/x": 0, "text/": 1})
}

func checkQualities(t *testing.T, text string, want map[string]float64) {
	t.Helper()
	p, err := scheme.ParsePreference(text)
	if err != nil {
		t.Errorf("%q: %v", text, err)
		return
	}
	for value, q := range want {
		if got := p.Quality(value); math.Abs(got-q) > 1e-9 {
			t.Errorf("%q: %q has %v, want %v", text, value, got, q)
		}
	}
}

func TestPreferenceRefuses(t *testing.T) {
	for _, test := range []struct{ before, at, part string }{
		{"text/html;q=", "2", "qvalue"},
		{"text/html;q=", "1.001", "qvalue"},
		{"text/html;q=", "0.1234", "qvalue"},
		{"text/html;q=", "-0.5", "qvalue"},
		{"text/html;q=", ".5", "qvalue"},
		{"text/html;q=", "0.5e", "qvalue"},
		{"text/html;q=", "0.+5", "qvalue"},
		{"text/html;q=", "", "qvalue"},
		{"text/html;q=", `"0.5"`, "qvalue"},
		{"text/html;q", " =0.5", "qvalue"},
		{"text/html;q", "", "qvalue"},
		{"text/html;q=1;", "q=0", "weight"},
		{"text/html;level", "", "parameter"},
		{"text/html;level=", ";q=1", "parameter"},
		{"text/html;level=", `"1`, "parameter"},
		{"text/html;level=", `"1\"`, "parameter"},
		{"text/html ", "text/plain", "list"},
		{"en ", "de", "list"},
		{"en", "=1", "list"},
		{"a/b", "/c", "list"},
		{"text/", "", "subtype"},
		{"text/", ";q=1", "subtype"},
		{"en, ", ";q=1", "range"},
		{"", "/html", "range"},
		{"", "\x00", "range"},
		{"en,", "\xe9", "range"},
		{"a, ", "*/html", "range"},
		{"a, ", "te*t/*", "range"},
		{"", "en-*", "range"},
		{"", "**", "range"},
		{"", "*/**", "range"},
		{"en", "\r\nX: y", "list"},
	} {
		text := test.before + test.at
		p, err := scheme.ParsePreference(text)
		var wrong *locus.SyntaxError
		if !errors.As(err, &wrong) || wrong.Offset != len(test.before) || wrong.Part != test.part || !errors.Is(err, locus.ErrValue) {
			t.Errorf("%q: %v; want %s at %d", text, err, test.part, len(test.before))
		}
		if p != (scheme.Preference{}) {
			t.Errorf("%q: not the zero Preference with an error", text)
		}
	}
}

func TestPreferenceAllocates(t *testing.T) {
	const text = "text/html, text/*;q=0.5, en-GB;q=0.1, *;q=0.01"
	if n := testing.AllocsPerRun(100, func() {
		p, _ := scheme.ParsePreference(text)
		p.Quality("Text/plain; charset=x")
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzParsePreference(f *testing.F) {
	for _, seed := range []string{
		"", "*", "text/html, text/*;q=0.5, */*;q=0.1", "da, en-gb;q=0.8, en;q=0.7", `a/b;c="d\"e";q=1.000`, "a;q=0.;;,,", "en_US;q=2",
	} {
		f.Add(seed, "text/html")
		f.Add(seed, "En_US")
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		p, err := scheme.ParsePreference(text)
		if wrong, ok := errors.AsType[*locus.SyntaxError](err); err != nil && (!ok || wrong.Offset < 0 || wrong.Offset > len(text)) {
			t.Fatalf("%q: %v", text, err)
		}
		if err != nil {
			return
		}
		q := p.Quality(value)
		if q < 0 || q > 1 {
			t.Errorf("%q: %q has %v", text, value, q)
		}
		again, err := scheme.ParsePreference(p.String())
		if err != nil || again != p {
			t.Errorf("%q: read again %q, %v", text, again, err)
		}
		if upper := p.Quality(strings.Map(swapCase, value)); upper != q {
			t.Errorf("%q: %q has %v, in the other case %v", text, value, q, upper)
		}
		// An additional element of weight 0 must never make anything acceptable.
		if less, err := scheme.ParsePreference(text + ", x-none;q=0"); err == nil && p.String() != "" && less.Quality(value) > q {
			t.Errorf("%q: %q is wanted more for what is not wanted", text, value)
		}
	})
}

// swapCase swaps the case of ASCII letters.
func swapCase(r rune) rune {
	if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
		return r ^ 0x20
	}
	return r
}

func ExampleParsePreference() {
	p, err := scheme.ParsePreference("es, en;q=0.5, *;q=0.1")
	fmt.Println(p.Quality("es"), p.Quality("En_US"), p.Quality("de"), err)
	_, err = scheme.ParsePreference("es, en;q=5")
	fmt.Println(err)
	// Output:
	// 1 0.5 0.1 <nil>
	// locus: "es, en;q=5": offset 9: write a weight as q= and a number from 0 to 1 with at most 3 decimals, such as q=0.5
}

package http

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/internal/bnf/bnftest"
	"github.com/locus-url/locus/scheme"
)

// These regular expressions express the productions of RFC 1738 section 5:
//
//	httpurl  = "http://" hostport [ "/" hpath [ "?" search ]]
//	hpath    = hsegment *[ "/" hsegment ]
//	hsegment = *[ uchar | ";" | ":" | "@" | "&" | "=" ]
//	search   = *[ uchar | ";" | ":" | "@" | "&" | "=" ]
const (
	hsegment = "(?:" + bnftest.Uchar + "|[;:@&=])*"
	hpath    = hsegment + "(?:/" + hsegment + ")*"
	search   = "(?:" + bnftest.Uchar + "|[;:@&=])*"
	httpurl  = "http://" + httppart
	httppart = bnftest.HostPort + "(?:/" + hpath + `(?:\?` + search + ")?)?"
)

var seeds = []string{
	"http://www.my.work.com/",
	"http://info.my.org/AboutUs/Index/Phonebook?dobbins",
	"http://www.library.my.town.va.us/Catalogue/76523471236%2Fwen44--4.98",
	"http://info.cern.ch:8000/imaginary/test",
	"http://www.myu.edu/org/admin/people#andy",
	"http://10.0.0.1/a/b;c=d/./../%2e%2E/x?q=a+b&c=%2B",
	"http://h", "http://h/?", "http://u:p@h/", "http://h?q",
}

var (
	invariants       = invariantsOf(Scheme(nil), httpurl)
	secureInvariants = invariantsOf(SecureScheme(nil), "https://"+httppart)
)

func invariantsOf(s scheme.Scheme, production string) bnftest.Invariants {
	return bnftest.Invariants{
		Scheme:    s,
		Reference: bnftest.Production(production),
		Same:      sameFields,
		Parse:     bnftest.Parser(Parse),
		Clean:     conforms,
		Thorough:  findings,
	}
}

// sameFields compares the fields of a URL with the fields of its canonical form. They may
// differ in an empty path and in dot segments, which another test checks.
func sameFields(a, b []scheme.Field) bool {
	if !reflect.DeepEqual(a[1:], b[1:]) {
		return false
	}
	path, ok := a[0].Value.(string)
	want := removeDots(path)
	// After decoding, dots next to a "%2F" look like a dot segment.
	return ok && hasDots(path) || hasDots(want) || b[0].Value == want
}

// httpsSeeds returns the seeds as https URLs.
func httpsSeeds() (list []string) {
	for _, text := range seeds {
		list = append(list, strings.Replace(text, "http:", "https:", 1))
	}
	return list
}

func TestAgainstProduction(t *testing.T) {
	invariants.Random(t, 25_000, seeds)
	secureInvariants.Random(t, 5_000, httpsSeeds())
}

// removeDotsByRFC is a reference implementation of RFC 3986 section 5.2.4, which follows the
// text step by step. It treats escaped dots like dots.
func removeDotsByRFC(path string) string {
	in, out := "/"+path, []string{}
	next := func() string {
		i := 1
		for i < len(in) && in[i] != '/' {
			i++
		}
		segment := in[:i]
		in = in[i:]
		return segment
	}
	for in != "" {
		switch segment := next(); dotCount(segment[1:]) {
		case 1:
			if in == "" {
				in = "/"
				out = append(out, next())
			}
		case 2:
			if len(out) > 0 {
				out = out[:len(out)-1]
			}
			if in == "" {
				in = "/"
				out = append(out, next())
			}
		default:
			out = append(out, segment)
		}
	}
	return join(out)
}

func join(list []string) (text string) {
	for _, s := range list {
		text += s
	}
	return text[1:]
}

// TestRemoveDotsAgainstTheStandard checks every path that consists of up to six pieces.
func TestRemoveDotsAgainstTheStandard(t *testing.T) {
	pieces := []string{"/", "a", ".", "..", "%2e", "%2E."}
	paths := []string{""}
	for range 6 {
		for _, p := range slices.Clone(paths) {
			for _, piece := range pieces {
				paths = append(paths, p+piece)
			}
		}
		slices.Sort(paths)
		paths = slices.Compact(paths)
		if len(paths) > 60_000 {
			break
		}
	}
	for _, p := range paths {
		if got, want := removeDots(p), removeDotsByRFC(p); got != want {
			t.Fatalf("%q: %q, want %q", p, got, want)
		}
		if got := removeDots(p); hasDots(got) {
			t.Fatalf("%q: %q still has dots", p, got)
		}
		if !hasDots(p) && removeDots(p) != p {
			t.Fatalf("%q: has no dots and becomes %q", p, removeDots(p))
		}
	}
}

func removeDots(path string) string { return string(appendWithoutDots(nil, path)) }

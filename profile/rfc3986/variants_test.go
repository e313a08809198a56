package rfc3986

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// checkVariants compares Parse, which may use code for the processor, with read.
func checkVariants(t *testing.T, text string) {
	t.Helper()
	colon, host, port, path, query, fragment, facts := readAny(text)
	if got, want := Parse(text), (URI{text, colon, host, port, path, query, fragment, facts}); got != want {
		t.Fatalf("Parse(%q) = %#v; octet by octet %#v", text, struct{ URI }{got}, struct{ URI }{want})
	}
}

var variantSeeds = []string{
	"http://www.example.com/a/b?c=d#e", "https://a.example:8080/%7e/?%1f%00;x", "file:///etc/fstab", "mailto:a%25b@c.example?d", "urn:x", "x:", "1x://h/", "http://1.2.3.4/", "http://a-.3b/", "http://-a/", "http://a.#x?y", "http://h:65535", "http://h?a?b", "http://h/#a#b~", "http://h/~", "http://h/#%",
	"http://www.example.com/" + strings.Repeat("a%41/", 40) + "?" + strings.Repeat("b;=&?", 30) + "#" + strings.Repeat("c%7F?", 30),
}

func TestVariants(t *testing.T) {
	r := rand.New(rand.NewPCG(3986, 19))
	pieces := append([]string{"a", "1", ".", "-", ":", "/", "//", "?", "#", ";", "@", "~", "%", "%41", "A", "[", " ", "\xc3\xa9", "+"}, variantSeeds...)
	for _, s := range variantSeeds {
		for n := range len(s) + 1 {
			checkVariants(t, s[:n])
		}
	}
	for range 100_000 {
		s := variantSeeds[r.IntN(len(variantSeeds))]
		at := r.IntN(len(s) + 1)
		checkVariants(t, s[:at]+pieces[r.IntN(len(pieces))]+s[min(len(s), at+r.IntN(4)):])
	}
}

func FuzzVariants(f *testing.F) {
	for _, s := range variantSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) { checkVariants(t, text) })
}

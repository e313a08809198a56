package locus

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/locus-url/locus/internal/octet"
)

// checkVariants compares Parse, which may use code for the processor, with parse.
func checkVariants(t *testing.T, text string) {
	t.Helper()
	got, err := Parse(text)
	want, wantErr := parse(text)
	if got != want {
		t.Fatalf("Parse(%q) = %x %x, %016b; octet by octet %x %x, %016b", text, got.login, got.more, got.Facts(), want.login, want.more, want.Facts())
	}
	if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
		t.Fatalf("Parse(%q): %v; octet by octet %v", text, err, wantErr)
	}
}

// variantSeeds are texts with all elements that the fast path reads, in the first and in later
// windows of 64 octets.
var variantSeeds = []string{
	"http://www.example.com/a/b?c=d#e", "https://a.example:8080/%7e/%1f%00;x", "file:///etc/fstab", "mailto:a%25b@c.example", "news:comp.lang.c", "x:", "http://1.2.3.4/", "http://256.1.1.1:1", "http://a-b.c-d/", "http://-a/", "http://a-/", "http://3com.com#x", "http://0.1/", "http://h:65535", "http://h:65536/", "http://h/#a#b~",
	"http://www.example.com/" + strings.Repeat("a%41/", 40) + "?" + strings.Repeat("b;=&", 30) + "#" + strings.Repeat("c%7F?", 30), "wais://h.example/db/" + strings.Repeat("a", 120) + "%7f~",
}

// The texts consist of pieces, and each is tried at every offset in a word and a page.
func TestVariants(t *testing.T) {
	r := rand.New(rand.NewPCG(1738, 19))
	pieces := append([]string{"a", "b0", ".", "-", ":", "/", "//", "://", "?", "#", ";", "@", "&=", "~", "%", "%41", "%0A", "%7F", "%7e", "A", "80", "http", "ftp", " ", "\xc3\xa9", "+", "|", "\x00"}, variantSeeds...)
	for _, s := range variantSeeds {
		for n := range len(s) + 1 {
			checkVariants(t, s[:n])
			checkVariants(t, s[:n]+s[len(s)-n:])
		}
	}
	for range 200_000 {
		s := variantSeeds[r.IntN(len(variantSeeds))]
		at := r.IntN(len(s) + 1)
		text := s[:at]
		for range r.IntN(4) {
			text += pieces[r.IntN(len(pieces))]
		}
		checkVariants(t, text+s[min(len(s), at+r.IntN(4)):])
	}
	room := make([]byte, 2*4096+512)
	for i := range 4096 {
		s := variantSeeds[i%len(variantSeeds)]
		copy(room[i:], s)
		checkVariants(t, octet.View(room[i:i+r.IntN(len(s)+1)]))
	}
}

func FuzzVariants(f *testing.F) {
	for _, s := range variantSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) { checkVariants(t, text) })
}

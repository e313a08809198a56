package addrspec_test

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/addrspec"
)

// These regular expressions describe the RFC 822 grammar. They are slow but readable, and the
// tests compare Faults with them. They match one character per octet, and no control character
// except the tab.
const (
	atom       = `[!#$%&'*+\-/0-9=?A-Z^_` + "`" + `a-z{|}~]+`
	quotedPair = `\\[\t -~]`
	quoted     = `"(?:[\t !#-\[\]-~]|` + quotedPair + `)*"`
	literal    = `\[(?:[\t -Z^-~]|` + quotedPair + `)*\]`
	word       = `(?:` + atom + `|` + quoted + `)`
	subDomain  = `(?:` + atom + `|` + literal + `)`
)

var (
	localPart = regexp.MustCompile(`^` + word + `(?:\.` + word + `)*$`)
	domain    = regexp.MustCompile(`^` + subDomain + `(?:\.` + subDomain + `)*$`)
)

func isAddrSpec(text string) bool {
	octets, err := escape.Decode(text)
	if err != nil {
		return false
	}
	runes := make([]rune, len(octets))
	for i := range len(octets) {
		runes[i] = rune(octets[i])
	}
	latin1 := string(runes)
	for at := range len(latin1) {
		if latin1[at] == '@' && localPart.MatchString(latin1[:at]) && domain.MatchString(latin1[at+1:]) {
			return true
		}
	}
	return false
}

// checkFaults compares the results of Faults with the regular expressions. It reports whether text
// is a valid addr-spec.
func checkFaults(t *testing.T, text string) bool {
	t.Helper()
	want := isAddrSpec(text)
	faults := addrspec.Faults(text)
	if (faults == nil) != want {
		t.Errorf("%q: the grammar says %v, Faults %+v", text, want, faults)
	}
	for i, f := range faults {
		if f.Start < 0 || f.End < f.Start || f.End > len(text) || f.Help == "" {
			t.Errorf("%q: %+v", text, f)
		}
		if i > 0 && f.Start < faults[i-1].Start && f.Start != 0 && !strings.Contains(f.Help, "has no closing") {
			t.Errorf("%q: faults out of order: %+v", text, faults)
		}
	}
	local, domain, ok := addrspec.Split(text)
	octets, _ := escape.Decode(text)
	if ok != strings.Contains(octets, "@") {
		t.Errorf("%q: Split: %v", text, ok)
	} else if ok {
		x, _ := escape.Decode(local)
		y, _ := escape.Decode(domain)
		if x+"@"+y != octets || strings.Contains(y, "@") && !strings.Contains(y, "[") {
			t.Errorf("%q: Split: %q, %q", text, local, domain)
		}
	}
	if utf8.ValidString(octets) {
		// Non-ASCII UTF-8 counts as a letter.
		letters := strings.Map(func(r rune) rune {
			if r >= utf8.RuneSelf {
				return 'x'
			}
			return r
		}, octets)
		want := isAddrSpec(escape.Encode(letters, escape.Unreserved()))
		if faults := addrspec.FaultsUTF8(text); (len(faults) == 0) != want {
			t.Errorf("%q: as for %q, the grammar says %v, FaultsUTF8 %+v", text, letters, want, faults)
		}
	}
	encoded := addrspec.Encode(octets, escape.Unreserved())
	if again, err := escape.Decode(encoded); err != nil || again != octets {
		t.Errorf("%q: Encode: %q", text, encoded)
	}
	return want
}

var pieces = []string{
	"a", "b", "1", "-", "a.b", ".", "@", "%40", "%22", "%22", "%5C", "%5B", "%5D", "[", "]", "\"", "\\", "(", ")", "%20", "%09", "%0D%0A", "%00",
	"%7F", "%80", "%FF", ",", ":", ";", "<", ">", "/", "?", "=", "!", "~", "\xe9", "%22a%20b%22", "€", "%C3%A9", "[1.2]", "@one:", "%2E", "%41",
}

func TestFaultsAgree(t *testing.T) {
	rnd := rand.New(rand.NewPCG(822, 6))
	good, n := 0, 40_000
	for range n {
		var b strings.Builder
		for range 1 + rnd.IntN(4) {
			b.WriteString(pieces[rnd.IntN(len(pieces))])
		}
		if rnd.IntN(4) > 0 {
			b.WriteByte('@')
			b.WriteString([]string{"h", "h.dom", "%5B1%5D.x"}[rnd.IntN(3)])
		}
		if checkFaults(t, b.String()) {
			good++
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d of %d are addresses", good, n)
	if good < n/20 {
		t.Errorf("%d of %d are addresses: too few to tell anything", good, n)
	}
}

// The test cases are addresses of RFC 822 appendix A, and malformed addresses that are similar.
func TestFaults(t *testing.T) {
	type place struct {
		start, end int
		octet      byte
	}
	for _, row := range []struct {
		text string
		want []place
	}{
		{"Alfred.Neuman@BBN-TENEXA", nil},
		{"Neuman@BBN-TENEXA", nil},
		{"%22George,%20Ted%22@Shared.Group", nil},
		{"Wilt.(the%20%20Stilt)%20Chamberlain@NBA.US", []place{{5, 6, '('}, {9, 12, ' '}, {12, 15, ' '}, {20, 21, ')'}, {21, 24, ' '}}},
		{"jdoe@%5B10.0.0.1%5D", nil},
		{"a@%5B@%5D", nil},
		{"a@%5B%5C%5D@%5D.b", nil},
		{"%22@%5B%22@%5Bx@y%5D", nil},
		{"%22@%5B@%5D%22@b", nil},
		{"a@b@%5B@%5D", []place{{1, 2, '@'}}},
		{"jdoe@[10.0.0.1]", nil},
		{"%3Cjdoe@h%3E", []place{{0, 3, '<'}, {9, 12, '>'}}},
		{"@one,@two:jdoe@h", []place{{0, 10, 0}}},
		{"@one:@h", []place{{0, 5, 0}, {5, 5, 0}}},
		{"@one@h", []place{{0, 1, '@'}, {4, 5, '@'}}[:1]},
		{"", []place{{0, 0, 0}}},
		{"@", []place{{0, 0, 0}, {1, 1, 0}}},
		{"a@b.", []place{{4, 4, 0}}},
		{"a@b..", []place{{4, 5, '.'}}},
		{"a.@b", []place{{2, 2, 0}}},
		{"%22a%22%22b%22@c", []place{{7, 10, '"'}, {11, 14, '"'}}},
		{"%22a", []place{{4, 4, 0}}},
		{"%22a@b", []place{{0, 4, '"'}}},
		{"a@%5Bb", []place{{2, 6, '['}}},
		{"%22%5C%22@b", []place{{0, 9, '"'}}},
		{"%22%5C@b", []place{{0, 6, '"'}}},
		{"caf%C3%A9@h", []place{{3, 6, 0xC3}, {6, 9, 0xA9}}},
	} {
		checkFaults(t, row.text)
		var got []place
		for _, f := range addrspec.Faults(row.text) {
			got = append(got, place{f.Start, f.End, f.Octet})
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%q: %v, want %v", row.text, got, row.want)
		}
	}
}

func TestSoundDoesNotAllocate(t *testing.T) {
	u := locus.MustParse("mailto:%22a%20b%22.c@d-e.f")
	if n := testing.AllocsPerRun(100, func() {
		if !addrspec.Sound(u) {
			t.Error("not sound")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzFaults(f *testing.F) {
	for _, text := range pieces {
		f.Add(text + "@h")
	}
	f.Fuzz(func(t *testing.T, text string) {
		// Only complete escapes are valid input.
		if _, err := escape.Decode(text); err == nil {
			checkFaults(t, text)
		}
	})
}

// The test cases are valid and invalid addresses by RFC 6531 and RFC 6532.
func TestFaultsUTF8(t *testing.T) {
	for text, want := range map[string]int{
		"caf%C3%A9@h":              0,
		"caf\xc3\xa9@h":            0,
		"%22a%20%C3%A9%22@h":       0,
		"a@b%C3%BCcher.example":    0,
		"%22a%22%C3%A9@h":          1,
		"%C3%A9%22a%22@h":          2,
		"a@%5B1%5D%C3%A9":          1,
		"caf%E9@h":                 1,
		"caf%C3%A9%20x@h":          1,
		"@one:caf%C3%A9@h":         1,
		"caf%C3%A9":                1,
		"%0D%0A%C3%A9@h":           2,
		"plain@h":                  0,
		"%C3%A9@":                  1,
		"%E2%80%AE@x.%28%E2%82%AC": 1,
	} {
		if got := addrspec.FaultsUTF8(text); len(got) != want {
			t.Errorf("%q: %+v, want %d", text, got, want)
		}
	}
}

package octet

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// plainHost implements Host, octet by octet.
func plainHost(s string, i int) (end int, shape HostShape) {
	start := i
	for i < len(s) && (s[i] == '.' || Is(s[i], Label)) {
		i++
	}
	host := s[start:i]
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || label[0] == '-' || label[len(label)-1] == '-' {
			shape |= HostEdges
		}
		if label != "" && Is(label[0], Digit) {
			shape |= HostDigit
		}
	}
	if strings.ToLower(host) != host {
		shape |= HostUpper
	}
	return i, shape
}

// plainScheme implements SchemeEnd, octet by octet.
func plainScheme(s string) (end int, lower bool) {
	for end < len(s) && Is(s[end], Scheme) {
		end++
	}
	return end, strings.ToLower(s[:end]) == s[:end]
}

func checkWords(t *testing.T, s string, i int) {
	t.Helper()
	end, shape := Host(s, i)
	if e, h := plainHost(s, i); end != e || shape != h {
		t.Fatalf("Host(%q, %d) = %d, %b; octet by octet %d, %b", s, i, end, shape, e, h)
	}
	end, lower := SchemeEnd(s[i:])
	if e, l := plainScheme(s[i:]); end != e || lower != l {
		t.Fatalf("SchemeEnd(%q) = %d, %v; octet by octet %d, %v", s[i:], end, lower, e, l)
	}
	if got, want := All(s[i:]), plainAll(s[i:]); got != want {
		t.Fatalf("All(%q) = %b, octet by octet %b", s[i:], got, want)
	}
	end, all := Run(s, i)
	if e, a := plainRun(s, i); end != e || all != a {
		t.Fatalf("Run(%q, %d) = %d, %b; octet by octet %d, %b", s, i, end, all, e, a)
	}
}

// plainRun implements Run, octet by octet.
func plainRun(s string, i int) (end int, all Class) {
	start := i
	for i < len(s) && !Is(s[i], Stop) {
		i++
	}
	return i, plainAll(s[start:i])
}

// plainAll implements All, octet by octet.
func plainAll(s string) Class {
	all := ^Class(0)
	for i := range len(s) {
		all &= Of(s[i])
	}
	return all
}

func TestWords(t *testing.T) {
	// Every octet at every offset of a word, in hosts of all lengths up to
	// three words.
	for n := range 25 {
		host := []byte(strings.Repeat("a", n))
		for i := range host {
			for c := range 256 {
				host[i] = byte(c)
				checkWords(t, string(host), 0)
			}
			host[i] = 'a'
		}
	}
	// These are all short texts of the significant octets.
	const octets = "a0.-/A:%\x80\xB0\xC1\xAD"
	var build func(s string, n int)
	build = func(s string, n int) {
		checkWords(t, s, 0)
		checkWords(t, "bbbbbb"+s, 0)
		checkWords(t, "http://"+s, 7)
		for i := 0; i < len(octets) && n > 0; i++ {
			build(s+octets[i:i+1], n-1)
		}
	}
	build("", 4)
}

func FuzzWords(f *testing.F) {
	f.Add("http://www.example.com/", uint(7))
	f.Add("a-.b--c..", uint(0))
	f.Fuzz(func(t *testing.T, s string, i uint) { checkWords(t, s, int(i%uint(len(s)+1))) })
}

func BenchmarkHost(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	var list []string
	for range 1024 {
		s := ""
		for range 1 + r.IntN(4) {
			s += strings.Repeat("x", 1+r.IntN(9)) + "."
		}
		list = append(list, s+"com/path/and/more")
	}
	for _, road := range []struct {
		name string
		host func(string, int) (int, HostShape)
	}{{"words", Host}, {"octets", plainHost}} {
		b.Run(road.name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				road.host(list[i%len(list)], 0)
			}
		})
	}
}

// The table must contain every octet in every set, by the productions of section 5.
func TestTable(t *testing.T) {
	const (
		alpha      = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		unreserved = alpha + "0123456789" + "$-_.+" + "!*'(),"
		uchar      = unreserved + "%"
	)
	for name, tt := range map[string]struct {
		class Class
		chars string
	}{
		"alpha":      {Alpha, alpha},
		"hialpha":    {Upper, alpha[26:]},
		"digit":      {Digit, "0123456789"},
		"hex":        {Hex, "0123456789abcdefABCDEF"},
		"scheme":     {Scheme, alpha + "0123456789+-."},
		"label":      {Label, alpha + "0123456789-"},
		"group":      {Group, alpha + "0123456789-.+_"},
		"unreserved": {Unreserved, unreserved},
		"uchar":      {Uchar, uchar},
		"xchar":      {Xchar, uchar + ";/?:@&="},
		"user":       {User, uchar + ";?&="},
		"fsegment":   {Fsegment, uchar + "?:@&=/"},
		"hsegment":   {Hsegment, uchar + ";:@&=/"},
		"search":     {Search, uchar + ";:@&="},
		"field":      {Field, uchar + "?:@&"},
		"article":    {Article, uchar + ";/?:&="},
		"xalpha":     {Xalpha, uchar + "@&"},
		"generic":    {Generic, alpha + "0123456789-._~" + "!$&'()*+,;=" + ":@/?%"},
		"atom":       {Atom, alpha + "0123456789!#$%&'*+-/=?^_`{|}~"},
		"unsafe":     {Unsafe, "{}|\\^~[]`<>#\""},
	} {
		for c := range 256 {
			if got, want := Is(byte(c), tt.class), strings.IndexByte(tt.chars, byte(c)) >= 0; got != want {
				t.Errorf("%q is in %s: %v", byte(c), name, got)
			}
		}
	}
	for c := range 256 {
		b := byte(c)
		control := b <= ' ' || b == 0x7F
		if Is(b, Control) != control || Is(b, High) != (b >= 0x80) || Is(b, Stop) != (control || b == '#') || Is(b, Go) == Is(b, Stop) || Is(b, Literal) == (b == '%') || Is(b, NoQuery) == (b == '?') {
			t.Errorf("%q: class %b", b, Of(b))
		}
	}
	for i, c := range "0123456789abcdef" {
		if Unhex(byte(c)) != byte(i) || Unhex(strings.ToUpper(string(c))[0]) != byte(i) || UpperHex[i] != strings.ToUpper(string(c))[0] {
			t.Errorf("Unhex(%q) = %d", c, Unhex(byte(c)))
		}
	}
	if All("") != ^Class(0) || All("a/")&Uchar != 0 || All([]byte("a/"))&Xchar == 0 {
		t.Error("All is not the AND of all")
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("http://host.example:80/a-b/c_d e", 0)
	f.Add("\u00E9\x0D\x1A@[`{", 3)
	f.Fuzz(func(t *testing.T, s string, i int) {
		if i < 0 || i > len(s) {
			return
		}
		end := Plain(s, i)
		for ; i < end; i++ {
			if c := s[i]; !Is(c, Alpha|Digit) && c != '-' && c != '.' && c != '/' && c != ':' {
				t.Errorf("%q: plain to %d, which has %q at %d", s, end, c, i)
			}
		}
		if end < len(s) && (Is(s[end], Alpha|Digit) || s[end] >= '-' && s[end] <= ':') {
			t.Errorf("%q: plain to %d, and that is plain too", s, end)
		}
	})
}

func TestToLower(t *testing.T) {
	for text, want := range map[string]string{"": "", "a.b-1": "a.b-1", "A.bC": "a.bc", "x\xc9\u212aK": "x\xc9\u212ak"} {
		if got := ToLower(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if All("a\x7f")&ASCII == 0 || All("a\x80")&ASCII != 0 || All("")&ASCII == 0 {
		t.Error("ASCII is not the set of US-ASCII")
	}
}

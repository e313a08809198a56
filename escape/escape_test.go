package escape_test

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/locus-url/locus/escape"
)

// The sets, character by character as in RFC 1738 sections 5 and 2.2.
func TestSets(t *testing.T) {
	const (
		lowalpha   = "abcdefghijklmnopqrstuvwxyz"
		hialpha    = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		digit      = "0123456789"
		safe       = "$-_.+"
		extra      = "!*'(),"
		national   = "{}|\\^~[]`"
		unreserved = lowalpha + hialpha + digit + safe + extra
	)
	for name, tt := range map[string]struct {
		set   escape.Set
		chars string
	}{
		"lowalpha":    {escape.LowAlpha(), lowalpha},
		"hialpha":     {escape.HiAlpha(), hialpha},
		"alpha":       {escape.Alpha(), lowalpha + hialpha},
		"digit":       {escape.Digit(), digit},
		"safe":        {escape.Safe(), safe},
		"extra":       {escape.Extra(), extra},
		"national":    {escape.National(), national},
		"punctuation": {escape.Punctuation(), `<>#%"`},
		"unsafe":      {escape.Unsafe(), " " + national + `<>#%"`},
		"reserved":    {escape.Reserved(), ";/?:@&="},
		"unreserved":  {escape.Unreserved(), unreserved},
		"user":        {escape.User(), unreserved + ";?&="},
		"fsegment":    {escape.Fsegment(), unreserved + "?:@&="},
		"hsegment":    {escape.Hsegment(), unreserved + ";:@&="},
		"field":       {escape.Field(), unreserved + "?:@&"},
		"article":     {escape.Article(), unreserved + ";/?:&="},
		"xchar":       {escape.Xchar(), unreserved + ";/?:@&="},
	} {
		if tt.set != escape.Chars(tt.chars) {
			t.Errorf("%s is %q", name, tt.set)
		}
		if tt.set.Len() != len(tt.chars) {
			t.Errorf("%s has %d characters, want %d", name, tt.set.Len(), len(tt.chars))
		}
		for c := range 256 {
			if got, want := tt.set.Has(byte(c)), strings.IndexByte(tt.chars, byte(c)) >= 0; got != want {
				t.Errorf("%s has %q: %v", name, byte(c), got)
			}
		}
	}
}

func TestSetArithmetic(t *testing.T) {
	a, b := escape.Chars("@abc/"), escape.Chars("c/~")
	for got, want := range map[escape.Set]string{
		a.Union(b):            "/@abc~",
		a.Minus(b):            "@ab",
		a.Without("a"):        "/@bc",
		a.With("\x00\x7f"):    "\x00/@abc\x7f",
		a.With("\x80\xff"):    "/@abc",
		escape.Set{}:          "",
		escape.Chars("a\x80"): "a",
	} {
		if got.String() != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if a != escape.Chars("cab/@@") {
		t.Error("sets of the same characters differ")
	}
}

func TestEncode(t *testing.T) {
	all := escape.Set{}
	for c := range 128 {
		all = all.With(string(rune(c)))
	}
	for _, tt := range []struct {
		octets string
		keep   escape.Set
		want   string
	}{
		{"", all, ""},
		{"abc", escape.Unreserved(), "abc"},
		{"abc", escape.Set{}, "%61%62%63"},
		{"a/b c%", escape.Unreserved(), "a%2Fb%20c%25"},
		{"a/b", escape.Unreserved().With("/"), "a/b"},
		{"%41", all, "%2541"},
		{"\x00\x1f\x7f\x80\xff", escape.Unreserved(), "%00%1F%7F%80%FF"},
		{"é", all, "%C3%A9"},
	} {
		if got := escape.Encode(tt.octets, tt.keep); got != tt.want {
			t.Errorf("Encode(%q) = %q, want %q", tt.octets, got, tt.want)
		}
		if got := escape.AppendEncode([]byte("x"), []byte(tt.octets), tt.keep); string(got) != "x"+tt.want {
			t.Errorf("AppendEncode(%q) = %q, want %q", tt.octets, got, "x"+tt.want)
		}
	}
}

func TestDecode(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "abc": "abc", "%61": "a", "a%2Fb%2fc": "a/b/c", "%2541": "%41", "%00%ff": "\x00\xff", "%C3%A9é": "éé", "+": "+",
	} {
		if got, err := escape.Decode(text); got != want || err != nil {
			t.Errorf("Decode(%q) = %q, %v; want %q", text, got, err, want)
		}
	}
	for text, offset := range map[string]int{
		"%": 0, "a%": 1, "a%4": 1, "%41%4g": 3, "%g4": 0, "%%41": 0, "%4%1": 0, "12345%zz": 5, "%4\xff": 0, "%\x00\x00": 0,
	} {
		got, err := escape.AppendDecode([]byte("x"), text)
		var e *escape.TripletError
		if !errors.As(err, &e) || !errors.Is(err, escape.ErrTriplet) || e.Offset != offset {
			t.Errorf("AppendDecode(%q): %v; want octet %d", text, err, offset)
		}
		before, _ := escape.Decode(text[:offset])
		if string(got) != "x"+before {
			t.Errorf("AppendDecode(%q) leaves %q", text, got)
		}
		if _, err := escape.Decode(text); err == nil {
			t.Errorf("Decode(%q) takes it", text)
		}
	}
	const plain = "no-escape/here"
	if n := testing.AllocsPerRun(100, func() { escape.Decode(plain) }); n != 0 {
		t.Errorf("Decode without escapes: %v allocations", n)
	}
	buf := make([]byte, 0, 64)
	if n := testing.AllocsPerRun(100, func() {
		buf, _ = escape.AppendDecode(buf[:0], "a%20b")
		buf = escape.AppendEncode(buf[:0], "a b", escape.Unreserved())
	}); n != 0 {
		t.Errorf("appending: %v allocations", n)
	}
}

// The draft: "a URI may be made "safer" simply by encoding any characters
// considered unsafe, while leaving already encoded characters still encoded".
func TestAppendSafer(t *testing.T) {
	reserved := escape.Reserved()
	for _, tt := range []struct{ text, unsafe, want string }{
		{"a~b", "~", "a%7Eb"},
		{"a%7Eb~", "~", "a%7Eb%7E"},
		{"a/b?c", "/?ab", "%61/%62?c"},
		{"a%2Fb2%", "%2F", "a%2Fb%32%"},
		{"a b\n\xe9\x7f", "", "a%20b%0A%E9%7F"},
	} {
		got := string(escape.AppendSafer(nil, tt.text, escape.Chars(tt.unsafe), reserved))
		if got != tt.want {
			t.Errorf("AppendSafer(%q, %q) = %q, want %q", tt.text, tt.unsafe, got, tt.want)
		}
		if again := string(escape.AppendSafer(nil, got, escape.Chars(tt.unsafe), reserved)); again != got {
			t.Errorf("AppendSafer(%q) again = %q", got, again)
		}
	}
}

// The draft: "% signs can be selectively and reversibly expanded"; reserved
// characters "may NEVER be encoded and unencoded in this way".
func TestAppendExpand(t *testing.T) {
	for _, tt := range []struct{ text, plain, want string }{
		{"marie%2Dclaude", "-", "marie-claude"},
		{"bertram%2Fmarie%2fclaude", "-/", "bertram%2Fmarie%2Fclaude"},
		{"a%7eb%7E", "~", "a~b~"},
		{"a%7eb", "", "a%7Eb"},
		{"a%25b%2541", "%aA", "a%25b%2541"},
		{"%61b", "a", "ab"},
	} {
		got, err := escape.AppendExpand(nil, tt.text, escape.Chars(tt.plain), escape.Reserved())
		if string(got) != tt.want || err != nil {
			t.Errorf("AppendExpand(%q, %q) = %q, %v; want %q", tt.text, tt.plain, got, err, tt.want)
		}
	}
	got, err := escape.AppendExpand(nil, "ab%zz", escape.Unreserved(), escape.Reserved())
	var e *escape.TripletError
	if string(got) != "ab" || !errors.As(err, &e) || e.Offset != 2 {
		t.Errorf("%q, %v", got, err)
	}
}

func FuzzEncode(f *testing.F) {
	f.Add("a b/%41é\x00", "/ %~")
	f.Fuzz(func(t *testing.T, octets, keep string) {
		set := escape.Chars(keep)
		text := escape.Encode(octets, set)
		if back, err := escape.Decode(text); back != octets || err != nil {
			t.Fatalf("%q is %q, and back %q, %v", octets, text, back, err)
		}
		for i := 0; i < len(text); i++ {
			switch {
			case text[i] == '%':
				i += 2
			case !set.Has(text[i]):
				t.Fatalf("%q is %q, and %q is not in %q", octets, text, text[i], set)
			}
		}
	})
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{"", "%", "a%2", "%2f%2F", "%zz", "a+b%20c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := escape.Decode(text)
		want, wantErr := url.PathUnescape(text)
		if (err == nil) != (wantErr == nil) || err == nil && got != want {
			t.Fatalf("Decode(%q) = %q, %v; net/url says %q, %v", text, got, err, want, wantErr)
		}
		var e *escape.TripletError
		if err != nil && (!errors.As(err, &e) || text[e.Offset] != '%') {
			t.Fatalf("Decode(%q): %v", text, err)
		}
		// Neither function may change the meaning of text.
		levels := func(changed []byte) {
			if back, backErr := escape.Decode(string(changed)); err == nil && (back != got || backErr != nil) {
				t.Fatalf("%q: %q means %q, %v; want %q", text, changed, back, backErr, got)
			}
		}
		levels(escape.AppendSafer(nil, text, escape.Unsafe().With("012abcdef"), escape.Reserved()))
		expanded, expandErr := escape.AppendExpand(nil, text, escape.Xchar(), escape.Reserved())
		if (expandErr == nil) != (err == nil) {
			t.Fatalf("%q: %v, %v", text, err, expandErr)
		}
		if expandErr == nil {
			levels(expanded)
		}
	})
}

func ExampleEncode() {
	// This is an ftp segment that contains a "/".
	fmt.Println(escape.Encode("/etc", escape.Fsegment()))
	// Output: %2Fetc
}

func ExampleDecode() {
	text, err := escape.Decode("marie%2Dclaude")
	fmt.Println(text, err)
	_, err = escape.Decode("asdf%*.fred")
	fmt.Println(err)
	// Output:
	// marie-claude <nil>
	// escape: offset 4: "%" without two hexadecimal digits after it
}

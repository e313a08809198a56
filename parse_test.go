package locus_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/locus-url/locus"
)

// absent is an absent part; an empty one is "".
const absent = "-"

func TestParse(t *testing.T) {
	tests := []struct {
		text                                         string
		scheme, user, password, host, port, path, id string
	}{
		{"http://host", "http", absent, absent, "host", absent, absent, absent},
		{"http://host/", "http", absent, absent, "host", absent, "", absent},
		{"http://host//", "http", absent, absent, "host", absent, "/", absent},
		{"http://host/a/b", "http", absent, absent, "host", absent, "a/b", absent},
		{"http://host#", "http", absent, absent, "host", absent, absent, ""},
		{"http://host#f", "http", absent, absent, "host", absent, absent, "f"},
		{"http://host/#f#g", "http", absent, absent, "host", absent, "", "f#g"},
		{"http://host/#/?@:", "http", absent, absent, "host", absent, "", "/?@:"},
		{"http://host:80", "http", absent, absent, "host", "80", absent, absent},
		{"http://host:80/x", "http", absent, absent, "host", "80", "x", absent},
		{"http://host:/", "http", absent, absent, "host", "", "", absent},
		{"http://host:0080/", "http", absent, absent, "host", "0080", "", absent},
		{"http://host:0/", "http", absent, absent, "host", "0", "", absent},
		{"http://host:65535#x", "http", absent, absent, "host", "65535", absent, "x"},
		{"http://host?q/r", "http", absent, absent, "host", absent, "?q/r", absent},
		{"http://host:80?q", "http", absent, absent, "host", "80", "?q", absent},
		{"http://u@host?q", "http", "u", absent, "host", absent, "?q", absent},
		{"http:///x", "http", absent, absent, "", absent, "x", absent},
		{"http://", "http", absent, absent, "", absent, absent, absent},
		{"http:", "http", absent, absent, "", absent, absent, absent},
		{"http:/x", "http", absent, absent, "", absent, absent, absent},
		{"http://#", "http", absent, absent, "", absent, absent, ""},
		{"HTTP://HOST/X", "http", absent, absent, "HOST", absent, "X", absent},
		{"HtTp://h", "http", absent, absent, "h", absent, absent, absent},
		{"x-a.b+1:y", "x-a.b+1", absent, absent, "", absent, absent, absent},
		{"ftp://@host.com/", "ftp", "", absent, "host.com", absent, "", absent},
		{"ftp://host.com/", "ftp", absent, absent, "host.com", absent, "", absent},
		{"ftp://foo:@host.com/", "ftp", "foo", "", "host.com", absent, "", absent},
		{"ftp://:@h", "ftp", "", "", "h", absent, absent, absent},
		{"ftp://:p@h", "ftp", "", "p", "h", absent, absent, absent},
		{"ftp://u:p@h:21/x", "ftp", "u", "p", "h", "21", "x", absent},
		{"ftp://u:p:q@h/", "ftp", "u", "p:q", "h", absent, "", absent},
		{"ftp://us?er:p@h/x", "ftp", "us?er", "p", "h", absent, "x", absent},
		{"ftp://u:p?q@h?r", "ftp", "u", "p?q", "h", absent, "?r", absent},
		{"ftp://u%40v:p%3A@h/", "ftp", "u%40v", "p%3A", "h", absent, "", absent},
		{"ftp://u@", "ftp", "u", absent, "", absent, absent, absent},
		{"ftp://h/a@b:c", "ftp", absent, absent, "h", absent, "a@b:c", absent},
		{`ftp://h/a\b`, "ftp", absent, absent, "h", absent, `a\b`, absent},
		{"http://[::1]/", "http", absent, absent, "[::1]", absent, "", absent},
		{"http://[::1]:80/", "http", absent, absent, "[::1]", "80", "", absent},
		{"http://u:p@[1:2::7.8.9.10]", "http", "u", "p", "[1:2::7.8.9.10]", absent, absent, absent},
		{"http://a_b;c=d/", "http", absent, absent, "a_b;c=d", absent, "", absent},
		{"http://\xff\xfe/\x80", "http", absent, absent, "\xff\xfe", absent, "\x80", absent},
		{"mailto:a@b:c", "mailto", absent, absent, "", absent, absent, absent},
		{"z39.50s://h", "z39.50s", absent, absent, "h", absent, absent, absent},
	}
	optional := func(text string, ok bool) string {
		if !ok {
			return absent
		}
		return text
	}
	for _, tt := range tests {
		u, err := locus.Parse(tt.text)
		if err != nil {
			t.Errorf("Parse(%q): %v", tt.text, err)
			continue
		}
		got := []string{u.Scheme(), optional(u.User()), optional(u.Password()), u.Host(), optional(u.PortText()), optional(u.Path()), optional(u.Fragment())}
		want := []string{tt.scheme, tt.user, tt.password, tt.host, tt.port, tt.path, tt.id}
		if !slices.Equal(got, want) {
			t.Errorf("Parse(%q) =\n %q, want\n %q", tt.text, got, want)
		}
		if u.String() != tt.text {
			t.Errorf("Parse(%q).String() = %q", tt.text, u)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	tests := []struct {
		text   string
		offset int
		part   string
		err    error
	}{
		{"", 0, "scheme", locus.ErrNoScheme},
		{"x", 0, "scheme", locus.ErrNoScheme},
		{":", 0, "scheme", locus.ErrNoScheme},
		{"://h", 0, "scheme", locus.ErrNoScheme},
		{"//h", 0, "scheme", locus.ErrNoScheme},
		{"/x", 0, "scheme", locus.ErrNoScheme},
		{"%", 0, "scheme", locus.ErrNoScheme},
		{"h_t:x", 1, "scheme", locus.ErrNoScheme},
		{"é:x", 0, "scheme", locus.ErrNoScheme},
		{" http://h/", 0, "scheme", locus.ErrControl},
		{"ht tp://h/", 2, "scheme", locus.ErrControl},
		{"ht\x00tp://h/", 2, "scheme", locus.ErrControl},
		{"http", 0, "scheme", locus.ErrNoScheme},
		{"http:%", 5, "escape", locus.ErrEscape},
		{"http:%4", 5, "escape", locus.ErrEscape},
		{"http:%4g", 5, "escape", locus.ErrEscape},
		{"http:%%41", 5, "escape", locus.ErrEscape},
		{"http://h/%", 9, "escape", locus.ErrEscape},
		{"http://h/%zz", 9, "escape", locus.ErrEscape},
		{"http://h%4/x", 8, "escape", locus.ErrEscape},
		{"ftp://u%@h/", 7, "escape", locus.ErrEscape},
		{"http://h/#%", 10, "escape", locus.ErrEscape},
		{"http:a b", 6, "schemepart", locus.ErrControl},
		{"http://h/a b", 10, "urlpath", locus.ErrControl},
		{"http://h/\x00", 9, "urlpath", locus.ErrControl},
		{"http://h/\x7f", 9, "urlpath", locus.ErrControl},
		{"http://h/\n", 9, "urlpath", locus.ErrControl},
		{"http://h/12345678\t", 17, "urlpath", locus.ErrControl},
		{"http://h?a b", 10, "login", locus.ErrControl},
		{"http://h /", 8, "login", locus.ErrControl},
		{"http://h\r\n/", 8, "login", locus.ErrControl},
		{"ftp://u v@h/", 7, "login", locus.ErrControl},
		{"http://h/#a b", 11, "fragmentid", locus.ErrControl},
		{"http://h/#a#b c", 13, "fragmentid", locus.ErrControl},
		{`http://127.0.0.1\@1.1.1.1/`, 16, "login", locus.ErrBackslash},
		{`http:\\h\`, -1, "", nil},
		{`http://\h`, 7, "login", locus.ErrBackslash},
		{"ftp://u@v@h/", 7, "user", locus.ErrAt},
		{"ftp://u:p@ss@h/", 9, "user", locus.ErrAt},
		{"ftp://h:65536/", 8, "port", locus.ErrPortRange},
		{"ftp://h:99999999999999999999999/", 8, "port", locus.ErrPortRange},
		{"ftp://h:8o/", 9, "port", locus.ErrPort},
		{"ftp://h:-1/", 8, "port", locus.ErrPort},
		{"ftp://h:1:2/", 9, "port", locus.ErrPort},
		{"ftp://u:p/w@h/", 8, "port", locus.ErrPort},
		{"http://[::1", 7, "host", locus.ErrHost},
		{"http://[::1]x/", 7, "host", locus.ErrHost},
		{"http://[]/", 7, "host", locus.ErrHost},
		{"http://[:]/", 7, "host", locus.ErrHost},
		{"http://[:::]/", 7, "host", locus.ErrHost},
		{"http://[1:2:3:4:5:6:7]/", 7, "host", locus.ErrHost},
		{"http://[1:2:3:4:5:6:7:8:9]/", 7, "host", locus.ErrHost},
		{"http://[1:2:3:4:5:6:7:8::]/", 7, "host", locus.ErrHost},
		{"http://[1::2::3]/", 7, "host", locus.ErrHost},
		{"http://[12345::]/", 7, "host", locus.ErrHost},
		{"http://[::1.2.3.256]/", 7, "host", locus.ErrHost},
		{"http://[1.2.3.4::]/", 7, "host", locus.ErrHost},
		{"http://[fe80::1%25eth0]/", 7, "host", locus.ErrHost},
		{"http://[v1.x]/", 7, "host", locus.ErrHost},
		{"http://u@[::g]/", 9, "host", locus.ErrHost},
	}
	for _, tt := range tests {
		u, err := locus.Parse(tt.text)
		if tt.err == nil {
			if err != nil {
				t.Errorf("Parse(%q): %v", tt.text, err)
			}
			continue
		}
		var e *locus.SyntaxError
		if !errors.As(err, &e) {
			t.Errorf("Parse(%q) = %q, %v; want an error", tt.text, u, err)
			continue
		}
		if e.Offset != tt.offset || e.Part != tt.part || !errors.Is(err, tt.err) {
			t.Errorf("Parse(%q): %v;\nwant octet %d, %s: %v", tt.text, err, tt.offset, tt.part, tt.err)
		}
		if !strings.HasPrefix(err.Error(), "locus: ") {
			t.Errorf("Parse(%q): %q does not begin with the package's name", tt.text, err)
		}
	}
}

// The offsets of all delimiters may be as large as MaxLen allows.
func TestParseLength(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	for _, text := range []string{
		x(locus.MaxLen-1) + ":",
		"http://" + x(locus.MaxLen-7),
		"http://h/" + x(locus.MaxLen-9),
		"http://" + x(locus.MaxLen-8) + "/",
		"http://" + x(locus.MaxLen-8) + "?",
		"http://" + x(locus.MaxLen-8) + ":",
		"http://" + x(locus.MaxLen-9) + ":8",
		"http://" + x(locus.MaxLen-8) + "@",
		"http://" + x(locus.MaxLen-9) + ":@",
		"http://" + x(locus.MaxLen-10) + ":p@",
		"http://h/" + x(locus.MaxLen-10) + "#",
		"http://" + x(locus.MaxLen-8) + "#",
		"http://" + x(locus.MaxLen-12) + ":p@h:",
	} {
		if len(text) != locus.MaxLen {
			t.Fatalf("%d octets", len(text))
		}
		checkParse(t, text)
		if _, err := locus.Parse(text); err != nil {
			t.Errorf("%d octets: %v", len(text), err)
		}
		_, err := locus.Parse(text + "y")
		var e *locus.SyntaxError
		if !errors.Is(err, locus.ErrTooLong) || !errors.As(err, &e) || e.Offset != locus.MaxLen || e.Part != "genericurl" {
			t.Errorf("%d octets: %v", len(text)+1, err)
		}
		if n := len(err.Error()); n > 400 {
			t.Errorf("%d octets make a message of %d", len(text)+1, n)
		}
		if !strings.Contains(err.Error(), "65537 bytes") {
			t.Errorf("the message has no length: %v", err)
		}
	}
}

// Parse and its slow implementation must agree on 20,000 random texts.
func TestParseRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1738, 5))
	const n = 20_000
	refused := 0
	for range n {
		text := randomText(r)
		checkParse(t, text)
		if _, err := locus.Parse(text); err != nil {
			refused++
		}
	}
	if refused < n/10 || refused > n-n/10 {
		t.Errorf("%d of %d refused: that tests little", refused, n)
	}
}

// randomText joins pieces of URLs, mostly in the order of the grammar.
func randomText(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	word := func() string {
		var b strings.Builder
		for range r.IntN(12) {
			b.WriteString(pick("a", "b", "Z", "7", "-", ".", "_", "+", "%41", "~", "&", "=", ";"))
		}
		return b.String()
	}
	var b strings.Builder
	b.WriteString(pick("http", "ftp", "x", "HTTP", "prospero", "a-very-long+scheme.name", "9", word()) + pick(":", ":", ":", ":", ""))
	b.WriteString(pick("//", "//", "//", "//", "", "/"))
	b.WriteString(pick("", "", "", "u@", "@", "u:p@", ":@", word()+"@", word()+":"+word()+"@", "u?v@", "u@v@"))
	b.WriteString(pick("h", "host.example", "www.some-longer-name.example.org", "1.2.3.4", "1.2.3.256", "[::1]", "[1:2", "", word(), word()+"."+word(), `\`))
	b.WriteString(pick("", "", "", "", ":80", ":", ":0", ":007", ":65535", ":65536", ":x"))
	b.WriteString(pick("/", "/", "/", "", "?"))
	for range r.IntN(4) {
		b.WriteString(word() + pick("/", "/", "?", "", "%", "%7", " ", "\x00", "\xe9", ":", "@", "{"))
	}
	b.WriteString(pick("", "", "", "#", "#"+word(), "#a#b", "# "))
	return b.String()
}

func TestURLValue(t *testing.T) {
	if n := unsafe.Sizeof(locus.URL{}); n > 32 {
		t.Errorf("a URL has %d octets", n)
	}
	var zero locus.URL
	user, hasUser := zero.User()
	password, hasPassword := zero.Password()
	path, hasPath := zero.Path()
	fragment, hasFragment := zero.Fragment()
	login, hasLogin := zero.Login()
	_, hasPort := zero.Port()
	if hasUser || hasPassword || hasPath || hasFragment || hasLogin || hasPort || user+password+path+fragment+login != "" {
		t.Error("the zero URL has parts")
	}
	if zero.Scheme()+zero.SchemePart()+zero.Host()+zero.String()+zero.Shown()+zero.WithoutFragmentText() != "" {
		t.Error("the zero URL has text")
	}
	if !zero.IsZero() || zero.Len() != 0 || zero.WithoutFragment() != zero || zero.Parts() != (locus.Parts{}) {
		t.Error("the zero URL is not zero")
	}

	u, v := locus.MustParse("http://h/a"), locus.MustParse(strings.Clone("http://h/a"))
	w := locus.MustParse("http://h/%61")
	if u != v || u == w || u.IsZero() || u.Compare(v) != 0 || u.Compare(w) <= 0 || w.Compare(u) >= 0 {
		t.Error("URLs are the same if their texts are")
	}
	seen := map[locus.URL]int{u: 1}
	seen[v]++
	seen[w]++
	if len(seen) != 2 || seen[u] != 2 {
		t.Errorf("as keys: %v", seen)
	}
	defer func() {
		if recover() == nil {
			t.Error("MustParse does not panic")
		}
	}()
	locus.MustParse("http")
}

func TestFragment(t *testing.T) {
	for _, text := range []string{"http://h/a", "http://h/a#", "http://h/a#~", "http://h/a#b#c", "http://h#x", "mailto:a@b#x", "http://h:80/#"} {
		u := locus.MustParse(text)
		before, _, _ := strings.Cut(text, "#")
		if got := u.WithoutFragmentText(); got != before {
			t.Errorf("%q.WithoutFragmentText() = %q", text, got)
		}
		if got := u.WithoutFragment(); got != locus.MustParse(before) {
			t.Errorf("%q.WithoutFragment() = %q, %b", text, got, got.Facts())
		}
		v, err := u.WithFragment("f%20g")
		if err != nil || v != locus.MustParse(before+"#f%20g") {
			t.Errorf("%q.WithFragment: %q, %v", text, v, err)
		}
		for _, bad := range []string{"a b", "%", "\n"} {
			if v, err := u.WithFragment(bad); err == nil || !v.IsZero() {
				t.Errorf("%q.WithFragment(%q) = %q, %v", text, bad, v, err)
			}
		}
	}
}

// Parse and the accessors must not allocate.
func TestAllocs(t *testing.T) {
	texts := []string{
		"http://www.library.my.town.va.us/Catalogue/76523471236%2Fwen44--4.98?a=b#c",
		"ftp://us%65r:pass@ftp.example.org:2121/pub/doc/file.txt;type=i",
		"http://[::1]:80/", "http://127.0.0.1/", "mailto:joe@host.dom", "HTTP://WWW.EXAMPLE.ORG?x",
		"http://" + strings.Repeat("a.", 120) + "b/",
	}
	n := 0
	for _, text := range texts {
		allocs := testing.AllocsPerRun(100, func() {
			u, err := locus.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			user, _ := u.User()
			password, _ := u.Password()
			port, _ := u.Port()
			portText, _ := u.PortText()
			path, _ := u.Path()
			fragment, _ := u.Fragment()
			login, _ := u.Login()
			n += len(user) + len(password) + int(port) + len(portText) + len(path) + len(fragment) + len(login)
			n += len(u.SchemePart()) + len(u.Host()) + len(u.String()) + u.Len() + u.PathOffset() + u.HostOffset() + u.Compare(u)
			n += len(u.WithoutFragmentText()) + len(u.WithoutFragment().String())
			if u.Facts().Has(locus.SchemeLower) {
				n += len(u.Scheme())
			}
		})
		if allocs != 0 {
			t.Errorf("%q: %v allocations", text, allocs)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	for _, text := range []string{
		"http://www.library.my.town.va.us/Catalogue/76523471236%2Fwen44--4.98",
		"ftp://user:pass@ftp.example.org:2121/pub/doc/file.txt;type=i",
		"gopher://h/7sel%09word",
		"mailto:joe@host.dom",
	} {
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				locus.Parse(text)
			}
		})
	}
}

package transfer

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

func TestSafeName(t *testing.T) {
	tests := []struct{ octets, want string }{
		{"rfc1738.txt", "rfc1738.txt"},
		{"two words.txt", "two words.txt"},
		{"../../etc/passwd", "passwd"},
		{`..\..\autoexec.bat`, "autoexec.bat"},
		{"/etc/motd", "motd"},
		{"dir/", ""},
		{"", ""},
		{".", ""},
		{"..", ""},
		{"...", ""},
		{" . ", ""},
		{".bashrc", "_bashrc"},
		{"..bashrc", "_.bashrc"},
		{"-rf", "_rf"},
		{"  -rf", "_rf"},
		{"name.", "name"},
		{"name. .", "name"},
		{"a\x00b", "a_b"},
		{"a\r\nb\x1b[2Jc\x7f", "a__b_[2Jc_"},
		{"\u009b2J", "_2J"},                   // a control character of ISO Latin 1
		{"a\u202etxt.exe", "a_txt.exe"},       // changes the writing direction
		{"a\u200bb\ufeffc", "a_b_c"},          // invisible characters
		{"a\u2028b\u3000c\u00a0d", "a_b_c_d"}, // a line end, and characters that look like spaces
		{"grün.txt", "grün.txt"},
		{"gr\xfcn.txt", "grün.txt"}, // ISO Latin 1
		{"日本.txt", "日本.txt"},
		{`a:b*c?d"e<f>g|h`, "a_b_c_d_e_f_g_h"},
		{"CON", "_CON"},
		{"nul.txt", "_nul.txt"},
		{"com1.tar.gz", "_com1.tar.gz"},
		{"LPT9", "_LPT9"},
		{"com¹", "_com¹"},
		{"aux .txt", "_aux .txt"},
		{"com", "com"},
		{"com10", "com10"},
		{"console", "console"},
	}
	for _, test := range tests {
		if got := SafeName(test.octets); got != test.want {
			t.Errorf("SafeName(%q) = %q, want %q", test.octets, got, test.want)
		}
	}
}

func TestSafeNameLong(t *testing.T) {
	for _, test := range []struct{ octets, suffix string }{
		{strings.Repeat("a", 300) + ".tar", ".tar"},
		{strings.Repeat("ü", 300) + ".txt", ".txt"},
		{strings.Repeat("日", 300), ""},
		{"a." + strings.Repeat("b", 300), ""},
	} {
		got := SafeName(test.octets)
		if len(got) > maxName-len(sourceSuffix) || len(got) < 240 || !strings.HasSuffix(got, test.suffix) || !utf8.ValidString(got) {
			t.Errorf("SafeName(%q) = %q, %d octets", test.octets, got, len(got))
		}
	}
	long := strings.Repeat("a", 300)
	if SafeName(long+"b"+long) == SafeName(long+"c"+long) {
		t.Error("two long names became one")
	}
}

func checkSafe(t *testing.T, octets string) {
	name := SafeName(octets)
	switch {
	case name == "":
		return
	case len(name) > 255-len(".part.json"), !utf8.ValidString(name), !filepath.IsLocal(name), filepath.Base(name) != name:
	case strings.ContainsAny(name, "/\\\x00"), name[0] == '.', name[0] == '-', name == "..":
	case strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
	case SafeName(name) != name:
	default:
		return
	}
	t.Errorf("SafeName(%q) = %q, and then %q", octets, name, SafeName(name))
}

func FuzzSafeName(f *testing.F) {
	for _, seed := range []string{"", "a", "..", "../a", "-a", ".a", "CON.x", "a\x00", "gr\xfcn", "a\u202eb", strings.Repeat("ü", 200) + ".b", strings.Repeat("a", 243) + ". .b", "a . ", "com¹.x"} {
		f.Add(seed)
	}
	f.Fuzz(checkSafe)
}

func TestName(t *testing.T) {
	field := func(name string, value any) func(locus.URL) ([]scheme.Field, error) {
		return func(locus.URL) ([]scheme.Field, error) {
			return []scheme.Field{{Name: "cwd", Value: []string{"no"}}, {Name: name, Value: value}}, nil
		}
	}
	u := locus.MustParse("x-a://host/dir/as%20written")
	tests := []struct {
		fields func(locus.URL) ([]scheme.Field, error)
		want   string
	}{
		{field("name", "rfc1738.txt"), "rfc1738.txt"},
		{field("name", "/etc/motd"), "motd"},
		{field("name", ""), ""},
		{field("segments", []string{"dir", "file"}), "file"},
		{field("segments", []string{}), ""},
		{field("articleNumber", 123), "123"},
		{field("path", "a/b.html"), "b.html"},
		{field("path", "../../etc/"), ""},
		{field("path", nil), "as written"},
		{field("else", "x"), "as written"},
		{func(locus.URL) ([]scheme.Field, error) { return nil, scheme.ErrUnsupported }, "as written"},
	}
	for _, test := range tests {
		registry, err := scheme.NewRegistry(scheme.Scheme{Name: "x-a", Syntax: scheme.Syntax{Fields: test.fields}})
		if err != nil {
			t.Fatal(err)
		}
		if got := Name(registry, u); got != test.want {
			t.Errorf("Name = %q, want %q", got, test.want)
		}
	}
	for text, want := range map[string]string{
		"x-b://host":                "",
		"x-b://host/":               "",
		"x-b://host/a/":             "",
		"x-b://host/..":             "",
		"x-b://host/..%2f..%2fetc":  "etc",
		"x-b://host/a%00b":          "a_b",
		"x-b:some:thing":            "some_thing",
		"x-b://host/a#fragment":     "a",
		"x-b://host/%2Eprofile":     "_profile",
		"x-b://host/a%2F":           "",
		"x-b://host/gr%FCn":         "grün",
		"x-b://host/gr%C3%BCn":      "grün",
		"x-b://host/a%0d%0aDELE%20": "a__DELE",
	} {
		if got := Name(new(scheme.Registry), locus.MustParse(text)); got != want {
			t.Errorf("Name(%s) = %q, want %q", text, got, want)
		}
	}
}

package rfc3986

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
)

// grammar and relativeRef are the rules URI and relative-ref of appendix A of RFC 3986,
// rule by rule, as simple, readable expressions.
var grammar, relativeRef = func() (uri, relative *regexp.Regexp) {
	rules := map[string]string{}
	expand := func(text string) string {
		return regexp.MustCompile(`<([^>]+)>`).ReplaceAllStringFunc(text, func(name string) string {
			rule, ok := rules[name[1:len(name)-1]]
			if !ok {
				panic(name)
			}
			return "(?:" + rule + ")"
		})
	}
	for _, line := range strings.Split(strings.TrimSpace(`
pct-encoded = %[0-9A-Fa-f]{2}
unreserved = [A-Za-z0-9._~-]
sub-delims = [!$&'()*+,;=]
pchar = <unreserved>|<pct-encoded>|<sub-delims>|[:@]
scheme = [A-Za-z][A-Za-z0-9+.-]*
userinfo = (?:<unreserved>|<pct-encoded>|<sub-delims>|:)*
h16 = [0-9A-Fa-f]{1,4}
dec-octet = 25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9][0-9]|[0-9]
IPv4address = <dec-octet>\.<dec-octet>\.<dec-octet>\.<dec-octet>
ls32 = <h16>:<h16>|<IPv4address>
IPv6address = (?:<h16>:){6}<ls32>|::(?:<h16>:){5}<ls32>|<h16>?::(?:<h16>:){4}<ls32>|(?:(?:<h16>:){0,1}<h16>)?::(?:<h16>:){3}<ls32>|(?:(?:<h16>:){0,2}<h16>)?::(?:<h16>:){2}<ls32>|(?:(?:<h16>:){0,3}<h16>)?::<h16>:<ls32>|(?:(?:<h16>:){0,4}<h16>)?::<ls32>|(?:(?:<h16>:){0,5}<h16>)?::<h16>|(?:(?:<h16>:){0,6}<h16>)?::
IPvFuture = [vV][0-9A-Fa-f]+\.(?:<unreserved>|<sub-delims>|:)+
IP-literal = \[(?:<IPv6address>|<IPvFuture>)\]
reg-name = (?:<unreserved>|<pct-encoded>|<sub-delims>)*
host = <IP-literal>|<IPv4address>|<reg-name>
path-abempty = (?:/<pchar>*)*
path-absolute = /(?:<pchar>+(?:/<pchar>*)*)?
path-noscheme = (?:<unreserved>|<pct-encoded>|<sub-delims>|@)+(?:/<pchar>*)*
path-rootless = <pchar>+(?:/<pchar>*)*
query = (?:<pchar>|[/?])*
`), "\n") {
		name, rule, _ := strings.Cut(line, " = ")
		rules[name] = expand(rule)
	}
	const authority, tail = `//(?:(<userinfo>)@)?(<host>)(?::([0-9]*))?(<path-abempty>)`, `(?:\?(<query>))?(?:#(<query>))?$`
	return regexp.MustCompile(expand(`^(<scheme>):(?:` + authority + `|(<path-absolute>|<path-rootless>|))` + tail)),
		regexp.MustCompile(expand(`^(?:` + authority + `|(<path-absolute>|<path-noscheme>|))` + tail))
}()

// grammatical reports whether list has no violation of the grammar. Check also reports
// other faults.
func grammatical(list []locus.Violation) bool {
	for _, v := range list {
		if v.Kind == locus.Ungrammatical {
			return false
		}
	}
	return true
}

// parts writes the components with "-" for an absent one.
func (u URI) parts() string {
	show := func(text string, ok bool) string {
		if !ok {
			return "-"
		}
		return fmt.Sprintf("%q", text)
	}
	return strings.Join([]string{show(u.Scheme()), show(u.Userinfo()), show(u.Host()), show(u.Port()), show(u.Path(), true), show(u.Query()), show(u.Fragment())}, " ")
}

// checkReference compares Check and the components with the grammar.
func checkReference(t *testing.T, text string) {
	t.Helper()
	u := Parse(text)
	list := u.Check()
	m := grammar.FindStringSubmatchIndex(text)
	if u.Conforms() != locus.Conforms(list) {
		t.Errorf("%q: Conforms is %t, Check finds %v", text, u.Conforms(), list)
	}
	if list, want := u.CheckReference(), m != nil || relativeRef.MatchString(text); grammatical(list) != want {
		t.Errorf("%q: as a reference: %v, the grammar says %t", text, list, want)
	}
	if len(text) < 200 { // the number of steps grows with the square of its length
		checkFixes(t, text, URI.Check)
		checkFixes(t, text, URI.CheckReference)
	}
	if grammatical(list) != (m != nil) {
		t.Errorf("%q: %v, the grammar says %t", text, list, m != nil)
		return
	}
	for i, v := range list {
		if v.Offset < 0 || v.Offset+len(v.Text) > len(text) || text[v.Offset:v.Offset+len(v.Text)] != v.Text || v.Help == "" || i > 0 && v.Offset < list[i-1].Offset {
			t.Errorf("%q: %v", text, list)
		}
	}
	if m == nil {
		return
	}
	checkSURT(t, u)
	show := func(i int) string {
		if m[2*i] < 0 {
			return "-"
		}
		return fmt.Sprintf("%q", text[m[2*i]:m[2*i+1]])
	}
	path := show(5)
	if path == "-" {
		path = show(6)
	}
	want := strings.Join([]string{show(1), show(2), show(3), show(4), path, show(7), show(8)}, " ")
	if got := u.parts(); got != want {
		t.Errorf("%q: %s, the grammar says %s", text, got, want)
	}
}

// fix matches the part of Help that names a replacement for Text, or says to remove it.
var fix = regexp.MustCompile(`^(?:write (\S+?)|leave out (?:the zone|\S+?))(?:[,:] .*| (?:in the|before|for|if) .*)$`)

// checkFixes repeatedly applies the fix of the first finding that is not a note. If all
// have a fix, the result must conform.
func checkFixes(t *testing.T, text string, check func(URI) []locus.Violation) {
	t.Helper()
	fixed := text
	for range 3*len(text) + 2 {
		list := slices.DeleteFunc(check(Parse(fixed)), func(v locus.Violation) bool { return v.Kind == locus.Note })
		if len(list) == 0 {
			return
		}
		v := list[0]
		m := fix.FindStringSubmatch(v.Help)
		switch {
		case m != nil:
			fixed = fixed[:v.Offset] + m[1] + fixed[v.Offset+len(v.Text):]
		case strings.HasPrefix(v.Help, "write"), strings.HasPrefix(v.Help, "leave"):
			t.Errorf("%q: a fix that the test does not apply: %s", text, v.Help)
			return
		default:
			return // no fix
		}
	}
	t.Errorf("%q: the fixes lead to %q", text, fixed)
}

// Each kind of finding that can have a fix must have one that makes the text conform.
func TestFixes(t *testing.T) {
	for text, want := range map[string]string{
		"http://h/a b\"":          "http://h/a%20b%22",
		"http://é/%zz?^#[":        "http://%C3%A9/%25zz?%5E#%5B",
		"http://1::2/":            "http://[1::2]/",
		"http://[::1]80/":         "http://[::1]:80/",
		"http://[fe80::1%eth 0]/": "http://[fe80::1]/",
		"http://[fe80::1%25]/":    "http://[fe80::1]/",
		"http://u[@h/":            "http://u%5B@h/",
	} {
		fixed := text
		for !Parse(fixed).Conforms() {
			v := Parse(fixed).Check()[0]
			m := fix.FindStringSubmatch(v.Help)
			if m == nil {
				t.Fatalf("%s: %v", fixed, v)
			}
			fixed = fixed[:v.Offset] + m[1] + fixed[v.Offset+len(v.Text):]
		}
		if fixed != want {
			t.Errorf("%s: %s, want %s", text, fixed, want)
		}
	}
}

func TestReference(t *testing.T) {
	r := rand.New(rand.NewPCG(3986, 6874))
	pieces := strings.Fields("a- .x 0x7f.1 1::2 [fe80::1%25] [::1]80 %4 http: a 1 : / // ? # @ % %2f %2G %7E [ ] [::1] [::ffff:1.2.3.4] [fe80::1%25eth0] [fe80::1%eth0] [1:2:3:4:5:6:7:8] [1:2:3:4:5:6:7::] [::2:3:4:5:6:7:8] [1::2::3] [v1.x:y] [v.] [::01.2.3.4] 1.2.3.4 :80 :0 :99999 é \x80 ~ ! ' ( ) * + , ; = < > \" \\ ^ ` { | } . .. ./ - _ mailto: urn:")
	for range 20_000 {
		var b strings.Builder
		if r.IntN(4) > 0 {
			b.WriteString("x-1+.:")
		}
		if r.IntN(2) > 0 {
			b.WriteString("//")
		}
		for range r.IntN(8) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		checkReference(t, b.String())
	}
}

func FuzzReference(f *testing.F) {
	for _, text := range examples {
		f.Add(text)
	}
	f.Add("//h:x/%")
	f.Add("x://u)(@a,b.c:/")
	f.Add("a_b:[::1]80")
	f.Add("a://[::1%25é]:0/[")
	f.Fuzz(func(t *testing.T, text string) {
		checkReference(t, text)
		u := Parse(text)
		n := u.Normalize(httpRules)
		if !grammatical(u.Check()) {
			return
		}
		if !grammatical(n.Check()) {
			t.Errorf("%q is normalized to %q", text, n)
		}
		if again := n.Normalize(httpRules); again != n {
			t.Errorf("%q: %q, then %q", text, n, again)
		}
	})
}

// examples are the examples of sections 1.1.2 and 3.
var examples = []string{
	"ftp://ftp.is.co.za/rfc/rfc1808.txt",
	"http://www.ietf.org/rfc/rfc2396.txt",
	"ldap://[2001:db8::7]/c=GB?objectClass?one",
	"mailto:John.Doe@example.com",
	"news:comp.infosystems.www.servers.unix",
	"tel:+1-816-555-1212",
	"telnet://192.0.2.16:80/",
	"urn:oasis:names:specification:docbook:dtd:xml:4.1.2",
	"foo://example.com:8042/over/there?name=ferret#nose",
	"urn:example:animal:ferret:nose",
	"file:///etc/hosts",
	"foo://info.example.com?fred",
	"ftp://cnn.example.com&story=breaking_news@10.0.0.1/top_story.htm",
}

func TestExamples(t *testing.T) {
	for _, text := range examples {
		if u := Parse(text); !u.Conforms() || u.String() != text {
			t.Errorf("%s: %v", text, u.Check())
		}
	}
	for text, want := range map[string]string{
		"foo://example.com:8042/over/there?name=ferret#nose":               `"foo" - "example.com" "8042" "/over/there" "name=ferret" "nose"`,
		"urn:example:animal:ferret:nose":                                   `"urn" - - - "example:animal:ferret:nose" - -`,
		"ftp://cnn.example.com&story=breaking_news@10.0.0.1/top_story.htm": `"ftp" "cnn.example.com&story=breaking_news" "10.0.0.1" - "/top_story.htm" - -`,
		"":           `- - - - "" - -`,
		"a:":         `"a" - - - "" - -`,
		"//h:/?#":    `- - "h" "" "/" "" ""`,
		"x://u:p@":   `"x" "u:p" "" - "" - -`,
		"1:b":        `"1" - - - "b" - -`,
		"x://[::1]:": `"x" - "[::1]" "" "" - -`,
	} {
		if got := Parse(text).parts(); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestCheck(t *testing.T) {
	for text, want := range map[string]string{
		"/a":                   "0 scheme",
		"1a:b":                 "0 scheme",
		"a_b:c":                "1 scheme",
		"http://h/~user?a=/b?": "",
		"http://h/a b\"<é":     "10 character, 12 character, 13 character, 14 character",
		"http://h/%zz%4":       "9 escape, 12 escape",
		"http://u:p@h":         "8 password",
		"http://h:8x":          "10 port",
		"http://h:0":           "9 port",
		"http://h:99999":       "9 port",
		"http://[::1":          "7 ip-literal",
		"http://[::1]x":        "12 ip-literal",
		"http://[1::2::3]":     "8 ip-literal",
		"http://[fe80::1%e]":   "15 zone",
		"http://[fe80::1%25]":  "15 zone",
		"http://[fe80::1%25a]": "15 zone",
		"ws://[::1%25eth0]:1/": "9 zone",
		"http://h_ö/[":         "9 character, 12 character",
		"http://1::2/":         "7 ip-literal",
		"http://[::1]80/":      "12 ip-literal",
		"http://u@h:/":         "",
		"http://0x7f.1/":       "7 rare-address",
		"http://2130706433/":   "7 rare-address",
		"http://010.0.0.1:1/":  "7 rare-address",
		"http://08.0.0.1/":     "7 rare-address",
		"http://1.2.3.256/":    "7 rare-address",
		"http://1.2.3.255/":    "",
		"http://1.2.3.4.5/":    "",
		"http://1.2.3/4?5#6":   "7 rare-address",
		"http://1.2.x/":        "",
		"http://1_0.2/":        "",
		"http://0b1/":          "",
		"http://1..2/":         "",
	} {
		if got := brief(Parse(text).Check()); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// brief returns the offset and rule of each finding.
func brief(list []locus.Violation) string {
	var all []string
	for _, v := range list {
		all = append(all, fmt.Sprint(v.Offset, " ", v.Rule))
	}
	return strings.Join(all, ", ")
}

func TestCheckReference(t *testing.T) {
	for text, want := range map[string]string{
		"":             "",
		"a/b:c":        "",
		"./a:b":        "",
		"//h:80/x":     "",
		"?a:b":         "",
		"#a:b":         "",
		"http://h/":    "",
		":a":           "0 path-noscheme",
		"1:b":          "0 path-noscheme",
		"a_b:c":        "0 path-noscheme",
		"é://[":        "0 path-noscheme, 0 character, 5 character",
		"//h:x/[":      "4 port, 6 character",
		"/a b":         "2 character",
		"//0x7f.1":     "2 rare-address",
		"http://u:p@h": "8 password",
	} {
		if got := brief(Parse(text).CheckReference()); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// Parse and Conforms must not allocate, whatever the text.
func TestAllocs(t *testing.T) {
	for _, text := range append(examples, "/a b", "1:b", "http://u@h:08/%zz", "http://[1::2]x/é", "http://1::2/", "http://0x7f.1:1/a?b#c%7e") {
		if n := testing.AllocsPerRun(10, func() { Parse(text).Conforms() }); n != 0 {
			t.Errorf("%s: %v allocations", text, n)
		}
	}
}

func TestZero(t *testing.T) {
	if u := (URI{}); u.parts() != Parse("").parts() || len(u.CheckReference()) != 0 || len(u.Check()) != 1 || u.Conforms() || u.Normalize(nil).String() != "" {
		t.Errorf("%s: %v", u.parts(), u.Check())
	}
}

func httpRules(scheme string) Rules {
	if scheme == "http" {
		return Rules{Port: 80, Root: true}
	}
	return Rules{}
}

// The examples of section 6.2.2 and 6.2.3 come first.
func TestNormalize(t *testing.T) {
	for text, want := range map[string]string{
		"eXAMPLE://a/./b/../b/%63/%7bfoo%7d": "example://a/b/c/%7Bfoo%7D",
		"HTTP://www.EXAMPLE.com/":            "http://www.example.com/",
		"http://example.com":                 "http://example.com/",
		"http://example.com:/":               "http://example.com/",
		"http://example.com:80/":             "http://example.com/",
		"http://example.com:0080/":           "http://example.com/",
		"mailto:Joe@Example.COM":             "mailto:Joe@Example.COM",
		"http://h/%7Euser/~":                 "http://h/~user/~",
		"http://[2001:DB8:0:0::1]/":          "http://[2001:db8::1]/",
		"http://[::FFFF:102:304]/":           "http://[::ffff:1.2.3.4]/",
		"x://H%c3%A4?%c3#%2f":                "x://h%C3%A4?%C3#%2F",
		"x:/.//a":                            "x:/.//a",
		"x:a/../b":                           "x:a/../b",
		"http://h/a/..":                      "http://h/",
		"http://h/../../a/b/.":               "http://h/a/b/",
		"../a%7e":                            "../a~",
		"http://h:00/":                       "http://h:0/",
	} {
		if got := Parse(text).Normalize(httpRules).String(); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if !Equal(Parse("HTTP://h"), Parse("http://H:80/%2e/"), httpRules) || Equal(Parse("http://h/a"), Parse("http://h/A"), nil) {
		t.Error("Equal")
	}
}

func BenchmarkCheck(b *testing.B) {
	for _, text := range []string{"http://www.library.my.town.va.us/Catalogue/76523471236%2Fwen44--4.98", "ftp://user:pass@ftp.example.org:2121/pub/doc/file.txt;type=i", "mailto:joe@host.dom"} {
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Parse(text).Conforms()
			}
		})
	}
}

func TestFormat(t *testing.T) {
	u := Parse("ftp://joe:s3cret@h/")
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		if got := fmt.Sprintf(verb, u); strings.Contains(got, "s3cret") || strings.Contains(got, fmt.Sprintf("%x", "s3cret")) {
			t.Errorf("%s: %s", verb, got)
		}
	}
	if !strings.Contains(u.String(), "s3cret") || fmt.Sprint(u) != "ftp://joe:******@h/" {
		t.Error(u)
	}
}

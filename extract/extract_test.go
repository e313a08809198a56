package extract_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/extract"
)

// texts returns the URLs in text, as written.
func texts(text string, o *extract.Options) (list []string) {
	for m := range extract.All(text, o) {
		list = append(list, m.URL.String())
	}
	return list
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestRules compares the examples in the package comment with the results.
func TestRules(t *testing.T) {
	rows := 0
	for row := range strings.Lines(read(t, "doc.go")) {
		text, rest, ok := strings.Cut(strings.TrimPrefix(row, "//\t"), "->  ")
		if !ok {
			continue
		}
		rows++
		text = strings.NewReplacer(`\n`, "\n", `\f`, "\f").Replace(strings.TrimRight(text, " "))
		if rest, ok = strings.CutPrefix(rest, "  "); ok {
			rest = ""
		}
		want, _, _ := strings.Cut(rest, "  ")
		if got := texts(text, nil); strings.Join(got, " ") != strings.TrimSpace(want) {
			t.Errorf("%q has %q, want %q", text, got, want)
		}
	}
	if rows < 40 {
		t.Errorf("%d rows", rows)
	}
}

// appendix is the example in the appendix, verbatim.
const appendix = `Yes, Jim, I found it under <URL:ftp://info.cern.ch/pub/www/doc;
type=d> but you can probably pick it up from <URL:ftp://ds.in
ternic.net/rfc>. Note the warning in <URL:http://ds.internic.
net/instructions/overview.html#WARNING>.
`

func TestAppendix(t *testing.T) {
	want := []string{
		"32-70 wrapped ftp://info.cern.ch/pub/www/doc;type=d",
		"114-140 wrapped ftp://ds.internic.net/rfc",
		"168-226 wrapped http://ds.internic.net/instructions/overview.html#WARNING",
	}
	if got := describe(appendix); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func describe(text string) (list []string) {
	for m := range extract.All(text, nil) {
		s := fmt.Sprintf("%d-%d %v %v", m.Start, m.End, m.Form, m.URL)
		if !m.Alternative.IsZero() {
			s += " or " + m.Alternative.String()
		}
		list = append(list, s)
	}
	return list
}

// TestSeeds compares all URLs in RFC 1738 and in the URI draft with a list that was compiled by
// hand. The list contains the line, the form and the URL.
func TestSeeds(t *testing.T) {
	for _, name := range []string{"rfc1738", "uri-in-www-draft"} {
		text := read(t, "testdata/"+name+".txt")
		var b strings.Builder
		lines := extract.NewLines(strings.NewReader(text))
		for m := range extract.All(text, nil) {
			fmt.Fprintf(&b, "%d\t%v\t%v\n", lines.At(m.Start).Line, m.Form, m.URL)
		}
		if want := read(t, "testdata/"+name+".urls"); b.String() != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, b.String(), want)
		}
	}
}

// TestCut truncates three texts at every byte: the appendix's example, the references in the
// draft, and a text with bare URLs. The search may find only URLs in the whole text, except for a
// part of the last URL.
func TestCut(t *testing.T) {
	draft := read(t, "testdata/uri-in-www-draft.txt")
	for _, text := range []string{appendix, draft[strings.Index(draft, "REFERENCES"):],
		"See (http://h/a_(b)), “http://h/c” and http://u:p@h.i:80/x?y#z; mailto:a@b.c, <news:comp.mail>, http://h/d%20e.\n"} {
		whole := slices.Collect(extract.All(text, nil))
		for cut := range len(text) {
			list := slices.Collect(extract.All(text[:cut], nil))
			for k, m := range list {
				if m == whole[k] {
					continue
				}
				isPart := k == len(list)-1 && m.Form == extract.Bare && m.Start == whole[k].Start &&
					m.End <= whole[k].End && cut <= int(whole[k].End)
				if !isPart {
					t.Fatalf("cut at %d: %v at %d to %d", cut, m.URL, m.Start, m.End)
				}
			}
		}
	}
}

func TestWrapped(t *testing.T) {
	for _, row := range []struct {
		text string
		want []string
	}{
		// A hyphen at the end of a line may or may not be part of the URL.
		{"<URL:http://h/a-\nb>", []string{"5-18 wrapped http://h/a-b or http://h/ab"}},
		{"<URL:http://h/a- \n\tb-\r\nc>", []string{"5-24 wrapped http://h/a-b-c or http://h/abc"}},
		{"<URL:http://h/a -b\nc>", []string{"5-20 wrapped http://h/a-bc"}},
		// The fragment belongs to the URL.
		{"<URL:http://h/a\n#f>", []string{"5-18 wrapped http://h/a#f"}},
		// A ">" is either a quotation mark or the end of the wrapper.
		{">> > <URL:http://h/a\n>> > >", []string{"10-20 wrapped http://h/a"}},
		{"> | <http://h/a\n> | b>", []string{"5-21 bracketed http://h/ab"}},
		{"<http://h/a\n> b", []string{"1-11 bracketed http://h/a"}},
		{">quoted <URL:http://h/a\n>b>", []string{"13-26 wrapped http://h/ab"}},
		// There is no margin if the line with the "<" has no margin or a different margin.
		{"x // <URL:http://h/a\n//b>", []string{"10-24 wrapped http://h/a//b"}},
		{"// <ftp:\n// //h/a>", []string{"4-17 bracketed ftp://h/a"}},
		{"1. <URL:http://h/a\n3.b>", []string{"8-22 wrapped http://h/a3.b"}},
		{" 9. <URL:http://h/a\n10. b>", []string{"9-25 wrapped http://h/ab"}},
		// Two pages of an RFC, and two pages of the draft, which contains no form feeds.
		{"<URL:http://h/a\n\n\nBerners-Lee, Masinter & McCahill     [Page 21]\n\f\nRFC 1738      Uniform Resource Locators (URL)     December 1994\n\n\n   b>", []string{"5-137 wrapped http://h/ab"}},
		{"<URL:http://h/a\n\nBerners-Lee      24\n\nRFC XXXX     URIs in WWW     12 March 1994\n\n   b>", []string{"5-86 wrapped http://h/ab"}},
		{"<URL:http://h/a\n\nBerners-Lee      24\n\n   b>", []string{"5-15 bare http://h/a"}},
		// White space outside US-ASCII, and invisible characters.
		{"<URL:\u00a0http://h/a\u200b\n\u3000b\u00ad>", []string{"7-25 wrapped http://h/ab"}},
		// The content is not a URL.
		{"<URL:> <URL: > <URL:see below> <URL:http://h:x/> <std::vector> <file:line> <a href=http://h/a>", []string{"83-93 bare http://h/a"}},
		{"<URL:http://h/\x00>", []string{"5-14 bare http://h/"}},
		// The prefix does not end a word.
		{"<MYURL:http://h/>", []string{"7-16 bare http://h/"}},
		{"<< <URL:http://h/a>>", []string{"8-18 wrapped http://h/a"}},
	} {
		if got := describe(row.text); !slices.Equal(got, row.want) {
			t.Errorf("%q has\n%q, want\n%q", row.text, got, row.want)
		}
	}
}

// TestHost checks that the surrounding text does not change the host of a URL, and that a URL is
// not truncated to a different URL.
func TestHost(t *testing.T) {
	for text, want := range map[string]string{
		// A bracket that was opened before the URL ends the URL.
		"(http://good.example),(mailto:a@evil.example)": "http://good.example mailto:a@evil.example",
		"(https://a.example)[mail](mailto:b@c.example)": "https://a.example mailto:b@c.example",
		"(http://a.example):b@c.example":                "http://a.example",
		"[a](http://a.example)@bob":                     "http://a.example",
		"{http://a.example}:x@c.example":                "http://a.example",
		"[http://a.example]:x@c.example":                "http://a.example",
		"(http://u:p@a.example):b@c.example":            "http://u:p@a.example",
		"(http://[::1]:80)@c.example":                   "http://[::1]:80",
		"(mailto:a@b.example)@c.example":                "mailto:a@b.example",
		"(mailto:a)b@c.example":                         "",
		"'mailto:a'b@c.example":                         "",
		// Quotation marks, delimiters, emphasis, and punctuation of sentences also end a URL.
		"'http://a.example'@c.example":                 "http://a.example",
		"f('GET http://a.example','b@c.example')":      "http://a.example",
		"‘http://a.example’s@c.example":                "http://a.example",
		"&lt;http://a.example&gt;&lt;mailto:b@c.d&gt;": "http://a.example mailto:b@c.d",
		"*http://a.example*:b@c.example":               "http://a.example",
		"_http://a.example_:b@c.example":               "http://a.example",
		"~http://a.example~:b@c.example":               "http://a.example",
		"http://a.example;mailto:b@c.example":          "http://a.example mailto:b@c.example",
		"http://a.example:80,b@c.example":              "http://a.example:80",
		"http://localhost,b@c.example":                 "http://localhost",
		"http://10.0.0.1!b@c.example":                  "http://10.0.0.1",
		"http://a.example看b@c.example":                 "http://a.example",
		"http://a.example(b@c.example)":                "http://a.example",
		"http://a(b@c.example)":                        "http://a",
		"http://a.example[1]@c.example":                "http://a.example",
		"news:comp.mail),a@b.example":                  "news:comp.mail",
		"news:comp.mail,a@b.example":                   "news:comp.mail",
		// These characters do not end the userinfo.
		"ftp://user:p,w!@h.example/":            "ftp://user:p,w!@h.example/",
		"ftp://us(er):pw@h.example/":            "ftp://us(er):pw@h.example/",
		"http://user%40b.example:pw@h/":         "http://user%40b.example:pw@h/",
		"http://first.last@h/":                  "http://first.last@h/",
		"http://a.example:pass@h.example/":      "http://a.example:pass@h.example/",
		"_http://user_name:pw@h.example/_":      "http://user_name:pw@h.example/",
		"http://a.example&b=c@h.example/":       "http://a.example&b=c@h.example/",
		"http://{user}:{password}@h/":           "",
		"http://h.example[:port]/ http://h[0]/": "http://h.example",
		// A host must be found completely or not at all.
		"http://exampleこれは.com/x":                                              "http://exampleこれは.com/x",
		"http://xn--はじめよう.com/x":                                               "http://xn--はじめよう.com/x",
		"http://u:p@exampleこれは.com/x":                                          "http://u:p@exampleこれは.com/x",
		"http://北京大学.cn http://北京大学.中國。":                                       "http://北京大学.cn http://北京大学.中國",
		"http://✪df.ws/1 http://a–b.example/":                                  "http://✪df.ws/1 http://a–b.example/",
		"http://exampleこれは http://これは http://ex✪ample":                         "",
		"http://xn--これは http://a.xn--これは":                                      "",
		"http://a.comです http://1.2.3.4です http://a:80です http://a.com→b":         "http://a.com http://1.2.3.4 http://a:80 http://a.com",
		"mailto:a@exampleこれは.com mailto:a@例え.jp mailto:a@b.comです mailto:a@bです": "mailto:a@exampleこれは.com mailto:a@例え.jp mailto:a@b.com",
		// A path must be found completely.
		"http://h/bestway-10'-x-30inch/p-004":    "http://h/bestway-10'-x-30inch/p-004",
		"http://h/Hatfield–McCoy_feud":           "http://h/Hatfield–McCoy_feud",
		"http://h/A_–_B http://h/1939–45":        "http://h/A_–_B http://h/1939–45",
		"http://h/പോലൊരാള്\u200d.html":           "http://h/പോലൊരാള്\u200d.html",
		"http://example.org/'_(foo)":             "http://example.org/'_(foo)",
		"http://h/a_[b_{c_(d)}]":                 "http://h/a_[b_{c_(d)}]",
		"http://h/❤\ufe0f/b http://h/👩\u200d💻x":  "http://h/❤\ufe0f/b http://h/👩\u200d💻x",
		"http://h/a∖b http://h/☺. http://h/☺.md": "http://h/a∖b http://h/☺ http://h/☺.md",
		"│http://h/a│http://h/b｜http://h/c│":     "http://h/a http://h/b http://h/c",
		"http://h/क। http://h/ك، http://h/a» x":  "http://h/क http://h/ك http://h/a",
		// A dot before the scheme is part of the surrounding text.
		"can...http://bit.ly/x": "http://bit.ly/x",
		".http://example.org/":  "http://example.org/",
		"1.http://a.example/":   "http://a.example/",
		"--http://h/a -http://h/b a-http://h/c a..b.http://h/d": "http://h/a http://h/b http://h/d",
		"etc...mailto:a@b.example 2.news:comp.mail":             "mailto:a@b.example news:comp.mail",
		"<.http://h/a> a.z39.50://h/":                           "http://h/a z39.50://h/",
	} {
		if got := strings.Join(texts(text, nil), " "); got != want {
			t.Errorf("%q has %s, want %s", text, got, want)
		}
	}
}

// TestURLsAreNotTruncated checks that a URL is found completely or not at all.
func TestURLsAreNotTruncated(t *testing.T) {
	for text, want := range map[string]string{
		// Characters of other scripts in a path.
		"http://foo.com/unicode_(✪)_in_parens http://h/a_(日本)_c":   "http://foo.com/unicode_(✪)_in_parens http://h/a_(日本)_c",
		"https://example.org/😀 http://foo.com/🐼 http://h/a-🌍":      "https://example.org/😀 http://foo.com/🐼 http://h/a-🌍",
		"http://中国.中国/中国 http://中国.中国/foo中国":                       "http://中国.中国/中国 http://中国.中国/foo",
		"https://h/tmp/自殺でも？.png https://h/tmp/自殺でも？":              "https://h/tmp/自殺でも？.png https://h/tmp/自殺でも",
		"http://h/ジョン・レノン。http://h/東京_(曖昧さ回避)を":                    "http://h/ジョン・レノン http://h/東京_(曖昧さ回避)",
		"http://h/日本語abc入門 http://h/?q=中国&r=1 http://h/#概要":        "http://h/日本語abc入門 http://h/?q=中国&r=1 http://h/#概要",
		"http://example.comテスト http://h/aテスト http://h/aというURL":     "http://example.com http://h/a http://h/a",
		"http://h/(英語) http://h/和http://h/d http://h/☺→http://h/e": "http://h/ http://h/ http://h/d http://h/ http://h/e",
		"https://🐌🍏⌚✨😐😍🐸🍑.🍕💩.ws http://☺.☺ http://☺.☺.ws/":         "https://🐌🍏⌚✨😐😍🐸🍑.🍕💩.ws http://☺.☺.ws/",
		// Templates.
		"http://ex.com/$(uname -r)/x http://ex.com/${x y}/ http://h/#{a b}":     "",
		"http://ex.com/<name>/x http://h/users/<user id> http://h/v<n>.tgz":     "",
		"http://h/<?php echo 1 ?> http://h/a<%= b %> http://h/{% url %}":        "",
		"http://h/?a=<b>c</b> http://h/a<id>b http://h/a<b@c.d> http://h/<a":    "http://h/?a= http://h/a http://h/a http://h/",
		"https://t.… https://t... https://h/... http://h/a…b http://h/...).":    "",
		"https://h.example... https://h/a/.../b https://h/a/..., http://h/..":   "https://h.example https://h/a/.../b http://h/",
		"http://moo.com{ https://a.de{b http://h/a{ b } http://h/a{b c}. x":     "http://moo.com https://a.de http://h/a http://h/a",
		"https://h/{id}/x https://h{/id} https://h/{a b}/x https://h/a{b c}/x":  "https://h/{id}/x",
		"^http://foo.com$ http://a~ http://h$/ http://h$a http://h.example$.":   "http://foo.com http://a http://h.example",
		`file:///C:\Users\x file://C:\x "file:///C:/x\n"`:                       "file:///C:/x",
		`http://github\.com/x http://h/\w+ http://h/\{id\} http://h/a\{`:        "http://h/a",
		`"http://h/a\n" 'http://h/b\t' \"http://h/c\" http://h/d\ http://h/e\\`: "http://h/a http://h/b http://h/c http://h/d http://h/e",
		// A "%" that does not begin an escape.
		"https://tc39.es/ecma262/#sec-%typedarray%.prototype.find":             "https://tc39.es/ecma262/#sec-%25typedarray%25.prototype.find",
		"http://foo.bar/path% http://h/100%. http://h/%_sec http://h/?a=%=%20": "http://foo.bar/path%25 http://h/100%25 http://h/%25_sec http://h/?a=%25=%20",
		"http://h/%s http://h/%d.html http://h/%7s http://h/%1/ http://h/%ld":  "",
		"http://h/%+v http://h/%-9s http://h/%(a)s http://h/%{a} http://h/%%s": "",
		"http://h% http://%s/ http://u%@h/ <http://h/a%zz> <URL:x-y:50%>":      "http://h/a%25zz x-y:50%25",
		// Backslashes of TeX and Markdown.
		`\url{http://h/a\_b} \href{http://h/\%7Ea\#b\&c}{d} \url{http://h/a\_}`: "http://h/a_b http://h/%7Ea#b&c http://h/a",
		`http://h/Intersection_\(set_theory\) \(http://h/a\) http://h/a\(b`:     "http://h/Intersection_(set_theory) http://h/a http://h/a",
		`http://a\_b.example/ http://a\_b@c.example/ mailto:a@b\_c.d`:           "",
		// The rest.
		"https://example.org/* https://example.org/** http://h/?q=** http://a.b*": "https://example.org/ https://example.org/ http://h/?q=** http://a.b",
		"file:/etc/motd file:/ file:line (file:/a). x/file:/b":                    "file:/etc/motd file:/a",
		"http://h/#state.Plugin.constructor^options.x http://h/a^b":               "http://h/#state.Plugin.constructor^options.x http://h/a",
		"http://h/c?chxl=-1:|ajv http://h/?a=b|c http://h/:|d |http://h/?a=|b|":   "http://h/c?chxl=-1:|ajv http://h/?a=b http://h/ http://h/?a=",
	} {
		if got := strings.Join(texts(text, nil), " "); got != want {
			t.Errorf("%q has\n%s, want\n%s", text, got, want)
		}
	}
}

// TestEscaped checks that Match.Escaped is set if a "%" in the URL was escaped.
func TestEscaped(t *testing.T) {
	const text = "http://h/100% http://h/%20 <http://h/%zz> <URL:http://h/%> www.h.i/%"
	var got []string
	for m := range extract.All(text, &extract.Options{Schemeless: true}) {
		got = append(got, fmt.Sprint(text[m.Start:m.End], " ", m.URL, " ", m.Escaped))
	}
	want := []string{"http://h/100% http://h/100%25 true", "http://h/%20 http://h/%20 false", "http://h/%zz http://h/%25zz true", "http://h/% http://h/%25 true", "www.h.i/% http://www.h.i/%25 true"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestIRI checks that Match.IRI is set for URLs with characters outside US-ASCII, in every form.
func TestIRI(t *testing.T) {
	const text = "http://h/a http://h/ä <http://h/ö> <URL:http://例え.jp> http://exampleこれは.com"
	var got []string
	for m := range extract.All(text, nil) {
		got = append(got, fmt.Sprint(m.URL, " ", m.IRI))
	}
	want := []string{"http://h/a false", "http://h/ä true", "http://h/ö true", "http://例え.jp true", "http://exampleこれは.com true"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestSchemeless(t *testing.T) {
	for text, want := range map[string]string{
		"See www.example.com/a_(b), (Www.Example.COM:80?x).":                                      "http://www.example.com/a_(b) http://Www.Example.COM:80?x",
		"joe@example.com, <a+b.c-d_e@f.g.example>; x:y@z.example":                                 "mailto:joe@example.com mailto:a+b.c-d_e@f.g.example mailto:y@z.example",
		"www.foo@bar.example http://www.a.example mailto:a@b.example":                             "mailto:www.foo@bar.example http://www.a.example mailto:a@b.example",
		"awww.a.example x.www.a.example /www.a.example a/b@c.example":                             "",
		"well...www.a.example .www.b.example":                                                     "http://www.a.example http://www.b.example",
		"www. www.. www.a_b.example www.a_b.c.example a@b a@b. a@b..c a@b_c.d_ a@b.c- @b.example": "http://www.a_b.c.example",
		"_a@b.example_ __www.a.example__ *www.b.example*":                                         "mailto:a@b.example http://www.a.example http://www.b.example",
		"www.a.example谢谢 a@b.example谢谢 a@b.exampleж 看www.例え.jp/x":                                 "http://www.a.example mailto:a@b.example http://www.例え.jp/x",
		"http://$host/a@b.example (http://a.example)b@c.example":                                  "http://a.example mailto:b@c.example",
		"react@0.11.1 foo@1.2.3.4 a@a.29 a@b.c1. git@github.com:vim/vim":                          "mailto:git@github.com",
		"mailto:a@b'ЖЖ~www.カ":                                                                     "mailto:a@b'ЖЖ~www",
		"git@h.example:a/b a@b.example@c.example":                                                 "mailto:git@h.example",
		strings.Repeat("a", 65) + "@b.example " + strings.Repeat("a", 64) + "@b.example":          "mailto:" + strings.Repeat("a", 64) + "@b.example",
	} {
		if got := strings.Join(texts(text, &extract.Options{Schemeless: true}), " "); got != want {
			t.Errorf("%q has %s, want %s", text, got, want)
		}
	}
	for m := range extract.All("www.a.example a@b.example http://c.example", &extract.Options{Schemeless: true}) {
		if m.Assumed != (m.URL.Host() != "c.example") || m.Form != extract.Bare {
			t.Errorf("%v: assumed %v, %v", m.URL, m.Assumed, m.Form)
		}
	}
	only := &extract.Options{Schemeless: true, Schemes: extract.Named(extract.Any, "mailto")}
	if got := texts("www.a.example a@b.example", only); !slices.Equal(got, []string{"mailto:a@b.example"}) {
		t.Errorf("only mailto: %q", got)
	}
	if got := texts("www.a.example a@b.example", &extract.Options{Schemeless: true, NoBare: true}); got != nil {
		t.Errorf("without bare URLs: %q", got)
	}
}

func TestLongest(t *testing.T) {
	scheme := "http://h/"
	long := scheme + strings.Repeat("a", locus.MaxLen-len(scheme))
	for _, row := range []struct {
		name, text string
		want       int
	}{
		{"longest", long + " x", 1},
		{"too long", long + "a http://h/b", 1},
		{"longest, punctuated", long + ". http://h/b", 1},
		{"longest host", "http://" + strings.Repeat("a", locus.MaxLen-7) + " x", 1},
		{"too long a host", "http://" + strings.Repeat("a", locus.MaxLen-6) + " x", 0},
		{"longest address", "mailto:a@" + strings.Repeat("a", locus.MaxLen-9) + " x", 1},
		{"too long a name", "mailto:" + strings.Repeat("a", 2*locus.MaxLen) + "@b x", 0},
		{"longest, wrapped", "<URL:" + long + ">", 1},
		{"folded", "<URL:" + strings.ReplaceAll(long[:locus.MaxLen/2], "aa", "a\na") + ">", 1},
		{"too long, wrapped", "<URL:" + long + "a>", 0},
		{"too much white space", "<URL:http://h/a\nb" + strings.Repeat(" ", 2*locus.MaxLen) + ">", 1},
		{"name of no scheme", strings.Repeat("a", 1000) + "http://h/", 0},
	} {
		if got := texts(row.text, nil); len(got) != row.want {
			t.Errorf("%s: %d URLs, want %d", row.name, len(got), row.want)
		}
	}
}

func TestOptions(t *testing.T) {
	const text = "http://h/a <ftp://h/b> <URL:x-y:c> gemini://h/d tel:+1"
	for _, row := range []struct {
		o    *extract.Options
		want string
	}{
		{nil, "http://h/a ftp://h/b x-y:c"},
		{&extract.Options{}, "http://h/a ftp://h/b x-y:c"},
		{&extract.Options{NoBare: true}, "ftp://h/b x-y:c"},
		{&extract.Options{Schemes: extract.Named(extract.Any, "gemini", "tel")}, "x-y:c gemini://h/d tel:+1"},
	} {
		if got := strings.Join(texts(text, row.o), " "); got != row.want {
			t.Errorf("%+v: %s, want %s", row.o, got, row.want)
		}
	}
	if got := texts("GEMINI://h/", &extract.Options{Schemes: extract.Named(extract.Any, "gemini")}); len(got) != 1 {
		t.Errorf("upper case: %q", got)
	}
}

// TestClone checks that a cloned URL stays valid when the text changes.
func TestClone(t *testing.T) {
	const text = "http://h/a <ftp://h/b> <URL:x-y:c\n-\nd> news:a.b http://[::1]/(e), \u4E2Dhttp://h/f\u4E2D"
	octets := []byte(text)
	var got []string
	var found []extract.Match
	for m := range extract.All(unsafe.String(&octets[0], len(octets)), &extract.Options{Clone: true}) {
		found = append(found, m)
	}
	clear(octets)
	for _, m := range found {
		got = append(got, m.URL.String()+m.Alternative.String())
	}
	var want []string
	for m := range extract.All(text, nil) {
		want = append(want, m.URL.String()+m.Alternative.String())
	}
	if !slices.Equal(got, want) || len(want) < 6 {
		t.Errorf("%q, want %q", got, want)
	}
}

// Each Part must accept its kind of text after "x:". Every Part must accept a host.
func TestParts(t *testing.T) {
	const text = "x://h/a x:///b x:c@d x:e.f x:gh:i x:j"
	for part, want := range map[extract.Part]string{
		extract.Host: "x://h/a", extract.HostOrPath: "x://h/a x:///b", extract.Address: "x://h/a x:c@d",
		extract.Group: "x://h/a x:c@d x:e.f", extract.Namespace: "x://h/a x:gh:i", extract.Any: "x://h/a x:c@d x:e.f x:gh:i x:j",
	} {
		schemes := extract.NewSchemes(extract.Scheme{Name: "x", Part: part})
		if got := strings.Join(texts(text, &extract.Options{Schemes: schemes}), " "); got != want {
			t.Errorf("%d: %s, want %s", part, got, want)
		}
	}
}

func TestAllocations(t *testing.T) {
	text := strings.Repeat("See http://h.i/a(b), <URL:ftp://h/a> and mailto:a@b; news: no. ", 20)
	var count int
	allocs := testing.AllocsPerRun(20, func() {
		count = 0
		for range extract.All(text, nil) {
			count++
		}
	})
	if count != 60 || allocs != 0 {
		t.Errorf("%d URLs, %v allocations", count, allocs)
	}
}

// TestStop checks that the search ends if the loop ends early.
func TestStop(t *testing.T) {
	for range extract.All(appendix, nil) {
		break
	}
	for _, err := range extract.Stream(strings.NewReader(appendix), nil) {
		if err != nil {
			t.Error(err)
		}
		break
	}
}

// Text that contains many beginnings of long URLs must not be read repeatedly, which would take
// minutes.
func TestHostile(t *testing.T) {
	for _, piece := range []string{"http://a,", "http://a(", "http://h/[", "http://h/(☺", "_http://a.b_", "http://a.b看", "http://h/'", "mailto:a@b,", "<URL:http://a ",
		"http://h/a{ b ", "http://h/%", "http://h/#^a", "http://h/看", "http://☺.", "http://h/_(看", "http://h/\\(a", "http://h/&lt;a", "http://h/<a ", "http://h/…"} {
		hostile(t, piece, strings.Repeat(piece, (520<<10)/len(piece)))
	}
	for _, piece := range []string{"%", "%s", "看", "看a", "☺", "・", "看？.a", "{", "{{", "\\(", "\\_a", "^a", "=|a", "_(看)", "_(看", "*", "...", "…", "<a>", "&lt;"} {
		long := "http://h/?#a" + strings.Repeat(piece, 60_000/len(piece)) + " "
		hostile(t, piece, strings.Repeat(long, 10))
	}
}

// hostile compares the results of All and Stream for a text.
func hostile(t *testing.T, name, text string) {
	t.Helper()
	n := 0
	for range extract.All(text, nil) {
		n++
	}
	m := 0
	for _, err := range extract.Stream(strings.NewReader(text), nil) {
		if m++; err != nil {
			t.Error(err)
		}
	}
	if n != m {
		t.Errorf("%q again and again: %d URLs, and %d streamed", name, n, m)
	}
}

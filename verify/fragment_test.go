package verify

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

func TestSlug(t *testing.T) {
	for heading, want := range map[string]string{
		"Title":                        "title",
		"Two Words":                    "two-words",
		"  Blanks   in  it ":           "blanks---in--it",
		"With `code()` and *emphasis*": "with-code-and-emphasis",
		"What's new? (2026)":           "whats-new-2026",
		"under_score - and - dash":     "under_score---and---dash",
		"C++ & Go":                     "c--go",
		"Ünïcödé 日本語 Жук":              "ünïcödé-日本語-жук",
		"A [link](http://h/) here":     "a-link-here",
		"An ![image](x.png) here":      "an--here",
		"1.2.3 Numbers":                "123-numbers",
		"Tom &amp; Jerry \\*":          "tom--jerry-",
		"<b>bold</b> text":             "bold-text",
		"~~gone~~ <http://h/>":         "gone-httph",
		"e\u0301 combined":             "e\u0301-combined",
	} {
		a := markdownAnchors("# "+heading+"\n", false, false)
		if !a.find(want) || len(a.names) != 1 {
			t.Errorf("%q: no %q among %d", heading, want, len(a.names))
		}
	}
}

func TestMarkdownAnchors(t *testing.T) {
	a := markdownAnchors("# Same\n\nSame\n====\n\n## Same-1\n\n### same\n\n```\n# Not this\n```\n\n"+
		"    # Nor this\n\n<a name=\"Named\"></a> text <span id='in-text'>x</span>\n\n<div id=block>\n\n# In HTML\n\n</div>\n\n> # Quoted\n\n# Its `own` name {#own .x}\n\n# Set {#}\n\n# Set {a}\n\n- # In a list\n\nnot a heading\n", false, false)
	for fragment, want := range map[string]bool{
		"same": true, "same-1": true, "same-2": true, "same-1-1": true, "same-3": false, "not-this": false, "nor-this": false,
		"Named": true, "named": true, "in-text": true, "block": true, "in-html": true, "quoted": true, "in-a-list": true, "SAME": true,
		"not-a-heading": false, "": true, "top": true, "user-content-same": true, "user-content-none": false,
		"own": true, "its-own-name-own-x": true, "its-own-name": true, "x": false, "set-a": true, "set": false,
	} {
		if got := a.find(fragment); got != want {
			t.Errorf("%q: %v", fragment, got)
		}
	}
}

func TestHTMLAnchors(t *testing.T) {
	a := htmlAnchors(`<!doctype html><title id=t>T</title><h1 ID="One">x</h1><a NAME='two'>y</a><input name=three><p id="ü">
		<!-- <p id=commented> --><script>"<p id=scripted>"</script><p id="a b"><p id="a&amp;b"><p id="per%63ent"><h2 id=user-content-readme>
		<svg><g id=drawn></svg><template><p id=inert></template><p id=last`, false)
	for fragment, want := range map[string]bool{
		"One": true, "one": false, "two": true, "three": false, "t": true, "%C3%BC": true, "ü": true, "commented": false, "scripted": false,
		"a%20b": true, "a&b": true, "a%26b": true, "per%63ent": true, "percent": false, "readme": true, "drawn": true,
		"top": true, "TOP": true, "": true, "none": false, "last": false, "One:~:": true, "none:~:": false, "bad%zz": false,
	} {
		if got := a.find(fragment); got != want {
			t.Errorf("%q: %v", fragment, got)
		}
	}
}

func TestFragmentsOfPrograms(t *testing.T) {
	for _, c := range []struct {
		page, fragment string
		want           bool
	}{
		{"<a id=7></a><a id=12></a>", "7-12", true},
		{"<a id=7></a><a id=12></a>", "7-13", false},
		{"<a id=7></a><a id=12></a>", "7-", false},
		{"<a id=a></a><a id=b></a>", "a-b", false},
		{`<meta http-equiv=Refresh content="0;URL=other.html">`, "x", true},
		{`<meta http-equiv=refresh content="300">`, "x", false},
		{`<meta name=viewport content="width=device-width">`, "x", false},
	} {
		if got := htmlAnchors(c.page, false).find(c.fragment); got != c.want {
			t.Errorf("%s#%s: %v", c.page, c.fragment, got)
		}
	}
}

// An empty XML element has no end tag, so the text after the element is not its content.
func TestXMLAnchors(t *testing.T) {
	const page = `<html><head><title/><script src="a.js"/></head><body><p id="one">Some</p><script>"<p id=two>"</script> text</body></html>`
	for begin, want := range map[string][3]bool{"\uFEFF<?xml version='1.0'?>\n": {true, false, true}, "": {false, false, false}} {
		a := htmlAnchors(begin+page, true)
		if got := [3]bool{a.find("one"), a.find("two"), a.find(":~:text=some%20text")}; got != want {
			t.Errorf("%q: %v", begin, got)
		}
	}
}

func TestTextFragments(t *testing.T) {
	a := htmlAnchors(`<title>Not Read</title><h1 id=one>A  Heading</h1><p>Some <b>bo</b>ld&nbsp;words,
		and more.<p>Next paragraph<script>hidden text</script><ul><li>first<li>second</ul>`, true)
	for fragment, want := range map[string]bool{
		":~:text=some%20bold%20words": true, ":~:text=A%20heading": true, ":~:text=some,more": true, ":~:text=more,some": false,
		":~:text=heading-,some": true, ":~:text=some,-bold": true, ":~:text=some,words,-next": true, ":~:text=second-,first": false,
		":~:text=hidden": false, ":~:text=not%20read": false, ":~:text=first%20second": true, ":~:text=": false,
		":~:text=nope&text=next": true, "one:~:text=words": true, "none:~:text=words": false, "one:~:text=nope": false, ":~:other=x": true,
		":~:text=a%2C%20b": false, ":~:text=words%2C%20and": true,
	} {
		if got := a.find(fragment); got != want {
			t.Errorf("%q: %v", fragment, got)
		}
	}
}

// A text fragment matches the visible text of a Markdown document, not its markup and link
// destinations.
func TestMarkdownTextFragments(t *testing.T) {
	a := markdownAnchors("# A\nSome text **he**re, *a [link](gone.md \"title\") and* `co.de`\n> quoted\n> lines &amp; caf&eacute;\n\n"+
		"| cell | next |\n|---|---|\n| *x*\\_y | z |\n\n<p>Some <b>bo</b>ld HTML</p>\n\n<!-- comment -->\n\n```\nblock\n```\n1. first\n2. second <https://h.example/>\n", false, true)
	for fragment, want := range map[string]bool{
		":~:text=Some%20text": true, ":~:text=some%20text%20here%2C%20a%20link%20and%20co.de": true, ":~:text=A,text": true, "a:~:text=quoted%20lines": true,
		":~:text=lines%20%26%20caf%C3%A9": true, ":~:text=x_y": true, ":~:text=bold%20html": true, ":~:text=block": true, ":~:text=some-,text,-here": true,
		":~:text=https%3A%2F%2Fh.example%2F": true, ":~:text=%2B%2B": true,
		":~:text=none%20of%20it": false, ":~:text=gone.md": false, ":~:text=comment": false, "none:~:text=text": false, ":~:text=asome": false, ":~:text=": false,
	} {
		if got := a.find(fragment); got != want {
			t.Errorf("%q: %v in %q", fragment, got, a.text)
		}
	}
}

// Converting the text of hostile Markdown takes linear time.
func TestMarkdownTextIsLinear(t *testing.T) {
	for _, piece := range []string{"a\n\n", "<b>x", "`a` ", "[a](b)\n", "> "} {
		a := markdownAnchors(strings.Repeat(piece, (1<<20)/len(piece)), false, true)
		a.find(":~:text=none")
	}
}

// A line fragment never refers to a heading in Markdown, but may refer to a name in HTML.
func TestLinesOfFiles(t *testing.T) {
	fsys := fstest.MapFS{
		"a.md":   {Data: []byte("# A\n[1](b.md?plain=1#L3) [2](b.md#L3-L4) [3](b.md#L900) [4](b.md#lines) [5](b.txt#L3) [6](c.html#L3) [7](c.html#L4) [8](none.md#L3) [9](#L1C2-L3C4)\n")},
		"b.md":   {Data: []byte("# B\n")},
		"b.txt":  {Data: []byte("B\n")},
		"c.html": {Data: []byte("<p id=L3>x")},
	}
	report, err := Files(fsys, nil)
	if err != nil {
		t.Fatal(err)
	}
	var bad []string
	for _, r := range report.Bad() {
		bad = append(bad, r.Written)
	}
	if want := []string{"b.md#lines", "c.html#L4", "none.md#L3"}; !slices.Equal(bad, want) {
		t.Errorf("%q, not %q", bad, want)
	}
}

func TestIsProgram(t *testing.T) {
	for text, want := range map[string]bool{
		"http://h/#/route": true, "http://h/#!/route": true, "http://h/f.go#L10": true, "http://h/f.go#L10-L20": true, "http://h/f.go#L10-20": true,
		"http://h/f.go#L1C2-L3C4": true, "http://h/#Lists": false, "http://h/#L": false, "http://h/#L-1": false, "http://h/#a": false,
		"file:///f.md#L10": false,
	} {
		u := locus.MustParse(text)
		fragment, _ := u.Fragment()
		if got := isProgram(u, fragment); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

func TestParseRules(t *testing.T) {
	r, err := ParseRules("ignore = [\"http://localhost*\"]\n[[accept]]\nurl = \"*\"\nstatus = [403, 999]\nverdict = [\"warning\"]\nreason = \"so\"\n")
	if err != nil || len(r.Ignore) != 1 || len(r.Accept) != 1 || r.Accept[0].Verdict[0] != Warning || r.Accept[0].Status[1] != 999 || r.Accept[0].Reason != "so" {
		t.Errorf("%+v, %v", r, err)
	}
	for text, says := range map[string]string{
		"ignor = []":               "ignor",
		"ignore = [\"\"]":          "write \"telnet:\"",
		"[[accept]]\nstatus = [1]": "no url",
		"[[accept]]\nurl = \"*\"\nverdict = [\"deadish\"]": "deadish",
		"ignore = 1": "ignore",
		"= =":        "line 1",
		"[[accept]]\nurl = \"*\"\nstatuses = [1]": "statuses",
	} {
		if _, err := ParseRules(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestBaseline(t *testing.T) {
	var b strings.Builder
	if err := WriteBaseline(&b, []string{"http://b/", "a.md: x#y", "http://b/", "", "bad\nline"}); err != nil {
		t.Fatal(err)
	}
	want := baselineHead + "a.md: x#y\nhttp://b/\n"
	if b.String() != want {
		t.Errorf("%q", b.String())
	}
	got, err := ParseBaseline(strings.ReplaceAll(b.String(), "\n", "\r\n"))
	if err != nil || strings.Join(got.Links(), "|") != "a.md: x#y|http://b/" || !got.has("http://b/") || got.has("http://c/") {
		t.Errorf("%v, %v", got, err)
	}
	if (*Baseline)(nil).has("x") {
		t.Error("no baseline has something")
	}
	if _, err := ParseBaseline(strings.Repeat("x", maxBaseline+1)); err == nil {
		t.Error("a line of any length is taken")
	}
}

func FuzzFragments(f *testing.F) {
	f.Add("<p id=a>text</p>", "a:~:text=te,xt")
	f.Add("# A\n<a name=b>\n# A", "a-1")
	f.Add("\x00<a name='", "%zz")
	f.Fuzz(func(t *testing.T, page, fragment string) {
		list := []*anchors{htmlAnchors(page, true), markdownAnchors(page, false, true)}
		for _, a := range list {
			a.find(fragment)
			if !a.find("") || !a.find("top") {
				t.Error("the top is not there")
			}
		}
	})
}

func FuzzRules(f *testing.F) {
	f.Add("ignore = [\"a*\"]\n[[accept]]\nurl=\"*#b\"\nstatus=[1]\nverdict=[\"dead\"]")
	f.Add("ignore = [\"http://a/*\", \"*.b\"]\ninclude = [\"http:*\"]\nexclude-path = [\"**/x\"]\nremap = [\"http://a/ http://c/\"]")
	f.Add("[[accept]]\nurl=\"http://a/b\"\nreason=\"known\"\n[[host]]\nurl=\"http://a/\"\nrate=\"1s\"\nparallel=2\ntimeout=\"9s\"\nheaders=[\"X: y\"]\nbearer=\"env:T\"")
	u := locus.MustParse("http://a/b")
	registry := new(scheme.Registry)
	matches := func(p policy.Pattern) bool {
		_, ok := firstMatch([]policy.Pattern{p}, u, registry)
		return ok
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRules(text)
		if err != nil {
			if r != nil || err.Error() == "" {
				t.Fatalf("%+v, %v", r, err)
			}
			return
		}
		if _, ok := r.ignoredBy(u, registry); ok != slices.ContainsFunc(r.Ignore, matches) {
			t.Errorf("ignored %v by %v", ok, r.Ignore)
		}
		reason, ok := r.accepts(u, &Outcome{Verdict: Dead, Status: 1}, registry)
		i := slices.IndexFunc(r.Accept, func(a Accept) bool {
			return matches(a.URL) && (len(a.Status) == 0 || slices.Contains(a.Status, 1)) && (len(a.Verdict) == 0 || slices.Contains(a.Verdict, Dead))
		})
		if ok != (i >= 0) || ok && reason != r.Accept[i].Reason {
			t.Errorf("accepted %v for %q by %+v", ok, reason, r.Accept)
		}
	})
}

func FuzzRecord(f *testing.F) {
	value, err := json.Marshal(record{Verdict: Dead, When: 1, Detail: "x", Fragments: map[string]bool{"a": true}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(value)
	f.Add([]byte{})
	f.Add([]byte(`{"v":"moved","w":99,"s":301,"d":"d","t":"http://u:p@h/","p":true,"h":"http://a/ http://b/","a":7,"n":3,"f":{"x":false}}`))
	f.Add([]byte(`{"v":"unsure","w":-1,"t":"no URL","f":null}`))
	f.Fuzz(func(t *testing.T, value []byte) {
		var r record
		if json.Unmarshal(value, &r) != nil {
			return
		}
		// Results for fragments do not change when they are encoded as JSON and decoded.
		answer := &Response{Outcome: r.outcome(), When: unixTime(r.When), Fragments: r.Fragments}
		text, err := json.Marshal(answer)
		if err != nil {
			t.Fatalf("%s: %v", value, err)
		}
		var again Response
		if err := json.Unmarshal(text, &again); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if twice, err := json.Marshal(&again); err != nil || string(twice) != string(text) {
			t.Errorf("%s, and again %s, %v", text, twice, err)
		}
		if _, ok := again.Outcome.To.Password(); ok {
			t.Errorf("a password in %s", text)
		}
	})
}

func TestWithoutPasswords(t *testing.T) {
	for text, want := range map[string]string{
		"plain": "plain", "": "", "http://h/ and http://u@h/": "http://h/ and http://u@h/",
		"a http://u:p@h/ b ftp://v:q/w@x@i/": "a http://u:***@h/ b ftp://v:***@i/", "<a href='//u:p@h/'>": "<a href='//u:***@h/'>",
		"http://:@h/": "http://:@h/", "http://h:80/ a@b": "http://h:80/ a@b",
	} {
		if got := locus.MaskText(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// GitHub also creates fragments for headings in HTML.
func TestHTMLHeadingsInMarkdown(t *testing.T) {
	const source = "# Same\n<h3 align=center>A <b>b</b> &amp; c</h3>\n\nx <H2>same</H2> y\n\n<h1>\n\n[Some](x) `code`\n\n</h1>\n\n<h2>open\n"
	a := markdownAnchors(source, false, false)
	for fragment, want := range map[string]bool{"a-b--c": true, "same": true, "same-1": true, "same-2": false, "some-code": true, "open": false, "x": false} {
		if a.find(fragment) != want {
			t.Errorf("%s: %v", fragment, !want)
		}
	}
	for _, unit := range []string{"<h1>", "<h1>a ", "</h1>", "<h1>\n\na ", "<h1>a</h1>"} {
		htmlHeadings(strings.Repeat(unit, 1<<20/len(unit)), false)
	}
}

package htmltext_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/locus-url/locus/internal/htmltext"
	"github.com/locus-url/locus/internal/markup"
)

// lines is an Output that stores each line with its empty lines, quotation marks and margin.
type lines struct {
	t testing.TB
	htmltext.Renderer
	text strings.Builder
	most htmltext.Line
	tags []string
}

func (l *lines) Tag(name string, _ *markup.HTML) { l.tags = append(l.tags, name) }

func (l *lines) Begin(begin htmltext.Line) {
	if begin.Empty < 0 || begin.Quotes < 0 || strings.TrimLeft(begin.Margin, " ") != "* " && strings.Trim(begin.Margin, " ") != "" {
		l.t.Errorf("a line begins with %+v", begin)
	}
	l.most.Quotes = max(l.most.Quotes, begin.Quotes)
	if len(begin.Margin) > len(l.most.Margin) {
		l.most.Margin = begin.Margin
	}
	if l.text.Len() > 0 {
		l.text.WriteString("\n" + strings.Repeat("\n", begin.Empty))
	}
	l.text.WriteString(strings.Repeat("> ", begin.Quotes) + begin.Margin)
}

func (l *lines) Text(text string) {
	if text == "" || strings.Contains(text, "\n") || !l.InLine() {
		l.t.Errorf("text %q, in a line: %v", text, l.InLine())
	}
	l.text.WriteString(text)
}

// render renders a page with "|" between cells. If inPieces is true, each letter of a text is a
// token.
func render(t testing.TB, source string, inPieces bool) *lines {
	l := &lines{t: t}
	l.Output, l.Cell = l, "|"
	tokens := markup.HTML{Source: source}
	for tokens.Next() {
		piece := tokens
		for inPieces && piece.Kind == markup.Text && piece.Name == "" && piece.Start < piece.Token.End && isLetter(source[piece.Start]) {
			piece.End = piece.Start + 1
			l.Token(&piece)
			piece.Start, piece.End = piece.End, tokens.Token.End
		}
		l.Token(&piece)
	}
	return l
}

func isLetter(c byte) bool { return c < 0x80 && c != '&' && c != '\r' }

func TestRenderer(t *testing.T) {
	for source, want := range map[string]string{
		"":                              "",
		" \n <p> </p><div><br>":         "",
		"<p>one<p> two \n words":        "one\n\ntwo words",
		"a<br>b<br><br><br>c<BR/>d":     "a\nb\n\nc\nd",
		"<div>a</div><br><div>b</div>c": "a\n\nb\nc",
		"a<hr>b<hr><hr>":                "a\n----\nb\n----\n----",
		"<b>a</b>b <i> c</i>":           "ab c",
		"<ul><li>a<ul><li>b<ol><li>c</ol></ul><li>d</ul>e":                        "* a\n  * b\n    * c\n* d\ne",
		"<li>a<li> <p>b<li></li>c":                                                "* a\n\n* b\n* c",
		"a<dl><dt>b<dd>c<dd><dl><dt>d</dl></dl>e":                                 "a\n\nb\n  c\n\n  d\n\ne",
		"<blockquote>a<br>b<blockquote>c</blockquote></blockquote></blockquote>d": "> a\n> b\n\n> > c\n\nd",
		"a<table><tr><td>b<td>c</td> <td></td><tr><td></td><th>d</table>e":        "a\n\nb | c |\nd\n\ne",
		"<td>&nbsp;<td>a<td>&nbsp;<td>b":                                          "  a | | b",
		"a<pre>\n\nb\r\n  c\td\n\n\n</pre>e":                                      "a\n\n\n\nb\n  c\td\n\n\ne",
		"<pre>a<b>\nb</b>\n</pre> <pre>\nc</pre>":                                 "a\nb\n\n\nc",
		"<pre>a&nbsp;&#10;b":                                                      "a \nb",
		"a&nbsp;&nbsp;b &nbsp; c&nbsp;<p>&nbsp;<p>&nbsp; &nbsp;d":                 "a  b   c\n\n   d",
		"<img alt=' a\n b&gt; '><img alt=' '><img src=x>c":                        "[a b>]c",
		"<xmp><b>&amp;</xmp>":                                                     "<b>&amp;",
		"a<select><option>b</select>c<object>d<p>e</object>f<textarea>g</textarea><svg><title>h</title></svg><template>i</template>": "acd\n\nef",
		"<script>if (a<b) '</p>'</script>a<style>b</style><iframe>c</iframe><!-- d --><!doctype e>":                                  "a",
		"<select>a<p>b": "",
	} {
		for _, inPieces := range []bool{false, true} {
			if got := strings.TrimRight(render(t, source, inPieces).text.String(), " "); got != want {
				t.Errorf("%s, in pieces %v:\n%q, want\n%q", source, inPieces, got, want)
			}
		}
	}
}

func TestTitle(t *testing.T) {
	for source, want := range map[string]string{
		"a":                            "",
		"<title> a &amp;\n b </title>": " a & b ",
		"<title></title><svg><title>a</title></svg><title>b</title><title>c</title>": "b",
	} {
		l := render(t, source, false)
		if got := strings.ReplaceAll(l.Title, "\n", ""); got != want || strings.ContainsAny(l.text.String(), "bc") {
			t.Errorf("%s: %q, want %q; %q", source, got, want, l.text.String())
		}
	}
}

// An Output must receive the tags of visible elements, and may add text and end lines.
func TestTags(t *testing.T) {
	l := render(t, "<P>a<select><b></select><svg/><a></A><br>", false)
	if got := fmt.Sprint(l.tags); got != "[p]" { // svg has no end tag
		t.Errorf("%s", got)
	}
	if l = render(t, "<P>a<select><b></select><a></A><br>", false); fmt.Sprint(l.tags) != "[p a a br]" {
		t.Errorf("%s", l.tags)
	}
	l.Put("b")
	l.Put("c")
	l.EndLine()
	l.EndLine()
	l.Put("d")
	if got := l.text.String(); got != "a\nbc\nd" {
		t.Errorf("%q", got)
	}
}

// Elements may be nested to any depth, but the Renderer shows only a few levels.
func TestDepth(t *testing.T) {
	for _, unit := range []string{"<blockquote>a", "<ul><li>a", "<pre>a", "</ul></blockquote></pre>a", "<dl><dd>a", "<table><tr><td>a"} {
		const n = 50_000
		l := render(t, strings.Repeat(unit, n), false)
		if most := l.most; most.Quotes > 20 || len(most.Margin) > 18 {
			t.Errorf("%s: %+v", unit, most)
		}
		if got := strings.Count(l.text.String(), "a"); got != n || l.text.Len() > 60*n {
			t.Errorf("%s: %d texts, %d octets", unit, got, l.text.Len())
		}
	}
}

// A page must not make the renderer store a long line of spaces, or many empty lines.
func TestBlanksAreBounded(t *testing.T) {
	const n = 100_000
	for source, most := range map[string]int{
		"<pre>a" + strings.Repeat("\n", n) + "b":    100 + 3,
		"a" + strings.Repeat("\u00a0", n) + "b":     200 + 2,
		"a" + strings.Repeat("\u00a0 ", n) + "b":    200 + 2,
		"<pre>a\n" + strings.Repeat(" \n", n) + "b": 2*n + 10,
	} {
		if got := render(t, source, false).text.Len(); got > most {
			t.Errorf("%.20q...: %d octets, want at most %d", source, got, most)
		}
	}
}

// FuzzRenderer compares the rendered text with the text between the tags of a page. It also checks
// that the result is the same if a text is passed in pieces.
func FuzzRenderer(f *testing.F) {
	for _, seed := range []string{
		"<title>a</title><p>b <a href='/c'>d</a><pre>e\tf\ng</pre><ul><li>h",
		"<p>one<p>two", "a<br>b<br><br>c<BR/>d", "  many \n blanks  <b> here</b> ", "&lt;b&gt; &amp &euro; &#x41;&#65; &nope; &", "a&nbsp;&nbsp;b",
		"<ul><li>one</li><li>two</li></ul>x", "<pre>a\n  b\n\nc</pre>d", "<blockquote>a<br>b<blockquote>c</blockquote></blockquote>d",
		"<script>if (a<b) alert('</p>')</script>x", "<STYLE>p{}</Style >x<title>t</title>", "<script>never ends <b>", "a<!-- c -- > <b> -->b<!--->c<!-->d",
		"1 < 2 <3 a<b", `<img alt="a&gt;b"><img src=x><img alt=' '>`, `<a title=">" href='http://h/'>x</a>`, "a<hr>b",
		"<table><tr><td>a<td>b<tr><td>c</table>", "<", "</", "<a", "<dl><dt>a<dd>b</dl>", "<select>a</select>b<svg><title>c</title></svg>",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		source = strings.ToValidUTF8(source, "")
		l := render(t, source, false)
		text := l.text.String()
		if pieces := render(t, source, true).text.String(); pieces != text {
			t.Errorf("whole\n%q, in pieces\n%q", text, pieces)
		}
		if l.most.Quotes > 20 || len(l.most.Margin) > 18 || len(text) > 40*len(source) {
			t.Errorf("%+v, %d octets of %d", l.most, len(text), len(source))
		}
		if got, want := stripMarkers(text), stripMarkers(visibleText(source)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

// visibleText returns the text between the tags of a page as one line.
func visibleText(source string) string {
	var b strings.Builder
	hidden := ""
	for tokens := (markup.HTML{Source: source}); tokens.Next(); {
		name, text := strings.ToLower(tokens.Name), source[tokens.Start:tokens.End]
		switch {
		case hidden != "":
			if tokens.Kind == markup.EndTag && name == hidden {
				hidden = ""
			}
		case tokens.Kind == markup.StartTag:
			switch name {
			case "iframe", "script", "select", "style", "svg", "template", "textarea":
				hidden = name
			case "img":
				if alt := strings.TrimSpace(tokens.Value("alt")); alt != "" {
					b.WriteString("[" + alt + "]")
				}
			}
		case tokens.Kind == markup.Text && name != "title":
			b.WriteString(markup.Decode(text, markup.HTMLText).Text)
		case tokens.Kind == markup.Verbatim:
			b.WriteString(text)
		}
	}
	return b.String()
}

// stripMarkers returns text without white space, and without the characters that represent
// elements.
func stripMarkers(text string) string {
	return strings.Map(func(c rune) rune {
		if strings.ContainsRune("*>|-", c) || strings.TrimSpace(string(c)) == "" {
			return -1
		}
		return c
	}, text)
}

package markup_test

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/locus-url/locus/internal/markup"
)

// tag is a start tag with the decoded value of the first attribute of each name.
type tag struct {
	name       string
	attributes map[string]string
}

func tagsOf(source string) (list []tag) {
	h := markup.HTML{Source: source}
	for h.Begin() {
		if h.Kind != markup.StartTag {
			continue
		}
		t := tag{lower(h.Name), map[string]string{}}
		for a, ok := h.Attribute(); ok; a, ok = h.Attribute() {
			name := lower(a.Name)
			if _, has := t.attributes[name]; !has {
				value := markup.Decode(source[a.Start:a.End], markup.HTMLValue)
				t.attributes[name] = value.Text
			}
		}
		list = append(list, t)
	}
	return list
}

// lower returns an ASCII name in lower case, and preserves invalid UTF-8.
func lower(name string) string {
	b := []byte(name)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] |= 0x20
		}
	}
	return string(b)
}

func netTagsOf(source string) (list []tag) {
	z := html.NewTokenizer(strings.NewReader(source))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return list
		case html.StartTagToken, html.SelfClosingTagToken:
			token := z.Token()
			t := tag{token.Data, map[string]string{}}
			for _, a := range token.Attr {
				if _, has := t.attributes[a.Key]; !has {
					t.attributes[a.Key] = a.Val
				}
			}
			list = append(list, t)
		}
	}
}

// differs matches text that the two parsers intentionally read differently. Such text contains
// bytes that x/net/html replaces, URLs in brackets, elements whose content only x/net/html reads
// as text, or CDATA.
var differs = regexp.MustCompile("(?i)[\\x00\r]|<[a-z][a-z0-9+.-]*:|noembed|noframes|noscript|<!\\[cdata")

// FuzzNetHTML compares the start tags and attributes of a page with the results
// of golang.org/x/net/html.
func FuzzNetHTML(f *testing.F) {
	for _, s := range []string{
		`<a href="b">c</a><A HREF=d x y='e&amp;f' x=z/>`, `<img src=a srcset='b 1x, c 2x' alt><br/><p/ id=g>`, "<!--<a href=b>--><a\n\thref\f=\n'b'><!><?a href?></ a><a/b/c=d>",
		`<title><a></title x><textarea></texta</textarea><xmp><b></xmp><style><i></style><iframe><u></iframe>`, `<a href="a&lt;b&notit;&#x68;&#104;&copy=1&copy;&#0;&#x80;&#xD800;&hellip">`, `<a =b c==d "e" 'f'>`, "<é a=é><a É=\xff>", "<a b=c", "<a b='c>", "a < b <", "<!-- --!><a><!--><b><!--->", "<a\x0bb>", "<script><a></script><script><!--</script><a>--><plaintext><b>",
		"<script><!--<script></script><a>--></script><b>", "<script><!--<SCRIPT/></script ></script><a>", "<script><!--><script></script><a>", "<script><!--<script>--></script><b></script><c>",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if differs.MatchString(source) {
			return
		}
		got, want := tagsOf(source), netTagsOf(source)
		if len(got) == len(want)+1 {
			got = got[:len(want)] // x/net/html omits a truncated tag at the end of the page
		}
		if len(got) == 0 && len(want) == 0 {
			return
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q:\n got %q\nwant %q", source, got, want)
		}
	})
}

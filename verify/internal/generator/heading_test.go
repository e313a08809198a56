package generator

import (
	"slices"
	"strings"
	"testing"
)

// The examples come from each generator's documentation and tests.
func TestIDs(t *testing.T) {
	for _, c := range []struct {
		name     string
		ids      func([]string) []string
		headings string
		want     string
	}{
		{"GitHub", githubIDs, "Foo|Foo|Héllo, World!|a_b - c", "foo|foo-1|héllo-world|a_b---c"},
		{"mdBook", mdBookIDs, "Foo|Foo|1. Über `x`|--passes: add more rustdoc passes|中文標題 CJK title|", "foo|foo-1|1-Über-x|1-über-x|--passes-add-more-rustdoc-passes|中文標題-cjk-title|"},
		{"Hugo", hugoIDs(hugoID), "God is Good: 123|A B|A B|Hugo & Go|...|!", "god-is-good-123|a-b|a-b-1|hugo--go|heading|heading-1"},
		{"Hugo, github-ascii", hugoIDs(func(text string) string { return hugoID(toASCII(text)) }), "Café au lait|A_b|日本", "cafe-au-lait|a_b|heading"},
		{"Hugo, blackfriday", hugoIDs(blackfridayID), "--fast-list|a_b - c|1.2 x|Größe!|!|--fast-list", "fast-list|a-b-c|1-2-x|größe|heading|fast-list-1"},
		{"VitePress", vueIDs, "TASK_VERBOSE|1.2 x|What's new? (v2.0)|Größe|a & b|Same {.big}|Same|“q”", "task-verbose|_1-2-x|what-s-new-v2-0|große|a-b|same|same-1|q"},
		{"kramdown GFM", kramdownGFM, "This is a header|12. Another|12. Another|Tēst: a_b", "this-is-a-header|12-another|12-another-1|tēst-a_b"},
		{"kramdown", kramdownIDs, "This is a header|12. Another one 1 here|123|Tēst a_b", "this-is-a-header|another-one-1-here|section|tst-ab"},
		{"Python-Markdown", pythonIDs(false), "Hello World|Hello World|Žlutý kůň|日本|a - b|x_y", "hello-world|hello-world_1|zluty-kun|_1|a-b|x_y"},
		{"Python-Markdown, Unicode", pythonIDs(true), "Žlutý", "zluty|žlutý"},
	} {
		if got := strings.Join(c.ids(strings.Split(c.headings, "|")), "|"); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestDocutilsID(t *testing.T) {
	for text, want := range map[string]string{
		"Hello World": "hello-world", "2. Section: one, two": "section-one-two", "Straße": "strasze", "Ærø": "aero", "...": "", "a  b--": "a-b", "3D": "d",
	} {
		if got := docutilsID(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if got := sphinxIDs([]string{"A", "A", "!"})[3:]; !slices.Equal(got, []string{"a", "id1", "id2"}) {
		t.Errorf("sphinxIDs of headings A, A, ! = %q, want %q", got, []string{"a", "id1", "id2"})
	}
}

func TestOwnID(t *testing.T) {
	for heading, want := range map[string][2]string{
		"Text {#id}": {"Text", "id"}, "Text {.c #id k=v}": {"Text", "id"}, "Text {: #id }": {"Text", "id"}, "Text { id=x }": {"Text", "x"}, "Text {.c}": {"Text {.c}", ""}, "Text {#}": {"Text {#}", ""},
		"{#id} Text": {"{#id} Text", ""}, "}": {"}", ""}, "": {"", ""},
	} {
		if plain, id := OwnID(heading); [2]string{plain, id} != want {
			t.Errorf("%q: %q, %q", heading, plain, id)
		}
	}
}

package document_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/document"
	"github.com/locus-url/locus/extract"
)

// foundLinks returns the links in a Markdown text, each with its source text.
func foundLinks(text string, o *document.Options) (list []string) {
	for l := range document.Markdown(text, o) {
		ref := l.Ref
		if ref == "" {
			ref = l.URL.String()
		}
		if l.Element == "wikilink" {
			ref = "[[" + ref
		}
		if written := text[l.Start:l.End]; l.Element == "" && l.Form != extract.Bare && written != strings.TrimPrefix(ref, "[[") {
			ref += fmt.Sprintf(" (%q)", written)
		}
		list = append(list, ref)
	}
	return list
}

func TestWikilinks(t *testing.T) {
	o := &document.Options{Wikilinks: true}
	for text, want := range map[string]string{
		"See [[Page]] and [[Other Page|text]].":    "[[Page|[[Other Page",
		"[[Page#A Heading]] ![[a.png]] [[#Here]]":  "[[Page#A Heading|[[a.png|[[#Here",
		"| [[In Table\\|x]] |":                     "[[In Table",
		"`[[code]]` [[ ]] [[]] [[a\nb]] [[a [b]]]": "",
		"[[a]] http://h/ [[b]] [c](d) [[e]]":       "[[a|http://h/|[[b|d|[[e",
		"[[a]](b.md)":                              "b.md",
		"[[unclosed":                               "",
	} {
		if got := strings.Join(foundLinks(text, o), "|"); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	if got := foundLinks("[[Page]]", nil); got != nil {
		t.Errorf("without the option: %v", got)
	}
}

func TestTemplates(t *testing.T) {
	o := &document.Options{Templates: true}
	for text, want := range map[string]string{
		`[a]({{< ref "b.md" >}})`:                                       `{{< ref "b.md" >}}`,
		`[a]({{% relref "b" %}}#part "title")`:                          `{{% relref "b" %}}#part`,
		`[a]({% link _posts/a b.md %}) http://h/ [c]({{ site.url }}/x)`: `{% link _posts/a b.md %}|http://h/|{{ site.url }}/x`,
		`![a]({{ "x.png" | relative_url }})`:                            `{{ "x.png" | relative_url }}`,
		"[a]({{unclosed) `[a]({{ x }})` [b](c)":                         `{{unclosed|c`,
	} {
		if got := strings.Join(foundLinks(text, o), "|"); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestNoCode(t *testing.T) {
	const markdown = "http://a/ `http://b/` <code>http://c/ <a href=d>x</a></code> http://e/\n\n```\nhttp://f/\n```\n\n    http://g/\n\n<pre>http://h/</pre>\n\nhttp://i/ <kbd>`http://j/`</kbd> [http://k/](l) </code> http://m/\n"
	if got := strings.Join(foundLinks(markdown, &document.Options{NoCode: true}), " "); got != "http://a/ d http://e/ http://i/ l http://m/" {
		t.Error(got)
	}
	if got := foundLinks(markdown, nil); len(got) != 12 {
		t.Errorf("with code: %v", got)
	}
	var html []string
	for l := range document.HTML("<p>http://a/<pre>http://b/<b>http://c/</b><img src=d></pre>http://e/", &document.Options{NoCode: true}) {
		html = append(html, l.Ref+l.URL.String())
	}
	if want := []string{"http://a/", "d", "http://e/"}; !slices.Equal(html, want) {
		t.Errorf("%v", html)
	}
}

func FuzzGenerated(f *testing.F) {
	f.Add("[[a|b]] [x]({{< ref \"y\" >}}) `[[c]]` <code>http://h/</code>")
	f.Add("[[[[]]]]({%%}{{}}\n](")
	f.Add("http://h/{{ a }}/<b> http://h/<id>[http://h/$(x](y) http://h/...{|}")
	f.Fuzz(func(t *testing.T, text string) {
		plain := foundLinks(text, nil)
		all := foundLinks(text, &document.Options{Wikilinks: true})
		if !strings.Contains(text, "[[") && !strings.Contains(text, "](") && !slices.Equal(plain, all) {
			t.Errorf("%q and %q", plain, all)
		}
		last := int64(0)
		for l := range document.Markdown(text, &document.Options{Wikilinks: true, Templates: true, NoCode: true}) {
			if l.Element == "wikilink" && (l.Start < last || text[l.Start:l.End] != l.Ref) {
				t.Errorf("%q at %d after %d", l.Ref, l.Start, last)
			}
			last = l.Start
		}
	})
}

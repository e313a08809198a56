package generator

import (
	"cmp"
	"path"
	"strings"

	"github.com/locus-url/locus/internal/markup"
)

// openMdBook reads book.toml and SUMMARY.md, which lists the chapters. mdBook does not render
// other documents. The chapter a.md becomes a.html, and README.md becomes index.html.
func openMdBook(s *Site, config string) error {
	tree, ok := treeOfTOML(config)
	v := flat(tree)
	s.doubt = !ok && config != ""
	preprocessors, _ := child(tree, "preprocessor").(map[string]any)
	for name := range preprocessors {
		if !mdBookHarmless(name) {
			s.doubt, s.unsure = true, true
		}
	}
	src := path.Clean(cmp.Or(v.get("book.src"), "src"))
	s.content = []string{src}
	s.prefix = cmp.Or(v.get("output.html.site-url"), "/")
	s.sources, s.listed, s.ids, s.opaque = true, true, mdBookIDs, mdBookInclude().MatchString
	s.mounts = []mount{{src, "", false}, {path.Join(src, "../theme"), "theme/", false}}
	s.made = []string{
		"404.html", "toc.html", "toc.js", "searchindex.*", "searcher.js", "book.js", "highlight.*", "favicon**", "css/*", "fonts/*", "FontAwesome/**",
		"clipboard.min.js", "elasticlunr.min.js", "mark.min.js", "ace.js", "editor.js", "print.html",
	}
	if v.get("output.html.print.enable") == "false" {
		s.made = s.made[:len(s.made)-1]
	}
	redirects, _ := child(tree, "output", "html", "redirect").(map[string]any)
	for from := range redirects {
		from, _, _ = strings.Cut(from, "#")
		s.made = append(s.made, strings.TrimPrefix(from, "/"))
	}
	summary := path.Join(src, "SUMMARY.md")
	text := readText(s.fsys, summary)
	first := ""
	for p := range markup.Markdown(text) {
		if p.Kind != markup.Link {
			continue
		}
		ref := markup.Decode(text[p.Start:p.End], markup.MarkdownText)
		name, ok := decode(ref.Text)
		if name = path.Join(src, name); !ok || !s.isFile(name) {
			continue
		}
		first = cmp.Or(first, name)
		s.addPage(mdBookPath(strings.TrimPrefix(name, src+"/")), name)
	}
	if text == "" {
		return s.walk(src, func(name string) {
			if strings.HasSuffix(name, ".md") {
				s.addPage(mdBookPath(strings.TrimPrefix(name, src+"/")), name)
			}
		})
	}
	if first != "" {
		s.addPage("index.html", first)
	}
	s.paths[summary] = ""
	return nil
}

// mdBookHarmless reports whether a preprocessor creates no chapters, headings or links. The name
// of the preprocessor may begin with "mdbook-".
func mdBookHarmless(name string) bool {
	switch strings.TrimPrefix(name, "mdbook-") {
	case "links", "index", "mermaid", "admonish", "katex", "toc", "pagetoc", "alerts", "emojicodes", "external-links", "linkcheck", "linkcheck2", "open-on-gh", "svgbob", "svgbob2", "d2", "plantuml", "graphviz", "callouts", "katex-header", "tabs", "last-changed", "gettext", "footnote", "chart":
		return true
	}
	return false
}

func mdBookPath(name string) string {
	name = strings.TrimSuffix(name, ".md")
	if dir, last := path.Split(name); strings.EqualFold(last, "README") {
		name = dir + "index"
	}
	return name + ".html"
}

// mdBookInclude matches an include of another document in a chapter.
var mdBookInclude = expression(`\{\{#(?:include|template)\s+[^}]*\.md`)

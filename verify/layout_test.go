package verify_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/verify"
)

// generated is a site that a test makes, with the links that are dead on it.
type generated struct {
	files map[string]string
	dead  map[string]bool // "document: link"
	links int
}

func newGenerated(files map[string]string) *generated {
	return &generated{files: files, dead: map[string]bool{}}
}

// good adds links to a document that lead somewhere on the site.
func (g *generated) good(doc string, links ...string) {
	for _, link := range links {
		g.files[doc] += "\nA [link](" + link + ").\n"
		g.links++
	}
}

// bad adds links that lead nowhere.
func (g *generated) bad(doc string, links ...string) {
	g.good(doc, links...)
	for _, link := range links {
		g.dead[doc+": "+link] = true
	}
}

// check verifies the site with a preset: exactly the links that were planted are dead.
func (g *generated) check(t *testing.T, preset string) {
	t.Helper()
	report, err := verify.Files(texts(g.files), &verify.FilesOptions{Preset: preset})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, r := range report.Results {
		at := r.Document + ": " + r.Written
		switch {
		case r.IsBad():
			found[at] = true
			if !g.dead[at] {
				t.Errorf("a false death: %v", r.String())
			}
		case r.Err != nil, r.Verdict == verify.Warning, r.Verdict == verify.Unknown:
			t.Errorf("neither alive nor dead: %v", r.String())
		}
	}
	for _, at := range slices.Sorted(maps.Keys(g.dead)) {
		if !found[at] {
			t.Errorf("not found dead: %s", at)
		}
	}
	if len(report.Results) != g.links {
		t.Errorf("%d links, want %d", len(report.Results), g.links)
	}
}

// mdBookSite has the layout of a book of many chapters: chapters link to each other as .md
// and as .html, with fragments, and to the documentation beside the book.
func mdBookSite() *generated {
	g := newGenerated(map[string]string{
		"book.toml":           "[book]\ntitle = \"The Book\"\nsrc = \"src\"\n[output.html]\nsite-url = \"/book/\"\n[output.html.redirect]\n\"/old-name.html\" = \"ch01-00.html\"\n",
		"src/img/one.svg":     "<svg xmlns='http://www.w3.org/2000/svg'/>",
		"src/not-listed.md":   "[nothing](reads-this.md)\n",
		"listings/main.rs":    "fn main() {}\n",
		"src/appendix/a.rs":   "fn main() {}\n",
		"src/title-page.md":   "# The Book\n",
		"src/foreword.md":     "# Foreword\n",
		"src/part/README.md":  "# A Part\n",
		"src/SUMMARY.md":      "# Summary\n\n[The Book](title-page.md)\n[Foreword](foreword.md)\n\n- [Part](part/README.md)\n",
		"src/index-unused.md": "# Unused\n",
	})
	g.links += 4 // of SUMMARY.md, and the one that nothing reads
	const chapters, sections = 20, 23
	name := func(c, s int) string { return fmt.Sprintf("ch%02d-%02d", c, s) }
	for c := 1; c <= chapters; c++ {
		for s := range sections {
			doc := "src/" + name(c, s) + ".md"
			g.files["src/SUMMARY.md"] += strings.Repeat("  ", min(s, 1)) + fmt.Sprintf("- [Chapter %d](%s.md)\n", c, name(c, s))
			g.links++
			g.files[doc] = fmt.Sprintf("## Section %d: What's `New()`?\n\n### Same\n\n### Same\n\n```rust\n{{#rustdoc_include ../listings/main.rs}}\n```\n\n<a id=\"old-name\"></a>\n", s)
			next := name(c%chapters+1, s)
			g.good(doc,
				next+".html", next+".md", next+fmt.Sprintf(".html#section-%d-whats-new", s), next+".md#same-1", next+".html#same", next+".html#old-name",
				"#same", "../std/vec/struct.Vec.html", "../std/option/enum.Option.html#method.unwrap", "../reference/items.html", "img/one.svg", "print.html",
				"/book/"+next+".html", "old-name.html", "index.html", "part/index.html", "appendix/a.rs", "https://www.example.com/", "#top")
			if s%5 == 0 {
				g.bad(doc, "ch99-"+name(c, s)+".html", next+".html#section-99", next+".md#same-2", "img/two.svg", "not-listed.md", "/book/none.html")
			}
		}
	}
	g.good("src/part/README.md", "../ch01-00.html", "../ch01-01.md#same", "../../std/index.html", "index.html#a-part")
	g.bad("src/part/README.md", "ch01-00.html")
	return g
}

func TestMdBookSite(t *testing.T) {
	g := mdBookSite()
	if n := len(g.files); n < 460 {
		t.Errorf("%d files", n)
	}
	g.check(t, "auto")
}

// Without its preset, a book is a folder of files, as before.
func TestMdBookSiteAsFiles(t *testing.T) {
	g := mdBookSite()
	report, err := verify.Files(texts(g.files), nil)
	if err != nil {
		t.Fatal(err)
	}
	dead := 0
	for _, r := range report.Results {
		if r.Verdict == verify.Dead && strings.Contains(r.Written, ".html") {
			dead++
		}
	}
	if dead < 460*5 {
		t.Errorf("%d links to .html are dead", dead)
	}
}

func TestHugoSite(t *testing.T) {
	g := newGenerated(map[string]string{
		"hugo.toml":                        "baseURL = 'https://example.org/'\n[permalinks]\nnews = '/:year/:month/:slug/'\n[languages.fr]\nweight = 2\n",
		"content/_index.md":                "# Home\n",
		"content/about.md":                 "+++\ntitle = 'About'\naliases = ['/info/', 'over']\n+++\n# About Us\n## Die Größe\n## 1.2 Numbers\n## ...\n## Own {#mine}\n",
		"content/posts/_index.md":          "---\ntitle: Posts\n---\n",
		"content/posts/post-1.md":          "---\ntitle: One\n---\n## A `code` & more\n## Same\n## Same\n",
		"content/posts/Big Post.md":        "---\nslug: small\n---\n# Small\n",
		"content/posts/bundle/index.md":    "# Bundle\n",
		"content/posts/bundle/cat.jpg":     "cat",
		"content/posts/deep/er/x.md":       "# X\n",
		"content/moved.md":                 "---\nurl: /somewhere/else/\n---\n",
		"content/about.fr.md":              "# A propos\n",
		"content/news/first.md":            "---\ntitle: First News!\ndate: 2024-03-09\n---\n# News\n",
		"content/posts/with-shortcodes.md": "# With\n\n{{% notice %}}\n## Made there\n{{% /notice %}}\n",
		"static/img/logo.png":              "logo",
		"static/docs/manual.html":          "<p id=part>",
		"layouts/x.html":                   `<a href="{{ .Permalink }}">x</a>`,
	})
	g.links += 2 // of the layout, and of the configuration, which is a text
	doc := "content/posts/post-1.md"
	g.good(doc, "/about/", "/about", "../../about/#about-us", "/about/#die-größe", "/about/#12-numbers", "/about/#heading", "/about/#mine", "#a-code--more", "#same-1",
		"/posts/", "/posts/small/", "../small/", "../bundle/", "/posts/bundle/cat.jpg", "../bundle/cat.jpg", "/img/logo.png", "/docs/manual.html#part", "/somewhere/else/",
		"/fr/about/", "/2024/03/first-news/#news", "/tags/go/", "/index.xml", "/posts/index.xml", "/posts/deep/er/x/", "/info/", "/over/", "bundle/index.md", "/posts/bundle/index.md",
		"/posts/with-shortcodes/#made-there", `{{< ref "about.md" >}}`, `{{< relref "posts/bundle#bundle" >}}`, `{{% ref "/about" %}}`, "https://example.org/live/", "/", "/index.html")
	g.bad(doc, "/abuot/", "small/", "/posts/Big%20Post/", "/posts/big-post/", "cat.jpg", "/img/none.png", "/about/#own", "/about/#none", "#same-2", "/news/first/", "/docs/manual.html#gone", "none.md")
	g.good("content/posts/bundle/index.md", "cat.jpg", "../post-1/", "#bundle")
	g.bad("content/posts/bundle/index.md", "dog.jpg", "post-1/")
	g.check(t, "auto")
}

func TestJekyllSite(t *testing.T) {
	g := newGenerated(map[string]string{
		"_config.yml":                          "title: Site\nbaseurl: /blog\nurl: https://www.example.com\ncollections:\n  recipes:\n    output: true\n  parts:\n    output: true\n    permalink: /p/:name/\n",
		"index.md":                             "---\n---\n# Home\n",
		"about.md":                             "---\nlayout: page\n---\n# About *us*\n## 1. First\n## C++ & Go\n## Twice\n## Twice\n## Ünï\n### Own\n{: #own}\n",
		"contact.md":                           "---\npermalink: /contact-us/\nredirect_from:\n  - /mail/\n  - /post\n---\n# Contact\n",
		"docs/guide.html":                      "---\n---\n<h1 id=top-part>Guide</h1>\n",
		"docs/plain.html":                      "<p id=x>",
		"_posts/2020-01-02-name.md":            "---\nlayout: post\n---\n# Name\n",
		"_posts/2021-11-03-two-words.markdown": "---\ncategories: news big\n---\n",
		"_posts/2022-05-06-own.md":             "---\npermalink: /own-place/\n---\n",
		"travel/_posts/2023-02-01-rome.md":     "---\ndate: 2023-02-03 10:00:00 +0100\n---\n",
		"_recipes/cake.md":                     "---\n---\n# Cake\n",
		"_parts/one.md":                        "---\n---\n# One\n",
		"_layouts/default.html":                "<a href=\"{{ site.baseurl }}/x\">x</a>",
		"assets/logo.png":                      "logo",
	})
	g.links += 2
	doc := "about.md"
	g.good(doc, "{% link _posts/2020-01-02-name.md %}", "{% post_url 2020-01-02-name %}", "{{ site.baseurl }}/about", "{{ '/x' | relative_url }}",
		"/blog/2020/01/02/name.html", "/blog/2020/01/02/name", "/blog/2020/01/02/name.html#name", "/blog/news/big/2021/11/03/two-words.html", "/blog/own-place/", "/blog/travel/2023/02/03/rome.html",
		"/blog/contact-us/", "contact-us/#contact", "/blog/mail/", "/blog/post", "/blog/", "docs/guide.html#top-part", "docs/guide", "docs/plain.html#x", "assets/logo.png", "/blog/assets/logo.png", "/blog/recipes/cake.html#cake", "/blog/p/one/",
		"#about-us", "#1-first", "#c--go", "#twice-1", "#ünï", "#own", "contact.md", "index.html", "/blog/feed.xml", "/other-app/")
	g.bad(doc, "/blog/2020/01/02/nome.html", "/blog/2020/1/2/name.html", "/blog/contact.html", "/blog/_posts/2020-01-02-name.html", "/blog/2021/11/03/two-words.html", "/blog/travel/2023/02/01/rome.html",
		"docs/none.html", "docs/guide.html#none", "#first", "#twice-2", "assets/none.png", "/blog/parts/one.html", "none.md")
	g.good("_posts/2020-01-02-name.md", "../../../about.html", "two-words/../../../../about", "name.html", "#name")
	g.bad("_posts/2020-01-02-name.md", "about.html", "../about.html")
	g.check(t, "auto")
}

func TestDocusaurusSite(t *testing.T) {
	g := newGenerated(map[string]string{
		"website/docusaurus.config.js": `export default {
  title: 'Site', url: 'https://docs.example.com', baseUrl: '/',
  presets: [['classic', { docs: { sidebarPath: './sidebars.js', routeBasePath: 'docs' }, blog: { showReadingTime: true } }]],
};`,
		"website/docs/intro.md":                             "---\nslug: /\n---\n# Intro\n",
		"website/docs/guide/index.md":                       "# Guide\n",
		"website/docs/guide/01-install.mdx":                 "# Install\n## On `Linux`\n## Own {#own-id}\n## A/B & C\n",
		"website/docs/guide/02-use.md":                      "---\nid: usage\n---\n# Use\n",
		"website/docs/guide/2021-01-31-notes.md":            "# Notes\n",
		"website/docs/api/api.md":                           "# API\n",
		"website/docs/api/_partial.md":                      "part",
		"website/docs/img/pic.png":                          "pic",
		"website/blog/2021-08-26-welcome/index.md":          "# Welcome\n",
		"website/blog/2021-08-26-welcome/photo.jpg":         "photo",
		"website/blog/2019-05-28-first-blog-post.md":        "---\nslug: first\n---\n# First\n",
		"website/src/pages/about.md":                        "# About\n",
		"website/src/pages/help/index.tsx":                  "export default 1",
		"website/static/img/logo.svg":                       "<svg xmlns='http://www.w3.org/2000/svg'/>",
		"website/versioned_docs/version-1.0/guide/old.md":   "[as a file](older.md)\n",
		"website/versioned_docs/version-1.0/guide/older.md": "# Older\n",
		"README.md": "[a file](website/docs/guide/01-install.mdx#on-linux)\n",
	})
	g.links += 3
	doc := "website/docs/guide/01-install.mdx"
	g.good(doc, "/docs/", "/docs/guide/", "/docs/guide", "/docs/guide/install", "./usage", "usage", "/docs/guide/usage#use", "./02-use.md", "02-use.md#use", "../intro.md", "../api/api.md#api", "/docs/api", "/docs/api/",
		"/docs/guide/2021-01-31-notes", "./2021-01-31-notes.md", "#on-linux", "#own-id", "#ab--c", "/docs/guide/install#own-id", "/blog/2021/08/26/welcome", "/blog/first#first", "/blog", "/blog/tags/x", "/about", "/help", "/img/logo.svg",
		"../img/pic.png", "@site/docs/intro.md", "@site/static/img/logo.svg", "pathname:///img/logo.svg", "/docs/category/tutorials", "/guide/02-use.md", "../../blog/2021-08-26-welcome/index.md")
	g.bad(doc, "/docs/intro", "/docs/guide/01-install", "./02-use", "/docs/guide/use", "/docs/guide/notes", "./none.md", "../img/none.png", "#own", "#linux", "/docs/guide/install#none", "/blog/2019/05/28/first-blog-post", "/abuot", "/img/none.svg", "@site/docs/none.md", "/docs/api/partial")
	g.good("website/docs/intro.md", "guide/install", "./guide/install")
	g.bad("website/docs/intro.md", "install")
	g.good("website/blog/2021-08-26-welcome/index.md", "./photo.jpg", "/docs/")
	g.bad("website/blog/2021-08-26-welcome/index.md", "./none.jpg")
	g.check(t, "auto")
}

func TestMkDocsSite(t *testing.T) {
	g := newGenerated(map[string]string{
		"mkdocs.yml":            "site_name: My Docs\nsite_url: https://example.com/manual/\nnav:\n  - Home: index.md\n  - About: about.md\n",
		"docs/index.md":         "# Home\n",
		"docs/about.md":         "# About\n## Größe & Co.\n## Same\n## Same\n## 1.2 Numbers\n## Own {#own}\n## 日本\n## under_score\n",
		"docs/user/README.md":   "# User\n",
		"docs/user/writing.md":  "# Writing\n",
		"docs/user/mkdocstr.md": "# API\n\n::: package.module\n",
		"docs/img/pic.png":      "pic",
		"docs/user/manual.html": "<p id=part>",
		"README.md":             "[the file](docs/about.md#größe--co)\n",
	})
	g.links += 2
	doc := "docs/user/writing.md"
	g.good(doc, "../about.md", "../about.md#groe-co", "../about.md#same_1", "../about.md#12-numbers", "../about.md#own", "../about.md#_1", "../about.md#under_score", "../index.md", "README.md#user", "../img/pic.png", "manual.html#part",
		"#writing", "../../about/", "../../about/#same", "../", "/manual/about/", "/manual/", "mkdocstr.md#package.module.f", "/manual/img/pic.png", "../../img/pic.png", "https://example.com/manual/none/")
	g.bad(doc, "../abuot.md", "about.md", "../about.md#größe-co", "../about.md#same-1", "../about.md#same_2", "../img/none.png", "../about/", "/manual/none/", "none/", "manual.html#gone", "../about.md#own-own")
	g.check(t, "auto")
	g.files["mkdocs.yml"] += "use_directory_urls: false\n"
	g = newGenerated(g.files)
	g.files[doc] = "# Writing\n"
	g.links = 2
	g.good(doc, "../about.md", "../about.html", "index.html", "/manual/about.html#same", "../../about/")
	g.bad(doc, "../about/", "/manual/about/")
	g.check(t, "auto")
}

func TestSphinxSite(t *testing.T) {
	g := newGenerated(map[string]string{
		"docs/conf.py":           "project = 'X'\nextensions = ['myst_parser', 'sphinx.ext.autodoc']\nhtml_static_path = ['_static']\nhtml_extra_path = ['extra']\n",
		"docs/index.rst":         "Title\n=====\n\n.. _from-rst:\n\nPart\n----\n",
		"docs/usage.md":          "# Usage\n\n(my-target)=\n## 1. Setting Up: `conf.py`\n\n## Größe\n\n## Größe\n\n```{note}\n:name: a-note\nText\n```\n",
		"docs/sub/page.md":       "# Page\n",
		"docs/sub/auto.md":       "# Auto\n\n```{eval-rst}\n.. autoclass:: X\n```\n",
		"docs/_static/style.css": "p {}",
		"docs/extra/robots.txt":  "",
		"docs/img/pic.png":       "pic",
	})
	doc := "docs/sub/page.md"
	g.good(doc, "../usage.md", "../usage", "../usage.html", "../usage.md#setting-up-conf-py", "../usage.html#setting-up-conf-py", "../usage.md#1-setting-up-confpy", "../usage.md#my-target", "../usage.md#a-note", "../usage.md#grosze", "../usage.md#id1", "../usage.md#größe-1",
		"#my-target", "#from-rst", "#page", "../index.rst", "../index", "../index.html#part", "../genindex.html", "../search.html", "../_static/style.css", "../img/pic.png", "/usage.md", "project:../usage.md#my-target", "path:../img/pic.png", "auto.md#package.X", "../robots.txt")
	g.files[doc] += "\nWhat another program [publishes](../api/index.html){.external}.\n"
	g.links++
	g.bad(doc, "../usgae.md", "usage.html", "../usage.md#setting-up", "../usage.md#id2", "#no-target", "../index.htm", "../_static/../none.css", "../img/none.png", "project:../none.md", "none")
	g.check(t, "auto")
}

func TestVault(t *testing.T) {
	files := map[string]string{
		".obsidian/app.json":    "{}",
		"Home.md":               "[[Daily Note]] [[daily note|shown]] [[Daily Note#A Heading: two]] [[folder/Deep]] [[Deep#^block-1]] ![[pic.png]] [[#Own Part]] [[Missing Note]] [[Deep#None]] [[Deep#^none]] [[other/Deep]]\n# Own Part\n`[[code]]`\n[file](folder/Deep.md)\n",
		"Daily Note.md":         "# A Heading: two\n",
		"folder/Deep.md":        "# Top\n## Under\nText ^block-1\n\n[[Deep#Top#Under]] | a \\| b\n[[Home\\|x]]\n",
		"attachments/a/pic.png": "pic",
	}
	report, err := verify.Files(texts(files), &verify.FilesOptions{Preset: "auto"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"Home.md:1:130: Missing Note: dead: no document has this name",
		"Home.md:1:147: Deep#None: fragment: the document has no such fragment",
		"Home.md:1:161: Deep#^none: fragment: the document has no such fragment",
		"Home.md:1:176: other/Deep: dead: no document has this name",
	}
	if got := results(report); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(report.Results) != 14 {
		t.Errorf("%d links", len(report.Results))
	}
}

func TestUnknownPreset(t *testing.T) {
	_, err := verify.Files(texts(map[string]string{"a.md": ""}), &verify.FilesOptions{Preset: "frontpage"})
	if err == nil || !strings.Contains(err.Error(), "choose mdbook") {
		t.Error(err)
	}
}

// BenchmarkBook verifies a book of 460 chapters, as files and as the pages of its generator.
func BenchmarkBook(b *testing.B) {
	fsys := texts(mdBookSite().files)
	for _, preset := range []string{"", "mdbook"} {
		b.Run("preset="+preset, func(b *testing.B) {
			for b.Loop() {
				if _, err := verify.Files(fsys, &verify.FilesOptions{Preset: preset}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

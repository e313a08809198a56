package verify_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/verify"
)

// generated is a site that a test creates, with its dead links.
type generated struct {
	files map[string]string
	dead  map[string]bool // "document: link"
	build map[string]bool // links that only a build can resolve, as "document: link"
	links int
}

func newGenerated(files map[string]string) *generated {
	return &generated{files: files, dead: map[string]bool{}, build: map[string]bool{}}
}

// good adds working links to a document.
func (g *generated) good(doc string, links ...string) {
	for _, link := range links {
		g.files[doc] += "\nA [link](" + link + ").\n"
		g.links++
	}
}

// bad adds dead links to a document.
func (g *generated) bad(doc string, links ...string) {
	g.good(doc, links...)
	for _, link := range links {
		g.dead[doc+": "+link] = true
	}
}

// addUnknown adds links that only a build can resolve.
func (g *generated) addUnknown(doc string, links ...string) {
	g.good(doc, links...)
	for _, link := range links {
		g.build[doc+": "+link] = true
	}
}

// check verifies the site with a preset, and checks that exactly the added dead links are reported
// as dead.
func (g *generated) check(t *testing.T, preset string) {
	t.Helper()
	report, err := verify.Files(texts(g.files), &verify.FilesOptions{Preset: preset})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, r := range report.Results {
		at := r.Document + ": " + r.Written
		if skipped := r.Verdict == verify.Ignored && r.Cause == verify.NeedsBuild; skipped != g.build[at] {
			t.Errorf("needs a build: %v: %v", skipped, r.String())
		}
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

// mdBookSite returns a book with many chapters. Chapters contain links to .md and .html names of
// other chapters, with fragments, and links to documentation outside the book.
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
	g.links += 4 // links in SUMMARY.md and in an unlisted chapter
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

// Without a preset, a book is an ordinary directory of files.
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
		"content/posts/with-shortcodes.md": "# With\n\n{{% ours %}}\n## Made there\n{{% /ours %}}\n",
		"static/img/logo.png":              "logo",
		"static/docs/manual.html":          "<p id=part>",
		"layouts/x.html":                   `<a href="{{ .Permalink }}">x</a>`,
	})
	g.links += 2 // links in the layout and in the configuration, which is plain text
	doc := "content/posts/post-1.md"
	g.good(doc, "/about/", "/about", "../../about/#about-us", "/about/#die-größe", "/about/#12-numbers", "/about/#heading", "/about/#mine", "#a-code--more", "#same-1",
		"/posts/", "/posts/small/", "../small/", "../bundle/", "/posts/bundle/cat.jpg", "../bundle/cat.jpg", "/img/logo.png", "/docs/manual.html#part", "/somewhere/else/",
		"/fr/about/", "/2024/03/first-news/#news", "/tags/go/", "/index.xml", "/posts/index.xml", "/posts/deep/er/x/", "/info/", "/over/", "bundle/index.md", "/posts/bundle/index.md",
		`{{< ref "about.md" >}}`, `{{< relref "posts/bundle#bundle" >}}`, `{{% ref "/about" %}}`, "https://example.org/live/", "/", "/index.html")
	g.bad(doc, "/abuot/", "small/", "/posts/Big%20Post/", "/posts/big-post/", "cat.jpg", "/img/none.png", "/about/#own", "/about/#none", "#same-2", "/news/first/", "/docs/manual.html#gone", "none.md")
	g.good(doc, "/posts/with-shortcodes/#made-there")
	g.addUnknown(doc, "/posts/with-shortcodes/#made-elsewhere")
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
		"mkdocs.yml":            "site_name: My Docs\nplugins: [search, mkdocstrings]\nsite_url: https://example.com/manual/\nnav:\n  - Home: index.md\n  - About: about.md\n",
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
		"#writing", "../../about/", "../../about/#same", "../", "/manual/about/", "/manual/", "/manual/img/pic.png", "../../img/pic.png", "https://example.com/manual/none/")
	g.bad(doc, "../abuot.md", "about.md", "../about.md#größe-co", "../about.md#same-1", "../about.md#same_2", "../img/none.png", "../about/", "/manual/none/", "none/", "manual.html#gone", "../about.md#own-own")
	g.addUnknown(doc, "mkdocstr.md#package.module.f")
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
		"#my-target", "#from-rst", "#page", "../index.rst", "../index", "../index.html#part", "../genindex.html", "../search.html", "../_static/style.css", "../img/pic.png", "/usage.md", "project:../usage.md#my-target", "path:../img/pic.png", "../robots.txt")
	g.files[doc] += "\nWhat another program [publishes](../api/index.html){.external}.\n"
	g.links++
	g.bad(doc, "../usgae.md", "usage.html", "../usage.md#setting-up", "../usage.md#id2", "#no-target", "../index.htm", "../_static/../none.css", "../img/none.png", "project:../none.md", "none")
	g.addUnknown(doc, "auto.md#package.X")
	g.check(t, "auto")
}

func TestDocusaurusVersions(t *testing.T) {
	g := newGenerated(map[string]string{
		"website/docusaurus.config.ts": `import type {Config} from '@docusaurus/types';
const config: Config = {
  url: 'https://docs.example.com', baseUrl: '/base/', i18n: {defaultLocale: 'en', locales: ['en', 'fr']},
  presets: [['classic', {docs: {path: '../docs', lastVersion: '2.0', versions: {'1.0': {path: 'one'}, current: {path: 'edge', label: 'Edge'}}, onlyIncludeVersions: ['current', '2.0', '1.0']}, blog: false}]],
  plugins: [['@docusaurus/plugin-content-docs', {id: 'api', path: 'api', routeBasePath: '/'}], ['@docusaurus/plugin-client-redirects', {redirects: [{from: ['/old', '/older'], to: '/docs/'}]}]],
};
export default config;`,
		"website/versions.json": `["3.0", "2.0", "1.0"]`,
		"docs/a.md":             "# A\n",
		"docs/new.md":           "# New\n",
		"docs/img/p.png":        "p",
		"website/versioned_docs/version-3.0/a.md":                         "# Left out\n",
		"website/versioned_docs/version-2.0/a.md":                         "# A Two\n",
		"website/versioned_docs/version-1.0/a.md":                         "# A One\n",
		"website/versioned_docs/version-1.0/only.md":                      "# Only\n",
		"website/api/call.md":                                             "# Call\n",
		"website/api_versions.json":                                       `["1.0"]`,
		"website/api_versioned_docs/version-1.0/call.md":                  "# Call One\n",
		"website/i18n/fr/docusaurus-plugin-content-docs/version-2.0/a.md": "# Un\n",
		"website/static/file.txt":                                         "file",
		"README.md":                                                       "[a file](docs/a.md#a) [another](website/versioned_docs/version-1.0/a.md#a-one)\n",
	})
	g.links += 3
	g.good("docs/a.md", "new.md#new", "./new", "/docs/edge/a", "/base/docs/edge/a#a", "/docs/a#a-two", "/docs/one/a#a-one", "/docs/one/only", "/call", "/next/call", "/old", "/older", "/fr/docs/a", "/fr/docs/one/a", "pathname:///file.txt", "/file.txt", "@site/static/file.txt", "./img/p.png", "/docs/tags/x")
	g.bad("docs/a.md", "none.md", "./none.png", "/docs/3.0/a", "/docs/next/a", "/docs/new", "/docs/2.0/a", "/docs/a#a", "/docs/one/new", "/blog", "/fr/docs/none", "/api/call", "new.md#none")
	g.good("website/versioned_docs/version-1.0/only.md", "a.md#a-one", "./a", "/docs/one/a#a-one")
	g.bad("website/versioned_docs/version-1.0/only.md", "new.md", "./new")
	g.good("website/i18n/fr/docusaurus-plugin-content-docs/version-2.0/a.md", "/docs/a#un", "/docs/one/a")
	g.good("website/api/call.md", "/call#call-one", "/docs/")
	g.bad("website/api/call.md", "/call#call")
	delete(g.dead, "website/api/call.md: /docs/")
	g.files["docs/index.md"], g.files["website/versioned_docs/version-2.0/index.md"] = "# Index\n", "# Index Two\n"
	g.check(t, "auto")
}

// Unreadable parts of a configuration program make links to pages uncertain, but not links to
// files.
func TestDocusaurusProgram(t *testing.T) {
	for _, config := range []string{"export default make();", "export default {plugins: [ours], presets: [['classic', {}]]};", "export default {...base};", "export default {presets: [['classic', {docs: {path: where()}}]]};", "export default {"} {
		g := newGenerated(map[string]string{"docusaurus.config.mjs": config, "docs/a.md": "# A\n", "docs/b.md": "# B\n"})
		g.good("docs/a.md", "b.md", "./b", "/docs/b#b", "#a")
		g.bad("docs/a.md", "none.md", "none.png", "b.md#none")
		g.addUnknown("docs/a.md", "/docs/none", "none", "/img/none.png")
		if strings.HasSuffix(config, "{") {
			config = "complete" // the configuration object is complete and empty
			continue
		}
		g.check(t, "auto")
	}
}

func TestHugoLanguages(t *testing.T) {
	for name, config := range map[string]string{
		"hugo.yaml":                   "contentDir: content/en\nlanguages:\n  en: {weight: 1}\n  no: {contentDir: content/no}\nmarkup: {goldmark: {parser: {autoHeadingIDType: blackfriday}}}\n",
		"config.toml":                 "contentDir = 'content/en'\n[languages.en]\n[languages.no]\ncontentDir = 'content/no'\n[markup.goldmark.parser]\nautoHeadingIDType = 'blackfriday'\n",
		"config.json":                 `{"contentDir": "content/en", "languages": {"en": {}, "no": {"contentDir": "content/no"}}, "markup": {"goldmark": {"parser": {"autoHeadingIDType": "blackfriday"}}}}`,
		"config/_default/hugo.toml":   "[languages.en]\ncontentDir = 'content/en'\n[languages.no]\ncontentDir = 'content/no'\n[markup.goldmark.parser]\nautoHeadingIDType = 'blackfriday'\n",
		"config/_default/config.yaml": "module:\n  mounts:\n  - {source: content/en, target: content, lang: en}\n  - {source: content/no, target: content, lang: 'no'}\nlanguages: {en: {}, 'no': {}}\nmarkup: {goldmark: {parser: {autoHeadingIDType: blackfriday}}}\n",
	} {
		t.Run(name, func(t *testing.T) {
			g := newGenerated(map[string]string{name: config, "content/en/_index.md": "", "content/en/about.md": "# About\n### --fast-list\n", "content/en/docs/d.md": "# D\n", "content/no/docs/d.md": "# D norsk\n", "content/no/docs/e.md": "# E\n", "static/x.txt": "x"})
			g.good("content/en/about.md", "/no/docs/d/", "/no/docs/d/#d-norsk", "/docs/d/#d", "#fast-list", "/x.txt")
			g.bad("content/en/about.md", "/no/docs/none/", "/docs/e/", "#--fast-list", "/en/docs/d/")
			g.good("content/no/docs/d.md", "/about/", "/about/#fast-list", "../e/", "/no/docs/e/", "e.md")
			g.bad("content/no/docs/d.md", "/abuot/", "../none/", "none.md")
			g.check(t, "auto")
		})
	}
}

// A theme outside the directory may contain any files.
func TestHugoTheme(t *testing.T) {
	for _, config := range []string{"theme = 'docsy'\n", "[[module.imports]]\npath = 'github.com/google/docsy'\n"} {
		g := newGenerated(map[string]string{"hugo.toml": config, "content/a.md": "# A\n", "content/b.md": "# B\n"})
		g.good("content/a.md", "/b/", "../b/#b")
		g.bad("content/a.md", "none.md", "pic.png", "/b/#none")
		g.addUnknown("content/a.md", "/favicons/x.png", "/none/", "none")
		g.check(t, "auto")
		g.files["themes/docsy/theme.toml"], g.files["_vendor/github.com/google/docsy/x"], g.build = "", "", map[string]bool{}
		g.dead["content/a.md: /favicons/x.png"], g.dead["content/a.md: /none/"], g.dead["content/a.md: none"] = true, true, true
		g.links++
		g.files["themes/docsy/static/y.txt"] = ""
		g.links--
		g.check(t, "auto")
	}
}

func TestVitePressSite(t *testing.T) {
	g := newGenerated(map[string]string{
		"docs/.vitepress/config.mts": `import { defineConfig } from 'vitepress'
export default defineConfig({ base: '/docs/', srcExclude: ['**/draft.md'], rewrites: {'pkg/:name/README.md': ':name/index.md'}, ignoreDeadLinks: ['/soon', /^\/api\//] })`,
		"docs/index.md":           "# Home\n",
		"docs/guide/index.md":     "# Guide\n",
		"docs/guide/a.md":         "# TASK_VERBOSE\n## Größe\n## Own {#own}\n## Badge <Badge text=\"x\" />\n",
		"docs/guide/pic.png":      "p",
		"docs/guide/part.md":      "<!--@include: ./a.md-->\n",
		"docs/guide/comp.md":      "<script setup>\nimport X from './X.vue'\n</script>\n\n<X/>\n",
		"docs/guide/draft.md":     "# Draft\n[a](a) [b](pic.png) [c](/guide/a)\n",
		"docs/pkg/one/README.md":  "# One\n",
		"docs/items/[item].md":    "# Item\n",
		"docs/fr/index.md":        "# Accueil\n",
		"docs/public/logo.svg":    "<svg xmlns='http://www.w3.org/2000/svg'/>",
		"docs/public/static.html": "<p id=x>",
		"README.md":               "[a](docs/guide/a.md#task_verbose)\n",
	})
	g.links += 4
	doc := "docs/guide/a.md"
	g.good(doc, "./index.md", "./", "../", "/", "/guide/", "/guide/a", "/guide/a.html", "/guide/a.md#task-verbose", "./a", "a", "#große", "#own", "#badge", "./pic.png", "/logo.svg", "/static#x", "/one/", "/soon", "/api/x", "/fr/", "../fr/")
	g.bad(doc, "./none", "none.md", "/none", "/guide", "/guide/a/", "./none.png", "/none.svg", "#task_verbose", "/guide/a#none", "./draft", "./draft.md", "/guide/draft", "../../README.md")
	g.addUnknown(doc, "part#anything", "comp#anything", "/items/first", "@theme/x.css")
	g.check(t, "auto")
	g = newGenerated(map[string]string{".vitepress/config.js": "export default { srcDir: 'src', cleanUrls: true, rewrites: { [`${x}/:p*`]: ':p*' } }", "src/v1/a.md": "# A\n", "src/v1/b.md": "# B\n"})
	g.good("src/v1/a.md", "./b", "./b.md#b", "/v1/b")
	g.bad("src/v1/a.md", "./none.md", "./none.png", "b#none")
	g.addUnknown("src/v1/a.md", "/b", "/none")
	g.check(t, "auto")
	g = newGenerated(map[string]string{".vitepress/config.js": "export default { srcExclude: ['NOTES.md'] }", "README.md": "[a](LICENSE) [b](guide) [c](none)\n", "NOTES.md": "[a](LICENSE) [b](none.md)\n", "LICENSE": "x", "guide.md": "# Guide\n"})
	g.links, g.dead["README.md: none"], g.dead["NOTES.md: none.md"] = 5, true, true
	g.check(t, "auto")
}

// In a site whose generator is only recognized, the Verifier checks links to files.
func TestRecognized(t *testing.T) {
	for config, dir := range map[string]string{"docs/.vuepress/config.js": "docs", "astro.config.mjs": "src/content/docs", "theme.config.tsx=nextra": "pages", "next.config.mjs=nextra()": "content", "eleventy.config.js": "posts", ".eleventy.js=input: 'src'": "src", "antora.yml": "modules/ROOT/pages"} {
		config, text, _ := strings.Cut(config, "=")
		t.Run(config, func(t *testing.T) {
			doc := dir + "/a.md"
			g := newGenerated(map[string]string{config: text, doc: "# A\n", dir + "/b.md": "# B\n", dir + "/pic.png": "p", "README.md": "# Read\n"})
			g.good(doc, "b.md", "./b.md", "b", "pic.png", "#a")
			if strings.Contains(config, "eleventy") { // plugins and the configuration may resolve links
				g.addUnknown(doc, "none.md", "./none.md", "none-such/pic.png", "../none.mdx")
			} else {
				g.bad(doc, "none.md", "./none.md", "none-such/pic.png", "../none.mdx")
			}
			g.bad(doc, "none.png")
			g.addUnknown(doc, "/none", "none", "../none/", "/img/none.png")
			if !strings.Contains(config, "eleventy") && config != "antora.yml" { // the generator creates other fragments from headings
				g.bad(doc, "b.md#none")
			}
			g.links += strings.Count(text, "://")
			g.good("README.md", dir+"/a.md")
			g.bad("README.md", "none", "none.md")
			g.check(t, "auto")
		})
	}
	if slices.Contains(verify.Presets(), "vuepress") {
		t.Error("a generator that is only recognized can be chosen")
	}
	if _, err := verify.Files(texts(map[string]string{"a.md": ""}), &verify.FilesOptions{Preset: "vuepress"}); err == nil {
		t.Error("vuepress is a preset")
	}
}

// A document next to the pages of a Nextra site is a part of the pages.
func TestNextraParts(t *testing.T) {
	g := newGenerated(map[string]string{"docs/next.config.mjs": "nextra()", "docs/content/b.mdx": "# B\n", "docs/components/a.mdx": "# A\n", "docs/public/img/x.png": "x"})
	g.good("docs/components/a.mdx", "/b")
	g.bad("docs/components/a.mdx", "none.mdx", "/img/none.png")
	g.addUnknown("docs/components/a.mdx", "/none")
	g.check(t, "auto")
}

// A link in a part of a Quarto project is resolved in the documents that include the part.
func TestQuarto(t *testing.T) {
	g := newGenerated(map[string]string{"_quarto.yml": "project: {type: website}\n", "a.md": "# A\n", "docs/b.qmd": "# B\n", "docs/c/index.qmd": "# C\n", "docs/d.ipynb": "{}", "docs/_part.md": "# P\n", "pic.png": "p"})
	g.good("a.md", "docs/b.html", "docs/b.qmd", "docs/c", "docs/c/", "docs/c/index.html", "docs/d.html", "/docs/b.html", "pic.png", "#a")
	g.bad("a.md", "docs/none.qmd", "none.md", "none.png")
	g.addUnknown("a.md", "none.html", "docs/none/", "/none.html", "#none", "docs/b.html#none")
	g.addUnknown("docs/_part.md", "none.qmd", "none.png", "none.html")
	g.check(t, "auto")
}

func TestMdBookPreprocessor(t *testing.T) {
	g := newGenerated(map[string]string{
		"book.toml":      "[book]\nsrc = 'src'\n[preprocessor.mermaid]\n[preprocessor.spec]\ncommand = 'spec'\n",
		"src/SUMMARY.md": "- [A](a.md)\n- [B](b.md)\n", "src/a.md": "# A\n", "src/b.md": "# B\n\nr[expr.field]\n",
	})
	g.links += 2
	g.good("src/a.md", "b.md", "b.html#b")
	g.bad("src/a.md", "none.md", "none.png", "b.md#none", "b.md#r-expr.none")
	g.addUnknown("src/a.md", "b.md#r-expr.field", "expr.field", "std::vec::Vec", "grammar.html", "/none")
	g.check(t, "auto")
	g.files["book.toml"] = "[preprocessor.mermaid]\n[preprocessor.links]\n"
	g.files["src/a.md"] = "# A\n\n[x](b.html#b) [y](grammar.html)\n"
	g.dead, g.build, g.links = map[string]bool{"src/a.md: grammar.html": true}, map[string]bool{}, 4
	g.check(t, "auto")
}

func TestMkDocsPlugins(t *testing.T) {
	files := func(config string) *generated {
		return newGenerated(map[string]string{"mkdocs.yml": "site_name: X\n" + config, "docs/index.md": "# A\n", "docs/b.md": "# B\n", "docs/fr.de.md": "# Fr\n", "gen.py": "open('made.md')\n", "seen.py": "def on_page_markdown(text): ...\n", "docs/sub/c.md": "# C\n"})
	}
	for config, unknown := range map[string]string{
		"plugins: [search, macros, literate-nav, awesome-pages, autorefs, mkdocstrings]\n": "",
		"plugins:\n  - search\n  - redirects:\n      redirect_maps: {'Old.md': b.md}\n":    "",
		"plugins:\n  - gen-files:\n      scripts: [gen.py]\n":                              "made.md reference/x.md none /none/",
		"plugins:\n  - i18n: {languages: []}\n":                                            "fr.md none /none/",
		"plugins: {our-own: {}}\n":                                                         "reference/x.md none /none/",
		"hooks: [seen.py]\n":                                                               "none /none/",
		"plugins: [\n":                                                                     "none /none/",
	} {
		t.Run(config, func(t *testing.T) {
			g := files(config)
			g.good("docs/index.md", "b.md", "b/", "sub/c.md#c")
			g.bad("docs/index.md", "nope.md", "sub/nope.md", "nope.png", "b.md#none")
			for _, link := range []string{"made.md", "reference/x.md", "fr.md", "none", "/none/"} {
				if strings.Contains(" "+unknown+" ", " "+link+" ") {
					g.addUnknown("docs/index.md", link)
				} else if unknown == "" || strings.HasSuffix(link, ".md") {
					g.bad("docs/index.md", link)
				}
			}
			if strings.Contains(config, "redirect") {
				g.good("docs/index.md", "Old/", "/Old/")
			}
			g.check(t, "auto")
		})
	}
}

// A hook that can't be read, or that handles the list of files, may add documents.
func TestMkDocsHooks(t *testing.T) {
	for _, config := range []string{"hooks: [unseen.py]\n", "hooks: [adds.py]\n", "INHERIT: ../none.yml\n", "INHERIT: base.yml\n"} {
		g := newGenerated(map[string]string{"mkdocs.yml": config, "base.yml": "INHERIT: more/base.yml\n", "more/base.yml": "hooks: [adds.py]\n", "adds.py": "def on_files(files): ...\n", "docs/a.md": "# A\n\n<!-- md:option made.here -->\n"})
		g.good("docs/a.md", "#a")
		g.bad("docs/a.md", "none.png", "#none")
		g.addUnknown("docs/a.md", "none.md", "none/", "#made.here")
		g.check(t, "auto")
	}
	g := newGenerated(map[string]string{"mkdocs.yml": "markdown_extensions: [pymdownx.tabbed: {slugify: x}]\n", "docs/a.md": "# A\n\n=== \":x-y: The tab\"\n\n    Text\n"})
	g.addUnknown("docs/a.md", "#the-tab", "#a-the-tab")
	g.bad("docs/a.md", "#the-table")
	g.check(t, "auto")
}

func TestJekyllPlugins(t *testing.T) {
	for config, known := range map[string]bool{"plugins: [jekyll-feed, jemoji]\n": true, "plugins: [jekyll-ours]\n": false, "gems:\n- ours\n": false, "a: b: c\n": false, "theme: minima\n": true} {
		g := newGenerated(map[string]string{"_config.yml": config, "a.md": "---\npermalink: >-\n  /one/\n---\n# A\n", "b.md": "---\npermalink: '/it''s/'\n---\n# B\n"})
		g.good("a.md", "/it's/", "b.md#b", "/one/")
		g.bad("a.md", "none.md", "none.png", "b.md#none")
		if known {
			g.bad("a.md", "/none/", "none")
		} else {
			g.addUnknown("a.md", "/none/", "none")
		}
		g.check(t, "auto")
	}
}

// If the front matter of a document can't be read, its path is unknown.
func TestMalformedMatter(t *testing.T) {
	g := newGenerated(map[string]string{"_config.yml": "title: X\n", "a.md": "---\n---\n# A\n", "b.md": "---\ntitle: b: c\npermalink: /one/\n---\n# B\n"})
	g.good("a.md", "b.md#b")
	g.bad("a.md", "none.md", "b.md#none")
	g.addUnknown("a.md", "/one/")
	g.check(t, "auto")
}

// A document outside the documentation may be a part of a page. A link in such a document is valid
// if it is valid relative to the document or to the page.
func TestSphinxIncluded(t *testing.T) {
	g := newGenerated(map[string]string{
		"docs/conf.py":      "extensions = ['myst_parser']\nmyst_url_schemes = {\n    'http': None,\n    'gh-pr': {'url': 'https://h/{{path}}'},\n}\n",
		"docs/index.md":     "(a-target)=\n# Home\n\n{.class #para}\nText [span]{#span} {doc}`sub/page` {ref}`a-target` {.y #z}\n",
		"docs/changelog.md": "```{include} ../CHANGELOG.md\n```\n",
		"docs/sub/page.md":  "# Page\n",
		"docs/sub/_part.md": "# Part\n",
		"docs/parts.md":     ":::{include} sub/_part.md\n:::\n",
		"CHANGELOG.md":      "# Changes\n",
		"README.md":         "[a](docs/index.md#home)\n",
	})
	g.links += 2
	g.good("CHANGELOG.md", "docs/index.md", "sub/page", "sub/page.md#page", "a-target", "#a-target", "#changes")
	g.bad("CHANGELOG.md", "sub/none.md", "none", "#none-such", "docs/none.md")
	g.good("docs/sub/_part.md", "page", "sub/page.md", "page.md", "../index.md#para")
	g.bad("docs/sub/_part.md", "sub/none.md")
	g.good("docs/sub/page.md", "../index.md#a-target", "../index.md#para", "../index.md#span", "../index.md#z")
	g.bad("docs/sub/page.md", "../index.md#class")
	g.addUnknown("docs/sub/page.md", "gh-pr:12")
	g.bad("README.md", "sub/page.md")
	g.check(t, "auto")
	g = newGenerated(map[string]string{"conf.py": "extensions = ['myst_parser', 'sphinx.ext.intersphinx']\n", "a.md": "# A\n"})
	g.bad("a.md", "#none-such", "a.md#none")
	g.addUnknown("a.md", "#usage/restructuredtext/roles", "#package.Class")
	g.check(t, "auto")
	for config, known := range map[string]bool{"extensions = ['sphinx.ext.todo']\n": true, "extensions = [\n    'ours',\n]\n": false, "extensions += ['ours']\n": false, "extensions = []\nextensions.append('ours')\n": false} {
		g := newGenerated(map[string]string{"conf.py": "html_theme = 'x'\n" + config, "a.md": "# A\n", "b.md": "# B\n"})
		g.good("a.md", "b", "b.md#b")
		g.bad("a.md", "none.md", "none.png", "b.md#none")
		if known {
			g.bad("a.md", "none", "none.html")
		} else {
			g.addUnknown("a.md", "none", "none.html")
		}
		g.check(t, "auto")
	}
}

// Roles and directives of Sphinx refer to source files, even if an extension changes them.
func TestSphinxSources(t *testing.T) {
	g := newGenerated(map[string]string{
		"docs/conf.py":         "extensions = ['ours']\nhtml_static_path = ['_static']\n",
		"docs/index.rst":       ":doc:`sub/page` :doc:`/sub/page` :doc:`none`\n\n.. include:: ../CHANGES.rst\n\n.. include:: ../NONE.rst\n\n.. image:: _static/pic.png\n\n.. image:: _static/none.png\n",
		"docs/sub/page.rst":    "Page\n====\n",
		"docs/_static/pic.png": "p",
		"CHANGES.rst":          "Changes\n=======\n",
	})
	g.links += 7
	for _, link := range []string{"none", "../NONE.rst", "_static/none.png"} {
		g.dead["docs/index.rst: "+link] = true
	}
	g.check(t, "auto")
}

// In MyST, "#name" is also a term, or a name in another site.
func TestSphinxNames(t *testing.T) {
	for _, files := range []map[string]string{{"conf.py": "extensions = ['myst_parser', 'sphinx.ext.intersphinx']\nintersphinx_mapping = dict(x=1)\n"}, {"conf.py": "extensions = ['myst_parser']\n", "terms.md": "```{glossary}\nterm\n  a text\n```\n"}} {
		g := newGenerated(files)
		files["a.md"] = "# A\n"
		g.good("a.md", "#a")
		g.addUnknown("a.md", "#my-term")
		g.bad("a.md", "a.md#my-term")
		g.check(t, "auto")
	}
}

// The documents of packages are not Jekyll pages.
func TestJekyllPackages(t *testing.T) {
	g := newGenerated(map[string]string{"_config.yml": "title: X\nbaseurl: /site\n", "a.md": "---\n---\n# A\n", "node_modules/x/b.md": "# B\n", "node_modules/x/c.md": "# C\n"})
	g.good("node_modules/x/b.md", "c.md", "/a.md")
	g.bad("node_modules/x/b.md", "c.html", "c")
	g.check(t, "auto")
}

// In each site, the Verifier finds at least 95 of 100 dead links to documents, pictures or
// headings, even with a plugin or an unreadable configuration.
func TestBrokenLinksAreFound(t *testing.T) {
	const testdata = "internal/generator/testdata"
	names, err := filepath.Glob(testdata + "/*/site")
	if err != nil || len(names) < 8 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		files := sitesFiles(t, name)
		files["ours.py"] = "def on_page_markdown(text): ...\n"
		breakLinks(t, name, maps.Clone(files))
		for config, more := range map[string]string{"mkdocs.yml": "\nhooks: [ours.py]\n", "_config.yml": "\nplugins: [ours]\n", "docs/conf.py": "\nextensions += ['ours']\n", "website/docusaurus.config.js": "\nconfig.themes = [ours];\n", ".vitepress/config.mts": "\n({", "hugo.yaml": "\ntheme: ours\n"} {
			if files[config] != "" {
				files[config] += more
				breakLinks(t, name, files)
			}
		}
	}
}

func sitesFiles(t *testing.T, dir string) map[string]string {
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// breakLinks adds broken links to the documents of a site.
func breakLinks(t *testing.T, name string, files map[string]string) {
	planted := 0
	for _, doc := range slices.Sorted(maps.Keys(files)) {
		if path.Ext(doc) != ".md" || strings.HasPrefix(path.Base(doc), "_") || strings.ContainsAny(doc, "[") || strings.Contains(doc, "draft") || strings.Contains(files[doc], "include") {
			continue
		}
		for _, link := range []string{"no-such.md", "./no-such.md", "./no-such.txt", "no-such.png", "./no-such.svg", "#no-such", path.Base(doc) + "#no-such", "./" + path.Base(doc) + "#no-such"} {
			files[doc] += "\n[broken](" + link + ")\n"
			planted++
		}
	}
	report, err := verify.Files(texts(files), &verify.FilesOptions{Preset: "auto"})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, r := range report.Results {
		if strings.Contains(r.Written, "no-such") && r.IsBad() {
			found++
		}
	}
	if found*100 < planted*95 {
		t.Errorf("%s: %d of %d broken links are found", name, found, planted)
	}
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

// BenchmarkBook verifies a book with 460 chapters, with and without the generator's preset.
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

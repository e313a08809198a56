package generator

import (
	"fmt"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func folder(files map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

func TestDetect(t *testing.T) {
	for _, c := range []struct{ files, want string }{
		{"book.toml", "mdbook"}, {"hugo.toml", "hugo"}, {"config.toml content/a.md", "hugo"}, {"config.toml", ""}, {"config/_default/hugo.toml", "hugo"},
		{"docusaurus.config.ts", "docusaurus"}, {"config.json={}", ""}, {".vitepress/config.mts", "vitepress"}, {"docs/.vitepress/config.ts", ""}, {"web/.vitepress/config.js=export default {srcDir: '../docs'}", "vitepress"}, {"site/docusaurus.config.js=module.exports = {presets: [['classic', {docs: {path: '../docs'}}]]}", "docusaurus"}, {"site/docusaurus.config.js=module.exports = {}", ""},
		{".vuepress/config.ts", "vuepress"}, {"astro.config.mjs", "astro"}, {"next.config.js=nextra({})", "nextra"}, {"next.config.js=next", ""}, {".eleventy.js", "eleventy"}, {"antora.yml", "antora"}, {"docusaurus.config.js=export default {presets: [['classic', {docs: {path: '../x'}}]]}", ""}, {"mkdocs.yml", "mkdocs"}, {"conf.py=extensions = ['sphinx.ext.autodoc']", "sphinx"}, {"conf.py=html_theme='x'", "sphinx"}, {"conf.py=DEBUG = True", ""},
		{"_config.yml", "jekyll"}, {"_config.yml _toc.yml", ""}, {"_config.yml source/_posts/a.md", ""}, {".obsidian/app.json", "obsidian"}, {".foam/x", "foam"}, {"README.md", ""}, {"", ""},
	} {
		files := map[string]string{}
		if name, text, ok := strings.Cut(c.files, "="); ok {
			files[name] = text
		} else {
			for name := range strings.FieldsSeq(c.files) {
				files[name] = ""
			}
		}
		if got, _ := Detect(folder(files)); got != c.want {
			t.Errorf("%s: %q, want %q", c.files, got, c.want)
		}
	}
}

// The page paths are examples from the documentation of each generator.
func TestPages(t *testing.T) {
	for _, c := range []struct {
		preset string
		files  map[string]string
		want   map[string]string // page paths by file
	}{
		{"jekyll", map[string]string{
			"_config.yml": "permalink: pretty\n", "_posts/2009-04-29-slap-chop.md": "---\n---\n", "about.md": "---\n---\n", "docs/index.md": "---\n---\n", "x.html": "no front matter",
		}, map[string]string{"_posts/2009-04-29-slap-chop.md": "2009/04/29/slap-chop/", "about.md": "about/", "docs/index.md": "docs/"}},
		{"jekyll", map[string]string{
			"_config.yml": "permalink: /:month-:day-:year/:title.html\n", "_posts/2009-04-29-slap-chop.md": "---\n---\n",
		}, map[string]string{"_posts/2009-04-29-slap-chop.md": "04-29-2009/slap-chop.html"}},
		{"jekyll", map[string]string{
			"_config.yml": "collections:\n  posts:\n    permalink: \"/news/:year/:title/\"\n    output: true\n", "_posts/2009-04-29-slap-chop.md": "---\n---\n",
		}, map[string]string{"_posts/2009-04-29-slap-chop.md": "news/2009/slap-chop/"}},
		{"jekyll", map[string]string{
			"_config.yml": "permalink: ordinal\n", "_posts/2009-04-29-slap-chop.md": "---\n---\n",
		}, map[string]string{"_posts/2009-04-29-slap-chop.md": "2009/119/slap-chop.html"}},
		{"hugo", map[string]string{
			"hugo.yaml": "permalinks:\n  page:\n    posts: /articles/:year/:month/:slug/\n    tutorials: /training/:slug/\n", "content/_index.md": "",
			"content/posts/bash-in-slow-motion.md": "---\ntitle: Bash in slow motion\ndate: 2023-10-15T19:30:00-07:00\n---\n", "content/tutorials/git-for-beginners.md": "---\ntitle: Git for beginners\n---\n",
		}, map[string]string{"content/posts/bash-in-slow-motion.md": "articles/2023/10/bash-in-slow-motion/", "content/tutorials/git-for-beginners.md": "training/git-for-beginners/", "content/_index.md": ""}},
		{"hugo", map[string]string{"hugo.yaml": "module:\n  mounts:\n    - source: text/en\n      target: content\n    - source: text/x\n      target: content/more\n    - source: files\n      target: static\n", "text/en/a.md": "", "text/x/b.md": "", "content/c.md": ""},
			map[string]string{"text/en/a.md": "a/", "text/x/b.md": "more/b/"}},
		{"hugo", map[string]string{"hugo.toml": "[[module.mounts]]\nsource = 'text/en'\ntarget = 'content'\n", "text/en/a.md": ""}, map[string]string{"text/en/a.md": "a/"}},
		{"hugo", map[string]string{"hugo.json": `{"uglyURLs": true}`, "content/posts/post-1.md": "", "content/posts/_index.md": ""},
			map[string]string{"content/posts/post-1.md": "posts/post-1.html", "content/posts/_index.md": "posts/"}},
		{"docusaurus", map[string]string{
			"docusaurus.config.js": "module.exports = { presets: [['classic', { docs: { path: 'manual', routeBasePath: '/' }, blog: false }]], trailingSlash: true }", "manual/guides/hello.md": "", "manual/01-Intro/01-Part/1-a.md": "", "manual/7.0-foo.md": "", "blog/x.md": "",
		}, map[string]string{"manual/guides/hello.md": "guides/hello/", "manual/01-Intro/01-Part/1-a.md": "Intro/Part/a/", "manual/7.0-foo.md": "7.0-foo/"}},
		{"mkdocs", map[string]string{"mkdocs.yml": "docs_dir: text\n", "text/index.md": "", "text/api-guide/testing.md": ""}, map[string]string{"text/index.md": "", "text/api-guide/testing.md": "api-guide/testing/"}},
		{"sphinx", map[string]string{"conf.py": "", "index.rst": "", "a/b.md": "", "_build/x.md": ""}, map[string]string{"index.rst": "", "a/b.md": "a/b.html"}},
		{"mdbook", map[string]string{"book.toml": "", "src/SUMMARY.md": "[Intro](README.md)\n- [A](./a%20b.md)\n  - [Draft]()\n- [None](none.md)\n", "src/README.md": "", "src/a b.md": "", "src/c.md": ""},
			map[string]string{"src/README.md": "", "src/a b.md": "a b.html", "src/SUMMARY.md": ""}},
	} {
		s, err := Open(t.Context(), folder(c.files), c.preset)
		if err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(s.paths, c.want) {
			t.Errorf("%s: %v, want %v", c.preset, s.paths, c.want)
		}
	}
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		preset    string
		files     map[string]string
		doc, ref  string
		fragments string // fragments to find; "!" marks fragments that do not exist
		want      Target
	}{
		{"hugo", map[string]string{"content/a.md": "", "layouts/_markup/render-link.html": ""}, "content/a.md", "g", "", Target{Undecided, "a/g"}},
		{"hugo", map[string]string{"content/a.md": "", "themes/x/layouts/_default/_markup/render-link.html": "", "layouts/x.html": ""}, "layouts/x.html", "/g", "", Target{Missing, "g"}},
		{"hugo", map[string]string{"content/a.md": "", "layouts/_markup/render-link.html": `{{/* href="x" */}}<a href="{{ .Destination | safeURL }}">{{ .Text }}</a>`}, "content/a.md", "g", "", Target{Missing, "a/g"}},
		{"hugo", map[string]string{"content/a.md": "", "layouts/_markup/render-link.html": `<a href={{- .Destination -}}>`}, "content/a.md", "g", "", Target{Missing, "a/g"}},
		{"hugo", map[string]string{"content/a.md": "", "layouts/_markup/render-link.html": `<a href="{{ .Destination | relURL }}">`}, "content/a.md", "g", "", Target{Undecided, "a/g"}},
		{"hugo", map[string]string{"content/a.md": "", "layouts/_markup/render-link.html": `<a href="/x{{ .Destination }}">`}, "content/a.md", "g", "", Target{Undecided, "a/g"}},
		{"hugo", map[string]string{"content/a.md": "", "layouts/_markup/render-link.html": `<a href="{{ .Destination }}x">`}, "content/a.md", "g", "", Target{Undecided, "a/g"}},
		{"hugo", map[string]string{"content/a.md": "", "layouts/_markup/render-link.html": `{{ $u := .Destination }}<a href="{{ $u }}">`}, "content/a.md", "g", "", Target{Missing, "a/g"}},
		{"hugo", map[string]string{"content/a.md": "", "layouts/_markup/render-link.html": `{{ $u := .Destination }}{{ $u = "x" }}<a href="{{ $u }}">`}, "content/a.md", "g", "", Target{Undecided, "a/g"}},
		{"hugo", map[string]string{"content/a.md": "", "layouts/_markup/render-image.html": `<img src="{{ (.Page.Resources.Get .Destination).RelPermalink }}">`}, "content/a.md", "g.png", "", Target{Undecided, "a/g.png"}},
		{"hugo", map[string]string{"content/a.md": "", "layouts/_markup/render-link.html": "x"}, "content/a.md", "g.png", "", Target{Missing, "a/g.png"}},
		{"hugo", map[string]string{"content/a.md": "", "static/_redirects": "# old\n/old/* /new/:splat\n/one /a\n"}, "content/a.md", "/old/x/", "", Target{Made, "old/x/"}},
		{"hugo", map[string]string{"content/a.md": "", "static/_redirects": "/x/:y/api /z\n/* /404.html 404\n"}, "content/a.md", "/x/go/api/", "", Target{Undecided, "x/go/api/"}},
		{"hugo", map[string]string{"content/a.md": "", "static/_redirects": "/x/:y/api /z\n/* /404.html 404\n"}, "content/a.md", "/x/go/none/", "", Target{Missing, "x/go/none/"}},
		{"hugo", map[string]string{"content/a.md": "", "static/_redirects": "/old/* /new/:splat\n/one /a\n"}, "content/a.md", "/two/", "", Target{Missing, "two/"}},
		{"hugo", map[string]string{"content/a.md": "", "layouts/index.redirects": "{{ range .Pages }}/{{ .Dir }}api /x {{ end }}"}, "content/a.md", "../api", "", Target{Undecided, "api"}},
		{"hugo", map[string]string{"content/a.md": "", "layouts/index.redirects": "{{ range .Pages }}/{{ .Dir }}api /x {{ end }}"}, "content/a.md", "../appi", "", Target{Missing, "appi"}},
		{"hugo", map[string]string{"content/a.md": "", "layouts/x.html": ""}, "layouts/x.html", "g%q", "", Target{Kind: NoPage}},
		{"hugo", map[string]string{"content/Diff/index.md": "", "content/Diff/a.png": ""}, "content/Diff/index.md", "a.png", "", Target{File, "content/Diff/a.png"}},
		{"hugo", map[string]string{"hugo.toml": "[markup.goldmark.parser]\nautoDefinitionTermID = true\n", "content/a.md": "`The Term`\n: is defined\n\n[^n]: A note\n"}, "content/a.md", "", "the-term fn:1 fnref:1 !is-defined", Target{File, "content/a.md"}},
		{"hugo", map[string]string{"content/a.md": "`The Term`\n: is defined\n"}, "content/a.md", "", "!the-term", Target{File, "content/a.md"}},
		{"mkdocs", map[string]string{"docs/a/b.md": ""}, "docs/a/b.md", "../img/favicon.ico", "", Target{Made, "img/favicon.ico"}},
		{"mkdocs", map[string]string{"docs/a.md": "**bold**{ #own .x } `code`{#two}\n## H { id=three }\n<!-- md:x -->\n[^n]: note\n"}, "docs/a.md", "", "own two three fn:n !h !x", Target{File, "docs/a.md"}},
		{"mkdocs", map[string]string{"docs/a.md": ""}, "docs/a.md", "../assets/none.png", "", Target{Missing, "assets/none.png"}},
		{"mkdocs", map[string]string{"docs/a.md": ""}, "docs/a.md", "assets/none.png", "", Target{Missing, "a/assets/none.png"}},
		{"mkdocs", map[string]string{"docs/a.md": ""}, "docs/a.md", "../assets/images/favicon.png", "", Target{Made, "assets/images/favicon.png"}},
		{"mkdocs", map[string]string{"docs/a.md": ""}, "docs/a.md", "../assets/stylesheets/main.css", "", Target{Made, "assets/stylesheets/main.css"}},
		{"mkdocs", map[string]string{"mkdocs.yml": "plugins: [blog]", "docs/blog/posts/a.md": ""}, "docs/blog/posts/a.md", "none.md", "", Target{Missing, "blog/posts/a/none.md"}},
		{"mkdocs", map[string]string{"mkdocs.yml": "plugins: [blog]", "docs/blog/posts/a.md": ""}, "docs/blog/posts/a.md", "/blog/2020/", "", Target{Made, "blog/2020/"}},
		{"mkdocs", map[string]string{"mkdocs.yml": "theme: {custom_dir: over}", "over/main.html": "", "docs/img/x.png": ""}, "over/main.html", "/img/x.png", "", Target{File, "docs/img/x.png"}},
		{"docusaurus", map[string]string{"docs/a.md": ""}, "docs/a.md", "/assets/none.png", "", Target{Missing, "assets/none.png"}},
		{"docusaurus", map[string]string{"docs/a.md": ""}, "docs/a.md", "/docs/assets/none.png", "", Target{Missing, "docs/assets/none.png"}},
		{"docusaurus", map[string]string{"docs/a.md": ""}, "docs/a.md", "/docs/tags/none.md", "", Target{Missing, "docs/tags/none.md"}},
		{"docusaurus", map[string]string{"docusaurus.config.js": "module.exports = {themes: [x]}", "docs/a.md": "", "static/img/x.png": ""}, "docs/a.md", "/img/none.png", "", Target{Missing, "img/none.png"}},
		{"docusaurus", map[string]string{"docusaurus.config.js": "module.exports = {themes: [x]}", "docs/a.md": "", "static/img/x.png": ""}, "docs/a.md", "/made/none.png", "", Target{Undecided, "made/none.png"}},
		{"vuepress", map[string]string{"a.md": "", ".vuepress/config.js": "", ".vuepress/public/img/x.png": ""}, "a.md", "/img/none.png", "", Target{Missing, "/img/none.png"}},
		{"vitepress", map[string]string{".vitepress/config.js": "export default {rewrites: f()}", "a.md": "", "public/img/x.png": ""}, "a.md", "/img/none.png", "", Target{Missing, "public/img/none.png"}},
		{"vitepress", map[string]string{".vitepress/config.js": "export default {rewrites: f()}", "a.md": ""}, "a.md", "/none", "", Target{Undecided, "none"}},
		{"nextra", map[string]string{"next.config.mjs": "nextra()", "components/a.mdx": "", "content/b.mdx": ""}, "components/a.mdx", "/b", "", Target{File, "content/b.mdx"}},
		{"vitepress", map[string]string{"a.md": ""}, "a.md", "/assets/none.png", "", Target{Missing, "public/assets/none.png"}},
		{"jekyll", map[string]string{"a.md": "", "_includes/x.html": ""}, "_includes/x.html", "y", "", Target{Kind: NoPage}},
		{"jekyll", map[string]string{"a.md": "", "_includes/x.html": ""}, "a.md", "_includes/x.html", "", Target{Missing, "_includes/x.html"}},
		{"mdbook", map[string]string{"src/SUMMARY.md": "[A](a.md)", "src/a.md": "", "src/b.md": ""}, "src/a.md", "b.md", "", Target{Unlisted, "src/b.md"}},
		{"mdbook", map[string]string{"src/SUMMARY.md": "[A](a.md)", "src/a.md": "", "src/b.md": ""}, "src/b.md", "a.md", "", Target{Kind: NoPage}},
		{"mdbook", map[string]string{"src/SUMMARY.md": "[A](a.md)", "src/a.md": ""}, "src/a.md", "../../../x", "", Target{Outside, "x"}},
		{"sphinx", map[string]string{"a.md": "", "conf.py": "extensions = ['ours']\nhtml_static_path = ['_static']", "_static/x.png": ""}, "a.md", "_static/none.png", "", Target{Missing, "_static/none.png"}},
		{"sphinx", map[string]string{"a.md": "", "conf.py": ""}, "a.md", "_static/basic.css", "", Target{Made, "_static/basic.css"}},
		{"sphinx", map[string]string{"a.md": "", "conf.py": "extensions = ['sphinx_gallery.gen_gallery']"}, "a.md", "none.rst", "", Target{Undecided, "none.rst"}},
		{"sphinx", map[string]string{"a.md": "", "conf.py": "extensions = ['autoapi.extension']"}, "a.md", "none.rst", "", Target{Missing, "none.rst"}},
		{"sphinx", map[string]string{"a.md": "", "conf.py": "extensions = ['autoapi.extension']"}, "a.md", "autoapi/none.rst", "", Target{Made, "autoapi/none.rst"}},
		{"sphinx", map[string]string{"a.md": "", "conf.py": "extensions = ['ours']"}, "a.md", "none.rst", "", Target{Missing, "none.rst"}},
		{"sphinx", map[string]string{"a.md": "A[^b].\n\n   [^b]: text\n    [^c]: code\n"}, "a.md", "", "fn:b !fn:c", Target{File, "a.md"}},
		{"sphinx", map[string]string{"a.md": "", "b.md": "(A Label)=\n# B\n"}, "a.md", "a%20label", "a-label b !none", Target{File, "b.md"}},
		{"obsidian", map[string]string{"a.md": "# A: B c\nText ^block\n"}, "a.md", "", "a-b-c abc ^block !b", Target{File, "a.md"}},
		{"", map[string]string{"a/b.md": ""}, "", "a/b.md", "", Target{File, "a/b.md"}},
		{"", map[string]string{"a/b.md": ""}, "a/b.md", "..%2Fb.md", "", Target{Missing, "..%2Fb.md"}},
	} {
		s, err := Open(t.Context(), folder(c.files), c.preset)
		if err != nil {
			t.Fatal(err)
		}
		got := s.Find(c.doc, c.ref, "")
		if got != c.want {
			t.Errorf("%s: %s from %s: %v, want %v", c.preset, c.ref, c.doc, got, c.want)
		}
		ids, other := s.IDs(c.files[got.Name])
		if other {
			t.Errorf("%s: %s may have any fragment", c.preset, got.Name)
		}
		for fragment := range strings.FieldsSeq(c.fragments) {
			if name, missing := strings.CutPrefix(fragment, "!"); slices.Contains(ids, name) == missing {
				t.Errorf("%s: %s of %s: %v", c.preset, fragment, got.Name, ids)
			}
		}
	}
}

// A page with a part from another file may contain any fragment.
func TestOpaque(t *testing.T) {
	for preset, sources := range map[string][2]string{ // first with an external part, then without
		"mdbook": {"{{#include part.md}}", "{{#include main.rs}}"}, "hugo": {`{{% ours %}}`, `{{< ref "a" >}} {{< figure src="a.png" >}}`}, "jekyll": {"{% include x.html %}", "{% link a.md %} {{ site.x }}"},
		"docusaurus": {"import Part from './_part.mdx'", "import Tabs from '@theme/Tabs'"}, "sphinx": {"```{include} x.md\n```", "```{note}\n```"},
	} {
		s, err := Open(t.Context(), fstest.MapFS{}, preset)
		if err != nil {
			t.Fatal(err)
		}
		for i, source := range sources {
			if _, other := s.IDs(source); other != (i == 0) {
				t.Errorf("%s: %q: %v", preset, source, other)
			}
		}
	}
}

// The templates of a site show whether a part creates fragments. Code creates no fragments.
func TestParts(t *testing.T) {
	for _, c := range []struct {
		preset, source string
		files          map[string]string
		want           bool
	}{
		{"hugo", "{{< ours >}}", map[string]string{"layouts/shortcodes/ours.html": "<b>{{ .Inner }}</b>"}, false},
		{"hugo", "{{< ours >}}", map[string]string{"layouts/shortcodes/ours.html": "<h2>x</h2>"}, true},
		{"hugo", "{{< ours >}}", nil, true},
		{"hugo", "```\n{{< ours >}}\n```\n`{{< ours >}}`", nil, false},
		{"jekyll", "{% include a.html %}", map[string]string{"_includes/a.html": "<p>"}, false},
		{"jekyll", "{% include a.html %}", map[string]string{"_includes/a.html": "<p id=x>"}, true},
		{"jekyll", "{% for x in y %}<p>{% endfor %}", nil, true},
		{"jekyll", "# A {{ title }}", nil, true},
		{"jekyll", "{{ x }} {% link a.md %} {% post_url b %} {% if c %}{% endif %} {% assign d = 1 %} {% comment %}{% endcomment %}", nil, false},
		{"jekyll", "{% raw %}{% include b.html %}{% endraw %}", nil, false},
		{"mkdocs", "{{ x }}", map[string]string{"mkdocs.yml": "plugins: [search]"}, false},
		{"mkdocs", "{{ x }}", map[string]string{"mkdocs.yml": "plugins: [macros]"}, true},
		{"mkdocs", "::: package", map[string]string{"mkdocs.yml": "plugins: [mkdocstrings]"}, true},
		{"mkdocs", "::: package\n--8<-- x\n{!y!}", map[string]string{"mkdocs.yml": "plugins: [search]"}, false},
		{"mkdocs", "--8<-- x", map[string]string{"mkdocs.yml": "markdown_extensions: [pymdownx.snippets: {check_paths: true}]"}, true},
		{"mkdocs", "{!y!}", map[string]string{"mkdocs.yml": "markdown_extensions: [markdown_include.include]"}, true},
		{"mkdocs", "{% x %} {{ y }}", map[string]string{"mkdocs.yml": "plugins: [include-markdown]"}, false},
		{"mkdocs", "{% include-markdown 'x' %}", map[string]string{"mkdocs.yml": "plugins: [include-markdown]"}, true},
		{"mkdocs", "{% include-markdown 'in/x.md' %}", map[string]string{"mkdocs.yml": "plugins: [include-markdown]", "docs/in/x.md": "text"}, false},
		{"mkdocs", "{% include-markdown 'in/x.md' %}", map[string]string{"mkdocs.yml": "plugins: [include-markdown]", "docs/in/x.md": "# H"}, true},
		{"mkdocs", "--8<-- x", map[string]string{"mkdocs.yml": "INHERIT: ../none.yml"}, true},
		{"mkdocs", "{{ x }}", map[string]string{"mkdocs.yml": "INHERIT: a.yml", "a.yml": "INHERIT: b/c.yml", "b/c.yml": "plugins: [macros]"}, true},
		{"sphinx", "````md\n```{include} x\n```\n````\n", nil, false},
		{"sphinx", "````{note}\n```{include} x\n```\n````\n", nil, true},
		{"sphinx", "````{a}\n```{b}\n```\n````\n\n````{c}\n```{glossary}\n```\n````\n", nil, true},
		{"hugo", "# A", map[string]string{"layouts/_markup/render-heading.html": `<h2 id="{{ .Anchor }}">`}, false},
		{"hugo", "# A", map[string]string{"layouts/_markup/render-heading.html": `<h2 id="{{ .Text }}">`}, true},
	} {
		s, err := Open(t.Context(), folder(c.files), c.preset)
		if err != nil {
			t.Fatal(err)
		}
		if _, any := s.IDs(c.source); any != c.want {
			t.Errorf("%s: %q with %v: %v", c.preset, c.source, c.files, any)
		}
	}
}

func TestYAML(t *testing.T) {
	for source, want := range map[string]values{
		"# comment\nsite_name: \"My: Docs\" # name\nnav:\n  - Home: index.md\nplugins:\n- search\n- 'tags'\nurl: http://h/#x\n": {
			"site_name": {"My: Docs"}, "nav.home": {"index.md"}, "plugins": {"search", "tags"}, "url": {"http://h/#x"}},
		"a: >-\n  /one/\nb: '/it''s/'\nc: \"\\u00e9 \\\"q\\\"\"\n":                                       {"a": {"/one/"}, "b": {"/it's/"}, "c": {"é \"q\""}},
		"list: [a, 'b, c', ]\nmore: [a,\n  b]\ntoc: {permalink: true}\nnone: ~\nempty:\nversion: 1.10\n": {"list": {"a", "b, c"}, "more": {"a", "b"}, "toc.permalink": {"true"}, "version": {"1.10"}},
		"x: &x\n  k: 1\n  l: 2\ny:\n  <<: *x\n  l: 3\nz: {<<: [*x, {m: 4}]}\ntext: |\n  not: this\n":     {"x.k": {"1"}, "x.l": {"2"}, "y.k": {"1"}, "y.l": {"3"}, "z.k": {"1"}, "z.l": {"2"}, "z.m": {"4"}, "text": {"not: this\n"}},
		"hook: !!python/name:a.b.c ''\nurl: !ENV [SITE, 'http://h/']\ndate: 2020-01-02\nflag: yes\n":     {"hook": {""}, "url": {"SITE", "http://h/"}, "date": {"2020-01-02"}, "flag": {"yes"}},
		"a: b: c\n": nil, "": {}, "- a\n": nil, "a: 1\n---\nb: 2\n": {"a": {"1"}},
	} {
		if got := parseYAML(source); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v, want %v", source, got, want)
		}
	}
}

// A small text must not produce large values, and reading a large text must not take long.
func TestYAMLBombs(t *testing.T) {
	laughs := "a: &a [x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c <= 'j'; c++ {
		laughs += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c, ", c-1), 9), ", "))
	}
	for name, source := range map[string]string{
		"itself": "a: &a [*a, *a, *a]\n", "laughs": laughs, "merges": "a: &a {b: c}\nd: {" + strings.Repeat("<<: *a, ", 50_000) + "}\n",
		"flow": strings.Repeat("[", 900_000), "block": strings.Repeat("- ", 400_000), "lines": strings.Repeat("k: v\n", 200_000), "quotes": "a: \"" + strings.Repeat("\\n", 400_000) + "\"\n",
		"comments": strings.Repeat("# c\n", 200_000) + "a: b\n", "anchors": strings.Repeat("- &a b\n", 100_000), "large": strings.Repeat("a", 4<<20), "keys": strings.Repeat("? a\n", 200_000), "blanks": "a:\n" + strings.Repeat("\n", 900_000) + " b",
	} {
		start := time.Now()
		v := parseYAML(source)
		took := time.Since(start)
		n := 0
		for _, list := range v {
			n += len(list)
		}
		if n > maxNodes || took > 5*time.Second {
			t.Errorf("%s: %d values in %v", name, n, took)
		}
		t.Log(name, took)
	}
}

func TestMatter(t *testing.T) {
	for source, want := range map[string]string{
		"---\na: b\n---\ntext": "b", "+++\na = 'b'\n+++\n": "b", "\uFEFF---\r\na: b\r\n---\r\n": "b", "---\na: b\n": "", "text\n---\na: b\n---\n": "", "--- x\na: b\n---\n": "", "": "",
	} {
		v, ok := parseMatter(source)
		if v.get("a") != want || ok != (want != "") {
			t.Errorf("%q: %v, %v", source, v, ok)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	if _, err := Open(t.Context(), fstest.MapFS{}, "none"); err == nil {
		t.Error("an unknown preset opens")
	}
	for _, name := range Presets() {
		s, err := Open(t.Context(), fstest.MapFS{}, name)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := s.Find("a.md", "b.md", ""); got.Kind == File {
			t.Errorf("%s: %v in an empty folder", name, got)
		}
	}
}

// For every configuration, links are resolved only to files in the site's directory.
func FuzzSite(f *testing.F) {
	f.Add("docs_dir: .\nsite_url: http://h/x/", "---\nslug: ../..\npermalink: /../:title\nurl: //\n---\n# A {#b}\n(x)=\n", "../../a.md")
	f.Add("[book]\nsrc = '..'", "[a](../../x.md)", "/..%2F..")
	f.Add("docs: { path: '../..' }, baseUrl: '//'", "+++\naliases = ['/../']\ndate = 2020-01-01\n+++\n[[x]]", "%zz")
	f.Add("export default {srcDir: '../x', base: '/b', rewrites: {':a/:b*': '..//:b'}, srcExclude: ['**/[']}", "[a](b)", "./../a")
	f.Add("module.exports = {presets: [['classic', {docs: {path: '../..', routeBasePath: '../'}}]], baseUrl: '//'}", "---\nslug: ../..\n---\n", "@site/../x")
	f.Add("permalinks:\n  content: /:year/../:x/", "", "//")
	f.Fuzz(func(t *testing.T, config, source, ref string) {
		files := map[string]string{"a.md": source, "docs/a.md": source, "src/SUMMARY.md": source, "content/posts/index.md": source, "_posts/2020-01-02-a.md": source, "blog/2020-01-02/index.md": source}
		names := []string{""}
		for _, p := range presets() {
			names = append(names, p.name)
			if !strings.HasPrefix(p.config[0], ".") || strings.Contains(p.config[0], "/") {
				files[p.config[0]] = config
			}
		}
		fsys := folder(files)
		for _, name := range names {
			s, err := Open(t.Context(), fsys, name)
			if err != nil {
				t.Fatal(err)
			}
			s.IDs(source)
			for _, doc := range slices.Sorted(maps.Keys(files)) {
				s.Contains(doc)
				for _, got := range []Target{s.Find(doc, ref, ""), s.At(ref), s.Wiki(doc, ref)} {
					if _, err := fs.Stat(fsys, got.Name); got.Kind == File && err != nil {
						t.Fatalf("%s: %q of %s leads to %v", name, ref, doc, got)
					}
				}
			}
		}
	})
}

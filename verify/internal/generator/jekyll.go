package generator

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// isJekyll reports whether a _config.yml belongs to Jekyll. Hexo and Jupyter Book use the same
// file name.
func isJekyll(fsys fs.FS, _ string) bool {
	for _, other := range []string{"_toc.yml", "source/_posts"} {
		if _, err := fs.Stat(fsys, other); err == nil {
			return false
		}
	}
	return true
}

var (
	jekyllPost    = expression(`^(?:(.*)/)?_(?:posts|drafts)/(?:.*/)?(\d{4})-(\d{1,2})-(\d{1,2})-(.+)$`)
	jekyllInclude = expression(`\{%-?\s*include(?:_relative)?\s+([\w./-]*)|\|\s*markdownify|\{%-?\s*(?:for|render|tablerow)\s|(?m:^#.*\{\{)|\bid="\{\{`)
	jekyllStyles  = map[string]string{
		"": "/:categories/:year/:month/:day/:title.html", "date": "/:categories/:year/:month/:day/:title.html", "pretty": "/:categories/:year/:month/:day/:title/",
		"ordinal": "/:categories/:year/:y_day/:title.html", "weekdate": "/:categories/:year/W:week/:short_day/:title.html", "none": "/:categories/:title.html",
	}
)

// openJekyll reads _config.yml and the front matter of the documents. Without a permalink setting,
// the document a.md becomes the page a.html, and the post _posts/2020-01-02-a.md becomes
// 2020/01/02/a.html.
func openJekyll(s *Site, config string) error {
	tree, ok := treeOfYAML(config)
	v := flat(tree)
	s.doubt = !ok && config != "" || s.isFolder("_plugins")
	for _, plugin := range slices.Concat(v["plugins"], v["gems"]) {
		s.doubt = s.doubt || !jekyllHarmless(plugin)
	}
	s.clean, s.sources, s.internal = true, true, true // GitHub Pages rewrites links to a.md as links to pages
	s.setURL(v.get("url"))
	if s.prefix = v.get("baseurl"); s.URL != "" {
		s.URL = strings.TrimSuffix(s.URL, "/") + "/" + strings.Trim(s.prefix, "/")
	}
	s.mounts = []mount{{".", "", true}}
	s.ids, s.opaque = kramdownGFM, s.hasInclude
	if v.get("kramdown.input") != "" && !strings.EqualFold(v.get("kramdown.input"), "gfm") {
		s.ids = kramdownIDs
	}
	s.made = []string{"feed.xml", "sitemap.xml", "robots.txt", "redirects.json", "404.html", "assets/css/*", "page*", "tag/*", "tags/*", "category/*", "categories/*"}
	if v.get("theme")+v.get("remote_theme") != "" {
		s.made = append(s.made, "assets/**") // the theme also contains pictures
	}
	style := v.get("permalink")
	j := &jekyll{s, v, style}
	s.excluded = []string{"node_modules", "vendor/bundle", "vendor/cache", "vendor/gems", "vendor/ruby"}
	return s.walk(".", j.file)
}

// jekyllHarmless reports whether openJekyll knows all pages that a plugin creates.
func jekyllHarmless(name string) bool {
	switch name {
	case "jekyll-feed", "jekyll-sitemap", "jekyll-seo-tag", "jekyll-redirect-from", "jekyll-paginate", "jekyll-paginate-v2", "jekyll-archives", "jekyll-relative-links", "jekyll-optional-front-matter", "jekyll-readme-index", "jekyll-titles-from-headings", "jekyll-default-layout", "jekyll-include-cache", "jekyll-remote-theme",
		"jekyll-mentions", "jemoji", "jekyll-gist", "jekyll-github-metadata", "jekyll-avatar", "jekyll-toc", "jekyll-last-modified-at", "jekyll-commonmark", "jekyll-commonmark-ghpages", "jekyll-coffeescript", "jekyll-sass-converter", "jekyll-watch", "jekyll-target-blank", "jekyll-swiss", "github-pages", "jekyll-tidy", "jekyll-minifier", "jekyll-email-protect", "jekyll-environment-variables":
		return true
	}
	return false
}

// hasInclude reports whether a document includes a file that may add fragments, or contains a
// Liquid loop or a Liquid output tag.
func (s *Site) hasInclude(source string) bool {
	for _, m := range jekyllInclude().FindAllStringSubmatch(source, -1) {
		if m[1] == "" || s.makesFragments("_includes/"+m[1]) {
			return true
		}
	}
	return false
}

type jekyll struct {
	*Site
	config values
	style  string
}

func (j *jekyll) file(name string) {
	ext := path.Ext(name)
	isPage := isDocument(name)
	if !isPage && ext != ".html" && ext != ".htm" {
		return
	}
	v, has := j.readMatter(name)
	if !has && !isPage {
		return // the generator copies the file unchanged
	}
	for _, from := range v["redirect_from"] {
		j.made = append(j.made, strings.TrimPrefix(from, "/"))
	}
	stem := strings.TrimSuffix(name, ext)
	if m := jekyllPost().FindStringSubmatch(stem); m != nil {
		j.addPage(j.postPath(m, v), name)
		return
	}
	if collection, below, ok := strings.Cut(strings.TrimPrefix(stem, "_"), "/"); ok && strings.HasPrefix(stem, "_") {
		if j.config.get("collections."+strings.ToLower(collection)+".output") == "true" {
			j.addPage(j.itemPath(collection, below, v), name)
		}
		return
	}
	if strings.HasPrefix(stem, "_") || strings.Contains(stem, "/_") {
		return // layouts and includes are not pages
	}
	if at := v.get("permalink"); at != "" {
		j.addPage(at, name)
		return
	}
	dir, last := path.Split(stem)
	pretty := j.style == "pretty" || strings.HasSuffix(j.style, "/")
	switch {
	case last == "index":
		j.addPage(dir, name)
	case pretty:
		j.addPage(stem+"/", name)
	default:
		j.addPage(stem+".html", name)
	}
	if strings.EqualFold(last, "README") && !j.isFile(dir+"index.md") && !j.isFile(dir+"index.html") {
		j.addPage(dir, name)
	}
}

// postPath returns the path of a post. The parameter m contains the directory, the parts of the
// date and the title.
func (j *jekyll) postPath(m []string, v values) string {
	year, _ := strconv.Atoi(m[2])
	month, _ := strconv.Atoi(m[3])
	day, _ := strconv.Atoi(m[4])
	date := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if own := v.get("date"); len(own) >= len(time.DateOnly) {
		if d, err := time.Parse(time.DateOnly, own[:len(time.DateOnly)]); err == nil {
			date = d
		}
	}
	categories := append(strings.FieldsFunc(m[1], func(r rune) bool { return r == '/' }), v["category"]...)
	for _, list := range v["categories"] {
		categories = append(categories, strings.Fields(list)...)
	}
	style := cmp.Or(v.get("permalink"), j.config.get("collections.posts.permalink"), j.style)
	title := cmp.Or(v.get("slug"), m[5])
	_, week := date.ISOWeek()
	return permalink(style, map[string]string{
		"categories": strings.ToLower(strings.Join(categories, "/")), "title": title, "slug": strings.ToLower(title), "name": title,
		"year": date.Format("2006"), "short_year": date.Format("06"), "month": date.Format("01"), "i_month": strconv.Itoa(int(date.Month())),
		"day": date.Format("02"), "i_day": strconv.Itoa(date.Day()), "y_day": date.Format("002"), "week": strconv.Itoa(week),
		"short_month": date.Format("Jan"), "long_month": date.Format("January"), "short_day": date.Format("Mon"), "long_day": date.Format("Monday"),
		"output_ext": ".html",
	})
}

// itemPath returns the page path for a document in a collection.
func (j *jekyll) itemPath(collection, below string, v values) string {
	style := cmp.Or(v.get("permalink"), j.config.get("collections."+strings.ToLower(collection)+".permalink"))
	if style == "" {
		style = "/:collection/:path.html"
		if j.style == "pretty" || strings.HasSuffix(j.style, "/") {
			style = "/:collection/:path/"
		}
	}
	title := cmp.Or(v.get("slug"), path.Base(below))
	return permalink(style, map[string]string{"collection": collection, "path": below, "name": path.Base(below), "title": title, "slug": strings.ToLower(title), "output_ext": ".html"})
}

var token = expression(`:[a-z_]+`)

func permalink(style string, tokens map[string]string) string {
	if full, ok := jekyllStyles[style]; ok {
		style = full
	}
	at := token().ReplaceAllStringFunc(style, func(t string) string { return tokens[t[1:]] })
	if path.Ext(at) == "" && !strings.HasSuffix(at, "/") {
		at += ".html" // the server also accepts the path without the extension
	}
	return at
}

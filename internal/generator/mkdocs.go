package generator

import (
	"cmp"
	"net/url"
	"path"
	"strings"
)

// openMkDocs reads mkdocs.yml. A document a.md becomes a/, or a.html without
// use_directory_urls; index.md and README.md are the page of their folder.
func openMkDocs(s *Site, config string) error {
	v := parseYAML(config)
	docs := path.Clean(cmp.Or(v.get("docs_dir"), "docs"))
	s.content = []string{docs}
	s.mounts = []mount{{docs, "", false}}
	s.sources, s.assets = true, true
	s.ids = pythonIDs(strings.Contains(config, "slugify"))
	s.opaque = mkDocsInclude().MatchString
	if v["hooks"] != nil {
		s.opaque = func(source string) bool {
			return mkDocsInclude().MatchString(source) || hookComment().MatchString(source)
		}
	}
	s.setURL(v.get("site_url"))
	s.made = []string{"404.html", "search.html", "search/*", "sitemap.xml*", "objects.inv", "assets/*", "feed_*", "img/favicon.ico"}
	for _, r := range []string{"tags", "blog"} {
		if strings.Contains(config, "- "+r) {
			s.made = append(s.made, r+"/*", r+".html")
		}
	}
	for key := range v {
		if i := strings.Index(key, "redirect_maps."); i >= 0 {
			s.made = append(s.made, directoryPath(key[i+len("redirect_maps."):], v.get("use_directory_urls") != "false"))
		}
	}
	return s.walk(docs, func(name string) {
		below := strings.TrimPrefix(name, docs+"/")
		if ext := path.Ext(name); ext == ".md" || ext == ".markdown" {
			s.add(directoryPath(below, v.get("use_directory_urls") != "false"), name)
		}
	})
}

// directoryPath returns the path of the page of a document: a/ or a.html.
func directoryPath(name string, directories bool) string {
	stem := strings.TrimSuffix(name, path.Ext(name))
	dir, last := path.Split(stem)
	switch {
	case last == "index", last == "README":
		return dir + "index.html"
	case directories:
		return stem + "/"
	}
	return stem + ".html"
}

// mkDocsInclude is a part of a page that an extension or a plugin makes, and hookComment one
// that a hook may.
var (
	hookComment   = expression(`<!--\s*[\w-]+:`)
	mkDocsInclude = expression(`(?m)^:::\s|--8<--|\{!|\{\{|\{%`)
)

// setURL notes the URL of the site, if it is one with a host, and the path of its root.
func (s *Site) setURL(text string) {
	u, err := url.Parse(text)
	if err != nil || text == "" {
		return
	}
	s.prefix = cmp.Or(u.Path, "/")
	if u.Host != "" && u.User == nil {
		s.URL = text
	}
}

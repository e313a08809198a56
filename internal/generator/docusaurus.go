package generator

import (
	"cmp"
	"path"
	"regexp"
	"strings"
)

var (
	jsBaseURL  = expression(`\bbaseUrl\s*:\s*["'` + "`" + `]([^"'` + "`" + `]*)["'` + "`" + `]`)
	jsURL      = expression(`\burl\s*:\s*["'](https?://[^"']*)["']`)
	jsTrailing = expression(`\btrailingSlash\s*:\s*true`)
	jsBlock    = expression(`\b(docs|blog)\s*:\s*(false|\{[^}]*\}?)`)
	jsPath     = expression(`\bpath\s*:\s*["']([^"']*)["']`)
	jsRoute    = expression(`\brouteBasePath\s*:\s*["']([^"']*)["']`)

	// numberPrefix orders documents. Their addresses do not have it, unless the name is a
	// date or a version.
	numberPrefix = expression(`^\d+\s*[-_.]+\s*([^-_.\s].*)$`)
	notPrefix    = expression(`^\d+[-_.]\d+`)
	blogDate     = expression(`^(.*?)(\d{4})[-/](\d{1,2})[-/](\d{1,2})[-/]?(.*?)(?:/index)?$`)
	mdxImport    = expression(`(?m)^import\s[^\n]*\.mdx?["']`)
)

// openDocusaurus reads what it can of docusaurus.config.js, which is a program: the paths
// that are written in it as text. Other versions of the documents than the current one are
// not read.
func openDocusaurus(s *Site, config string) error {
	s.sources, s.assets, s.clean = true, true, true
	s.opaque = mdxImport().MatchString
	s.mounts = []mount{{"static", "", true}}
	s.made = []string{"search", "sitemap.xml", "404.html", "opensearch.xml", "assets/*", "img/*.ico"}
	if m := jsBaseURL().FindStringSubmatch(config); m != nil {
		s.prefix = m[1]
		if u := jsURL().FindStringSubmatch(config); u != nil {
			s.URL = strings.TrimSuffix(u[1], "/") + m[1]
		}
	}
	s.aliases = func(ref string) (string, bool) {
		return strings.CutPrefix(ref, "pathname://")
	}
	end := ""
	if jsTrailing().MatchString(config) {
		end = "/"
	}
	blocks := map[string]string{}
	for _, m := range jsBlock().FindAllStringSubmatch(config, -1) {
		blocks[m[1]] = cmp.Or(blocks[m[1]], m[2])
	}
	s.content = []string{"src/pages"}
	for _, name := range []string{"docs", "blog"} {
		if blocks[name] == "false" {
			continue
		}
		dir, route := setting(jsPath(), blocks[name], name), setting(jsRoute(), blocks[name], name)
		s.content = append(s.content, dir)
		if err := s.docusaurusDocs(dir, strings.Trim(route, "/"), end, name == "blog"); err != nil {
			return err
		}
	}
	return s.walk("src/pages", func(name string) {
		ext := path.Ext(name)
		stem := strings.TrimSuffix(strings.TrimPrefix(name, "src/pages/"), ext)
		switch ext {
		case ".md", ".mdx", ".js", ".jsx", ".ts", ".tsx":
			if !strings.HasPrefix(path.Base(stem), "_") {
				s.add(indexPath(stem)+end, name)
			}
		}
	})
}

// setting returns the text of a setting in a block of JavaScript.
func setting(key *regexp.Regexp, block, usual string) string {
	if m := key.FindStringSubmatch(block); m != nil {
		return path.Clean(m[1])
	}
	return usual
}

// indexPath returns the path of a folder for its index.
func indexPath(stem string) string {
	if dir, last := path.Split(stem); last == "index" {
		return dir
	}
	return stem
}

func (s *Site) docusaurusDocs(dir, route, end string, isBlog bool) error {
	at := func(slug string) string { return strings.TrimPrefix(path.Join("/", route, slug)+end, "/") }
	under := strings.TrimPrefix(route+"/", "/")
	if route == "." {
		under = ""
	}
	if isBlog {
		s.made = append(s.made, under, under+"archive", under+"tags*", under+"page/*", under+"authors*", under+"rss.xml", under+"atom.xml", under+"feed.json")
	} else {
		s.made = append(s.made, under+"category/*", under+"tags*")
	}
	return s.walk(dir, func(name string) {
		ext := path.Ext(name)
		if ext != ".md" && ext != ".mdx" || strings.HasPrefix(path.Base(name), "_") {
			return
		}
		stem := strings.TrimSuffix(strings.TrimPrefix(name, dir+"/"), ext)
		v, _ := matter(readText(s.fsys, name))
		if isBlog {
			s.add(at(blogSlug(stem, v)), name)
			return
		}
		slug, isIndex := docSlug(stem, v)
		if p := at(slug); isIndex && !strings.HasSuffix(p, "/") && p != "" {
			s.add(p+"/", name)
		} else {
			s.add(p, name)
		}
	})
}

// docSlug returns the address of a document below the route of the documents, and whether
// it is the page of its folder.
func docSlug(stem string, v values) (slug string, isIndex bool) {
	parts := strings.Split(stem, "/")
	for i, part := range parts {
		if m := numberPrefix().FindStringSubmatch(part); m != nil && !notPrefix().MatchString(part) {
			parts[i] = m[1]
		}
	}
	last := len(parts) - 1
	dir := strings.Join(parts[:last], "/")
	own := v.get("slug")
	if strings.HasPrefix(own, "/") {
		return own, strings.HasSuffix(own, "/")
	}
	folder := ""
	if last > 0 {
		folder = parts[last-1]
	}
	name := strings.ToLower(parts[last])
	if own == "" && (name == "index" || name == "readme" || name == strings.ToLower(folder)) {
		return dir, true
	}
	return path.Join(dir, cmp.Or(own, v.get("id"), parts[last])), false
}

// blogSlug returns the address of a post below the route of the blog.
func blogSlug(stem string, v values) string {
	if slug := v.get("slug"); slug != "" {
		return slug
	}
	if m := blogDate().FindStringSubmatch(stem); m != nil {
		return path.Join(m[1], m[2], m[3], m[4], m[5])
	}
	return strings.TrimSuffix(stem, "/index")
}

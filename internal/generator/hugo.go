package generator

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"path"
	"strings"
	"time"
	"unicode"
)

// isHugo reports whether a configuration file is one of Hugo: other programs have a
// config.toml too.
func isHugo(fsys fs.FS, config string) bool {
	if strings.HasPrefix(path.Base(config), "hugo.") {
		return true
	}
	info, err := fs.Stat(fsys, "content")
	return err == nil && info.IsDir()
}

// hugoInclude is a shortcode that is not known to leave the page without new fragments.
var hugoInclude = expression(`\{\{[<%]\s*/?\s*([\w/.-]+)`)

// openHugo reads the configuration and the front matter of the documents. content/posts/a.md
// becomes posts/a/, an index.md or _index.md the page of its folder.
func openHugo(s *Site, config string) error {
	h := &hugo{Site: s}
	switch path.Ext(s.Config) {
	case ".toml", "":
		h.config = parseTOML(config)
	case ".json":
		var tree map[string]any
		_ = json.Unmarshal([]byte(config), &tree) // as parseTOML
		h.config = values{}
		h.config.flatten("", tree)
	default:
		h.config = parseYAML(config)
	}
	v := h.config
	h.roots = []mount{{dir: path.Clean(cmp.Or(v.get("contentdir"), "content"))}}
	static := v["staticdir"]
	if len(static) == 0 {
		static = []string{"static"}
	}
	if own := mounted(v, "content"); len(own) > 0 {
		h.roots = own
	}
	for _, m := range mounted(v, "static") {
		static = append(static, m.dir)
	}
	s.content, s.sources, s.ids = []string{"layouts"}, true, hugoIDs
	s.opaque = func(source string) bool {
		for _, m := range hugoInclude().FindAllStringSubmatch(source, -1) {
			switch m[1] {
			case "ref", "relref", "figure", "highlight", "gist", "youtube", "vimeo", "param", "qr", "tweet", "x", "instagram", "details":
			default:
				return true
			}
		}
		return false
	}
	s.setURL(v.get("baseurl"))
	s.bundles, s.terms = true, v.get("markup.goldmark.parser.autodefinitiontermid") == "true"
	s.hooked = s.hasTemplate("render-link")
	if s.hasTemplate("render-heading") {
		s.opaque = func(string) bool { return true }
	}
	for _, theme := range v["theme"] {
		static = append(static, path.Join("themes", theme, "static"))
	}
	for _, dir := range static {
		s.mounts = append(s.mounts, mount{path.Clean(dir), "", true})
	}
	s.made = []string{"index.xml", "sitemap.xml", "robots.txt", "404.html", "tags/*", "categories/*", "page/*", ""}
	for key, list := range v {
		if strings.HasPrefix(key, "taxonomies.") {
			s.made = append(s.made, list[0]+"/*")
		}
	}
	for _, root := range h.roots {
		s.content = append(s.content, root.dir)
		s.mounts = append(s.mounts, root)
		if err := s.walk(root.dir, func(name string) { h.file(name, root) }); err != nil {
			return err
		}
	}
	return nil
}

// hasTemplate reports whether the site draws an element of Markdown by a template of its
// own.
func (s *Site) hasTemplate(name string) bool {
	for _, dir := range []string{"layouts/_markup", "layouts/_default/_markup", "themes/*/layouts/_markup", "themes/*/layouts/_default/_markup"} {
		if list, _ := fs.Glob(s.fsys, dir+"/"+name+"*"); len(list) > 0 { // the pattern is valid
			return true
		}
	}
	return false
}

// mounted returns the folders that [[module.mounts]] puts into a folder of the project.
func mounted(v values, folder string) (list []mount) {
	sources := v["module.mounts.source"]
	for i, target := range v["module.mounts.target"] {
		if rest, ok := strings.CutPrefix(path.Clean(target)+"/", folder+"/"); ok && i < len(sources) {
			list = append(list, mount{dir: path.Clean(sources[i]), at: rest})
		}
	}
	return list
}

type hugo struct {
	*Site
	config values
	roots  []mount // of documents
}

func (h *hugo) file(name string, root mount) {
	ext := path.Ext(name)
	if !isDocument(name) && ext != ".html" && ext != ".adoc" && ext != ".org" {
		return
	}
	below := root.at + strings.TrimPrefix(name, root.dir+"/")
	stem := strings.TrimSuffix(below, ext)
	language := ""
	if i := strings.LastIndexByte(stem, '.'); i > strings.LastIndexByte(stem, '/') && h.hasLanguage(stem[i+1:]) {
		stem, language = stem[:i], strings.ToLower(stem[i+1:])
	}
	if first, rest, ok := strings.Cut(stem, "/"); ok && len(h.config["languages."+strings.ToLower(first)+".contentdir"]) > 0 {
		stem, language = rest, strings.ToLower(first)
	}
	if language == cmp.Or(h.config.get("defaultcontentlanguage"), "en") && h.config.get("defaultcontentlanguageinsubdir") != "true" {
		language = ""
	}
	v, _ := matter(readText(h.fsys, name))
	h.add(h.address(stem, language, v), name)
	for _, alias := range v["aliases"] {
		if !strings.HasPrefix(alias, "/") {
			alias = path.Join("/", path.Dir(stem), alias)
		}
		h.made = append(h.made, strings.TrimSuffix(strings.TrimPrefix(alias, "/"), "/")+"/")
	}
	if section, _, ok := strings.Cut(stem, "/"); ok {
		at := h.plain(path.Join(language, section)) + "/"
		h.made = append(h.made, at, at+"index.xml", at+"page/*")
	}
}

// hasLanguage reports whether the site has a language of that code.
func (h *hugo) hasLanguage(code string) bool {
	begin := "languages." + strings.ToLower(code) + "."
	for key := range h.config {
		if strings.HasPrefix(key, begin) {
			return true
		}
	}
	return false
}

// address returns the path of the page of a document.
func (h *hugo) address(stem, language string, v values) string {
	if own := v.get("url"); own != "" {
		if !strings.HasPrefix(own, "/") {
			own = path.Join(path.Dir(stem), own) + slashOf(own)
		}
		return own
	}
	dir, last := path.Split(stem)
	section, _, hasSection := strings.Cut(stem, "/")
	ugly := h.config.get("uglyurls") == "true"
	switch pattern := h.pattern(section); {
	case last == "_index":
		return h.plain(path.Join(language, dir)) + "/"
	case hasSection && pattern != "":
		return path.Join("/", language, h.fill(pattern, stem, v)) + "/"
	case last == "index" && v.get("slug") != "":
		stem = path.Join(path.Dir(path.Clean(dir)), v.get("slug"))
	case last == "index":
		stem = dir
		ugly = ugly && dir != ""
	case v.get("slug") != "":
		stem = dir + v.get("slug")
	}
	at := h.plain(path.Join(language, stem))
	switch {
	case at == "" || at == ".":
		return ""
	case ugly:
		return at + ".html"
	}
	return at + "/"
}

// plain returns a path as Hugo writes it: in lower case, with "-" for blanks, and without
// punctuation.
func (h *hugo) plain(at string) string {
	if at = strings.Trim(path.Clean(at), "/"); at == "." {
		return ""
	}
	lower := h.config.get("disablepathtolower") != "true"
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.In(r, unicode.L, unicode.M, unicode.Nd), strings.ContainsRune("./\\_#+~-%@", r):
			if lower {
				return unicode.ToLower(r)
			}
			return r
		}
		return -1
	}, at)
}

func (h *hugo) pattern(section string) string {
	section = strings.ToLower(section)
	return cmp.Or(h.config.get("permalinks.page."+section), h.config.get("permalinks."+section))
}

// fill fills in the pattern of a permalink.
func (h *hugo) fill(pattern, stem string, v values) string {
	date := time.Time{}
	if own := v.get("date"); len(own) >= len(time.DateOnly) {
		date, _ = time.Parse(time.DateOnly, own[:len(time.DateOnly)]) // zero is what Hugo takes too
	}
	dir, name := path.Split(stem)
	if name == "index" {
		dir, name = path.Split(strings.TrimSuffix(dir, "/"))
	}
	section, _, _ := strings.Cut(stem, "/")
	title := cmp.Or(v.get("title"), name)
	return token().ReplaceAllStringFunc(pattern, func(t string) string {
		switch t[1:] {
		case "year":
			return date.Format("2006")
		case "month":
			return date.Format("01")
		case "monthname":
			return strings.ToLower(date.Format("January"))
		case "day":
			return date.Format("02")
		case "yearday":
			return date.Format("002")
		case "section":
			return h.plain(section)
		case "sections":
			return h.plain(dir)
		case "title":
			return h.plain(title)
		case "slug":
			return h.plain(cmp.Or(v.get("slug"), title))
		case "filename", "contentbasename":
			return h.plain(name)
		case "slugorfilename", "slugorcontentbasename":
			return h.plain(cmp.Or(v.get("slug"), name))
		}
		return t
	})
}

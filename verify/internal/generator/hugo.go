package generator

import (
	"cmp"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
)

func hugoFiles() (list []string) {
	for _, name := range []string{"hugo", "config", "config/_default/hugo", "config/_default/config"} {
		for _, suffix := range []string{".toml", ".yaml", ".yml", ".json"} {
			list = append(list, name+suffix)
		}
	}
	return list
}

// isHugo reports whether a configuration file belongs to Hugo. Other programs also use config.toml
// or config.json.
func isHugo(fsys fs.FS, config string) bool {
	if strings.HasPrefix(path.Base(config), "hugo.") {
		return true
	}
	tree, ok := parseTree(config, readText(fsys, config))
	v := flat(tree)
	if v.get("contentdir") != "" {
		return true
	}
	info, err := fs.Stat(fsys, "content")
	if err != nil || !info.IsDir() {
		return false
	}
	return path.Ext(config) != ".json" || ok && slices.ContainsFunc([]string{"baseurl", "title", "theme", "languagecode", "defaultcontentlanguage"}, func(key string) bool { return v[key] != nil })
}

// hugoInclude matches a shortcode, which may add fragments to the page.
var hugoInclude = expression(`\{\{[<%]\s*/?\s*([\w/.-]+)`)

type hugo struct {
	*Site
	tree    map[string]any // configuration, with keys in lower case
	config  values
	roots   []hugoRoot
	logical map[string]string // documents by language and path without file extension
}

// hugoRoot is a directory of documents.
type hugoRoot struct {
	mount
	language string // language of the documents; if empty, their names contain the language
}

// openHugo reads the configuration and the front matter of the documents. The document
// content/posts/a.md becomes the page posts/a/. An index.md or _index.md becomes the index page of
// its directory.
func openHugo(s *Site, _ string) error {
	s.base = "."
	h := &hugo{Site: s, tree: map[string]any{}, logical: map[string]string{}}
	h.readConfig()
	h.config = flat(h.tree)
	v := h.config
	static := v["staticdir"]
	if len(static) == 0 {
		static = []string{"static"}
	}
	for _, m := range h.mountedAt("static") {
		static = append(static, m.dir)
	}
	h.readRoots()
	s.content, s.sources, s.ids, s.opaque = []string{"layouts"}, true, h.headingIDs(), s.hasShortcode
	s.setURL(v.get("baseurl"))
	s.bundles, s.terms = true, v.get("markup.goldmark.parser.autodefinitiontermid") == "true"
	s.hooked, s.drawn = slices.ContainsFunc(s.templates("render-link"), changesLinks), slices.ContainsFunc(s.templates("render-image"), changesLinks)
	if slices.ContainsFunc(s.templates("render-heading"), func(text string) bool { return strings.Contains(text, "id=") && !strings.Contains(text, ".Anchor") }) {
		s.opaque = func(string) bool { return true }
	}
	for _, theme := range v["theme"] {
		static = append(static, path.Join("themes", theme, "static"))
	}
	s.doubt = s.doubt || h.lacksTheme()
	for _, dir := range static {
		s.mounts = append(s.mounts, mount{path.Clean(dir), "", true})
	}
	s.made = append(h.readRedirects(static), "index.xml", "sitemap.xml", "robots.txt", "404.html", "tags/*", "categories/*", "page/*", "")
	for key, list := range v {
		if strings.HasPrefix(key, "taxonomies.") {
			s.made = append(s.made, list[0]+"/*")
		}
	}
	for language := range h.languages() {
		s.made = append(s.made, language+"/", language+"/index.xml", language+"/tags/*", language+"/categories/*", language+"/sitemap.xml", language+"/404.html")
	}
	return h.walkRoots()
}

var (
	hookComments = expression(`(?s)\{\{-?\s*/\*.*?\*/\s*-?\}\}`)
	hookTarget   = expression(`\b(?:href|src)\s*=\s*["']?((?:\{\{.*?\}\}|[^\s"'>{])*)`)
	hookPlain    = expression(`^\{\{-?\s*\.Destination\s*(?:\|\s*safeURL\s*)?-?\}\}$`)
	hookVariable = expression(`(\$\w+)\s*:=\s*(\.Destination\s*(?:\|\s*safeURL\s*)?-?\}\})`)
)

// changesLinks reports whether a template may change the destination of a link.
func changesLinks(template string) bool {
	template = hookComments().ReplaceAllString(template, "")
	for _, m := range hookVariable().FindAllStringSubmatch(template, maxParts) {
		if !regexp.MustCompile(regexp.QuoteMeta(m[1]) + `\s*=`).MatchString(template) {
			use := regexp.MustCompile(`\{\{-?\s*` + regexp.QuoteMeta(m[1]) + `\s*-?\}\}`)
			template = use.ReplaceAllLiteralString(template, "{{ .Destination }}")
		}
	}
	targets := hookTarget().FindAllStringSubmatch(template, -1)
	return len(targets) == 0 || slices.ContainsFunc(targets, func(m []string) bool { return !hookPlain().MatchString(m[1]) })
}

// readRedirects returns the paths that the server redirects, according to the redirect files. If a
// redirect contains parameters, or a template creates a redirect file, readRedirects only records
// the names of pages that the server may redirect.
func (h *hugo) readRedirects(static []string) (made []string) {
	names, _ := fs.Glob(h.fsys, "layouts/*.redirects") // the pattern is valid
	for _, dir := range static {
		names = append(names, path.Join(dir, "_redirects"))
	}
	h.moved = map[string]bool{}
	for _, name := range names {
		text := readText(h.fsys, name)
		for line := range strings.Lines(text) {
			fields := strings.Fields(line)
			if len(fields) < 2 || fields[len(fields)-1] == "404" {
				continue
			}
			if _, rest, isPattern := strings.Cut(fields[0], ":"); isPattern {
				for part := range strings.SplitSeq(rest, "/") {
					h.moved[part] = true
				}
			} else if from, ok := strings.CutPrefix(fields[0], "/"); ok && from != "" && from != "*" {
				made = append(made, strings.TrimSuffix(from, "/"))
			}
		}
		if strings.Contains(text, "{{") {
			for word := range strings.FieldsFuncSeq(text, separatesNames) {
				h.moved[word] = true
			}
		}
	}
	return made
}

// walkRoots reads the documents. walkRoots reads a nested directory only once.
func (h *hugo) walkRoots() error {
	for i, root := range h.roots {
		h.content = append(h.content, root.dir)
		h.mounts = append(h.mounts, root.mount)
		err := h.walk(root.dir, func(name string) {
			for j, other := range h.roots {
				if j != i && len(other.dir) > len(root.dir) && within(other.dir, name) {
					return
				}
			}
			h.file(name, root)
		})
		if err != nil {
			return err
		}
	}
	if len(h.languages()) > 1 {
		h.fallback = h.byLogicalPath
	}
	return nil
}

// hasShortcode reports whether a document contains a shortcode that may add fragments to the page.
func (s *Site) hasShortcode(source string) bool {
	for _, m := range hugoInclude().FindAllStringSubmatch(source, -1) {
		switch m[1] {
		case "ref", "relref", "figure", "highlight", "gist", "youtube", "vimeo", "param", "qr", "tweet", "x", "instagram", "details", // Hugo shortcodes
			"alert", "pageinfo", "cardpane", "card", "tabpane", "tab", "imgproc", "blocks/cover", "blocks/lead", "blocks/section", "blocks/feature", "blocks/link-down", // Docsy shortcodes
			"note", "notice", "hint", "callout", "warning", "tip", "button", "expand", "columns", "mermaid", "icon", "badge":
		default:
			if s.makesFragments("layouts/shortcodes/"+m[1]+".html") && s.makesFragments("layouts/_shortcodes/"+m[1]+".html") {
				return true
			}
		}
	}
	return false
}

// makesFragments reports whether the named template may add headings or names. If the template is
// missing, makesFragments returns true.
func (s *Site) makesFragments(name string) bool {
	if !fs.ValidPath(name) {
		return true
	}
	if known, ok := s.makes.Load(name); ok {
		return known.(bool)
	}
	text := readText(s.fsys, name)
	makes := text == "" || templateName().MatchString(text)
	s.makes.Store(name, makes)
	return makes
}

// templateName matches the parts of a template that may create fragments: a heading, a name, or
// the content of another file.
var templateName = expression(`(?i)<h[1-6]|\bid\s*=|(?m)^#|markdownify|renderstring|readfile|getpage|getresource|resources\.get|\.content|\binclude\b|partial`)

// readConfig reads the configuration file, and the files in config/_default and
// config/production.
func (h *hugo) readConfig() {
	if path.Dir(h.Config) == "." {
		h.readPart(h.Config, "")
	}
	for _, dir := range []string{"config/_default", "config/production"} {
		entries, _ := fs.ReadDir(h.fsys, dir)
		for _, e := range entries {
			key := strings.ToLower(strings.TrimSuffix(e.Name(), path.Ext(e.Name())))
			if key == "hugo" || key == "config" {
				key = ""
			}
			switch path.Ext(e.Name()) {
			case ".toml", ".yaml", ".yml", ".json":
				h.readPart(path.Join(dir, e.Name()), key)
			}
		}
	}
}

// readPart reads a configuration file, and stores its values below a key.
func (h *hugo) readPart(name, key string) {
	text := readText(h.fsys, name)
	tree, ok := parseTree(name, text)
	h.doubt = h.doubt || !ok && text != ""
	if key != "" {
		tree = map[string]any{key: tree}
	}
	mergeTree(h.tree, tree, 0)
}

// mergeTree copies the values of the tree src into the tree dst. It converts the keys to lower
// case.
func mergeTree(dst, src map[string]any, depth int) {
	for key, value := range src {
		key = strings.ToLower(key)
		branch, isTree := value.(map[string]any)
		if !isTree || depth > maxNesting {
			dst[key] = value
			continue
		}
		below, ok := dst[key].(map[string]any)
		if !ok {
			below = map[string]any{}
			dst[key] = below
		}
		mergeTree(below, branch, depth+1)
	}
}

func (h *hugo) languages() map[string]any {
	languages, _ := h.tree["languages"].(map[string]any)
	return languages
}

// readRoots finds the directories that contain documents. The mounts in the configuration list
// these directories. Without mounts, each language may have its own directory, and all other
// languages share one directory.
func (h *hugo) readRoots() {
	if h.roots = h.mountedAt("content"); len(h.roots) > 0 {
		h.doubt = h.doubt || len(h.roots) > maxLocales
		h.roots = h.roots[:min(len(h.roots), maxLocales)]
		return
	}
	names := slices.Sorted(maps.Keys(h.languages()))
	h.doubt = h.doubt || len(names) > maxLocales
	for _, language := range names[:min(len(names), maxLocales)] {
		if dir := h.config.get("languages." + language + ".contentdir"); dir != "" {
			h.roots = append(h.roots, hugoRoot{mount{dir: path.Clean(dir)}, language})
		}
	}
	usual := path.Clean(cmp.Or(h.config.get("contentdir"), "content"))
	if !slices.ContainsFunc(h.roots, func(r hugoRoot) bool { return r.dir == usual }) {
		h.roots = append(h.roots, hugoRoot{mount{dir: usual}, ""})
	}
}

// lacksTheme reports whether a theme of the site is missing from the directory. A missing theme
// may contain any files, templates and shortcodes.
func (h *hugo) lacksTheme() bool {
	for _, theme := range slices.Concat(h.config["theme"], h.config["module.imports.path"]) {
		if !h.isFolder(path.Join("themes", theme)) && !h.isFolder(path.Join("_vendor", theme)) {
			return true
		}
	}
	return false
}

func (s *Site) isFolder(name string) bool {
	info, err := fs.Stat(s.fsys, name)
	return err == nil && info.IsDir()
}

// headingIDs returns the function that creates fragments from headings.
func (h *hugo) headingIDs() func([]string) []string {
	const parser = "markup.goldmark.parser."
	if h.config.get(parser+"autoheadingid") == "false" {
		return func([]string) []string { return nil }
	}
	switch cmp.Or(h.config.get(parser+"autoheadingidtype"), h.config.get(parser+"autoidtype")) {
	case "github-ascii":
		return hugoIDs(func(text string) string { return hugoID(toASCII(text)) })
	case "blackfriday":
		return hugoIDs(blackfridayID)
	}
	return hugoIDs(hugoID)
}

// byLogicalPath returns the target of a link that contains a document's path in the content
// directory. Sites with several languages allow such links.
func (h *hugo) byLogicalPath(doc, ref string) Target {
	key := h.logical["\x00"+doc]
	language, below, ok := strings.Cut(key, ":")
	if !ok {
		return Target{Missing, ref}
	}
	at := path.Join(path.Dir(below), ref)
	if path.Base(doc) != path.Base(below) && isIndex(strings.TrimPrefix(path.Base(doc), "_")) {
		at = path.Join(below, ref)
	}
	if strings.HasPrefix(ref, "/") {
		at = strings.TrimPrefix(path.Clean(ref), "/")
	}
	at = logicalPath(strings.TrimSuffix(at, path.Ext(at)))
	if file, ok := h.logical[language+":"+strings.ToLower(at)]; ok {
		return Target{File, file}
	}
	return Target{Missing, ref}
}

// logicalPath returns a document's path. For the index of a directory, it returns the path of the
// directory.
func logicalPath(stem string) string {
	if dir, last := path.Split(stem); last == "index" || last == "_index" {
		return path.Clean("./" + dir)
	}
	return stem
}

// templates returns the texts of the templates that render a Markdown element. The parameter name
// is the name of the element.
func (s *Site) templates(name string) (texts []string) {
	for _, dir := range []string{"layouts/_markup", "layouts/_default/_markup", "themes/*/layouts/_markup", "themes/*/layouts/_default/_markup"} {
		list, _ := fs.Glob(s.fsys, dir+"/"+name+"*") // the pattern is valid
		for _, template := range list {
			texts = append(texts, readText(s.fsys, template))
		}
	}
	return texts
}

// mountedAt returns the directories that the setting [[module.mounts]] mounts at a directory of the
// project.
func (h *hugo) mountedAt(folder string) (list []hugoRoot) {
	for _, entry := range tables(child(h.tree, "module", "mounts")) {
		m := map[string]any{}
		mergeTree(m, entry, 0)
		if rest, ok := strings.CutPrefix(path.Clean(textOf(m["target"]))+"/", folder+"/"); ok {
			list = append(list, hugoRoot{mount{dir: path.Clean(textOf(m["source"])), at: rest}, strings.ToLower(textOf(m["lang"]))})
		}
	}
	return list
}

func tables(list any) (found []map[string]any) {
	switch list := list.(type) {
	case []map[string]any:
		return list
	case []any:
		for _, item := range list {
			if table, ok := item.(map[string]any); ok {
				found = append(found, table)
			}
		}
	}
	return found
}

func (h *hugo) file(name string, root hugoRoot) {
	ext := path.Ext(name)
	if !isDocument(name) && ext != ".html" && ext != ".adoc" && ext != ".org" {
		return
	}
	below := root.at + strings.TrimPrefix(name, root.dir+"/")
	stem := strings.TrimSuffix(below, ext)
	language := root.language
	if i := strings.LastIndexByte(stem, '.'); i > strings.LastIndexByte(stem, '/') && h.hasLanguage(stem[i+1:]) {
		stem, language = stem[:i], strings.ToLower(stem[i+1:])
	}
	usual := cmp.Or(strings.ToLower(h.config.get("defaultcontentlanguage")), "en")
	language = cmp.Or(language, usual)
	key := language + ":" + strings.ToLower(logicalPath(stem))
	h.logical[key], h.logical["\x00"+name] = name, key
	if language == usual && h.config.get("defaultcontentlanguageinsubdir") != "true" {
		language = ""
	}
	v, _ := h.readMatter(name)
	h.addPage(h.address(stem, language, v), name)
	for _, alias := range v["aliases"] {
		if !strings.HasPrefix(alias, "/") {
			alias = path.Join("/", path.Dir(stem), alias)
		}
		h.made = append(h.made, strings.TrimSuffix(strings.TrimPrefix(alias, "/"), "/")+"/")
	}
	if section, _, ok := strings.Cut(stem, "/"); ok {
		at := h.urlForm(path.Join(language, section)) + "/"
		h.made = append(h.made, at, at+"index.xml", at+"page/*")
	}
}

// hasLanguage reports whether the configuration contains a language with the given code.
func (h *hugo) hasLanguage(code string) bool {
	_, ok := h.languages()[strings.ToLower(code)]
	return ok
}

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
		return h.urlForm(path.Join(language, dir)) + "/"
	case hasSection && pattern != "":
		return path.Join("/", language, h.fillPattern(pattern, stem, v)) + "/"
	case last == "index" && v.get("slug") != "":
		stem = path.Join(path.Dir(path.Clean(dir)), v.get("slug"))
	case last == "index":
		stem = dir
		ugly = ugly && dir != ""
	case v.get("slug") != "":
		stem = dir + v.get("slug")
	}
	at := h.urlForm(path.Join(language, stem))
	switch {
	case at == "" || at == ".":
		return ""
	case ugly:
		return at + ".html"
	}
	return at + "/"
}

// urlForm converts a path to the form that Hugo uses in URLs. The form is in lower case, has "-"
// instead of spaces, and contains no punctuation.
func (h *hugo) urlForm(at string) string {
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

// fillPattern replaces the placeholders in a permalink pattern by values from a document.
func (h *hugo) fillPattern(pattern, stem string, v values) string {
	date := time.Time{}
	if own := v.get("date"); len(own) >= len(time.DateOnly) {
		date, _ = time.Parse(time.DateOnly, own[:len(time.DateOnly)]) // after an error, Hugo also uses the zero time
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
			return h.urlForm(section)
		case "sections":
			return h.urlForm(dir)
		case "title":
			return h.urlForm(title)
		case "slug":
			return h.urlForm(cmp.Or(v.get("slug"), title))
		case "filename", "contentbasename":
			return h.urlForm(name)
		case "slugorfilename", "slugorcontentbasename":
			return h.urlForm(cmp.Or(v.get("slug"), name))
		}
		return t
	})
}

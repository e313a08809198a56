package generator

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"path"
	"slices"
	"strings"
)

var (
	// numberPrefix matches a number at the start of a file name. Such a number determines the
	// order of documents. The page path does not contain the number, unless the name is a date or
	// a version.
	numberPrefix = expression(`^\d+\s*[-_.]+\s*([^-_.\s].*)$`)
	notPrefix    = expression(`^\d+[-_.]\d+`)
	blogDate     = expression(`^(.*?)(\d{4})[-/](\d{1,2})[-/](\d{1,2})[-/]?(.*?)(?:/index)?$`)
	mdxImport    = expression(`(?m)^import\s[^\n]*\.mdx?["']`)
	sidebarSlug  = expression(`\bslug["']?\s*:\s*["']([^"']*)["']`)
)

type docusaurus struct {
	*Site
	config  map[string]any
	end     string   // end of page paths: "/" or ""
	locales []string // languages except the default language
}

// docusaurusLeaves reports whether a path in the configuration points outside its directory.
func docusaurusLeaves(text string) bool {
	d := &docusaurus{Site: new(Site), config: readScript(text)}
	for _, p := range d.plugins() {
		if strings.HasPrefix(path.Clean(textOf(p.options["path"])), "../") {
			return true
		}
	}
	return false
}

// openDocusaurus reads the literals in docusaurus.config.js, which is a program. If it can't read
// a part that may create pages, the site may contain more pages.
func openDocusaurus(s *Site, config string) error {
	s.sources, s.assets, s.clean, s.rooted = true, true, true, true
	s.opaque = mdxImport().MatchString
	s.made = []string{"search", "sitemap.xml", "404.html", "opensearch.xml", "assets/*"}
	d := &docusaurus{Site: s, config: readScript(config)}
	s.doubt = d.config == nil && config != "" || d.config[""] != nil
	if base, ok := d.config["baseUrl"].(string); ok {
		s.prefix = base
		if u := textOf(d.config["url"]); u != "" {
			s.URL = strings.TrimSuffix(u, "/") + "/" + strings.TrimPrefix(base, "/")
		}
	} else if d.config["baseUrl"] != nil {
		s.doubt = true
	}
	s.aliases = func(ref string) (string, bool) {
		return strings.CutPrefix(ref, "pathname://")
	}
	if textOf(d.config["trailingSlash"]) == "true" {
		d.end = "/"
	}
	for _, dir := range d.staticFolders() {
		s.mounts = append(s.mounts, mount{dir, "", true})
		s.pictures = append(s.pictures, dir)
	}
	d.readLocales()
	for _, p := range d.plugins() {
		if err := p.open(d, p.options); err != nil {
			return err
		}
	}
	return nil
}

func (d *docusaurus) staticFolders() (list []string) {
	folders, ok := d.config["staticDirectories"].([]any)
	if !ok {
		folders = []any{"static"}
	}
	for _, dir := range folders {
		if dir, ok := dir.(string); ok {
			list = append(list, d.fsPath(dir))
		} else {
			d.doubt = true
		}
	}
	return list
}

// readLocales reads the names of all languages except the default language. If the configuration
// can't be read, readLocales uses the names of the translation directories.
func (d *docusaurus) readLocales() {
	usual, _ := child(d.config, "i18n", "defaultLocale").(string)
	list, ok := child(d.config, "i18n", "locales").([]any)
	if !ok {
		entries, _ := fs.ReadDir(d.fsys, path.Join(d.base, "i18n"))
		for _, e := range entries {
			list = append(list, e.Name())
		}
	}
	d.doubt = d.doubt || len(list) > maxLocales
	for _, locale := range list[:min(len(list), maxLocales)] {
		if locale, ok := locale.(string); ok && locale != usual && fs.ValidPath(locale) {
			d.locales = append(d.locales, locale)
			d.roots = append(d.roots, root{pathPrefix: locale + "/", dir: path.Join(d.base, "i18n", locale)})
		}
	}
}

// maxLocales is the maximum number of languages, and of versions, that are read.
const maxLocales = 64

// docusaurusPlugin is a plugin that creates pages.
type docusaurusPlugin struct {
	options map[string]any
	open    func(*docusaurus, map[string]any) error
}

// plugins returns the plugins that create pages. If the lists of presets and plugins can't be
// read, it returns the default plugins.
func (d *docusaurus) plugins() (list []docusaurusPlugin) {
	presets, ok := d.config["presets"].([]any)
	if !ok {
		presets = []any{"classic"}
		d.doubt = d.doubt || d.config["presets"] != nil
		if d.config != nil && d.config["presets"] == nil && d.config["plugins"] != nil {
			presets = nil
		}
	}
	for _, entry := range presets {
		switch name, options := d.readEntry(entry); name {
		case "":
		case "classic", "@docusaurus/classic", "@docusaurus/preset-classic":
			list = append(list, d.classic(options)...)
		default:
			d.doubt = true
		}
	}
	for _, key := range []string{"plugins", "themes"} {
		entries, ok := d.config[key].([]any)
		d.doubt = d.doubt || !ok && d.config[key] != nil
		for _, entry := range entries {
			name, options := d.readEntry(entry)
			if open := d.openerOf(name); open != nil {
				list = append(list, docusaurusPlugin{options, open})
			}
		}
	}
	return list
}

func (d *docusaurus) classic(options map[string]any) (list []docusaurusPlugin) {
	for _, name := range []string{"docs", "blog", "pages"} {
		own, isMap := options[name].(map[string]any)
		if textOf(options[name]) == "false" {
			continue
		}
		_, isUnread := options[name].(unread)
		d.doubt = d.doubt || isUnread && !isMap
		list = append(list, docusaurusPlugin{own, d.openerOf("@docusaurus/plugin-content-" + name)})
	}
	return list
}

// readEntry returns the name and the options in one entry of the presets or plugins. If the entry
// is the literal false, the name is empty.
func (d *docusaurus) readEntry(readEntry any) (name string, options map[string]any) {
	if list, ok := readEntry.([]any); ok && len(list) > 0 {
		readEntry = list[0]
		if len(list) > 1 {
			options, ok = list[1].(map[string]any)
			d.doubt = d.doubt || !ok
		}
	}
	if c, ok := readEntry.(call); ok && c.name == "require.resolve" && len(c.args) == 1 {
		readEntry = c.args[0]
	}
	switch name, ok := readEntry.(string); {
	case !ok:
		d.doubt = true
	case name != "false" && name != "null" && name != "undefined":
		return name, options
	}
	return "", options
}

// openerOf returns the function that reads the documents for a plugin, or nil if the plugin
// creates no pages.
func (d *docusaurus) openerOf(name string) func(*docusaurus, map[string]any) error {
	switch name = strings.TrimPrefix(name, "@docusaurus/"); strings.TrimPrefix(name, "plugin-") {
	case "content-docs":
		return (*docusaurus).openDocs
	case "content-blog":
		return (*docusaurus).openBlog
	case "content-pages":
		return (*docusaurus).openPages
	case "client-redirects":
		return (*docusaurus).openRedirects
	case "", "debug", "google-analytics", "google-gtag", "google-tag-manager", "ideal-image", "pwa", "sitemap", "svgr", "css-cascade-layers", "rsdoctor", "vercel-analytics",
		"theme-live-codeblock", "theme-mermaid", "theme-search-algolia", "theme-classic", "docusaurus-plugin-sass", "docusaurus-lunr-search", "@easyops-cn/docusaurus-search-local", "docusaurus-plugin-image-zoom":
	default:
		d.doubt = true
	}
	return nil
}

func (d *docusaurus) setting(options map[string]any, key, usual string) string {
	switch value := options[key].(type) {
	case string:
		return value
	case nil:
	default:
		d.doubt = true
	}
	return usual
}

// docsVersion is a version of documents.
type docsVersion struct{ name, dir, at, translated string }

// openDocs reads the documents for a plugin instance, in all versions and languages.
func (d *docusaurus) openDocs(options map[string]any) error {
	route := strings.Trim(d.setting(options, "routeBasePath", "docs"), "/")
	d.doubt = d.doubt || options[""] != nil
	if _, own := options["numberPrefixParser"].(unread); own {
		d.doubt = true
	}
	d.readSidebars(options, route)
	for _, v := range d.versions(options) {
		at := path.Join(route, v.at)
		if err := d.openVersion(options, v.dir, at, ""); err != nil {
			return err
		}
		for _, locale := range d.locales {
			dir := path.Join(d.base, "i18n", locale, v.translated)
			d.roots = append(d.roots, root{dir, locale + "/", v.dir})
			if err := d.openVersion(options, dir, path.Join(locale, at), locale); err != nil {
				return err
			}
		}
	}
	return nil
}

// versions returns the document versions for a plugin instance.
func (d *docusaurus) versions(options map[string]any) (list []docsVersion) {
	id := d.setting(options, "id", "default")
	before, translated := id+"_", "docusaurus-plugin-content-docs-"+id
	if id == "default" {
		before, translated = "", "docusaurus-plugin-content-docs"
	}
	var names []string
	if textOf(options["disableVersioning"]) != "true" {
		_ = json.Unmarshal([]byte(readText(d.fsys, d.fsPath(before+"versions.json"))), &names) // if the file is missing, there are no versions
	}
	d.doubt = d.doubt || len(names) > maxLocales
	names = names[:min(len(names), maxLocales)]
	last := d.setting(options, "lastVersion", "")
	if textOf(options["includeCurrentVersion"]) != "false" {
		names = append(names, "current")
	}
	only, hasOnly := options["onlyIncludeVersions"].([]any)
	for i, name := range names {
		if hasOnly && !slices.Contains(only, any(name)) {
			continue
		}
		v := docsVersion{name, d.fsPath(before + "versioned_docs/version-" + name), name, path.Join(translated, "version-"+name)}
		if name == "current" {
			v.dir, v.at, v.translated = d.fsPath(d.setting(options, "path", "docs")), "next", path.Join(translated, "current")
		}
		if name == last || last == "" && i == 0 {
			v.at = ""
		}
		if own, ok := child(options, "versions", name, "path").(string); ok {
			v.at = own
		}
		list = append(list, v)
	}
	return list
}

// readSidebars reads the paths of the category pages in the sidebars.
func (d *docusaurus) readSidebars(options map[string]any, route string) {
	name := textOf(options["sidebarPath"])
	if c, ok := options["sidebarPath"].(call); ok && len(c.args) > 0 {
		name = textOf(c.args[len(c.args)-1])
	}
	if name == "" {
		return
	}
	for _, m := range sidebarSlug().FindAllStringSubmatch(readText(d.fsys, path.Join(d.base, name)), -1) {
		d.made = append(d.made, strings.TrimPrefix(path.Join("/", route, m[1]), "/"))
	}
}

func (d *docusaurus) openVersion(options map[string]any, dir, route, locale string) error {
	d.content = append(d.content, dir)
	if locale == "" {
		d.roots = append(d.roots, root{dir: dir})
	}
	under := ""
	if route != "" {
		under = route + "/"
	}
	d.made = append(d.made, under+"category/*", under+"tags*")
	return d.walk(dir, func(name string) {
		ext := path.Ext(name)
		if last := path.Base(name); strings.HasPrefix(last, "_category_.") {
			tree, _ := parseTree(name, readText(d.fsys, name))
			if slug := textOf(child(tree, "link", "slug")); slug != "" {
				d.made = append(d.made, under+strings.Trim(slug, "/"))
			}
			return
		}
		if ext != ".md" && ext != ".mdx" || strings.HasPrefix(strings.TrimPrefix(name, dir), "_") || strings.Contains(strings.TrimPrefix(name, dir), "/_") {
			return
		}
		stem := strings.TrimSuffix(strings.TrimPrefix(name, dir+"/"), ext)
		v, _ := d.readMatter(name)
		slug, isIndex := docSlug(stem, v, textOf(options["numberPrefixParser"]) != "false")
		if p := d.address(route, slug); isIndex && !strings.HasSuffix(p, "/") && p != "" {
			d.addPage(p+"/", name)
		} else {
			d.addPage(p, name)
		}
	})
}

// address returns the path of the page that has the given slug below a route.
func (d *docusaurus) address(route, slug string) string {
	return strings.TrimPrefix(path.Join("/", route, slug)+d.end, "/")
}

func (d *docusaurus) openBlog(options map[string]any) error {
	id, dir := d.setting(options, "id", "default"), d.fsPath(d.setting(options, "path", "blog"))
	route := strings.Trim(d.setting(options, "routeBasePath", "blog"), "/")
	if err := d.openPosts(dir, route); err != nil {
		return err
	}
	for _, locale := range d.locales {
		name := strings.TrimSuffix("docusaurus-plugin-content-blog-"+id, "-default")
		translated := path.Join(d.base, "i18n", locale, name)
		d.roots = append(d.roots, root{translated, locale + "/", dir})
		if err := d.openPosts(translated, path.Join(locale, route)); err != nil {
			return err
		}
	}
	return nil
}

func (d *docusaurus) openPosts(dir, route string) error {
	under := strings.TrimPrefix(route+"/", "/")
	d.content = append(d.content, dir)
	d.made = append(d.made, under, under+"archive", under+"tags*", under+"page/*", under+"authors*", under+"rss.xml", under+"atom.xml", under+"feed.json")
	return d.walk(dir, func(name string) {
		ext := path.Ext(name)
		if ext != ".md" && ext != ".mdx" || strings.HasPrefix(path.Base(name), "_") {
			return
		}
		v, _ := d.readMatter(name)
		d.addPage(d.address(route, blogSlug(strings.TrimSuffix(strings.TrimPrefix(name, dir+"/"), ext), v)), name)
	})
}

func (d *docusaurus) openPages(options map[string]any) error {
	dir, route := d.fsPath(d.setting(options, "path", "src/pages")), strings.Trim(d.setting(options, "routeBasePath", "/"), "/")
	if err := d.openFolder(dir, route); err != nil {
		return err
	}
	for _, locale := range d.locales {
		if err := d.openFolder(path.Join(d.base, "i18n", locale, "docusaurus-plugin-content-pages"), path.Join(locale, route)); err != nil {
			return err
		}
	}
	return nil
}

func (d *docusaurus) openFolder(dir, route string) error {
	d.content = append(d.content, dir)
	return d.walk(dir, func(name string) {
		ext := path.Ext(name)
		stem := strings.TrimSuffix(strings.TrimPrefix(name, dir+"/"), ext)
		switch ext {
		case ".md", ".mdx", ".js", ".jsx", ".ts", ".tsx":
			if !strings.HasPrefix(path.Base(stem), "_") {
				d.addPage(path.Join("/", route, indexPath(stem))+cmp.Or(d.end, slashOf(indexPath(stem))), name)
			}
		}
	})
}

// openRedirects reads the paths for which a plugin creates redirect pages.
func (d *docusaurus) openRedirects(options map[string]any) error {
	list, ok := options["redirects"].([]any)
	d.doubt = d.doubt || !ok && options["redirects"] != nil || options["createRedirects"] != nil
	for _, redirect := range list {
		from := child(redirect, "from")
		if _, isList := from.([]any); !isList {
			from = []any{from}
		}
		for _, at := range from.([]any) {
			at, isText := at.(string)
			d.doubt = d.doubt || !isText
			d.made = append(d.made, strings.Trim(at, "/"))
		}
	}
	return nil
}

// indexPath converts the path of an index page to the path of its directory.
func indexPath(stem string) string {
	if dir, last := path.Split(stem); last == "index" {
		return dir
	}
	return stem
}

// docSlug returns a document's path below the documents' route. docSlug also reports whether the
// document is the index page of its directory.
func docSlug(stem string, v values, withoutNumbers bool) (slug string, isIndex bool) {
	parts := strings.Split(stem, "/")
	for i, part := range parts {
		if m := numberPrefix().FindStringSubmatch(part); withoutNumbers && m != nil && !notPrefix().MatchString(part) {
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

// blogSlug returns a post's path below the blog's route.
func blogSlug(stem string, v values) string {
	if slug := v.get("slug"); slug != "" {
		return slug
	}
	if m := blogDate().FindStringSubmatch(stem); m != nil {
		return path.Join(m[1], m[2], m[3], m[4], m[5])
	}
	return strings.TrimSuffix(stem, "/index")
}

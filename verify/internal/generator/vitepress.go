package generator

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

type vitePress struct {
	*Site
	src       string
	clean     bool
	sources   map[string]string // documents by page path without file extension, both before and after rewrites
	pagePaths map[string]string // page paths without file extension, by document
	dynamic   []*regexp.Regexp  // paths of pages that a program creates
	excluded  []*regexp.Regexp
	rewrites  []rewrite
	ignored   []*regexp.Regexp // links that the configuration allows to be dead
}

// rewrite maps documents to other page paths.
type rewrite struct {
	from *regexp.Regexp
	to   string
}

// vitePressLeaves reports whether the documents are outside the configuration's directory.
func vitePressLeaves(text string) bool {
	return strings.HasPrefix(path.Clean(textOf(readScript(text)["srcDir"])), "../")
}

// openVitePress reads the literals in .vitepress/config.js, which is a program. The document a.md
// becomes the page a.html.
func openVitePress(s *Site, text string) error {
	config := readScript(text)
	v := &vitePress{Site: s, sources: map[string]string{}, pagePaths: map[string]string{}, clean: textOf(config["cleanUrls"]) == "true"}
	s.doubt = config == nil && text != "" || config[""] != nil
	if base, ok := config["base"].(string); ok {
		s.prefix = base
	}
	src, isText := config["srcDir"].(string)
	s.doubt = s.doubt || !isText && config["srcDir"] != nil
	v.src = s.fsPath(src)
	v.readLists(config)
	s.content, s.rooted, s.clean, s.sources, s.assets = []string{v.src}, true, true, true, true
	s.mounts, s.pictures = []mount{{path.Join(v.src, "public"), "", true}}, []string{path.Join(v.src, "public")}
	s.made = []string{"404.html", "sitemap.xml", "assets/*", "hashmap.json"}
	s.resolve, s.opaque, s.ids = v.findTarget, isVuePage, vueIDs
	if child(config, "markdown", "anchor") != nil || child(config, "markdown", "slugify") != nil {
		s.opaque = func(string) bool { return true } // the configuration determines the fragments of headings
	}
	if child(config, "markdown", "config") != nil {
		s.unsure = true
	}
	if u := textOf(child(config, "sitemap", "hostname")); u != "" {
		s.setURL(u)
		if base, ok := config["base"].(string); ok {
			s.prefix = base
		}
	}
	return s.walk(v.src, v.add)
}

// readLists reads the settings that select documents, paths and links.
func (v *vitePress) readLists(config map[string]any) {
	excludes, ok := config["srcExclude"].([]any)
	v.doubt = v.doubt || !ok && config["srcExclude"] != nil
	rewrites := rewritesOf(config)
	v.doubt = v.doubt || len(excludes) > maxPatterns || len(rewrites) > maxPatterns
	for _, pattern := range excludes[:min(len(excludes), maxPatterns)] {
		if pattern, ok := pattern.(string); ok {
			v.excluded = append(v.excluded, globExpression(pattern))
		}
	}
	v.doubt = v.doubt || rewrites == nil && config["rewrites"] != nil
	keys := slices.Sorted(maps.Keys(rewrites))
	for _, from := range keys[:min(len(keys), maxPatterns)] {
		to, isText := rewrites[from].(string)
		pattern := routeExpression(from)
		if from == "" || !isText || pattern == nil {
			v.doubt = true
			continue
		}
		v.rewrites = append(v.rewrites, rewrite{pattern, routeRef().ReplaceAllString(to, "$${$1}")})
	}
	v.readIgnored(config["ignoreDeadLinks"])
}

// maxPatterns is the maximum number of patterns that are read for one setting.
const maxPatterns = 256

func rewritesOf(config map[string]any) map[string]any {
	rewrites, _ := config["rewrites"].(map[string]any)
	return rewrites
}

// readIgnored reads the patterns of links that the configuration allows to be dead.
func (v *vitePress) readIgnored(value any) {
	list, isList := value.([]any)
	switch text := textOf(value); {
	case isList:
	case value == nil, text == "false", text == "localhostLinks":
		return
	case text == "true":
		list = []any{regexp.MustCompile("")}
	default:
		v.doubt = true
	}
	v.doubt = v.doubt || len(list) > maxPatterns
	for _, item := range list[:min(len(list), maxPatterns)] {
		switch item := item.(type) {
		case string:
			v.ignored = append(v.ignored, regexp.MustCompile("^"+regexp.QuoteMeta(item)+"$"))
		case *regexp.Regexp:
			v.ignored = append(v.ignored, item)
		default:
			v.doubt = true
		}
	}
}

func (v *vitePress) add(name string) {
	below := strings.TrimPrefix(strings.TrimPrefix(name, v.src), "/")
	if path.Ext(name) != ".md" || slices.ContainsFunc(v.excluded, func(e *regexp.Regexp) bool { return e.MatchString(below) }) || strings.HasPrefix(below, "dist/") || strings.Contains(below, "/dist/") {
		return
	}
	if parts := routePart().Split(below, -1); len(parts) > 1 {
		if len(v.dynamic) == maxPatterns {
			v.doubt = true
			return
		}
		for i := range parts {
			parts[i] = regexp.QuoteMeta(strings.TrimSuffix(parts[i], ".md"))
		}
		v.dynamic = append(v.dynamic, regexp.MustCompile("^"+strings.Join(parts, ".+")+"$"))
		return
	}
	at := below
	for _, r := range v.rewrites {
		if m := r.from.FindStringSubmatchIndex(below); m != nil {
			at = string(r.from.ExpandString(nil, r.to, below, m))
			break
		}
	}
	stem := strings.TrimSuffix(at, ".md")
	v.pagePaths[name] = stem
	v.sources[stem] = name
	if original := strings.TrimSuffix(below, ".md"); v.sources[original] == "" {
		v.sources[original] = name
	}
	v.Site.addPage(stem+".html", name)
}

// routePart matches a parameter in the path of a document. A program replaces the parameter to
// create pages.
var routePart = expression(`\[\w+\]`)

// findTarget returns the target of a link. It uses the same rules as the link plugin and the dead
// link check of VitePress.
func (v *vitePress) findTarget(doc, ref string) Target {
	if ref[0] == '@' || ref[0] == '~' {
		return Target{Undecided, ref} // the reference is an alias or the name of a package
	}
	target := v.findPage(doc, ref)
	if _, isPage := v.pagePaths[doc]; target.Kind == Missing && isDocument(doc) && (!isPage || isAbout(doc)) {
		return Target{Kind: Plain} // repository hosts also show the document, outside the site
	}
	return target
}

func (v *vitePress) findPage(doc, ref string) Target {
	stem, isPage := v.pagePaths[doc]
	if !isPage {
		stem = strings.TrimSuffix(strings.TrimPrefix(doc, v.src+"/"), path.Ext(doc))
	}
	rest, absolute := strings.CutPrefix(ref, "/")
	if isServedAsIs(ref) {
		return v.findFile(doc, ref, rest, absolute)
	}
	page := strings.TrimSuffix(strings.TrimSuffix(ref, ".md"), ".html")
	if strings.HasSuffix(page, "/") || page == "." || page == ".." || strings.HasSuffix(page, "/..") {
		page = strings.TrimSuffix(page, "/") + "/index"
	}
	at := strings.TrimPrefix(page, "/")
	if !absolute {
		at = path.Join(path.Dir(stem), page)
	}
	below, hasBase := strings.CutPrefix("/"+path.Clean(at), v.prefix)
	if target := v.targetAt(path.Clean(at)); target.Kind != Missing || !absolute || !hasBase {
		return v.judgeMissing(doc, page, path.Clean(at), target)
	}
	return v.judgeMissing(doc, page, path.Clean(at), v.targetAt(below)) // links in HTML include the base path
}

// targetAt returns the target for a path, which has no file extension.
func (v *vitePress) targetAt(pagePath string) Target {
	if file, ok := v.sources[pagePath]; ok {
		return Target{File, file}
	}
	if file, ok := v.sources[path.Join(pagePath, "index")]; ok && v.clean {
		return Target{File, file} // servers return the file for a path without the extension
	}
	for _, name := range []string{pagePath + ".html", pagePath} {
		if public := path.Join(v.src, "public", name); v.isFile(public) {
			return Target{File, public}
		}
	}
	if made := v.Site.pageAt(pagePath); made.Kind == Made {
		return made
	}
	return Target{Missing, pagePath}
}

// judgeMissing returns the final target of a link to a missing page.
func (v *vitePress) judgeMissing(doc, link, at string, target Target) Target {
	if target.Kind != Missing {
		return target
	}
	if !strings.HasPrefix(link, "/") && !strings.HasPrefix(link, "./") {
		link = "./" + strings.TrimPrefix(link, "./")
	}
	source := path.Join(path.Dir(doc), link+".md")
	switch {
	case slices.ContainsFunc(v.ignored, func(e *regexp.Regexp) bool {
		return e.MatchString(strings.TrimSuffix(link, "/index")) || e.MatchString(strings.TrimSuffix(link, "index"))
	}):
		return Target{Excluded, at}
	case slices.ContainsFunc(v.dynamic, func(e *regexp.Regexp) bool { return e.MatchString(at) }):
		return Target{Undecided, at}
	case !strings.HasPrefix(link, "/") && v.isFile(source):
		if v.doubt {
			return Target{File, source}
		}
		return Target{Unlisted, source}
	}
	return target
}

// findFile returns the target of a link that ends in a file extension.
func (v *vitePress) findFile(doc, ref, rest string, absolute bool) Target {
	names := []string{path.Join(path.Dir(doc), ref)}
	if absolute {
		below, _ := strings.CutPrefix(ref, v.prefix)
		names = []string{path.Join(v.src, "public", rest), path.Join(v.src, "public", below), path.Join(v.src, rest)}
	} else if strings.HasPrefix(doc, v.src+"/") || v.src == "." {
		names = append(names, path.Join(v.src, "public", path.Dir(strings.TrimPrefix(doc, v.src+"/")), ref))
	}
	for _, name := range names {
		if v.isFile(name) {
			return Target{File, name}
		}
	}
	if strings.HasPrefix(rest, "assets/") && !isPicture(rest) || rest == "sitemap.xml" || rest == "hashmap.json" {
		return Target{Made, rest}
	}
	return Target{Missing, strings.TrimPrefix(names[0], v.src+"/")}
}

// isServedAsIs reports whether VitePress treats the link ref as a link to a file because of its
// file extension.
func isServedAsIs(ref string) bool {
	suffix := strings.ToLower(strings.TrimPrefix(path.Ext(ref), "."))
	const suffixes = ` 3g2 3gp aac ai apng au avif bin bmp cer class conf crl css csv dll doc eps epub exe gif gz ics ief jar jpe jpeg jpg js json jsonld m4a man mid midi mjs mov mp2 mp3 mp4 mpe mpeg mpg mpp oga ogg ogv ogx opus otf p10 p7c p7m p7s pdf png ps qt roff rtf rtx ser svg t tif tiff tr ts tsv ttf txt vtt wav weba webm webp woff woff2 xhtml xml yaml yml zip `
	return suffix != "" && strings.Contains(suffixes, " "+suffix+" ")
}

// globExpression converts a pattern such as "**/x/*.md" to a regular expression.
func globExpression(pattern string) *regexp.Regexp {
	var b strings.Builder
	for i := 0; i < len(pattern) && i < maxValue; i++ {
		switch rest := pattern[i:]; {
		case strings.HasPrefix(rest, "**/"):
			b.WriteString("(?:.*/)?")
			i += 2
		case strings.HasPrefix(rest, "**"):
			b.WriteString(".*")
			i++
		case rest[0] == '*':
			b.WriteString("[^/]*")
		case rest[0] == '?':
			b.WriteString("[^/]")
		default:
			b.WriteString(regexp.QuoteMeta(rest[:1]))
		}
	}
	e, err := regexp.Compile("^" + b.String() + "$")
	if err != nil {
		return regexp.MustCompile("$^")
	}
	return e
}

var (
	routeName = expression(`:(\w+)([*+?]?)|[^:]+|:`)
	routeRef  = expression(`:(\w+)[*+?]?`)
)

// routeExpression converts a path with parameters, such as "pkg/:name/:rest*", to a regular
// expression. If the path contains other kinds of parameters, routeExpression returns nil.
func routeExpression(route string) *regexp.Regexp {
	if strings.ContainsAny(route, "(){}^\\") || len(route) > maxValue {
		return nil
	}
	text := routeName().ReplaceAllStringFunc(route, func(part string) string {
		m := routeName().FindStringSubmatch(part)
		switch {
		case m[1] == "":
			return regexp.QuoteMeta(part)
		case m[2] == "" || m[2] == "?":
			return "(?P<" + m[1] + ">[^/]+)"
		}
		return "(?P<" + m[1] + ">.+)"
	})
	e, err := regexp.Compile("^" + text + "$")
	if err != nil {
		return nil
	}
	return e
}

var (
	vueInclude   = expression(`<!--\s*@include:|(?m)^import\s[^\n]*\.md["']`)
	vueComponent = expression(`<[A-Z]\w*`)
)

// isVuePage reports whether a page may contain headings that are not in its document. Such
// headings come from an included file, or from a component that creates most of the page.
func isVuePage(source string) bool {
	if vueInclude().MatchString(source) {
		return true
	}
	return strings.Count("\n"+source, "\n#") < 2 && vueComponent().MatchString(source)
}

var (
	vueControl   = expression(`[\x00-\x1f]`)
	vueCombining = expression(`[\x{0300}-\x{036F}]`)
	vueSpecial   = expression("[\\s~`!@#$%^&*()\\-_+=\\[\\]{}|\\\\;:\"'“”‘’<>,.?/]+")
	vueDigit     = expression(`^\d`)
	vueEmoji     = expression(`:[\w+-]+:`)
	vueClasses   = expression(`\s*\{[^{}]*\}\s*$`)
)

// vueIDs returns the fragments that VitePress and VuePress create from headings.
func vueIDs(headings []string) []string {
	var ids []string
	seen := map[string]int{}
	for _, h := range headings {
		h = vueClasses().ReplaceAllString(h, "")
		name := vueID(h)
		ids = append(ids, Numbered(seen, name, "-"))
		if plain := vueID(vueEmoji().ReplaceAllString(h, "")); plain != name {
			ids = append(ids, Numbered(seen, plain, "-"))
		}
	}
	return ids
}

// vueID returns the fragment for a heading. The fragment contains "-" instead of punctuation, and
// "_" before a digit at the start.
func vueID(text string) string {
	text = vueCombining().ReplaceAllString(norm.NFKD.String(text), "")
	text = vueSpecial().ReplaceAllString(vueControl().ReplaceAllString(text, ""), "-")
	text = strings.Trim(text, "-")
	if vueDigit().MatchString(text) {
		text = "_" + text
	}
	return strings.ToLower(text)
}

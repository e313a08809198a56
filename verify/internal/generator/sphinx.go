package generator

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// isSphinx reports whether a conf.py belongs to Sphinx.
func isSphinx(fsys fs.FS, config string) bool {
	text := readText(fsys, config)
	return strings.Contains(strings.ToLower(text), "sphinx") || sphinxSetting().MatchString(text)
}

var (
	sphinxSetting = expression(`(?m)^(?:extensions|html_theme|master_doc|root_doc|source_suffix|myst_\w+)\s*=`)
	sphinxExtra   = expression(`(?m)^html_(?:extra|static)_path\s*=\s*\[([^\]]*)\]`)
	sphinxBase    = expression(`(?m)^html_baseurl\s*=\s*["']([^"']*)["']`)
	sphinxPages   = expression(`(?m)^html_additional_pages\s*=\s*\{([^}]*)\}`)
	sphinxKey     = expression(`["']([^"']+)["']\s*:`)
	quoted        = expression(`["']([^"']+)["']`)
	sphinxAuto    = expression(`autodoc2|autoapi|autosummary|apidoc`)
	rstLabel      = expression("(?m)^\\s*\\.\\. _`?([^:`\\n]+)`?:\\s*$")
	// sphinxInclude matches a directive that may add names from other files to the page.
	sphinxInclude = expression("(?m)^\\s*(?:`{3,}|:{3,})\\{(?:include|literalinclude|eval-rst|auto|glossary|py:|c:|cpp:|js:|rst:|click|argparse)")
)

var (
	sphinxOthers   = expression(`(?m)^\s*intersphinx_mapping\b`)
	sphinxGlossary = expression("(?m)^\\s*(?:`{3,}\\{|:{3,}\\{|\\.\\. )glossary\\b")
)

// maxIncludes is the maximum number of including documents in which the links of an included
// document are resolved.
const maxIncludes = 8

// sphinxPart matches an include directive.
var sphinxPart = expression("(?m)^\\s*(?:(?:`{3,}|:{3,})\\{include\\}|\\.\\. include::)[ \\t]+([^\\s<>]+)[ \\t]*\r?$")

// includesOf returns the names of the files that a document includes.
func includesOf(doc, text string) (list []string) {
	for _, m := range sphinxPart().FindAllStringSubmatch(text, -1) {
		if len(m[1]) < maxPath {
			list = append(list, path.Join(path.Dir(doc), m[1]))
		}
	}
	return list
}

// includesBeside reports whether a document in the directory dir includes a document outside that
// directory.
func includesBeside(fsys fs.FS, dir string) bool {
	found := false
	s := &Site{fsys: fsys, err: func() error { return nil }}
	_ = s.walk(dir, func(name string) { // the error is ignored: walk stops after too many files
		if ext := path.Ext(name); !found && (ext == ".md" || ext == ".rst") {
			found = slices.ContainsFunc(includesOf(name, readText(fsys, name)), func(part string) bool { return !within(dir, part) && s.isFile(part) })
		}
	})
	return found
}

// openSphinx reads conf.py. The document a.md or a.rst becomes the page a.html. A link may contain
// the name of a document, with or without its file extension, or a label in any document.
func openSphinx(s *Site, config string) error {
	s.sources, s.assets, s.suffixes = true, true, []string{".md", ".rst"}
	s.ids, s.opaque = sphinxIDs, sphinxInclude().MatchString
	s.made = []string{"genindex.html", "genindex-*", "py-modindex.html", "modindex.html", "search.html", "searchindex.js", "objects.inv", "_static/*", "_sources/**", "_images/**", "_downloads/**", "_modules/*"}
	if sphinxAuto().MatchString(config) {
		s.made = append(s.made, "apidocs/**", "autoapi/**", "generated/**", "_autosummary/**")
	}
	for _, m := range sphinxPages().FindAllStringSubmatch(config, -1) {
		for _, page := range sphinxKey().FindAllStringSubmatch(m[1], -1) {
			s.made = append(s.made, page[1]+".html")
		}
	}
	s.labels, s.included, s.content = map[string]string{}, map[string][]string{}, []string{s.base}
	s.readExtensions(config)
	s.names = sphinxOthers().MatchString(config)
	if m := sphinxBase().FindStringSubmatch(config); m != nil {
		s.setURL(m[1])
	}
	for _, m := range sphinxExtra().FindAllStringSubmatch(config, -1) {
		for _, dir := range quoted().FindAllStringSubmatch(m[1], -1) {
			dir := s.fsPath(dir[1])
			s.mounts = append(s.mounts, mount{dir, "", true}, mount{dir, "_static/", true})
		}
	}
	s.other, s.external = append(mystSchemes(config), "inv:"), true
	s.aliases = func(ref string) (string, bool) {
		for _, notation := range []string{"project:", "path:"} {
			if rest, ok := strings.CutPrefix(ref, notation); ok {
				return rest, true
			}
		}
		return "", false
	}
	return s.walk(s.base, func(name string) {
		switch path.Ext(name) {
		case ".md", ".rst", ".ipynb":
		default:
			return
		}
		s.addPage(strings.TrimSuffix(strings.TrimPrefix(name, s.base+"/"), path.Ext(name))+".html", name)
		text := readText(s.fsys, name)
		s.names = s.names || sphinxGlossary().MatchString(text)
		for _, part := range includesOf(name, text) {
			if list := s.included[part]; len(list) < maxIncludes && s.isFile(part) {
				s.included[part] = append(list, name)
			}
		}
		for _, names := range [...]*regexp.Regexp{label(), rstLabel()} {
			for _, m := range names.FindAllStringSubmatch(text, -1) {
				at := strings.ToLower(m[1])
				if len(m) > 2 && at == "" {
					at = strings.ToLower(m[2])
				}
				if _, taken := s.labels[at]; !taken {
					s.labels[at] = name
				}
			}
		}
	})
}

// sphinxList matches the list of extensions in conf.py, and code that adds extensions to the list.
var sphinxList = expression(`(?m)^\s*extensions\s*(?:\+?=|\.extend\(|\.append\(|\.insert\()([^=]*?[\])]\s*$|[^\n]*)`)

// readExtensions reads the names of the Sphinx extensions. An unknown extension may create
// documents and labels. The extension autodoc creates labels from the names in a program.
func (s *Site) readExtensions(config string) {
	config = sphinxComment().ReplaceAllString(config, "")
	for _, m := range sphinxList().FindAllStringSubmatch(config, -1) {
		for _, name := range quoted().FindAllStringSubmatch(m[1], -1) {
			switch {
			case name[1] == "sphinx.ext.autodoc":
				s.objects = true
			case name[1] == "sphinx.ext.intersphinx":
				s.foreign = true
			case !sphinxHarmless(name[1]):
				s.doubt, s.unsure, s.objects = true, true, true
			}
			if sphinxMakes(name[1]) {
				s.supplied = func(name string) bool { return !isPicture(name) }
			}
		}
	}
}

var sphinxComment = expression(`(?m)^\s*#.*$`)

// sphinxMakes reports whether an extension may create documents in any directory. The extensions
// autoapi, autodoc2 and autosummary use separate directories.
func sphinxMakes(name string) bool {
	switch first, _, _ := strings.Cut(name, "."); first {
	case "sphinx_gallery", "exhale", "sphinx_multiversion":
		return true
	}
	return strings.HasSuffix(name, "apidoc")
}

// sphinxHarmless reports whether an extension creates neither documents nor labels.
func sphinxHarmless(name string) bool {
	switch name {
	case "sphinx.ext.autosummary", "sphinx.ext.apidoc":
		return false
	case "myst_parser", "myst_nb", "recommonmark", "sphinx_design", "sphinx_copybutton", "sphinx_rtd_theme", "sphinx_togglebutton", "sphinx_tabs.tabs", "sphinx_inline_tabs", "sphinxcontrib.mermaid", "sphinxext.opengraph", "sphinx_sitemap", "notfound.extension", "sphinx_favicon", "sphinx_tippy", "sphinx_pyscript", "sphinx_issues", "numpydoc", "IPython.sphinxext.ipython_console_highlighting", "matplotlib.sphinxext.plot_directive", "sphinx_last_updated_by_git", "sphinx_substitution_extensions", "sphinx_thebe", "sphinx_comments", "sphinx_external_toc", "hoverxref.extension", "furo", "sphinxcontrib.spelling", "sphinxcontrib.programoutput", "sphinxcontrib.video", "sphinxcontrib.bibtex", "sphinxemoji.sphinxemoji", "versionwarning.extension", "sphinx_autodoc_typehints", "releases":
		return true
	}
	return strings.HasPrefix(name, "sphinx.ext.")
}

var (
	mystBlock  = expression(`(?s)\bmyst_url_schemes\s*=\s*[\[{](.*?)\n[\]}]`)
	mystScheme = expression(`["']([a-z][a-z0-9+.-]*)["']\s*[:,]`)
)

// mystSchemes returns the link prefixes for the schemes that the MyST configuration lists,
// including URL schemes.
func mystSchemes(config string) (list []string) {
	m := mystBlock().FindStringSubmatch(config)
	if m == nil {
		return nil
	}
	for _, name := range mystScheme().FindAllStringSubmatch(m[1], -1) {
		list = append(list, name[1]+":")
	}
	return list
}

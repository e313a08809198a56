package generator

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// isSphinx reports whether a conf.py is one of Sphinx.
func isSphinx(fsys fs.FS, config string) bool {
	text := readText(fsys, config)
	return strings.Contains(strings.ToLower(text), "sphinx") || sphinxSetting().MatchString(text)
}

var (
	sphinxSetting = expression(`(?m)^(?:html_theme|master_doc|root_doc|source_suffix)\s*=`)
	sphinxExtra   = expression(`(?m)^html_(?:extra|static)_path\s*=\s*\[([^\]]*)\]`)
	sphinxBase    = expression(`(?m)^html_baseurl\s*=\s*["']([^"']*)["']`)
	quoted        = expression(`["']([^"']+)["']`)
	sphinxAuto    = expression(`autodoc2|autoapi|autosummary|apidoc`)
	rstLabel      = expression("(?m)^\\s*\\.\\. _`?([^:`\\n]+)`?:\\s*$")
	// sphinxInclude is a directive whose content has names that are not in the document.
	sphinxInclude = expression("(?m)^\\s*(?:`{3,}|:{3,})\\{(?:include|literalinclude|eval-rst|auto|glossary|py:|c:|cpp:|js:|rst:|click|argparse)")
)

// openSphinx reads conf.py. A document a.md or a.rst becomes a.html. Links may lead to
// documents with and without their suffix, and to labels of any document.
func openSphinx(s *Site, config string) error {
	s.sources, s.assets, s.suffixes = true, true, []string{".md", ".rst"}
	s.ids, s.opaque = sphinxIDs, sphinxInclude().MatchString
	s.made = []string{"genindex.html", "genindex-*", "py-modindex.html", "modindex.html", "search.html", "searchindex.js", "objects.inv", "_static/*", "_sources/*", "_images/*", "_downloads/*", "_modules/*"}
	if sphinxAuto().MatchString(config) {
		s.made = append(s.made, "apidocs/*", "autoapi/*", "generated/*", "_autosummary/*")
	}
	s.labels = map[string]string{}
	if m := sphinxBase().FindStringSubmatch(config); m != nil {
		s.setURL(m[1])
	}
	for _, m := range sphinxExtra().FindAllStringSubmatch(config, -1) {
		for _, dir := range quoted().FindAllStringSubmatch(m[1], -1) {
			dir := path.Clean(dir[1])
			s.mounts = append(s.mounts, mount{dir, "", true}, mount{dir, "_static/", true})
		}
	}
	s.other, s.external = []string{"inv:"}, true
	s.aliases = func(ref string) (string, bool) {
		for _, notation := range []string{"project:", "path:"} {
			if rest, ok := strings.CutPrefix(ref, notation); ok {
				return rest, true
			}
		}
		return "", false
	}
	return s.walk(".", func(name string) {
		switch path.Ext(name) {
		case ".md", ".rst", ".ipynb":
		default:
			return
		}
		s.add(strings.TrimSuffix(name, path.Ext(name))+".html", name)
		text := readText(s.fsys, name)
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

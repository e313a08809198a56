package generator

import (
	"io/fs"
	"path"
	"strings"
)

// The functions in this file support sites whose configuration this package does not read. The
// functions resolve links to existing files. Only a build can resolve other links.

func openVuePress(s *Site, _ string) error {
	s.ids = func(headings []string) []string { return append(vueIDs(headings), githubIDs(headings)...) }
	s.opaque = isVuePage
	return s.openRecognized([]string{"."}, ".vuepress/public")
}

func openAstro(s *Site, _ string) error {
	s.opaque = mdxImport().MatchString
	return s.openRecognized([]string{"src"}, "public")
}

// isNextra reports whether the configuration file of Next.js or of a theme belongs to Nextra.
func isNextra(fsys fs.FS, config string) bool {
	return strings.Contains(readText(fsys, config), "nextra")
}

func openNextra(s *Site, _ string) error {
	s.opaque = mdxImport().MatchString
	return s.openRecognized([]string{"pages", "content", "app", "docs", "src/pages", "src/content", "src/app", "."}, "public")
}

var eleventyInput = expression(`\binput\s*:\s*["']([^"']*)["']|setInputDirectory\(\s*["']([^"']*)["']`)

func openEleventy(s *Site, config string) error {
	input := "."
	if m := eleventyInput().FindStringSubmatch(config); m != nil {
		input = m[1] + m[2]
	}
	s.opaque = func(string) bool { return true } // a plugin creates the fragments of headings
	err := s.openRecognized([]string{input}, "public")
	s.pictures = nil // only the configuration lists the copied directories
	s.supplied = func(name string) bool { return !isPicture(name) || !fs.ValidPath(name) || !s.isFolder(path.Dir(name)) }
	return err
}

// openQuarto opens a Quarto project. Quarto creates a.html from a.qmd. A document whose name
// begins with "_" is included in other documents.
func openQuarto(s *Site, _ string) error {
	s.opaque = func(string) bool { return true }
	err := s.openRecognized([]string{"."}, "")
	find := s.resolve
	s.resolve = func(doc, ref string) Target {
		target := find(doc, ref)
		if target.Kind == File || target.Kind == Plain {
			return target
		}
		stem, isPage := strings.CutSuffix(ref, ".html")
		if !isPage {
			stem = strings.TrimSuffix(ref, "/") + "/index"
		}
		for _, suffix := range []string{".qmd", ".md", ".ipynb", ".Rmd", ".rmd"} {
			if source := find(doc, stem+suffix); source.Kind == File {
				return source
			}
		}
		if isQuartoPart(doc) {
			target.Kind = Undecided
		}
		return target
	}
	return err
}

// isQuartoPart reports whether the name of a document marks it as a part of other documents.
func isQuartoPart(doc string) bool {
	return strings.HasPrefix(doc, "_") || strings.Contains(doc, "/_")
}

// openAntora opens an Antora component, whose documents are in its modules.
func openAntora(s *Site, _ string) error {
	s.opaque = func(string) bool { return true }
	err := s.openRecognized([]string{"modules"}, "")
	find := s.resolve
	s.resolve = func(doc, ref string) Target {
		if m := antoraPage().FindStringSubmatch(doc); m != nil {
			for _, family := range []string{"pages", "images", "attachments"} {
				if name := path.Join(m[1], family, ref); s.isFile(name) {
					return Target{File, name}
				}
			}
		}
		if strings.ContainsAny(ref, ":$@") {
			return Target{Undecided, ref}
		}
		return find(doc, ref)
	}
	return err
}

var antoraPage = expression(`^((?:.*/)?modules/[^/]+)/(?:pages|partials)/`)

// openRecognized prepares a site with documents in the given folders. The generator copies the
// files in the directory static.
func (s *Site) openRecognized(folders []string, static string) error {
	s.content = nil
	for _, dir := range folders {
		s.content = append(s.content, s.fsPath(dir))
	}
	s.sources, s.assets, s.doubt = true, true, true
	if static != "" {
		s.pictures = []string{s.fsPath(static)}
	}
	s.resolve = func(doc, ref string) Target { return s.findRecognized(doc, ref, static) }
	return nil
}

// isAbout reports whether a file at the repository root describes the repository, so that it is
// not a page.
func isAbout(name string) bool {
	switch strings.ToLower(strings.TrimSuffix(name, path.Ext(name))) {
	case "readme", "changelog", "contributing", "security", "code_of_conduct", "license", "support", "governance", "authors", "history":
		return true
	}
	return false
}

// findRecognized returns the file to which a link points. If no such file exists, the target is
// Undecided.
func (s *Site) findRecognized(doc, ref, static string) Target {
	if isAbout(doc) && s.Name != "vuepress" {
		return Target{Kind: Plain}
	}
	rest, absolute := strings.CutPrefix(ref, "/")
	dirs := []string{path.Dir(doc)}
	if absolute {
		dirs = append(append([]string{path.Join(s.base, static)}, s.content...), s.base)
	}
	for _, dir := range dirs {
		name := path.Join(dir, rest)
		for _, suffix := range []string{"", ".md", ".mdx", "/index.md", "/index.mdx", "/README.md"} {
			if s.isFile(name + suffix) {
				return Target{File, name + suffix}
			}
		}
	}
	return s.finalTarget(doc, ref, Target{Missing, ref})
}

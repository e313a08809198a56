package generator

import (
	"path"
	"slices"
	"strings"
)

// openVault reads a directory of notes, in which links contain file names.
func openVault(s *Site, _ string) error {
	s.mounts = []mount{{".", "", true}}
	s.sources, s.assets = true, true
	s.suffixes = []string{".md"}
	return s.ReadStems()
}

// HasWikilinks reports whether the documents may contain wikilinks. [Site.Wiki] resolves such
// links.
func (s *Site) HasWikilinks() bool { return s.stems != nil }

// ReadStems reads the names of all files, which [Site.Wiki] needs.
func (s *Site) ReadStems() error {
	s.stems = map[string][]string{}
	return s.walk(".", func(name string) {
		base := strings.ToLower(path.Base(name))
		s.stems[base] = append(s.stems[base], name)
	})
}

// Wiki returns the target of a wikilink in the document doc. The link "[[Page]]" refers to a file
// in any directory. The link "[[folder/Page]]" refers to a file whose path ends with that text.
// The extension of a Markdown file may be missing. An empty page name refers to the document
// itself.
func (s *Site) Wiki(doc, page string) Target {
	if page = strings.TrimSpace(page); page == "" {
		return Target{File, doc}
	}
	clean := strings.ToLower(strings.TrimPrefix(path.Clean("/"+page), "/"))
	if strings.HasPrefix(page, ".") {
		clean = strings.ToLower(path.Join(path.Dir(doc), page))
	}
	for _, suffix := range []string{".md", "", ".markdown", ".mdx"} {
		want := clean + suffix
		list := s.stems[path.Base(want)]
		i := slices.IndexFunc(list, func(name string) bool {
			name = strings.ToLower(name)
			return name == want || strings.HasSuffix(name, "/"+want)
		})
		if i >= 0 {
			return Target{File, list[i]}
		}
	}
	return Target{Missing, page}
}

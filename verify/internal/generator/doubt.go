package generator

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"
)

// finalTarget returns the final target of a link. If no target was found and the site uses unknown
// plugins or settings, only a build can resolve most links. But plugins seldom create a document or
// a picture in the directory of another document, so a relative link to such a file is dead.
func (s *Site) finalTarget(doc, ref string, target Target) Target {
	if target.Kind == Missing && strings.HasPrefix(ref, "$") {
		return Target{Undecided, ref} // a template replaces the reference
	}
	if target.Kind == Missing && s.objects && isIdentifier(ref) && !strings.Contains(ref, "/") && !strings.Contains(ref, ".htm") && !isSourceName(ref) {
		return Target{Undecided, ref}
	}
	if target.Kind != Missing || !s.doubt {
		return target
	}
	if s.lacksPicture(ref) {
		return target
	}
	if !strings.HasPrefix(ref, "/") && isSourceName(ref) && (s.supplied == nil || !s.supplied(path.Join(path.Dir(doc), ref))) {
		return target
	}
	target.Kind = Undecided
	return target
}

// lacksPicture reports whether a picture is missing from an existing directory that the generator
// copies. For "/a/b.png", this is the directory "a".
func (s *Site) lacksPicture(ref string) bool {
	rest, absolute := strings.CutPrefix(ref, "/")
	if below, ok := strings.CutPrefix(ref, s.prefix); ok {
		rest = below
	}
	return absolute && isPicture(ref) && slices.ContainsFunc(s.pictures, func(dir string) bool {
		dir = path.Join(dir, path.Dir(rest))
		return fs.ValidPath(dir) && s.isFolder(dir)
	})
}

// isPicture reports whether a path has the file extension of a picture.
func isPicture(ref string) bool {
	switch strings.ToLower(path.Ext(ref)) {
	case ".png", ".jpg", ".jpeg", ".svg", ".gif", ".webp", ".avif", ".ico":
		return true
	}
	return false
}

// Doubts reports whether the site uses unknown plugins or settings. The links in such a site may
// be neither URLs nor paths.
func (s *Site) Doubts() bool { return s.doubt }

// isSourceName reports whether a path has the file extension of a document, or of a file that is
// usually in the same directory as a document.
func isSourceName(ref string) bool {
	switch strings.ToLower(path.Ext(ref)) {
	case ".md", ".markdown", ".mdx", ".rst", ".adoc", ".qmd", ".rmd", ".ipynb", ".txt", ".pdf",
		".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".avif", ".ico", ".bmp", ".mp4", ".webm", ".mp3",
		".go", ".rs", ".py", ".js", ".ts", ".c", ".h", ".cpp", ".java", ".rb", ".sh", ".toml", ".yaml", ".yml", ".json", ".css", ".zip", ".gz":
		return true
	}
	return false
}

// mentioned returns a function that reports whether a plugin may create a fragment from source. A
// plugin may do so if source contains a word with the letters and digits of the fragment, or the
// identifier at the end of the fragment. If source contains more than maxWords words, a plugin may
// create any fragment.
func mentioned(source string) func(fragment string) bool {
	words := map[string]bool{}
	for _, separates := range []func(rune) bool{unicode.IsSpace, separatesIdentifiers} {
		for word := range strings.FieldsFuncSeq(source, separates) {
			if len(word) <= maxKey {
				words[letters(word)] = true
			}
			if len(words) > maxWords {
				return func(string) bool { return true }
			}
		}
	}
	delete(words, "")
	return func(fragment string) bool {
		_, tail, _ := strings.Cut(fragment, "-")
		return words[letters(fragment)] || isIdentifier(tail) && words[letters(tail)]
	}
}

// maxWords is the maximum number of different words that are stored for one document.
const maxWords = 1 << 14

func separatesIdentifiers(r rune) bool {
	return r != '.' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// MayHave returns a function that reports whether a plugin may add a fragment to a document.
// MayHave returns nil if no plugin does.
func (s *Site) MayHave(source string) func(fragment string) bool {
	may := s.mayHave(source)
	if !s.tabs {
		return may
	}
	var titles []string
	for _, m := range tab().FindAllStringSubmatch(source, maxTabs) {
		if title := letters(emoji().ReplaceAllString(m[1], "")); title != "" {
			titles = append(titles, title)
		}
	}
	return func(fragment string) bool {
		name := letters(fragment)
		return may != nil && may(fragment) || slices.ContainsFunc(titles, func(title string) bool { return strings.HasSuffix(name, title) })
	}
}

// maxTabs is the maximum number of tab titles that are read from a document.
const maxTabs = 256

var (
	tab   = expression(`(?m)^[ \t]*===[!+]*[ \t]+"([^"\n]+)"`)
	emoji = expression(`:[\w+-]+:`)
)

func (s *Site) mayHave(source string) func(fragment string) bool {
	source = destination().ReplaceAllString(source, "]")
	if s.mentions != nil {
		source = s.mentions(source)
	}
	switch {
	case s.unsure && s.foreign:
		isMentioned := mentioned(source)
		return func(fragment string) bool { return isForeign(fragment) || isMentioned(fragment) }
	case s.unsure:
		return mentioned(source)
	case s.foreign:
		return isForeign
	}
	return nil
}

// destination matches the destination of a link, from which plugins create no fragments.
var destination = expression(`\]\([^)\n]*\)|\]:[^\n]*|\bhref="[^"\n]*"`)

// isForeign reports whether a fragment may be a name in another Sphinx site.
func isForeign(fragment string) bool {
	return strings.ContainsAny(fragment, "/:") || isIdentifier(fragment)
}

// isIdentifier reports whether text is an identifier of a program and not a word. An identifier
// contains dots, "_" or inner capitals.
func isIdentifier(text string) bool {
	return len(text) > 3 && !strings.ContainsAny(text, "- ") && (strings.ContainsAny(text, "._") || strings.IndexFunc(text[1:], unicode.IsUpper) >= 0)
}

// letters returns the letters and digits of a text in lower case.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

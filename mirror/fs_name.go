package mirror

import (
	"fmt"
	"path"
	"strings"
	"unicode"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/transfer"
)

// unnamed is the file name for an item with neither a name nor a title.
const unnamed = "unnamed"

// nameOf returns a file name for item, which need not be unique.
func (f *FS) nameOf(item scheme.Item) string {
	fromURL := transfer.Name(f.client.Registry(), withoutSlash(withoutView(item.URL)))
	if isName(fromURL) {
		return fromURL
	}
	// A title such as "TCP/IP" is not a path.
	title := strings.NewReplacer("/", "_", `\`, "_").Replace(item.Title)
	for _, name := range []string{transfer.SafeName(title), fromURL} {
		if name != "" {
			return name
		}
	}
	return unnamed
}

// isName reports whether name contains a letter or digit.
func isName(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// withoutSlash returns u without a "/" at its end, because the URL of a menu often ends in
// "/".
func withoutSlash(u locus.URL) locus.URL {
	p := u.Parts()
	if p.Path == nil {
		return u
	}
	trimmed := strings.TrimRight(*p.Path, "/")
	p.Path = &trimmed
	if v, err := p.URL(); err == nil {
		return v
	}
	return u
}

// unique returns name, or name with a number if l already contains name. In the name of a
// file, the number precedes the extension.
func (l *listing) unique(name string, menu bool) string {
	if l.names[name] == nil {
		return name
	}
	suffix := ""
	if !menu {
		suffix = path.Ext(name)
	}
	if l.next == nil {
		l.next = make(map[string]int)
	}
	stem := strings.TrimSuffix(name, suffix)
	for n := max(l.next[name], 2); ; n++ {
		numbered := fmt.Sprintf("%s (%d)%s", stem, n, suffix)
		if l.names[numbered] == nil {
			l.next[name] = n + 1
			return numbered
		}
	}
}

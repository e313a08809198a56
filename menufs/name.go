package menufs

import (
	"fmt"
	"path"
	"strings"
	"unicode"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/transfer"
)

// unnamed is the name of what has neither a name nor a title.
const unnamed = "unnamed"

// nameOf returns the name of item, which another may have too.
func (f *FS) nameOf(item scheme.Item) string {
	fromURL := transfer.Name(f.client.Registry(), withoutSlash(plain(item.URL)))
	if isName(fromURL) {
		return fromURL
	}
	// "TCP/IP" is a title and no path.
	title := strings.NewReplacer("/", "_", `\`, "_").Replace(item.Title)
	for _, name := range []string{transfer.SafeName(title), fromURL} {
		if name != "" {
			return name
		}
	}
	return unnamed
}

// isName reports whether name tells something.
func isName(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// withoutSlash returns u without "/" at its end, which the URL of a menu often
// has: its name stands before that.
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

// unique returns name, or name with a number if it was given before. The suffix
// of a file stays at its end.
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

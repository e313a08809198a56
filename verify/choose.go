package verify

import (
	"context"
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// Remap replaces the beginning of a URL before the Verifier verifies the link.
type Remap struct {
	// From is the pattern for the URLs to change. Remap replaces the shortest prefix of the URL
	// that matches the pattern, and does not change the rest of the URL. If the pattern ends in
	// "$", Remap replaces the whole URL.
	From policy.Pattern
	// To is the replacement text.
	To string
}

// ParseRemap parses a Remap: a pattern, a space and the replacement.
func ParseRemap(text string) (Remap, error) {
	var r Remap
	err := r.UnmarshalText([]byte(text))
	return r, err
}

// UnmarshalText parses text as [ParseRemap] does.
func (r *Remap) UnmarshalText(text []byte) error {
	from, to, ok := strings.Cut(strings.TrimSpace(string(text)), " ")
	if to = strings.TrimSpace(to); !ok || to == "" {
		return locus.NewSyntaxError(string(text), len(text), "remap", fmt.Errorf(`%w: write a pattern, a space and the replacement: "https://www.example.com/ http://localhost:8080/"`, locus.ErrValue))
	}
	p, err := policy.ParsePattern(from, nil)
	if err != nil && strings.HasPrefix(from, "/") {
		return locus.NewSyntaxError(string(text), 0, "remap", fmt.Errorf("%w: %s is a path: for files, write %s", locus.ErrValue, locus.Quote(from), locus.Quote("file:///*"+from)))
	} else if err != nil {
		return err
	}
	r.From, r.To = p, to
	return nil
}

// excludedBy returns the reason why the options exclude the URL u, or "" if they include u.
func (c *Checker) excludedBy(u locus.URL) (why string) {
	o := &c.o
	if len(o.Schemes) > 0 && !slices.Contains(o.Schemes, u.Scheme()) {
		return u.Scheme() + " links are not verified"
	}
	if len(o.Include) > 0 {
		if _, ok := firstMatch(o.Include, u, c.registry); !ok {
			return "matches no include pattern"
		}
	}
	if len(o.Exclude) > 0 {
		if pattern, ok := firstMatch(o.Exclude, u, c.registry); ok {
			return "matches the pattern " + locus.Quote(pattern.String())
		}
	}
	return ""
}

// remap applies the first matching Remap to the URL of the link l.
func (c *Checker) remap(l *link) {
	u := l.url.WithoutFragment()
	if canonical, _, err := c.registry.Canonical(u); err == nil {
		u = canonical
	}
	port := c.registry.Port(u)
	for _, r := range c.o.Remap {
		if !r.From.Matches(u, port) {
			continue
		}
		text := r.To + u.String()[prefixLength(r.From, u, port):]
		if fragment, ok := l.url.Fragment(); ok && !strings.Contains(text, "#") {
			text += "#" + fragment
		}
		if l.written == "" {
			l.written = l.url.String()
		}
		to, err := locus.Parse(text)
		if err != nil {
			l.verdict, l.detail = Malformed, "remapped: "+plainError(err)
			return
		}
		l.url = to
		return
	}
}

// prefixLength returns the length of the shortest prefix of the URL u that matches the pattern p.
// If p is a pattern for a host or a scheme, the prefix ends before the path.
func prefixLength(p policy.Pattern, u locus.URL, port uint16) int {
	text := u.String()
	start := u.PathOffset()
	if start > 0 && start <= len(text) && strings.HasPrefix(text[start-1:], "/") {
		start--
	}
	start = min(start, len(text))
	if p.IsHost() {
		return start
	} else if strings.HasSuffix(p.String(), "$") {
		return len(text)
	}
	// If p matches a prefix, it also matches each longer prefix.
	return start + sort.Search(len(text)-start, func(n int) bool {
		begin, err := locus.Parse(text[:cutOffset(text, start, start+n)])
		return err == nil && p.Matches(begin, port)
	})
}

// cutOffset returns the last offset between start and i at which text can be cut. The cut must not
// be inside an escape. The last path segment before the cut must not consist only of dots.
func cutOffset(text string, start, i int) int {
	switch {
	case i > start && text[i-1] == '%':
		i--
	case i > start+1 && text[i-2] == '%':
		i -= 2
	}
	if dots := strings.TrimRight(text[:i], "."); len(dots) >= start && strings.HasSuffix(dots, "/") {
		return len(dots)
	}
	return i
}

// fallback opens a file with a fallback extension instead of a missing file, for example a.html
// instead of a. If no such file exists, ok is false.
func (c *Checker) fallback(ctx context.Context, t *checkedURL) (res *access.Result, ok bool) {
	for _, name := range otherNames(t.url.WithoutFragment().String(), c.o.FallbackExtensions) {
		u, err := locus.Parse(name)
		if err != nil {
			continue
		}
		if res, err := c.openURL(ctx, access.Request{URL: u, From: t.from}); err == nil {
			if _, isMenu := res.Resource.(*scheme.Menu); !isMenu {
				return res, true
			}
			res.Resource.Close()
		}
	}
	return nil, false
}

// otherNames returns the names that a file may have with each of the extensions.
func otherNames(name string, extensions []string) (list []string) {
	if strings.HasSuffix(name, "/") {
		return nil
	}
	own := path.Ext(name)
	for _, extension := range extensions {
		list = append(list, name+"."+extension)
		if own != "" && own != "."+extension && slices.Contains(extensions, own[1:]) {
			list = append(list, strings.TrimSuffix(name, own)+"."+extension)
		}
	}
	return list
}

// indexes returns the names of index files in lower case.
func (c *Checker) indexes() []string {
	if len(c.o.IndexFiles) == 0 {
		return indexFiles
	}
	list := make([]string, len(c.o.IndexFiles))
	for i, name := range c.o.IndexFiles {
		list[i] = strings.ToLower(escape.Encode(name, escape.Fsegment()))
	}
	return list
}

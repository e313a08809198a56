package verify

import (
	"context"
	"path"
	"strings"
	"sync"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/robots"
	"github.com/locus-url/locus/relative"
	"github.com/locus-url/locus/scheme"
)

// site is the pages below a URL that was typed.
type site struct {
	row   scheme.Scheme      // of first
	first locus.URL          // in canonical form
	pages map[locus.URL]bool // in canonical form

	mu     sync.Mutex
	robots *robots.Rules // of the host of first; nil: all is allowed, or they are not known
}

// move makes first the first page of s. Another host has its own robots.txt.
func (e *Verifier) move(s *site, first locus.URL) {
	if s.first.IsZero() || first.String()[:first.PathOffset()] != s.first.String()[:s.first.PathOffset()] {
		s.mu.Lock()
		s.robots = nil
		s.mu.Unlock()
	}
	s.row, s.first = e.registry.Scheme(first), first
}

// has reports whether a URL in canonical form is a page of the site, as far as its
// text shows.
func (s *site) has(u locus.URL) bool {
	if u == s.first {
		return true
	}
	if s.row.Below == nil || u.Scheme() != s.first.Scheme() || !s.row.Below(s.first, u) {
		return false
	}
	text, _ := u.Path()
	return s.row.Hierarchy != relative.Path || mayBePage(text)
}

// mayBePage reports whether a path may lead to a page: its last segment has no suffix
// of another type.
func mayBePage(text string) bool {
	text, _, _ = strings.Cut(text, "?")
	switch strings.ToLower(path.Ext(text)) {
	case ".7z", ".avi", ".bz2", ".deb", ".doc", ".docx", ".epub", ".exe", ".gif", ".gz", ".ico", ".iso", ".jar", ".jpeg", ".jpg",
		".js", ".json", ".mjs", ".mp3", ".mp4", ".mpeg", ".odt", ".ogg", ".otf", ".pdf", ".png", ".ppt", ".pptx", ".ps", ".rpm", ".svg",
		".tar", ".tgz", ".ttf", ".wasm", ".wav", ".webm", ".webp", ".woff", ".woff2", ".xls", ".xlsx", ".xz", ".zip", ".zst":
		return false
	}
	return true
}

// followInSite makes t a page of a site if it is one: the first, or one that a page of
// the site links to. The caller must hold e.mu.
func (e *Verifier) followInSite(d *doc, t *target) {
	if t.page != nil {
		return
	}
	s, depth := d.site, d.depth+1
	switch {
	case d.sitemap == listsSitemaps:
		e.readAsSitemap(d, t, namedSitemap)
		return
	case d.typed:
		if e.traits(t.url)&(scheme.Composes|scheme.Files) != 0 {
			return
		}
		s, depth = &site{pages: map[locus.URL]bool{}}, 0
		e.move(s, t.key.url)
	case t.state == held, t.state == done && !isFound(t.outcome) && !t.outcome.Cached:
		return // It was asked for in this run, and there is no page.
	case s == nil || !s.has(t.key.url) || s.pages[t.key.url] || e.o.Depth != 0 && depth > max(e.o.Depth, 0) || len(s.pages) >= e.o.MaxPages:
		return
	}
	s.pages[t.key.url] = true
	e.makePage(t, &doc{name: withoutPassword(t.url), site: s, depth: depth})
}

// makePage makes t the page of a site. The caller must hold e.mu.
func (e *Verifier) makePage(t *target, page *doc) {
	t.page = page
	if t.state == done {
		// It was opened before it was known to be a page.
		e.progress.Done--
		t.state, t.tries = waiting, 0
		e.start(t)
	}
	if e.allRead {
		e.docs = append(e.docs, t.page)
	} else {
		e.pages = append(e.pages, t.page)
	}
}

// isPage reports whether a page of the site was found there: referrals may lead out of
// the site, or to another of its pages. If the first page has moved, so has the site.
func (e *Verifier) isPage(d *doc, res *access.Result) bool {
	if len(res.Hops) < 2 {
		return true
	}
	at, _, err := e.registry.Canonical(res.URL.WithoutFragment())
	if err != nil {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	s := d.site
	if d.depth == 0 {
		e.move(s, at)
	}
	if !s.has(at) || s.pages[at] {
		return false
	}
	s.pages[at] = true
	return true
}

// disallowed returns why a page of the site must not be requested; empty: it may. It
// reads the robots.txt before the first page. The error is why that is unknown, and
// final if it is not asked for again.
func (s *site) disallowed(ctx context.Context, e *Verifier, t *target) (why string, final bool, err error) {
	if e.o.NoRobots || !e.traits(t.url).Has(scheme.Web) {
		return "", false, nil
	}
	rules, final, err := e.robotsOf(ctx, t)
	if err != nil {
		return "", final, err
	}
	if t.host != nil {
		e.queue.Slow(t.host, rules.Delay())
	}
	s.mu.Lock()
	s.robots = rules
	s.mu.Unlock()
	if !rules.Allows(t.url) {
		why = "excluded by robots.txt"
	}
	return why, false, nil
}

// robotsOf returns what the robots.txt of the host of t says. final is as in [crawl.Robots.Rules].
func (e *Verifier) robotsOf(ctx context.Context, t *target) (rules *robots.Rules, final bool, err error) {
	if e.robots == nil {
		return e.rules.Rules(ctx, t.url, t.from)
	}
	root, ok := robots.Root(t.url)
	if !ok {
		return nil, false, nil
	}
	octets, err := e.robots(ctx, root, func(ctx context.Context) ([]byte, error) { return robots.Get(ctx, e.do, root, t.from) })
	return robots.Parse(octets), false, err
}

package verify

import (
	"context"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/robots"
	"github.com/locus-url/locus/relative"
	"github.com/locus-url/locus/scheme"
)

type sitePage struct {
	name  string // name of the document in results
	site  *site
	depth int

	sitemap sitemapUse
}

// site holds the pages below a typed URL. The methods of a site may be called concurrently.
type site struct {
	mu     sync.Mutex
	row    scheme.Scheme      // scheme of the first page
	first  locus.URL          // URL of the first page, in canonical form
	pages  map[locus.URL]bool // known pages, in canonical form; nil outside a run
	robots *robots.Rules      // rules in robots.txt; nil if they are unknown or allow all requests
}

// newSite returns the site whose first page is firstURL, which must be in canonical form.
func (c *Checker) newSite(firstURL locus.URL) *site {
	return &site{row: c.registry.Scheme(firstURL), first: firstURL}
}

// delay returns the Crawl-delay in the site's robots.txt, or zero.
func (s *site) delay() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.robots.Delay()
}

// firstURL returns the URL of the site's first page.
func (s *site) firstURL() locus.URL {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.first
}

// moveTo sets the URL of the site's first page to firstURL. If firstURL has another host, moveTo
// discards the robots.txt rules of the old host.
func (s *site) moveTo(row scheme.Scheme, firstURL locus.URL) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if firstURL.String()[:firstURL.PathOffset()] != s.first.String()[:s.first.PathOffset()] {
		s.robots = nil
	}
	s.row, s.first = row, firstURL
}

// mayContain reports whether the URL u, which must be in canonical form, may be a page of the site.
func (s *site) mayContain(u locus.URL) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u == s.first {
		return true
	}
	if s.row.Crawl.Below == nil || u.Scheme() != s.first.Scheme() || !s.row.Crawl.Below(s.first, u) {
		return false
	}
	text, _ := u.Path()
	return s.row.Syntax.Hierarchy != relative.Path || mayBePage(text)
}

// addPage adds a page to the site. It returns false if the site already contains the page, or
// already contains maxPages pages. If maxPages is zero, there is no maximum.
func (s *site) addPage(u locus.URL, maxPages int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pages == nil {
		return true
	}
	if s.pages[u] || maxPages > 0 && len(s.pages) >= maxPages {
		return false
	}
	s.pages[u] = true
	return true
}

// hasPage reports whether the page u was added to the site.
func (s *site) hasPage(u locus.URL) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pages[u]
}

// mayBePage reports whether a path may name an HTML page. mayBePage returns false if the last
// segment has the file extension of another media type.
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

// followInSite makes the target t a page of a site if t is the site's first page, or if a page of
// the site links to t. The caller must hold e.mu.
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
		if e.checker.traits(t.url)&(scheme.Composes|scheme.Files) != 0 {
			return
		}
		s, depth = e.checker.newSite(t.key.url), 0
		s.pages = map[locus.URL]bool{}
	case t.state == held, t.state == done && !isFound(t.outcome) && !t.outcome.Cached:
		return // the target was opened earlier in this run, and is not a page
	case s == nil || !s.mayContain(t.key.url) || e.o.Depth != 0 && depth > max(e.o.Depth, 0):
		return
	}
	if s.addPage(t.key.url, e.o.MaxPages) {
		e.makePage(t, &doc{sitePage: sitePage{name: withoutPassword(t.url), site: s, depth: depth}})
	}
}

// makePage makes the target t a page of a site. The caller must hold e.mu.
func (e *Verifier) makePage(t *target, page *doc) {
	t.page = page
	if t.state == done {
		// The target was opened as an ordinary link; open it again as a page.
		e.progress.Done--
		t.state, t.tries = waiting, 0
		e.startTarget(t)
	}
	if e.allRead {
		e.docs = append(e.docs, t.page)
	} else {
		e.pages = append(e.pages, t.page)
	}
}

// isPage reports whether res is a new page of the site. isPage returns false if a redirect points
// to another site, or to a known page of this site. If the site's first page redirects, isPage
// changes the URL of the first page.
func (c *Checker) isPage(p *sitePage, res *access.Result) bool {
	if len(res.Hops) < 2 {
		return true
	}
	at, _, err := c.registry.Canonical(res.URL.WithoutFragment())
	if err != nil {
		return false
	}
	if p.depth == 0 {
		p.site.moveTo(c.registry.Scheme(at), at)
	}
	return p.site.mayContain(at) && p.site.addPage(at, 0)
}

// disallowed returns the reason why robots.txt forbids the request r, or "" if it allows the
// request. It reads the robots.txt before the first page. If it can't read the file, it returns
// the error. The result final reports whether the error applies to the whole run.
func (s *site) disallowed(ctx context.Context, c *Checker, r *Request) (why string, final bool, err error) {
	if c.o.NoRobots || !c.traits(r.url).Has(scheme.Web) {
		return "", false, nil
	}
	rules, final, err := c.robotsOf(ctx, r.checkedURL)
	if err != nil {
		return "", final, err
	}
	if r.slow != nil {
		r.slow(rules.Delay())
	}
	s.mu.Lock()
	s.robots = rules
	s.mu.Unlock()
	if !rules.Allows(r.url) {
		why = "excluded by robots.txt"
	}
	return why, false, nil
}

// robotsOf returns the robots.txt rules for the host in the URL of t. The results are those of
// [crawl.Robots.Rules].
func (c *Checker) robotsOf(ctx context.Context, t *checkedURL) (rules *robots.Rules, final bool, err error) {
	if c.robots == nil {
		return c.rules.Rules(ctx, t.key.url, t.from)
	}
	root, ok := robots.Root(t.url)
	if !ok {
		return nil, false, nil
	}
	octets, err := c.robots(ctx, root, func(ctx context.Context) ([]byte, error) { return robots.Get(ctx, c.openURL, root, t.from) })
	return robots.Parse(octets), false, err
}

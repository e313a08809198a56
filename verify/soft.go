package verify

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/octet"
	"github.com/locus-url/locus/scheme"
)

// softHosts records which hosts return a page instead of the status 404.
type softHosts struct {
	mu    sync.Mutex
	hosts map[string]*softHost
}

// softHost is the response from a host for a path that does not exist.
type softHost struct {
	once  sync.Once
	found bool
	page  softPage
}

// softPage holds the parts of a response that softHosts compares.
type softPage struct {
	moved locus.URL // redirect target, or zero
	text  string    // text without the words that depend on the path
}

// maxSoft is the maximum number of bytes of a page that are compared.
const maxSoft = 1 << 20

// check changes the outcome of a link to a warning if the host returns the same page for a missing
// path.
func (s *softHosts) check(ctx context.Context, c *Checker, t *checkedURL, a *attempt) {
	if path, _ := t.url.Path(); path == "" || !c.o.Site.SoftNotFound || !c.traits(t.url).Has(scheme.Web) || !isFound(&a.outcome) {
		return
	}
	root := t.url.String()[:t.url.PathOffset()]
	s.mu.Lock()
	h := s.hosts[root]
	if h == nil {
		if s.hosts == nil {
			s.hosts = map[string]*softHost{}
		}
		h = new(softHost)
		s.hosts[root] = h
	}
	s.mu.Unlock()
	h.once.Do(func() {
		missing := strings.ToLower(rand.Text())
		if u, err := locus.Parse(strings.TrimSuffix(root, "/") + "/" + missing); err == nil {
			h.page, h.found = c.requestPage(ctx, u, t.from, missing)
		}
	})
	if !h.found {
		return
	}
	path, _ := t.url.Path()
	last := strings.TrimSuffix(path, "/")
	page, found := c.requestPage(ctx, t.url, t.from, last[strings.LastIndexByte(last, '/')+1:])
	if found && page == h.page {
		a.unstored = true
		a.outcome.Verdict, a.outcome.Detail = Warning, "the host shows the same page for a path that does not exist"
	}
}

// requestPage requests a page for a comparison. The parameter word is the last path segment, which
// the page may quote. The result omits the words of the page that contain it.
func (c *Checker) requestPage(ctx context.Context, u locus.URL, from *access.Result, word string) (page softPage, found bool) {
	res, err := c.openURL(ctx, access.Request{URL: u, From: from})
	if err != nil {
		return page, false
	}
	defer res.Resource.Close()
	o, ok := res.Resource.(*scheme.Object)
	if !ok {
		return page, false
	}
	if len(res.Hops) > 1 {
		page.moved = res.URL.WithoutFragment()
	}
	text, err := io.ReadAll(io.LimitReader(o.Body, maxSoft))
	if err != nil {
		return page, false
	}
	if kindOf(o) == htmlType {
		if read := htmlAnchors(octet.View(text), true).text; read != "" {
			text = []byte(read)
		}
	}
	words := bytes.Fields(text)
	words = slices.DeleteFunc(words, func(w []byte) bool {
		return word != "" && bytes.Contains(bytes.ToLower(w), []byte(strings.ToLower(word))) || bytes.ContainsAny(w, "0123456789")
	})
	page.text = string(bytes.Join(words, []byte(" ")))
	return page, true
}

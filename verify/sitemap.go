package verify

import (
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/document"
	"github.com/locus-url/locus/scheme"
)

// Site holds the settings for crawling a site.
type Site struct {
	// Sitemaps also verifies the pages that the site's sitemaps list. The sitemaps are those in
	// robots.txt, or /sitemap.xml if robots.txt lists no sitemaps.
	Sitemaps bool
	// SoftNotFound detects hosts that return a page instead of the status 404. The Verifier
	// requests a path that does not exist from each host. If a link returns the same page as that
	// path, the link gets a [Warning].
	SoftNotFound bool
}

// sitemapUse is the role of a document in the sitemaps of a site.
type sitemapUse uint8

const (
	noSitemap      sitemapUse = iota
	guessedSitemap            // a sitemap that may not exist
	namedSitemap              // a sitemap to which another document links
	listsSitemaps             // a robots.txt or a sitemap index, whose links are sitemaps
)

// addSitemaps adds the sitemaps of a site after its first page was read. The caller must hold
// e.mu. If the result robots is not nil, the caller must deliver that document with the returned
// links.
func (e *Verifier) addSitemaps(first *doc, at *origins) (robots *doc, links []link) {
	s := first.site
	if !e.o.Site.Sitemaps || first.depth > 0 || first.sitemap != noSitemap || at == nil || !e.checker.traits(s.firstURL()).Has(scheme.Web) {
		return nil, nil
	}
	root := strings.TrimSuffix(s.firstURL().String()[:s.firstURL().PathOffset()], "/")
	s.mu.Lock()
	var named []string
	if s.robots != nil {
		named = s.robots.Sitemaps()
	}
	s.mu.Unlock()
	if len(named) == 0 {
		if u, err := locus.Parse(root + "/sitemap.xml"); err == nil && !s.hasPage(u) {
			t := e.findTarget(checkedURL{url: u, key: targetKey{u, e.checker.originOf(u, at.others)}, from: at.others})
			e.readAsSitemap(first, t, guessedSitemap)
		}
		return nil, nil
	}
	u, err := locus.Parse(root + "/robots.txt")
	if err != nil {
		return nil, nil
	}
	robots = &doc{sitePage: sitePage{name: withoutPassword(u), site: s, sitemap: listsSitemaps}, origins: &origins{base: u, files: at.files, others: at.others}}
	for _, text := range named[:min(len(named), maxItems)] {
		links = append(links, e.checker.sitemapLink(text, u, 0, 0))
	}
	e.docs = append(e.docs, robots)
	return robots, links
}

// readAsSitemap makes the target t a sitemap of the site that contains the document d. The caller
// must hold e.mu.
func (e *Verifier) readAsSitemap(d *doc, t *target, use sitemapUse) {
	if t.page != nil || t.state == held || t.state == done && !isFound(t.outcome) || !d.site.addPage(t.key.url, e.o.MaxPages) {
		return
	}
	e.makePage(t, &doc{sitePage: sitePage{name: withoutPassword(t.url), site: d.site, sitemap: use}})
}

var errNoSitemap = errors.New("this is not a sitemap")

// readSitemap reads the links in a sitemap.
func (c *Checker) readSitemap(a *attempt, page *sitePage, res *access.Result, o *scheme.Object) {
	text, err := readUnpacked(o.Body, c.o.MaxPage)
	if err == nil {
		a.origins = pageOf(res)
		var isIndex bool
		a.links, isIndex, err = c.sitemapLinks(text, res.URL)
		a.listsSitemaps = isIndex
	}
	if err != nil && page.sitemap != guessedSitemap {
		a.failures = append(a.failures, err)
	}
}

// readUnpacked reads at most limit bytes from the reader r. If the data is compressed with gzip,
// readUnpacked decompresses it.
func readUnpacked(r io.Reader, limit int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && bytes.HasPrefix(text, []byte("\x1f\x8b")) {
		var z *gzip.Reader
		if z, err = gzip.NewReader(bytes.NewReader(text)); err == nil {
			text, err = io.ReadAll(io.LimitReader(z, limit+1))
		}
	}
	if err == nil && int64(len(text)) > limit {
		return text[:limit], errCut
	}
	return text, err
}

// sitemapLinks returns the links in a sitemap (sitemaps.org), which is XML or a text with one URL
// per line. The result isIndex reports whether the links point to sitemaps. If there is an error,
// list contains the links before the error.
func (c *Checker) sitemapLinks(text []byte, base locus.URL) (list []link, isIndex bool, err error) {
	if trimmed := bytes.TrimLeft(text, "\ufeff \t\r\n"); len(trimmed) == 0 || trimmed[0] != '<' {
		return c.textSitemap(text, base)
	}
	d := xml.NewDecoder(bytes.NewReader(text))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	d.Strict = false
	root, inside := "", false
	for len(list) < maxItems {
		line, column := d.InputPos()
		token, err := d.Token()
		if err != nil {
			if err == io.EOF && root != "" {
				err = nil
			} else if root == "" {
				err = errNoSitemap
			}
			return list, isIndex, err
		}
		switch x := token.(type) {
		case xml.StartElement:
			name := x.Name.Local
			if root == "" {
				if root, isIndex = name, name == "sitemapindex"; root != "urlset" && !isIndex {
					return nil, false, errNoSitemap
				}
			}
			inside = name == "loc" && x.Name.Space != imageSpace
			if href := attribute(x, "href"); name == "link" && href != "" {
				list = append(list, c.sitemapLink(href, base, line, column))
			}
		case xml.CharData:
			if ref := strings.TrimSpace(string(x)); inside && ref != "" {
				before, _, _ := bytes.Cut(x, []byte(ref))
				if n := bytes.Count(before, []byte("\n")); n > 0 {
					line, column = line+n, len(before)-bytes.LastIndexByte(before, '\n')
				}
				list = append(list, c.sitemapLink(ref, base, line, column))
			}
		case xml.EndElement:
			inside = false
		}
	}
	return list, isIndex, errItems
}

// imageSpace is the XML namespace of images in sitemaps, which also contain loc elements.
const imageSpace = "http://www.google.com/schemas/sitemap-image/1.1"

func attribute(x xml.StartElement, name string) string {
	for _, a := range x.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (c *Checker) textSitemap(text []byte, base locus.URL) (list []link, isIndex bool, err error) {
	n := 0
	for line := range bytes.Lines(text) {
		n++
		ref := strings.TrimSpace(strings.TrimPrefix(string(line), "\ufeff"))
		if ref == "" {
			continue
		}
		if _, err := locus.Parse(ref); err != nil {
			return list, false, fmt.Errorf("%w: line %d is not a URL", errNoSitemap, n)
		}
		if list = append(list, c.sitemapLink(ref, base, n, 1)); len(list) == maxItems {
			return list, false, errItems
		}
	}
	return list, false, nil
}

func (c *Checker) sitemapLink(ref string, base locus.URL, line, column int) link {
	found := document.Link{Ref: ref, Line: int64(line), Column: int64(column)}
	if u, err := locus.Parse(ref); err == nil {
		found.Ref, found.URL = "", u
	}
	return c.link(&found, &Source{URL: base})
}

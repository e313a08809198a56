package gateway

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/gateway/internal/page"
	"github.com/locus-url/locus/scheme"
)

// serveLocal handles a request for one of the gateway's own pages. The parameter target is the path
// and query exactly as the client sent them.
func (g *Gateway) serveLocal(w *recorder, r *http.Request, target string) error {
	path, query, _ := strings.Cut(target, "?")
	if err := crossSite(r, path); err != nil {
		return err
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead && !(r.Method == http.MethodPost && takesPost(path)) {
		w.Header().Set("Allow", "GET, HEAD")
		return &problem{http.StatusMethodNotAllowed, "unsupported", "method not allowed: use GET or HEAD"}
	}
	values, err := url.ParseQuery(query)
	own := path == "/" || strings.HasPrefix(path, "/-/") || strings.HasPrefix(path, "/api/")
	if err != nil && own {
		return &problem{http.StatusBadRequest, "syntax", "malformed query"}
	}
	w.kind = "page"
	switch {
	case isHealthPath(path):
		w.kind = "health"
		return g.serveHealth(w, path)
	case path == "/metrics":
		w.kind = "metrics"
		g.serveMetrics(w)
	case path == "/favicon.ico":
		// The path contains no version, so the file is not immutable.
		return g.serveAsset(w, r, "favicon.svg", "public, max-age=86400")
	case path == "/robots.txt":
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprint(w, "User-agent: *\nDisallow: /\n")
	case strings.HasPrefix(path, "/api/"):
		w.kind = "api"
		g.serveAPI(w, r, strings.TrimPrefix(path, "/api/"), values)
	case path == "/" && !values.Has("url") && g.options.Archive != nil:
		return g.serveArchived(w, r, values)
	case path == "/" && !values.Has("url"):
		v := g.newView(w, r, locus.URL{}, "")
		var sections []page.Section
		for _, s := range g.options.HomeSections {
			sections = append(sections, page.Section(s))
		}
		v.write(http.StatusOK, func(w io.Writer) error { return v.printer.Home(w, v.head, sections) })
	case path == "/":
		u, err := queryURL(values)
		if err != nil {
			return err
		}
		if g.traits(u).Has(scheme.Contained) && values.Get("in") != "" {
			return g.serveWithin(w, r, u, values.Get("in"))
		}
		return g.servePage(w, r, u, showOf(values))
	case strings.HasPrefix(path, "/-/"):
		return g.serveTool(w, r, path, target, values)
	default:
		return g.servePath(w, r, target, g.servePage)
	}
	return nil
}

// takesPost reports whether a path accepts POST.
func takesPost(path string) bool {
	return path == submitPath || path == sendPath || strings.HasPrefix(path, "/api/")
}

// crossSite returns an error for a forbidden request from another site's page. A page of another
// site may only link to pages of the gateway.
func crossSite(r *http.Request, path string) error {
	switch site := r.Header.Get("Sec-Fetch-Site"); site {
	case "", "same-origin", "none":
	default:
		mode, dest := r.Header.Get("Sec-Fetch-Mode"), r.Header.Get("Sec-Fetch-Dest")
		if r.Method != http.MethodGet || mode != "navigate" || dest != "document" || strings.HasPrefix(path, "/api/") {
			return &problem{http.StatusForbidden, "denied", "a page of another site may only link to this gateway"}
		}
	}
	// Check always allows GET and HEAD.
	if crossOrigin.Check(r) != nil {
		return &problem{http.StatusForbidden, "denied", "a page of another site may not send requests to this gateway"}
	}
	return nil
}

var crossOrigin = http.NewCrossOriginProtection()

// serveTool handles requests for paths below "/-/".
func (g *Gateway) serveTool(w *recorder, r *http.Request, path, target string, values url.Values) error {
	switch {
	case strings.HasPrefix(path, assetsPath):
		w.kind = "asset"
		_, name, _ := strings.Cut(strings.TrimPrefix(path, assetsPath), "/")
		return g.serveAsset(w, r, name, "public, max-age=31536000, immutable")
	case path == schemesPath:
		v := g.newView(w, r, locus.URL{}, "")
		v.write(http.StatusOK, func(w io.Writer) error { return v.printer.Schemes(w, v.head) })
	case path == explainPath:
		v := g.newView(w, r, locus.URL{}, "")
		v.write(http.StatusOK, func(w io.Writer) error { return v.printer.Explain(w, values.Get("url")) })
	case path == lensPath:
		return g.serveLens(w, r, values)
	case path == archivedPath && g.options.Archive != nil:
		return g.serveArchived(w, r, values)
	case path == timeMapPath && g.options.Archive != nil:
		return g.serveTimeMap(w, r, values)
	case path == rawPath:
		w.kind = "raw"
		u, err := queryURL(values)
		if err != nil {
			return err
		}
		return g.serveRaw(w, r, u, showOf(values))
	case strings.HasPrefix(path, rawPath+"/"):
		w.kind = "raw"
		return g.servePath(w, r, strings.TrimPrefix(target, rawPath), g.serveRaw)
	case path == submitPath && r.Method == http.MethodPost:
		w.kind = "form"
		return g.serveSubmit(w, r, values.Get("at"))
	case path == sendPath && r.Method == http.MethodPost:
		w.kind = "mail"
		return g.serveSend(w, r)
	case path == terminalPath:
		w.kind = "terminal"
		return g.serveTerminal(w, r, values)
	default:
		return &problem{http.StatusNotFound, "not-found", "page not found"}
	}
	return nil
}

// servePath handles a request whose path contains a URL.
func (g *Gateway) servePath(w *recorder, r *http.Request, target string, serve func(*recorder, *http.Request, locus.URL, page.Show) error) error {
	u, ok, err := urlOf(g.client.Registry(), target)
	switch {
	case !ok:
		return &problem{http.StatusNotFound, "not-found", "page not found; to open a URL, use " + g.options.Prefix + "/?url=..."}
	case err != nil:
		return err
	}
	return serve(w, r, u.WithoutFragment(), page.Show{})
}

// serveAsset serves a file for pages, with the given Cache-Control value.
func (g *Gateway) serveAsset(w *recorder, r *http.Request, name, cacheControl string) error {
	octets, err := page.Asset(name)
	if err != nil {
		return &problem{http.StatusNotFound, "not-found", "file not found"}
	}
	w.Header().Set("Cache-Control", cacheControl)
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(octets))
	return nil
}

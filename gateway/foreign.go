package gateway

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/gateway/internal/page"
	"github.com/locus-url/locus/scheme"
)

// serveForeign handles a proxy request for a URL that is neither http nor https.
func (g *Gateway) serveForeign(w *recorder, r *http.Request, u locus.URL) error {
	if s, _ := g.client.Registry().Lookup(u.Scheme()); s.Policy.FromProxy != nil {
		u = s.Policy.FromProxy(u)
		w.url = u
	}
	kept, own, err := g.negotiateProxied(r, u)
	if err != nil {
		return err
	}
	if own == nil {
		own = foreignHeader
	}
	if wantsHTML(r) && (r.Method == http.MethodGet || r.Method == http.MethodHead) && r.Header.Get("Range") == "" {
		return g.servePerson(w, r, u, kept, own)
	}
	return g.serveProgram(w, r, u, kept, own)
}

// serveProgram sends the resource at u to a program. It sends a menu in the format that the client
// prefers, and the bytes of an object. The response gets the header fields in extra. The captures
// describe the archived resource; they may be nil.
func (g *Gateway) serveProgram(w *recorder, r *http.Request, u locus.URL, captures *archivedPages, extra http.Header) error {
	req := fetchRequest{Request: access.Request{URL: u, At: captures.time()}, noWeb: true, head: r.Method == http.MethodHead, fields: r.Header}
	var res scheme.Resource
	var m meta
	accept, err := req.setPreferences(r)
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		err = &serverError{status: http.StatusMethodNotAllowed, fullText: fmt.Sprintf("method %s is not supported: use GET or HEAD", locus.Quote(r.Method))}
	}
	if err == nil {
		res, m, err = g.fetch(r.Context(), req)
		w.cache = m.cache
	}
	if failure, ok := err.(*serverError); ok {
		res, m = failure.describe(req, m)
	} else if err != nil {
		return err
	}
	f := formatFor(accept)
	if _, ok := res.(*scheme.Menu); ok && f == menuHTML && accept.Quality(string(f)) > 0 {
		v := g.proxiedView(w, r, u, captures, extra)
		v.describe(m)
		v.run(func() error { return v.showFetched(res, m) })
		return nil
	}
	defer res.Close()
	switch res := res.(type) {
	case *scheme.Object:
		g.sendObject(w, r, res, m, extra)
	case *scheme.Menu:
		if accept.Quality(string(f)) == 0 {
			return &problem{http.StatusNotAcceptable, "unsupported", "menus are available as text/html, application/json and text/plain; the request accepts none of these"}
		}
		g.sendMenu(w, r, res, m, extra, f)
	}
	return nil
}

// setPreferences sets the preferences of the requesting program in req. The default format of menus
// is the text format of "locus get". The error is a [*serverError].
func (req *fetchRequest) setPreferences(r *http.Request) (accept scheme.Preference, err error) {
	req.Accept = strings.Join(r.Header.Values("Accept"), ", ")
	if any := strings.Trim(req.Accept, " ,"); any == "" || any == "*/*" {
		req.Accept = "text/plain, */*;q=0.9"
	}
	req.AcceptLanguage = strings.Join(r.Header.Values("Accept-Language"), ", ")
	malformed := func(name string, err error) error {
		return &serverError{status: http.StatusBadRequest, fullText: fmt.Sprintf("invalid header %s: %v", name, err)}
	}
	if _, err := scheme.ParsePreference(req.AcceptLanguage); err != nil {
		return accept, malformed("Accept-Language", err)
	}
	if accept, err = scheme.ParsePreference(req.Accept); err != nil {
		return accept, malformed("Accept", err)
	}
	return accept, nil
}

// sendObject sends an object to a proxy client, with the header fields in extra.
func (g *Gateway) sendObject(w *recorder, r *http.Request, o *scheme.Object, m meta, extra http.Header) {
	g.setForeign(w, m, extra)
	w.send(r, m.status, o.Body)
}

// menuPolicy is the Content-Security-Policy for menus in responses to programs.
const menuPolicy = "default-src 'none'; style-src 'unsafe-inline'"

// sendMenu sends a menu to a proxy client, with the header fields in extra.
func (g *Gateway) sendMenu(w *recorder, r *http.Request, menu *scheme.Menu, m meta, extra http.Header, f menuFormat) {
	h := w.Header()
	h.Set("Content-Type", f.contentType())
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", menuPolicy)
	g.setForeign(w, m, extra)
	body := newMenuBody(f, menu, w.url, m)
	defer body.Close()
	w.send(r, m.status, body)
}

// setForeign sets the header fields that a response from [Gateway.serveForeign] needs.
func (g *Gateway) setForeign(w *recorder, m meta, extra http.Header) {
	h := w.Header()
	copyEndToEnd(h, m.header)
	for name, values := range extra {
		h[name] = values
	}
	g.addVia(h, 1, 1)
}

// foreignHeader holds header fields for all responses of [Gateway.serveForeign].
var foreignHeader = http.Header{"X-Content-Type-Options": {"nosniff"}}

// servePerson responds to a browser that uses the gateway as its proxy. It sends menus and messages
// as pages. It sends other objects unchanged, with the header fields in extra. The captures
// describe the archived resource; they may be nil.
func (g *Gateway) servePerson(w *recorder, r *http.Request, u locus.URL, captures *archivedPages, extra http.Header) error {
	if traits := g.traits(u); captures == nil && traits.Has(scheme.Interactive) || traits.Has(scheme.Composes) {
		// Terminals and mail forms work only on a page with the gateway's own origin.
		seeOther(w, g.base(r)+g.pagePath(u, page.Show{}))
		return nil
	}
	v := g.proxiedView(w, r, u, captures, extra)
	v.run(v.fetch)
	return nil
}

// proxiedView returns a view of u for a proxy client. The view sends objects other than messages
// unchanged, with the header fields in extra. The captures describe the archived resource; they may
// be nil.
func (g *Gateway) proxiedView(w *recorder, r *http.Request, u locus.URL, captures *archivedPages, extra http.Header) *view {
	v := g.newView(w, r, u, "")
	v.at, v.rawHeader, v.head.Archived = captures.time(), extra, captures.page()
	copyFields(w.Header(), extra, []string{"Memento-Datetime", "Vary", "Link"})
	return v
}

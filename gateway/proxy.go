package gateway

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/gateway/internal/page"
	"github.com/locus-url/locus/internal/reqctx"
	"github.com/locus-url/locus/roundtrip"
	"github.com/locus-url/locus/scheme"
)

// serveProxy answers a request whose target is a whole URL. The Host field is ignored
// (RFC 9112 section 3.2.2).
func (g *Gateway) serveProxy(w *recorder, r *http.Request) error {
	w.kind = "proxy"
	u, err := locus.Parse(r.RequestURI)
	if err != nil {
		return err
	}
	u = u.WithoutFragment()
	w.url = u
	if isWeb(u.Scheme()) && g.isSelf(r, u.Host(), g.client.Registry().Port(u)) {
		// A browser with this proxy asks it for the gateway's own pages, too.
		target := "/"
		if path, ok := u.Path(); ok {
			target += path
		}
		w.url = locus.URL{}
		return g.serveOwn(w, r, target)
	}
	if r.Method == http.MethodTrace || r.Method == http.MethodOptions && r.Header.Get("Max-Forwards") == "0" {
		w.Header().Set("Allow", "GET, HEAD")
		return &problem{http.StatusMethodNotAllowed, "unsupported", "method " + r.Method + " is not forwarded"}
	}
	if !isWeb(u.Scheme()) {
		return g.serveForeign(w, r, u)
	}
	r, _, own, err := g.negotiateProxied(r, u)
	if err != nil {
		return err
	}
	return g.forward(w, r, u, own)
}

// forward forwards a request for an http or https URL and relays the answer, with the fields own.
func (g *Gateway) forward(w *recorder, r *http.Request, u locus.URL, own http.Header) error {
	out, err := newRequest(r.Context(), r.Method, u)
	if err != nil {
		return err
	}
	copyEndToEnd(out.Header, r.Header)
	out.Header.Del("Expect")
	if hops, err := strconv.Atoi(out.Header.Get("Max-Forwards")); err == nil && hops > 0 {
		out.Header.Set("Max-Forwards", strconv.Itoa(hops-1))
	}
	if _, ok := out.Header["User-Agent"]; !ok {
		out.Header["User-Agent"] = nil // prevents the one of package net/http
	}
	g.addVia(out.Header, r.ProtoMajor, r.ProtoMinor)
	if r.ContentLength != 0 {
		if b, ok := r.Body.(*timedBody); ok {
			b.perPiece = true
		}
		out.Body = r.Body
		out.ContentLength = r.ContentLength
	}
	return g.relay(w, r, out, u, own)
}

// relay sends out, a request for u, and relays the answer. own are header fields that
// replace those of the answer.
func (g *Gateway) relay(w *recorder, r *http.Request, out *http.Request, u locus.URL, own http.Header) error {
	resp, err := g.send(out)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if to, err := g.checkRelayed(resp, u); err != nil {
		return g.refuseRedirect(w, r, to, err)
	}
	if kind := resp.Header.Get("Content-Type"); roundtrip.IsMenu(resp) && !accepts(r, kind) {
		return &problem{http.StatusNotAcceptable, "unsupported", "a menu is available as text/html, application/json and text/plain, and the request accepts none of them"}
	}
	return g.answer(w, r, resp, own)
}

// answer relays an answer to the client.
func (g *Gateway) answer(w *recorder, r *http.Request, resp *http.Response, own http.Header) error {
	h := w.Header()
	w.cache = resp.Header.Get("Cache-Status")
	copyEndToEnd(h, resp.Header)
	h.Del(reqctx.KindHeader)
	for name, values := range own {
		h[name] = values
	}
	g.addVia(h, resp.ProtoMajor, resp.ProtoMinor)
	status := resp.StatusCode
	if status < 200 || status > 599 {
		// 101 would answer an Upgrade, which was not forwarded.
		return fmt.Errorf("the server answered with the invalid status %d", status)
	}
	w.WriteHeader(status)
	if r.Method != http.MethodHead && status != http.StatusNoContent && status != http.StatusNotModified {
		w.stream(resp.Body)
	}
	return nil
}

// serveForeign answers a proxy's client about a URL of another scheme than HTTP's.
func (g *Gateway) serveForeign(w *recorder, r *http.Request, u locus.URL) error {
	if s, _ := g.client.Registry().Lookup(u.Scheme()); s.FromProxy != nil {
		u = s.FromProxy(u)
		w.url = u
	}
	r, kept, own, err := g.negotiateProxied(r, u)
	if err != nil {
		return err
	}
	if own == nil {
		own = foreignOwn
	}
	if wantsHTML(r) && (r.Method == http.MethodGet || r.Method == http.MethodHead) && r.Header.Get("Range") == "" {
		return g.servePerson(w, r, u, kept, own)
	}
	out, err := g.foreignRequest(r.Context(), r, u)
	if err != nil {
		return err
	}
	return g.relay(w, r, out, u, own)
}

// accepts reports whether a client takes a media type.
func accepts(r *http.Request, kind string) bool {
	accept := strings.Join(r.Header.Values("Accept"), ", ")
	wanted, err := scheme.ParsePreference(accept)
	kind, _, _ = strings.Cut(kind, ";")
	return err != nil || strings.Trim(accept, " ,") == "" || wanted.Quality(kind) > 0
}

// foreignOwn are fields of all answers about other schemes.
var foreignOwn = http.Header{"X-Content-Type-Options": {"nosniff"}}

// servePerson answers a browser that uses the gateway as its proxy: menus and messages
// are pages, and other objects are sent as they are, with the fields own. kept may be nil.
func (g *Gateway) servePerson(w *recorder, r *http.Request, u locus.URL, kept *kept, own http.Header) error {
	if traits := g.traits(u); kept == nil && traits.Has(scheme.Interactive) || traits.Has(scheme.Composes) {
		// A terminal and a mail form need the gateway's own origin.
		seeOther(w, g.base(r)+g.pagePath(u, page.Show{}))
		return nil
	}
	v := g.newView(w, r, u)
	v.asIs, v.head.Kept = own, kept.page()
	copyFields(w.Header(), own, []string{"Memento-Datetime", "Vary", "Link"})
	v.run(v.fetch)
	return nil
}

// askedFields are the header fields that matter to other schemes.
var askedFields = []string{"Accept", "Accept-Language", "Range", "If-Range", "If-Modified-Since", "If-None-Match", "Cache-Control", "Pragma"}

func (g *Gateway) foreignRequest(ctx context.Context, r *http.Request, u locus.URL) (*http.Request, error) {
	out, err := newRequest(ctx, r.Method, u)
	if err != nil {
		return nil, err
	}
	copyFields(out.Header, r.Header, askedFields)
	if accept := out.Header.Get("Accept"); accept == "" || accept == "*/*" {
		// A program without a preference gets menus as "locus get" writes them.
		out.Header.Set("Accept", "text/plain, */*;q=0.9")
	}
	return out, nil
}

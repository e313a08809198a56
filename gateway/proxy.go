package gateway

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/gateway/internal/page"
	"github.com/locus-url/locus/internal/term"
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
	var dialer scheme.Dialer
	if !g.isKept(u) {
		if dialer, err = g.webDialer(u); err != nil {
			return err
		}
	}
	if dialer == nil {
		return g.serveProgram(w, r, u, own)
	}
	return g.forward(w, r, u, dialer)
}

// forward forwards a request for an http or https URL and relays the answer.
func (g *Gateway) forward(w *recorder, r *http.Request, u locus.URL, dialer scheme.Dialer) error {
	out, err := newWebRequest(r.Context(), r.Method, u)
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
	resp, err := g.sendWeb(u, out, dialer)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if to, err := g.checkRelayed(resp, u); err != nil {
		return g.refuseRedirect(w, r, to, err)
	}
	if resp.StatusCode < 200 || resp.StatusCode > 599 {
		// 101 would answer an Upgrade, which was not forwarded.
		return fmt.Errorf("the server answered with the invalid status %d", resp.StatusCode)
	}
	h := w.Header()
	w.cache = resp.Header.Get("Cache-Status")
	copyEndToEnd(h, resp.Header)
	g.addVia(h, resp.ProtoMajor, resp.ProtoMinor)
	w.send(r, resp.StatusCode, resp.Body)
	return nil
}

// send sends an answer whose header is complete.
func (w *recorder) send(r *http.Request, status int, body io.Reader) {
	w.WriteHeader(status)
	if r.Method != http.MethodHead && status != http.StatusNoContent && status != http.StatusNotModified {
		w.stream(body)
	}
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
	if wantsHTML(r) && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		return g.servePerson(w, r, u, kept, own)
	}
	return g.serveProgram(w, r, u, own)
}

// serveProgram answers a program with the resource at u: with a menu in the format that it
// prefers, and otherwise with the octets. own are header fields of the answer.
func (g *Gateway) serveProgram(w *recorder, r *http.Request, u locus.URL, own http.Header) error {
	req := fetchRequest{Request: access.Request{URL: u}, head: r.Method == http.MethodHead, fields: r.Header}
	accept, err := req.prefer(r)
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		err = &answerError{status: http.StatusMethodNotAllowed, whole: fmt.Sprintf("method %s is not supported: use GET or HEAD", locus.Quote(r.Method))}
	}
	var res scheme.Resource
	var m meta
	if err == nil {
		res, m, err = g.fetch(r.Context(), req)
		w.cache = m.cacheStatus()
	}
	if failure, ok := err.(*answerError); ok {
		return g.sendObject(w, r, failure.object(req, &m), m, own)
	}
	if err != nil {
		return err
	}
	defer res.Close()
	switch res := res.(type) {
	case *scheme.Object:
		return g.sendObject(w, r, res, m, own)
	case *scheme.Menu:
		return g.sendMenu(w, r, res, m, own, formatFor(accept))
	}
	return fmt.Errorf("%w: the URL leads neither to an object nor to a menu", scheme.ErrUnsupported)
}

// prefer sets the preferences of a program. Without one it gets menus as "locus get" writes
// them. The error is an [*answerError].
func (req *fetchRequest) prefer(r *http.Request) (accept scheme.Preference, err error) {
	req.Accept = strings.Join(r.Header.Values("Accept"), ", ")
	if req.Accept == "" || req.Accept == "*/*" {
		req.Accept = "text/plain, */*;q=0.9"
	}
	req.AcceptLanguage = strings.Join(r.Header.Values("Accept-Language"), ", ")
	malformed := func(name string, err error) error {
		return &answerError{status: http.StatusBadRequest, whole: fmt.Sprintf("the header %s: %v", name, err)}
	}
	if _, err := scheme.ParsePreference(req.AcceptLanguage); err != nil {
		return accept, malformed("Accept-Language", err)
	}
	if accept, err = scheme.ParsePreference(req.Accept); err != nil {
		return accept, malformed("Accept", err)
	}
	return accept, nil
}

// object returns the answer of e to req as a line of text, and describes it in m.
func (e *answerError) object(req fetchRequest, m *meta) *scheme.Object {
	text := term.Text(e.whole) + "\n"
	o := &scheme.Object{URL: req.URL, Type: "text/plain; charset=utf-8", Size: int64(len(text)), Body: io.NopCloser(strings.NewReader(text))}
	_, fields := describe(o)
	fields.Set("X-Content-Type-Options", "nosniff")
	for name, values := range m.header {
		if fields[name] == nil || req.head && name == "Content-Length" {
			fields[name] = values
		}
	}
	m.status, m.header = e.status, fields
	return o
}

// sendObject sends an object to a client of the proxy, with the fields own.
func (g *Gateway) sendObject(w *recorder, r *http.Request, o *scheme.Object, m meta, own http.Header) error {
	g.setForeign(w, m, own)
	w.send(r, m.status, o.Body)
	return nil
}

// menuPolicy is the Content-Security-Policy of menus for programs.
const menuPolicy = "default-src 'none'; style-src 'unsafe-inline'"

// sendMenu sends a menu to a client of the proxy, with the fields own.
func (g *Gateway) sendMenu(w *recorder, r *http.Request, menu *scheme.Menu, m meta, own http.Header, f menuFormat) error {
	if !accepts(r, string(f)) {
		return &problem{http.StatusNotAcceptable, "unsupported", "a menu is available as text/html, application/json and text/plain, and the request accepts none of them"}
	}
	h := w.Header()
	h.Set("Content-Type", f.contentType())
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", menuPolicy)
	g.setForeign(w, m, own)
	body := newMenuBody(f, menu, w.url, m.url)
	defer body.Close()
	w.send(r, m.status, body)
	return nil
}

// setForeign sets the header fields of an answer about a URL that HTTP does not have.
func (g *Gateway) setForeign(w *recorder, m meta, own http.Header) {
	h := w.Header()
	copyEndToEnd(h, m.header)
	for name, values := range own {
		h[name] = values
	}
	g.addVia(h, 1, 1)
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
	v := g.newView(w, r, u, "")
	v.asIs, v.head.Kept = own, kept.page()
	copyFields(w.Header(), own, []string{"Memento-Datetime", "Vary", "Link"})
	v.run(v.fetch)
	return nil
}

// askedFields are the header fields that matter to other schemes.
var askedFields = []string{"Accept", "Accept-Language", "Range", "If-Range", "If-Modified-Since", "If-None-Match", "Cache-Control", "Pragma"}

package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/gateway/page"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/message"
	"github.com/locus-url/locus/roundtrip"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/transfer"
)

// serveLocal answers a request for the gateway's own pages. target is as it was
// written.
func (g *Gateway) serveLocal(w *recorder, r *http.Request, target string) {
	path, query, _ := strings.Cut(target, "?")
	if fault := g.strange(r, path); fault != "" {
		g.fail(w, r, http.StatusForbidden, "denied", fault)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead && !(r.Method == http.MethodPost && takesPost(path)) {
		w.Header().Set("Allow", "GET, HEAD")
		g.fail(w, r, http.StatusMethodNotAllowed, "unsupported", "there is only GET here")
		return
	}
	values, err := url.ParseQuery(query)
	own := path == "/" || strings.HasPrefix(path, "/-/") || strings.HasPrefix(path, "/api/")
	if err != nil && own {
		g.fail(w, r, http.StatusBadRequest, "syntax", "the query can't be read")
		return
	}
	w.kind = "page"
	switch {
	case path == "/healthz":
		w.kind = "health"
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprintln(w, "ok")
	case path == "/metrics":
		w.kind = "metrics"
		g.serveMetrics(w)
	case path == "/favicon.ico":
		// It has this path in every version.
		g.serveAsset(w, r, "favicon.svg", "public, max-age=86400")
	case path == "/robots.txt":
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprint(w, "User-agent: *\nDisallow: /\n")
	case strings.HasPrefix(path, "/api/"):
		w.kind = "api"
		g.serveAPI(w, r, strings.TrimPrefix(path, "/api/"), values)
	case path == "/" && !values.Has("url"):
		g.writePage(w, r, http.StatusOK, func(w io.Writer, h *page.Head, p *page.Printer) error { return p.Home(w, h, g.options.Lobby) })
	case path == "/":
		u, err := asked(values)
		if err != nil {
			g.failAccess(w, r, err)
			return
		}
		if u.Scheme() == "cid" && values.Get("in") != "" {
			g.serveWithin(w, r, u, values.Get("in"))
			return
		}
		g.servePage(w, r, u, showOf(values))
	case strings.HasPrefix(path, "/-/"):
		g.serveTool(w, r, path, target, values)
	default:
		g.servePath(w, r, target, g.servePage)
	}
}

// takesPost reports whether something may be sent to a path.
func takesPost(path string) bool {
	return path == submitPath || path == sendPath || strings.HasPrefix(path, "/api/")
}

// strange says why a request comes from another site's page that has no business
// here; empty: it does not, as far as the browser says.
func (g *Gateway) strange(r *http.Request, path string) string {
	switch site := r.Header.Get("Sec-Fetch-Site"); site {
	case "", "same-origin", "none":
	default:
		mode, dest := r.Header.Get("Sec-Fetch-Mode"), r.Header.Get("Sec-Fetch-Dest")
		if r.Method != http.MethodGet || mode != "navigate" || dest != "document" || strings.HasPrefix(path, "/api/") {
			return "a page of another site may only link here"
		}
	}
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return ""
	}
	if err := crossOrigin.Check(r); err != nil {
		return "a page of another site may send nothing here"
	}
	return ""
}

var crossOrigin = http.NewCrossOriginProtection()

// serveTool answers for what is below "/-/".
func (g *Gateway) serveTool(w *recorder, r *http.Request, path, target string, values url.Values) {
	switch {
	case strings.HasPrefix(path, assetsPath):
		w.kind = "asset"
		_, name, _ := strings.Cut(strings.TrimPrefix(path, assetsPath), "/")
		g.serveAsset(w, r, name, "public, max-age=31536000, immutable")
	case path == schemesPath:
		g.writePage(w, r, http.StatusOK, func(w io.Writer, h *page.Head, p *page.Printer) error { return p.Schemes(w, h) })
	case path == explainPath:
		g.writePage(w, r, http.StatusOK, func(w io.Writer, _ *page.Head, p *page.Printer) error {
			return p.Explanation(w, p.Explain(values.Get("url")))
		})
	case path == rawPath:
		w.kind = "raw"
		u, err := asked(values)
		if err != nil {
			g.failAccess(w, r, err)
			return
		}
		g.serveRaw(w, r, u, showOf(values))
	case strings.HasPrefix(path, rawPath+"/"):
		w.kind = "raw"
		g.servePath(w, r, strings.TrimPrefix(target, rawPath), g.serveRaw)
	case path == submitPath && r.Method == http.MethodPost:
		w.kind = "form"
		g.serveSubmit(w, r)
	case path == sendPath && r.Method == http.MethodPost:
		w.kind = "mail"
		g.serveSend(w, r)
	case path == terminalPath:
		w.kind = "terminal"
		g.serveTerminal(w, r, values)
	default:
		g.fail(w, r, http.StatusNotFound, "not-found", "there is no such page")
	}
}

// servePath answers for a URL that is part of the path.
func (g *Gateway) servePath(w *recorder, r *http.Request, target string, serve func(*recorder, *http.Request, locus.URL, page.Show)) {
	u, ok, err := urlOf(g.client.Registry(), target)
	switch {
	case !ok:
		g.fail(w, r, http.StatusNotFound, "not-found", "there is no such page; a URL may be asked for as /?url=...")
	case err != nil:
		g.failAccess(w, r, err)
	default:
		serve(w, r, u.WithoutFragment(), page.Show{})
	}
}

// serveAsset gives a file that pages load. cached is its Cache-Control.
func (g *Gateway) serveAsset(w *recorder, r *http.Request, name, cached string) {
	if name == "" || !fs.ValidPath(name) || strings.HasSuffix(name, "/") {
		g.fail(w, r, http.StatusNotFound, "not-found", "there is no such file")
		return
	}
	data, err := fs.ReadFile(g.assets, name)
	if err != nil {
		g.fail(w, r, http.StatusNotFound, "not-found", "there is no such file")
		return
	}
	h := w.Header()
	kind := mime.TypeByExtension(path.Ext(name))
	if kind == "" {
		kind = "text/plain; charset=utf-8"
	}
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", cached)
	h.Set("Content-Length", strconv.Itoa(len(data)))
	if r.Method != http.MethodHead {
		// A client that is gone has no use for the rest.
		_, _ = w.Write(data)
	}
}

// writePage writes a page of the gateway itself.
func (g *Gateway) writePage(w *recorder, r *http.Request, status int, write func(io.Writer, *page.Head, *page.Printer) error) {
	g.pageHeader(w, r, page.Policy)
	w.WriteHeader(status)
	if r.Method == http.MethodHead {
		return
	}
	h := &page.Head{Size: -1, Token: g.token(w)}
	f := newFlusher(w)
	w.broken = write(f, h, g.printer)
	f.close()
}

// pageHeader sets the fields of every page.
func (g *Gateway) pageHeader(w *recorder, r *http.Request, policy string) {
	if w.kind != "proxy" {
		g.setToken(w, r)
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "private, no-cache")
}

// servePage shows what u leads to.
func (g *Gateway) servePage(w *recorder, r *http.Request, u locus.URL, s page.Show) {
	w.url = u
	v := &view{gateway: g, w: w, r: r, printer: g.printer, policy: page.Policy, head: &page.Head{URL: u, Size: -1, Show: s}}
	switch {
	case isSession(u.Scheme()):
		v.terminal()
	case u.Scheme() == "mailto":
		v.letter()
	case s.Items != (scheme.ItemRange{}):
		v.open(access.Request{URL: u, Items: s.Items})
	default:
		v.fetch()
	}
}

// view is one page on its way to a client.
type view struct {
	gateway *Gateway
	w       *recorder
	r       *http.Request
	printer *page.Printer
	policy  string
	head    *page.Head
	talk    talk
	objects func(resp *http.Response) // what is done with an object; nil: it is shown
}

// fetch shows what the upstream gives.
func (v *view) fetch() {
	g, u := v.gateway, v.head.URL
	req, err := newRequest(roundtrip.WithTrace(v.r.Context(), v.talk.add), http.MethodGet, u)
	if err != nil {
		v.fail(err)
		return
	}
	req.Header.Set("Accept", pageAccept)
	if isWeb(u.Scheme()) {
		req.Header.Set("Accept", webAccept)
	}
	if language := v.r.Header.Get("Accept-Language"); isWeb(u.Scheme()) && language != "" {
		req.Header.Set("Accept-Language", language)
	} else if language != "" {
		req.Header.Set("Accept-Language", orAny(language))
	}
	if control := v.r.Header.Get("Cache-Control"); control != "" && control != "max-age=0" {
		req.Header.Set("Cache-Control", control)
	}
	resp, err := g.upstream.RoundTrip(req)
	if err != nil {
		v.fail(err)
		return
	}
	defer resp.Body.Close()
	v.w.cache = resp.Header.Get("Cache-Status")
	v.head.Sent = v.talk.list
	v.head.Cached = strings.Contains(resp.Header.Get("Cache-Status"), "; hit")
	if age, err := strconv.Atoi(resp.Header.Get("Age")); err == nil {
		v.head.Age = time.Duration(age) * time.Second
	}
	if found, err := locus.Parse(resp.Header.Get("Content-Location")); err == nil && !isWeb(u.Scheme()) {
		v.head.Found = found
	}
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		v.redirect(resp)
	case resp.StatusCode >= 400:
		v.fail(statusError(resp))
	case resp.Header.Get(roundtrip.KindHeader) == "menu":
		m, err := shape.ReadMenu(resp.Body)
		if err != nil {
			v.fail(err)
			return
		}
		v.offer()
		v.menu(m)
	case v.objects != nil:
		v.objects(resp)
	default:
		v.object(resp)
	}
}

// pageAccept asks for menus in JSON, of which pages are made, and for the view of
// an object that a page can show best.
const pageAccept = "application/json, text/html;q=0.9, text/plain;q=0.9, */*;q=0.8"

// webAccept is what is asked of servers of HTTP.
const webAccept = "text/html, application/xhtml+xml, text/plain;q=0.9, */*;q=0.8"

// statusError is the error that an answer of HTTP says.
func statusError(resp *http.Response) error {
	kind := scheme.ErrProtocol
	switch resp.StatusCode {
	case http.StatusNotFound, http.StatusGone:
		kind = scheme.ErrNotFound
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		kind = scheme.ErrAuth
	}
	// What the server says of it is shown if it is a text; the rest is for its page.
	said := resp.Status
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") {
		const most = 1 << 10
		text, _ := io.ReadAll(io.LimitReader(resp.Body, most))
		if line := strings.TrimSpace(string(text)); line != "" {
			said += ": " + line
		}
	}
	return fmt.Errorf("%w: %s", kind, said)
}

func seeOther(w *recorder, path string) {
	h := w.Header()
	protect(h)
	h.Set("Location", path)
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusSeeOther)
}

// write writes the page.
func (v *view) write(status int, print func(w io.Writer) error) {
	v.gateway.pageHeader(v.w, v.r, v.policy)
	if v.head.Token = v.gateway.token(v.w); v.w.kind == "proxy" {
		v.head.Token = v.gateway.proxyToken(v.r)
	}
	v.w.WriteHeader(status)
	if v.r.Method == http.MethodHead {
		return
	}
	f := newFlusher(v.w)
	v.w.broken = print(f)
	f.close()
}

func (v *view) menu(m *scheme.Menu) {
	v.write(http.StatusOK, func(w io.Writer) error { return v.printer.Menu(w, v.head, m) })
}

// object shows an object of which the upstream gives the octets.
func (v *view) object(resp *http.Response) {
	h := v.head
	h.Type = resp.Header.Get("Content-Type")
	if resp.Header.Get(roundtrip.KindHeader) == "" && h.Type == "" {
		h.Type = "application/octet-stream"
	}
	h.Encoding = resp.Header.Get("Content-Encoding")
	h.Size = resp.ContentLength
	h.Name = transfer.Name(v.gateway.client.Registry(), h.URL)
	if h.Show.Part != "" {
		v.part(resp)
		return
	}
	if modified, err := http.ParseTime(resp.Header.Get("Last-Modified")); err == nil {
		h.ModTime = modified
	}
	v.offer()
	v.write(http.StatusOK, func(w io.Writer) error { return v.printer.Object(w, h, resp.Body) })
}

// part shows a part of the message that the upstream gives.
func (v *view) part(resp *http.Response) {
	h := v.head
	at := h.Show.Part
	part, err := readPart(resp.Body, func(m *message.Message) (message.Part, bool) { return m.Part(at) })
	if err != nil {
		v.fail(err)
		return
	}
	h.Type, h.Encoding, h.Name, h.Size = typeOf(part), "", cmp.Or(part.Name, "part-"+at), -1
	if page.ClassOf(h.Type) != page.ClassMessage { // which has a title of its own
		h.Title = cmp.Or(part.Name, "Part "+at)
	}
	if size, err := part.DecodedSize(); err == nil {
		h.Size = size
	}
	v.write(http.StatusOK, func(w io.Writer) error { return v.printer.Object(w, h, part.Open()) })
}

// open shows what the access client gives, past the store.
func (v *view) open(req access.Request) {
	req.Trace = v.talk.add
	req.Accept, req.AcceptLanguage = pageAccept, orAny(v.r.Header.Get("Accept-Language"))
	if _, err := scheme.ParsePreference(req.AcceptLanguage); err != nil {
		req.AcceptLanguage = ""
	}
	result, leave, err := v.gateway.open(v.r.Context(), req)
	if err != nil {
		v.fail(err)
		return
	}
	defer leave()
	defer result.Resource.Close()
	h := v.head
	h.Sent = v.talk.list
	if h.URL == req.URL {
		h.Found, h.Hops = result.URL, result.Hops
	}
	switch res := result.Resource.(type) {
	case *scheme.Menu:
		v.menu(res)
	case *scheme.Object:
		h.Type, h.Encoding, h.Size, h.ModTime, h.Note, h.Name = res.Type, res.Encoding, res.Size, res.ModTime, res.Note, res.Name
		v.write(http.StatusOK, func(w io.Writer) error { return v.printer.Object(w, h, res.Body) })
	default:
		v.fail(fmt.Errorf("%w: it is neither an object nor a menu", scheme.ErrUnsupported))
	}
}

// terminal shows the page of a session, which is not open yet.
func (v *view) terminal() {
	if _, err := v.gateway.client.Way(v.head.URL, v.gateway.from(v.head.URL)); err != nil {
		v.fail(err)
		return
	}
	v.write(http.StatusOK, func(w io.Writer) error { return v.printer.Terminal(w, v.head, page.Terminal{Safe: true}) })
}

// fail shows why u came to nothing.
func (v *view) fail(err error) {
	kind := access.KindOf(err)
	if errors.Is(err, errBusy) {
		v.w.Header().Set("Retry-After", "1")
		v.failed(http.StatusServiceUnavailable, "busy", err)
		return
	}
	v.w.failure = kind
	v.failed(statusOf(kind), string(kind), err)
}

func (v *view) failed(status int, kind string, err error) {
	if lines := v.talk.list(); len(lines) > 0 {
		v.head.Sent = v.talk.list
	}
	v.write(status, func(w io.Writer) error { return v.printer.Failure(w, v.head, kind, err) })
}

// fail answers that something failed: kind is a word that does not change. People
// get a page, and programs a line.
func (g *Gateway) fail(w *recorder, r *http.Request, status int, kind, message string) {
	g.failWith(w, r, status, kind, errors.New(message))
}

func (g *Gateway) failWith(w *recorder, r *http.Request, status int, kind string, err error) {
	w.Header().Set("Cache-Control", "no-store")
	protect(w.Header())
	if wantsHTML(r) && w.kind != "api" && w.kind != "asset" {
		v := &view{gateway: g, w: w, r: r, printer: g.printer, policy: page.Policy, head: &page.Head{URL: w.url, Size: -1}}
		if w.kind == "proxy" {
			base := g.base(r)
			v.printer, v.policy = g.proxyPrinter(base), proxyPolicy(base)
		}
		v.failed(status, kind, err)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		fmt.Fprintf(w, "%s: %s\n", kind, shownText(locus.MaskText(strings.TrimPrefix(err.Error(), "locus: "))))
	}
}

// proxyPrinter prints pages for who asks a proxy. base is from an address, of which
// there are few.
func (g *Gateway) proxyPrinter(base string) *page.Printer {
	return page.New(g.client.Registry(), g.proxySite(base))
}

// proxyPolicy is the policy of a page that has the URL of somebody else.
func proxyPolicy(base string) string { return strings.ReplaceAll(page.Policy, "'self'", base) }

// wantsHTML reports whether who asks is a browser: it names HTML, and likes it no
// less than anything else.
func wantsHTML(r *http.Request) bool {
	accept := strings.Join(r.Header.Values("Accept"), ", ")
	wanted, err := scheme.ParsePreference(accept)
	if err != nil || !strings.Contains(accept, "text/html") {
		return false
	}
	q := wanted.Quality("text/html")
	return q > 0 && q >= wanted.Quality("application/json") && q >= wanted.Quality("text/plain")
}

// rawPolicy is for octets that somebody else wrote: on an origin of their own, with
// nothing to run and nowhere to go.
const rawPolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'; frame-ancestors 'self'"

// rawFields are the fields of an answer that may stand in one of the gateway's own.
var rawFields = [...]string{"Content-Type", "Content-Length", "Content-Range", "Content-Encoding", "Accept-Ranges", "Last-Modified", "Etag", "Age", "Cache-Status"}

// serveRaw gives the octets of what u leads to.
func (g *Gateway) serveRaw(w *recorder, r *http.Request, u locus.URL, s page.Show) {
	w.url = u
	switch dest := r.Header.Get("Sec-Fetch-Dest"); dest {
	case "", "document", "iframe", "image", "audio", "video", "empty":
	default:
		g.fail(w, r, http.StatusForbidden, "denied", "what others wrote is no "+shownText(dest)+" for a page")
		return
	}
	method := r.Method
	if s.Part != "" {
		method = http.MethodGet
	}
	req, err := newRequest(r.Context(), method, u)
	if err != nil {
		g.failAccess(w, r, err)
		return
	}
	for _, name := range askedFields {
		if values := r.Header.Values(name); len(values) > 0 {
			req.Header[name] = values
		}
	}
	req.Header.Set("Accept", pageAccept)
	if language := req.Header.Get("Accept-Language"); language != "" && !isWeb(u.Scheme()) {
		req.Header.Set("Accept-Language", orAny(language))
	}
	if s.Part != "" {
		for _, name := range []string{"Range", "If-Range", "If-None-Match", "If-Modified-Since"} {
			req.Header.Del(name)
		}
	}
	resp, err := g.upstream.RoundTrip(req)
	if err != nil {
		g.failAccess(w, r, err)
		return
	}
	defer resp.Body.Close()
	w.cache = resp.Header.Get("Cache-Status")
	if resp.StatusCode >= 300 && resp.StatusCode < 400 && resp.Header.Get("Location") != "" {
		to, err := g.redirected(u, resp)
		if err != nil {
			g.refuseRedirect(w, r, to, err)
			return
		}
		seeOther(w, g.site().Raw(to.WithoutPassword(), s))
		return
	}
	if resp.StatusCode >= 400 && resp.StatusCode != http.StatusRequestedRangeNotSatisfiable {
		g.failAccess(w, r, statusError(resp))
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy", rawPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "private, no-cache")
	if s.Part != "" {
		g.writePart(w, r, resp, s.Part)
		return
	}
	for _, name := range rawFields {
		if values := resp.Header.Values(name); len(values) > 0 {
			h[name] = values
		}
	}
	// Each part of a multipart would bring a header of its own.
	if kind := h.Get("Content-Type"); kind == "" || strings.HasPrefix(strings.ToLower(strings.TrimSpace(kind)), "multipart/") {
		h.Set("Content-Type", "application/octet-stream")
	}
	setFileName(h, transfer.Name(g.client.Registry(), u))
	w.WriteHeader(resp.StatusCode)
	if r.Method == http.MethodHead || resp.StatusCode == http.StatusNotModified {
		return
	}
	if err := stream(w, resp.Body); err != nil {
		w.broken = err
		panic(http.ErrAbortHandler)
	}
}

// maxMessage is how large a message can be of which a part is taken.
const maxMessage = 32 << 20

// readPart reads a message and finds a part in it.
func readPart(body io.Reader, find func(m *message.Message) (message.Part, bool)) (message.Part, error) {
	m, err := message.Read(body, &message.Limits{Octets: maxMessage})
	if err != nil {
		return message.Part{}, fmt.Errorf("%w: %w", scheme.ErrProtocol, err)
	}
	part, ok := find(m)
	if !ok {
		return part, fmt.Errorf("%w: the message has no such part", scheme.ErrNotFound)
	}
	return part, nil
}

// typeOf is the media type of a part.
func typeOf(part message.Part) string {
	kind := part.Type
	if charset := part.Params()["charset"]; charset != "" && strings.HasPrefix(kind, "text/") {
		kind = mime.FormatMediaType(kind, map[string]string{"charset": charset})
	}
	return cmp.Or(kind, "application/octet-stream")
}

// serveWithin leads to the page of the part of a message that a cid URL locates. text
// is the URL of the message, as people write it.
func (g *Gateway) serveWithin(w *recorder, r *http.Request, u locus.URL, text string) {
	w.url = u
	part, of, err := g.within(r, u, text)
	if err != nil {
		v := &view{gateway: g, w: w, r: r, printer: g.printer, policy: page.Policy, head: &page.Head{URL: u, Size: -1}}
		v.fail(err)
		return
	}
	seeOther(w, g.pagePath(of.WithoutPassword(), page.Show{Part: part.Path}))
}

// within finds the part that u locates in a message.
func (g *Gateway) within(r *http.Request, u locus.URL, text string) (part message.Part, of locus.URL, err error) {
	fields, err := g.client.Registry().Fields(u)
	if err == nil {
		of, err = asked(url.Values{"url": {text}})
	}
	if err != nil {
		return part, of, err
	}
	id := ""
	for _, f := range fields {
		if text, ok := f.Value.(string); ok && f.Name == "contentId" {
			id = text
		}
	}
	req, err := newRequest(r.Context(), http.MethodGet, of)
	if err != nil {
		return part, of, err
	}
	req.Header.Set("Accept", pageAccept)
	resp, err := g.upstream.RoundTrip(req)
	if err != nil {
		return part, of, err
	}
	defer resp.Body.Close()
	switch kind := resp.Header.Get("Content-Type"); {
	case resp.StatusCode >= 400:
		return part, of, statusError(resp)
	case resp.StatusCode != http.StatusOK || page.ClassOf(kind) != page.ClassMessage:
		return part, of, fmt.Errorf("%w: %s is no message", scheme.ErrUnsupported, locus.Quote(of.Redacted()))
	}
	part, err = readPart(resp.Body, func(m *message.Message) (message.Part, bool) { return m.Find(id) })
	return part, of, err
}

// writePart gives a part of a message.
func (g *Gateway) writePart(w *recorder, r *http.Request, resp *http.Response, at string) {
	part, err := readPart(resp.Body, func(m *message.Message) (message.Part, bool) { return m.Part(at) })
	if err != nil {
		g.failAccess(w, r, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", typeOf(part))
	setFileName(h, part.Name)
	if r.Method == http.MethodHead {
		return
	}
	if err := stream(w, part.Open()); err != nil {
		w.broken = err
		panic(http.ErrAbortHandler)
	}
}

// setFileName says what a file of the answer may be called.
func setFileName(h http.Header, name string) {
	if name == "" {
		return
	}
	if text := mime.FormatMediaType("inline", map[string]string{"filename": shownText(name)}); text != "" {
		h.Set("Content-Disposition", text)
	}
}

// talk is a conversation with a server, as far as it is kept.
type talk struct {
	mu     sync.Mutex
	lines  []page.Line
	octets int
}

const (
	maxTalkLines  = 200
	maxTalkOctets = 16 << 10
)

func (t *talk) add(sent bool, line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.octets += len(line); len(t.lines) < maxTalkLines && t.octets <= maxTalkOctets {
		t.lines = append(t.lines, page.Line{Sent: sent, Text: line})
	}
}

func (t *talk) list() []page.Line {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]page.Line(nil), t.lines...)
}

// flusher is a writer to a client that sends what it got soon: the first at once,
// and then not more often than makes sense.
type flusher struct {
	mu      sync.Mutex
	w       http.ResponseWriter
	control *http.ResponseController
	timer   *time.Timer
	waiting bool
	begun   bool
	closed  bool
}

// soon is how long a piece of a page may wait for the next.
const soon = 40 * time.Millisecond

func newFlusher(w http.ResponseWriter) *flusher {
	return &flusher{w: w, control: http.NewResponseController(w)}
}

func (f *flusher) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	// An error means that the connection has no deadlines: then it is a test's.
	_ = f.control.SetWriteDeadline(time.Now().Add(writeTime))
	n, err := f.w.Write(p)
	switch {
	case err != nil:
	case !f.begun:
		f.begun = true
		f.flush()
	case !f.waiting:
		f.waiting = true
		f.timer = time.AfterFunc(soon, f.late)
	}
	return n, err
}

// flush sends what there is. Who can't take it shows that in the next Write.
func (f *flusher) flush() { _ = f.control.Flush() }

func (f *flusher) late() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.waiting = false; !f.closed {
		f.flush()
	}
}

// close ends it: nothing touches the client after that.
func (f *flusher) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	if f.timer != nil {
		f.timer.Stop()
	}
}

// open opens a URL with the access client, past the store. Whoever gets a resource
// calls leave when that is closed.
func (g *Gateway) open(ctx context.Context, req access.Request) (result *access.Result, leave func(), err error) {
	leave, ok := g.limiter.enterHost(req.URL)
	if !ok {
		return nil, nil, errBusy
	}
	req.From = g.from(req.URL)
	result, err = g.client.Do(ctx, req)
	if err != nil {
		leave()
		return nil, nil, err
	}
	return result, leave, nil
}

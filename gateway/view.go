package gateway

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/gateway/internal/page"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/transfer"
)

// view is a page that the gateway makes for a client's browser.
type view struct {
	gateway    *Gateway
	w          *recorder
	r          *http.Request
	printer    *page.Printer
	policy     string // Content-Security-Policy
	head       *page.Head
	transcript transcript
	at         time.Time   // time for the archive; the zero Time selects the last memento
	rawHeader  http.Header // header fields for objects that are sent unchanged; nil if a page shows the objects
}

// newView returns a view of u. If the page is not about a URL, u is zero. If captureTime is not
// empty, links select the archived resources of that time.
func (g *Gateway) newView(w *recorder, r *http.Request, u locus.URL, captureTime string) *view {
	v := &view{gateway: g, w: w, r: r, printer: g.printer, policy: page.Policy, head: &page.Head{URL: u}}
	if captureTime != "" {
		v.printer = page.New(g.client.Registry(), g.site("", captureTime))
	}
	if w.kind == "proxy" {
		base := g.base(r)
		site := g.site(base, captureTime)
		site.Explain = "" // the policy of the page denies it
		v.printer = page.New(g.client.Registry(), site)
		// The origin of the page is the origin of its URL.
		v.policy = strings.ReplaceAll(page.Policy, "'self'", base)
	}
	return v
}

// servePage shows the resource at u.
func (g *Gateway) servePage(w *recorder, r *http.Request, u locus.URL, s page.Show) error {
	w.url = u
	kept, t, err := g.negotiate(w, r, u, s, func(m page.Show) string { return g.pagePath(u.WithoutPassword(), m) })
	if err != nil || kept != nil && kept.redirected {
		return err
	}
	v := g.newView(w, r, u, linksAt(s, t))
	v.at = t
	v.head.Show = s
	v.head.Archived = kept.page()
	switch traits := g.traits(u); {
	case traits.Has(scheme.Interactive) && kept == nil:
		v.run(v.terminal)
	case traits.Has(scheme.Composes):
		v.run(v.composeMessage)
	case s.Items != (scheme.ItemRange{}):
		v.run(func() error { return v.openUncached(u) })
	default:
		v.run(v.fetch)
	}
	return nil
}

// run calls render. If render returns an error, run writes a page with the error.
func (v *view) run(render func() error) {
	if err := render(); err != nil {
		v.fail(err)
	}
}

const (
	// pageAccept is the Accept header for other servers. It requests menus in the format of the
	// cache, and the most suitable view of an object.
	pageAccept = "application/json, text/html;q=0.9, text/plain;q=0.9, */*;q=0.8"
	// webAccept is the Accept header for web servers.
	webAccept = "text/html, application/xhtml+xml, text/plain;q=0.9, */*;q=0.8"
)

// request returns a client's request for u, with the preferences of a page.
func (v *view) request(u locus.URL) fetchRequest {
	accept := pageAccept
	if isWeb(u.Scheme()) {
		accept = webAccept
	}
	return fetchRequest{Request: access.Request{URL: u, Accept: accept, AcceptLanguage: languages(v.r, u), At: v.at, Trace: v.transcript.add}}
}

// openUncached opens u with the access client, without the store, and shows the resource. If u is
// not the URL of the page, the page does not show u and the redirects, because they may contain
// secrets.
func (v *view) openUncached(u locus.URL) error {
	req := v.request(u).Request
	req.Items = v.head.Show.Items
	result, leave, err := v.gateway.openURL(v.r.Context(), req)
	if err != nil {
		return err
	}
	defer leave()
	defer result.Resource.Close()
	v.head.Sent = v.transcript.list
	if v.head.URL == u {
		v.head.Found, v.head.Hops = result.URL, result.Hops
	}
	return v.showResource(result.Resource)
}

// fetch shows the resource from the store or the server.
func (v *view) fetch() error {
	u := v.head.URL
	req := v.request(u)
	req.fields = make(http.Header)
	if control := v.r.Header.Get("Cache-Control"); control != "max-age=0" {
		setField(req.fields, "Cache-Control", control)
	}
	res, m, err := v.gateway.fetch(v.r.Context(), req)
	v.describe(m)
	if err != nil {
		return err
	}
	return v.showFetched(res, m)
}

// describe records the metadata that the page shows.
func (v *view) describe(m meta) {
	v.w.cache = m.cache
	v.head.Cached, v.head.Age, v.head.Found = m.isStored(), m.age(), m.resourceURL
}

// showFetched shows the resource at the URL of the page, with its views and search form,
// and closes it.
func (v *view) showFetched(res scheme.Resource, m meta) error {
	defer res.Close()
	v.head.Sent = v.transcript.list
	switch res := res.(type) {
	case *scheme.Redirect:
		return v.redirect(res.To[0])
	case *scheme.Object:
		if v.rawHeader != nil && page.ClassOf(res.Type) != page.ClassMessage {
			v.gateway.sendObject(v.w, v.r, res, m, v.rawHeader)
			return nil
		}
		res.Type = cmp.Or(res.Type, "application/octet-stream")
		res.Name = transfer.Name(v.gateway.client.Registry(), v.head.URL)
		if v.head.Show.Part != "" {
			return v.showPart(res)
		}
	case *scheme.Menu:
		if res.Form == nil {
			res.Form = v.searchForm()
		}
	}
	v.offer()
	return v.showResource(res)
}

// searchForm returns the form of a search, with the search words filled in. It returns nil if the
// page shows no search results.
func (v *view) searchForm() *scheme.Form {
	u := v.head.URL
	var form locus.URL
	words := ""
	end := 0 // end of the URL part before the delimiter of the search words
	for i, span := range v.gateway.client.Registry().Spans(u) {
		if span.Name == "search" && i > 0 {
			words = scheme.Decoded(span.Text)
			form, _ = locus.Parse(u.String()[:end])
		}
		if span.Name != "" {
			end = span.Offset + len(span.Text)
		}
	}
	if form.IsZero() || isWeb(u.Scheme()) {
		return nil
	}
	ctx, cancel := context.WithTimeout(v.r.Context(), viewsTime)
	defer cancel()
	f, err := v.gateway.requestForm(ctx, form, v.at)
	if err != nil || len(f.Fields) != 1 || f.Fields[0].Kind != scheme.FieldText {
		return nil
	}
	copied := *f
	copied.Fields = slices.Clone(f.Fields)
	copied.Fields[0].Default = words
	return &copied
}

func seeOther(w *recorder, path string) {
	h := w.Header()
	protect(h)
	h.Set("Location", path)
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusSeeOther)
}

// write writes the page with the function print.
func (v *view) write(status int, print func(w io.Writer) error) {
	if v.w.kind == "proxy" {
		v.head.Token = v.gateway.proxyToken(v.r)
	} else {
		v.gateway.setToken(v.w, v.r)
		v.head.Token = v.gateway.token(v.w)
	}
	h := v.w.Header()
	protect(h)
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", v.policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "private, no-cache")
	v.w.WriteHeader(status)
	if v.r.Method == http.MethodHead {
		return
	}
	f := newFlusher(v.w)
	v.w.broken = print(f)
	f.stopFlushing()
}

// showResource shows a menu or an object.
func (v *view) showResource(res scheme.Resource) error {
	switch res := res.(type) {
	case *scheme.Menu:
		v.write(http.StatusOK, func(w io.Writer) error { return v.printer.Menu(w, v.head, res) })
	case *scheme.Object:
		v.write(http.StatusOK, func(w io.Writer) error { return v.printer.Object(w, v.head, res) })
	default:
		return fmt.Errorf("%w: the resource is neither an object nor a menu", scheme.ErrUnsupported)
	}
	return nil
}

// terminal shows the page for a session. A script on the page opens the session through a
// WebSocket.
func (v *view) terminal() error {
	if _, err := v.gateway.dialerFor(v.r.Context(), v.head.URL); err != nil {
		return err
	}
	v.write(http.StatusOK, func(w io.Writer) error { return v.printer.Terminal(w, v.head) })
	return nil
}

// transcript records the first lines of the exchange with a server.
type transcript struct {
	mu     sync.Mutex
	lines  []page.Line
	octets int
}

const (
	maxTranscriptLines  = 200
	maxTranscriptOctets = 16 << 10
)

func (t *transcript) add(sent bool, line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.octets += len(line); len(t.lines) < maxTranscriptLines && t.octets <= maxTranscriptOctets {
		t.lines = append(t.lines, page.Line{Sent: sent, Text: line})
	}
}

func (t *transcript) list() []page.Line {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]page.Line(nil), t.lines...)
}

package gateway

import (
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/gateway/internal/page"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/message"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/transfer"
)

// rawPolicy is the Content-Security-Policy of raw foreign content. The content gets an
// opaque origin, can't run scripts, and can't load resources of other origins.
const rawPolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'; frame-ancestors 'self'"

// rawFields lists the header fields of a server's response that serveRaw copies.
var rawFields = []string{"Content-Type", "Content-Length", "Content-Range", "Content-Encoding", "Accept-Ranges", "Last-Modified", "Etag", "Age", "Cache-Status"}

// serveRaw serves the raw bytes of the resource at u.
func (g *Gateway) serveRaw(w *recorder, r *http.Request, u locus.URL, s page.Show) error {
	w.url = u
	kept, t, err := g.negotiate(w, r, u, s, func(m page.Show) string { return g.rawPagePath(u.WithoutPassword(), m) })
	if err != nil || kept != nil && kept.redirected {
		return err
	}
	switch dest := r.Header.Get("Sec-Fetch-Dest"); dest {
	case "", "document", "iframe", "image", "audio", "video", "empty":
	default:
		return &problem{http.StatusForbidden, "denied", "foreign content may not be loaded as " + term.Text(dest)}
	}
	req := fetchRequest{
		Request: access.Request{URL: u, Accept: pageAccept, AcceptLanguage: languages(r, u), At: t},
		head:    r.Method == http.MethodHead && s.Part == "", fields: make(http.Header),
	}
	copyFields(req.fields, r.Header, []string{"Cache-Control", "Pragma"})
	if s.Part == "" {
		copyFields(req.fields, r.Header, []string{"Range", "If-Range", "If-Modified-Since", "If-None-Match"})
	}
	res, m, err := g.fetch(r.Context(), req)
	w.cache = m.cache
	if err != nil {
		return err
	}
	defer res.Close()
	var body io.Reader
	switch res := res.(type) {
	case *scheme.Redirect:
		to := res.To[0]
		if err := g.mayRedirect(r.Context(), u, to); err != nil {
			return g.refuseRedirect(w, r, to, err)
		}
		seeOther(w, g.rawPagePath(to.WithoutPassword(), s))
		return nil
	case *scheme.Menu:
		m.header.Set("Content-Type", menuJSON.contentType())
		menu := newMenuBody(menuJSON, res, u, m)
		defer menu.Close()
		body = menu
	case *scheme.Object:
		body = res.Body
	}
	h := w.Header()
	h.Set("Content-Security-Policy", rawPolicy)
	h.Set("Cache-Control", "private, no-cache")
	name := transfer.Name(g.client.Registry(), u)
	if s.Part == "" {
		copyFields(h, m.header, rawFields)
	} else {
		part, err := readPart(body, func(m *message.Message) (message.Part, bool) { return m.Part(s.Part) })
		if err != nil {
			return err
		}
		h.Set("Content-Type", typeOf(part))
		body, name = part.Open(), part.Name
	}
	// The parts of a multipart body contain header fields that serveRaw does not filter.
	if kind := h.Get("Content-Type"); kind == "" || strings.HasPrefix(strings.ToLower(strings.TrimSpace(kind)), "multipart/") {
		h.Set("Content-Type", "application/octet-stream")
	}
	if text := mime.FormatMediaType("inline", map[string]string{"filename": term.Text(name)}); name != "" && text != "" {
		h.Set("Content-Disposition", text)
	}
	w.WriteHeader(m.status)
	if r.Method != http.MethodHead && m.status != http.StatusNotModified {
		w.stream(body)
	}
	return nil
}

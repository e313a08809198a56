package gateway

import (
	"cmp"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/gateway/internal/page"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/message"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/transfer"
)

// rawPolicy is the Content-Security-Policy of foreign octets: they have an origin of
// their own, run nothing and load nothing from elsewhere.
const rawPolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'; frame-ancestors 'self'"

// rawFields are the fields of a server's answer that are passed on with its octets.
var rawFields = []string{"Content-Type", "Content-Length", "Content-Range", "Content-Encoding", "Accept-Ranges", "Last-Modified", "Etag", "Age", "Cache-Status"}

// serveRaw serves the octets of the resource at u.
func (g *Gateway) serveRaw(w *recorder, r *http.Request, u locus.URL, s page.Show) error {
	w.url = u
	r, kept, err := g.negotiate(w, r, u, s, func(m page.Show) string { return g.rawPagePath(u.WithoutPassword(), m) })
	if err != nil || kept != nil && kept.moved {
		return err
	}
	switch dest := r.Header.Get("Sec-Fetch-Dest"); dest {
	case "", "document", "iframe", "image", "audio", "video", "empty":
	default:
		return &problem{http.StatusForbidden, "denied", "foreign content may not be loaded as " + term.Text(dest)}
	}
	method := r.Method
	if s.Part != "" {
		method = http.MethodGet
	}
	req, err := requestFor(r.Context(), r, method, u, pageAccept)
	if err != nil {
		return err
	}
	fields := []string{"Cache-Control", "Pragma"}
	if s.Part == "" {
		fields = append(fields, "Range", "If-Range", "If-Modified-Since", "If-None-Match")
	}
	copyFields(req.Header, r.Header, fields)
	resp, err := g.send(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	w.cache = resp.Header.Get("Cache-Status")
	if resp.StatusCode >= 300 && resp.StatusCode < 400 && resp.Header.Get("Location") != "" {
		to, err := g.redirected(u, resp)
		if err != nil {
			return g.refuseRedirect(w, r, to, err)
		}
		seeOther(w, g.rawPagePath(to.WithoutPassword(), s))
		return nil
	}
	if resp.StatusCode >= 400 && resp.StatusCode != http.StatusRequestedRangeNotSatisfiable {
		return statusError(u, resp)
	}
	h := w.Header()
	h.Set("Content-Security-Policy", rawPolicy)
	h.Set("Cache-Control", "private, no-cache")
	body, name := io.Reader(resp.Body), transfer.Name(g.client.Registry(), u)
	if s.Part == "" {
		copyFields(h, resp.Header, rawFields)
	} else {
		part, err := readPart(resp.Body, func(m *message.Message) (message.Part, bool) { return m.Part(s.Part) })
		if err != nil {
			return err
		}
		h.Set("Content-Type", typeOf(part))
		body, name = part.Open(), part.Name
	}
	// Each part of a multipart has header fields of its own, which are not filtered.
	if kind := h.Get("Content-Type"); kind == "" || strings.HasPrefix(strings.ToLower(strings.TrimSpace(kind)), "multipart/") {
		h.Set("Content-Type", "application/octet-stream")
	}
	if text := mime.FormatMediaType("inline", map[string]string{"filename": term.Text(name)}); name != "" && text != "" {
		h.Set("Content-Disposition", text)
	}
	w.WriteHeader(resp.StatusCode)
	if r.Method != http.MethodHead && resp.StatusCode != http.StatusNotModified {
		w.stream(body)
	}
	return nil
}

// maxMessage is the size limit of a message that a part is taken from, in octets.
const maxMessage = 32 << 20

// readPart reads a message and returns the part that find finds in it.
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

// typeOf returns the media type of a part, with its charset if it is a text.
func typeOf(part message.Part) string {
	kind := part.Type
	if charset := part.Params()["charset"]; charset != "" && strings.HasPrefix(kind, "text/") {
		kind = mime.FormatMediaType(kind, map[string]string{"charset": charset})
	}
	return cmp.Or(kind, "application/octet-stream")
}

// part shows a part of the message o.
func (v *view) part(o *scheme.Object) error {
	path := v.head.Show.Part
	part, err := readPart(o.Body, func(m *message.Message) (message.Part, bool) { return m.Part(path) })
	if err != nil {
		return err
	}
	of := &scheme.Object{URL: o.URL, Type: typeOf(part), Name: cmp.Or(part.Name, "part-"+path), Size: -1, Body: io.NopCloser(part.Open())}
	if page.ClassOf(of.Type) != page.ClassMessage { // a message has a subject
		v.head.Title = cmp.Or(part.Name, "Part "+path)
	}
	if size, err := part.DecodedSize(); err == nil {
		of.Size = size
	}
	return v.show(of)
}

// serveWithin redirects to the page of the part that the cid URL u locates in a
// message. text is the URL of the message, as it was typed.
func (g *Gateway) serveWithin(w *recorder, r *http.Request, u locus.URL, text string) error {
	w.url = u
	part, of, err := g.within(r, u, text)
	if err == nil {
		seeOther(w, g.pagePath(of.WithoutPassword(), page.Show{Part: part.Path}))
	}
	return err
}

// within returns the part that u locates in a message, and the URL of the message.
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
	req, err := requestFor(r.Context(), r, http.MethodGet, of, pageAccept)
	if err != nil {
		return part, of, err
	}
	resp, err := g.send(req)
	if err != nil {
		return part, of, err
	}
	defer resp.Body.Close()
	switch kind := resp.Header.Get("Content-Type"); {
	case resp.StatusCode >= 400:
		return part, of, statusError(of, resp)
	case resp.StatusCode != http.StatusOK || page.ClassOf(kind) != page.ClassMessage:
		return part, of, fmt.Errorf("%w: %s is not a message", scheme.ErrUnsupported, locus.Quote(of.Shown()))
	}
	part, err = readPart(resp.Body, func(m *message.Message) (message.Part, bool) { return m.Find(id) })
	return part, of, err
}

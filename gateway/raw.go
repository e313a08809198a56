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
	"github.com/locus-url/locus/access"
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
	r, kept, _, err := g.negotiate(w, r, u, s, func(m page.Show) string { return g.rawPagePath(u.WithoutPassword(), m) })
	if err != nil || kept != nil && kept.moved {
		return err
	}
	switch dest := r.Header.Get("Sec-Fetch-Dest"); dest {
	case "", "document", "iframe", "image", "audio", "video", "empty":
	default:
		return &problem{http.StatusForbidden, "denied", "foreign content may not be loaded as " + term.Text(dest)}
	}
	req := fetchRequest{
		Request: access.Request{URL: u, Accept: pageAccept, AcceptLanguage: languages(r, u)},
		head:    r.Method == http.MethodHead && s.Part == "", fields: make(http.Header),
	}
	copyFields(req.fields, r.Header, []string{"Cache-Control", "Pragma"})
	if s.Part == "" {
		copyFields(req.fields, r.Header, []string{"Range", "If-Range", "If-Modified-Since", "If-None-Match"})
	}
	res, m, err := g.fetch(r.Context(), req)
	w.cache = m.cacheStatus()
	if err != nil {
		return err
	}
	defer res.Close()
	var body io.Reader
	switch res := res.(type) {
	case *scheme.Referral:
		to := res.To[0]
		if err := g.mayRedirect(u, to); err != nil {
			return g.refuseRedirect(w, r, to, err)
		}
		seeOther(w, g.rawPagePath(to.WithoutPassword(), s))
		return nil
	case *scheme.Menu:
		m.header.Set("Content-Type", menuJSON.contentType())
		menu := newMenuBody(menuJSON, res, u, m.url)
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
	// Each part of a multipart has header fields of its own, which are not filtered.
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
	res, m, err := g.fetch(r.Context(), fetchRequest{Request: access.Request{URL: of, Accept: pageAccept, AcceptLanguage: languages(r, of)}})
	if err != nil {
		return part, of, err
	}
	defer res.Close()
	o, ok := res.(*scheme.Object)
	if !ok || m.status != http.StatusOK || page.ClassOf(o.Type) != page.ClassMessage {
		return part, of, fmt.Errorf("%w: %s is not a message", scheme.ErrUnsupported, locus.Quote(of.Shown()))
	}
	part, err = readPart(o.Body, func(m *message.Message) (message.Part, bool) { return m.Find(id) })
	return part, of, err
}

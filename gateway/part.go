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
	"github.com/locus-url/locus/message"
	"github.com/locus-url/locus/scheme"
)

// maxMessage is the maximum size in bytes of a message from which the gateway serves parts.
const maxMessage = 32 << 20

// readPart reads a message and returns the part that the function find selects.
func readPart(body io.Reader, find func(m *message.Message) (message.Part, bool)) (message.Part, error) {
	m, err := message.Read(body, &message.Limits{Octets: maxMessage})
	if err != nil {
		return message.Part{}, fmt.Errorf("%w: %w", scheme.ErrProtocol, err)
	}
	part, ok := find(m)
	if !ok {
		return part, fmt.Errorf("%w: the message has no part with this name", scheme.ErrNotFound)
	}
	return part, nil
}

// typeOf returns the media type of a part. For text, it includes the charset.
func typeOf(part message.Part) string {
	kind := part.Type
	if charset := part.Params()["charset"]; charset != "" && strings.HasPrefix(kind, "text/") {
		kind = mime.FormatMediaType(kind, map[string]string{"charset": charset})
	}
	return cmp.Or(kind, "application/octet-stream")
}

// showPart shows the requested part of the message o.
func (v *view) showPart(o *scheme.Object) error {
	path := v.head.Show.Part
	part, err := readPart(o.Body, func(m *message.Message) (message.Part, bool) { return m.Part(path) })
	if err != nil {
		return err
	}
	target := &scheme.Object{URL: o.URL, Type: typeOf(part), Name: cmp.Or(part.Name, "part-"+path), Size: -1, Body: io.NopCloser(part.Open())}
	if page.ClassOf(target.Type) != page.ClassMessage { // a page for a message shows the subject instead
		v.head.Title = cmp.Or(part.Name, "Part "+path)
	}
	if size, err := part.DecodedSize(); err == nil {
		target.Size = size
	}
	return v.showResource(target)
}

// serveWithin redirects to the page of a message part. The cid URL u names the part. The text is
// the URL of the message as the user typed it.
func (g *Gateway) serveWithin(w *recorder, r *http.Request, u locus.URL, text string) error {
	w.url = u
	part, of, err := g.findPart(r, u, text)
	if err == nil {
		seeOther(w, g.pagePath(of.WithoutPassword(), page.Show{Part: part.Path}))
	}
	return err
}

// findPart returns the part of a message that u names, and the URL of the message.
func (g *Gateway) findPart(r *http.Request, u locus.URL, text string) (part message.Part, messageURL locus.URL, err error) {
	fields, err := g.client.Registry().Fields(u)
	if err == nil {
		messageURL, err = queryURL(url.Values{"url": {text}})
	}
	if err != nil {
		return part, messageURL, err
	}
	id := ""
	for _, f := range fields {
		if text, ok := f.Value.(string); ok && f.Name == "contentId" {
			id = text
		}
	}
	res, m, err := g.fetch(r.Context(), fetchRequest{Request: access.Request{URL: messageURL, Accept: pageAccept, AcceptLanguage: languages(r, messageURL)}})
	if err != nil {
		return part, messageURL, err
	}
	defer res.Close()
	o, ok := res.(*scheme.Object)
	if !ok || m.status != http.StatusOK || page.ClassOf(o.Type) != page.ClassMessage {
		return part, messageURL, fmt.Errorf("%w: %s is not a message", scheme.ErrUnsupported, locus.Quote(messageURL.Shown()))
	}
	part, err = readPart(o.Body, func(m *message.Message) (message.Part, bool) { return m.Find(id) })
	return part, messageURL, err
}

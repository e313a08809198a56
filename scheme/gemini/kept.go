package gemini

import (
	"cmp"
	"io"
	"mime"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/kept"
	"github.com/locus-url/locus/internal/media"
	"github.com/locus-url/locus/scheme"
)

// liveMenu returns the menu that a server sends, of that media type.
func liveMenu(req *scheme.Request, g URL, kind string, conn io.ReadCloser) *scheme.Menu {
	source := kept.For(req)
	m := menu(g.url, struct {
		io.Reader
		io.Closer
	}{source.Tee(conn), conn})
	source.Attach(m, kind)
	return m
}

// readKept implements Scheme.Kept.
func readKept(u locus.URL, kind string, body io.ReadCloser) (scheme.Resource, error) {
	g, err := Parse(u)
	if err != nil {
		body.Close()
		return nil, err
	}
	expected, name := promise(u)
	isMenu := kind == "" && expected == scheme.KindMenu
	if essence, _, _ := mime.ParseMediaType(kind); isMenu || essence == mediaType {
		return menu(g.url, body), nil
	}
	return kept.Object(scheme.Object{URL: u, Type: cmp.Or(kind, name, media.ByName(g.Path()))}, body), nil
}

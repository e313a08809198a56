package gemini

import (
	"bufio"
	"cmp"
	"io"
	"mime"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/archived"
	"github.com/locus-url/locus/internal/media"
	"github.com/locus-url/locus/scheme"
)

// liveMenu returns the menu in a server's response. The argument kind is the media type of
// the response.
func liveMenu(req *scheme.Request, g URL, kind string, conn io.ReadCloser) *scheme.Menu {
	source := archived.For(req)
	m := menu(g.url, struct {
		io.Reader
		io.Closer
	}{source.Tee(conn), conn})
	source.Attach(m, kind)
	return m
}

// liveForm returns the form with which a server requests input. It archives the response header
// for the form.
func liveForm(req *scheme.Request, g URL, h header, text string) *scheme.Menu {
	source := archived.For(req)
	source.Write([]byte(text + "\r\n"))
	m := form(g, h)
	source.Attach(m, "")
	return m
}

// readForm returns the form that an archived response header requests. If the header does not
// request input, readForm returns nil.
func readForm(g URL, head []byte) *scheme.Menu {
	text, ok := strings.CutSuffix(string(head), "\r\n")
	if !ok || strings.ContainsAny(text, "\r\n") {
		return nil
	}
	h, err := parseHeader(text)
	if err != nil || h.status/10 != 1 {
		return nil
	}
	return form(g, h)
}

// readArchived implements Access.Archived.
func readArchived(u locus.URL, kind string, body io.ReadCloser) (scheme.Resource, error) {
	g, err := Parse(u)
	if err != nil {
		body.Close()
		return nil, err
	}
	in := bufio.NewReaderSize(body, maxHeader+3)
	if head, err := in.Peek(maxHeader + 3); kind == "" && err == io.EOF {
		if m := readForm(g, head); m != nil {
			body.Close()
			return m, nil
		}
	}
	body = struct {
		io.Reader
		io.Closer
	}{in, body}
	expected, name := promise(u)
	isMenu := kind == "" && expected == scheme.KindMenu
	if essence, _, _ := mime.ParseMediaType(kind); isMenu || essence == mediaType {
		return menu(g.url, body), nil
	}
	return archived.Object(scheme.Object{URL: u, Type: cmp.Or(kind, name, media.ByName(g.Path()))}, body), nil
}

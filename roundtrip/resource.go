package roundtrip

import (
	"cmp"
	"io"
	"net/http"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/reqctx"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/scheme"
)

// IsMenu reports whether resp is the answer of a [Transport] about a menu.
func IsMenu(resp *http.Response) bool { return resp.Header.Get(reqctx.KindHeader) == "menu" }

// Resource returns what the successful answer resp to a request for u holds: a menu
// or an object. A menu that comes straight from a [Transport] is the scheme's own. One
// that a cache stored is read from JSON: its texts are UTF-8 and its form cannot be
// submitted. Closing resp.Body closes the resource.
func Resource(resp *http.Response, u locus.URL) (scheme.Resource, error) {
	if IsMenu(resp) {
		if m := ownMenu(resp); m != nil {
			return m, nil
		}
		m, _, err := shape.ReadMenu(resp.Body)
		return m, err
	}
	o := &scheme.Object{
		URL: u, Type: cmp.Or(resp.Header.Get("Content-Type"), "application/octet-stream"),
		Encoding: resp.Header.Get("Content-Encoding"), Size: resp.ContentLength, Body: resp.Body,
	}
	if modified, err := http.ParseTime(resp.Header.Get("Last-Modified")); err == nil {
		o.ModTime = modified
	}
	return o, nil
}

// ownMenu returns the menu that the body of resp would be written from; nil: there is
// none, or it is being read. A body that wraps another one has a method Unwrap.
func ownMenu(resp *http.Response) *scheme.Menu {
	for body := resp.Body; ; {
		if b, ok := body.(*menuBody); ok {
			return b.take()
		}
		wrapper, ok := body.(interface{ Unwrap() io.ReadCloser })
		if !ok {
			return nil
		}
		body = wrapper.Unwrap()
	}
}

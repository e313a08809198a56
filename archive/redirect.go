package archive

import (
	"bufio"
	"fmt"
	"io"
	"mime"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// The recorder writes a redirect as a list of URLs without passwords. The media type of the list is
// text/uri-list (RFC 2483), with the parameter "locus-referral", which is "permanent" or
// "temporary". The recorder writes an HTTP redirect as a response.
const (
	uriList       = "text/uri-list"
	redirectParam = "locus-referral"
	permanent     = "permanent"
)

func redirectType(r *scheme.Redirect) string {
	if r.Permanent {
		return uriList + "; " + redirectParam + "=" + permanent
	}
	return uriList + "; " + redirectParam + "=temporary"
}

func redirectList(r *scheme.Redirect) []byte {
	var list []byte
	for _, u := range r.To {
		list = append(append(list, u.WithoutPassword().String()...), "\r\n"...)
	}
	return list
}

// These constants limit a recorded list of URLs.
const (
	maxRedirects    = 1000
	maxRedirectList = 1 << 20 // bytes
)

// readRedirect returns the redirect that body contains, and closes body. The result ok is
// false if the media type does not denote a redirect.
func readRedirect(u locus.URL, mediaType string, body io.ReadCloser) (r *scheme.Redirect, ok bool, err error) {
	kind, params, err := mime.ParseMediaType(mediaType)
	if err != nil || kind != uriList || params[redirectParam] == "" {
		return nil, false, nil
	}
	defer body.Close()
	r = &scheme.Redirect{URL: u, Permanent: params[redirectParam] == permanent}
	in := bufio.NewScanner(scheme.Limit(body, maxRedirectList))
	in.Buffer(nil, maxRedirectList)
	for len(r.To) < maxRedirects && in.Scan() {
		text := strings.TrimRight(in.Text(), "\r")
		if text == "" || text[0] == '#' {
			continue
		}
		to, err := locus.Parse(text)
		if err != nil {
			return nil, true, fmt.Errorf("%w: archived redirect: %w", scheme.ErrProtocol, err)
		}
		r.To = append(r.To, to)
	}
	return r, true, in.Err()
}

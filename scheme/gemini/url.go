package gemini

import (
	"fmt"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
)

// Port is the default port.
const Port = 1965

// URL is a gemini URL, as written. URLs are comparable with ==.
type URL struct{ url locus.URL }

// Parse parses the URL u as a gemini URL. The error is a [*locus.SyntaxError].
func Parse(u locus.URL) (URL, error) {
	if err := bnf.Form(u, "gemini", "geminiurl"); err != nil {
		return URL{}, err
	}
	if _, ok := u.User(); ok {
		return URL{}, u.Errorf(len("gemini://"), "user", "%w: gemini URLs have no user", locus.ErrForm)
	}
	return URL{u}, nil
}

// Path returns the decoded path without its first "/".
func (g URL) Path() string {
	path, _ := g.url.Path()
	path, _, _ = strings.Cut(path, "?")
	return bnf.Decode(path)
}

// Query returns the decoded query. The result ok reports whether the URL has a query, which may be
// empty.
func (g URL) Query() (octets string, ok bool) {
	path, _ := g.url.Path()
	_, query, ok := strings.Cut(path, "?")
	return bnf.Decode(query), ok
}

// WithQuery returns the same URL with another query and without a fragment. The argument octets is
// the query before encoding. If the new URL is too long, the error is a [*locus.SyntaxError].
func (g URL) WithQuery(octets string) (locus.URL, error) {
	p := g.url.Parts()
	path := ""
	if p.Path != nil {
		path, _, _ = strings.Cut(*p.Path, "?")
	}
	path += "?" + escape.Encode(octets, escape.Unreserved().Without("+"))
	p.Path, p.Fragment = &path, nil
	return p.URL()
}

// maxRequest is the maximum length in octets of the URL in a request.
const maxRequest = 1024

// AppendRequest appends the request to dst. The request is the URL with a path and without its
// fragment, followed by CR LF. AppendRequest encodes octets above 7F. If the request exceeds 1024
// octets, the error is a [*locus.SyntaxError].
func (g URL) AppendRequest(dst []byte) ([]byte, error) {
	u := g.url.WithoutFragment()
	text := u.String()
	if at := u.HostOffset() + len(hostport(u)); !strings.HasPrefix(text[at:], "/") {
		text = text[:at] + "/" + text[at:]
	}
	text = withoutNonASCII(text)
	if len(text) > maxRequest {
		return dst, u.Errorf(maxRequest, "url", "%w: a gemini request has at most %d bytes", locus.ErrValue, maxRequest)
	}
	return append(append(dst, text...), "\r\n"...), nil
}

func hostport(u locus.URL) string {
	login, _ := u.Login()
	return login[strings.LastIndexByte(login, '@')+1:]
}

// withoutNonASCII encodes octets above 7F.
func withoutNonASCII(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if text[i] < 0x80 {
			b.WriteByte(text[i])
		} else {
			fmt.Fprintf(&b, "%%%02X", text[i])
		}
	}
	return b.String()
}

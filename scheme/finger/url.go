package finger

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/scheme/internal/line"
)

// Port is the default port.
const Port = 79

// URL is a decoded finger URL. URLs are comparable with ==.
type URL struct {
	url     locus.URL
	request string
}

// Parse parses the URL u as a finger URL. The error is a [*locus.SyntaxError].
func Parse(u locus.URL) (URL, error) {
	if err := bnf.Form(u, "finger", "fingerurl"); err != nil {
		return URL{}, err
	}
	path, _ := u.Path()
	if u.MissingSlash() {
		return URL{}, u.Errorf(u.PathOffset(), "request", `%w: write "/" before "?"`, locus.ErrForm)
	}
	if i := strings.IndexAny(path, "/?"); i >= 0 {
		return URL{}, u.Errorf(u.PathOffset()+i, "request", "%w: write %%%02X for %q in a request", locus.ErrForm, path[i], path[i:i+1])
	}
	return URL{u, bnf.Decode(path)}, nil
}

// Request returns the decoded request without a line end.
func (f URL) Request() string { return f.request }

// AppendRequest appends the request line to dst. It returns a [*locus.SyntaxError] if the request
// contains CR, LF or NUL, which could end the line.
func (f URL) AppendRequest(dst []byte) ([]byte, error) {
	if i := line.Index(f.request); i >= 0 {
		path, _ := f.url.Path()
		return dst, f.url.Errorf(f.url.PathOffset()+bnf.OctetOffset(path, i), "request", "%w: a request is one line: CR, LF and NUL can't be sent", locus.ErrValue)
	}
	return append(append(dst, f.request...), "\r\n"...), nil
}

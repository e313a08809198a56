package http

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/agent"
	"github.com/locus-url/locus/internal/bnf"
)

// AppendTarget appends the request-target in origin form (RFC 9112 section 3.2.1) to dst. The
// request-target consists of the encoded path and searchpart. AppendTarget escapes only bytes
// that a request-target cannot contain. For an empty path, it appends "/".
func (h URL) AppendTarget(dst []byte) []byte {
	text, _ := h.url.Path()
	return escape.AppendSafer(append(dst, '/'), text, escape.Unsafe().Without("~"), escape.Set{})
}

// hostport returns the host as written in the URL, followed by the port if it is not the
// default port.
func (h URL) hostport() string {
	if n := h.Port(); n != defaultPort(h.url) {
		return h.Host() + ":" + strconv.Itoa(int(n))
	}
	return h.Host()
}

// checkReachable returns an error for a host or port that cannot be dialed.
func (h URL) checkReachable() error {
	u := h.url
	if !isHost(u.Host()) {
		return u.Errorf(u.HostOffset(), "host", "%w: invalid hostname", locus.ErrValue)
	}
	if h.Port() == 0 {
		return u.Errorf(u.HostOffset()+len(u.Host()), "port", "%w: a port is between 1 and 65535", locus.ErrValue)
	}
	return nil
}

// isHost reports whether the client can dial the host. The host must satisfy [locus.IsHost],
// but may end in the dot of a fully qualified name (RFC 3986 section 3.2.2).
func isHost(host string) bool {
	name, dot := strings.CutSuffix(host, ".")
	if !dot {
		return locus.IsHost(host)
	}
	_, err := netip.ParseAddr(name)
	return err != nil && locus.IsHost(name) && name[0] != '['
}

// loginOf returns the decoded user and password in u. If u contains neither, loginOf returns
// nil.
func loginOf(u locus.URL) (*login, error) {
	user, _ := u.User()
	password, hasPassword := u.Password()
	if user == "" && !hasPassword {
		return nil, nil
	}
	l := &login{bnf.Decode(user), bnf.Decode(password)}
	if !l.sendable() {
		return nil, u.Errorf(len(u.Scheme())+3, "user", `%w: ":" in a user name and control characters cannot be sent as Basic credentials`, locus.ErrValue)
	}
	return l, nil
}

// login is a user and password for Basic credentials (RFC 7617).
type login struct{ user, password string }

func (l login) sendable() bool {
	return !strings.Contains(l.user, ":") && strings.IndexFunc(l.user+l.password, func(r rune) bool { return r < ' ' || r == 0x7F }) < 0
}

func (l login) header() string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(l.user+":"+l.password))
}

// earlierTransfer describes the transfer that the client resumes.
type earlierTransfer struct {
	offset int64
	tag    string // a strong entity-tag, or empty
	time   time.Time
}

// destination consists of the server or proxy that receives a request, and of the
// request-target.
type destination struct {
	url     *url.URL
	host    string // value of the Host header field; if empty, the client sends the host in url
	isProxy bool
	login   string // value of Proxy-Authorization; empty if the proxy's URL contains no login
}

// destination returns the server and the request-target for h. It sets the fields of the
// url.URL directly, because url.Parse could change the request-target.
func (h URL) destination() destination {
	path, search, isSearch := strings.Cut(string(h.AppendTarget(nil)), "?")
	// The package net/http sends RawPath unchanged only if it decodes to Path.
	return destination{url: &url.URL{Scheme: h.url.Scheme(), Host: h.hostport(), Path: bnf.Decode(path), RawPath: path, RawQuery: search, ForceQuery: isSearch}}
}

func (w destination) newRequest(ctx context.Context, method string, fields map[string][]string, from earlierTransfer, raw bool) *http.Request {
	req := (&http.Request{
		Method:     method,
		URL:        w.url,
		Host:       w.host,
		Proto:      "HTTP/1.1",
		ProtoMajor: 1,
		ProtoMinor: 1,
		Header:     http.Header{"User-Agent": {agent.Name()}, "Accept": {"*/*"}},
	}).WithContext(ctx)
	for name, values := range fields {
		req.Header[http.CanonicalHeaderKey(name)] = slices.Clone(values)
	}
	if w.login != "" {
		req.Header.Set("Proxy-Authorization", w.login)
	}
	coding := "gzip"
	if raw || from.offset > 0 {
		coding = "identity"
	}
	req.Header.Set("Accept-Encoding", coding)
	if from.offset > 0 {
		req.Header.Set("Range", "bytes="+strconv.FormatInt(from.offset, 10)+"-")
		switch {
		case from.tag != "":
			req.Header.Set("If-Range", from.tag)
		case !from.time.IsZero():
			req.Header.Set("If-Range", from.time.UTC().Format(http.TimeFormat))
		}
	}
	return req
}

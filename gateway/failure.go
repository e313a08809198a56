package gateway

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
)

// kindBusy is the kind of error for an exceeded limit: see [Limits]. Package access defines the
// other kinds.
const kindBusy access.Kind = "busy"

// problem is a failure with its own HTTP status.
type problem struct {
	status int
	kind   access.Kind
	text   string
}

func (p *problem) Error() string { return p.text }

// recordFailure records a failed request for the log. It returns the HTTP status and the kind of
// the failure.
func (w *recorder) recordFailure(err error) (status int, kind access.Kind) {
	var p *problem
	if !errors.As(err, &p) {
		w.failure = access.KindOf(err)
		return statusOf(w.failure), w.failure
	}
	if p.kind == kindBusy {
		w.Header().Set("Retry-After", "1")
	}
	return p.status, p.kind
}

// fail writes the page for an error.
func (v *view) fail(err error) {
	status, kind := v.w.recordFailure(err)
	if lines := v.transcript.list(); len(lines) > 0 {
		v.head.Sent = v.transcript.list
	}
	v.write(status, func(w io.Writer) error { return v.printer.Failure(w, v.head, string(kind), err) })
}

// fail responds with an error. A browser gets a page. Other clients get a line of text that begins
// with the kind of the error.
func (g *Gateway) fail(w *recorder, r *http.Request, err error) {
	if wantsHTML(r) && w.kind != "api" && w.kind != "asset" {
		g.newView(w, r, w.url, "").fail(err)
		return
	}
	protect(w.Header())
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	status, kind := w.recordFailure(err)
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		fmt.Fprintf(w, "%s: %s\n", kind, term.Text(locus.MaskText(strings.TrimPrefix(err.Error(), "locus: "))))
	}
}

// wantsHTML reports whether the client is a browser. In a browser's request, the header Accept
// contains text/html, and no other media type has a higher quality value.
func wantsHTML(r *http.Request) bool {
	accept := strings.Join(r.Header.Values("Accept"), ", ")
	wanted, err := scheme.ParsePreference(accept)
	return err == nil && strings.Contains(accept, "text/html") && wanted.Quality("text/html") > 0 && formatFor(wanted) == menuHTML
}

// statusOf returns the HTTP status for a kind of failure.
func statusOf(k access.Kind) int { return cmp.Or(statuses[k], http.StatusBadGateway) }

var statuses = map[access.Kind]int{
	access.NotFound: http.StatusNotFound, access.Denied: http.StatusForbidden, access.Auth: http.StatusForbidden,
	access.Unsupported: http.StatusNotImplemented, access.Syntax: http.StatusBadRequest, access.Timeout: http.StatusGatewayTimeout,
	access.Interrupted: http.StatusServiceUnavailable,
}

// serverError is an error that a server reported. The resource does not exist, the server requires
// a login, or the response has an error status.
type serverError struct {
	kind     error
	status   int    // HTTP status
	fullText string // text of the response
	text     string // reason, with at most maxReason bytes from the server
}

// maxReason is the maximum size in bytes of the reason in a response.
const maxReason = 1 << 10

func (e *serverError) Error() string { return e.text }

func (e *serverError) Unwrap() error { return e.kind }

// newServerError returns the error for a response about u with the given status and text.
func newServerError(u locus.URL, code int, status, text string) *serverError {
	e := &serverError{kind: scheme.ErrProtocol, status: code, fullText: text}
	switch code {
	case http.StatusNotFound, http.StatusGone:
		e.kind = scheme.ErrNotFound
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		e.kind = scheme.ErrAuth
	}
	if _, after, ok := strings.Cut(text, u.WithoutPassword().Shown()+": "); ok && !isWeb(u.Scheme()) {
		// The text is an error message of the access client.
		e.text = shorten(after)
		return e
	}
	e.text = strings.TrimSuffix("the server responded with "+status+": "+shorten(text), ": ")
	return e
}

// shorten returns at most the first maxReason bytes of text. It does not split a character.
func shorten(text string) string {
	if len(text) <= maxReason {
		return text
	}
	n := maxReason
	for n > maxReason-utf8.UTFMax && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// asServerError converts an error of the access client to a [*serverError] if HTTP has a status for
// the error. Otherwise it returns err.
func asServerError(u locus.URL, err error) error {
	switch access.KindOf(err) {
	case access.NotFound:
		return newServerError(u, http.StatusNotFound, "404 Not Found", term.Text(err.Error()))
	case access.Auth:
		return newServerError(u, http.StatusUnauthorized, "401 Unauthorized", term.Text(err.Error()))
	}
	return err
}

// statusError returns the error for a web server's response to a request for u.
func statusError(u locus.URL, resp *http.Response) error {
	text := ""
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") {
		body, _ := io.ReadAll(io.LimitReader(resp.Body, maxReason+1))
		text = strings.TrimSpace(string(body))
	}
	return newServerError(u, resp.StatusCode, resp.Status, text)
}

// describe returns the error as an object with a line of text, for a client that sent req. The
// parameter m contains the metadata of the server's response.
func (e *serverError) describe(req fetchRequest, m meta) (*scheme.Object, meta) {
	text := term.Text(e.fullText) + "\n"
	o := &scheme.Object{URL: req.URL, Type: "text/plain; charset=utf-8", Size: int64(len(text)), Body: io.NopCloser(strings.NewReader(text))}
	_, h := describe(o)
	h.Set("X-Content-Type-Options", "nosniff")
	for name, values := range m.header {
		if h[name] == nil || req.head && name == "Content-Length" {
			h[name] = values
		}
	}
	return o, meta{status: e.status, header: h}
}

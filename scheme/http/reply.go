package http

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/httpwire"
	"github.com/locus-url/locus/relative"
	"github.com/locus-url/locus/scheme"
)

type response struct {
	*http.Response
	framing  *framing           // detects the end of the response; nil for HTTP/2
	exchange *httpwire.Exchange // the recorded exchange; nil if there is no recorder
}

// maxDiscard is the maximum number of bytes that discard reads from an unwanted body so that
// the connection can be reused.
const maxDiscard = 8 << 10

// maxText is the maximum number of bytes that an error message quotes from the server.
const maxText = 200

// maxRecorded is the maximum number of bytes that discard reads from an unwanted body for a
// recording.
const maxRecorded = 1 << 20

// discard closes an unwanted body.
func (a *response) discard() {
	if a.exchange != nil {
		n, err := io.Copy(io.Discard, io.LimitReader(a.Body, maxRecorded+1))
		if n > maxRecorded {
			err = scheme.ErrTooLarge
		}
		a.finish(err)
		return
	}
	if 0 < a.ContentLength && a.ContentLength <= maxDiscard {
		// If reading fails, net/http closes the connection.
		_, _ = io.Copy(io.Discard, a.Body)
	}
	a.Body.Close()
}

// finish closes the body and ends the recorded exchange. The error err is the reason for
// closing. It is nil if the client read the whole body.
func (a *response) finish(err error) {
	a.exchange.End(err)
	a.Body.Close()
}

// resource returns the resource that the response a contains. It closes the body, unless the
// resource is an object.
func (v *operation) resource(a *response) (scheme.Resource, error) {
	part := v.from.offset > 0
	switch code := a.StatusCode; {
	case code == http.StatusPartialContent && part:
		return v.partialObject(a)
	case code == http.StatusRequestedRangeNotSatisfiable && part:
		return v.emptyObject(a), nil
	case code == http.StatusPartialContent:
		a.discard()
		return nil, fmt.Errorf("%w: the server sent a part instead of the whole object", scheme.ErrProtocol)
	case code/100 == 2:
		return v.object(a, 0, a.ContentLength, a.ContentLength)
	}
	defer a.discard()
	if isRedirect(a.StatusCode) {
		return v.redirect(a)
	}
	return nil, a.failure()
}

// object returns an object that reads the response body. The body begins at the given offset
// in the object. The length is the length of the body, and the size is the size of the whole
// object, both in bytes. A value of -1 means unknown.
func (v *operation) object(a *response, offset, size, length int64) (scheme.Resource, error) {
	coding := contentCoding(a.Header)
	decode := coding == "gzip" && !v.client.options.Raw
	if decode {
		// The given lengths apply to the compressed body.
		size, coding = -1, ""
	}
	limit := v.req.Limit
	if limit > 0 && (size > limit || size < 0 && offset >= limit) {
		a.finish(scheme.ErrTooLarge)
		return nil, fmt.Errorf("%w: %d bytes, and the limit is %d", scheme.ErrTooLarge, max(size, offset), limit)
	}
	o := v.describe(a)
	o.Start, o.Size, o.Encoding = offset, size, coding
	// A transfer cannot be resumed at an offset in the decoded body, because the server counts
	// compressed bytes.
	o.Resumable = !decode && (a.StatusCode == http.StatusPartialContent || acceptsRanges(a.Header))
	if coding != "" {
		o.Note = joinNotes(o.Note, "the content coding "+locus.Quote(coding)+" is not decoded")
	}
	if v.req.Probe {
		a.discard()
		o.Body = http.NoBody
		return o, nil
	}
	o.Body = newRecordedBody(scheme.Limit(newBody(a, length, decode, newTracer(v.req, a.Request)), limit-offset), a)
	return o, nil
}

// describe returns an object with the properties that the response header reports.
func (v *operation) describe(a *response) *scheme.Object {
	o := &scheme.Object{URL: v.req.URL, Type: a.Header.Get("Content-Type"), Refresh: a.Header.Get("Refresh")}
	switch {
	case v.urlLogin == nil:
	case v.login == nil:
		o.Note = "RFC 1738 3.3 allows no user and password in http: the server did not request them, so they were not sent"
	case v.login == v.urlLogin:
		o.Note = "RFC 1738 3.3 allows no user and password in http: the server requested them, so they were sent"
	}
	if tag := a.Header.Get("ETag"); isStrong(tag) {
		o.Tag = tag
	}
	o.ModTime, _ = http.ParseTime(a.Header.Get("Last-Modified"))
	if _, parameters, err := mime.ParseMediaType(a.Header.Get("Content-Disposition")); err == nil {
		o.Name = parameters["filename"]
	}
	return o
}

func joinNotes(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// acceptsRanges reports whether the server supports byte ranges (RFC 9110 section
// 14.3).
func acceptsRanges(h http.Header) bool {
	for unit := range strings.SplitSeq(strings.Join(h.Values("Accept-Ranges"), ","), ",") {
		if strings.EqualFold(strings.TrimSpace(unit), "bytes") {
			return true
		}
	}
	return false
}

// partialObject returns the object in a 206 response. The response must contain the requested
// range, up to the end of the object.
func (v *operation) partialObject(a *response) (scheme.Resource, error) {
	text := a.Header.Get("Content-Range")
	r, ok := parseRange(text)
	length := r.last - r.first + 1
	switch {
	case !ok || r.first < 0:
		ok = false
	case r.first != v.from.offset, length < 1, r.total >= 0 && r.last+1 != r.total:
		ok = false
	case a.ContentLength >= 0 && a.ContentLength != length:
		ok = false
	}
	if !ok {
		a.finish(httpwire.ErrUnread)
		return nil, fmt.Errorf("%w: requested the bytes from %d to the end, but the server sent %d with the Content-Range %s", scheme.ErrProtocol, v.from.offset, a.ContentLength, locus.Quote(text))
	}
	return v.object(a, r.first, r.total, length)
}

// emptyObject returns an object with an empty body. The client uses it if a 416 response shows
// that the caller already has the whole object.
func (v *operation) emptyObject(a *response) scheme.Resource {
	a.discard()
	o := v.describe(a)
	// The Content-Type describes the error page, not the object.
	o.Type = ""
	o.Start, o.Size, o.Body = v.from.offset, v.from.offset, http.NoBody
	return o
}

// isVerdict reports whether the response to HEAD makes a GET unnecessary. Many servers reject
// HEAD even though the object exists, with a status such as 403, 404, 410 or 501. A response
// that requests a pause makes a GET unnecessary for now, because the server would reject it
// too.
func (a *response) isVerdict() bool {
	switch a.StatusCode {
	case http.StatusProxyAuthRequired:
		return true
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		_, _, later := a.retryAfter()
		return later
	}
	return a.StatusCode/100 == 2 || isRedirect(a.StatusCode)
}

// isResponse reports whether err is an error in the response, rather than in the URL or the
// connection.
func isResponse(err error) bool {
	var dial *dialError
	var secure *tlsError
	var syntax *locus.SyntaxError
	return !errors.As(err, &dial) && !errors.As(err, &secure) && !errors.As(err, &syntax) && !isTimeout(err)
}

// mustRestart reports whether the client must request the whole object, because the object has
// changed or the response has a content coding.
func (v *operation) mustRestart(a *response) bool {
	switch a.StatusCode {
	case http.StatusPartialContent:
		coded := contentCoding(a.Header) != "" && !v.client.options.Raw
		return coded || v.hasChanged(a)
	case http.StatusRequestedRangeNotSatisfiable:
		r, ok := parseRange(a.Header.Get("Content-Range"))
		return !ok || r.first >= 0 || r.total != v.from.offset || v.hasChanged(a)
	}
	return false
}

// hasChanged reports whether the object has changed since the earlier transfer.
func (v *operation) hasChanged(a *response) bool {
	if tag := a.Header.Get("ETag"); v.from.tag != "" && tag != "" {
		return tag != v.from.tag
	}
	modified, err := http.ParseTime(a.Header.Get("Last-Modified"))
	return err == nil && !v.from.time.IsZero() && !modified.Equal(v.from.time.Truncate(time.Second))
}

// byteRange is a parsed Content-Range. In the response to an unsatisfiable range, first is -1.
// If the total size is unknown, total is -1.
type byteRange struct{ first, last, total int64 }

// parseRange reads the value of Content-Range (RFC 9110 section 14.4):
//
//	"bytes" SP ( first "-" last "/" ( total | "*" ) | "*" "/" total )
func parseRange(text string) (r byteRange, ok bool) {
	unit, text, _ := strings.Cut(text, " ")
	span, total, cut := strings.Cut(text, "/")
	if !strings.EqualFold(unit, "bytes") || !cut {
		return r, false
	}
	ok = true
	number := func(text string) int64 {
		n, err := strconv.ParseUint(text, 10, 63)
		ok = ok && err == nil
		return int64(n)
	}
	r = byteRange{-1, -1, -1}
	if span != "*" {
		first, last, _ := strings.Cut(span, "-")
		r.first, r.last = number(first), number(last)
	}
	if total != "*" || span == "*" {
		r.total = number(total)
	}
	return r, ok
}

// contentCoding returns the content coding in lower case, or "" if there is none.
func contentCoding(h http.Header) string {
	switch coding := strings.ToLower(strings.TrimSpace(strings.Join(h.Values("Content-Encoding"), ", "))); coding {
	case "identity":
		return ""
	case "x-gzip": // an older name for gzip (RFC 9110 section 8.4.1.3)
		return "gzip"
	default:
		return coding
	}
}

// isStrong reports whether tag is a strong entity-tag (RFC 9110 section 8.8.3). Only a strong
// tag can be used to resume a transfer.
func isStrong(tag string) bool {
	if len(tag) < 2 || tag[0] != '"' || tag[len(tag)-1] != '"' {
		return false
	}
	inner := tag[1 : len(tag)-1]
	return strings.IndexFunc(inner, func(r rune) bool { return r <= ' ' || r == '"' || r == 0x7F }) < 0
}

// isRedirect reports whether the status code means a redirect. Status 304 is excluded, because
// this client does not send conditional requests. Status 305 is excluded, because a server
// must not choose a proxy.
func isRedirect(code int) bool {
	switch code {
	case http.StatusMultipleChoices, http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

func (v *operation) redirect(a *response) (scheme.Resource, error) {
	location := a.Header.Get("Location")
	if location == "" {
		return nil, fmt.Errorf("%w: redirect (%d) without a Location", scheme.ErrProtocol, a.StatusCode)
	}
	to, err := resolve(v.req.URL, location)
	if err != nil {
		return nil, fmt.Errorf("%w: redirect to an invalid URL: %w", scheme.ErrProtocol, err)
	}
	permanent := a.StatusCode == http.StatusMovedPermanently || a.StatusCode == http.StatusPermanentRedirect
	return &scheme.Redirect{URL: v.req.URL, To: []locus.URL{to}, Permanent: permanent}, nil
}

// resolve returns the URL in a Location field. The location may be relative to base (RFC 9110
// section 10.2.2). The function does not normalize base or location, but a "?" ends the host.
func resolve(base locus.URL, location string) (locus.URL, error) {
	r, err := relative.Parse(location)
	if err != nil {
		return locus.URL{}, err
	}
	if u, absolute := r.URL(); absolute {
		return u, nil
	}
	if defaultPort(base) == 0 {
		// If a proxy fetched the base URL with another protocol, such as gopher, a relative
		// Location has no meaning.
		return locus.Parse(location)
	}
	return r.Resolve(base)
}

func (a *response) basicRealm() (realm string, ok bool) {
	for _, c := range parseChallenges(a.Header.Values("WWW-Authenticate")) {
		if strings.EqualFold(c.scheme, "Basic") {
			return c.realm, true
		}
	}
	return "", false
}

// failure returns the error for a response whose status means that there is no resource.
func (a *response) failure() error {
	kind := scheme.ErrProtocol
	switch a.StatusCode {
	case http.StatusNotFound, http.StatusGone:
		kind = scheme.ErrNotFound
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		kind = scheme.ErrAuth
	}
	_, text, _ := strings.Cut(a.Status, " ")
	// The message of a textproto.Error is quoted only when the error is shown.
	err := fmt.Errorf("%w: %w", kind, &textproto.Error{Code: a.StatusCode, Msg: text[:min(len(text), maxText)]})
	after, until, later := a.retryAfter()
	switch {
	case a.StatusCode == http.StatusUnauthorized:
		err = scheme.Hint(err, a.loginHint())
	case a.StatusCode == http.StatusProxyAuthRequired:
		err = scheme.Hint(err, "the proxy requires another user and password: write them in the proxy's URL")
	case later:
		err = scheme.Hint(err, "wait "+until)
	}
	if isTemporary(a.StatusCode, later) {
		err = &scheme.RetryAfterError{Err: err, After: after}
	}
	return err
}

// isTemporary reports whether the status means a temporary failure, so that a later request
// may succeed. If hasRetryAfter is true, the response contains a Retry-After field.
func isTemporary(status int, hasRetryAfter bool) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests,
		http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	case http.StatusForbidden, http.StatusRequestEntityTooLarge:
		return hasRetryAfter // some APIs send 403 if a client exceeds the request limit; for 413, see RFC 9110 section 15.5.14
	}
	return status >= 520 && status < 530 // Cloudflare sends these codes if the origin server did not respond
}

// retryAfter parses the Retry-After field (RFC 9110 section 10.2.3). It returns the requested
// delay in two forms: as a duration, and as text for the user. If the field contains a date,
// the delay is the difference from the response's Date field. If that field is missing, the
// delay is counted from now.
func (a *response) retryAfter() (delay time.Duration, delayText string, ok bool) {
	text := strings.TrimSpace(a.Header.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		delay = time.Duration(seconds) * time.Second
		return delay, fmt.Sprintf("%v before the next try", delay), true
	}
	when, err := http.ParseTime(text)
	if err != nil {
		return 0, "", false
	}
	now, err := http.ParseTime(a.Header.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return max(when.Sub(now), 0), "until " + when.UTC().Format(time.RFC3339), true
}

func (a *response) loginHint() string {
	if realm, ok := a.basicRealm(); ok {
		return "the server requires a user and password for " + locus.Quote(realm)
	}
	var names []string
	for _, c := range parseChallenges(a.Header.Values("WWW-Authenticate")) {
		names = append(names, c.scheme)
	}
	return "only Basic logins are supported, but the server requires " + locus.Quote(strings.Join(names, ", "))
}

// quoted wraps an error whose message may contain text from the server, and quotes it.
type quoted struct{ error }

func (q quoted) Error() string { return locus.Quote(q.error.Error()) }
func (q quoted) Unwrap() error { return q.error }

// explain translates an error of net/http into an error of package scheme.
func explain(ctx context.Context, err error) error {
	var dial *dialError
	var syntax *locus.SyntaxError
	var status *textproto.Error
	var secure *tlsError
	var record tls.RecordHeaderError
	var certificate *tls.CertificateVerificationError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &dial):
		return dial.error
	case errors.As(err, &syntax), errors.As(err, &status), errors.Is(err, scheme.ErrProtocol), errors.Is(err, fs.ErrClosed), isTimeout(err):
		return err
	case errors.As(err, &certificate):
		return scheme.Hint(fmt.Errorf("%w: %w", scheme.ErrUnreachable, quoted{certificate}), "the server's certificate is not trusted for this host")
	case errors.As(err, &record):
		return scheme.Hint(fmt.Errorf("%w: %w", scheme.ErrUnreachable, quoted{err}), "the server does not speak TLS there: write http instead of https")
	case errors.As(err, &secure):
		return fmt.Errorf("%w: TLS: %w", scheme.ErrUnreachable, quoted{secure.error})
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%w: the server closed the connection without a response", scheme.ErrProtocol)
	case strings.Contains(err.Error(), "malformed HTTP"):
		// The client does not support HTTP/0.9, which has no header, because any banner of
		// another protocol would then be a page.
		return fmt.Errorf("%w: the server does not speak HTTP: %w", scheme.ErrProtocol, quoted{err})
	case strings.Contains(err.Error(), "response header"): // net/http has no error type for an oversized header
		return fmt.Errorf("%w: the header has more than %d bytes", scheme.ErrProtocol, maxHeader)
	default:
		return fmt.Errorf("%w: %w", scheme.ErrProtocol, quoted{err})
	}
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}

// Package reqctx attaches to an HTTP request what a gateway and package roundtrip need to
// know of it besides.
package reqctx

import (
	"context"
	"net/http"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// KindHeader is the header field that tells a menu, with the value "menu", from an
// object of the same media type.
const KindHeader = "Locus-Kind"

type urlKey struct{}

// WithURL returns a copy of req that carries u, the URL it asks for, so that the text of
// req.URL is not parsed again.
func WithURL(req *http.Request, u locus.URL) *http.Request {
	return req.WithContext(context.WithValue(req.Context(), urlKey{}, u))
}

// URL returns the URL that req asks for: the one of [WithURL], or else the text of
// req.URL, parsed.
func URL(req *http.Request) (locus.URL, error) {
	text := req.URL.String()
	// An http.Client that follows a redirect keeps the context and replaces the URL.
	if u, ok := req.Context().Value(urlKey{}).(locus.URL); ok && u.String() == text {
		return u, nil
	}
	return locus.Parse(text)
}

type traceKey struct{}

// WithTrace returns a context for requests whose conversations are passed to trace.
func WithTrace(ctx context.Context, trace scheme.TraceFunc) context.Context {
	return context.WithValue(ctx, traceKey{}, trace)
}

// Trace returns the function of [WithTrace], or nil.
func Trace(ctx context.Context) scheme.TraceFunc {
	trace, _ := ctx.Value(traceKey{}).(scheme.TraceFunc)
	return trace
}

package roundtrip

import (
	"context"
	"net/http"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

type urlKey struct{}

// WithURL returns a copy of req that carries u, the URL it asks for, so that a
// [Transport] does not parse the text of req.URL again.
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

func traceOf(ctx context.Context) scheme.TraceFunc {
	trace, _ := ctx.Value(traceKey{}).(scheme.TraceFunc)
	return trace
}

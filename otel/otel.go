// Package otel traces the requests of Locus with OpenTelemetry.
//
//	client := access.New(registry, rules, &access.Options{
//		Observe: otel.Observe(&otel.Options{Provider: provider}),
//	})
//
// Each request of the client is a span, and so is each redirect. The parent of a span is
// the span in the context that the program passes to the client. A gateway with such a
// client makes spans for its requests to servers. The OpenTelemetry package otelhttp makes
// spans for requests to the gateway:
//
//	http.Handle("/", otelhttp.NewHandler(g, "gateway"))
package otel

import (
	"context"
	"strings"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/locus-url/locus/access"
)

// Options configures [Observe]. The zero Options selects the defaults.
type Options struct {
	// Provider makes the tracer. If Provider is nil, Observe uses the global provider of
	// OpenTelemetry.
	Provider trace.TracerProvider

	// Propagator writes the trace context into the header of requests to HTTP servers,
	// which may belong to other people. If Propagator is nil, servers get no trace context.
	Propagator propagation.TextMapPropagator

	// Propagate reports whether the server at the given host gets the trace context. The
	// host is written as in [access.Attempt]. If Propagate is nil, each server gets the
	// trace context. Without a Propagator, Propagate has no effect.
	Propagate func(host string) bool
}

// scope is the name of the tracer.
const scope = "github.com/locus-url/locus/otel"

// Observe returns a function for [access.Options] that makes a span for each request. The
// options o may be nil. The returned function may be called concurrently. Spans contain no
// passwords, and no text from a server.
//
// The name of a span is "request" and the scheme. The kind of a span is client. A span has
// these attributes:
//
//	url.full, url.scheme    the URL, without a password
//	server.address          the host of the URL
//	locus.plan              the destination: see [access.Attempt]
//	locus.proxies           the proxies and templates
//	locus.hop               the number of redirects before the request
//	locus.bytes             the bytes that the program read from an object
//	error.type              the [access.Kind] of the failure
//	locus.rule              the rule of the policy that denied the request
func Observe(o *Options) access.ObserveFunc {
	if o == nil {
		o = new(Options)
	}
	provider := o.Provider
	if provider == nil {
		provider = otel.GetTracerProvider()
	}
	tracer := provider.Tracer(scope)
	return func(ctx context.Context, a access.Attempt) func(access.AttemptResult) {
		ctx, span := tracer.Start(ctx, "request "+a.Scheme, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attributes(a)...))
		if o.Propagator != nil && a.Plan != "archive" && (o.Propagate == nil || o.Propagate(a.Host)) {
			o.Propagator.Inject(ctx, propagation.HeaderCarrier(a.Header))
		}
		return func(r access.AttemptResult) {
			span.SetAttributes(attribute.Int64("locus.bytes", r.Bytes))
			if r.Err != nil {
				span.SetAttributes(attribute.String("error.type", string(r.Kind)))
				span.SetStatus(codes.Error, string(r.Kind))
			}
			if r.Rule != "" {
				span.SetAttributes(attribute.String("locus.rule", r.Rule))
			}
			span.End()
		}
	}
}

// attributes returns the attributes of a span at the start of a request. It converts texts to valid
// UTF-8, because OpenTelemetry rejects other texts.
func attributes(a access.Attempt) []attribute.KeyValue {
	valid := func(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
	list := []attribute.KeyValue{attribute.String("url.full", valid(a.URL)), attribute.String("url.scheme", a.Scheme), attribute.Int("locus.hop", a.Hop)}
	if a.Host != "" {
		list = append(list, attribute.String("server.address", valid(a.Host)))
	}
	if a.Plan != "" {
		list = append(list, attribute.String("locus.plan", a.Plan))
	}
	if len(a.Proxies) > 0 {
		names := make([]string, len(a.Proxies))
		for i, p := range a.Proxies {
			names[i] = valid(p.String())
		}
		list = append(list, attribute.StringSlice("locus.proxies", names))
	}
	return list
}

package otel_test

import (
	"context"
	"log"
	"net/http"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/gateway"
	"github.com/locus-url/locus/otel"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme/all"
)

// A gateway that sends spans to the collector of OTEL_EXPORTER_OTLP_ENDPOINT.
func Example() {
	exporter, err := otlptracehttp.New(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter))
	defer provider.Shutdown(context.Background())

	registry, err := all.Registry()
	if err != nil {
		log.Fatal(err)
	}
	client := access.New(registry, policy.Policy{}, &access.Options{
		Observe: otel.Observe(&otel.Options{Provider: provider}),
	})
	g, err := gateway.New(client, nil)
	if err != nil {
		log.Fatal(err)
	}
	traced := otelhttp.NewHandler(g, "gateway", otelhttp.WithTracerProvider(provider))
	log.Fatal(http.ListenAndServe("127.0.0.1:1738", traced))
}

package otel_test

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/cache"
	"github.com/locus-url/locus/gateway"
	"github.com/locus-url/locus/otel"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
)

// receiver is an OTLP receiver over HTTP.
type receiver struct {
	mu    sync.Mutex
	spans []*tracepb.Span
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	var message collector.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(body, &message)
	}
	if err != nil || req.URL.Path != "/v1/traces" {
		http.Error(w, "not a trace", http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, of := range message.GetResourceSpans() {
		for _, in := range of.GetScopeSpans() {
			r.spans = append(r.spans, in.GetSpans()...)
		}
	}
}

// take returns the spans that were received, in the order of their start times.
func (r *receiver) take() []*tracepb.Span {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.spans
	r.spans = nil
	slices.SortStableFunc(list, func(a, b *tracepb.Span) int {
		return cmp.Compare(a.GetStartTimeUnixNano(), b.GetStartTimeUnixNano())
	})
	return list
}

// newProvider returns a provider that sends each span to the receiver when it ends.
func newProvider(t *testing.T) (*receiver, *sdktrace.TracerProvider) {
	t.Helper()
	r := new(receiver)
	server := httptest.NewServer(r)
	exporter, err := otlptracehttp.New(t.Context(), otlptracehttp.WithEndpointURL(server.URL+"/v1/traces"), otlptracehttp.WithRetry(otlptracehttp.RetryConfig{}))
	if err != nil {
		t.Fatal(err)
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter))
	t.Cleanup(func() {
		if err := provider.Shutdown(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
		server.Close()
	})
	return r, provider
}

// site redirects /1 to /2 and /2 to /3. It records the traceparent of each request.
type site struct {
	*httptest.Server
	mu      sync.Mutex
	parents []string
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := new(site)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.parents = append(s.parents, r.Header.Get("Traceparent"))
		s.mu.Unlock()
		switch r.URL.Path {
		case "/1":
			http.Redirect(w, r, "/2", http.StatusFound)
		case "/2":
			http.Redirect(w, r, "/3", http.StatusFound)
		case "/3":
			io.WriteString(w, "hello")
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *site) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.parents
	s.parents = nil
	return list
}

func newClient(t *testing.T, o *otel.Options) *access.Client {
	t.Helper()
	registry, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	rules, err := policy.New(policy.Rules{AllowPrivate: true, Passwords: true})
	if err != nil {
		t.Fatal(err)
	}
	c := access.New(registry, rules, &access.Options{Observe: otel.Observe(o)})
	t.Cleanup(func() {
		c.Close()
		for _, s := range registry.All() {
			if opener, ok := s.Access.Opener.(io.Closer); ok {
				opener.Close()
			}
		}
	})
	return c
}

// value returns an attribute of a span as text.
func value(s *tracepb.Span, key string) string {
	for _, a := range s.GetAttributes() {
		if a.GetKey() != key {
			continue
		}
		switch v := a.GetValue(); {
		case v.GetArrayValue() != nil:
			return v.GetArrayValue().GetValues()[0].GetStringValue()
		case v.GetStringValue() != "":
			return v.GetStringValue()
		default:
			return string(rune('0' + v.GetIntValue()))
		}
	}
	return ""
}

// summary returns the properties of a span that the tests compare.
func summary(s *tracepb.Span, base string) string {
	list := make([]string, 0, 7)
	for _, key := range []string{"url.full", "server.address", "locus.plan", "locus.hop", "locus.bytes", "error.type", "locus.rule"} {
		list = append(list, strings.ReplaceAll(value(s, key), base, ""))
	}
	return s.GetName() + " " + strings.Join(list, "|")
}

// A request with redirects makes a span for each request, below the span of the caller, and
// sends the trace context to the server.
func TestGet(t *testing.T) {
	r, provider := newProvider(t)
	s := newSite(t)
	c := newClient(t, &otel.Options{Provider: provider, Propagator: propagation.TraceContext{}})
	ctx, whole := provider.Tracer("test").Start(t.Context(), "get")
	secret := strings.Replace(s.URL, "http://", "http://user:s3cret@", 1)
	for _, u := range []string{s.URL + "/1", secret + "/3"} {
		result, err := c.Open(ctx, u)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, result.Resource.(*scheme.Object).Body); err != nil {
			t.Fatal(err)
		}
		result.Close()
	}
	for _, u := range []string{s.URL + "/none", "http://127.0.0.1:25/"} {
		if _, err := c.Open(ctx, u); err == nil {
			t.Errorf("%s was opened", u)
		}
	}
	whole.End()

	spans := r.take()
	shown := strings.Replace(s.URL, "http://", "http://user:***@", 1)
	want := []string{
		"get ||||||",
		"request http /1|127.0.0.1|direct|0|0||",
		"request http /2|127.0.0.1|direct|1|0||",
		"request http /3|127.0.0.1|direct|2|5||",
		"request http " + shown + "/3|127.0.0.1|direct|0|5||",
		"request http /none|127.0.0.1|direct|0|0|not-found|",
		"request http http://127.0.0.1:25/|127.0.0.1||0|0|denied|port",
	}
	var got, parents []string
	for i, span := range spans {
		got = append(got, summary(span, s.URL))
		if i == 0 {
			continue
		}
		if string(span.GetParentSpanId()) != string(spans[0].GetSpanId()) || span.GetKind() != tracepb.Span_SPAN_KIND_CLIENT {
			t.Errorf("%s: parent %x, kind %s", span.GetName(), span.GetParentSpanId(), span.GetKind())
		}
		if failed := span.GetStatus().GetCode() == tracepb.Status_STATUS_CODE_ERROR; failed != (value(span, "error.type") != "") {
			t.Errorf("%s: status %v", span.GetName(), span.GetStatus())
		}
		parents = append(parents, traceparent(span))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if sent := s.take(); len(parents) < 5 || !slices.Equal(sent, parents[:5]) {
		t.Errorf("the server received %q, want %q", sent, parents)
	}
}

func traceparent(s *tracepb.Span) string {
	const hex = "0123456789abcdef"
	var b strings.Builder
	b.WriteString("00-")
	for _, octets := range [][]byte{s.GetTraceId(), s.GetSpanId()} {
		for _, c := range octets {
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
		b.WriteByte('-')
	}
	return b.String() + "01"
}

// Without a propagator, and for other hosts, servers get no trace context.
func TestNoPropagation(t *testing.T) {
	_, provider := newProvider(t)
	s := newSite(t)
	for _, o := range []*otel.Options{
		{Provider: provider},
		{Provider: provider, Propagator: propagation.TraceContext{}, Propagate: func(host string) bool { return host == "trusted.example" }},
	} {
		result, err := newClient(t, o).Open(t.Context(), s.URL+"/3")
		if err != nil {
			t.Fatal(err)
		}
		result.Close()
		if got := s.take(); len(got) != 1 || got[0] != "" {
			t.Errorf("the server received %q", got)
		}
	}
}

// A request for a gateway page makes a span, with a child span for each request to a
// server. A page from the cache makes no child span.
func TestGatewayPage(t *testing.T) {
	r, provider := newProvider(t)
	s := newSite(t)
	c := newClient(t, &otel.Options{Provider: provider, Propagator: propagation.TraceContext{}})
	store, err := cache.Open(t.TempDir(), c.Registry(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for _, o := range []gateway.Options{{}, {Cache: store}} {
		g, err := gateway.New(c, &o)
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		h := otelhttp.NewHandler(g, "gateway", otelhttp.WithTracerProvider(provider))
		req := httptest.NewRequest(http.MethodGet, "/?url="+url.QueryEscape(s.URL+"/3"), nil)
		req.Host = "localhost"
		page := httptest.NewRecorder()
		h.ServeHTTP(page, req)
		if page.Code != http.StatusOK || !strings.Contains(page.Body.String(), "hello") {
			t.Fatalf("%d %s", page.Code, page.Body)
		}
		spans := r.take()
		if len(spans) != 2 || spans[0].GetKind() != tracepb.Span_SPAN_KIND_SERVER || string(spans[1].GetParentSpanId()) != string(spans[0].GetSpanId()) {
			t.Fatalf("%v", spans)
		}
		if got, want := summary(spans[1], s.URL), "request http /3|127.0.0.1|direct|0|5||"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if got := s.take(); len(got) != 1 || got[0] != traceparent(spans[1]) {
			t.Errorf("the server received %q, want %s", got, traceparent(spans[1]))
		}
	}
}

// Spans name proxies without their passwords. Text that is not UTF-8 is replaced.
func TestAttributes(t *testing.T) {
	r, provider := newProvider(t)
	observe := otel.Observe(&otel.Options{Provider: provider})
	proxy, err := access.ParseProxy("http://me:s3cret@proxy.example")
	if err != nil {
		t.Fatal(err)
	}
	u := locus.MustParse("gopher://a.example/1x")
	observe(t.Context(), access.Attempt{URL: u.Shown() + "\xff", Scheme: u.Scheme(), Host: "a.example", Plan: "proxy", Proxies: []access.Proxy{proxy}, Header: http.Header{}})(access.AttemptResult{})
	spans := r.take()
	if len(spans) != 1 {
		t.Fatalf("%d spans", len(spans))
	}
	if got := value(spans[0], "locus.proxies") + " " + value(spans[0], "url.full"); got != "http://me:***@proxy.example gopher://a.example/1x\uFFFD" {
		t.Errorf("%q", got)
	}
}

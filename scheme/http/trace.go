package http

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// secretFields lists the header fields whose values a trace must hide. For the first two
// fields, the trace contains the authentication scheme.
var secretFields = []string{"Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "Set-Cookie2", "Authentication-Info", "Proxy-Authentication-Info"}

// tracer reports a request and its response to a [scheme.TraceFunc]. It reports the header
// fields of the request as the client writes them. It sorts the response header fields,
// because net/http does not preserve their order. For HTTP/2, it also reports the
// pseudo-header fields.
type tracer struct {
	req *scheme.Request

	mu     sync.Mutex // needed because net/http writes the request in another goroutine
	target string     // the request line; empty after the tracer has reported the line
	ended  bool
}

func newTracer(req *scheme.Request, r *http.Request) *tracer {
	if req.Trace == nil {
		return &tracer{req: req}
	}
	return &tracer{req: req, target: r.Method + " " + maskTarget(r.URL.RequestURI()) + " HTTP/1.1"}
}

// maskTarget masks the passwords of URLs in a request-target.
func maskTarget(target string) string {
	if !strings.HasPrefix(target, "/") {
		return locus.Mask(target) // in a request to a proxy, the request-target is a whole URL
	}
	const origin = "http://h"
	return strings.TrimPrefix(locus.Mask(origin+target), origin)
}

func (t *tracer) hook(to *httptrace.ClientTrace) {
	if t.req.Trace != nil {
		to.WroteHeaderField = t.wrote
	}
}

func (t *tracer) wrote(name string, values []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return
	}
	if t.target != "" && !strings.HasPrefix(name, ":") {
		t.req.Traced(true, t.target)
	}
	// In HTTP/2, the pseudo-header fields come first and replace the request line.
	t.target = ""
	for _, value := range values {
		t.req.Traced(true, fieldLine(name, value))
	}
}

// stopTracing makes the tracer ignore later calls. They are possible because net/http may still be
// writing the request.
func (t *tracer) stopTracing() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
}

func (t *tracer) received(r *http.Response) {
	if t.req.Trace == nil {
		return
	}
	t.req.Traced(false, r.Proto+" "+r.Status)
	t.fields(r.Header)
}

func (t *tracer) fields(h http.Header) {
	if t.req.Trace == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, value := range h[name] {
			t.req.Traced(false, fieldLine(name, value))
		}
	}
}

// fieldLine returns a header field without secrets.
func fieldLine(name, value string) string {
	switch key := http.CanonicalHeaderKey(name); {
	case slices.Contains(secretFields[:2], key):
		scheme, _, _ := strings.Cut(value, " ")
		value = scheme + " ***"
	case slices.Contains(secretFields, key):
		value = "***"
	case name == ":path":
		value = maskTarget(value)
	case key == "Location", key == "Content-Location", key == "Refresh", key == "Link":
		// The values of these header fields may contain a URL with a password.
		value = locus.Mask(value)
	}
	return fmt.Sprintf("%s: %s", name, value)
}

package gateway

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/locus-url/locus/access"
)

// families maps the name of each metric to its type and help text.
var families = map[string]struct{ kind, help string }{
	"locus_gateway_requests_total":     {"counter", "Requests that were answered."},
	"locus_gateway_sent_bytes_total":   {"counter", "Octets of answers."},
	"locus_gateway_request_seconds":    {"histogram", "How long answers took."},
	"locus_gateway_requests_under_way": {"gauge", "Requests that are being answered."},
	"locus_gateway_clients":            {"gauge", "Clients with a request under way."},
	"locus_gateway_hosts":              {"gauge", "Servers with a request under way."},
	"locus_gateway_terminals":          {"gauge", "Terminals that are open."},

	"locus_gateway_terminals_opened_total":     {"counter", "Terminals that were opened."},
	"locus_gateway_upstream_requests_total":    {"counter", "Requests to servers that ended, by scheme and outcome."},
	"locus_gateway_upstream_bytes_total":       {"counter", "Bytes read from objects of servers."},
	"locus_gateway_denials_total":              {"counter", "Requests that the policy denied, by rule."},
	"locus_gateway_cache_requests_total":       {"counter", "Requests to the cache, by result."},
	"locus_gateway_cache_stale_total":          {"counter", "Cache hits with a stale response."},
	"locus_gateway_cache_stored_total":         {"counter", "Responses that the cache stored."},
	"locus_gateway_cache_evicted_total":        {"counter", "Responses that the cache evicted."},
	"locus_gateway_cache_write_errors_total":   {"counter", "Failed writes of the cache."},
	"locus_gateway_cache_entries":              {"gauge", "Responses in the cache."},
	"locus_gateway_cache_bytes":                {"gauge", "Size of the cache on disk."},
	"locus_gateway_archive_records_total":      {"counter", "Records written to the web archive."},
	"locus_gateway_archive_write_errors_total": {"counter", "Failed writes of the web archive."},
}

// gatewayMetrics holds the metrics that a gateway counts.
type gatewayMetrics struct {
	set  *metrics.Set
	took *metrics.PrometheusHistogram

	terminals *metrics.Counter // number of terminals that were opened

	// isRegistered reports whether a scheme is registered.
	isRegistered func(scheme string) bool

	mu       sync.Mutex
	keys     map[requestKey]requestCounters
	upstream map[upstreamKey]requestCounters
	denials  map[string]*metrics.Counter
}

// upstreamKey labels requests to servers. The outcome is "ok" or an [access.Kind].
type upstreamKey struct{ scheme, outcome string }

// requestKey contains the labels of a request. The number of different keys is limited, so that
// clients cannot fill the memory.
type requestKey struct {
	kind, scheme string
	status       int
}

// requestCounters contains the counters for a key. Keys of the same kind share the counter of sent
// bytes.
type requestCounters struct{ requests, sent *metrics.Counter }

func newMetrics(isRegistered func(scheme string) bool) *gatewayMetrics {
	set := metrics.NewSet()
	took := set.NewPrometheusHistogramExt("locus_gateway_request_seconds", []float64{0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60})
	return &gatewayMetrics{
		set: set, took: took, isRegistered: isRegistered,
		terminals: set.NewCounter("locus_gateway_terminals_opened_total"),
		keys:      make(map[requestKey]requestCounters), upstream: make(map[upstreamKey]requestCounters), denials: make(map[string]*metrics.Counter),
	}
}

// observe is an [access.ObserveFunc] that counts the requests of the gateway to servers. It
// does not count requests to an archive.
func (m *gatewayMetrics) observe(_ context.Context, a access.Attempt) func(access.AttemptResult) {
	if a.Plan == "archive" {
		return nil
	}
	return func(r access.AttemptResult) {
		key := upstreamKey{a.Scheme, cmp.Or(string(r.Kind), "ok")}
		if !m.isRegistered(key.scheme) {
			key.scheme = "other"
		}
		c := m.upstreamCounters(key)
		c.requests.Inc()
		c.sent.AddInt64(r.Bytes)
		if r.Rule != "" {
			m.denialCounter(r.Rule).Inc()
		}
	}
}

func (m *gatewayMetrics) upstreamCounters(key upstreamKey) requestCounters {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, ok := m.upstream[key]
	if !ok {
		c.requests = m.set.NewCounter(fmt.Sprintf("locus_gateway_upstream_requests_total{scheme=%q,outcome=%q}", key.scheme, key.outcome))
		c.sent = m.set.GetOrCreateCounter(fmt.Sprintf("locus_gateway_upstream_bytes_total{scheme=%q}", key.scheme))
		m.upstream[key] = c
	}
	return c
}

// maxRules limits the number of policy rules with their own counter. Further rules count as
// "other". The Check function in [access.Options] can add rules.
const maxRules = 64

func (m *gatewayMetrics) denialCounter(rule string) *metrics.Counter {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.denials[rule]; !ok && len(m.denials) >= maxRules {
		rule = "other"
	}
	c, ok := m.denials[rule]
	if !ok {
		c = m.set.NewCounter(fmt.Sprintf("locus_gateway_denials_total{rule=%q}", rule))
		m.denials[rule] = c
	}
	return c
}

func (m *gatewayMetrics) count(w *recorder, took time.Duration) {
	key := requestKey{cmp.Or(w.kind, "other"), "", w.status}
	if !w.url.IsZero() {
		key.scheme = w.url.Scheme()
		if len(key.scheme) > 16 {
			key.scheme = "other"
		}
	}
	c := m.counters(key)
	c.requests.Inc()
	c.sent.AddInt64(w.octets)
	m.took.Update(took.Seconds())
}

// maxKeys limits the number of keys. Further keys get the scheme "other".
const maxKeys = 1024

func (m *gatewayMetrics) counters(key requestKey) requestCounters {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.keys[key]; !ok && len(m.keys) >= maxKeys {
		key.scheme = "other"
	}
	c, ok := m.keys[key]
	if !ok {
		c.requests = m.set.NewCounter(fmt.Sprintf(`locus_gateway_requests_total{kind=%q,scheme=%q,status="%d"}`, key.kind, key.scheme, key.status))
		c.sent = m.set.GetOrCreateCounter(fmt.Sprintf("locus_gateway_sent_bytes_total{kind=%q}", key.kind))
		m.keys[key] = c
	}
	return c
}

// serveMetrics serves the metrics in the text format of Prometheus.
func (g *Gateway) serveMetrics(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	var b bytes.Buffer
	_ = g.WriteMetrics(&b) // a buffer returns no error
	if more := g.options.Metrics; more != nil {
		more(&b)
	}
	// WriteTo fails only if the client has disconnected.
	_, _ = b.WriteTo(w)
}

// WriteMetrics writes the metrics of the gateway in the text format of Prometheus. A
// request for the path /metrics returns the same metrics and the metrics that
// Options.Metrics writes.
func (g *Gateway) WriteMetrics(w io.Writer) error {
	var values, b bytes.Buffer
	g.metrics.set.WritePrometheus(&values)
	requests, clients, hosts, sessions := g.limiter.currentCounts()
	metrics.WriteGaugeUint64(&values, "locus_gateway_requests_under_way", uint64(requests))
	metrics.WriteGaugeUint64(&values, "locus_gateway_clients", uint64(clients))
	metrics.WriteGaugeUint64(&values, "locus_gateway_hosts", uint64(hosts))
	metrics.WriteGaugeUint64(&values, "locus_gateway_terminals", uint64(sessions))
	g.writeCacheMetrics(&values)
	if r := g.options.Recorder; r != nil {
		c := r.Counts()
		metrics.WriteCounterUint64(&values, "locus_gateway_archive_records_total", c.Records)
		metrics.WriteCounterUint64(&values, "locus_gateway_archive_write_errors_total", c.Errors)
	}
	last := ""
	for line := range strings.Lines(values.String()) {
		if line[0] == '#' {
			continue // the program called metrics.ExposeMetadata, so this line contains no help text
		}
		name := line[:strings.IndexAny(line, "{ ")]
		if _, ok := families[name]; !ok {
			name = name[:strings.LastIndexByte(name, '_')] // remove "_bucket", "_sum" or "_count"
		}
		if name != last {
			last = name
			fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", name, families[name].help, name, families[name].kind)
		}
		b.WriteString(line)
	}
	_, err := b.WriteTo(w)
	return err
}

// writeCacheMetrics writes the metrics of the cache, if there is one.
func (g *Gateway) writeCacheMetrics(w io.Writer) {
	if g.options.Cache == nil {
		return
	}
	s := g.options.Cache.Stats()
	for _, r := range []struct {
		result string
		n      uint64
	}{{"hit", s.Hits}, {"validated", s.Validated}, {"collapsed", s.Collapsed}, {"miss", s.Misses}, {"bypass", s.Passed}} {
		metrics.WriteCounterUint64(w, fmt.Sprintf("locus_gateway_cache_requests_total{result=%q}", r.result), r.n)
	}
	metrics.WriteCounterUint64(w, "locus_gateway_cache_stale_total", s.Stale)
	metrics.WriteCounterUint64(w, "locus_gateway_cache_stored_total", s.Stored)
	metrics.WriteCounterUint64(w, "locus_gateway_cache_evicted_total", s.Evicted)
	metrics.WriteCounterUint64(w, "locus_gateway_cache_write_errors_total", s.Failed)
	metrics.WriteGaugeUint64(w, "locus_gateway_cache_entries", uint64(s.Entries))
	metrics.WriteGaugeUint64(w, "locus_gateway_cache_bytes", uint64(s.Size))
}

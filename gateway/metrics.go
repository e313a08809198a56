package gateway

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/VictoriaMetrics/metrics"
)

// families has the type and help text of each metric, by name.
var families = map[string]struct{ kind, help string }{
	"locus_gateway_requests_total":     {"counter", "Requests that were answered."},
	"locus_gateway_sent_bytes_total":   {"counter", "Octets of answers."},
	"locus_gateway_request_seconds":    {"histogram", "How long answers took."},
	"locus_gateway_requests_under_way": {"gauge", "Requests that are being answered."},
	"locus_gateway_clients":            {"gauge", "Clients with a request under way."},
	"locus_gateway_hosts":              {"gauge", "Servers with a request under way."},
	"locus_gateway_terminals":          {"gauge", "Terminals that are open."},
	"go_goroutines":                    {"gauge", "Goroutines."},
	"go_memstats_heap_inuse_bytes":     {"gauge", "Octets of the heap in use."},
	"go_memstats_sys_bytes":            {"gauge", "Octets obtained from the system."},
}

// gatewayMetrics holds the metrics that a gateway counts.
type gatewayMetrics struct {
	set  *metrics.Set
	took *metrics.PrometheusHistogram

	mu   sync.Mutex
	keys map[requestKey]requestCounters
}

// requestKey labels requests. Its values come from bounded lists, so that clients cannot
// fill the memory.
type requestKey struct {
	kind, scheme string
	status       int
}

// requestCounters has the counters for a key. Keys with the same kind share sent.
type requestCounters struct{ requests, sent *metrics.Counter }

func newMetrics() *gatewayMetrics {
	set := metrics.NewSet()
	took := set.NewPrometheusHistogramExt("locus_gateway_request_seconds", []float64{0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60})
	return &gatewayMetrics{set: set, took: took, keys: make(map[requestKey]requestCounters)}
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

// maxKeys is the number of keys above which new ones have the scheme "other".
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
	var values, b bytes.Buffer
	g.metrics.set.WritePrometheus(&values)
	requests, clients, hosts, sessions := g.limiter.counts()
	metrics.WriteGaugeUint64(&values, "locus_gateway_requests_under_way", uint64(requests))
	metrics.WriteGaugeUint64(&values, "locus_gateway_clients", uint64(clients))
	metrics.WriteGaugeUint64(&values, "locus_gateway_hosts", uint64(hosts))
	metrics.WriteGaugeUint64(&values, "locus_gateway_terminals", uint64(sessions))
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	metrics.WriteGaugeUint64(&values, "go_goroutines", uint64(runtime.NumGoroutine()))
	metrics.WriteGaugeUint64(&values, "go_memstats_heap_inuse_bytes", memory.HeapInuse)
	metrics.WriteGaugeUint64(&values, "go_memstats_sys_bytes", memory.Sys)
	last := ""
	for line := range strings.Lines(values.String()) {
		if line[0] == '#' {
			continue // The program called metrics.ExposeMetadata. These lines have no help texts.
		}
		name := line[:strings.IndexAny(line, "{ ")]
		if _, ok := families[name]; !ok {
			name = name[:strings.LastIndexByte(name, '_')] // without "_bucket", "_sum" or "_count"
		}
		if name != last {
			last = name
			fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", name, families[name].help, name, families[name].kind)
		}
		b.WriteString(line)
	}
	// An error means that the client is gone.
	_, _ = b.WriteTo(w)
}

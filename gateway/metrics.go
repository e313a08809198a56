package gateway

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// metrics are the metrics of a gateway, in the text format of Prometheus.
type metrics struct {
	mu       sync.Mutex
	requests map[requestKey]int64
	octets   map[string]int64 // by kind
	took     [len(buckets) + 1]int64
	seconds  float64
}

// requestKey labels requests. Its values come from bounded lists, so that clients cannot
// fill the memory.
type requestKey struct {
	kind, scheme string
	status       int
}

// buckets are the upper bounds of the histogram of durations, in seconds.
var buckets = [...]float64{0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60}

func (m *metrics) count(w *recorder, took time.Duration) {
	key := requestKey{cmp.Or(w.kind, "other"), "", w.status}
	if !w.url.IsZero() {
		key.scheme = w.url.Scheme()
		if len(key.scheme) > 16 {
			key.scheme = "other"
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.requests == nil {
		m.requests, m.octets = make(map[requestKey]int64), make(map[string]int64)
	}
	if _, ok := m.requests[key]; !ok && len(m.requests) >= maxKeys {
		key.scheme = "other"
	}
	m.requests[key]++
	m.octets[key.kind] += w.octets
	i, _ := slices.BinarySearch(buckets[:], took.Seconds())
	m.took[i]++
	m.seconds += took.Seconds()
}

// maxKeys is the number of keys above which new ones have the scheme "other".
const maxKeys = 1024

// serveMetrics serves the metrics.
func (g *Gateway) serveMetrics(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	var b strings.Builder
	g.metrics.write(&b)
	requests, clients, hosts, sessions := g.limiter.counts()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	for _, m := range []struct {
		name, help string
		n          uint64
	}{
		{"locus_gateway_requests_under_way", "Requests that are being answered.", uint64(requests)},
		{"locus_gateway_clients", "Clients with a request under way.", uint64(clients)},
		{"locus_gateway_hosts", "Servers with a request under way.", uint64(hosts)},
		{"locus_gateway_terminals", "Terminals that are open.", uint64(sessions)},
		{"go_goroutines", "Goroutines.", uint64(runtime.NumGoroutine())},
		{"go_memstats_heap_inuse_bytes", "Octets of the heap in use.", memory.HeapInuse},
		{"go_memstats_sys_bytes", "Octets obtained from the system.", memory.Sys},
	} {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s gauge\n%s %d\n", m.name, m.help, m.name, m.name, m.n)
	}
	// An error means that the client is gone.
	_, _ = io.WriteString(w, b.String())
}

func (m *metrics) write(b *strings.Builder) {
	m.mu.Lock()
	defer m.mu.Unlock()
	const name = "locus_gateway_requests_total"
	fmt.Fprintf(b, "# HELP %s Requests that were answered.\n# TYPE %s counter\n", name, name)
	for _, key := range slices.SortedFunc(maps.Keys(m.requests), compareKeys) {
		fmt.Fprintf(b, "%s{kind=%q,scheme=%q,status=\"%d\"} %d\n", name, key.kind, key.scheme, key.status, m.requests[key])
	}
	const octets = "locus_gateway_sent_bytes_total"
	fmt.Fprintf(b, "# HELP %s Octets of answers.\n# TYPE %s counter\n", octets, octets)
	for _, kind := range slices.Sorted(maps.Keys(m.octets)) {
		fmt.Fprintf(b, "%s{kind=%q} %d\n", octets, kind, m.octets[kind])
	}
	const took = "locus_gateway_request_seconds"
	fmt.Fprintf(b, "# HELP %s How long answers took.\n# TYPE %s histogram\n", took, took)
	sum := int64(0)
	for i, n := range m.took {
		sum += n
		bound := "+Inf"
		if i < len(buckets) {
			bound = strconv.FormatFloat(buckets[i], 'g', -1, 64)
		}
		fmt.Fprintf(b, "%s_bucket{le=%q} %d\n", took, bound, sum)
	}
	fmt.Fprintf(b, "%s_sum %g\n%s_count %d\n", took, m.seconds, took, sum)
}

func compareKeys(a, b requestKey) int {
	return cmp.Or(strings.Compare(a.kind, b.kind), strings.Compare(a.scheme, b.scheme), a.status-b.status)
}

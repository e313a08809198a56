package gateway_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/VictoriaMetrics/metrics"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/archive"
	"github.com/locus-url/locus/cache"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/warc"
)

// families lists the metrics that /metrics must contain, each with its type and help text.
var families = map[string]string{
	"locus_gateway_requests_total":     "counter Requests that were answered.",
	"locus_gateway_sent_bytes_total":   "counter Octets of answers.",
	"locus_gateway_request_seconds":    "histogram How long answers took.",
	"locus_gateway_requests_under_way": "gauge Requests that are being answered.",
	"locus_gateway_clients":            "gauge Clients with a request under way.",
	"locus_gateway_hosts":              "gauge Servers with a request under way.",
	"locus_gateway_terminals":          "gauge Terminals that are open.",

	"locus_gateway_terminals_opened_total":     "counter Terminals that were opened.",
	"locus_gateway_upstream_requests_total":    "counter Requests to servers that ended, by scheme and outcome.",
	"locus_gateway_upstream_bytes_total":       "counter Bytes read from objects of servers.",
	"locus_gateway_denials_total":              "counter Requests that the policy denied, by rule.",
	"locus_gateway_cache_requests_total":       "counter Requests to the cache, by result.",
	"locus_gateway_cache_stale_total":          "counter Cache hits with a stale response.",
	"locus_gateway_cache_stored_total":         "counter Responses that the cache stored.",
	"locus_gateway_cache_evicted_total":        "counter Responses that the cache evicted.",
	"locus_gateway_cache_write_errors_total":   "counter Failed writes of the cache.",
	"locus_gateway_cache_entries":              "gauge Responses in the cache.",
	"locus_gateway_cache_bytes":                "gauge Size of the cache on disk.",
	"locus_gateway_archive_records_total":      "counter Records written to the web archive.",
	"locus_gateway_archive_write_errors_total": "counter Failed writes of the web archive.",
}

// readMetrics reads the text format of Prometheus. It returns the values by name and labels, and the
// series in order. Each family has one HELP and one TYPE line, directly before its values.
func readMetrics(t *testing.T, text string) (values map[string]string, order []string) {
	t.Helper()
	values = map[string]string{}
	help, family, seen := "", "", map[string]bool{}
	for line := range strings.Lines(text) {
		line, ended := strings.CutSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "# HELP "); ok {
			family, help, _ = strings.Cut(rest, " ")
			continue
		}
		if rest, ok := strings.CutPrefix(line, "# TYPE "); ok {
			name, kind, _ := strings.Cut(rest, " ")
			if name != family || seen[name] || families[name] != kind+" "+help {
				t.Errorf("%q after the help text %q", line, help)
			}
			seen[name] = true
			continue
		}
		series, value, ok := strings.Cut(line, " ")
		name, _, _ := strings.Cut(series, "{")
		if !ok || !ended || values[series] != "" || !seen[family] || name != family && !slices.Contains([]string{"_bucket", "_sum", "_count"}, strings.TrimPrefix(name, family)) {
			t.Errorf("%q in the family %q", line, family)
		}
		values[series] = value
		order = append(order, series)
	}
	for name := range families {
		if !seen[name] {
			t.Errorf("%s is missing", name)
		}
	}
	return values, order
}

// The metrics have the documented names, types, help texts and labels, and count each
// request.
func TestMetrics(t *testing.T) {
	recorded, err := warc.Create(t.TempDir()+"/a.warc.gz", nil)
	if err != nil {
		t.Fatal(err)
	}
	s := loopbackSetup
	s.store = new(cache.Options)
	registry, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	s.gateway.Recorder = archive.NewRecorder(recorded, registry, nil)
	s.access.Record = s.gateway.Recorder.Record
	s.access.Check = func(u locus.URL) error {
		if u.Host() == "denied.example" {
			return &policy.DeniedError{Rule: "test"}
		}
		return nil
	}
	s.gateway.Metrics = func(w io.Writer) { io.WriteString(w, "other_metric 1\n") }
	w := start(t, s)
	pages := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=60")
		if r.URL.Path != "/" {
			w.WriteHeader(http.StatusNotFound)
		}
		io.WriteString(w, "hello")
	}))
	defer pages.Close()
	get := func(target string) (body string) {
		r := httptest.NewRequest("GET", target, nil)
		r.Host = "localhost"
		answer := httptest.NewRecorder()
		w.g.ServeHTTP(answer, r) // the request has been counted when it returns
		if got := answer.Header().Get("Content-Type"); target == "/metrics" && got != "text/plain; version=0.0.4; charset=utf-8" {
			t.Errorf("Content-Type %q", got)
		}
		return answer.Body.String()
	}
	home := len(get("/"))
	paths := []string{"/", "/healthz", "/?url=x-none:h", "/?url=x-none:other", "/?url=x-a-name-that-is-long:h", "/metrics",
		"/-/raw?url=" + pages.URL + "/", "/-/raw?url=" + pages.URL + "/", "/-/raw?url=" + pages.URL + "/none", "/-/raw?url=gopher://denied.example/"}
	for _, path := range paths {
		get(path)
	}
	text, ok := strings.CutSuffix(get("/metrics"), "other_metric 1\n")
	if !ok {
		t.Errorf("the metrics of the program are missing: %s", text)
	}
	values, order := readMetrics(t, text)
	parser := expfmt.NewTextParser(model.LegacyValidation)
	parsed, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil || len(parsed) != len(families) {
		t.Errorf("%d families: %v", len(parsed), err)
	}
	for series, want := range map[string]string{
		`locus_gateway_requests_total{kind="page",scheme="",status="200"}`:       "2",
		`locus_gateway_requests_total{kind="health",scheme="",status="200"}`:     "1",
		`locus_gateway_requests_total{kind="page",scheme="x-none",status="501"}`: "2",
		`locus_gateway_requests_total{kind="page",scheme="other",status="501"}`:  "1",
		`locus_gateway_requests_total{kind="metrics",scheme="",status="200"}`:    "1",
		"locus_gateway_requests_under_way":                                       "1",
		"locus_gateway_clients":                                                  "1",
		"locus_gateway_hosts":                                                    "0",
		"locus_gateway_terminals":                                                "0",

		`locus_gateway_upstream_requests_total{scheme="http",outcome="ok"}`:           "1",
		`locus_gateway_upstream_requests_total{scheme="http",outcome="not-found"}`:    "1",
		`locus_gateway_upstream_requests_total{scheme="gopher",outcome="denied"}`:     "1",
		`locus_gateway_upstream_requests_total{scheme="other",outcome="unsupported"}`: "3",
		`locus_gateway_upstream_bytes_total{scheme="http"}`:                           "10",
		`locus_gateway_denials_total{rule="test"}`:                                    "1",
		`locus_gateway_cache_requests_total{result="hit"}`:                            "1",
		`locus_gateway_cache_requests_total{result="miss"}`:                           "2",
		"locus_gateway_cache_entries":                                                 "2",
		"locus_gateway_archive_records_total":                                         "4",
		"locus_gateway_archive_write_errors_total":                                    "0",
	} {
		if values[series] != want {
			t.Errorf("%s is %q, want %s", series, values[series], want)
		}
	}
	var sent int
	if fmt.Sscan(values[`locus_gateway_sent_bytes_total{kind="page"}`], &sent); sent < 2*home {
		t.Errorf("%d bytes of pages, and the home page has %d", sent, home)
	}
	checkHistogram(t, values, order, 1+len(paths))

	// A program may use the metrics library for its own metrics, with a global setting.
	metrics.ExposeMetadata(true)
	defer metrics.ExposeMetadata(false)
	text = strings.TrimSuffix(get("/metrics"), "other_metric 1\n")
	if _, again := readMetrics(t, text); !slices.Equal(again, order) {
		t.Errorf("%q with ExposeMetadata, %q without", again, order)
	}
}

// checkHistogram checks the buckets of the histogram after a number of requests.
func checkHistogram(t *testing.T, values map[string]string, order []string, requests int) {
	t.Helper()
	const name = "locus_gateway_request_seconds"
	var bounds []string
	last := 0
	for _, series := range order {
		bound, ok := strings.CutPrefix(series, name+`_bucket{le="`)
		if !ok {
			continue
		}
		bounds = append(bounds, strings.TrimSuffix(bound, `"}`))
		n := 0
		if _, err := fmt.Sscan(values[series], &n); err != nil || n < last {
			t.Errorf("%s is %s after %d: %v", series, values[series], last, err)
		}
		last = n
	}
	if want := "0.001 0.005 0.025 0.1 0.5 2.5 10 60 +Inf"; strings.Join(bounds, " ") != want {
		t.Errorf("buckets %q, want %q", bounds, want)
	}
	var sum float64
	if _, err := fmt.Sscan(values[name+"_sum"], &sum); err != nil || sum <= 0 || last != requests || values[name+"_count"] != fmt.Sprint(requests) {
		t.Errorf("sum %s, count %s, %d in buckets, after %d requests: %v", values[name+"_sum"], values[name+"_count"], last, requests, err)
	}
}

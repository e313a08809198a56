package gateway_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"go.yaml.in/yaml/v3"
)

var (
	metricName = regexp.MustCompile(`\b(?:locus|go|process)_[a-z_]+\b`)
	grouping   = regexp.MustCompile(`\bby \(([^)]*)\)`)
	matcher    = regexp.MustCompile(`([a-z]+)(?:!~|=~|!=|=)"`)
)

// The dashboard and the alert rules use only metrics and labels that the gateway provides.
func TestContribMetrics(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") }))
	defer web.Close()
	s := serveGateway(t, nil, "--allow-private", "--cache", t.TempDir(), "--warc", t.TempDir()+"/a.warc.gz")
	for _, u := range []string{web.URL + "/", "http://h.example:25/"} {
		resp, err := http.Get(s.base + "/-/raw?url=" + url.QueryEscape(u))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	resp, err := http.Get(s.base + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	exprs := append(dashboardQueries(t), alertQueries(t)...)
	used := make(map[string]bool)
	for _, expr := range exprs {
		labels := map[string]bool{"instance": true, "job": true} // Prometheus adds these labels
		names := metricName.FindAllString(expr, -1)
		for _, name := range names {
			family := families[name]
			if family == nil {
				name, _ = strings.CutSuffix(name, "_bucket")
				family = families[name]
				labels["le"] = true
			}
			if family == nil {
				t.Errorf("%s: the gateway has no metric %s", expr, name)
			}
			used[name] = true
			addLabels(labels, family)
		}
		if len(names) == 0 && !strings.HasPrefix(expr, "up{") {
			t.Errorf("%s: no metric of the gateway", expr)
		}
		wanted := matcher.FindAllStringSubmatch(expr, -1)
		for _, list := range grouping.FindAllStringSubmatch(expr, -1) {
			for name := range strings.SplitSeq(list[1], ", ") {
				wanted = append(wanted, []string{"", name})
			}
		}
		for _, m := range wanted {
			if !labels[m[1]] {
				t.Errorf("%s: no metric has the label %s", expr, m[1])
			}
		}
	}
	page, err := os.ReadFile("../../../../docs/operate.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range families {
		if strings.HasPrefix(name, "locus_gateway_") && !strings.Contains(string(page), "| `"+name+"` |") {
			t.Errorf("docs/operate.md does not list %s", name)
		}
		if strings.HasPrefix(name, "locus_gateway_") && !used[name] && name != "locus_gateway_cache_entries" {
			t.Errorf("neither the dashboard nor an alert shows %s", name)
		}
	}
}

func addLabels(labels map[string]bool, family *dto.MetricFamily) {
	for _, m := range family.GetMetric() {
		for _, l := range m.GetLabel() {
			labels[l.GetName()] = true
		}
	}
}

func dashboardQueries(t *testing.T) (list []string) {
	t.Helper()
	var d struct {
		Panels []struct {
			Targets []struct{ Expr string }
		}
		Templating struct {
			List []struct{ Query string }
		}
	}
	if err := json.Unmarshal([]byte(readContrib(t, "locus-gateway-dashboard.json")), &d); err != nil {
		t.Fatal(err)
	}
	for _, p := range d.Panels {
		for _, q := range p.Targets {
			list = append(list, q.Expr)
		}
	}
	for _, v := range d.Templating.List {
		if strings.HasPrefix(v.Query, "label_values(") {
			list = append(list, v.Query)
		}
	}
	if len(list) < 20 {
		t.Fatalf("%d queries in the dashboard", len(list))
	}
	return list
}

func alertQueries(t *testing.T) (list []string) {
	t.Helper()
	var f struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Annotations struct{ Summary string }
			}
		}
	}
	if err := yaml.Unmarshal([]byte(readContrib(t, "locus-gateway-alerts.yml")), &f); err != nil {
		t.Fatal(err)
	}
	for _, g := range f.Groups {
		for _, r := range g.Rules {
			if r.Alert == "" || r.Expr == "" || r.Annotations.Summary == "" {
				t.Errorf("incomplete rule %+v", r)
			}
			list = append(list, r.Expr)
		}
	}
	if len(list) < 5 {
		t.Fatalf("%d alerts", len(list))
	}
	return list
}

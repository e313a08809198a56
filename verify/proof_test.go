package verify

import (
	"crypto/tls"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
)

// A link is dead only after a GET of the link itself.
func TestDeadNeedsGet(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	w.serve("a.example", func(rw http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/head-") && r.Method == http.MethodGet {
			return
		}
		switch r.URL.Path {
		case "/head-410", "/gone":
			rw.WriteHeader(http.StatusGone)
		case "/head-429":
			rw.WriteHeader(http.StatusTooManyRequests)
		case "/head-503":
			rw.WriteHeader(http.StatusServiceUnavailable)
		case "/head-pause":
			rw.Header().Set("Retry-After", "0")
			rw.WriteHeader(http.StatusServiceUnavailable)
		case "/head-to-missing", "/to-missing":
			http.Redirect(rw, r, "/missing", http.StatusFound)
		case "/head-loop", "/loop":
			http.Redirect(rw, r, r.URL.Path, http.StatusFound)
		case "/head-to-nowhere":
			http.Redirect(rw, r, "http://none.example/", http.StatusFound)
		case "/head-hangs":
			<-r.Context().Done()
		default:
			rw.WriteHeader(http.StatusNotFound)
		}
	})
	for path, want := range map[string]string{
		"head-410": "alive", "head-429": "alive", "head-503": "alive", "head-pause": "alive", "head-to-missing": "alive",
		"head-loop": "alive", "head-to-nowhere": "alive",
		"gone": "dead 410", "to-missing": "dead 404 -> http://a.example/missing", "loop": "warning",
	} {
		w.want(w.run(textDoc("d", "http://a.example/"+path)), "d:1 http://a.example/"+path+" "+want)
	}
	w.o.Timeout, w.o.Retry = 200*time.Millisecond, access.None
	w.want(w.run(textDoc("d", "http://a.example/head-hangs")), "d:1 http://a.example/head-hangs alive")
}

// Only the statuses 404 and 410 mean that a resource is missing.
func TestDeadStatuses(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	code := 0
	w.serve("a.example", func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(code) })
	w.o.Retry = access.None
	for code = 400; code < 600; code++ {
		want := Warning
		if code == 404 || code == 410 {
			want = Dead
		}
		if got := w.run(textDoc("d", "http://a.example/x")); got[0].Verdict != want || got[0].Status != code {
			t.Errorf("%d: %s", code, line(got[0]))
		}
	}
}

// A host name with a final dot denotes the same host as the name without the dot.
func TestFinalDot(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	w.serve("www.a.example", func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/gone" {
			rw.WriteHeader(http.StatusGone)
		}
	})
	w.names["in.example"] = "10.0.0.1"
	for _, c := range []struct{ url, want string }{
		{"http://www.a.example./", "alive"},
		{"http://www.a.example./gone", "dead 410"},
		{"http://none.example./", "dead"},
		{"http://www.a.example.:25/", "denied"},
		{"http://localhost./", "ignored"},
		{"http://printer.local./", "ignored"},
		{"http://in.example./", "denied"},
		{"http://10.0.0.1./", "denied"},
		{"http://www.a.example../", "malformed"},
		// Browsers parse these hosts as addresses, and the policy rejects them.
		{"http://127.1/", "denied"},
		{"http://0x7f000001/", "ignored"},
		{"http://2130706433/", "ignored"},
		{"http://0177.0.0.1/", "denied"},
		{"http://256.1.1.1/", "malformed"},
		{"http://1.2.3.4.5/", "malformed"},
	} {
		w.want(w.run(textDoc("d", c.url)), "d:1 "+c.url+" "+c.want)
	}
	e := NewChecker(w.client, &w.o, nil)
	a, _ := e.hostOf(locus.MustParse("http://www.a.example/"))
	if b, _ := e.hostOf(locus.MustParse("http://WWW.a.example./")); a != b {
		t.Errorf("%q and %q", a, b)
	}
}

// A certificate contains the host name without a final dot.
func TestFinalDotOverTLS(t *testing.T) {
	const day = 24 * time.Hour
	w := secureFixture(t, map[string]tls.Certificate{"a.example": testCertificate(t, "a.example", -day, 5*day)}, "", func(http.ResponseWriter, *http.Request) {})
	w.want(w.run(textDoc("d", "https://a.example./")), "d:1 https://a.example./ alive")
	w.o.HTTP.Expiring = 30 * day
	w.want(w.run(textDoc("d", "https://a.example./")), "d:1 https://a.example./ warning")
}

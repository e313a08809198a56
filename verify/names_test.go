package verify

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
)

// verdictsOf returns the verdicts and the causes of results.
func verdictsOf(list []Result) string {
	var texts []string
	for _, r := range list {
		texts = append(texts, fmt.Sprint(r.Verdict, " ", r.Cause))
	}
	return strings.Join(texts, ", ")
}

// The Verifier does not look up a name in a document if the name is reserved for examples.
func TestReserved(t *testing.T) {
	for text, want := range map[string]string{
		"http://example.com/":          "ignored 2",
		"https://WWW.Example.ORG./x#y": "ignored 2",
		"ftp://ftp.example.net/f":      "ignored 2",
		"gopher://a.test/1":            "ignored 2",
		"http://x.invalid:8080/":       "ignored 2",
		"http://192.0.2.1/":            "ignored 2",
		"http://198.51.100.9:25/":      "ignored 2",
		"http://[2001:db8::1]/":        "ignored 2",
		"http://[3fff::1]/":            "ignored 2",
		"mailto:a@example.com":         "ignored 2",
		"mailto:a@h.org,b@EXAMPLE.com": "ignored 2",
		"mailto:a@b.example?subject=x": "ignored 2",
		"http://example.edu/":          "dead 0",
		"mailto:joe@@example.com":      "malformed 0",
		"http://localhost:3000/":       "ignored 3",
		"http://app.localhost/":        "ignored 3",
		"http://127.0.0.1/":            "ignored 3",
		"http://[::1]/":                "ignored 3",
		"http://10.1.2.3/":             "ignored 3",
		"ftp://192.168.1.1/":           "ignored 3",
		"http://100.64.0.1/":           "ignored 3",
		"http://169.254.1.1/":          "ignored 8",
		"http://[fd00::1]/":            "ignored 3",
		"http://[fe80::1]/":            "ignored 8",
		"http://printer/":              "ignored 3",
		"http://nas.local/":            "ignored 3",
		"http://db.internal/":          "ignored 3",
		"mailto:joe@printer":           "ignored 3",
		"http://a.example.edu:25/":     "denied 0",
	} {
		w := newFixture(t, policy.Rules{})
		w.o.Reserved = false
		w.o.Mail = new(names)
		if got := verdictsOf(w.run(textDoc("d.html", `<a href="`+text+`">x</a>`))); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// The Verifier checks a typed URL with a reserved name, and the links to reserved names on its
// pages.
func TestReservedSite(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	w.o.Reserved = false
	page := func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		io.WriteString(rw, `<a href="http://b.example/">b</a> <a href="http://none.invalid/">c</a> <a href="http://10.1.1.1/">d</a> <a href="http://192.0.2.1/">e</a>`)
	}
	w.serve("a.example", page)
	w.serve("b.example", pages)
	w.serve("a.edu", page)
	if got, want := verdictsOf(w.run(sourceAt("http://a.example/"))), "alive 0, alive 0, dead 0, denied 0, denied 0"; got != want {
		t.Errorf("from a reserved name: %s, want %s", got, want)
	}
	if got, want := verdictsOf(w.run(sourceAt("http://a.edu/"))), "alive 0, ignored 2, ignored 2, denied 0, ignored 2"; got != want {
		t.Errorf("from a public name: %s, want %s", got, want)
	}
}

// If the policy allows private addresses, the Verifier also checks links to private addresses in
// files.
func TestPrivateAllowed(t *testing.T) {
	w := newFixture(t, policy.Rules{AllowPrivate: true})
	w.serve("a.example", pages)
	w.servers["127.0.0.1"] = w.servers[w.names["a.example"]]
	w.names["intranet"] = "127.0.0.1"
	if got, want := verdictsOf(w.run(textDoc("d", "http://127.0.0.1/ok http://127.0.0.1/none http://intranet/ok http://169.254.169.254/"))), "alive 0, dead 0, alive 0, ignored 8"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// missingLinks returns n links to hosts that do not exist.
func missingLinks(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "http://lost%d.example/a http://LOST%d.example:8080/b\n", i, i)
	}
	return b.String()
}

// countVerdicts returns the number of results for each verdict.
func countVerdicts(results iter.Seq[Result]) map[Verdict]int {
	n := map[Verdict]int{}
	for r := range results {
		if r.Cause == NoNames && r.Verdict != Warning {
			r.Verdict = Unknown
		}
		n[r.Verdict]++
	}
	return n
}

func TestNoNames(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       map[Verdict]int
	}{
		{"few", missingLinks(4), map[Verdict]int{Dead: 8}},
		{"five", missingLinks(5), map[Verdict]int{Warning: 10}},
		{"addresses", missingLinks(5) + "http://1.1.1.1/", map[Verdict]int{Warning: 10, Dead: 1}},
		{"files", missingLinks(5) + "<file:///nowhere/x>", map[Verdict]int{Warning: 10, Denied: 1}},
		{"mail", missingLinks(4) + "mailto:joe@none.example", map[Verdict]int{Warning: 9}},
		{"one", missingLinks(20) + "http://a.example/ok", map[Verdict]int{Dead: 40, Alive: 1}},
		{"first", "http://a.example/none " + missingLinks(20), map[Verdict]int{Dead: 41}},
		{"mail is found", missingLinks(20) + "mailto:joe@mx.example", map[Verdict]int{Dead: 40, Alive: 1}},
		{"refused", missingLinks(20) + "http://quiet.example/", map[Verdict]int{Dead: 41}},
		{"a private address", missingLinks(20) + "http://intranet.example/", map[Verdict]int{Dead: 40, Denied: 1}},
		{"inconclusive", missingLinks(20) + "http://broken.example/", map[Verdict]int{Warning: 41}},
	} {
		w := newFixture(t, policy.Rules{})
		w.serve("a.example", pages)
		w.o.Mail = new(names)
		store := openTestStore(t, filepath.Join(t.TempDir(), "verify.db"))
		w.o.Store, w.o.Retry = store, 1
		for range 2 {
			// A dead link is stored only if there is proof, so the second run has the same results
			// as the first run.
			if got := countVerdicts(w.start(t.Context(), textDoc("d", c.text))); fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("%s: %v, want %v", c.name, got, c.want)
			}
		}
		closeStore(t, store)
	}
}

// The result of a dead link is delayed only until the first existing name is found.
func TestNoNamesStreams(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	w.serve("a.example", pages)
	release := make(chan struct{})
	w.serve("slow.example", func(http.ResponseWriter, *http.Request) { <-release })
	var once bool
	for r := range w.start(t.Context(), textDoc("a", "http://lost.example/ http://a.example/ok"), textDoc("b", "http://slow.example/")) {
		if r.Verdict == Dead && !once {
			once = true
			close(release)
		}
	}
	if !once {
		t.Error("the dead link has another verdict")
	}
}

// The run ends even if a link needs more than its own request.
func TestNoNamesEnds(t *testing.T) {
	alternative := "http://lost9.example/a-\n  b "
	for _, c := range []struct {
		name    string
		sources []Source
		archive string
		want    map[Verdict]int
	}{
		{"archive", []Source{textDoc("d", missingLinks(3))}, "http://archive.example/", map[Verdict]int{Dead: 6}},
		{"archive that does not exist", []Source{textDoc("d", missingLinks(3))}, "http://gone.example/", map[Verdict]int{Dead: 6}},
		{"archive without a network", []Source{textDoc("d", missingLinks(5))}, "http://gone.example/", map[Verdict]int{Warning: 10}},
		{"alternative", []Source{textDoc("d", alternative)}, "", map[Verdict]int{Dead: 1}},
		{"alternative of many", []Source{textDoc("d", alternative+missingLinks(5))}, "", map[Verdict]int{Warning: 11}},
		{"fragments", []Source{textDoc("d", missingLinks(5)+"http://lost1.example/a#x http://lost1.example/a#y")}, "", map[Verdict]int{Warning: 12}},
		{"sites", []Source{sourceAt("http://lost1.example/"), sourceAt("http://lost2.example/"), textDoc("d", missingLinks(5))}, "", map[Verdict]int{Warning: 12}},
		{"few sites", []Source{sourceAt("http://lost1.example/"), sourceAt("http://lost2.example/")}, "", map[Verdict]int{Dead: 2}},
		{"origins", []Source{sourceAt("http://lost1.example/a"), textDoc("d", missingLinks(5)), sourceAt("http://lost1.example/a")}, "", map[Verdict]int{Warning: 12}},
		{"a site", []Source{sourceAt("http://a.example/"), textDoc("d", missingLinks(5))}, "", map[Verdict]int{Dead: 18, Alive: 3}},
	} {
		w := newFixture(t, policy.Rules{})
		w.o.Site.Sitemaps = true
		if c.name == "archive" {
			w.serve("archive.example", pages)
		}
		if c.name == "a site" {
			w.serve("a.example", func(rw http.ResponseWriter, r *http.Request) {
				rw.Header().Set("Content-Type", "text/html")
				if r.URL.Path == "/robots.txt" {
					rw.WriteHeader(404)
				}
				io.WriteString(rw, `<a href="/b">b</a> `+missingLinks(2))
			})
		}
		if c.archive != "" {
			w.o.Archive = func(locus.URL) locus.URL { return locus.MustParse(c.archive) }
		}
		if got := countVerdicts(w.start(t.Context(), c.sources...)); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// A run that is cancelled does not wait for names.
func TestNoNamesCancelled(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	ctx, cancel := context.WithCancel(t.Context())
	w.serve("slow.example", func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	got := countVerdicts(w.start(ctx, textDoc("d", missingLinks(9)+"http://slow.example/")))
	if got[Dead] != 0 || got[Unknown] == 0 {
		t.Errorf("%v", got)
	}
	w = newFixture(t, policy.Rules{})
	for r := range w.start(t.Context(), textDoc("d", missingLinks(9))) {
		if r.Verdict != Warning {
			t.Error(line(r))
		}
		break
	}
	if got := w.run(textDoc("d", "")); len(got) != 0 {
		t.Error(slices.Collect(slices.Values(got)))
	}
}

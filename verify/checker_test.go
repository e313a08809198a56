package verify

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
)

// crawl verifies sources with a Checker, one request after another.
func (w *fixture) crawl(a *Checker, sources ...Source) (results []Result) {
	type known struct {
		Response
		asked map[string]bool // fragments that were requested
	}
	answers := map[[16]byte]*known{}
	var ask func(f *Found) *Response
	pages := map[locus.URL]bool{}
	var todo []Found
	add := func(f Found, page *Target) {
		// Other programs may encode and decode a Found without changing it.
		text, err := a.Encode(&f)
		if err != nil {
			w.Fatal(err)
		}
		again, err := a.Decode(text)
		if err != nil || again != f {
			w.Fatalf("%s is read back as %+v, not %+v: %v", text, again, f, err)
		}
		if page != nil && !pages[f.Target.Canonical] {
			if t, ok := a.Page(page, f.Target); ok {
				f.Target = t
			}
		}
		if !f.Target.First.IsZero() {
			pages[f.Target.Canonical] = true
		}
		todo = append(todo, f)
	}
	ask = func(f *Found) *Response {
		if f.Target.URL.IsZero() {
			return &Response{}
		}
		key := a.Key(&f.Target)
		k := answers[key]
		isPage := !f.Target.First.IsZero()
		if k != nil && !isPage && (f.Fragment == "" || k.asked[f.Fragment] || !isFound(&k.Outcome)) {
			return &k.Response
		}
		if k == nil {
			k = &known{asked: map[string]bool{}}
			answers[key] = k
		}
		var want []string
		if f.Fragment != "" {
			want = []string{f.Fragment}
			k.asked[f.Fragment] = true
		}
		before := k.Fragments
		k.Response = a.Check(w.Context(), &f.Target, want)
		for tries := 0; k.Temporary && tries < w.o.Retry; tries++ {
			k.Response = a.Check(w.Context(), &f.Target, want)
		}
		maps.Copy(k.Fragments, before)
		kept, err := json.Marshal(&k.Response)
		if err != nil {
			w.Fatal(err)
		}
		var again Response
		if err := json.Unmarshal(kept, &again); err != nil {
			w.Fatal(err)
		}
		again.Links, again.First, again.IsPage, again.Temporary = k.Links, k.First, k.IsPage, k.Temporary
		k.Response = again
		if k.IsPage {
			page := f.Target
			page.First = k.First
			for _, l := range k.Links {
				add(l, &page)
			}
		}
		return &k.Response
	}
	for _, s := range sources {
		if s.Open == nil {
			add(a.Typed(s.URL), nil)
			continue
		}
		list, failures := a.Read(w.Context(), s)
		for _, err := range failures {
			results = append(results, Result{Document: s.Name, Err: err})
		}
		for _, f := range list {
			add(f, nil)
		}
	}
	for i := 0; i < len(todo); i++ {
		f := todo[i]
		r := a.Result(&f, ask(&f))
		if other, ok := a.Other(&f); ok && r.Verdict == Dead {
			if better := a.Result(&other, ask(&other)); isFound(&better.Outcome) {
				r = better
			}
		}
		results = append(results, r)
	}
	return results
}

// A Checker, which checks one link at a time, returns the same results as a run.
func TestChecker(t *testing.T) {
	site := map[string]string{
		"/robots.txt":     "User-agent: *\nDisallow: /docs/private\n",
		"/docs/":          `<a href="one.html">1</a> <a href="two#part">2</a> <a href="/above.html">up</a> <a href="private/x">p</a> <a href="mailto:a@b">m</a>`,
		"/docs/one.html":  `<a href="./">home</a> <a href="two">2</a> <a href="two#none">2</a> <a href="three">3</a> <a href="{{x}}">t</a>`,
		"/docs/two":       `<h1 id=part>Two</h1> <a href="one.html#x">1</a> <a href="image.png">i</a> <a href="htp://x/">typo</a>`,
		"/docs/three":     "-> /docs/four/",
		"/docs/four/":     `<a href="gone">g</a> <a href="http://b.example:81/">port</a>`,
		"/docs/image.png": `<a href="never">`,
		"/above.html":     `<a href="/never">never</a>`,
		"/a-b.html":       "",
		"/ab.html":        `<p id=x>`,
	}
	text := "<URL:http://a.example/docs/one.html#x> http://a.example/none <URL:http://a.example/a-\nc.html> <URL:http://a.example/d-\noc> <URL:http://a.example/a-\nb.html#x>\n" +
		"http://a.example/docs/two#part http://a.example/docs/two#none gopher://nowhere.example/ x-unknown:y http://127.0.0.1/ http://[::1/"
	for name, rules := range map[string]string{"plain": "", "rules": "ignore = [\"http://a.example/docs/four/\"]\n[[accept]]\nurl = \"http://a.example/none\"\nreason = \"known\"\n"} {
		w := newFixture(t, policy.Rules{})
		w.serve("a.example", site1(site))
		var err error
		if w.o.Rules, err = ParseRules(rules); err != nil {
			t.Fatal(err)
		}
		sources := []Source{textDoc("d", text), sourceAt("http://a.example/docs/")}
		lines := func(list []Result) (out []string) {
			for _, r := range list {
				out = append(out, line(r)+" "+r.Detail+" "+r.Reason)
			}
			slices.Sort(out)
			return out
		}
		want := lines(w.run(sources...))
		var fetched atomic.Int32
		cached := map[locus.URL][]byte{}
		a := NewChecker(w.client, &w.o, func(ctx context.Context, root locus.URL, fetch func(context.Context) ([]byte, error)) ([]byte, error) {
			octets, ok := cached[root]
			if !ok {
				var err error
				if octets, err = fetch(ctx); err != nil {
					return nil, err
				}
				fetched.Add(1)
				cached[root] = octets
			}
			return octets, nil
		})
		got := lines(w.crawl(a, sources...))
		if len(want) < 25 {
			t.Errorf("%s: only %d results", name, len(want))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: one at a time\n\t%s\na run\n\t%s", name, strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
		}
		if fetched.Load() != 1 {
			t.Errorf("%s: robots.txt was fetched %d times", name, fetched.Load())
		}
	}
}

// A Checker returns the same results as a run for each kind of server response.
func TestCheckerTraps(t *testing.T) {
	t.Parallel() // it waits for silent servers
	var text strings.Builder
	for _, l := range readTraps(t) {
		if l.link == "http://web.example/head/pause" {
			continue // a run repeats a request with GET, a Checker with HEAD
		}
		text.WriteString(`<a href="` + strings.ReplaceAll(l.link, "&", "&amp;") + "\">x</a>\n")
	}
	source := textDoc("traps.html", text.String())
	source.Type = htmlType
	lines := func(list []Result) (out []string) {
		for _, r := range list {
			detail, _, _ := strings.Cut(r.Detail, "127.0.0.1:") // the rest contains ports
			out = append(out, line(r)+" "+detail)
		}
		return out
	}
	w := trapFixture(t)
	w.o.Wait = time.Millisecond
	want := lines(w.run(source))
	w = trapFixture(t)
	got := lines(w.crawl(NewChecker(w.client, &w.o, nil), source))
	if len(got) != len(want) {
		t.Fatalf("%d results, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("one at a time\n\t%s\na run\n\t%s", got[i], want[i])
		}
	}
}

// A Response reports whether and when a retry may return a different outcome, and the targets of
// redirects.
func TestCheckerResponse(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	w.serve("a.example", func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/robots.txt":
			io.WriteString(rw, "User-agent: *\nCrawl-delay: 7\n")
		case "/busy":
			rw.Header().Set("Retry-After", "30")
			rw.WriteHeader(503)
		case "/refused":
			rw.WriteHeader(403)
		case "/gone":
			rw.WriteHeader(410)
		case "/far":
			http.Redirect(rw, r, "http://b.example/moved", http.StatusMovedPermanently)
		case "/scripted":
			io.WriteString(rw, `<div id=app></div><script src=x.js></script>`)
		default:
			io.WriteString(rw, `<p id=part><a href="/other">x</a>`)
		}
	})
	w.serve("b.example", func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/moved" {
			http.Redirect(rw, r, "/page", http.StatusMovedPermanently)
		}
	})
	a := NewChecker(w.client, &w.o, nil)
	ask := func(f Found) string {
		var fragments []string
		if f.Fragment != "" {
			fragments = []string{f.Fragment}
		}
		answer := a.Check(t.Context(), &f.Target, fragments)
		o := &answer.Outcome
		text := fmt.Sprintf("%v %d", o.Verdict, o.Status)
		for _, part := range []struct {
			is   bool
			text string
		}{
			{!o.To.IsZero(), fmt.Sprint("through ", o.Hops())}, {o.Permanent, "permanently"}, {o.Cause != 0, "with a cause"},
			{answer.Temporary, "temporary"}, {answer.Busy, "busy"}, {answer.RetryAfter > 0, answer.RetryAfter.String()},
			{answer.Slower > 0, "every " + answer.Slower.String()}, {answer.IsPage, fmt.Sprint("page of ", answer.First)},
			{len(answer.Links) > 0, fmt.Sprint(len(answer.Links), " links")}, {answer.Scripted, "scripted"}, {len(fragments) > 0, fmt.Sprint(answer.Fragments)},
		} {
			if part.is {
				text += ", " + part.text
			}
		}
		if o.Tries != 1 || answer.When.IsZero() {
			t.Errorf("%s: %d tries, at %v", f.Target.URL, o.Tries, answer.When)
		}
		return text
	}
	for url, want := range map[string]string{
		"http://a.example/x#part":     "alive 0, map[part:true]",
		"http://a.example/x#none":     "alive 0, map[none:false]",
		"http://a.example/scripted#x": "alive 0, scripted, map[x:false]",
		"http://a.example/busy":       "warning 503, temporary, busy, 30s",
		"http://a.example/refused":    "warning 403",
		"http://a.example/gone":       "dead 410",
		"http://a.example/far":        "moved 0, through [http://b.example/moved http://b.example/page], permanently",
		"http://nowhere.example/":     "dead 0",
		"mailto:joe@nowhere.example":  "dead 0",
	} {
		u := locus.MustParse(url)
		f := a.Typed(u)
		f.Target.First = locus.URL{}
		if got := ask(f); got != want {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
	if got, want := ask(a.Typed(locus.MustParse("http://a.example/x"))), "alive 0, every 7s, page of http://a.example/x, 1 links"; got != want {
		t.Errorf("as a site: %s, want %s", got, want)
	}
}

// Targets have the same key if the policy treats them equally. Local targets and targets with
// passwords must not be stored.
func TestCheckerTargets(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	w.o.PerHost, w.o.Interval = 3, time.Second
	a := NewChecker(w.client, &w.o, nil)
	found := func(text string) Target {
		list, failures := a.Read(t.Context(), textDoc("d", text))
		if len(list) != 1 || failures != nil {
			t.Fatalf("%s: %v %v", text, list, failures)
		}
		return list[0].Target
	}
	one, other, typed := found("http://a.example/x"), found("<HTTP://A.example:80/x#part>"), a.Typed(locus.MustParse("http://a.example/x")).Target
	if a.Key(&one) != a.Key(&other) || a.Key(&one) == a.Key(&typed) {
		t.Error("the key is not that of the URL and its origin")
	}
	for text, want := range map[string]string{
		"http://a.example/x":      "a.example 3 1s true",
		"http://a.example:8080/x": "a.example:8080 3 1s true",
		"http://u:p@a.example/x":  "a.example 3 1s false",
		"<file:///x/y.txt>":       " 0 0s false",
		"mailto:joe@B.example":    "mail b.example 1 0s true",
	} {
		target := found(text)
		name, atOnce, interval := a.Host(target.Canonical)
		if got := fmt.Sprint(name, " ", atOnce, " ", interval, " ", a.Keeps(&target)); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// Different Checkers may send the requests of a check, and may repeat requests. The outcome is the
// same as that of Check.
func TestCheckerRequests(t *testing.T) {
	answer := func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/far":
			http.SetCookie(rw, &http.Cookie{Name: "seen", Value: "1"})
			http.Redirect(rw, r, "http://b.example/near", http.StatusMovedPermanently)
		case "/near":
			http.Redirect(rw, r, "http://a.example/back", http.StatusFound)
		case "/back":
			if r.Header.Get("Cookie") != "seen=1" {
				rw.WriteHeader(404)
			}
		case "/refresh":
			io.WriteString(rw, `<meta http-equiv=refresh content="0; url=http://b.example/near">`)
		case "/lost":
			http.Redirect(rw, r, "/none", http.StatusFound)
		case "/none":
			rw.WriteHeader(404)
		case "/site/":
			http.Redirect(rw, r, "/site/index", http.StatusFound)
		default:
			io.WriteString(rw, `<p id=part><a href="other">x</a>`)
		}
	}
	one, other := newFixture(t, policy.Rules{}), newFixture(t, policy.Rules{})
	for _, name := range []string{"a.example", "b.example"} {
		one.serve(name, answer)
	}
	other.servers, other.names = one.servers, one.names
	checkers := []*Checker{NewChecker(one.client, &one.o, nil), NewChecker(other.client, &one.o, nil)}
	for url, requests := range map[string]int{
		"http://a.example/far": 3, "http://a.example/refresh#x": 3, "http://a.example/far#part": 3, "http://a.example/lost": 4,
		"http://a.example/x#part": 1, "mailto:joe@nowhere.example": 1, "http://a.example/site/": 2,
	} {
		f := checkers[0].Typed(locus.MustParse(url))
		if !strings.Contains(url, "/site/") {
			f.Target.First = locus.URL{}
		}
		var fragments []string
		if f.Fragment != "" {
			fragments = []string{f.Fragment}
		}
		want := checkers[0].Check(t.Context(), &f.Target, fragments)
		r, n := checkers[0].Begin(&f.Target, fragments), 0
		var got Response
		for ; r != nil; r = got.Next {
			n++
			checkers[n%2].Do(t.Context(), r)
			got = checkers[(n+1)%2].Do(t.Context(), r)
		}
		if got.Outcome != want.Outcome || !maps.Equal(got.Fragments, want.Fragments) || len(got.Links) != len(want.Links) || got.First != want.First || n != requests {
			t.Errorf("%s: %+v after %d requests, want %+v after %d", url, got, n, want, requests)
		}
	}
}

package verify

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
)

// crawl verifies sources with an Asker, one request after another.
func (w *world) crawl(a *Asker, sources ...Source) (results []Result) {
	type known struct {
		Answer
		asked map[string]bool // fragments
	}
	answers := map[[16]byte]*known{}
	var ask func(f *Found) *Answer
	pages := map[locus.URL]bool{}
	var todo []Found
	add := func(f Found, page *Target) {
		// Whatever passes through other programs comes back as it was.
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
	ask = func(f *Found) *Answer {
		if f.Target.URL.IsZero() {
			return &Answer{}
		}
		key := a.Key(&f.Target)
		k := answers[key]
		isPage := !f.Target.First.IsZero()
		if k != nil && !isPage && (f.Fragment == "" || k.asked[f.Fragment] || !isFound(&k.Outcome)) {
			return &k.Answer
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
		k.Answer = a.Ask(w.Context(), &f.Target, want)
		for tries := 0; k.Temporary && tries < w.o.Retry; tries++ {
			k.Answer = a.Ask(w.Context(), &f.Target, want)
		}
		maps.Copy(k.Fragments, before)
		kept, err := json.Marshal(&k.Answer)
		if err != nil {
			w.Fatal(err)
		}
		var again Answer
		if err := json.Unmarshal(kept, &again); err != nil {
			w.Fatal(err)
		}
		again.Links, again.First, again.IsPage, again.Temporary = k.Links, k.First, k.IsPage, k.Temporary
		k.Answer = again
		if k.IsPage {
			page := f.Target
			page.First = k.First
			for _, l := range k.Links {
				add(l, &page)
			}
		}
		return &k.Answer
	}
	for _, s := range sources {
		if s.Open == nil {
			add(a.Typed(s.URL), nil)
			continue
		}
		list, troubles := a.Read(w.Context(), s)
		for _, err := range troubles {
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

// One link at a time gives what a run gives.
func TestAsker(t *testing.T) {
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
		w := newWorld(t, policy.Rules{})
		w.serve("a.example", site1(site))
		var err error
		if w.o.Rules, err = ParseRules(rules); err != nil {
			t.Fatal(err)
		}
		sources := []Source{textDoc("d", text), at("http://a.example/docs/")}
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
		a := NewAsker(w.client, &w.o, func(ctx context.Context, root locus.URL, fetch func(context.Context) ([]byte, error)) ([]byte, error) {
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

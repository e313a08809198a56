package verify

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/policy"
)

func TestParseRefresh(t *testing.T) {
	for text, want := range map[string]string{
		"0;url=a.html": "0 a.html", "0; URL = a.html": "0 a.html", " 5 , 'a b' x": "5 a b", `3;url="a.html`: "3 a.html", "1 a.html": "1 a.html",
		".5;url=a": "0 a", "2.9;a": "2 a", "0;urls": "0 urls", "0;url": "0 url", "99999999999999999999;url=a": "11 a",
		"5": "", "": "", "a.html": "", "5;": "", "5;url=": "", "-1;url=a": "", "5url=a": "", ";url=a": "",
	} {
		seconds, ref, ok := parseRefresh(text)
		got := ""
		if ok {
			got = fmt.Sprint(seconds, " ", ref)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzParseRefresh(f *testing.F) {
	f.Add("0;url='a.html'")
	f.Add(" .5 , URL = \"x")
	f.Fuzz(func(t *testing.T, text string) {
		seconds, ref, ok := parseRefresh(text)
		if seconds < 0 || ok != (ref != "") || !strings.Contains(text, ref) {
			t.Errorf("%q: %d, %q, %v", text, seconds, ref, ok)
		}
	})
}

// refreshing serves "/header/VALUE" with a Refresh header field, and "/meta/VALUE" with a meta
// element.
func refreshing(rw http.ResponseWriter, r *http.Request) {
	rw.Header().Set("Content-Type", "text/html")
	kind, value, _ := strings.Cut(r.URL.Path[1:], "/")
	if r.URL.RawQuery != "" {
		value += "?" + r.URL.RawQuery
	}
	switch kind {
	case "header":
		rw.Header().Set("Refresh", value)
	case "meta":
		fmt.Fprintf(rw, `<meta http-equiv=refresh content="%s"><p id=here>text`, value)
	case "noscript":
		fmt.Fprintf(rw, `<noscript><meta http-equiv=refresh content="%s"></noscript><p id=here>text`, value)
	case "base":
		fmt.Fprintf(rw, `<base href="/b/"><meta http-equiv=refresh content="%s">`, value)
	case "long":
		io.WriteString(rw, strings.Repeat(" ", maxRefreshHead)+`<meta http-equiv=refresh content="0;url=/none">`)
	case "ok", "b":
		io.WriteString(rw, "<p id=x>text")
	default:
		rw.WriteHeader(http.StatusNotFound)
	}
}

// A page that loads another page within seconds counts as a redirect.
func TestRefresh(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	w.serve("a.example", refreshing)
	const a = "http://a.example/"
	for _, c := range []struct {
		link, want string
		get        bool
	}{
		{"header/0;url=/ok", "moved -> " + a + "ok", false},
		{"header/5;url=/none", "dead 404 -> " + a + "none", false},
		{"header/60;url=/none", "alive", false},
		{"header/0", "alive", false},
		{"header/0;url=?self", "alive", false}, // the page reloads itself
		{"header/0;url=http://10.0.0.1/", "denied -> http://10.0.0.1/", false},
		{"header/0;url=javascript:x()", "alive", false},
		{"header/0;url=file:///etc/passwd", "alive", false},
		{"header/0;url=/ok%23x", "moved -> " + a + "ok#x", false},
		{"header/0;url=/ok%23y", "fragment -> " + a + "ok#y", false},
		{"meta/0;url=/none", "alive", false}, // the response to HEAD has no body
		{"meta/0;url=/none", "dead 404 -> " + a + "none", true},
		{"meta/0;url=/ok", "moved -> " + a + "ok", true},
		{"meta/0;url=/ok#here", "moved -> " + a + "ok", false},
		{"meta/0;url=/none#x", "dead 404 -> " + a + "none", false},
		{"meta/0;url=/header/0;url=/none", "dead 404 -> " + a + "none", true},
		{"meta/600;url=/none#here", "alive", false},
		{"noscript/0;url=/none#here", "alive", false},
		{"noscript/0;url=/none", "alive", true},
		{"base/0;url=c", "moved -> " + a + "b/c", true},
		{"long", "alive", true},
	} {
		w.o.HTTP.Get = c.get
		got := w.run(textDoc("d", "<"+a+c.link+">"))
		if text := strings.TrimPrefix(line(got[0]), "d:1 "+got[0].Link()+" "); text != c.want {
			t.Errorf("%s: %s, want %s (%s)", c.link, text, c.want, got[0].Detail)
		}
	}
}

// Refreshes count as redirects for the detection of loops and for the redirect limit.
func TestRefreshLoop(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	n := 0
	w.serve("a.example", func(rw http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/1":
			rw.Header().Set("Refresh", "0;url=/2")
		case "/2":
			rw.Header().Set("Refresh", "0;url=/1")
		default:
			n++
			rw.Header().Set("Refresh", fmt.Sprintf("0;url=/far/%d", n))
		}
	})
	for path, want := range map[string]string{"1": "redirect loop", "far": "more than 20"} {
		if r := w.run(textDoc("d", "http://a.example/"+path))[0]; r.Verdict != Warning || !strings.Contains(r.Detail, want) {
			t.Errorf("%s: %s %q", path, line(r), r.Detail)
		}
	}
}

// The Verifier looks for the fragment of a redirect target even if the link has no fragment.
func TestFragmentOfRedirect(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	w.serve("a.example", func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/found":
			http.Redirect(rw, r, "/page#x", http.StatusFound)
		case "/lost":
			http.Redirect(rw, r, "/page#y", http.StatusFound)
		case "/route":
			http.Redirect(rw, r, "/page#/y", http.StatusFound)
		case "/picture":
			http.Redirect(rw, r, "/picture.png#y", http.StatusFound)
		case "/app":
			http.Redirect(rw, r, "/scripts#y", http.StatusFound)
		case "/scripts":
			io.WriteString(rw, "<script src=x></script>")
		case "/picture.png":
			rw.Header().Set("Content-Type", "image/png")
		default:
			io.WriteString(rw, "<p id=x>text")
		}
	})
	for path, want := range map[string]string{
		"found": "moved -> http://a.example/page#x", "lost": "fragment -> http://a.example/page#y", "lost#x": "fragment -> http://a.example/page#y",
		"found#z": "moved -> http://a.example/page#x", "route": "moved -> http://a.example/page#/y",
		"picture": "moved -> http://a.example/picture.png#y", "app": "warning -> http://a.example/scripts#y",
	} {
		w.want(w.run(textDoc("d", "http://a.example/"+path)), "d:1 http://a.example/"+path+" "+want)
	}
	if r := w.run(textDoc("d", "http://a.example/lost"))[0]; r.Detail != `the document has no fragment "#y", the target of a redirect` || !r.IsBad() {
		t.Errorf("%+v", r)
	}
	if methods := strings.Join(w.requestedURLs(), " "); strings.Contains(methods, "GET http://a.example/picture") {
		t.Errorf("%q", methods)
	}
	w.o.NoFragments = true
	w.requests = nil
	w.want(w.run(textDoc("d", "http://a.example/lost")), "d:1 http://a.example/lost moved -> http://a.example/page#y")
	if got := w.requestedURLs(); !slices.Equal(got, []string{"HEAD http://a.example/lost", "HEAD http://a.example/page"}) {
		t.Errorf("%q", got)
	}
}

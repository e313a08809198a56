package verify

import (
	"io"
	"net/http"
	"slices"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
)

// The Verifier escapes spaces in an HTML link, as browsers do, and reports a warning. It does not
// escape spaces in a host.
func TestSpacesInLinks(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	w.serve("a.example", func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/none b" {
			rw.WriteHeader(http.StatusNotFound)
		}
		if r.URL.Path == "/" {
			io.WriteString(rw, `<a href="/x y?q r">1</a><a href="http://a.example/none b">2</a><a href="http://a b.example/">3</a><a href=" /x ">4</a><p id="p q"><a href="#p q">5</a>`)
		}
	})
	w.o.Depth = FirstPage
	w.want(w.run(sourceAt("http://a.example/")), ":0 http://a.example/ alive", "http://a.example/:1 http://a.example/x%20y?q%20r warning",
		"http://a.example/:1 http://a.example/none%20b dead 404", "http://a.example/:1 http://a b.example/ malformed", "http://a.example/:1 http://a.example/x alive",
		"http://a.example/:1 http://a.example/#p%20q warning")
}

// Dot segments are resolved before a URL is requested.
func TestDotSegments(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	w.serve("a.example", func(http.ResponseWriter, *http.Request) {})
	w.want(w.run(textDoc("d", "http://a.example/x/../y http://a.example/./y http://a.example/y")),
		"d:1 http://a.example/x/../y alive", "d:1 http://a.example/./y alive", "d:1 http://a.example/y alive")
	if got := w.requestedURLs(); !slices.Equal(got, []string{"HEAD http://a.example/y"}) {
		t.Errorf("%q", got)
	}
}

// A Gopher menu that contains only an error message about a missing resource causes a warning.
func TestMenuSaysNotFound(t *testing.T) {
	for text, want := range map[string]Verdict{
		"Error: File or directory not found!\r\n___\r\n  Gophered by a server\r\n.\r\n":               Warning,
		"iError: not found\t\tnull\t70\r\n.\r\n":                                                      Warning,
		"Error: not found\r\n1A menu\t/x\ta.example\t70\r\n.\r\n":                                     Alive,
		"iWelcome\t\tnull\t70\r\n.\r\n":                                                               Alive,
		"iError: not found\t\tn\t70\r\ni\t\tn\t70\r\ni\t\tn\t70\r\ni\t\tn\t70\r\ni\t\tn\t70\r\n.\r\n": Alive,
	} {
		w := newFixture(t, policy.Rules{})
		w.speak("a.example", text)
		if r := w.run(textDoc("d", "gopher://a.example/1/none"))[0]; r.Verdict != want {
			t.Errorf("%q: %v, want %v", text, r.Outcome, want)
		}
	}
}

// A relative reference points above the top directory only if it contains more ".." segments than
// there are directories below the top.
func TestLeavesTop(t *testing.T) {
	for _, c := range []struct {
		base, top, ref string
		leaves         bool
	}{
		{"file:///r/README.md", "file:///r/", "../../issues", true},
		{"file:///r/README.md", "file:///r/", "..", true},
		{"file:///r/README.md", "file:///r/", "docs/../../wiki#x", true},
		{"file:///r/README.md", "file:///r/", "docs/../a.md", false},
		{"file:///r/README.md", "file:///r/", "#../..", false},
		{"file:///r/README.md", "file:///r/", "?../..", false},
		{"file:///r/a/b/c.md", "file:///r/", "../../x", false},
		{"file:///r/a/b/c.md", "file:///r/", "../../../x", true},
		{"file:///r/", "file:///r/", "./../x", true},
		{"file:///r/a/b.md", "file:///r/", "/../x", true},
		{"file:///q/a.md", "file:///r/", "../../x", false},
		{"file:///r/README.md", "", "../../issues", false},
	} {
		top := locus.URL{}
		if c.top != "" {
			top = locus.MustParse(c.top)
		}
		if got := leavesTop(locus.MustParse(c.base), top, c.ref); got != c.leaves {
			t.Errorf("%s in %s below %s: %v", c.ref, c.base, c.top, got)
		}
	}
}

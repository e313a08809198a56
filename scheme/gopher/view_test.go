package gopher

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

func TestParseView(t *testing.T) {
	for _, test := range []struct {
		line string
		want plusView
	}{
		// These lines are from real servers.
		{"Text/plain De_DE: <.0k>", plusView{"Text/plain", "De_DE", 0}},
		{"Text/plain En_US: <.1k>", plusView{"Text/plain", "En_US", 102}},
		{"application/zip En_US: <1k>", plusView{"application/zip", "En_US", 1024}},
		{"text/plain: <0k>", plusView{"text/plain", "", 0}},
		{"application/gopher+-menu: <512b>", plusView{"application/gopher+-menu", "", 512}},
		{"application/gopher+-menu:", plusView{"application/gopher+-menu", "", -1}},
		{"Directory/recursive: <0k>", plusView{"Directory/recursive", "", 0}},
		{"Directory+/recursive: <0k>", plusView{"Directory+/recursive", "", 0}},
		// These lines have various sizes.
		{"a/b: <10K>", plusView{"a/b", "", 10240}},
		{"a/b: <1.5m>", plusView{"a/b", "", 1572864}},
		{"a/b: <2M>", plusView{"a/b", "", 2097152}},
		{"a/b: <77>", plusView{"a/b", "", 77}},
		{"a/b: < 77 b >", plusView{"a/b", "", -1}},
		{"a/b: < 77b >", plusView{"a/b", "", 77}},
		{"a/b:<7>", plusView{"a/b", "", 7}},
		{"a/b: <7", plusView{"a/b", "", 7}},
		{"a/b: <7.>", plusView{"a/b", "", 7}},
		{"a/b: <7> more: <8>", plusView{"a/b", "", 7}},
		{"a/b: <>", plusView{"a/b", "", -1}},
		{"a/b: <k>", plusView{"a/b", "", -1}},
		{"a/b: <.>", plusView{"a/b", "", -1}},
		{"a/b: <.k>", plusView{"a/b", "", -1}},
		{"a/b: <1.2.3>", plusView{"a/b", "", -1}},
		{"a/b: <-1k>", plusView{"a/b", "", -1}},
		{"a/b: <1e3>", plusView{"a/b", "", -1}},
		{"a/b: <0x10>", plusView{"a/b", "", -1}},
		{"a/b: <1_0>", plusView{"a/b", "", -1}},
		{"a/b: <inf>", plusView{"a/b", "", -1}},
		{"a/b: <nan>", plusView{"a/b", "", -1}},
		{"a/b: <1g>", plusView{"a/b", "", -1}},
		{"a/b: <1\xb5>", plusView{"a/b", "", -1}},
		// The sizes in these lines are near or out of range.
		{"a/b: <9223372036854774784>", plusView{"a/b", "", 9223372036854774784}},
		{"a/b: <9223372036854775807>", plusView{"a/b", "", -1}},
		{"a/b: <9999999999999999k>", plusView{"a/b", "", -1}},
		{"a/b: <" + strings.Repeat("9", 400) + "m>", plusView{"a/b", "", -1}},
		// These lines have various types and languages.
		{"a/b", plusView{"a/b", "", -1}},
		{"a/b en <3>", plusView{"a/b", "en", 3}},
		{"a/b en : <3>", plusView{"a/b", "en", 3}},
		{"  a/b   en:", plusView{"a/b", "en", -1}},
		{"a:b c:d: <3>", plusView{"a:b", "c:d", 3}},
		{"a/b De DE: <3>", plusView{"a/b", "De DE", 3}},
		{"a/b;charset=x En: <3>", plusView{"a/b;charset=x", "En", 3}},
		{"\xe9/\xff \x1b[2J: <3>", plusView{"\xe9/\xff", "\x1b[2J", 3}},
	} {
		got, ok := parseView(test.line)
		if !ok || got != test.want {
			t.Errorf("%q: %+v, %v; want %+v", test.line, got, ok, test.want)
		}
	}
	for _, line := range []string{"", " ", ":", ": <3k>", "<3k>", "  : "} {
		if v, ok := parseView(line); ok {
			t.Errorf("%q: is the view %+v", line, v)
		}
	}
}

// report returns the views of an item on a real server.
func report(t testing.TB) []plusView {
	t.Helper()
	return oneSet(t, "umn-bang-views").Views
}

func TestChooseView(t *testing.T) {
	for _, test := range []struct{ accept, language, want string }{
		{"", "", "Text/plain De_DE"},
		{"*/*", "*", "Text/plain De_DE"},
		{"", "es", "Text/plain Es_ES"},
		{"", "ES-es, *;q=0.1", "Text/plain Es_ES"},
		{"", "en", "Text/plain En_US"},
		{"", "fr, en;q=0.5, de;q=0.4", "Text/plain En_US"},
		{"application/postscript", "", "application/postscript En_US"},
		{"application/*", "", "application/postscript En_US"},
		{"text/plain;q=0.5, application/postscript", "", "application/postscript En_US"},
		{"TEXT/PLAIN; charset=x", "", "Text/plain De_DE"},
		// The type must take precedence over the language.
		{"application/postscript, text/*;q=0.5", "de, *;q=0.1", "application/postscript En_US"},
		// A view in an excluded language must not be chosen, even if its type is the best.
		{"application/postscript, text/*;q=0.5", "de", "Text/plain De_DE"},
		{"application/postscript", "de, *;q=0.1", "application/postscript En_US"},
		{"text/html, */*;q=0.1", "fr, *;q=0.5", "Text/plain De_DE"},
		{"text/html, text/*;q=0.001", "de;q=0, *", "Text/plain En_US"},
	} {
		v, err := chooseView(report(t), test.accept, test.language)
		if v.String() != test.want || err != nil {
			t.Errorf("%q, %q: %q, %v; want %q", test.accept, test.language, v, err, test.want)
		}
	}
}

func TestChooseViewWithoutLanguages(t *testing.T) {
	views := []plusView{{Type: "text/html"}, {Type: "text/plain"}, {Type: "text/plain", Language: "De_DE"}}
	for _, test := range []struct{ accept, language, want string }{
		{"", "", "text/html"},
		{"", "de", "text/plain De_DE"},
		{"", "fr", "text/html"},
		{"text/plain", "fr", "text/plain"},
		{"text/plain", "de;q=0.001", "text/plain De_DE"},
		{"text/plain", "*;q=0.5, de;q=0.1", "text/plain"},
	} {
		v, err := chooseView(views, test.accept, test.language)
		if v.String() != test.want || err != nil {
			t.Errorf("%q, %q: %q, %v; want %q", test.accept, test.language, v, err, test.want)
		}
	}
}

func TestChooseViewRefuses(t *testing.T) {
	many := make([]plusView, 100)
	for i := range many {
		many[i].Type = strings.Repeat("x", 1000) + "\x1b/y"
	}
	for _, test := range []struct {
		views            []plusView
		accept, language string
		says             string
	}{
		{report(t), "image/gif", "", `available: "Text/plain De_DE", "Text/plain En_US", "Text/plain Es_ES", "application/postscript En_US"`},
		{report(t), "", "fr", `"Text/plain De_DE"`},
		{report(t), "application/postscript", "de", `"application/postscript En_US"`},
		{report(t), "*/*;q=0", "", `"Text/plain De_DE"`},
		{nil, "", "", "the item has no views"},
		{many, "a/b", "", " and 92 more"},
	} {
		_, err := chooseView(test.views, test.accept, test.language)
		if !errors.Is(err, scheme.ErrNotFound) || !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%q, %q: %v; want %q", test.accept, test.language, err, test.says)
		}
		if err != nil && (len(err.Error()) > 2500 || strings.Contains(err.Error(), "\x1b")) {
			t.Errorf("%q, %q: an error of %d octets: %v", test.accept, test.language, len(err.Error()), err)
		}
	}
	for _, test := range []struct{ accept, language string }{{"text/", ""}, {"", "de;q=7"}} {
		_, err := chooseView(report(t), test.accept, test.language)
		if _, ok := errors.AsType[*locus.SyntaxError](err); !ok || errors.Is(err, scheme.ErrNotFound) {
			t.Errorf("%q, %q: %v", test.accept, test.language, err)
		}
	}
}

// TestViewInRequests checks that URLs and requests contain the same views as the captures,
// octet for octet.
func TestViewInRequests(t *testing.T) {
	for name, want := range map[string]string{
		"umn-view-spanish":    "es",
		"umn-view-postscript": "",
	} {
		accept := "application/postscript"
		if want != "" {
			accept = "text/plain"
		}
		v, err := chooseView(report(t), accept, want)
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			v.Language = "" // the captured request contains no language
		}
		g := parse(t, "gopher://h/00/report")
		if g, err = g.withPlus("+" + v.String()); err != nil {
			t.Fatal(err)
		}
		if got, err := g.AppendRequest(nil); string(got) != string(captured(t, name).c2s) || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

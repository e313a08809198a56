package gopher

import (
	"errors"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf/bnftest"
)

func FuzzURL(f *testing.F) {
	invariants.Fuzz(f, seeds, func(t *testing.T, u locus.URL) {
		g, _ := Parse(u)
		g.Redirect()
		request, err := g.AppendRequest(nil)
		if err != nil {
			if request != nil {
				t.Errorf("%q: sends %q and fails with %v", u, request, err)
			}
			return
		}
		harmless(t, g, string(request))
	})
}

// harmless checks that a request consists of one line of at most three fields. Only in a
// request with a form may other lines follow.
func harmless(t *testing.T, g URL, request string) {
	t.Helper()
	line, rest, ok := strings.Cut(request, "\r\n")
	form := rest != "" || strings.HasSuffix(line, "\t1") && strings.Contains(g.plus, "\r\n")
	tabs := strings.Count(strings.TrimSuffix(line, noForm), "\t")
	switch {
	case !ok || strings.ContainsAny(line, "\r\n\x00"):
		t.Errorf("%q: sends %q", g.URL(), request)
	case !form && tabs > 2, form && (tabs > 3 || !strings.Contains(line, "\t+")):
		t.Errorf("%q: sends %q, form %v", g.URL(), request, form)
	case !strings.HasPrefix(line, g.selector):
		t.Errorf("%q: sends %q, which does not begin with the selector", g.URL(), request)
	}
}

func FuzzParts(f *testing.F) {
	f.Add("h", byte('7'), "sel?", "a b", "", true, false)
	f.Add("h", byte('0'), "0/x", "", "+\t1\r\n+-1\r\na\r\n.\r\n", false, true)
	f.Add("1.2.3.4", byte(0), "\xff%41", "\t", "+", true, true)
	f.Fuzz(func(t *testing.T, host string, gtype byte, selector, search, plus string, hasSearch, hasPlus bool) {
		p := Parts{Host: host, Type: gtype, Selector: selector}
		if hasSearch {
			p.Search = &search
		}
		if hasPlus {
			p.Plus = &plus
		}
		g, err := p.URL()
		if !bnftest.Made(t, p, err) {
			return
		}
		gotSearch, _ := g.Search()
		gotPlus, gotHasPlus := g.Plus()
		if g.Selector() != selector || hasSearch && gotSearch != search || hasPlus && gotPlus != plus || gotHasPlus != hasPlus || gtype != 0 && g.Type() != gtype {
			t.Errorf("%+v: %s, %+v", p, g.URL(), g)
		}
		if _, err := g.AppendRequest(nil); err != nil && !errors.Is(err, ErrNoRequest) {
			t.Errorf("%+v: %v", p, err)
		}
	})
}

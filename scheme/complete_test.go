package scheme_test

import (
	"context"
	"errors"
	"net"
	"reflect"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/schemetest"
)

type nilOpener struct{}

func (*nilOpener) Open(context.Context, *scheme.Request) (scheme.Resource, error) { panic("nil") }

// A registry must reject a scheme that would panic in use.
func TestRegistryRefusesIncomplete(t *testing.T) {
	for why, s := range map[string]scheme.Scheme{
		"nil func":    {Name: "x-a", Access: scheme.Access{Opener: scheme.OpenerFunc(nil)}},
		"nil pointer": {Name: "x-a", Access: scheme.Access{Opener: (*nilOpener)(nil)}},
		"status":      {Name: "x-a", Status: scheme.Experimental + 1},
		"clean":       {Name: "x-a", Syntax: scheme.Syntax{Clean: locus.PathXchar}},
		"name":        {},
	} {
		if r, err := scheme.NewRegistry(s); err == nil || r != nil || !strings.HasPrefix(err.Error(), "scheme: ") {
			t.Errorf("%s: %v, %v", why, r, err)
		}
	}
}

// A scheme with only a name must have the generic syntax of RFC 1738 section 5.
func TestRegistryCompletes(t *testing.T) {
	r := mustRegistry(t, scheme.Scheme{Name: "x-a"})
	s, _ := r.Lookup("x-a")
	if s.Syntax.Fields == nil || s.Syntax.Canonical == nil || s.Syntax.Check == nil || s.Syntax.Form == "" || s.Syntax.Reserved != escape.Reserved() || s.Access.Opener != nil {
		t.Errorf("%+v", s)
	}
	generic := mustRegistry(t, scheme.Generic("x-a", scheme.Standard))
	for _, text := range []string{"x-a:b", "X-A://H:00/%7e~", "x-a://u:p@h/a?b#c", "x-a://"} {
		u := locus.MustParse(text)
		f1, err1 := r.Fields(u)
		f2, err2 := generic.Fields(u)
		c1, ch1, e1 := r.Canonical(u)
		c2, ch2, e2 := generic.Canonical(u)
		if !reflect.DeepEqual(f1, f2) || err1 != err2 || c1 != c2 || ch1 != ch2 || e1 != e2 {
			t.Errorf("%q: %v %v, %v %v %v; want %v %v, %v %v %v", text, f1, err1, c1, ch1, e1, f2, err2, c2, ch2, e2)
		}
		for _, p := range []locus.Profile{locus.RFC1738, locus.RFC1630} {
			if got, want := r.Check(u, p), generic.Check(u, p); !reflect.DeepEqual(got, want) {
				t.Errorf("%q, %v: %v, want %v", text, p, got, want)
			}
		}
	}
}

// If a scheme sets only Fields, the default Canonical and Check must reject the URLs that
// Fields rejects.
func TestRegistryFollowsFields(t *testing.T) {
	r := mustRegistry(t, scheme.Scheme{
		Name:    "x-a",
		Section: "x",
		Syntax: scheme.Syntax{
			Fields: func(u locus.URL) ([]scheme.Field, error) {
				switch i := strings.IndexAny(u.SchemePart(), "/!"); {
				case i < 0:
					return nil, nil
				case u.SchemePart()[i] == '/':
					return nil, u.Errorf(u.PathOffset()+i, "name", "%w: no slash", locus.ErrForm)
				default:
					return nil, u.Errorf(u.PathOffset()+i, "name", "%w: no such name", locus.ErrValue)
				}
			},
		},
	})
	for text, want := range map[string]string{"x-a:b": "", "x-a:~/b": "unsafe-character@4 form@5", "x-a:b/~": "form@5 unsafe-character@6", "x-a:b!": "value@5?"} {
		u := locus.MustParse(text)
		if _, _, err := r.Canonical(u); (err != nil) != strings.Contains(want, "@5") {
			t.Errorf("%q: %v", text, err)
		}
		if got := rules(r.Check(u, locus.RFC1738)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func rules(list []locus.Violation) string {
	var all []string
	for _, v := range list {
		all = append(all, v.Rule+"@"+string(rune('0'+v.Offset))+[...]string{"", "?", "~", "!"}[v.Kind])
	}
	return strings.Join(all, " ")
}

// The scheme of the example must pass the test suite for schemes.
func TestOwnScheme(t *testing.T) {
	schemetest.Run(t, daytime(), schemetest.Config{Good: []string{"x-daytime://host.dom", "x-daytime://host.dom:7013/"}})
	registry := mustRegistry(t, daytime())
	row, _ := registry.Lookup("x-daytime")
	for _, text := range []string{"x-daytime:a", "x-daytime:///", "x-other://host.dom/"} {
		_, err := row.Access.Opener.Open(t.Context(), &scheme.Request{URL: locus.MustParse(text), Dial: new(net.Dialer)})
		if !errors.As(err, new(*locus.SyntaxError)) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

package scheme_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// schemeWithPort returns a scheme that a test can recognize by its port.
func schemeWithPort(name string, port uint16) scheme.Scheme {
	s := scheme.Generic(name, scheme.Experimental)
	s.Port = port
	return s
}

func mustRegistry(t *testing.T, list ...scheme.Scheme) *scheme.Registry {
	t.Helper()
	r, err := scheme.NewRegistry(list...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRegistry(t *testing.T) {
	r := mustRegistry(t, schemeWithPort("x-b", 2), schemeWithPort("x-a", 1), schemeWithPort("z39.50", 3))
	for name, port := range map[string]uint16{"x-a": 1, "x-b": 2, "X-B": 2, "z39.50": 3, "Z39.50": 3} {
		s, ok := r.Lookup(name)
		if !ok || s.Port != port || s.Name != strings.ToLower(name) {
			t.Errorf("Lookup(%q) = %v, %v", name, s.Name, ok)
		}
		if u := locus.MustParse(name + ":x"); !r.Known(u) {
			t.Errorf("%q is not known", u)
		}
	}
	for _, name := range []string{"", "x", "x-", "x-aa", "x-c", "http", "x-a:"} {
		if s, ok := r.Lookup(name); ok {
			t.Errorf("Lookup(%q) = %v", name, s.Name)
		}
	}
	if r.Known(locus.MustParse("x-c:y")) || r.Known(locus.URL{}) {
		t.Error("something is known that is not there")
	}
	var names []string
	for _, s := range r.All() {
		names = append(names, s.Name)
	}
	if !slices.Equal(names, []string{"x-a", "x-b", "z39.50"}) {
		t.Errorf("All: %q", names)
	}
}

func TestRegistryRefuses(t *testing.T) {
	for _, list := range [][]scheme.Scheme{
		{schemeWithPort("", 0)},
		{schemeWithPort("HTTP", 0)},
		{schemeWithPort("a_b", 0)},
		{schemeWithPort("a:", 0)},
		{schemeWithPort("é", 0)},
		{schemeWithPort("a", 0), schemeWithPort("b", 0), schemeWithPort("a", 1)},
	} {
		if r, err := scheme.NewRegistry(list...); err == nil || r != nil || !strings.HasPrefix(err.Error(), "scheme: ") {
			t.Errorf("%q: %v, %v", list[len(list)-1].Name, r, err)
		}
	}
}

// Deriving another registry must not change a registry, and callers must receive copies of its
// schemes.
func TestRegistryIsImmutable(t *testing.T) {
	list := []scheme.Scheme{schemeWithPort("a", 1), schemeWithPort("b", 2)}
	r := mustRegistry(t, list...)
	list[0].Name = "changed"
	r.All()[0].Port = 9
	more, err := r.With(schemeWithPort("c", 3))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.With(schemeWithPort("a", 3)); err == nil {
		t.Error("a name is taken twice")
	}
	if s, ok := r.Lookup("a"); !ok || s.Port != 1 {
		t.Errorf("a is %v, %v", s, ok)
	}
	if _, ok := r.Lookup("c"); ok || len(r.All()) != 2 || len(more.All()) != 3 {
		t.Errorf("%d and %d schemes", len(r.All()), len(more.All()))
	}
	if s, ok := more.Lookup("b"); !ok || s.Port != 2 {
		t.Errorf("b is %v, %v", s, ok)
	}
}

// The zero Registry must be empty, and must treat every URL as an otherurl (RFC 1738 section
// 5).
func TestZeroRegistry(t *testing.T) {
	var r scheme.Registry
	u := locus.MustParse("HTTP://H/%7a")
	if _, ok := r.Lookup("http"); ok || r.Known(u) || len(r.All()) != 0 {
		t.Error("the zero Registry is not empty")
	}
	if c, change, err := r.Canonical(u); err != nil || c.String() != "http://h/z" || change != locus.SchemeCase|locus.HostCase|locus.NeedlessEscape {
		t.Errorf("%q, %q, %v", c, change, err)
	}
	if fields, err := r.Fields(u); len(fields) != 0 || err != nil {
		t.Errorf("%v, %v", fields, err)
	}
	if list := r.Check(u, locus.RFC1738); len(list) != 1 || list[0].Rule != "scheme-case" {
		t.Errorf("%v", list)
	}
}

// A registry must find every scheme, even if many names hash to the same slot.
func TestRegistrySlots(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 4, 5, 30, 300} {
		var list []scheme.Scheme
		for i := range n {
			// These names have the same length, beginning and end, so they all hash to the
			// same slot.
			list = append(list, schemeWithPort(fmt.Sprintf("x%03dy", i), uint16(i)))
		}
		r := mustRegistry(t, list...)
		for _, s := range list {
			if got, ok := r.Lookup(s.Name); !ok || got.Port != s.Port {
				t.Errorf("of %d: Lookup(%q) = %v, %v", n, s.Name, got.Port, ok)
			}
		}
		if _, ok := r.Lookup("x999y"); ok {
			t.Errorf("of %d: finds what is not there", n)
		}
	}
}

// A registry must distinguish names with the same beginning, even if the key does not fit into
// a machine word.
func TestRegistryLongNames(t *testing.T) {
	names := []string{"x-longn", "x-longna", "x-longname", "x-longnames", "x-longnamer"}
	var list []scheme.Scheme
	for i, name := range names {
		list = append(list, schemeWithPort(name, uint16(i)))
		list[i].Syntax.Check = func(u locus.URL, _ locus.Profile) []locus.Violation {
			return []locus.Violation{{Rule: name}}
		}
	}
	r := mustRegistry(t, list...)
	for _, name := range names {
		for _, text := range []string{name + ":", name + ":a", strings.ToUpper(name) + ":a:b", name + "://host/path"} {
			if got := r.Check(locus.MustParse(text), locus.RFC1738); len(got) != 1 || got[0].Rule != name {
				t.Errorf("%q is checked as %v", text, got)
			}
		}
	}
	for _, text := range []string{"x-long:", "x-longnam:a", "x-longnamed:a", "x:", "x-longna+:a"} {
		if r.Known(locus.MustParse(text)) {
			t.Errorf("%q is known", text)
		}
	}
}

func TestRegistryAllocs(t *testing.T) {
	r := mustRegistry(t, schemeWithPort("x-a", 1), schemeWithPort("x-b", 2))
	known, unknown := locus.MustParse("x-a://host/path?a=b"), locus.MustParse("x-c:a/b")
	if n := testing.AllocsPerRun(100, func() {
		r.Known(known)
		r.Lookup("x-b")
		r.Check(known, locus.RFC1738)
		r.Check(unknown, locus.RFC1738)
		r.Canonical(known)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// A text must conform to otherurl only if it consists of xchars.
func TestGenericCheck(t *testing.T) {
	r := new(scheme.Registry)
	for text, want := range map[string]string{
		"x:":                          "",
		"x:a;b/c?d:e@f&g=h":           "",
		"x://h/a":                     "",
		"x://u:p@h:8/a?b#c":           "",
		"x://h:/":                     "",
		"x://h_h/":                    "",
		"X:a":                         "scheme-case@0",
		"1x:a":                        "scheme-letter@0",
		"x:~a|":                       "unsafe-character@2 unsafe-character@4",
		"x:\xe9":                      "not-us-ascii@2",
		"x:a#~":                       "unsafe-character@4",
		"x://[::1]/":                  "unsafe-character@4 unsafe-character@8",
		"x://u:~@h/":                  "unsafe-character@6",
		"x://h/a\\b":                  "unsafe-character@7",
		"x:" + strings.Repeat("~", 3): "unsafe-character@2 unsafe-character@3 unsafe-character@4",
	} {
		var got []string
		for _, v := range r.Check(locus.MustParse(text), locus.RFC1738) {
			got = append(got, fmt.Sprintf("%s@%d", v.Rule, v.Offset))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	// In the draft's generic form, "=", ";" and ":" are reserved, and so are
	// some characters that RFC 1738 does not reserve, such as "*" and "!".
	for text, want := range map[string]int{"x:a/b?c+d": 0, "x:a@b&c": 0, "x:a;b=c:d": 3, "x:a?b?c/d": 2} {
		if got := r.Check(locus.MustParse(text), locus.RFC1630); len(got) != want {
			t.Errorf("%q by the draft: %v", text, got)
		}
	}
}

// No finding may reveal a password, or a character of one.
func TestFindingsHidePassword(t *testing.T) {
	const password = "se~{cr}et"
	u := locus.MustParse("x://u:" + password + "@h~/~")
	for _, p := range []locus.Profile{locus.RFC1738, locus.RFC1630} {
		list := new(scheme.Registry).Check(u, p)
		if len(list) < 5 {
			t.Errorf("%v", list)
		}
		for _, v := range list {
			if in := v.Offset >= 6 && v.Offset < 6+len(password); in && (v.Text != "*" || strings.Contains(v.Help, "%")) || !in && v.Text == "*" {
				t.Errorf("%+v", v)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	for _, row := range []struct {
		err, is error
		want    bool
	}{
		{scheme.ErrNotFound, fs.ErrNotExist, true},
		{scheme.ErrAuth, fs.ErrPermission, true},
		{scheme.ErrNoScheme, scheme.ErrUnsupported, true},
		{scheme.ErrUnsupported, scheme.ErrNoScheme, false},
		{scheme.ErrNotFound, fs.ErrPermission, false},
		{fmt.Errorf("ftp: %w", scheme.Hint(scheme.ErrNotFound, "look elsewhere")), fs.ErrNotExist, true},
	} {
		if got := errors.Is(row.err, row.is); got != row.want {
			t.Errorf("%v is %v: %v", row.err, row.is, got)
		}
	}
	err := scheme.Hint(scheme.ErrNotFound, "look elsewhere")
	var hint *scheme.HintError
	if !errors.As(err, &hint) || hint.Hint != "look elsewhere" || err.Error() != "not found (look elsewhere)" {
		t.Errorf("%v", err)
	}
}

func TestTraced(t *testing.T) {
	var got []string
	r := scheme.Request{Trace: func(sent bool, line string) { got = append(got, fmt.Sprint(sent, " ", line)) }}
	r.Traced(true, "NOOP")
	r.Traced(false, "200")
	new(scheme.Request).Traced(true, "no trace")
	if !slices.Equal(got, []string{"true NOOP", "false 200"}) {
		t.Errorf("%q", got)
	}
}

func TestStatuses(t *testing.T) {
	var got []string
	for s := scheme.Standard; s <= scheme.Experimental; s++ {
		got = append(got, s.String())
	}
	if strings.Join(got, " ") != "standard draft extension reserved experimental" {
		t.Errorf("%q", got)
	}
}

// A program adds a custom scheme, with its own syntax and opener.
func ExampleRegistry_With() {
	words := scheme.Scheme{
		Name:    "x-word",
		Status:  scheme.Experimental,
		Section: "RFC 1738 4",
		Syntax: scheme.Syntax{
			Form: "x-word:<word>",
			Fields: func(u locus.URL) ([]scheme.Field, error) {
				return []scheme.Field{{Name: "word", Value: u.SchemePart()}}, nil
			},
			Canonical: func(u locus.URL) (locus.URL, locus.Change, error) { return u, 0, nil },
			Check:     func(locus.URL, locus.Profile) []locus.Violation { return nil },
		},
		Access: scheme.Access{
			Protocol: "a dictionary of one word",
			Opener: scheme.OpenerFunc(func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
				if req.URL.SchemePart() != "gopher" {
					return nil, scheme.ErrNotFound
				}
				return &scheme.Redirect{URL: req.URL, To: []locus.URL{locus.MustParse("gopher://gopher.micro.umn.edu/")}}, nil
			}),
		},
	}
	r, err := new(scheme.Registry).With(words)
	if err != nil {
		fmt.Println(err)
		return
	}
	u := locus.MustParse("X-Word:gopher")
	s, _ := r.Lookup(u.Scheme())
	resource, err := s.Access.Opener.Open(context.Background(), &scheme.Request{URL: u})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resource.Close()
	fmt.Println(resource.(*scheme.Redirect).To[0])
	// Output: gopher://gopher.micro.umn.edu/
}

// Functions must return a specific error for the zero URL.
func TestZeroURL(t *testing.T) {
	for _, r := range []*scheme.Registry{{}, mustRegistry(t, schemeWithPort("http", 80))} {
		if _, _, err := r.Canonical(locus.URL{}); !errors.Is(err, locus.ErrZero) {
			t.Errorf("Canonical: %v", err)
		}
		for _, p := range []locus.Profile{locus.RFC1738, locus.RFC1630} {
			if list := r.Check(locus.URL{}, p); locus.Conforms(list) || list[0].Help != locus.ErrZero.Error() {
				t.Errorf("Check: %v", list)
			}
		}
	}
}

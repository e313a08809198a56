package relative_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/relative"
)

func FuzzParse(f *testing.F) {
	for _, text := range []string{"", "g", "../g?y#s", "//u:p@[::1]:80/x", "///", "g:a", "a_b:c", "%", "\\", "a\x00", "#%41", ":", "?:", "//h:99999", "\xff", "http://h?a@b", "//h?a@b#c"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := relative.Parse(text)
		if err != nil {
			var e *locus.SyntaxError
			if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(text) || r != (relative.Ref{}) {
				t.Fatalf("Parse(%q) = %v, %#v", text, r, err)
			}
			return
		}
		if r.String() != text {
			t.Fatalf("Parse(%q).String() = %q", text, r)
		}
		if u, ok := r.URL(); ok && u.String() == text && relative.FromURL(u) != r {
			t.Fatalf("FromURL(%q) is another Ref", u)
		}
	})
}

func FuzzResolve(f *testing.F) {
	for _, base := range []string{"http://a/b/c/d;p?q", "magic://a/b/c//d/e/f", "mailto:a/../b@c", "x:/a/b", "http://h?q", "ftp://u?x:p@h:21/", "file:///", "gopher://h/1/a", "http://h", "x:///../", "x-foo:a/b/c", "news:x@y.z", "x:../a//b/.", "x:"} {
		for _, ref := range []string{"", "g", "/g", "//g", "///g", "?y", "#s", "../../../g", "..//g", ".", "..", "g:h", "g:/a/../b", "http:g", "./a:b", "/.//x", "?x@evil", "b.//g", "//good?@evil", "http://good?@evil/", "http://a@b?@c/", "//g:1?a:b@c#d"} {
			f.Add(base, ref)
		}
	}
	f.Fuzz(func(t *testing.T, baseText, refText string) {
		base, err := locus.Parse(baseText)
		if err != nil {
			return
		}
		ref, err := relative.Parse(refText)
		if err != nil {
			return
		}
		for _, o := range []relative.Options{
			{}, {Hierarchy: relative.Names}, {Hierarchy: relative.Opaque}, {Hierarchy: relative.Data, Data: true, SameScheme: true},
			{Rules: relative.RFC1630}, {Rules: relative.RFC1630, Hierarchy: relative.Data, Data: true, FirstSlash: true, SameScheme: true},
		} {
			u, _, err := ref.ResolveWith(base, o)
			if err != nil {
				continue
			}
			if again, err := locus.Parse(u.String()); err != nil || again != u {
				t.Fatalf("%q in %q by %+v is %q, which parses to %q, %v", refText, baseText, o, u, again, err)
			}
		}
		sameLogin(t, base, ref)
		agrees(t, base, ref)
		roundTrip(t, base, ref)
	})
}

// sameLogin checks that a relative reference resolves to the host of the base, or to the host in
// the reference.
func sameLogin(t *testing.T, base locus.URL, ref relative.Ref) {
	t.Helper()
	if _, ok := ref.URL(); ok {
		return
	}
	u, err := ref.Resolve(base)
	if err != nil {
		return
	}
	want, ok := base.Login()
	if strings.HasPrefix(ref.String(), "//") {
		whole, _ := relative.MustParse("x:" + ref.String()).URL()
		want, ok = whole.Login()
	}
	if got, gotOK := u.Login(); got != want || gotOK != ok {
		t.Fatalf("%q in %q: %q is at %q, not at %q", ref, base, u, got, want)
	}
}

// agrees compares Resolve with the simple implementation in cases in which the rules are the same.
func agrees(t *testing.T, base locus.URL, ref relative.Ref) {
	t.Helper()
	u, err := ref.Resolve(base)
	if err != nil {
		return
	}
	absolute, ok := ref.URL()
	if ok && !strings.HasPrefix(absolute.SchemePart(), "/") {
		return // Resolve intentionally does not change the URL
	}
	// In this package, the userinfo of a base may contain "?", but not in RFC 3986.
	if login, _ := base.Login(); strings.Contains(login, "?") {
		return
	}
	want := slowResolve(base.String(), ref.String())
	got := u.String()
	if strings.Contains(got, ":/.//") && !strings.Contains(want, ":/.//") {
		got = strings.Replace(got, ":/.//", "://", 1)
	}
	if len(got) == len(want)+1 && strings.Contains(got, "@") {
		got = strings.Replace(got, "/?", "?", 1)
	}
	if got != want {
		t.Fatalf("%q in %q: %q, want %q", ref, base, got, want)
	}
}

// roundTrip checks that Between finds a reference to the target of ref.
func roundTrip(t *testing.T, base locus.URL, ref relative.Ref) {
	t.Helper()
	target, err := ref.Resolve(base)
	if err != nil {
		return
	}
	short, err := relative.Between(base, target, relative.Path)
	if err != nil {
		t.Fatalf("Between(%q, %q): %v", base, target, err)
	}
	if got, err := short.Resolve(base); err != nil || got != target {
		t.Fatalf("Between(%q, %q) = %q, which means %q, %v", base, target, short, got, err)
	}
	longest := len(ref.String())
	if _, notes, _ := ref.ResolveWith(base, relative.Options{}); notes&relative.SlashAdded != 0 {
		longest++
	}
	if len(short.String()) > longest {
		t.Fatalf("Between(%q, %q) = %q is longer than %q", base, target, short, ref)
	}
}

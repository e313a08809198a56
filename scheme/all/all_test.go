package all_test

import (
	"bufio"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/internal/addrspec"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/scheme/schemetest"
)

func registry(t testing.TB) *scheme.Registry {
	t.Helper()
	r, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// configs holds the scheme-specific data for the test suite.
var configs = map[string]schemetest.Config{
	"ftp": {
		Good:       []string{"ftp://host.dom/a/b", "ftp://myname@host.dom/%2Fetc/motd", "ftp://myname:pass@host.dom//etc/motd;type=a", "ftp://h:2121/;type=d", "ftp://:@h/a?b:c@d&e=f#g"},
		Bad:        []string{"ftp:a", "ftp:/h/a"},
		Unsendable: []string{"ftp://u:p@h/a%0d%0aDELE%20x", "ftp://h/a%0Ab/c", "ftp://h/%00", "ftp://u%0D%0ANOOP@h/a", "ftp://u:p%0D%0ANOOP@h/a", "ftp://h/a%0d;type=d"},
	},
	"file": {
		Good:  []string{"file:///a/b", "file://localhost/a%20b", "file://vms.host.edu/disk$user/my/notes/note12345.txt", "file:///a?b:c@d&e=f#g"},
		Bad:   []string{"file:a", "file:", "file://h"},
		Local: true,
		Same: func(before, after []scheme.Field) bool {
			return equalBut(before, after, "host", func(v any) any {
				host := strings.Map(lower, v.(string))
				if hostnumbers.MatchString(host) {
					return zeros.ReplaceAllString(host, "$1")
				}
				return strings.TrimPrefix(host, "localhost")
			})
		},
	},
	"http": {
		Good: []string{"http://host.dom/a/b;c?d=e", "http://h", "http://h:8080/#f", "http://info.my.org/AboutUs/Index/Phonebook?dobbins"},
		Bad:  []string{"http:a", "http:/h/a"},
		Same: samePath,
	},
	"gopher": {
		Good: []string{"gopher://h", "gopher://h:7070/1/a", "gopher://h/7sel%09word%20word", "gopher://h/0sel%09%09+", "gopher://h/0sel%09%09+application/postscript%20Es_ES"},
		Bad:  []string{"gopher:a"},

		Unsendable: []string{"gopher://h/0a%0D%0Ab", "gopher://h/0a%00", "gopher://h/7s%09a%0Ab", "gopher://h/0a%09%09+%0D%0Ab", "gopher://h/2%09a%0D%0Ab"},
	},
	"mailto": {
		Good: []string{"mailto:joe@host.dom", "mailto:a%25b@c.test", "mailto:%22a;b%22@%5B127.0.0.1%5D"},
		Bad:  []string{"mailto:"},
		Same: sameDomain,
	},
	"news": {
		Good: []string{"news:*", "news:comp.infosystems.www.misc", "news:unique@full.domain.name"},
		Bad:  []string{"news:"},
		Same: sameDomain,
		Open: "news://host.dom/unique@full.domain.name",

		Unsendable: []string{"news://h/a%0D%0APOST@h", "news://h/a%0d%0aPOST", "news://h/a%20b@h", "news://h/%3Ca@h%3E", "news://h/a%00@h", "news:a%0d%0aPOST@h", "news:*"},
	},
	"nntp": {
		Good: []string{"nntp://host.dom/comp.infosystems.www.misc/12345", "nntp://host.dom:1190/comp.infosystems.www.misc"},
		Bad:  []string{"nntp:", "nntp://h", "nntp://h/"},

		Unsendable: []string{"nntp://h/g%0d%0aPOST/1", "nntp://h/g%20h", "nntp://h/g%09/1", "nntp://h/%00", "nntp:g/1"},
	},
	"telnet": {
		Good: []string{"telnet://user:password@host.dom:2323/", "telnet://host.dom"},
		Bad:  []string{"telnet:a"},
	},
	"wais": {
		Good: []string{"wais://h/db", "wais://h:2100/db?a+b", "wais://h/db/TEXT/1%3D2%3B"},
		Bad:  []string{"wais:a", "wais://h", "wais://h/a/b"},

		Unsendable: []string{"wais://h/a%40evil.dom:210", "wais://h/a%1Fb?c", "wais://h/a%1Eb/TEXT/3=c;", "wais://h/db/TE%20XT/3=c;", "wais://h/db//3=c;", "wais://h/db/TEXT/", "wais://h/db/WAIS_NEXT/3=c;"},
	},
	"prospero": {
		Good: []string{"prospero://host.dom//pros/name", "prospero://host.dom/a;b=c;d=e"},
		Bad:  []string{"prospero:a", "prospero://h"},

		Unsendable: []string{"prospero://h/a;OBJECT-VERSION=x", "prospero://h/a;object-version=2147483648", "prospero://h/a%0099999999999", "prospero://h/a;ID=REMOTE%20x"},
	},
	"mid": {Good: []string{"mid:a.b@c.dom"}, Bad: []string{"mid:"}, Local: true},
	"cid": {Good: []string{"cid:a.b@c.dom"}, Bad: []string{"cid:"}, Local: true},
}

var (
	hostnumbers = production(hostnumber)
	zeros       = regexp.MustCompile(`\b0+([0-9])`)
)

func lower(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		r += 'a' - 'A'
	}
	return r
}

// like maps a scheme to another scheme with the same syntax.
var like = map[string]string{"https": "http", "ftps": "ftp", "gophers": "gopher", "nntps": "nntp", "snews": "news", "rlogin": "telnet", "tn3270": "telnet"}

// config returns the configuration of the test suite for the scheme with the
// given name. A scheme without its own syntax accepts any text.
func config(name string) schemetest.Config {
	if c, ok := configs[name]; ok {
		return c
	}
	c, ok := configs[like[name]]
	if !ok {
		return schemetest.Config{Good: []string{name + "://user:pw@host.dom:8/a/b?c#d", name + ":a/b;c=d"}}
	}
	rename := func(list []string) []string {
		list = slices.Clone(list)
		for i, text := range list {
			list[i] = name + strings.TrimPrefix(text, like[name])
		}
		return list
	}
	c.Good, c.Bad, c.Unsendable = rename(c.Good), rename(c.Bad), rename(c.Unsendable)
	if c.Open != "" {
		c.Open = rename([]string{c.Open})[0]
	}
	return c
}

// equalBut reports whether two lists of fields are equal after the function f has been applied to
// the named field in both lists.
func equalBut(before, after []scheme.Field, name string, f func(any) any) bool {
	apply := func(list []scheme.Field) []scheme.Field {
		list = slices.Clone(list)
		for i := range list {
			if list[i].Name == name && list[i].Value != nil {
				list[i].Value = f(list[i].Value)
			}
		}
		return list
	}
	return reflect.DeepEqual(apply(before), apply(after))
}

// sameDomain compares two lists of fields. It ignores the case of the domain in an address or
// message-id.
func sameDomain(before, after []scheme.Field) bool {
	for _, name := range []string{"addrSpec", "messageId"} {
		if len(before) > 0 && equalBut(before, after, name, func(v any) any {
			local, domain, ok := addrspec.Split(escape.Encode(v.(string), escape.Unreserved()))
			if !ok {
				local, domain = "", local
			}
			return local + "@" + strings.ToLower(domain)
		}) {
			return true
		}
	}
	return false
}

// samePath compares two lists of fields. The second list may contain the path without "." and
// "..", and an empty path instead of a missing path.
func samePath(before, after []scheme.Field) bool {
	before = slices.Clone(before)
	for i := range before {
		if before[i].Name == "path" && before[i].Value == nil {
			before[i].Value = ""
		}
	}
	return equalBut(before, after, "path", func(v any) any { return path.Join("/", v.(string)) })
}

// inTexts reports whether RFC 1738 or the URI draft defines the syntax of the scheme s, or of
// another scheme with the same syntax. The packages of other schemes test their own syntax.
func inTexts(s scheme.Scheme) bool {
	_, ok := like[s.Name]
	return ok || s.Status != scheme.Extension
}

// names returns the names of the schemes that inTexts selects, and one unregistered name.
func names(r *scheme.Registry) []string {
	list := []string{"x-mine"}
	for _, s := range r.All() {
		if inTexts(s) {
			list = append(list, s.Name)
		}
	}
	return list
}

func TestSchemes(t *testing.T) {
	for _, s := range registry(t).All() {
		if !inTexts(s) {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			c := config(s.Name)
			c.New = func() scheme.Scheme {
				fresh, _ := registry(t).Lookup(s.Name)
				return fresh
			}
			schemetest.Run(t, s, c)
		})
	}
}

// ungrammatical returns the findings about URLs that do not match the grammar of their scheme.
func ungrammatical(list []locus.Violation) []locus.Violation {
	return slices.DeleteFunc(slices.Clone(list), func(v locus.Violation) bool { return v.Kind != locus.Ungrammatical })
}

// checkVerdict compares the result of Check for text with the grammar in slow_test.go.
func checkVerdict(t *testing.T, r *scheme.Registry, text string) (want, refused bool) {
	t.Helper()
	want = conforms(text)
	u, err := locus.Parse(text)
	if err != nil {
		if want && !splitsAsInternet(text) {
			t.Errorf("%q is of its production, and Parse says %v", text, err)
		}
		return want, true
	}
	if !inTexts(r.Scheme(u)) {
		return want, false
	}
	found := ungrammatical(r.Check(u, locus.RFC1738))
	if got := len(found) == 0; got != want && !(want && splitsAsInternet(text) && (u.Scheme() == "news" || u.Scheme() == "snews")) {
		t.Errorf("%q is of its production: %v; Check says %v", text, want, found)
	}
	return want, false
}

// Check must agree with the grammar in slow_test.go on 20,000 random URLs.
func TestSection5(t *testing.T) {
	r := registry(t)
	names := names(r)
	rnd := rand.New(rand.NewPCG(1738, 5))
	good, refused := 0, 0
	const n = 20_000
	for i := range n {
		c := config(names[i%len(names)])
		isGood, isRefused := checkVerdict(t, r, schemetest.Change(rnd, append(slices.Clone(c.Good), c.Bad...)))
		if isGood {
			good++
		}
		if isRefused {
			refused++
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("of %d URLs %d are of their production, and %d are no URLs", n, good, refused)
	if good < n/10 || good > n*9/10 || refused > n*9/10 {
		t.Errorf("of %d URLs %d are of their production and %d are no URLs: too few or too many to tell anything", n, good, refused)
	}
}

// Check must accept or reject each example of RFC 1738 and the URI draft, as listed.
func TestExamples(t *testing.T) {
	r := registry(t)
	for _, name := range []string{"rfc1738-2.txt", "rfc1738-3.1.txt", "uri-draft.txt", "field.txt"} {
		file, err := os.Open(filepath.Join("..", "..", "testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		scanner := bufio.NewScanner(file)
		for line := 1; scanner.Scan(); line++ {
			fields := strings.Split(scanner.Text(), "\t")
			if len(fields) < 3 || fields[0][0] == '#' || strings.HasPrefix(fields[2], "refused ") {
				continue
			}
			u, err := locus.Parse(fields[1])
			if err != nil {
				t.Errorf("%s:%d: %v", name, line, err)
				continue
			}
			schemetestURL(t, r, u)
			checkVerdict(t, r, fields[1])
			got := "conforms"
			if list := r.Check(u, locus.RFC1738); !locus.Conforms(list) {
				got = "violates"
				for _, v := range list {
					if v.Kind != locus.Note {
						got += " " + v.Rule
					}
				}
			}
			if got != fields[2] {
				t.Errorf("%s:%d: %q %s, want %s", name, line, u, got, fields[2])
			}
		}
		if scanner.Err() != nil {
			t.Error(scanner.Err())
		}
	}
}

func schemetestURL(t *testing.T, r *scheme.Registry, u locus.URL) {
	t.Helper()
	s, ok := r.Lookup(u.Scheme())
	if !ok {
		s = scheme.Generic(u.Scheme(), scheme.Reserved)
	}
	schemetest.URL(t, s, u, config(u.Scheme()))
}

func addSeeds(f *testing.F) *scheme.Registry {
	r := registry(f)
	for _, s := range r.All() {
		c := config(s.Name)
		for _, text := range append(append(slices.Clone(c.Good), c.Bad...), c.Unsendable...) {
			f.Add(text)
		}
	}
	for _, text := range []string{"x-mine:a", "HTTP://H:080/%7e/../a?b#", "http://h?q", "http://[::1]/", "file://LOCALHOST/a", "ftp://u@h/a;TYPE=A", "http://\xff/\xe9"} {
		f.Add(text)
	}
	return r
}

// Check must agree with the grammars in slow_test.go and draft_slow_test.go for any text.
func FuzzCheck(f *testing.F) {
	r := addSeeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		checkVerdict(t, r, text)
		checkDraft(t, r, text)
	})
}

// For any text, the canonical form must have the properties that all schemes guarantee.
func FuzzCanonical(f *testing.F) {
	r := addSeeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		u, err := locus.Parse(text)
		if err != nil {
			return
		}
		if s, known := r.Lookup(u.Scheme()); !known || inTexts(s) {
			schemetestURL(t, r, u)
		}
	})
}

// The default schemes of package extract must be the schemes of RFC 1738 and the URI draft.
func TestStandardSchemesAreExtracted(t *testing.T) {
	registry, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	standard := extract.NewSchemes(extract.Standard()...)
	for _, s := range registry.All() {
		if _, ok := standard.Lookup(s.Name); !ok && s.Status != scheme.Extension {
			t.Errorf("%s is not looked for", s.Name)
		}
	}
	for name, want := range map[string]bool{"HTTP": true, "z39.50": true, "": false, "x-y": false, strings.Repeat("h", 65): false} {
		if _, ok := standard.Lookup(name); ok != want {
			t.Errorf("%q: %v", name, ok)
		}
	}
}

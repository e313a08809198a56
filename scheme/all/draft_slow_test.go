package all_test

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/schemetest"
)

// This file contains the "BNF for specific URL schemes" of the URI draft, in the order of the
// draft and in a readable form. The tests compare Check with it.
//
// Where the draft contradicts itself, this file chooses an interpretation. "safe" and "extra" are
// the union of both lists in the draft, without the quotation mark. The spaces between the letters
// of a scheme name, and the second ":" of mailtoaddress, are mistakes. An identifier that contains
// "@" is an article and not a group (section "News"), and the last "@" splits it. %00 ends an
// hsoname, although it is also an escape. The prose allows an empty fragmentid, a gopher URL that
// ends in "/" (section "Gopher"), "//" and hostport before an nntp group, and ";type=" before a
// typecode without a form code (section "FTP"). The syntax of rlogin and tn3270 equals the syntax
// of telnet. For file, only the production of RFC 1738 exists here, with the draft's definition of
// a host. The letters of a typecode may be in upper or lower case. A path that begins with "//" is
// valid in a scheme without a production, because the examples contain such paths although the
// generic production does not. A "?" with a later "@" before any "/" is rejected, because the "@"
// may belong to a login or to a search.
const (
	draftXalpha   = `(?:[` + alpha + digit + `$\-_@.&+!*'(),]|` + escaped + `)`
	draftXalphas  = draftXalpha + `+`
	draftXpalphas = draftXalphas // includes "+"
	draftIalpha   = `[` + alpha + `]` + draftXalpha + `*`
	draftNoAt     = `(?:[` + alpha + digit + `$\-_.&+!*'(),]|` + escaped + `)`

	draftSegment    = draftXpalphas
	draftPath       = `(?:` + draftSegment + `/)*(?:` + draftSegment + `)?`
	draftSearch     = draftXalphas // *( "+" xalphas ); includes "+"
	draftAlphanum2  = `[` + alpha + digit + `\-_.+]`
	draftUser       = draftAlphanum2 + `+`
	draftPassword   = draftAlphanum2 + `+`
	draftHostname   = `[` + alpha + `]` + draftNoAt + `*`
	draftHost       = `(?:` + draftHostname + `|` + hostnumber + `)`
	draftHostport   = draftHost + `(?::` + digits + `)?`
	draftLogin      = `(?:` + draftUser + `(?::` + draftPassword + `)?@)?` + draftHostport
	draftFtptype    = `(?i:[AE][NTC]?|I|L` + digits + `)`
	draftGroup      = `[` + alpha + `]` + draftNoAt + `*`
	draftArticle    = draftXalphas + `@` + draftHost
	draftDatabase   = draftXalphas
	draftWtype      = draftXalphas
	draftWpath      = `(?:` + digits + `=` + draftPath + `;)+`
	draftAlphanums  = `[` + alpha + digit + `]+`
	draftVersion    = digits
	draftIdentifier = draftXalphas // addr-spec, content-identifier: the draft does not define them
	draftTelnet     = `//` + draftLogin
)

var draftURL = map[string]*regexp.Regexp{
	"http":     production(`//` + draftHostport + `(?:/` + draftPath + `)?(?:\?` + draftSearch + `)?`),
	"ftp":      production(`//` + draftLogin + `/` + draftPath + `(?:;(?i:type)=` + draftFtptype + `)?`),
	"news":     production(`(?:\*|` + draftGroup + `|` + draftArticle + `)`),
	"nntp":     production(`(?://` + draftHostport + `/)?[` + alpha + `]` + draftXalpha + `*/` + digits),
	"mid":      production(draftIdentifier),
	"cid":      production(draftIdentifier),
	"mailto":   production(draftXalphas + `@` + draftHostname),
	"wais":     production(`//` + draftHostport + `/(?:` + draftDatabase + `(?:\?` + draftSearch + `)?|` + draftDatabase + `/` + draftWtype + `/` + draftWpath + `)`),
	"prospero": production(`//` + draftHostport + `/` + draftPath),
	"telnet":   production(draftTelnet),
	"rlogin":   production(draftTelnet),
	"tn3270":   production(draftTelnet),
	"gopher":   production(`//` + draftHostport + `(?:/(?:` + draftXalpha + draftPath + `)?)?`),
	"file":     production(`//(?:` + draftHost + `)?/` + fpath),
}

var (
	draftGeneric  = production(`[` + alpha + `][` + alpha + digit + `+\-.]*:(?:` + draftXalpha + `|/)*(?:\?` + draftSearch + `)?`)
	doubtfulLogin = regexp.MustCompile(`\A//[^/?]*\?[^/]*@`)
	draftFragment = production(draftXalpha + `*`)
	draftVersions = production(`//[^/]*/[^%]*(?:%[^0][^%]*|%0[^0][^%]*)*(?:%00` + draftVersion + `(?:` + draftAlphanums + `)?)?`)
)

// sameDraft maps schemes of later standards to the draft's scheme with the same syntax.
var sameDraft = map[string]string{"https": "http", "ftps": "ftp", "gophers": "gopher", "nntps": "nntp", "snews": "news"}

// draftConforms reports whether text is a URL by the draft's grammar, optionally followed by "#"
// and a fragmentid.
func draftConforms(text string) bool {
	text, id, _ := strings.Cut(text, "#")
	name, part, ok := strings.Cut(text, ":")
	if !ok || !draftFragment.MatchString(id) {
		return false
	}
	own := draftURL[name]
	if like, ok := sameDraft[name]; ok {
		own = draftURL[like]
	}
	switch {
	case own == nil && (draftURL[strings.ToLower(name)] != nil || sameDraft[strings.ToLower(name)] != ""):
		return false // the production requires the name in lower case
	case own == nil:
		return draftGeneric.MatchString(text)
	case doubtfulLogin.MatchString(part):
		return false
	case name == "prospero" && !draftVersions.MatchString(part):
		return false
	}
	return own.MatchString(part)
}

// checkDraft compares the result of Check by the draft's rules with the grammar in this file. Each
// violation must cite the draft, except in file URLs.
func checkDraft(t *testing.T, r *scheme.Registry, text string) (want, refused bool) {
	t.Helper()
	want = draftConforms(text)
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
	found := ungrammatical(r.Check(u, locus.RFC1630))
	if got := len(found) == 0; got != want {
		t.Errorf("%q is of its production: %v; Check says %v", text, want, found)
	}
	for _, v := range found {
		if !strings.HasPrefix(v.Section, "URI draft") && u.Scheme() != "file" {
			t.Errorf("%q: %v cites another text", text, v)
		}
	}
	return want, false
}

// TestDraft runs checkDraft for 20,000 random URLs.
func TestDraft(t *testing.T) {
	r := registry(t)
	names := names(r)
	more := []string{
		"http://h?q", "http://h/a?", "http://h?", "ftp://u:@h/a", "ftp://u:p@h/a;type=AN", "http://,,,/", "http://%01/", "http://a%01b,c/", "http://a./", "http://a..b/", "http://9a/",
		"wais://h/db?", "wais://h/db/TEXT/1=a/b;2=;", "telnet://u:p@h", "prospero://h/a%0012ab", "nntp:a.b/12", "gopher://h/", "news:a!b@c.d", "mailto:a@b@c.d", "cid:a", "x-mine://a/b//c?d+e",
	}
	rnd := rand.New(rand.NewPCG(1630, 5))
	good, refused := 0, 0
	const n = 20_000
	for i := range n {
		c := config(names[i%len(names)])
		isGood, isRefused := checkDraft(t, r, schemetest.Change(rnd, slices.Concat(c.Good, c.Bad, more)))
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

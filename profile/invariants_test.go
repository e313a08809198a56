package profile_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/octet"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/profile"
	"github.com/locus-url/locus/profile/rfc3986"
)

// The invariants are the same in each run. -rapid.seed and -rapid.checks try other texts, and more.
func TestMain(m *testing.M) {
	flag.Parse()
	if seed := flag.Lookup("rapid.seed"); seed.Value.String() == "0" {
		if err := seed.Value.Set("3986"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// invariantTexts are the seeds of TestInvariants, by scheme.
var invariantTexts = map[string]string{
	"http":     "http://h http://u:p@H:80/a/b;c?d=e#f http://[2001:DB8::1]/~%7e/../b http://[fe80::1%25eth0]/ http://0x7f.1/",
	"ftp":      "ftp://h ftp://u:p@h:21/%2Fa/b;type=a ftp://h/x;TYPE=I ftp://h/;type=d ftp://h;type=d",
	"file":     "file:///a/b file://localhost/c:/x file:/c|/d file://h/share/a file:a",
	"gopher":   "gopher://h gopher://h:70/7sel%09word%09+ gopher://h/0a%0Ab",
	"mailto":   "mailto:joe@h.dom mailto:a%2Cb@C.d,e@f?subject=x&to=g@h&cc=i mailto:%22a@b%22@%5B1@2%5D",
	"news":     "news:comp.lang.* news:a@b news://h/a@b news:a%3Db@h",
	"nntp":     "nntp://h:119/a.b/007 nntp://h/g/0",
	"telnet":   "telnet://u:p@h:23/ telnet://h",
	"wais":     "wais://h:210/db wais://h/db?a+b wais://h/db/TEXT/1%3D2%3B wais://h/%2E/a/b",
	"prospero": "prospero://h:1525//a/b;c=d;e=f prospero://h/a%00bc",
	"mid":      "mid:a@b/c@d mid:%22a@b%22@%5Bc@d%5D",
	"cid":      "cid:a%2Fb@c",
	"tel":      "tel:+1-201-555-0123;ext=12;a=b tel:7042;phone-context=example.com tel:+1;isub=a=b?c@d;e=f",
	"urn":      "urn:isbn:0451450523?+r?=q#f urn:Example:a%2fb",
	"data":     "data:,A%20b data:text/html;charset=UTF-8;a=%22b%20c%22;base64,QUJD data:image/svg+xml;c=d%2Fe,%3Ca/%3E",
	"nfs":      "nfs://h:2049//a/b nfs://h",
	"ws":       "ws://h:80/a?b ws://h",
	"gemini":   "gemini://h:1965/a?b gemini://h",
	"finger":   "finger://h/u finger:u@h",
}

// seedScheme maps schemes to the scheme whose seeds they use. Schemes that neither map contains
// use the last seeds.
var seedScheme = map[string]string{
	"https": "http", "ftps": "ftp", "gophers": "gopher", "snews": "news", "nntps": "nntp", "tn3270": "telnet", "rlogin": "telnet", "wss": "ws",
}

const otherTexts = "x://u:p@h:8/a/../b?c#d x:a/b;c=%7e x://[::1]/%2f"

// seedsOf returns the seeds for the scheme with the given name.
func seedsOf(name string) []string {
	if texts, ok := invariantTexts[name]; ok {
		return strings.Fields(texts)
	}
	like, texts := seedScheme[name], otherTexts
	if like != "" {
		texts = invariantTexts[like]
	}
	list := strings.Fields(texts)
	for i, text := range list {
		_, rest, _ := strings.Cut(text, ":")
		list[i] = name + ":" + rest
	}
	return list
}

// pieces are texts that mutate inserts.
var pieces = strings.Fields("a Z 0 9 - . .. _ ~ ! * ' ( ) , + $ ; / // /./ /../ ? : @ & = # | \" < > \\ [ ] ^ ` { } % %4 %zz %00 %09 %0D%0A %20 %22 %25 %2e %2F %2f %3A %3b %3F %40 %41 %5B %5D %7e %7E %C3%BC %E9 é " +
	":80 :0 :00 :65536 u@ u:p@ @h 1.2.3.4 0x7f.1 localhost [::1] [::FFFF:1.2.3.4] %25eth0 ;type=A ;TYPE=d ;type= ;a=b ;isub= ;ext=1 ;base64 %22a%22 %22%22 %5C ?+ ?= #x")

// mutate returns a seed with up to four changes.
func mutate(t *rapid.T, seeds []string) string {
	text := rapid.SampledFrom(seeds).Draw(t, "seed")
	for range rapid.IntRange(0, 4).Draw(t, "changes") {
		i := rapid.IntRange(0, len(text)).Draw(t, "from")
		j := rapid.IntRange(i, min(i+8, len(text))).Draw(t, "to")
		with := text[i:j]
		switch rapid.IntRange(0, 5).Draw(t, "change") {
		case 0:
			with = "" // an empty part
		case 1:
			with = strings.ToUpper(with)
		case 2:
			with += with
		case 3:
			with = escapeAll(with)
		default:
			with = rapid.SampledFrom(pieces).Draw(t, "piece")
		}
		text = text[:i] + with + text[j:]
	}
	return text
}

// A canonical form must pass the check of its own rules, and be its own canonical form.
// After all fixes of the check are applied, a text must not have those violations.
func TestInvariants(t *testing.T) {
	r := registry(t)
	names := []string{"x-unregistered"}
	for _, s := range r.All() {
		names = append(names, s.Name)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				text := mutate(t, seedsOf(name))
				for _, p := range profile.All() {
					rules := profile.Rules{Profile: p, Registry: r}
					checkForm(t, rules, text)
					checkFixes(t, rules, text)
				}
			})
		})
	}
}

// Texts that once violated an invariant.
func TestInvariantsOfExamples(t *testing.T) {
	r := registry(t)
	for _, text := range []string{
		"nntp://h/ab/0", "nntps://h/ab/00", "wais://h/%2E", "wais://h/%2E/WAIS/x", "wais://h/a/b/%2e%2E", "http://u@a.example:80/", "ws://u@h#f", "file://u@localhost/a",
		"ftp://h;type=d", "http://h&a=b;c", "ftp://1.2.3.4;type=d.e=f:80/x", "mailto:a@%5B@%5D", "mailto:joe@h.d;m", "mailto:jo;@h",
		"data:;a=%22%22,x", "data:;a=%22%5C%22b%22,x", "data:text/plain;a=b/c=d,x", "tel:b?c/", "tel:+1;isub=a?b;c=d?e",
		"news:~", "news:/", "news:/,", "news:a\xe9b", "nntp:/~907", "nntp://h5/g?b", "news://ile:50523?a", "ftp://<:a@b", "nfs://h:2?", "finger://:?/u",
		"ftp://h/;%74ype=pe=d", "mid:%22a@b%b%22?@%5Bc@d%5D", "http://h?/a/bu@;c?d=\xe9", "urn:////Example:a",
	} {
		for _, p := range profile.All() {
			rules := profile.Rules{Profile: p, Registry: r}
			checkForm(t, rules, text)
			checkFixes(t, rules, text)
		}
	}
}

// failer is a *testing.T or a *rapid.T.
type failer interface {
	Helper()
	Errorf(format string, args ...any)
}

// checkForm tests that a text that conforms has a canonical form that conforms. A
// canonical form must be its own canonical form, and mean the same as the text.
func checkForm(t failer, rules profile.Rules, text string) {
	t.Helper()
	list, _ := rules.Check(text)
	form, err := rules.Canonical(text)
	if err != nil {
		if locus.Conforms(list) {
			t.Errorf("%v: %q conforms, and has no canonical form: %v", rules.Profile, text, err)
		}
		return
	}
	if again, err := rules.Canonical(form); again != form || err != nil {
		t.Errorf("%v: %q: %q, then %q, %v", rules.Profile, text, form, again, err)
	}
	if same, why := rules.Same(text, form); !same {
		t.Errorf("%v: %q and %q: %v", rules.Profile, text, form, why)
	}
	judge := rules
	if rules.Profile == locus.RFC1630 {
		// The URI draft has no canonical form. The test uses that of RFC 1738, which does
		// not escape characters for which RFC 1738 needs no escapes, and has "/" at the end
		// of a telnet URL.
		judge.Profile = locus.RFC1738
		list, _ = judge.Check(text)
	}
	found, err := judge.Check(form)
	if locus.Conforms(list) && (err != nil || !locus.Conforms(found)) {
		t.Errorf("%v: %q conforms, and its canonical form %q does not: %v", rules.Profile, text, form, found)
	}
	for _, v := range found {
		if rules.Profile == locus.RFC3986 && v.Kind == locus.Ungrammatical && v.Rule != "userinfo" && v.Rule != "fragment" {
			t.Errorf("%q: canonical form %q: %v", text, form, v)
		}
	}
}

// edit replaces text[start:end] by with.
type edit struct {
	start, end int
	with       string
}

// fixes maps the help of a finding to edits. If no pattern matches, the help does not
// name a text to write: "write a host".
var fixes = []struct {
	help *regexp.Regexp
	edit func(text string, v locus.Violation, m []string) edit
}{
	{regexp.MustCompile(`^some parsers end the host at .*; write ([^"]\S*), or `), whole},
	{regexp.MustCompile(`; if "\?" ends the host, write ([^"]\S*)$`), whole},
	{regexp.MustCompile(`^write (file://.*)$`), whole},
	{regexp.MustCompile(`^write "()//" after the scheme$`), insertSlashes},
	{regexp.MustCompile(`(?:^|: )write (?:one|"/") (?:before "|after the (?:host|server)$|and (?:a|the) path after the host$)`), insert("/")},
	{regexp.MustCompile(`^write (=+) at the end: base64`), insert("")},
	{regexp.MustCompile(`^write "(.)" for ".": `), replaceOctet},
	{regexp.MustCompile(`^leave out white space$`), replaceOctet},
	{regexp.MustCompile(`; a percent sign is written (%25)$`), replaceOctet},
	{regexp.MustCompile(`^(?:not a URL unit: write it as escapes|write it as an escape)`), escapeText},
	{regexp.MustCompile(`^write ((?:%[0-9A-F]{2})+)(?:$|[:,] | (?:in|within|for a|for "." in) )`), replace},
	{regexp.MustCompile(`(?:: write |, or )(%[0-9A-F]{2})(?:$| in a name| for a "\?" of the name$)`), replace},
	{regexp.MustCompile(`^write "(@|/)"(?:$| before the domain, without)`), replace},
	{regexp.MustCompile(`^write (\[\S+\]) for an IPv6 address`), replace},
	{regexp.MustCompile(`^write (:\d+) if it is a port`), replace},
	{regexp.MustCompile(`^write ([a-z0-9+.-]+)$`), replace},
	{regexp.MustCompile(`^write it without an escape: (.+)$`), replace},
	{regexp.MustCompile(`^(?:leave out (?:"|the (?:"/"|zone))|.*: leave it out(?:$|,)|.*leave (?:them|it)(?: and the "@")? out|leave out the credentials|no user name or password)`), removeComponent},
	{regexp.MustCompile(`, or leave (?:"/" out|out the "[:@]")$`), removeComponent},
}

func whole(text string, _ locus.Violation, m []string) edit { return edit{0, len(text), m[1]} }

func replace(_ string, v locus.Violation, m []string) edit {
	if v.Rule == "form" || v.Rule == "value" { // the error of a scheme, about the octet at the offset
		return edit{v.Offset, v.Offset + 1, m[1]}
	}
	return edit{v.Offset, v.Offset + len(v.Text), m[1]}
}

// insert inserts a text, or the text of the first group in the help.
func insert(what string) func(string, locus.Violation, []string) edit {
	return func(_ string, v locus.Violation, m []string) edit {
		return edit{v.Offset, v.Offset, cmp.Or(what, m[len(m)-1])}
	}
}

// insertSlashes writes "//" after the scheme in place of slashes and backslashes.
func insertSlashes(text string, _ locus.Violation, _ []string) edit {
	start := strings.IndexByte(text, ':') + 1
	rest := strings.TrimLeft(text[start:], `/\`)
	return edit{start, len(text) - len(rest), "//"}
}

// replaceOctet replaces one octet, which may be escaped and not in v.Text.
func replaceOctet(text string, v locus.Violation, m []string) edit {
	size := 1
	if len(m) == 1 || m[1] != "%25" {
		if v.Offset < len(text) && text[v.Offset] == '%' {
			size = len("%20")
		}
	}
	return edit{v.Offset, min(v.Offset+size, len(text)), strings.Join(m[1:], "")}
}

// escapeText writes v.Text as escapes. In a password that is "*".
func escapeText(text string, v locus.Violation, _ []string) edit {
	written := text[v.Offset : v.Offset+len(v.Text)]
	return edit{v.Offset, v.Offset + len(v.Text), escapeAll(written)}
}

// escapeAll returns each octet of text as an escape.
func escapeAll(text string) string {
	var b strings.Builder
	for i := range len(text) {
		fmt.Fprintf(&b, "%%%02X", text[i])
	}
	return b.String()
}

// removeComponent removes a component, which may be longer than v.Text: a query may
// contain a password.
func removeComponent(text string, v locus.Violation, _ []string) edit {
	e := edit{v.Offset, v.Offset + len(v.Text), ""}
	u := rfc3986.Parse(text)
	query, _ := u.Query()
	port, _ := u.Port()
	switch v.Rule {
	case "userinfo", "invalid-credentials":
		start := strings.IndexByte(text, ':') + 1
		e.start = len(text) - len(strings.TrimLeft(text[start:], `/\`))
	case "no-user", "user":
		w := locus.RemoveWrapper(text)
		if u, err := locus.Parse(w.String()); err == nil {
			e.end = w.Offset(u.HostOffset())
		}
	case "query":
		e.end = u.QueryOffset() + len(query)
	case "fragment":
		e.end = len(text)
	case "port":
		e.end = u.PortOffset() + len(port)
	}
	return e
}

// fixOf returns the edit in the help of v.
func fixOf(text string, v locus.Violation) (e edit, ok bool) {
	for _, f := range fixes {
		if m := f.help.FindStringSubmatch(v.Help); m != nil && v.Kind != locus.Note {
			return f.edit(text, v, m), true
		}
	}
	return e, false
}

// fixRange is the range of a fix, and the violation that it corrects.
type fixRange struct {
	start, end int // in the text with the fix
	from       edit
	faults     []locus.Violation
}

// applyFixes returns text with all fixes of its findings, and their ranges in the result.
func applyFixes(text string, list []locus.Violation) (fixed string, done []fixRange) {
	var edits []fixRange
	for _, v := range list {
		e, ok := fixOf(text, v)
		if !ok {
			continue
		}
		p := fixRange{0, len(e.with), e, []locus.Violation{v}}
		if e.start == 0 && e.end == len(text) || v.Rule == "missing-slash" { // the next text shows the offsets of the parts
			p.start, p.end = e.start, e.start+len(e.with)
			return text[:e.start] + e.with + text[e.end:], []fixRange{p}
		}
		if i := slices.IndexFunc(edits, func(p fixRange) bool { return p.from == e }); i >= 0 {
			edits[i].faults = append(edits[i].faults, v)
		} else {
			edits = append(edits, p)
		}
	}
	slices.SortStableFunc(edits, func(a, b fixRange) int { return cmp.Or(a.from.start-b.from.start, b.from.end-a.from.end) })
	var b strings.Builder
	at := 0
	for _, p := range edits {
		if p.from.start < at {
			continue // within the text that another fix removes
		}
		b.WriteString(text[at:p.from.start])
		p.start = b.Len()
		b.WriteString(p.from.with)
		p.end = b.Len()
		done = append(done, p)
		at = p.from.end
	}
	b.WriteString(text[at:])
	return b.String(), done
}

// checkFixes tests that a text with all fixes of its findings does not have those
// findings, nor new ones about the inserted text, and that repeated fixing ends.
func checkFixes(t failer, rules profile.Rules, text string) {
	t.Helper()
	const most = 200 // rounds
	list, _ := shape.CheckInput(rules, text, nil)
	seen := text
	for range most {
		fixed, done := applyFixes(text, list)
		// The escape of a "/" after a "?" can move the end of the host for some parsers. The
		// fixed text then means something else.
		if _, disputed := octet.HostEnd(fixed); len(done) == 0 || disputed {
			return
		}
		after, _ := shape.CheckInput(rules, fixed, nil)
		for _, p := range done {
			for _, v := range after {
				if remains(p, list, v) {
					t.Errorf("%v: %q: %v, so write %q: %v", rules.Profile, text, p.faults, fixed, v)
					return
				}
			}
		}
		text, list = fixed, after
	}
	t.Errorf("%v: the fixes of %q lead to %q, and to no end", rules.Profile, seen, text)
}

// remains reports whether v is a violation that p should have corrected, or is about the
// text that p inserted. Other findings about the previous text, which are in list, may name
// no fix.
func remains(p fixRange, list []locus.Violation, v locus.Violation) bool {
	if v.Kind == locus.Note || v.Offset < p.start {
		return false
	}
	isSame := func(f locus.Violation) bool { return f.Rule == v.Rule && f.Help == v.Help && f.Text == v.Text }
	if p.start < p.end && v.Offset == p.start && slices.ContainsFunc(p.faults, isSame) {
		return true
	}
	known := slices.ContainsFunc(list, func(f locus.Violation) bool {
		return f.Rule == v.Rule && f.Offset <= p.from.end && p.from.start <= f.Offset+len(f.Text)
	})
	return v.Text != "" && v.Kind == locus.Ungrammatical && !slices.ContainsFunc(list, isEscape) && !isApart(p.faults[0], v) && v.Offset+len(v.Text) <= p.end && !known && p.start > 0
}

// isEscape reports whether v is about an incomplete escape. A part with an incomplete
// escape is not checked further.
func isEscape(v locus.Violation) bool { return v.Rule == "escape" }

// isApart reports whether the fix of f cannot anticipate v. Either f is about a character
// that no component allows, and only its escape shows what the component says about the
// octet. Or f is about a value without a syntax in the URI draft, so that v is about its
// generic syntax.
func isApart(f, v locus.Violation) bool {
	isCharacter := f.Rule == "character" && strings.HasPrefix(f.Section, "RFC 3986")
	return isCharacter || f.Rule == "value" && strings.HasPrefix(v.Section, "URI draft")
}

package peers

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	root "github.com/locus-url/locus"
	"github.com/locus-url/locus/profile/rfc3986"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
)

// opinion is the result of a program for a text. The field Parts contains the seven URI
// components, or five components if the authority is not split.
type opinion struct {
	OK    *bool
	Parts []*string
}

// explanation is a rule that explains how a program differs from RFC 3986. Each field explains one
// kind of difference. The program may accept a text with a fault, reject a text that conforms, or
// find other components.
type explanation struct {
	program, rule, section string
	overlooks              func(text string, v root.Violation) bool
	refuses                func(text string, u rfc3986.URI) bool
	splits                 func(u rfc3986.URI) bool
}

var explanations = []explanation{
	{program: "python rfc3986", rule: "an empty host or port is absent", section: "RFC 3986 3.2.2 and 3.2.3: both may be empty", splits: func(u rfc3986.URI) bool {
		host, hasHost := u.Host()
		port, hasPort := u.Port()
		return hasHost && host == "" || hasPort && port == ""
	}},
	{program: "python rfc3986", rule: "an empty userinfo is refused", section: "RFC 3986 3.2.1: it may be empty", refuses: func(text string, u rfc3986.URI) bool {
		userinfo, ok := u.Userinfo()
		return ok && userinfo == ""
	}},
	{program: "python rfc3986", rule: "a port over 65535 is refused", section: "RFC 3986 3.2.3: *DIGIT", refuses: func(text string, u rfc3986.URI) bool {
		return hasFinding(u, "port", root.Impossible)
	}},
	{program: "python rfc3986", rule: "a port of more than five digits is refused", section: "RFC 3986 3.2.3: *DIGIT", refuses: func(text string, u rfc3986.URI) bool {
		port, _ := u.Port()
		return len(port) > 5
	}},
	{program: "python rfc3986", rule: "four numbers of which one is over 255 are refused", section: "RFC 3986 3.2.2: they are a reg-name", refuses: func(text string, u rfc3986.URI) bool {
		return hasFinding(u, "rare-address", root.Note)
	}},
	{program: "python rfc3986", rule: `"V" does not begin an IPvFuture`, section: "RFC 5234 2.3: strings are in any case", refuses: upperFuture},
	{program: "python rfc3986", rule: "a line feed at the end of a component is overlooked", section: "RFC 3986 2: not a character of a URI", overlooks: func(text string, v root.Violation) bool {
		return v.Text == "\n"
	}},

	{program: "python rfc3987", rule: `"V" does not begin an IPvFuture`, section: "RFC 5234 2.3: strings are in any case", refuses: upperFuture},
	{program: "python rfc3986", rule: "an IPv6 address may have a zone", section: "RFC 9844, which obsoletes RFC 6874", overlooks: func(text string, v root.Violation) bool {
		return v.Rule == "zone"
	}},
	{program: "python rfc3986", rule: "a dec-octet may begin with zeros", section: "RFC 3986 3.2.2: only 0 does", overlooks: leadingZeros},
	{program: "python rfc3987", rule: "a dec-octet may begin with zeros", section: "RFC 3986 3.2.2: only 0 does", overlooks: leadingZeros},

	{program: "perl URI::Split", rule: "a line feed ends the fragment", section: "RFC 3986 appendix B: (.*), where Perl's . does not match a line feed", splits: func(u rfc3986.URI) bool {
		fragment, _ := u.Fragment()
		return strings.Contains(fragment, "\n")
	}},

	{program: "perl Data::Validate::URI", rule: "an empty authority is taken for an absent one", section: "RFC 3986 3.3: a path begins with // only after an authority", refuses: func(text string, u rfc3986.URI) bool {
		authority, ok := u.Authority()
		return ok && authority == "" && strings.HasPrefix(u.Path(), "//")
	}},
	{program: "perl Data::Validate::URI", rule: "a general delimiter may stand in any component", section: "RFC 3986 2.2", overlooks: func(text string, v root.Violation) bool {
		return v.Rule == "character" && strings.Contains(":/?#[]@", v.Text)
	}},
	{program: "perl Data::Validate::URI", rule: "host and port are not read", section: "RFC 3986 3.2", overlooks: func(text string, v root.Violation) bool {
		return v.Rule == "port" || v.Rule == "ip-literal" || v.Rule == "zone"
	}},
	{program: "perl Data::Validate::URI", rule: `"%" at the end is overlooked`, section: "RFC 3986 2.1", overlooks: func(text string, v root.Violation) bool {
		return v.Rule == "escape" && v.Offset == len(text)-1
	}},

	{program: "perl Regexp::Common::URI", rule: "a fragment is not part of the URI", section: "RFC 2396 4: of the reference", refuses: func(text string, u rfc3986.URI) bool {
		_, ok := u.Fragment()
		return ok
	}},
	{program: "perl Regexp::Common::URI", rule: "the scheme allows less", section: "RFC 1738 3", refuses: func(text string, u rfc3986.URI) bool {
		p, err := root.Parse(text)
		return err != nil || !root.Conforms(registry.Check(p, root.RFC1738))
	}},
	{program: "perl Regexp::Common::URI", rule: `"?" is not in a file name`, section: "RFC 1738 5: fsegment has it", refuses: func(text string, u rfc3986.URI) bool {
		_, ok := u.Query()
		scheme, _ := u.Scheme()
		return ok && (scheme == "file" || scheme == "ftp")
	}},
	{program: "perl Regexp::Common::URI", rule: `a gopher URL has one of few types and no "/" in its selector`, section: "RFC 1738 5: gtype is any xchar, and selector has it", refuses: func(text string, u rfc3986.URI) bool {
		scheme, _ := u.Scheme()
		return scheme == "gopher" && !fewTypes.MatchString(u.Path())
	}},
}

var (
	leadingZero = regexp.MustCompile(`(^|[:.])0[0-9]+\.|\.0[0-9]+`)
	fewTypes    = regexp.MustCompile(`^/[0-9+IgT][^/]*$`)
)

func leadingZeros(text string, v root.Violation) bool {
	return v.Rule == "ip-literal" && leadingZero.MatchString(v.Text)
}

func upperFuture(text string, u rfc3986.URI) bool {
	host, _ := u.Host()
	return strings.HasPrefix(host, "[V")
}

// explain returns the rules that explain how the result of a program differs from package rfc3986.
// If the program accepts a text with faults, each fault needs a rule. The result ok is false if a
// rule is missing.
func explain(program, text string, u rfc3986.URI, o opinion) (rules []string, ok bool) {
	rule := func(applies func(e explanation) bool) bool {
		i := slices.IndexFunc(explanations, func(e explanation) bool { return e.program == program && applies(e) })
		if i >= 0 {
			rules = append(rules, fmt.Sprintf("%s: %s (%s)", program, explanations[i].rule, explanations[i].section))
		}
		return i >= 0
	}
	faults := slices.DeleteFunc(u.Check(), func(v root.Violation) bool { return v.Kind != root.Ungrammatical })
	switch {
	case o.OK != nil && !*o.OK:
		ok = rule(func(e explanation) bool { return e.refuses != nil && e.refuses(text, u) })
		return rules, ok
	case o.OK == nil || len(faults) == 0:
		ok = rule(func(e explanation) bool { return e.splits != nil && e.splits(u) })
		return rules, ok
	}
	for _, v := range faults {
		if !rule(func(e explanation) bool { return e.overlooks != nil && e.overlooks(text, v) }) {
			return nil, false
		}
	}
	return rules, true
}

var registry = func() *scheme.Registry {
	r, err := all.Registry()
	if err != nil {
		panic(err)
	}
	return r
}()

// hasFinding reports whether there is a finding of the given rule and kind about u.
func hasFinding(u rfc3986.URI, rule string, kind root.Kind) bool {
	return slices.ContainsFunc(u.Check(), func(v root.Violation) bool { return v.Rule == rule && v.Kind == kind })
}

// validatorTexts returns the texts for the comparison. They are texts from the Web Platform Tests,
// URLs from documents, and random texts.
func validatorTexts(t *testing.T) []string {
	t.Helper()
	list := slices.Concat(wptInputs(t), documentURLs(t), randomTexts(20_000))
	list = slices.DeleteFunc(list, func(text string) bool { return !utf8.ValidString(text) })
	slices.Sort(list)
	return slices.Compact(list)
}

func wptInputs(t *testing.T) (list []string) {
	t.Helper()
	octets, err := os.ReadFile("../../../../shared/data/wpt/urltestdata.json")
	if err != nil {
		missing(t, "the data of the Web Platform Tests is absent")
	}
	var raw []json.RawMessage
	if err := json.Unmarshal(octets, &raw); err != nil {
		t.Fatal(err)
	}
	for _, r := range raw {
		var one struct{ Input, Base, Href string }
		if json.Unmarshal(r, &one) == nil { // all other elements are comments
			list = append(list, one.Input, one.Base, one.Href)
		}
	}
	return list
}

// documentURLs returns URLs from files in the Go distribution and /usr/share/doc.
func documentURLs(t *testing.T) (list []string) {
	t.Helper()
	found := regexp.MustCompile("[A-Za-z][A-Za-z0-9+.-]*://[^\\s\"<>]+")
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{filepath.Join(strings.TrimSpace(string(goroot)), "src"), "/usr/share/doc"} {
		size := 0
		// Skip files that can't be read.
		_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if size > 16<<20 {
				return fs.SkipAll
			}
			if err != nil || !d.Type().IsRegular() {
				return nil
			}
			if octets, err := os.ReadFile(name); err == nil && bytes.IndexByte(octets, 0) < 0 {
				size += len(octets)
				for _, text := range found.FindAll(octets, -1) {
					list = append(list, string(text))
				}
			}
			return nil
		})
	}
	return list
}

func randomTexts(n int) []string {
	r := rand.New(rand.NewPCG(3986, 3987))
	pieces := strings.Fields("http: a a- .x 1 : / // ? # @ % %2f %2G %7E [ ] [::1] [::ffff:1.2.3.4] [fe80::1%25eth0] [fe80::1%eth0] [1:2:3:4:5:6:7:8] [1:2:3:4:5:6:7::] [::2:3:4:5:6:7:8] [1::2::3] [v1.x:y] [V1.x] [v.] [::01.2.3.4] 1.2.3.4 1.2.3.256 01.2.3.4 :80 :0 :99999 :123456 é ~ ! ' ( ) * + , ; = < > \" \\ ^ ` { | } . .. ./ - _ mailto: urn:")
	list := make([]string, n)
	for i := range list {
		var b strings.Builder
		if r.IntN(4) > 0 {
			b.WriteString("x-1+.:")
		}
		if r.IntN(2) > 0 {
			b.WriteString("//")
		}
		for range r.IntN(8) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		list[i] = b.String()
	}
	return list
}

// askPrograms returns the result of each program for each text.
func askPrograms(t *testing.T, texts []string) []map[string]opinion {
	t.Helper()
	python, perl := need(t, "/usr/bin/python3"), need(t, "/usr/bin/perl")
	if exec.Command(python, "-c", "import rfc3986, rfc3987").Run() != nil || exec.Command(perl, "-MData::Validate::URI", "-MRegexp::Common=URI", "-MURI::Split", "-e1").Run() != nil {
		missing(t, "the validators of Python and Perl are not installed: .ci/peers does that")
	}
	var in bytes.Buffer
	for _, text := range texts {
		line, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(line, '\n'))
	}
	all := make([]map[string]opinion, len(texts))
	for _, args := range [][]string{{python, "testdata/validate.py"}, {perl, "testdata/validate.pl"}} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Stdin, cmd.Stderr = bytes.NewReader(in.Bytes()), os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
		if len(lines) != len(texts) {
			t.Fatalf("%s: %d texts, %d answers", args[1], len(texts), len(lines))
		}
		for i, line := range lines {
			if err := json.Unmarshal(line, &all[i]); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
		}
	}
	return all
}

// differs describes how the result of a program differs from package rfc3986. If there is no
// difference, it returns "".
func differs(text string, o opinion) string {
	u := rfc3986.Parse(text)
	ok := !slices.ContainsFunc(u.Check(), func(v root.Violation) bool { return v.Kind == root.Ungrammatical })
	if o.OK != nil && *o.OK != ok {
		return fmt.Sprintf("conforms: %t, here %t", *o.OK, ok)
	}
	if o.Parts == nil || o.OK != nil && !*o.OK {
		return ""
	}
	optional := func(text string, ok bool) string {
		if !ok {
			return "-"
		}
		return fmt.Sprintf("%q", text)
	}
	var ours, theirs []string
	ours = append(ours, optional(u.Scheme()))
	if len(o.Parts) == 7 {
		ours = append(ours, optional(u.Userinfo()), optional(u.Host()), optional(u.Port()))
	} else {
		ours = append(ours, optional(u.Authority()))
	}
	ours = append(ours, optional(u.Path(), true), optional(u.Query()), optional(u.Fragment()))
	for _, p := range o.Parts {
		if p == nil {
			theirs = append(theirs, "-")
		} else {
			theirs = append(theirs, optional(*p, true))
		}
	}
	if slices.Equal(ours, theirs) {
		return ""
	}
	return fmt.Sprintf("components: %s, here %s", theirs, ours)
}

// A rule explains each difference between package rfc3986 and the validators in Perl and Python.
func TestValidators(t *testing.T) {
	texts := validatorTexts(t)
	counts, asked := map[string]int{}, map[string]int{}
	failed := 0
	for i, opinions := range askPrograms(t, texts) {
		text := texts[i]
		u := rfc3986.Parse(text)
		for program, o := range opinions {
			asked[program]++
			d := differs(text, o)
			if d == "" {
				continue
			}
			rules, ok := explain(program, text, u, o)
			if !ok {
				if failed++; failed <= 40 {
					t.Errorf("%s: %q: %s", program, text, d)
				}
				continue
			}
			slices.Sort(rules)
			for _, rule := range slices.Compact(rules) {
				counts[rule]++
			}
		}
	}
	if failed > 0 {
		t.Errorf("%d differences have no explanation", failed)
	}
	for _, e := range explanations {
		if name := fmt.Sprintf("%s: %s (%s)", e.program, e.rule, e.section); counts[name] == 0 {
			t.Errorf("no text shows %s", name)
		}
	}
	t.Log(asked)
	for _, rule := range slices.SortedFunc(maps.Keys(counts), cmp.Compare[string]) {
		t.Logf("%6d %s", counts[rule], rule)
	}
}

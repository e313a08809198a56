package verify

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/document"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/verify"
)

// rewriteAll replaces each URL that contains "/old" in a text by newLink.
func rewriteAll(t testing.TB, name, text, newLink string) (string, []edit, []refusal) {
	t.Helper()
	registry, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	o := document.Options{}
	o.Extract.Schemes = registry.InText()
	target, err := locus.Parse(newLink)
	if err != nil {
		t.Fatal(err)
	}
	var changes []change
	for l, err := range document.Links(strings.NewReader(text), name, &o) {
		if err == nil && strings.Contains(l.URL.String(), "/old") {
			u := l.URL
			if l.IRI {
				u = l.ASCII
			}
			changes = append(changes, change{l.Line, l.Column, u, target})
		}
	}
	edits, bad := rewrite([]byte(text), name, o, changes)
	return string(applyEdits([]byte(text), edits)), edits, bad
}

// In each format, only the link changes, and the new URL is encoded in the notation of the format.
func TestRewrite(t *testing.T) {
	const plain, query, round, half = "https://h.example/new", "https://h.example/?a=1&copy=2", "https://h.example/a_(b)", "https://h.example/a)b"
	for _, c := range []struct{ name, text, to, want string }{
		{"a.txt", "See http://h.example/old, and more.\r\n", plain, "See https://h.example/new, and more.\r\n"},
		{"a.txt", "See <URL:http://h.example/old> http://h.example/older\n", query, "See <URL:https://h.example/?a=1&copy=2> https://h.example/?a=1&copy=2\n"},
		{"a.txt", "(http://h.example/old)", round, "(https://h.example/a_(b))"},
		{"a.md", "[a](http://h.example/old \"t\") ![b](<http://h.example/old>)\n\n[c]: http://h.example/old 't'\n", plain, "[a](https://h.example/new \"t\") ![b](<https://h.example/new>)\n\n[c]: https://h.example/new 't'\n"},
		{"a.md", "[a](http://h.example/old)", query, "[a](https://h.example/?a=1&copy=2)"},
		{"a.md", "[a](http://h.example/old)", "https://h.example/?a&copy;", "[a](https://h.example/?a&amp;copy;)"},
		{"a.md", "[a](http://h.example/old)", round, "[a](https://h.example/a_(b))"},
		{"a.md", "[a](http://h.example/old) [b](<http://h.example/old>)", half, `[a](https://h.example/a\)b) [b](<https://h.example/a\)b>)`},
		{"a.md", `[a](http://h.example/old\_x) <http://h.example/old> http://h.example/old.`, plain, "[a](https://h.example/new) <https://h.example/new> https://h.example/new."},
		{"a.md", "<a href='http://h.example/old?a&amp;b'>x</a>", query, "<a href='https://h.example/?a=1&amp;copy=2'>x</a>"},
		{"a.html", `<a href="http://h.example/old?a&amp;b">http://h.example/old</a> http://h.example/old?a&amp;b`, query, `<a href="https://h.example/?a=1&amp;copy=2">http://h.example/old</a> https://h.example/?a=1&amp;copy=2`},
		{"a.html", `<a href=http://h.example/old>x</a><a href=' http://h.example/old '>`, "https://h.example/it's", `<a href=https://h.example/it&#39;s>x</a><a href=' https://h.example/it&#39;s '>`},
		{"a.html", `<img srcset="http://h.example/old 1x, b.png 2x"><meta http-equiv=refresh content="5; url=http://h.example/old">`, plain, `<img srcset="https://h.example/new 1x, b.png 2x"><meta http-equiv=refresh content="5; url=https://h.example/new">`},
		{"a.html", `<p style="background: url(http://h.example/old)"><style>p { background: url("http://h.example/old") }</style>`, plain, `<p style="background: url(https://h.example/new)"><style>p { background: url("https://h.example/new") }</style>`},
		{"a.css", "@import \"http://h.example/old\"; /* http://h.example/old */", plain, "@import \"https://h.example/new\"; /* https://h.example/new */"},
		{"a.html", `<iframe srcdoc="<a href='http://h.example/old'>x</a>"></iframe>`, plain, `<iframe srcdoc="<a href='https://h.example/new'>x</a>"></iframe>`},
		{"a.md", "[a](http://h.example/oldé)", plain, "[a](https://h.example/new)"},
	} {
		got, _, bad := rewriteAll(t, c.name, c.text, c.to)
		if got != c.want || len(bad) > 0 {
			t.Errorf("%s %q\n got %q\nwant %q, %v", c.name, c.text, got, c.want, bad)
		}
	}
}

// A link stays unchanged if it can't be rewritten, or only together with another link.
func TestRewriteRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, to string }{
		{"a.txt", "http://h.example/old and text", "https://h.example/new."},
		{"a.txt", "http://h.example/old)", "https://h.example/(new"},
		{"a.txt", "<URL:http://h.example/\nold>", "https://h.example/new"},
		{"a.html", `<p style="background: url(http://h.example/old)">`, "https://h.example/new(1)"},
		{"a.html", `<img srcset="http://h.example/old 1x, b.png 2x">`, "https://h.example/new,"},
		{"a.md", "[a](http://h.example/old)", "https://h.example/a|b"},
		{"a.md", "http://h.example/old*", "https://h.example/new*"},
		{"a.html", `<iframe srcdoc="<a href='http://h.example/old'>x</a>"></iframe>`, "https://h.example/?a=1&copy;2"},
	} {
		got, edits, bad := rewriteAll(t, c.name, c.text, c.to)
		if got != c.text || len(bad) != 1 || len(edits) != 0 {
			t.Errorf("%s %q: %q, %v, want %q, 1 of bad and no edits", c.name, c.text, got, bad, c.text)
		}
	}
	// A link that can't be rewritten does not prevent the change of another link.
	got, _, bad := rewriteAll(t, "a.html", `<a href="http://h.example/old">x</a> http://h.example/old <img srcset="http://h.example/old, b.png">`, "https://h.example/new,")
	if got != `<a href="https://h.example/new,">x</a> http://h.example/old <img srcset="http://h.example/old, b.png">` || len(bad) != 2 {
		t.Errorf("rewriteAll(a.html, %q, https://h.example/new,) = %q, %v, want %q and 2 of bad", `<a href="http://h.example/old">x</a> http://h.example/old <img srcset="http://h.example/old, b.png">`, got, bad, `<a href="https://h.example/new,">x</a> http://h.example/old <img srcset="http://h.example/old, b.png">`)
	}
}

// A text that has changed since it was read stays unchanged.
func TestRewriteChanged(t *testing.T) {
	u, to := locus.MustParse("http://h.example/old"), locus.MustParse("https://h.example/new")
	for _, c := range []change{{1, 2, u, to}, {1, 1, to, to}, {7, 1, u, to}} {
		edits, bad := rewrite([]byte("http://h.example/old\n"), "a.txt", document.Options{}, []change{c})
		if len(edits) != 0 || len(bad) != 1 || bad[0].why != whyChanged {
			t.Errorf("%v: %v, %v, want no edits, 1 of bad and bad[0].why %q", c, edits, bad, whyChanged)
		}
	}
}

// For any document and new URL, only links change, and each link gets the new URL or is refused.
func FuzzRewrite(f *testing.F) {
	for _, name := range []string{"a.txt", "a.md", "a.html", "a.css"} {
		for _, text := range []string{
			"[a](http://h/old) <http://h/old> http://h/old.", "<a href='http://h/old'>http://h/old</a>", "a { background: url(http://h/old) }",
			"<URL:http://h/\nold>", "[a]: http://h/old\n> http://h/old\n", "<iframe srcdoc=\"<a href='http://h/old'>\">",
		} {
			f.Add(name, text, "https://h/?a&b(c)")
		}
	}
	f.Fuzz(func(t *testing.T, name, text, to string) {
		u, err := locus.Parse(to)
		if err != nil || strings.Contains(to, "/old") || len(text) > 1<<12 {
			return
		}
		got, edits, bad := rewriteAll(t, name, text, to)
		if len(edits) == 0 {
			if got != text {
				t.Fatalf("%q became %q", text, got)
			}
			return
		}
		from := 0
		for _, e := range edits {
			if e.start < from || e.end > len(text) {
				t.Fatalf("%q: edits overlap: %v", text, edits)
			}
			from = e.end
		}
		_, again, left := rewriteAll(t, name, got, to)
		if len(again)+len(left) > len(bad) {
			t.Errorf("%s %q to %q: %q, %d refused, then %d left", name, text, u, got, len(bad), len(again)+len(left))
		}
		checkPatch(t, text, got, edits)
	})
}

// checkPatch applies the diff of edits with slowPatch and compares the result.
func checkPatch(t *testing.T, old, want string, edits []edit) {
	t.Helper()
	var b bytes.Buffer
	if err := writeDiff(&b, "f", []byte(old), edits); err != nil {
		t.Fatal(err)
	}
	if got, err := slowPatch(old, b.String()); err != nil || got != want {
		t.Errorf("%v\n%q\n%s\n got %q\nwant %q", err, old, b.String(), got, want)
	}
}

var hunkHead = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\n$`)

// slowPatch applies a unified diff, and checks each line number and each line.
func slowPatch(old, diff string) (string, error) {
	lines := strings.SplitAfter(old, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	var out []string
	at := 0
	rest := strings.SplitAfter(diff, "\n")[2:]
	for len(rest) > 0 && rest[0] != "" {
		m := hunkHead.FindStringSubmatch(rest[0])
		if m == nil {
			return "", fmt.Errorf("no hunk: %q", rest[0])
		}
		var n [4]int
		for i := range n {
			n[i], _ = strconv.Atoi(cmp.Or(m[i+1], "1"))
		}
		rest = rest[1:]
		if n[0]-1 < at {
			return "", fmt.Errorf("hunks overlap: %v", n)
		}
		out = append(out, lines[at:n[0]-1]...)
		at = n[0] - 1
		if len(out) != n[2]-1 {
			return "", fmt.Errorf("the new line is %d, want %d", n[2], len(out)+1)
		}
		oldCount, newCount := 0, 0
		for oldCount < n[1] || newCount < n[3] {
			line := rest[0]
			rest = rest[1:]
			mark, text := line[0], line[1:]
			if len(rest) > 0 && strings.HasPrefix(rest[0], `\ No newline`) {
				text = strings.TrimSuffix(text, "\n")
				rest = rest[1:]
			}
			if mark != '+' {
				if at >= len(lines) || lines[at] != text {
					return "", fmt.Errorf("line %d is not %q", at+1, text)
				}
				at++
				oldCount++
			}
			if mark != '-' {
				out = append(out, text)
				newCount++
			}
		}
	}
	return strings.Join(append(out, lines[at:]...), ""), nil
}

// The programs git and patch can apply the diff for every file name, line break and last line.
func TestDiffApplies(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	long := strings.Repeat("line\n", 20)
	for i, text := range []string{
		"http://h.example/old", "http://h.example/old\n", "a\r\nhttp://h.example/old\r\n", long + "http://h.example/old\n" + long + "http://h.example/old http://h.example/old\nx\nx\nhttp://h.example/old",
		"1\n2\n3\n4\n5\nhttp://h.example/old\n1\n2\n3\n4\n5\n6\nhttp://h.example/old\n1\n2\n3\n4\n5\n6\n7\nhttp://h.example/old\n", "\n\nhttp://h.example/old\n\n",
	} {
		for _, name := range []string{"a.txt", "dir/with blank.txt", "é\"q\\.txt", "-a.txt"} {
			dir := t.TempDir()
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			want, edits, _ := rewriteAll(t, "a.txt", text, "https://h.example/new")
			var diff bytes.Buffer
			if err := writeDiff(&diff, name, []byte(text), edits); err != nil {
				t.Fatal(err)
			}
			programs := [][]string{{git, "apply", "-"}}
			if patch, err := exec.LookPath("patch"); err == nil {
				programs = append(programs, []string{patch, "-p1", "--binary", "--fuzz=0"})
			}
			for _, args := range programs {
				if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
				cmd := exec.Command(args[0], args[1:]...)
				cmd.Dir, cmd.Stdin = dir, bytes.NewReader(diff.Bytes())
				cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("text %d, %s, %s: %v: %s\n%s", i, name, args[0], err, out, diff.String())
					continue
				}
				if got, err := os.ReadFile(path); err != nil || string(got) != want {
					t.Errorf("text %d, %s, %s: %v\n got %q\nwant %q", i, name, args[0], err, got, want)
				}
			}
			checkPatch(t, text, want, edits)
		}
	}
}

// A file is generated if it states so, but not if its text only mentions generated files.
func TestGenerated(t *testing.T) {
	for text, want := range map[string]bool{
		"// Code generated by x. DO NOT EDIT.\n": true, "<!-- Code generated by x. DO NOT EDIT. -->": true, "\n/**\n * @generated\n */": true, "# This file is automatically generated by x, do not modify": true,
		"<html><head><meta charset=utf-8>\n<meta name=\"generator\" content=\"Hugo\">": true, "# Generated from x.tmpl. Do not edit!": true,
		"The mark is \"Code generated by x. DO NOT EDIT.\"\n": false, "Generated pages: do not edit them.": false, "A word @generated here": false, "<meta name=author content=generator>": false, "text": false,
	} {
		if got := generated().MatchString(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// The fixer collects only permanently moved links in files. It ignores targets that are less
// secure or contain credentials.
func TestFixerAdd(t *testing.T) {
	const from, to = "http://h.example/old#part", "http://h.example/new"
	for _, c := range []struct {
		from, to string
		change   func(*verify.Result)
		want     string // the new URL or the reason for the refusal
	}{
		{from, to, func(r *verify.Result) {}, to + "#part"},
		{from, to + "#own", func(r *verify.Result) {}, to + "#own"},
		{from, "https://h.example/new", func(r *verify.Result) {}, "https://h.example/new#part"},
		{"https://h.example/old", to, func(r *verify.Result) {}, "not encrypted"},
		{"http://u@h.example/old", to, func(r *verify.Result) {}, "a user name or password"},
		{from, "http://u@h.example/new", func(r *verify.Result) {}, "a user name or password"},
		{from, "http://h.example/old", func(r *verify.Result) {}, ""},
		{from, to, func(r *verify.Result) { r.Permanent = false }, ""},
		{from, to, func(r *verify.Result) { r.Verdict = verify.Fragment }, ""},
		{from, to, func(r *verify.Result) { r.Accepted = true }, ""},
		{from, to, func(r *verify.Result) { r.Document = "" }, ""},
		{from, to, func(r *verify.Result) { r.Document = "-" }, "only local files"},
		{from, to, func(r *verify.Result) { r.Document = "http://h.example/page" }, "only local files"},
		{from, to, func(r *verify.Result) { r.Member = "a.html" }, "a member of a container"},
		{from, to, func(r *verify.Result) { r.Written = "../old" }, "a relative link"},
		{from, to, func(r *verify.Result) { r.Err = errors.New("x") }, ""},
	} {
		var errOut bytes.Buffer
		v := &verifier{a: base.New(t.Context(), strings.NewReader(""), io.Discard, &errOut, func(string) string { return "" })}
		var err error
		if v.a.Registry, err = all.Registry(); err != nil {
			t.Fatal(err)
		}
		r := verify.Result{Document: "docs/a.md", Line: 1, Column: 1, URL: locus.MustParse(c.from)}
		r.Verdict, r.Permanent, r.To = verify.Moved, true, locus.MustParse(c.to)
		c.change(&r)
		f := newFixer(v)
		f.addResult(&r)
		got := errOut.String()
		if list := f.changes["docs/a.md"]; len(list) > 0 {
			got = list[0].to.String()
		}
		if strings.Contains(c.want, "://") && got != c.want || !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s to %s: %q, want %q", c.from, c.to, got, c.want)
		}
	}
}

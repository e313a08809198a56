package verify

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
)

func TestChosenLinks(t *testing.T) {
	const text = "http://a.example/ok http://b.example/ok http://a.example/private/x ftp://none.example/x <file:///none> mailto:joe@a.example\n"
	pattern := policy.MustParsePattern
	for _, c := range []struct {
		name string
		o    Options
		want string
	}{
		{"exclude", Options{Exclude: []policy.Pattern{pattern("*/private/"), pattern("ftp:"), pattern("b.example")}}, "alive ignored ignored ignored denied alive"},
		{"include", Options{Include: []policy.Pattern{pattern("a.example")}}, "alive ignored dead ignored ignored ignored"},
		{"include and exclude", Options{Include: []policy.Pattern{pattern("a.example")}, Exclude: []policy.Pattern{pattern("*/private/"), pattern("ftp:")}}, "alive ignored ignored ignored ignored ignored"},
		{"rules", Options{Rules: &Rules{Include: []policy.Pattern{pattern("http:")}, Ignore: []policy.Pattern{pattern("b.example")}}}, "alive ignored dead ignored ignored ignored"},
		{"scheme", Options{Schemes: []string{"mailto"}}, "ignored ignored ignored ignored ignored alive"},
		{"list", Options{List: true, Exclude: []policy.Pattern{pattern("ftp:")}}, "unknown unknown unknown ignored unknown unknown"},
		{"offline", Options{Offline: true}, "ignored ignored ignored ignored denied ignored"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newFixture(t, policy.Rules{})
			w.serve("a.example", pages)
			w.serve("b.example", pages)
			c.o.Interval, c.o.Mail, c.o.Retry, c.o.Reserved = w.o.Interval, w.o.Mail, access.None, true
			w.o = c.o
			var verdicts []string
			for _, r := range w.run(textDoc("a.txt", text)) {
				verdicts = append(verdicts, r.Verdict.String())
			}
			if got := strings.Join(verdicts, " "); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if asked := w.requestedURLs(); (c.o.List || c.o.Offline) && len(asked) > 0 {
				t.Errorf("requested %v", asked)
			}
		})
	}
}

// Without the network, the Verifier checks the syntax of a mail address and looks up no name.
func TestOfflineAddress(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	w.o.Offline = true
	w.o.Mail = nil
	w.want(w.run(textDoc("a.html", `<a href="mailto:joe@h.example">x</a> <a href="mailto:joe@@h">x</a> <a href="mailto:?subject=x">x</a>`)),
		"a.html:1 mailto:joe@h.example ignored", "a.html:1 mailto:joe@@h malformed", "a.html:1 mailto:?subject=x ignored")
}

func TestRemap(t *testing.T) {
	w := newFixture(t, policy.Rules{Files: true})
	w.serve("new.example", pages)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "page.md"), []byte("# Here\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"https://old.example/docs/ file://" + filepath.ToSlash(dir) + "/",
		"https://*.old.example/ http://new.example/",
		"old2.example http://new.example",
		"http://whole.example/*.png$ http://new.example/ok",
		"ftp: http://new.example/",
	} {
		r, err := ParseRemap(text)
		if err != nil {
			t.Fatal(err)
		}
		w.o.Remap = append(w.o.Remap, r)
	}
	for link, want := range map[string]string{
		"https://old.example/docs/page.md#here": "alive", "https://OLD.example:443/docs/page.md#gone": "fragment", "https://old.example/docs/none.md": "dead", "https://a.old.example/ok": "alive",
		"https://old2.example/ok#x": "alive", "http://old2.example/none": "dead 404", "http://whole.example/a/b.png": "alive", "http://whole.example/a.jpg": "dead", "https://old.example/other": "dead",
	} {
		r := w.run(textDoc("a.md", "["+"x]("+link+")"))[0]
		_, got, _ := strings.Cut(line(r), " ")
		if got = got[strings.IndexByte(got, ' ')+1:]; got != want {
			t.Errorf("%s: %s, want %s", link, line(r), want)
		}
		if link != "http://whole.example/a.jpg" && link != "https://old.example/other" && r.Written != link {
			t.Errorf("%s: written %q", link, r.Written)
		}
	}
	for _, text := range []string{"", "http://a/", "http://a/ ", "http://a:99999/ x", "a_b/ x"} {
		if _, err := ParseRemap(text); err == nil {
			t.Errorf("%q is a replacement", text)
		}
	}
}

// The prefix of a URL that a pattern matches does not end inside an escape.
func TestDescribed(t *testing.T) {
	for _, c := range []struct{ pattern, url, rest string }{
		{"http://h/a", "http://h/a%2Fb", "%2Fb"}, {"http://h/%41", "http://h/AB", "B"}, {"http://h/A", "http://h/%41B", "B"}, {"http://h/*/c", "http://h/a/b/c/d", "/d"},
		{"h", "http://h/a", "/a"}, {"*", "http://h/a", "/a"}, {"http://h", "http://h", ""}, {"http://h/a$", "http://h/a", ""}, {"mailto:*@h", "mailto:joe@h?x", "?x"},
	} {
		u := locus.MustParse(c.url)
		if got := c.url[prefixLength(policy.MustParsePattern(c.pattern), u, 80):]; got != c.rest {
			t.Errorf("%s of %s: rest %q, want %q", c.pattern, c.url, got, c.rest)
		}
	}
}

func TestFallbackAndIndex(t *testing.T) {
	fsys := fstest.MapFS{}
	for name, text := range map[string]string{
		"doc.txt":     "",
		"a.html":      "<p id=x>",
		"b.md":        "# Part\n",
		"c.d.md":      "",
		"sub/x.txt":   "",
		"full/Me.md":  "# In\n",
		"links.html":  `<a href="a#x"></a><a href="b.html#part"></a><a href="b.html#none"></a><a href="c.d"></a><a href="none"></a><a href="doc.md"></a><a href="sub/"></a><a href="full/#in"></a><a href="full"></a><a href="a/"></a>`,
		"with space/": "",
	} {
		if !strings.HasSuffix(name, "/") {
			fsys[name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{}, "dead dead dead dead dead dead alive alive alive dead"},
		{Options{FallbackExtensions: []string{"html", "md"}}, "alive alive fragment alive dead dead alive alive alive dead"},
		{Options{IndexFiles: []string{"index.html", "me.md"}}, "dead dead dead dead dead dead dead alive alive dead"},
	} {
		report, err := Files(fsys, &FilesOptions{Options: c.o})
		if err != nil {
			t.Fatal(err)
		}
		var verdicts []string
		for _, r := range report.Results {
			verdicts = append(verdicts, r.Verdict.String())
		}
		if got := strings.Join(verdicts, " "); got != c.want {
			t.Errorf("%v %v: got %s, want %s", c.o.FallbackExtensions, c.o.IndexFiles, got, c.want)
		}
	}
}

func TestChosenLines(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	w.serve("a.example", pages)
	s := textDoc("a.md", "http://a.example/1\nhttp://a.example/2\n[x](http://a.example/3)\n")
	s.Lines = func(line int64) bool { return line == 2 }
	w.want(w.run(s), "a.md:2 http://a.example/2 dead 404")
}

// If a directory is mapped to a site URL, links to the site are resolved to existing files.
func TestLayoutURL(t *testing.T) {
	w := newFixture(t, policy.Rules{Files: true})
	w.serve("www.example", pages)
	dir := t.TempDir()
	for name, text := range map[string]string{"b.md": "# Part\n", "sub/c.html": "<p id=x>", "a b.md": ""} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root := locus.MustParse("file://" + filepath.ToSlash(dir))
	layout, err := OpenLayout(t.Context(), os.DirFS(dir), root, &LayoutOptions{URL: locus.MustParse("http://www.example/docs")})
	if err != nil {
		t.Fatal(err)
	}
	source := func(name, url, text string) Source {
		return Source{Name: name, URL: locus.MustParse(url), Layout: layout, Type: "text/markdown", Open: func(context.Context) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(text)), nil
		}}
	}
	text := "[1](b.md#part) [2](b.md#gone) [3](http://www.example/docs/sub/c.html#x) [4](/docs/b.md) [5](a%20b.md) [6](/ok) [7](../ok) [8](none.md) [9](//www.example/ok) [10](http://www.example/docs/none)\n"
	for _, s := range []Source{
		source("a.md", root.String()+"/a.md", text),
		source("-", "http://www.example/docs/", text),
	} {
		var verdicts []string
		for _, r := range w.run(s) {
			verdicts = append(verdicts, r.Verdict.String())
		}
		if got, want := strings.Join(verdicts, " "), "alive fragment alive alive alive alive alive dead alive dead"; got != want {
			t.Errorf("%s: got %s, want %s", s.Name, got, want)
		}
	}
	for _, asked := range w.requestedURLs() {
		if strings.Contains(asked, "b.md") || strings.Contains(asked, "c.html") {
			t.Errorf("requested %s", asked)
		}
	}
}

func FuzzRemap(f *testing.F) {
	f.Add("http://h/a*b$ x", "http://h/a%2Fb#c")
	f.Add("*/p/ file:///x/", "ftp://u@h:21/p/q")
	f.Add("mailto:*@h y:z", "mailto:a@h?b")
	f.Fuzz(func(t *testing.T, rule, text string) {
		r, err := ParseRemap(rule)
		u, bad := locus.Parse(text)
		if err != nil || bad != nil || len(rule) > 100 || len(text) > 200 || !r.From.Matches(u, 80) {
			return
		}
		got := prefixLength(r.From, u, 80)
		if strings.HasSuffix(r.From.String(), "$") || r.From.IsHost() {
			if got > u.Len() {
				t.Errorf("%q describes %d of %q", rule, got, text)
			}
			return
		}
		// Try each prefix, beginning with the shortest.
		start := u.PathOffset()
		if start > 0 && text[start-1] == '/' {
			start--
		}
		for i := start; i < got; i++ {
			begin, err := locus.Parse(text[:i])
			if err == nil && cutOffset(text, start, i) == i && r.From.Matches(begin, 80) {
				t.Errorf("%q describes %d of %q, not %d", rule, i, text, got)
			}
		}
	})
}

// For every document, links lead to a file in the directory or are not requested.
func FuzzLayout(f *testing.F) {
	f.Add(uint8(0), "site-url = '/x/'", "[a](../../b.md#c) [b](/x/y) [[z]] <a href='%zz'>")
	f.Add(uint8(5), "permalink: /:x/", "---\nurl: ../x\n---\n[a]({{ b }}) [c](//h/d) [e](#f)")
	f.Add(uint8(6), "{}", "[[a#b#c|d]] [[#^e]] ![[../f]]")
	f.Fuzz(func(t *testing.T, preset uint8, config, doc string) {
		if len(doc) > 4096 || len(config) > 4096 {
			return
		}
		name := Presets()[int(preset)%len(Presets())]
		fsys := fstest.MapFS{}
		for file, text := range map[string]string{
			"book.toml": config, "hugo.toml": config, "_config.yml": config, "mkdocs.yml": config, "conf.py": config, "docusaurus.config.js": config,
			"src/SUMMARY.md": doc, "src/a.md": doc, "content/a/index.md": doc, "docs/a.md": doc, "_posts/2020-01-02-a.md": doc, "a.md": doc,
		} {
			fsys[file] = &fstest.MapFile{Data: []byte(text)}
		}
		report, err := Files(fsys, &FilesOptions{Preset: name})
		if errors.Is(err, fs.ErrNotExist) { // only for binary files
			return
		} else if err != nil {
			t.Fatal(err)
		}
		for _, r := range report.Results {
			if r.Verdict == Denied || r.Verdict == Unknown || r.Tries > 0 && r.URL.Scheme() != filesScheme {
				t.Errorf("%s: %s", name, line(r))
			}
		}
	})
}

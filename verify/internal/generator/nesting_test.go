package generator

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/BurntSushi/toml"
)

func TestNesting(t *testing.T) {
	for text, want := range map[string]int{
		"":                                 0,
		"a = 1\n[b]\nc = [[1], {d = 2}]":   2,
		"a.b.c = 1.5":                      2,
		"# [[[[\na = [1]":                  1,
		`a = "[[[\"[[" # [[`:               0,
		"a = '[[\\'\nb = [1]":              1,
		"a = \"\"\"x\"\"\"\"\"\nb = [[1]]": 2,
		"a = '''[[\n'[[''''\nb = [1]":      1,
		"a = \"[\nb = [[":                  2,
		`a = "` + strings.Repeat(".", 999): 0,
		"a = " + strings.Repeat("[", 1000): 1000,
		strings.Repeat("a.", 1000) + "a=1": 1000,
	} {
		if got, _ := nesting(text); got != want {
			t.Errorf("%.40q: %d, want %d", text, got, want)
		}
	}
}

func FuzzNesting(f *testing.F) {
	f.Add("a = \"\"\"x\"\"\"\"\nb = ['''[''', {c = 1}] # [")
	f.Add("[a.b.c]\nd.e = [[1, {f.g = 2}]]\n[[h]]\ni = '''x'''\n[[h.j]]\nk = 1979-05-27T07:32:00Z\n\"l m\" = +1_000.5e3\n")
	f.Add("a:\n  - b: [1, 'c']\n    d: |\n      e\n  f: \"g\" # h\n&i j: *i\n")
	f.Fuzz(func(t *testing.T, text string) {
		parseYAML(text)
		if len(text) >= 4<<10 || !isModest(text) {
			return
		}
		var tree map[string]any
		if _, err := toml.Decode(text, &tree); err != nil {
			return
		}
		// A value may be in a table with a header, below a dotted key, and in nested arrays and
		// tables.
		if most, _ := nesting(text); depthOf(tree) > 3*(most+1) {
			t.Errorf("%d levels, and %d were measured: %q", depthOf(tree), most, text)
		}
		parseTOML(text)
	})
}

// An untrusted configuration may be designed to exhaust the memory.
func TestHostileConfiguration(t *testing.T) {
	long := strings.Repeat("k", 1<<18)
	var yaml, toml strings.Builder
	yaml.WriteString(long + ":\n")
	toml.WriteString("[" + long + "]\n")
	for i := range 30_000 {
		fmt.Fprintf(&yaml, "  x%d: 1\n", i)
		fmt.Fprintf(&toml, "x%d = 1\n", i)
	}
	for name, v := range map[string]values{
		"long key of YAML":    parseYAML(yaml.String()),
		"long key of TOML":    parseTOML(toml.String()),
		"long key in a table": parseTOML("a = {" + long + " = {" + strings.Repeat("x = 1, ", 30_000) + "}}"),
		"long value of YAML":  parseYAML("permalink: " + long),
		"long value of TOML":  parseTOML("permalink = '" + long + "'"),
		"nested arrays":       parseTOML("a = " + strings.Repeat("[", 1<<19)),
		"nested tables":       parseTOML("a = " + strings.Repeat("{a=", 1<<17)),
		"hidden nesting":      parseTOML("a = " + strings.Repeat(`{b="""x"""", a=`, 1<<15)),
		"long dotted key":     parseTOML(strings.Repeat("a.", 1<<18) + "a = 1"),
	} {
		octets := 0
		for key, list := range v {
			octets += len(key) + len(strings.Join(list, ""))
		}
		if octets > 1<<20 {
			t.Errorf("%s: %d octets are kept", name, octets)
		}
	}
	v := parseTOML("summary = '" + long[:9999] + " <a href=x>'\nslug = 'a'\nlist = ['" + long[:9999] + "']\n")
	if v.get("slug") != "a" {
		t.Error("a long summary hides other values")
	}
	s, err := Open(t.Context(), fstest.MapFS{
		"_config.yml": {Data: []byte("permalink: /" + strings.Repeat(":title", 160))},
		"_posts/2020-01-02-" + long[:200] + ".md": {Data: []byte("x")},
	}, "jekyll")
	if err != nil || len(s.pages) != 0 {
		t.Errorf("a path of 32,000 octets: %v, %d pages", err, len(s.pages))
	}
}

// The directory of a site may be large, so Open must end when its context is cancelled.
func TestOpenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, name := range Presets() {
		files := fstest.MapFS{"content/a.md": {}, "docs/a.md": {}, "src/a.md": {}, "a.md": {}}
		if _, err := Open(ctx, files, name); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// depthOf returns the maximum depth of nested arrays and tables.
func depthOf(value any) (most int) {
	switch v := value.(type) {
	case map[string]any:
		for _, inner := range v {
			most = max(most, depthOf(inner))
		}
		return most + 1
	case []map[string]any:
		for _, inner := range v {
			most = max(most, depthOf(inner))
		}
		return most + 1
	case []any:
		for _, inner := range v {
			most = max(most, depthOf(inner))
		}
		return most + 1
	}
	return 0
}

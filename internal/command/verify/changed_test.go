package verify

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
)

func TestParseDiff(t *testing.T) {
	const diff = `diff --git a/a.md b/a.md
index 1..2 100644
--- a/a.md
+++ b/a.md
@@ -2 +2 @@ heading @@ +9,9 @@
-old
+++ b/not-a-name.md
@@ -4,0 +5,2 @@
+x
+y
\ No newline at end of file
@@ -9,2 +10,0 @@
---- gone
-gone
diff --git a/gone.md b/gone.md
deleted file mode 100644
--- a/gone.md
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git "a/t\303\274.md" "b/with \"quotes\"\t\303\274.md"
--- /dev/null
+++ "b/with \"quotes\"\t\303\274.md"
@@ -0,0 +1 @@
+x
diff --git a/a b.md b/a b.md
--- a/a b.md	
+++ b/a b.md	
@@ -1 +1 @@
-x
+y
diff --git a/same/x.md b/same/y.md
similarity index 100%
rename from same/x.md
rename to same/y.md
diff --git a/one/x.md b/two/x.md
similarity index 90%
rename from one/x.md
rename to two/x.md
--- a/one/x.md
+++ b/two/x.md
@@ -3 +3 @@
-x
+y
diff --git a/p.zip b/p.zip
Binary files a/p.zip and b/p.zip differ
`
	got, err := parseDiff(strings.NewReader(diff))
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(got)) {
		list = append(list, fmt.Sprint(name, " ", got[name].isAll, got[name].ranges))
	}
	want := []string{"a b.md false [[1 1]]", "a.md false [[2 2] [5 6]]", "p.zip true []", "two/x.md true [[3 3]]", "with \"quotes\"\tü.md false [[1 1]]"}
	if !slices.Equal(list, want) {
		t.Errorf("got  %q\nwant %q", list, want)
	}
	for line, want := range map[int64]bool{1: false, 2: true, 3: false, 5: true, 6: true, 7: false} {
		if got["a.md"].contains(line) != want {
			t.Errorf("line %d: %v", line, !want)
		}
	}
	for _, bad := range []string{"@@ -x +1 @@\n", "@@ \n", "@@ -1 +1,99999999999 @@\n", "@@ -1 +1,-1 @@\n"} {
		if _, err := parseDiff(strings.NewReader(bad)); err == nil {
			t.Errorf("%q is a hunk", bad)
		}
	}
	if got, err := parseDiff(strings.NewReader("+++ b/" + strings.Repeat("x", 3*maxDiff) + "\n@@ -0,0 +1 @@\n+" + strings.Repeat("y", 3*maxDiff) + "\n+++ b/z\n")); err != nil || len(got) != 2 || got["z"] == nil {
		t.Errorf("long lines: %d, %v", len(got), err)
	}
}

func FuzzParseDiff(f *testing.F) {
	f.Add("--- a/x\n+++ b/x\n@@ -1,2 +3,4 @@\n-a\n-b\n+c\n+d\n+e\n+f\n\\ No\nrename from a/b\nrename to b/b\n")
	f.Add("Binary files a/x and b/y differ\n+++ \"b/\\303\"\n@@ -0,0 +1 @@")
	f.Fuzz(func(t *testing.T, diff string) {
		got, err := parseDiff(strings.NewReader(diff))
		if err != nil {
			return
		}
		for name, l := range got {
			for _, r := range l.ranges {
				if r[0] > r[1] || !l.contains(r[0]) || !l.contains(r[1]) {
					t.Errorf("%q: %v, want r[0] at most %d", name, r, r[1])
				}
			}
		}
	})
}

func TestPathPattern(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"docs/", "/w/docs/a.md", true}, {"docs", "/w/docs-old/a.md", true}, {"docs/", "/w/docs-old/a.md", false}, {"docs/", "/w/x/docs/a.md", false}, {"./docs/../docs/", "/w/docs/a", true},
		{"*.min.html$", "/w/a/b.min.html", true}, {"*.min.html$", "/w/a.min.html.md", false}, {"*/x/", "/w/a/x/b", true}, {"*/x/", "/w/ax/b", false}, {"a*/b.md$", "/w/a1/c/b.md", true},
		{"/else/", "/else/a", true}, {"a b/", "/w/a%20b/c", true}, {"a$", "/w/a", true}, {"a$", "/w/ab", false}, {"*", "/w/a", true},
	} {
		p, err := pathPattern(c.pattern, "/w")
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Matches(locus.MustParse("file://"+c.path), 0); got != c.want {
			t.Errorf("%s, %s: %v, want %v", c.pattern, c.path, got, c.want)
		}
	}
}

func TestIsDocument(t *testing.T) {
	for name, want := range map[string]bool{
		"a.md": true, "a.MDX": true, "x/README": true, "a.html": true, "a.rst": true, "letter.eml": true, "box.mbox": true, "LICENSE": true, "a.adoc": true, "a.asc": true, "a.xhtml": true, "a.qmd": true, "a.Rmd": true,
		"main.go": false, "a.js": false, "Makefile": false, "a.png": false, "a.zip": false, "configure": false, "a.json": false, "Cargo.lock": false,
	} {
		if got := new(selectionFlags).isDocument(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	if !(&selectionFlags{allFiles: true}).isDocument("main.go") {
		t.Error("--all-files leaves out a file")
	}
}

package verify

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
)

// Links to files are verified before later documents are read, so that waiting links do not fill
// the memory. A fragment in a later document is still checked.
func TestFilesDoNotWait(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"t.html": "<p id=a>some words<p id=b>", "m.md": "# A\n# B\n", "x.go": "x"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	base := "file://" + filepath.ToSlash(dir) + "/"
	source := func(i int, text string) Source {
		name := fmt.Sprintf("%d.md", i)
		return Source{Name: name, URL: locus.MustParse(base + name), Open: func(context.Context) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(text)), nil
		}}
	}
	texts := []string{
		"[1](t.html#a) [2](m.md#a) [3](t.html) [4](none.md)",
		"[1](t.html#b) [2](m.md#b) [3](m.md#L3-L4) [4](x.go#L1) [5](t.html#:~:text=some%20words)",
		"[1](t.html#none) [2](m.md#none) [3](none.md#a) [4](t.html#:~:text=no%20words) [5](x.go#L2)",
	}
	verified := make(chan bool, len(texts))
	sources := func(yield func(Source) bool) {
		for i, text := range texts {
			if !yield(source(i, text)) {
				return
			}
			<-verified
		}
	}
	w := newFixture(t, policy.Rules{Files: true})
	var bad []string
	last := map[string]string{"0.md": "none.md", "1.md": "t.html#:~:text=some%20words", "2.md": "x.go#L2"}
	for r := range New(w.client, &w.o).Run(t.Context(), sources) {
		if r.Verdict != Alive {
			bad = append(bad, fmt.Sprintf("%s %s %v", r.Document, r.Written, r.Verdict))
		}
		if r.Written == last[r.Document] {
			verified <- true
		}
	}
	want := []string{"0.md none.md dead", "2.md t.html#none fragment", "2.md m.md#none fragment", "2.md none.md#a dead", "2.md t.html#:~:text=no%20words fragment"}
	if !slices.Equal(bad, want) {
		t.Errorf("%q", bad)
	}
}

// A file that is read only in part is not read again for each fragment, and may contain any
// fragment.
func TestLateFragmentsOfLargeFile(t *testing.T) {
	a := markdownAnchors("# A\n", false, false)
	if a.acceptsAll {
		t.Error("a whole document has any fragment")
	}
	e := NewChecker(nil, nil, nil)
	at := new(attempt)
	at.found = map[string]bool{}
	e.findFragments(at, nil, markdownType, []byte("# A\n"), true, requirements{page: new(sitePage)}, &access.Result{URL: locus.MustParse("file:///a.md")})
	if at.anchors == nil || !at.anchors.find("later") {
		t.Error("a fragment of the part that was not read is missing")
	}
}

// A fragment does not retain the text of its URL.
func TestFragmentIn(t *testing.T) {
	for _, c := range [][3]string{{"b.html#x", "x", "x"}, {"", "x", "x"}, {"b html#y", "x", "x"}, {"b#", "", ""}} {
		if got := fragmentIn(c[0], c[1]); got != c[2] {
			t.Errorf("%q: %q", c, got)
		}
	}
}

package verify

import (
	"testing"

	"github.com/locus-url/locus/verify"
)

// Files that were not read are counted by extension. Pictures do not count, because they contain
// no links.
func TestLeftOut(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"a.pdf"}, "1 other file was not read: 1 .pdf"},
		{[]string{"x/a.pdf", "b.PDF", "c.yaml", "a.png", "b.woff2", "c.mp4"}, "3 other files were not read: 2 .pdf, 1 .yaml"},
		{[]string{"a.go", "b.go", "b.css", "c.css", "d.json", "Makefile", "e.svg"}, "7 other files were not read: 2 .css, 2 .go, 1 .json, 2 others"},
		{[]string{"Makefile", "a.x", "b.x"}, "3 other files were not read: 2 .x, 1 without an extension"},
	} {
		l := skippedFiles{}
		for _, name := range c.names {
			l.countFile(name)
		}
		if got := l.String(); got != c.want {
			t.Errorf("%q, not %q", got, c.want)
		}
	}
}

// The summary counts only the permanent redirects that --moved lists.
func TestSummaryCountsMoved(t *testing.T) {
	v := newVerifier(nil)
	v.sum.add(&verify.Result{Outcome: verify.Outcome{Verdict: verify.Moved, Permanent: true}})
	v.sum.add(&verify.Result{Outcome: verify.Outcome{Verdict: verify.Moved}})
	v.sum.add(&verify.Result{Outcome: verify.Outcome{Verdict: verify.Alive}})
	if moved, alive := v.sum.verdicts[verify.Moved], v.sum.verdicts[verify.Alive]; moved != 1 || alive != 2 {
		t.Errorf("%d moved, %d alive", moved, alive)
	}
}

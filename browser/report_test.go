package browser

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// writeReport makes the command write an HTML report, and returns the URL of a server for
// it.
func writeReport(t *testing.T, docs map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "locus")
	build := exec.Command("go", "build", "-o", program, "./cmd/locus")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for name, text := range docs {
		path := filepath.Join(dir, "docs", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(program, "verify", "--no-cache", "--retry", "0", "--rate", "0", "--allow-private", "--all", "--quiet", "--output", "report.html", "docs")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatalf("%v: %s", err, out)
	}
	page, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/favicon.ico" {
			rw.WriteHeader(http.StatusNoContent)
			return
		}
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		rw.Write(page)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// The user can sort and filter the HTML report of "locus verify". The report shows the positions
// of broken links, fits on a phone and passes axe-core. It runs no script of a document, sends no
// requests, and is readable without scripts.
func TestReport(t *testing.T) {
	evil := strings.NewReplacer("<", "&lt;", `"`, "&quot;").Replace(evil)
	base := writeReport(t, map[string]string{
		"a.html":    `<a href="` + evil + `">x</a> <a href="b.html">y</a> <a href="#none">z</a> <a href="http://h.example:25/">w</a>`,
		"b.html":    `<a href="gone.html">x</a> <a href="a.html">y</a> <a href="` + strings.Repeat("long", 100) + `.html">z</a>`,
		"c/10.html": `<a href="2.html">x</a>`, "c/2.html": `<a href="nothing.html">x</a> <a href="http:x">y</a>`,
	})
	b := newTab(t, base)
	for _, v := range views {
		b.setView(t, v.colours, v.width, v.height)
		b.visit(t, "/")
		b.await(t, "document.querySelector('.controls').hidden === false")
		b.checkWidth(t)
		b.checkAccessible(t)
		b.checkClean(t)
		if title := get(t, b, chromedp.Title()); title == "taken" {
			t.Errorf("a script of a document ran: %s", title)
		}
	}
	rows := func() int {
		t.Helper()
		return eval[int](t, b, "[...document.querySelectorAll('tbody tr')].filter((r) => r.getClientRects().length > 0).length")
	}
	all := rows()
	if all != 10 || b.text(t, "#shown") != "10 of 10 shown" {
		t.Errorf("%d rows, %q", all, b.text(t, "#shown"))
	}
	if n := eval[int](t, b, "document.querySelectorAll('.chart li svg rect').length"); n < 4 {
		t.Errorf("%d bars", n)
	}

	// Sort by document in both directions. Numbers are sorted numerically.
	documents := func() []string {
		t.Helper()
		return eval[[]string](t, b, "[...document.querySelectorAll('tbody tr')].map((r) => r.cells[2].textContent)")
	}
	sorted := func(want ...string) {
		t.Helper()
		b.run(t, chromedp.Click("th:nth-child(3) button"))
		got := documents()
		for i, name := range want {
			if !strings.HasPrefix(got[i], name) {
				t.Errorf("row %d is of %s, want %s: %q", i, got[i], name, got)
			}
		}
	}
	sorted("docs/a.html", "docs/a.html", "docs/a.html", "docs/a.html", "docs/b.html", "docs/b.html", "docs/b.html", "docs/c/2.html", "docs/c/2.html", "docs/c/10.html")
	sorted("docs/c/10.html", "docs/c/2.html", "docs/c/2.html", "docs/b.html")
	if order := eval[string](t, b, "document.querySelector('th:nth-child(3)').getAttribute('aria-sort')"); order != "descending" {
		t.Errorf("aria-sort is %q", order)
	}
	b.checkAccessible(t)

	// Filter by words and by verdict.
	b.run(t, chromedp.SendKeys("#search", "DOCS/c html"))
	b.await(t, "document.getElementById('shown').textContent === '3 of 10 shown'")
	if n := rows(); n != 3 {
		t.Errorf("%d rows", n)
	}
	choose := func(verdict string) {
		t.Helper()
		eval[bool](t, b, fmt.Sprintf("(() => { const s = document.getElementById('verdict'); s.value = %q; s.dispatchEvent(new Event('change')); return true; })()", verdict))
	}
	choose("malformed")
	if n := rows(); n != 1 {
		t.Errorf("%d malformed rows", n)
	}
	eval[bool](t, b, "(() => { const s = document.getElementById('search'); s.value = ''; s.dispatchEvent(new Event('input')); return true; })()")
	choose("")
	if n := rows(); n != all {
		t.Errorf("%d rows after the filter", n)
	}
	b.checkClean(t)

	// Without scripts, all rows are visible, and controls without a function are hidden.
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	b.visit(t, "/")
	if n := rows(); n != all {
		t.Errorf("%d rows without scripts", n)
	}
	if !eval[bool](t, b, "document.querySelector('.controls').hidden && document.querySelector('th button') === null") {
		t.Error("without scripts there are controls")
	}
}

package fleet

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/verify"
)

// bigSite returns a site with n pages. The pages link to each other, to fragments, to missing and
// moved pages, and to other hosts.
func bigSite(n int) func(host, path string) (int, string) {
	return func(host, path string) (int, string) {
		var i int
		switch {
		case path == "/robots.txt" && host == "site.example":
			return 200, "User-agent: *\nDisallow: /private/\n"
		case path == "/robots.txt":
			return 404, ""
		case host != "site.example":
			if strings.HasPrefix(path, "/away") {
				return 301, "http://site.example/moved/target"
			}
			if strings.HasPrefix(path, "/bad") {
				return 404, ""
			}
			return 200, "<p id=here>"
		case path == "/":
		case path == "/moved/old":
			return 301, "/moved/target"
		case path == "/moved/target":
			return 200, "<p id=x>"
		default:
			if _, err := fmt.Sscanf(path, "/page/%d.html", &i); err != nil || i >= n {
				return 404, ""
			}
		}
		var b strings.Builder
		fmt.Fprintf(&b, "<h1 id=top%d>%d</h1>", i, i)
		for _, next := range []int{2*i + 1, 2*i + 2, i / 2, (i * 7) % n} {
			fmt.Fprintf(&b, "<a href='/page/%d.html'>x</a> ", next)
		}
		fmt.Fprintf(&b, "<a href='/page/%d.html#top%d'>f</a> <a href='/page/%d.html#none'>f</a> ", i, i, i/3)
		fmt.Fprintf(&b, "<a href='http://h%d.example/p%d'>o</a> <a href='http://h%d.example/bad%d'>o</a>", i%7, i, i%5, i%11)
		if i%10 == 0 {
			fmt.Fprintf(&b, "<a href='/private/%d'>p</a> <a href='/moved/old#x'>m</a> <a href='http://h1.example/away%d'>a</a> <a href='mailto:a@nowhere.example'>m</a> <a href='http://none%d.example/'>n</a> <a href='http://[::1/'>b</a> <a href='http://u:secret@h1.example/in'>s</a>", i, i, i%3)
		}
		return 200, b.String()
	}
}

// TestEqualToVerify checks that a fleet returns the same results as package verify, for a site
// and for documents.
func TestEqualToVerify(t *testing.T) {
	pages := 300
	switch {
	case testing.Short():
		pages = 100
	case os.Getenv("CI") != "":
		pages = 20_000
	}
	w := newFixture(t, bigSite(pages))
	sources := []verify.Source{
		document("a.txt", "http://h1.example/p1 http://h2.example/p2#here http://h2.example/p2#no <URL:http://u:secret@h3.example/x> file:///none/at/all http://h1.example/a-\nb x-un:known gopher://h/0/\n"),
		document("b.html", "<a href='http://h1.example/bad1'>1</a> <a href='nothing.html'>2</a> <a href='#x'>3</a>"),
		site("http://site.example/"),
		site("http://h1.example/away1"),
	}
	o := w.options()
	o.MaxPages = 1 << 30
	o.Mail = new(noMail)
	want := sortedLines(slices.Collect(verify.New(w.plainClient(), &o).Run(t.Context(), slices.Values(sources))))
	f := openTestFrontier(t)
	worker := w.worker(f, o)
	e, err := NewSubmitter(worker)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	end := w.startWorker(worker)
	defer end()
	got := sortedLines(slices.Collect(e.Run(t.Context(), slices.Values(sources))))
	if err := e.Err(); err != nil {
		t.Fatal(err)
	}
	if len(want) < pages*5 {
		t.Errorf("only %d results", len(want))
	}
	w.equal(got, want)
	later := sortedLines(slices.Collect(e.Results(t.Context())))
	w.equal(later, want)
	s, err := f.Status(t.Context())
	if err != nil || s.Targets != s.Verdicts || s.Dead != 0 {
		t.Errorf("%+v %v", s, err)
	}
}

// TestPageOnce checks that the links of a page are read only once, even if several URLs redirect
// to the page.
func TestPageOnce(t *testing.T) {
	w := newFixture(t, func(_, path string) (int, string) {
		switch path {
		case "/":
			return 200, "<a href=/a>1</a> <a href=/b>2</a> <a href=/t>3</a> <a href=/out>4</a>"
		case "/a", "/b":
			return 301, "/t"
		case "/out":
			return 301, "http://other.example/"
		case "/t":
			return 200, "<a href=/gone>5</a>"
		}
		return 404, ""
	})
	f := openTestFrontier(t)
	worker := w.worker(f, w.options())
	e, err := NewSubmitter(worker)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	end := w.startWorker(worker)
	defer end()
	verdicts := map[string]int{}
	for r := range e.Run(t.Context(), slices.Values([]verify.Source{site("http://site.example/")})) {
		verdicts[r.Link()+" "+r.Verdict.String()]++
	}
	want := map[string]int{
		"http://site.example/ alive": 1, "http://site.example/a moved": 1, "http://site.example/b moved": 1, "http://site.example/t alive": 1,
		"http://site.example/out moved": 1, "http://site.example/gone dead": 1,
	}
	if err := e.Err(); err != nil || !maps.Equal(verdicts, want) {
		t.Errorf("%v, want %v, %v", verdicts, want, err)
	}
}

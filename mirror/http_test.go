package mirror_test

import (
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/mirror"
	"github.com/locus-url/locus/policy"
)

func pattern(text ...string) (list []policy.Pattern) {
	for _, t := range text {
		list = append(list, policy.MustParsePattern(t))
	}
	return list
}

func TestPagesBelowTheStart(t *testing.T) {
	s := &site{pages: map[string]string{
		"/docs/":           `<a href="a.html">a</a> <a href="sub/b.html#x">b</a> <a href="/other.html">o</a> <img src="i.png"> <a href="mailto:a@b.example">m</a>`,
		"/docs/a.html":     `<link rel=stylesheet href="style.css"><a href="./">up</a><a href="?q=1">search</a>`,
		"/docs/?q=1":       "found",
		"/docs/a.html?q=1": "found a",
		"/docs/sub/b.html": `<a href="../a.html">a</a>`,
		"/docs/style.css":  `body { background: url("bg.png") }`,
		"/docs/bg.png":     "\x89PNG\x00",
		"/docs/i.png":      "\x89PNG",
		"/other.html":      "not below",
	}}
	root, folder := serve(t, s)
	dir := t.TempDir()
	c := newClient(t)
	out := mustRun(t, c, dir, nil, root+"/docs/")
	want := below(folder+"/docs", map[string]string{
		"index.html": s.pages["/docs/"], "a.html": s.pages["/docs/a.html"], "a.html%3Fq=1": "found a", "sub/b.html": s.pages["/docs/sub/b.html"],
		"style.css": s.pages["/docs/style.css"], "bg.png": s.pages["/docs/bg.png"], "i.png": s.pages["/docs/i.png"],
	})
	checkFiles(t, filesOf(t, dir), want)
	if out.Added != len(want) || !out.Complete {
		t.Errorf("%+v", out.Summary)
	}
	info, err := os.Stat(filepath.Join(dir, folder, "docs", "a.html"))
	if err != nil || !info.ModTime().Equal(webTime) {
		t.Errorf("the time is %v, %v", info.ModTime(), err)
	}
	s.asked()
	// A second run transfers nothing.
	out = mustRun(t, c, dir, nil, root+"/docs/")
	if out.Same != len(want) || out.Bytes != 0 || out.Added+out.Changed+out.Gone > 0 {
		t.Errorf("%+v", out.Summary)
	}
	for _, r := range s.asked() {
		if !strings.HasPrefix(r, "HEAD ") {
			t.Errorf("asked again: %s", r)
		}
	}
}

func TestChangedGoneAndDeleted(t *testing.T) {
	s := &site{pages: map[string]string{
		"/":      `<a href="a.txt">a</a><a href="b.txt">b</a><a href="dead.html">d</a><a href="d/c.html">c</a>`,
		"/a.txt": "old", "/b.txt": "b", "/dead.html": "soon", "/d/c.html": "c",
	}}
	root, folder := serve(t, s)
	dir := t.TempDir()
	c := newClient(t)
	mustRun(t, c, dir, nil, root+"/")
	s.set("/", `<a href="a.txt">a</a><a href="dead.html">d</a><a href="new.txt">n</a>`)
	s.set("/a.txt", "new")
	s.set("/new.txt", "n")
	s.mu.Lock()
	delete(s.pages, "/dead.html")
	s.mu.Unlock()
	mine := filepath.Join(dir, folder, "d", "mine.txt")
	if err := os.WriteFile(mine, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	want := map[string]mirror.Status{"index.html": mirror.Changed, "a.txt": mirror.Changed, "b.txt": mirror.Gone, "dead.html": mirror.Gone, "d/c.html": mirror.Gone, "new.txt": mirror.Added}
	statuses := map[string]mirror.Status{}
	for name, status := range want {
		statuses[folder+"/"+name] = status
	}
	out := mustRun(t, c, dir, nil, root+"/")
	if got := out.statuses(); !maps.Equal(got, statuses) || out.Deleted != 0 {
		t.Errorf("%v, %+v", got, out.Summary)
	}
	if files := filesOf(t, dir); files[folder+"/b.txt"] != "b" {
		t.Errorf("a file is gone without Delete: %v", files)
	}
	out = mustRun(t, c, dir, &mirror.Options{Delete: true}, root+"/")
	if out.Gone != 3 || out.Deleted != 3 {
		t.Errorf("%+v", out.Summary)
	}
	checkFiles(t, filesOf(t, dir), below(folder, map[string]string{"index.html": s.pages["/"], "a.txt": "new", "new.txt": "n", "d/mine.txt": "mine"}))
	// The dead link is a failure now: there is nothing that was there before.
	if out = run(t, c, dir, &mirror.Options{Delete: true}, root+"/"); out.Gone != 0 || out.Failed != 1 {
		t.Errorf("gone again: %+v", out.Summary)
	}
	// A resource that exists again is added.
	s.set("/", `<a href="b.txt">b</a>`)
	if out = mustRun(t, c, dir, nil, root+"/"); out.statuses()[folder+"/b.txt"] != mirror.Added {
		t.Errorf("%v", out.statuses())
	}
}

func TestNothingIsDeletedAfterAFailure(t *testing.T) {
	s := &site{pages: map[string]string{"/": `<a href="list.html">l</a>`, "/list.html": `<a href="a.txt">a</a>`, "/a.txt": "a"}}
	root, folder := serve(t, s)
	dir := t.TempDir()
	c := newClient(t)
	mustRun(t, c, dir, nil, root+"/")
	s.set("/", `<a href="list.html">changed</a>`)
	s.handle = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/list.html" {
			http.Error(w, "broken", http.StatusInternalServerError)
			return true
		}
		return false
	}
	s.set("/", `<a href="list.html">changed</a><a href="b.txt">b</a>`)
	s.set("/b.txt", "b")
	out := run(t, c, dir, &mirror.Options{Delete: true, Politeness: access.Politeness{Retry: access.None}}, root+"/")
	want := map[string]mirror.Status{folder + "/index.html": mirror.Changed, folder + "/b.txt": mirror.Added, root + "/list.html": mirror.Failed}
	if got := out.statuses(); out.err != nil || !maps.Equal(got, want) || out.Complete || out.Deleted > 0 {
		t.Errorf("%v, %v, %+v", out.err, got, out.Summary)
	}
	if files := filesOf(t, dir); files[folder+"/a.txt"] != "a" || files[folder+"/list.html"] == "" {
		t.Errorf("%v, %+v", slices.Collect(maps.Keys(files)), out.Summary)
	}
}

func TestScope(t *testing.T) {
	other := &site{pages: map[string]string{"/": `<a href="/x.html">x</a>`, "/x.html": "x", "/i.png": "i", "/s.css": `@import "t.css"; a { background: url(u.png) }`, "/t.css": "", "/u.png": "u"}}
	otherRoot, otherFolder := serve(t, other)
	s := &site{pages: map[string]string{
		"/":       `<a href="1.html">1</a><a href="` + otherRoot + `/">o</a><img src="` + otherRoot + `/i.png"><link rel=stylesheet href="` + otherRoot + `/s.css"><a href="big.pdf">p</a>`,
		"/1.html": `<a href="2.html">2</a>`, "/2.html": `<a href="3.html">3</a>`, "/3.html": "3", "/big.pdf": "pdf",
	}}
	root, folder := serve(t, s)
	one := func(names ...string) (list []string) {
		for _, n := range names {
			list = append(list, folder+"/"+n)
		}
		return list
	}
	two := func(names ...string) (list []string) {
		for _, n := range names {
			list = append(list, otherFolder+"/"+n)
		}
		return list
	}
	for name, test := range map[string]struct {
		o    mirror.Options
		want []string
	}{
		"default":    {mirror.Options{}, one("index.html", "1.html", "2.html", "3.html", "big.pdf")},
		"depth":      {mirror.Options{Depth: 2}, one("index.html", "1.html", "2.html", "big.pdf")},
		"start":      {mirror.Options{Depth: mirror.StartsOnly}, one("index.html")},
		"exclude":    {mirror.Options{Exclude: pattern("*/2.html", "*/*.pdf")}, one("index.html", "1.html")},
		"include":    {mirror.Options{Include: pattern("*/*.pdf")}, one("big.pdf")},
		"hosts":      {mirror.Options{Hosts: pattern(strings.TrimPrefix(otherRoot, "http://")), Depth: 2}, append(one("index.html", "1.html", "2.html", "big.pdf"), two("index.html", "x.html", "i.png", "s.css", "t.css", "u.png")...)},
		"requisites": {mirror.Options{PageRequisites: true, Depth: mirror.StartsOnly}, append(one("index.html"), two("i.png", "s.css", "t.css", "u.png")...)},
		"files":      {mirror.Options{MaxFiles: 1}, one("index.html")},
		"bytes":      {mirror.Options{MaxBytes: 1}, one("index.html")},
		"newer":      {mirror.Options{Newer: webTime.AddDate(0, 0, 1)}, nil},
		"not newer":  {mirror.Options{Newer: webTime, Depth: 1}, one("index.html", "1.html", "big.pdf")},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			out := mustRun(t, newClient(t), dir, &test.o, root+"/")
			got := slices.Sorted(maps.Keys(filesOf(t, dir)))
			slices.Sort(test.want)
			if !reflect.DeepEqual(got, slices.Clip(test.want)) && len(got)+len(test.want) > 0 {
				t.Errorf("got %v, not %v (%+v)", got, test.want, out.Summary)
			}
			if limited := name == "files" || name == "bytes"; out.Complete == limited {
				t.Errorf("whole: %v", out.Complete)
			}
		})
	}
}

func TestRedirectsAndRobots(t *testing.T) {
	s := &site{pages: map[string]string{
		"/start":              "-> /docs/",
		"/docs/":              `<a href="old">o</a><a href="away">a</a><a href="secret/x.html">s</a>`,
		"/docs/old":           "-> new",
		"/docs/new":           "new",
		"/docs/away":          "-> http://127.0.0.1:1/",
		"/robots.txt":         "User-agent: *\nDisallow: /docs/secret\n",
		"/docs/secret/x.html": "x",
	}}
	root, folder := serve(t, s)
	dir := t.TempDir()
	out := mustRun(t, newClient(t), dir, nil, root+"/start")
	checkFiles(t, filesOf(t, dir), below(folder+"/docs", map[string]string{"index.html": s.pages["/docs/"], "new": "new"}))
	if out.Robots != 1 {
		t.Errorf("%+v", out.Summary)
	}
	dir = t.TempDir()
	mustRun(t, newClient(t), dir, &mirror.Options{NoRobots: true}, root+"/start")
	if files := filesOf(t, dir); files[folder+"/docs/secret/x.html"] != "x" {
		t.Error(files)
	}
}

func TestRelink(t *testing.T) {
	s := &site{pages: map[string]string{
		"/":                     `<base href="/d/"><a href="a%20b.html?x=1&amp;y=2#f">1</a> <a href=c.html>2</a> <a href="gone.html">3</a> <a href="http://else.example/?a&amp;b">4</a> <img srcset="i.png 1x, j.png 2x"><style>p{background:url(i.png)}</style><a href="#here">5</a>`,
		"/d/a%20b.html?x=1&y=2": `<a href="../">up</a> <a href="#f">f</a> <a href="/d/c.html">c</a> <p style="background: url('i.png')">x</p>`,
		"/d/c.html":             `c <a href='c.html'>self</a>`,
		"/d/i.png":              "i", "/d/j.png": "j",
		"/d/":      "d",
		"/d/s.css": `a { background: url( "i.png" ) } b { background: url(http://else.example/x.png) }`,
	}}
	s.pages["/d/c.html"] += `<link rel=stylesheet href=s.css>`
	root, folder := serve(t, s)
	dir := t.TempDir()
	c := newClient(t)
	o := &mirror.Options{Relink: true}
	out := run(t, c, dir, o, root+"/")
	if out.err != nil || out.Failed != 1 { // gone.html
		t.Fatal(out.err, out.events)
	}
	want := below(folder, map[string]string{
		"index.html":           `<base href="./"><a href="d/a%20b.html%253Fx%3D1%26y%3D2#f">1</a> <a href=d/c.html>2</a> <a href="` + root + `/d/gone.html">3</a> <a href="http://else.example/?a&amp;b">4</a> <img srcset="d/i.png 1x, d/j.png 2x"><style>p{background:url(d/i.png)}</style><a href="d/index.html#here">5</a>`,
		"d/a b.html%3Fx=1&y=2": `<a href="../index.html">up</a> <a href="#f">f</a> <a href="c.html">c</a> <p style="background: url('i.png')">x</p>`,
		"d/c.html":             `c <a href='c.html'>self</a><link rel=stylesheet href=s.css>`,
		"d/i.png":              "i", "d/j.png": "j", "d/index.html": "d",
		"d/s.css": s.pages["/d/s.css"],
	})
	checkFiles(t, filesOf(t, dir), want)
	s.asked()
	// The server's bytes are stored, so nothing is transferred again.
	out = run(t, c, dir, o, root+"/")
	if out.Same != len(want) || out.Bytes != 0 {
		t.Errorf("%+v", out.Summary)
	}
	checkFiles(t, filesOf(t, dir), want)
	// When the target of a dead link appears, the link points to its file.
	s.set("/d/gone.html", "back")
	mustRun(t, c, dir, o, root+"/")
	if text := filesOf(t, dir)[folder+"/index.html"]; !strings.Contains(text, `href="d/gone.html"`) {
		t.Error(text)
	}
	// Without Relink the octets of the server come back.
	mustRun(t, c, dir, nil, root+"/")
	if text := filesOf(t, dir)[folder+"/index.html"]; text != s.pages["/"] {
		t.Error(text)
	}
}

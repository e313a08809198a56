package mirror_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/mirror"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/file"
	"github.com/locus-url/locus/scheme/ftp"
	"github.com/locus-url/locus/scheme/gemini"
	"github.com/locus-url/locus/scheme/gopher"
	lhttp "github.com/locus-url/locus/scheme/http"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("MIRROR_TEST_DIR"); dir != "" {
		mirrorForTest(dir)
		return
	}
	goleak.VerifyTestMain(m)
}

var parse = locus.MustParse

func ctx(t testing.TB) context.Context {
	c, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return c
}

// newClient returns a client for loopback, with more schemes.
func newClient(t testing.TB, more ...scheme.Scheme) *access.Client {
	t.Helper()
	c, done := openClient(more...)
	t.Cleanup(done)
	return c
}

func openClient(more ...scheme.Scheme) (*access.Client, func()) {
	web, files, menus := lhttp.New(nil), ftp.New(nil), gopher.New(nil)
	r, err := scheme.NewRegistry(append(more, lhttp.Scheme(web), lhttp.SecureScheme(web), ftp.Scheme(files), gopher.Scheme(menus), gemini.Scheme(gemini.New(nil)), file.Scheme(nil))...)
	if err != nil {
		panic(err)
	}
	p, err := policy.New(policy.Rules{AllowPrivate: true, TypedPrivate: true, Passwords: true, Files: true, Ports: nil})
	if err != nil {
		panic(err)
	}
	c := access.New(r, p, &access.Options{IdleTimeout: time.Minute})
	return c, func() {
		web.Close()
		files.Close()
		c.Close()
	}
}

// outcome holds the events and the summary of a run.
type outcome struct {
	mirror.Summary
	events map[string]mirror.Event // by URL
	err    error
}

// statuses returns the status of each file, and of each URL without one.
func (o *outcome) statuses() map[string]mirror.Status {
	list := map[string]mirror.Status{}
	for url, e := range o.events {
		if e.File != "" {
			url = e.File
		}
		list[url] = e.Status
	}
	return list
}

func run(t testing.TB, c *access.Client, dir string, o *mirror.Options, urls ...string) *outcome {
	t.Helper()
	out := &outcome{events: map[string]mirror.Event{}}
	var options mirror.Options
	if o != nil {
		options = *o
	}
	options.Report = func(e mirror.Event) {
		if before, ok := out.events[e.URL]; ok {
			t.Errorf("told twice: %v, %v", before, e)
		}
		out.events[e.URL] = e
	}
	options.Wait = cmp.Or(options.Wait, time.Millisecond)
	options.Interval = cmp.Or(options.Interval, access.None)
	var starts []locus.URL
	for _, u := range urls {
		starts = append(starts, parse(u))
	}
	out.Summary, out.err = mirror.Run(ctx(t), c, dir, starts, &options)
	return out
}

// mustRun is run without a failure.
func mustRun(t testing.TB, c *access.Client, dir string, o *mirror.Options, urls ...string) *outcome {
	t.Helper()
	out := run(t, c, dir, o, urls...)
	if out.err != nil || out.Failed > 0 {
		t.Fatalf("%v, %v", out.err, out.events)
	}
	return out
}

// filesOf returns the files below dir, except the mirror's own files.
func filesOf(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == ".locus-mirror" {
			return fs.SkipDir
		}
		if d.Type().IsRegular() {
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(dir, name)
			files[filepath.ToSlash(rel)] = string(text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// withoutMenus drops the files with menus.
func withoutMenus(files map[string]string) map[string]string {
	maps.DeleteFunc(files, func(name string, _ string) bool {
		return strings.HasPrefix(name[strings.LastIndexByte(name, '/')+1:], ".menu")
	})
	return files
}

func checkFiles(t testing.TB, got, want map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if text, ok := got[name]; !ok {
			t.Errorf("%s is missing", name)
		} else if text != want[name] {
			t.Errorf("%s has %.200q, not %.200q", name, text, want[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[name]; !ok {
			t.Errorf("%s is there: %.60q", name, got[name])
		}
	}
}

// site is a web site: its pages by path.
type site struct {
	mu       sync.Mutex
	pages    map[string]string
	types    map[string]string
	requests []string
	handle   func(w http.ResponseWriter, r *http.Request) bool // reports whether it has responded
}

// webTime is the time of all pages.
var webTime = time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	path := r.URL.EscapedPath()
	if r.URL.RawQuery != "" {
		path += "?" + r.URL.RawQuery
	}
	s.requests = append(s.requests, r.Method+" "+path)
	text, ok := s.pages[path]
	mediaType := s.types[path]
	handle := s.handle
	s.mu.Unlock()
	if handle != nil && handle(w, r) {
		return
	}
	if to, moved := strings.CutPrefix(text, "-> "); moved {
		http.Redirect(w, r, to, http.StatusFound)
		return
	}
	if !ok {
		http.NotFound(w, r)
		return
	}
	if mediaType == "" {
		mediaType = "text/html"
		for suffix, t := range map[string]string{".css": "text/css", ".txt": "text/plain", ".png": "image/png", ".md": "text/markdown"} {
			if strings.HasSuffix(path, suffix) {
				mediaType = t
			}
		}
	}
	w.Header().Set("Content-Type", mediaType)
	w.Header().Set("ETag", fmt.Sprintf("%q", fmt.Sprintf("%x", sha256.Sum256([]byte(text)))))
	w.Header().Set("Last-Modified", webTime.Format(http.TimeFormat))
	w.Header().Set("Content-Length", fmt.Sprint(len(text)))
	if r.Method != http.MethodHead {
		io.WriteString(w, text)
	}
}

// asked returns the requests since the last call, sorted, without robots.txt.
func (s *site) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := slices.DeleteFunc(s.requests, func(r string) bool { return strings.HasSuffix(r, "/robots.txt") })
	s.requests = nil
	slices.Sort(list)
	return list
}

func (s *site) set(path, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pages[path] = text
}

// serve starts a site, and returns its root and the folder that its files get.
func serve(t testing.TB, s *site) (root, folder string) {
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return server.URL, strings.ReplaceAll(strings.TrimPrefix(server.URL, "http://"), ":", "+")
}

// below puts a folder before the names of files.
func below(folder string, files map[string]string) map[string]string {
	list := map[string]string{}
	for name, text := range files {
		list[folder+"/"+name] = text
	}
	return list
}

package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
)

func realClient(t testing.TB) (*access.Client, *scheme.Registry) {
	t.Helper()
	registry, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.New(policy.Rules{TypedPrivate: true, Passwords: true})
	if err != nil {
		t.Fatal(err)
	}
	c := access.New(registry, p, nil)
	t.Cleanup(func() { c.Close() })
	return c, registry
}

// Each scheme decodes the name in its own way.
func TestNameOfSchemes(t *testing.T) {
	_, registry := realClient(t)
	for text, want := range map[string]string{
		"ftp://ftp.example.org/pub/a%20b.txt;type=i":         "a b.txt",
		"ftp://ftp.example.org/%2Fetc%2Fmotd":                "motd",
		"ftp://ftp.example.org/pub/":                         "",
		"ftp://ftp.example.org":                              "",
		"ftp://ftp.example.org/pub;type=d":                   "pub",
		"ftp://ftp.example.org/..%2f..%2fetc":                "etc",
		"http://www.example.org/a/b.html?c=d/e#f":            "b.html",
		"http://www.example.org/":                            "",
		"http://www.example.org":                             "",
		"http://www.example.org/a/":                          "",
		"http://www.example.org/%2e%2e":                      "",
		"http://www.example.org/" + strings.Repeat("a", 300): SafeName(strings.Repeat("a", 300)),
		"file:///tmp/x%00y":                                  "x_y",
		"file:///tmp/dir/x.txt":                              "x.txt",
		"gopher://gopher.example.org/0/about/help.txt":       "help.txt",
		"gopher://gopher.example.org/":                       "",
		"news:4711@news.example.org":                         "4711@news.example.org",
		"nntp://news.example.org/comp.infosystems/4711":      "4711",
		"wais://wais.example.org/db/WSRC/a%2Fb":              "b",

		"wais://wais.example.org/db/TEXT/1=h;3=0%209%20/a/lamp.txt;6=0%209%20/b/buoy.txt;7=%00;": "buoy.txt",
		"wais://wais.example.org/db/TEXT/9/6=;3=0%209%20/a/lamp.txt;7=%00;":                      "lamp.txt",
		"wais://wais.example.org/db/TEXT/2=db;":                                                  "2=db;",
		"prospero://prospero.example.org//a/b;number=3":                                          "b",
	} {
		if got := Name(registry, locus.MustParse(text)); got != want {
			t.Errorf("Name(%s) = %q, want %q", text, got, want)
		}
	}
}

// site is an HTTP server that breaks connections.
type site struct {
	mu     sync.Mutex
	data   []byte
	tag    string
	cut    int // bytes after which the next response breaks; 0 means never
	ranges []string
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	data, tag, cut := s.data, s.tag, s.cut
	s.cut = 0
	s.ranges = append(s.ranges, r.Header.Get("Range"))
	s.mu.Unlock()
	w.Header().Set("ETag", tag)
	if cut > 0 {
		w = &cutter{ResponseWriter: w, left: cut}
	}
	http.ServeContent(w, r, "object.bin", time.Date(1994, 12, 1, 0, 0, 0, 0, time.UTC), bytes.NewReader(data))
}

type cutter struct {
	http.ResponseWriter
	left int
}

func (c *cutter) Write(p []byte) (int, error) {
	if c.left -= len(p); c.left <= 0 {
		c.ResponseWriter.Write(p[:max(c.left+len(p), 0)])
		http.NewResponseController(c.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
	return c.ResponseWriter.Write(p)
}

func TestResumeHTTP(t *testing.T) {
	s := &site{data: octets(1 << 20), tag: `"v1"`, cut: 700_000}
	server := httptest.NewServer(s)
	defer server.Close()
	c, _ := realClient(t)
	dir := t.TempDir()
	jobs := []Job{{locus.MustParse(server.URL + "/object.bin"), "object.bin"}}
	get := func(o Options) Result {
		t.Helper()
		results, err := Run(t.Context(), c, openRoot(t, dir), jobs, withoutPauses(&o))
		if err != nil {
			t.Fatal(err)
		}
		return slices.Collect(results)[0]
	}
	var e *Error
	if r := get(Options{}); !errors.As(r.Err, &e) || e.PartSize < 600_000 || access.KindOf(r.Err) != access.Protocol {
		t.Fatalf("cut off: %v", r.Err)
	}
	if r := get(Options{Resume: true}); r.Err != nil || r.Resumed != e.PartSize || r.Size != 1<<20 {
		t.Errorf("resumed: %+v", r)
	}
	if want := []string{"", fmt.Sprintf("bytes=%d-", e.PartSize-overlap)}; !slices.Equal(s.ranges, want) {
		t.Errorf("ranges %q, want %q", s.ranges, want)
	}
	wantFile(t, dir, "object.bin", s.data)
	wantNames(t, dir, "object.bin")

	// In this run, the object changes after the interruption.
	s.cut = 500_000
	if r := get(Options{Overwrite: true}); r.Err == nil {
		t.Fatal("nothing was cut")
	}
	s.data, s.tag = bytes.Repeat([]byte("changed!"), 1<<17), `"v2"`
	if r := get(Options{Resume: true, Overwrite: true}); r.Err != nil || r.Resumed != 0 {
		t.Errorf("changed: %+v", r)
	}
	wantFile(t, dir, "object.bin", s.data)

	// For a complete part, the client never requests bytes after its end.
	write(t, dir, "object.bin.part", s.data)
	write(t, dir, "object.bin.part.json", []byte(`{"url": "`+jobs[0].URL.String()+`", "tag": "\"v2\"", "size": 1048576}`))
	if r := get(Options{Resume: true, Overwrite: true}); r.Err != nil || r.Resumed != 1<<20 {
		t.Errorf("whole: %+v", r)
	}
	wantFile(t, dir, "object.bin", s.data)
	wantNames(t, dir, "object.bin")
}

func TestRetryHTTP(t *testing.T) {
	s := &site{data: octets(1 << 20), tag: `"v1"`, cut: 700_000}
	server := httptest.NewServer(s)
	defer server.Close()
	c, _ := realClient(t)
	dir := t.TempDir()
	results, err := Run(t.Context(), c, openRoot(t, dir), []Job{{locus.MustParse(server.URL), "a"}}, &Options{Politeness: access.Politeness{Retry: 1, Wait: time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	for r := range results {
		if r.Err != nil || r.Resumed != 0 || len(s.ranges) != 2 || s.ranges[1] == "" {
			t.Errorf("%+v, ranges %q", r, s.ranges)
		}
	}
	wantFile(t, dir, "a", s.data)
}

func TestResumeFTP(t *testing.T) {
	data := octets(1 << 20)
	server, err := ftptest.Start(ftptest.Files{"pub/object.bin": {Data: string(data)}}, &ftptest.Options{Fault: ftptest.Fault{Cut: 700_000, Cuts: 1}})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	c, _ := realClient(t)
	dir := t.TempDir()
	u := locus.MustParse("ftp://" + server.Addr() + "/pub/object.bin")
	for _, resume := range []bool{false, true} {
		results, err := Run(t.Context(), c, openRoot(t, dir), []Job{{u, "object.bin"}}, withoutPauses(&Options{Resume: resume}))
		if err != nil {
			t.Fatal(err)
		}
		for r := range results {
			var e *Error
			switch {
			case !resume && (!errors.As(r.Err, &e) || e.PartSize != 700_000 || e.Part != filepath.Join(dir, "object.bin.part")):
				t.Errorf("cut off: %v", r.Err)
			case resume && (r.Err != nil || r.Resumed != 700_000):
				t.Errorf("resumed: %+v", r)
			}
		}
	}
	wantFile(t, dir, "object.bin", data)
	wantNames(t, dir, "object.bin")
	if want := fmt.Sprintf("REST %d", 700_000-overlap); !strings.Contains(fmt.Sprint(server.Log()), want) {
		t.Errorf("%q was not sent: %q", want, server.Log())
	}
}

// Run downloads a thousand files of one directory over the maximum number of concurrent
// control connections.
func TestManyFTP(t *testing.T) {
	files := ftptest.Files{}
	var jobs []Job
	server, err := ftptest.Start(files, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	for i := range 200 {
		name := fmt.Sprintf("f%03d", i)
		files["pub/many/"+name] = ftptest.File{Data: name}
		jobs = append(jobs, Job{locus.MustParse("ftp://" + server.Addr() + "/pub/many/" + name), name})
	}
	c, _ := realClient(t)
	dir := t.TempDir()
	results, err := Run(t.Context(), c, openRoot(t, dir), jobs, withoutPauses(nil))
	if err != nil {
		t.Fatal(err)
	}
	for r := range results {
		if r.Err != nil {
			t.Fatal(r.Err)
		}
		wantFile(t, dir, r.Job.Name, []byte(r.Job.Name))
	}
	if n := len(server.Log()); n > 2 {
		t.Errorf("%d control connections", n)
	}
}

// If the caller closes the client, that is not a server failure, and the received bytes remain.
func TestClientClosed(t *testing.T) {
	sent, closed := make(chan bool), make(chan bool)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000000")
		w.Write(make([]byte, 500_000))
		w.(http.Flusher).Flush()
		close(sent)
		<-closed
	}))
	defer server.Close()
	defer close(closed)
	registry, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.New(policy.Rules{AllowPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	c := access.New(registry, p, nil)
	dir := t.TempDir()
	results, err := Run(t.Context(), c, openRoot(t, dir), []Job{{locus.MustParse(server.URL + "/x"), "x"}}, &Options{Politeness: access.Politeness{Retry: 3, Wait: time.Hour}})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		<-sent
		c.Close()
	}()
	for r := range results {
		if access.KindOf(r.Err) != access.Interrupted || errors.Is(r.Err, scheme.ErrProtocol) || !strings.Contains(r.Err.Error(), "was closed") {
			t.Errorf("%v: %v", access.KindOf(r.Err), r.Err)
		}
	}
}

func TestErrorText(t *testing.T) {
	u := locus.MustParse("http://h/x")
	for _, row := range []struct {
		err  error
		want string
	}{
		{context.Canceled, "transfer: d/x: interrupted, from http://h/x"},
		{context.DeadlineExceeded, "transfer: d/x: exceeded the time limit, from http://h/x"},
	} {
		if got := (&Error{URL: u, File: "d/x", Err: row.err}).Error(); got != row.want {
			t.Errorf("%q, want %q", got, row.want)
		}
	}
}

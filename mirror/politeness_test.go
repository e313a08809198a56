package mirror_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/mirror"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
)

// links returns a page that links to n texts below it, and these.
func links(n int) *site {
	s := &site{pages: map[string]string{}}
	for i := range n {
		name := fmt.Sprintf("p%02d.txt", i)
		s.pages["/"] += fmt.Sprintf(`<a href="%s">a</a>`, name)
		s.pages["/"+name] = name
	}
	return s
}

func TestInterval(t *testing.T) {
	s := links(9)
	root, _ := serve(t, s)
	const interval = 30 * time.Millisecond
	began := time.Now()
	mustRun(t, newClient(t), t.TempDir(), &mirror.Options{Politeness: access.Politeness{Interval: interval}, NoRobots: true}, root+"/")
	if took := time.Since(began); took < 9*interval {
		t.Errorf("10 requests in %v", took)
	}
}

// Two requests to a host are the default. Without a limit there are as many as in all.
func TestPerHost(t *testing.T) {
	const items = 40
	for _, test := range []struct {
		polite access.Politeness
		want   int
	}{
		{access.Politeness{}, 2},
		{access.Politeness{PerHost: 3}, 3},
		{access.Politeness{PerHost: access.None, Parallel: 5}, 5},
		{access.Politeness{PerHost: access.None, Parallel: access.None}, items},
	} {
		var mu sync.Mutex
		var once sync.Once
		active, most, full := 0, 0, make(chan struct{})
		enter := func(n int) {
			mu.Lock()
			defer mu.Unlock()
			active += n
			most = max(most, active)
			if active == test.want {
				once.Do(func() { close(full) })
			}
		}
		s := (&fixture{}).scheme()
		s.Access.Opener = scheme.OpenerFunc(func(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
			if path, _ := req.URL.Path(); path == "" {
				return &scheme.Menu{URL: req.URL, Items: func(yield func(scheme.Item, error) bool) {
					for i := 0; i < items && yield(item(scheme.KindObject, fmt.Sprint(i), fmt.Sprint(i)), nil); i++ {
					}
				}}, nil
			}
			enter(1)
			defer enter(-1)
			select {
			case <-full:
				return &scheme.Object{URL: req.URL, Size: 1, Type: "text/plain", Body: io.NopCloser(strings.NewReader("x"))}, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		})
		out := mustRun(t, newClient(t, s), t.TempDir(), &mirror.Options{Politeness: test.polite}, "x-menu://h/")
		if out.Added != items+1 || most != test.want {
			t.Errorf("%+v: %d at once, want %d; %+v", test.polite, most, test.want, out.Summary)
		}
	}
}

func TestRobotsDelay(t *testing.T) {
	s := links(1)
	s.pages["/robots.txt"], s.types = "User-agent: *\nCrawl-delay: 1\n", map[string]string{"/robots.txt": "text/plain"}
	root, _ := serve(t, s)
	began := time.Now()
	mustRun(t, newClient(t), t.TempDir(), nil, root+"/")
	if took := time.Since(began); took < time.Second {
		t.Errorf("2 requests in %v", took)
	}
}

// The pause that a server requests applies to all its URLs.
func TestRetryAfter(t *testing.T) {
	s := links(6)
	root, _ := serve(t, s)
	var asked time.Time
	var early []string
	s.handle = func(w http.ResponseWriter, r *http.Request) bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		if r.URL.Path == "/p00.txt" && asked.IsZero() {
			asked = time.Now()
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}
		if !asked.IsZero() && time.Since(asked) < time.Second {
			early = append(early, r.URL.Path)
		}
		return false
	}
	out := mustRun(t, newClient(t), t.TempDir(), &mirror.Options{Politeness: access.Politeness{PerHost: 1}}, root+"/")
	if out.Added != 7 || len(early) > 0 {
		t.Errorf("%+v, during the pause: %q", out.Summary, early)
	}
}

// A failure of HTTP that has the code of a temporary one of FTP is not repeated.
func TestRetryNot(t *testing.T) {
	for _, status := range []int{400, 405, 426, 451, 501} {
		s := links(0)
		root, _ := serve(t, s)
		s.handle = func(w http.ResponseWriter, r *http.Request) bool {
			w.WriteHeader(status)
			return true
		}
		out := run(t, newClient(t), t.TempDir(), &mirror.Options{NoRobots: true}, root+"/")
		if asked := s.asked(); out.Failed != 1 || len(asked) != 1 {
			t.Errorf("%d: %+v after %q", status, out.Summary, asked)
		}
	}
}

// A server that requests a longer pause than allowed gets no more requests.
func TestRetryAfterTooLong(t *testing.T) {
	s := links(6)
	root, _ := serve(t, s)
	s.handle = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/p00.txt" {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusTooManyRequests)
			return true
		}
		return false
	}
	dir := t.TempDir()
	c := newClient(t)
	out := run(t, c, dir, &mirror.Options{Politeness: access.Politeness{PerHost: 1}}, root+"/")
	if out.err != nil || out.Failed != 6 || out.Complete || len(s.asked()) != 2 {
		t.Errorf("%v, %+v", out.err, out.Summary)
	}
	if e := out.events[root+"/p03.txt"]; e.Err == nil || !strings.Contains(e.Err.Error(), "pause of 1h0m0s") {
		t.Errorf("%+v", e)
	}
	s.handle = nil
	if out := mustRun(t, c, dir, nil, root+"/"); out.Added != 6 {
		t.Errorf("%+v", out.Summary)
	}
}

// A server that suddenly has nothing does not empty the mirror.
func TestManyGone(t *testing.T) {
	s := links(5)
	root, folder := serve(t, s)
	dir := t.TempDir()
	c := newClient(t)
	mustRun(t, c, dir, nil, root+"/")
	index := s.pages["/"]
	s.set("/", "The shop is closed.")
	for range 2 { // the second time they are known to be gone
		out := run(t, c, dir, &mirror.Options{Delete: true}, root+"/")
		many := (*mirror.ManyGoneError)(nil)
		if !errors.As(out.err, &many) || many.Gone != 5 || out.Gone != 5 || out.Deleted != 0 || len(filesOf(t, dir)) != 6 {
			t.Fatalf("%v, %+v", out.err, out.Summary)
		}
	}
	s.set("/", index)
	mustRun(t, c, dir, &mirror.Options{Delete: true}, root+"/")
	s.set("/", `<a href="p00.txt">a</a><a href="p01.txt">a</a>`)
	if out := run(t, c, dir, &mirror.Options{Delete: true, MaxDelete: 2}, root+"/"); out.err == nil || out.Gone != 3 || out.Deleted != 0 {
		t.Errorf("%v, %+v", out.err, out.Summary)
	}
	if out := mustRun(t, c, dir, &mirror.Options{Delete: true, MaxDelete: 3}, root+"/"); out.Deleted != 3 {
		t.Errorf("%+v", out.Summary)
	}
	s.set("/", "closed")
	if out := mustRun(t, c, dir, &mirror.Options{Delete: true, MaxDelete: 2}, root+"/"); out.Deleted != 2 {
		t.Errorf("%+v", out.Summary)
	}
	if files := filesOf(t, dir); len(files) != 1 || files[folder+"/index.html"] != "closed" {
		t.Error(files)
	}
}

// A server chooses how long its fields are, and does not break the manifest.
func TestLongFields(t *testing.T) {
	s := links(3)
	root, _ := serve(t, s)
	long := strings.Repeat("x", 600<<10)
	s.handle = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/p00.txt" {
			return false
		}
		w.Header().Set("ETag", `"`+long+`"`)
		w.Header().Set("Content-Type", "text/plain; x="+long)
		w.Write([]byte("p00.txt"))
		return true
	}
	dir := t.TempDir()
	c := newClient(t)
	first := run(t, c, dir, &mirror.Options{Politeness: access.Politeness{Retry: access.None}}, root+"/")
	if first.err != nil || first.Added+first.Failed != 4 {
		t.Fatalf("%v, %+v", first.err, first.Summary)
	}
	out := run(t, c, dir, &mirror.Options{Politeness: access.Politeness{Retry: access.None}}, root+"/")
	if out.err != nil || out.Same != first.Added || out.Failed != first.Failed {
		t.Errorf("%v, %+v %v", out.err, out.Summary, out.events)
	}
}

// Names that a link may not have, and much text.
func TestHostileMenu(t *testing.T) {
	names := []string{"../../up", "..", "/etc/passwd", "a%2F..%2F..%2F..%2Fup", "a%00b", "a%0D%0Ab", "%2e%2e/up", "a//b", "./x", "\u00e9", "e\u0301", "E\u0301", "a", "a/", "A", "a/b", strings.Repeat("n", 60_000)}
	var list []string
	s := &site{pages: map[string]string{}}
	for _, n := range names {
		list = append(list, fmt.Sprintf(`<a href="/d/%s">x</a>`, n))
	}
	s.pages["/d/"] = strings.Join(list, "\n")
	asked := map[string]bool{}
	s.handle = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/d/" || r.URL.Path == "/robots.txt" {
			return false
		}
		asked[r.URL.EscapedPath()] = true
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprint(w, "text of ", r.URL.EscapedPath())
		return true
	}
	root, folder := serve(t, s)
	dir := t.TempDir()
	out := run(t, newClient(t), dir, &mirror.Options{Politeness: access.Politeness{Parallel: 1, Retry: access.None}}, root+"/d/")
	files := filesOf(t, dir)
	var texts []string
	folded := map[string]bool{}
	for name, text := range files {
		if !strings.HasPrefix(name, folder+"/d/") {
			t.Errorf("%s is elsewhere", name)
		}
		if folded[strings.ToLower(name)] {
			t.Errorf("%q is there in another case", name)
		}
		folded[strings.ToLower(name)] = true
		texts = append(texts, text)
	}
	slices.Sort(texts)
	if unique := slices.Compact(slices.Clone(texts)); len(unique) != len(texts) || len(files) != len(asked)+1 || out.err != nil {
		t.Errorf("%v, %d files, %d asked for, %d different", out.err, len(files), len(asked), len(unique))
	}
}

// MLSD times are exact, so an unchanged file is not requested again. LIST times are not exact.
func TestListedSizeAndTime(t *testing.T) {
	for _, noMLSD := range []bool{false, true} {
		files := ftptest.Files{}
		for i := range 20 {
			files[fmt.Sprintf("f%d", i)] = ftptest.File{Data: strings.Repeat("x", i), ModTime: webTime.Add(time.Duration(i) * time.Second)}
		}
		o := &ftptest.Options{}
		if noMLSD {
			o.Unknown = []string{"MLSD"}
		}
		s := startFTP(t, files, o)
		dir := t.TempDir()
		mustRun(t, newClient(t), dir, nil, "ftp://"+s.Addr()+"/")
		questions := 0
		for _, command := range slices.Concat(s.Log()...) {
			if strings.HasPrefix(command, "MDTM") || strings.HasPrefix(command, "SIZE") {
				questions++
			}
		}
		if noMLSD != (questions >= len(files)) || !noMLSD && questions > 0 {
			t.Errorf("no MLSD %t: %d questions", noMLSD, questions)
		}
		for name, f := range files {
			info, err := os.Stat(filepath.Join(dir, hostFolder(s.Addr()), name))
			if err != nil || info.Size() != int64(len(f.Data)) || !info.ModTime().Equal(f.ModTime) {
				t.Errorf("%v, %v", info, err)
			}
		}
	}
}

// A file that differs from its directory's listing is stored all the same.
func TestChangedSinceListing(t *testing.T) {
	for _, size := range []int{3, 5000} {
		s := startFTP(t, ftptest.Files{"a": {Data: "content", ModTime: webTime}}, &ftptest.Options{Fault: ftptest.Fault{Listings: map[string]iter.Seq[string]{
			"MLSD": slices.Values([]string{fmt.Sprintf("type=file;size=%d;modify=20010203040505; a", size)}),
		}}})
		dir := t.TempDir()
		mustRun(t, newClient(t), dir, nil, "ftp://"+s.Addr()+"/")
		info, err := os.Stat(filepath.Join(dir, hostFolder(s.Addr()), "a"))
		if err != nil || info.Size() != 7 || !info.ModTime().Equal(webTime) {
			t.Errorf("%v, %v", info, err)
		}
	}
}

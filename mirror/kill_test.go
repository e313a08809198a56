package mirror_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/mirror"
)

// mirrorForTest is a process that mirrors, and can be killed.
func mirrorForTest(dir string) {
	c, done := openClient()
	defer done()
	sum, err := mirror.Run(context.Background(), c, dir, []locus.URL{parse(os.Getenv("MIRROR_TEST_URL"))}, &mirror.Options{Relink: true, Politeness: access.Politeness{Interval: access.None}})
	if err != nil || sum.Failed > 0 {
		fmt.Fprintln(os.Stderr, sum, err)
		os.Exit(1)
	}
}

// startMirror starts such a process.
func startMirror(t *testing.T, dir, url string) (cmd *exec.Cmd, errOut *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd, errOut = exec.Command(self), new(bytes.Buffer)
	cmd.Env = append(os.Environ(), "MIRROR_TEST_DIR="+dir, "MIRROR_TEST_URL="+url)
	cmd.Stderr = errOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, errOut
}

// crossed is a site with page names that differ only in case, files where directories are
// needed, and an object of several megabytes.
func crossed() *site {
	s := &site{pages: map[string]string{}, types: map[string]string{}}
	var index strings.Builder
	for i := range 40 {
		name := fmt.Sprintf("p%d", i)
		fmt.Fprintf(&index, `<a href="/%s">a</a><a href="/%s">b</a><a href="/%s/sub">c</a>`, name, strings.ToUpper(name), name)
		s.pages["/"+name] = fmt.Sprintf(`<a href="/P%d">x</a><a href="/%s/sub">y</a><a href="/q/%s.txt">z</a>`, (i+7)%40, name, strings.Repeat("L", i))
		s.pages["/"+strings.ToUpper(name)] = "upper " + name
		s.pages["/"+name+"/sub"] = "sub " + name
		s.pages["/q/"+strings.Repeat("L", i)+".txt"] = "text"
	}
	s.pages["/"] = index.String() + `<a href="/big.bin">big</a>`
	s.pages["/big.bin"], s.types["/big.bin"] = strings.Repeat("0123456789abcdef", 200_000), "application/octet-stream"
	return s
}

// After several killed runs, the mirror is the same as after one complete run.
func TestKilledAndContinued(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts many processes")
	}
	s := crossed()
	root, _ := serve(t, s)
	whole := t.TempDir()
	cmd, errOut := startMirror(t, whole, root+"/")
	if err := cmd.Wait(); err != nil {
		t.Fatal(err, errOut)
	}
	total := len(s.asked())
	want := filesOf(t, whole)
	if len(want) != len(s.pages) {
		t.Fatalf("%d files, %d pages", len(want), len(s.pages))
	}
	var process atomic.Pointer[os.Process]
	var left atomic.Int64
	s.mu.Lock()
	s.handle = func(http.ResponseWriter, *http.Request) bool {
		if p := process.Load(); p != nil && left.Add(-1) == 0 {
			time.Sleep(rand.N(5 * time.Millisecond)) // to be killed anywhere
			p.Kill()
		}
		return false
	}
	s.mu.Unlock()
	points := 2
	if os.Getenv("CI") == "true" {
		points = 20
	}
	killed := 0
	for point := range points {
		dir := t.TempDir()
		for kills := 0; ; kills++ {
			left.Store(1 + rand.Int64N(int64(total)/2))
			cmd, errOut := startMirror(t, dir, root+"/")
			process.Store(cmd.Process)
			err := cmd.Wait()
			process.Store(nil)
			if err == nil {
				break
			}
			if killed++; cmd.ProcessState.Exited() {
				t.Fatal(err, errOut)
			}
		}
		if got := filesOf(t, dir); !maps.Equal(got, want) {
			checkFiles(t, got, want)
			t.Fatalf("point %d: another tree", point)
		}
		if names, err := os.ReadDir(filepath.Join(dir, ".locus-mirror", "part")); err != nil || len(names) > 0 {
			t.Errorf("left over: %v, %v", names, err)
		}
	}
	if killed < points {
		t.Errorf("killed only %d times", killed)
	}
}

// A run after an interruption requests only the missing resources.
func TestContinuedRunRequestsTheRest(t *testing.T) {
	s := crossed()
	root, _ := serve(t, s)
	dir := t.TempDir()
	c := newClient(t)
	stopped, stop := context.WithCancel(ctx(t))
	defer stop()
	n := 0
	_, err := mirror.Run(stopped, c, dir, []locus.URL{parse(root + "/")}, &mirror.Options{Politeness: access.Politeness{Interval: access.None}, Report: func(mirror.Event) {
		if n++; n == 60 {
			stop()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	first := s.asked()
	out := mustRun(t, c, dir, nil, root+"/")
	if out.Added != len(s.pages) {
		t.Errorf("%+v", out.Summary)
	}
	again := map[string]int{}
	for _, r := range append(first, s.asked()...) {
		again[r]++
	}
	twice := 0
	for _, n := range again {
		if n > 1 {
			twice++
		}
	}
	if twice > 10 { // those that were under way
		t.Errorf("%d asked for twice", twice)
	}
}

// A large object is continued where it was.
func TestPartIsContinued(t *testing.T) {
	s := &site{pages: map[string]string{"/": `<a href="big.bin">b</a>`}}
	root, folder := serve(t, s)
	big := strings.Repeat("0123456789abcdef", 100_000)
	cut := true
	var ranges []string
	s.handle = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/big.bin" {
			return false
		}
		ranges = append(ranges, r.Header.Get("Range"))
		w.Header().Set("ETag", `"v1"`)
		w.Header().Set("Content-Type", "application/octet-stream")
		if !cut {
			http.ServeContent(w, r, "", webTime, strings.NewReader(big))
			return true
		}
		cut = false
		w.Header().Set("Accept-Ranges", "bytes")
		w.Header().Set("Last-Modified", webTime.Format(http.TimeFormat))
		w.Header().Set("Content-Length", fmt.Sprint(len(big)))
		w.Write([]byte(big[:1_000_000]))
		panic(http.ErrAbortHandler)
	}
	dir := t.TempDir()
	c := newClient(t)
	if out := run(t, c, dir, &mirror.Options{Politeness: access.Politeness{Retry: access.None}}, root+"/"); out.Failed != 1 {
		t.Fatal(out.err, out.events)
	}
	out := mustRun(t, c, dir, nil, root+"/")
	if len(ranges) != 2 || ranges[1] == "" || out.Bytes > 900_000 {
		t.Errorf("%q, %+v", ranges, out.Summary)
	}
	if filesOf(t, dir)[folder+"/big.bin"] != big {
		t.Error("other octets")
	}
}

func TestTwoRunsAtOnce(t *testing.T) {
	s := &site{pages: map[string]string{"/": "x"}}
	root, _ := serve(t, s)
	dir := t.TempDir()
	c := newClient(t)
	tried := false
	s.handle = func(http.ResponseWriter, *http.Request) bool {
		if !tried {
			tried = true
			_, err := mirror.Run(ctx(t), c, dir, []locus.URL{parse(root + "/")}, nil)
			if !errors.Is(err, mirror.ErrBusy) || !strings.Contains(err.Error(), fmt.Sprint(os.Getpid())) {
				t.Errorf("two at once: %v", err)
			}
		}
		return false
	}
	mustRun(t, c, dir, nil, root+"/")
	if !tried {
		t.Error("not tried")
	}
	mustRun(t, c, dir, nil, root+"/")
}

// A run with other options preserves the files of an interrupted run.
func TestOtherOptionsAfterAnInterrupt(t *testing.T) {
	s := crossed()
	root, _ := serve(t, s)
	dir := t.TempDir()
	c := newClient(t)
	stopped, stop := context.WithCancel(ctx(t))
	defer stop()
	n := 0
	mirror.Run(stopped, c, dir, []locus.URL{parse(root + "/")}, &mirror.Options{Politeness: access.Politeness{Interval: access.None}, Report: func(mirror.Event) {
		if n++; n == 60 {
			stop()
		}
	}})
	out := mustRun(t, c, dir, &mirror.Options{Exclude: pattern("*/big.bin")}, root+"/")
	if out.Same < 60 || out.Added+out.Same != len(s.pages)-1 && out.Added+out.Same != len(s.pages) {
		t.Errorf("%+v", out.Summary)
	}
}

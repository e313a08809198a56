package transfer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/textproto"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// memory is a server in memory for the scheme x-mem.
type memory struct {
	mu    sync.Mutex
	files map[string]*file // by path
	asked []scheme.Request
}

// file is an object on a memory server, with the faults of its transfers.
type file struct {
	data    []byte
	tag     string
	modTime time.Time
	size    int64                              // announced size, if not 0; -1 means that no size is announced
	cut     int                                // number of bytes after which the connection breaks
	cuts    int                                // number of faults; 0 means a fault at each request
	whole   bool                               // the server ignores Offset
	coding  string                             // a content coding
	resumes bool                               // the server reports that it supports Offset
	fail    []error                            // errors of the first calls of Open
	during  func(ctx context.Context, n int64) // called before each read, with the number of bytes that were read
	menu    *scheme.Menu
}

var errCut = fmt.Errorf("%w: the connection broke", scheme.ErrProtocol)

func (m *memory) Open(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, *req)
	path, _ := req.URL.Path()
	f := m.files[path]
	switch {
	case f == nil:
		return nil, scheme.ErrNotFound
	case len(f.fail) > 0:
		err := f.fail[0]
		f.fail = f.fail[1:]
		return nil, err
	case f.menu != nil:
		return f.menu, nil
	}
	o := &scheme.Object{URL: req.URL, Size: int64(len(f.data)), Tag: f.tag, ModTime: f.modTime, Encoding: f.coding, Resumable: f.resumes}
	if f.size != 0 {
		o.Size = f.size
	}
	if !f.whole && (req.Tag == "" || req.Tag == f.tag) {
		o.Start = req.Offset
	}
	b := &body{ctx: ctx, file: f, at: min(o.Start, int64(len(f.data))), end: len(f.data)}
	if f.cut > 0 {
		b.end = f.cut
		if f.cuts > 0 {
			if f.cuts--; f.cuts == 0 {
				f.cut = 0
			}
		}
	}
	o.Body = b
	return o, nil
}

type body struct {
	ctx  context.Context
	file *file
	at   int64
	end  int
}

func (b *body) Read(p []byte) (int, error) {
	if b.file.during != nil {
		b.file.during(b.ctx, b.at)
	}
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	if b.at >= int64(b.end) {
		if b.end < len(b.file.data) {
			return 0, errCut
		}
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), 10_000)], b.file.data[b.at:b.end])
	b.at += int64(n)
	return n, nil
}

func (b *body) Close() error { return nil }

func (m *memory) client(t testing.TB) *access.Client {
	t.Helper()
	s := scheme.Generic("x-mem", scheme.Experimental)
	s.Access.Opener, s.Access.Protocol = m, "memory"
	registry, err := scheme.NewRegistry(s)
	if err != nil {
		t.Fatal(err)
	}
	c := access.New(registry, policy.Policy{}, nil)
	t.Cleanup(func() { c.Close() })
	return c
}

// offsets returns the requested offsets, in order.
func (m *memory) offsets() []int64 {
	var list []int64
	for _, req := range m.asked {
		list = append(list, req.Offset)
	}
	return list
}

func octets(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}

func openRoot(t testing.TB, dir string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

func mem(path string) locus.URL { return locus.MustParse("x-mem://host.example/" + path) }

func run(t testing.TB, ctx context.Context, m *memory, dir string, o *Options, jobs ...Job) []Result {
	t.Helper()
	results, err := Run(ctx, m.client(t), openRoot(t, dir), jobs, withoutPauses(o))
	if err != nil {
		t.Fatal(err)
	}
	return slices.Collect(results)
}

// withoutPauses returns a copy of o without pauses and retries, unless o sets them.
func withoutPauses(o *Options) *Options {
	o = new(*cmp.Or(o, new(Options)))
	o.Interval = cmp.Or(o.Interval, access.None)
	o.Retry = cmp.Or(o.Retry, access.None)
	return o
}

// runOne downloads x-mem://host.example/a to the file a in dir.
func runOne(t testing.TB, m *memory, dir string, o *Options) Result {
	t.Helper()
	return run(t, t.Context(), m, dir, o, Job{mem("a"), "a"})[0]
}

func wantFile(t testing.TB, dir, name string, want []byte) {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Error(err)
	} else if !bytes.Equal(got, want) {
		t.Errorf("%s: %d octets that differ from the %d of the object", name, len(got), len(want))
	}
}

func wantNames(t testing.TB, dir string, want ...string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, entry := range list {
		got = append(got, entry.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("the folder has %q, want %q", got, want)
	}
}

func TestRun(t *testing.T) {
	m := &memory{files: map[string]*file{}}
	var jobs []Job
	for i := range 50 {
		name := fmt.Sprint("n", i)
		m.files[name] = &file{data: octets(i * 1000)}
		jobs = append(jobs, Job{mem(name), name})
	}
	jobs = slices.Insert(jobs, 7, Job{mem("missing"), "missing"})
	dir := t.TempDir()
	results := run(t, t.Context(), m, dir, nil, jobs...)
	for i, r := range results {
		if r.Index != i || r.Job != jobs[i] {
			t.Errorf("result %d is of job %d, %v", i, r.Index, r.Job)
		}
		if i == 7 {
			if !errors.Is(r.Err, scheme.ErrNotFound) || r.Resource != nil {
				t.Errorf("missing: %v, %v", r.Err, r.Resource)
			}
			continue
		}
		data := m.files[r.Job.Name].data
		if r.Err != nil || r.Size != int64(len(data)) || r.Resource.(*scheme.Object).Size != r.Size {
			t.Errorf("%s: %d octets, %v", r.Job.Name, r.Size, r.Err)
		}
		wantFile(t, dir, r.Job.Name, data)
	}
	wantNames(t, dir, slices.Sorted(maps.Keys(m.files))...)
}

func TestLimits(t *testing.T) {
	tests := []struct {
		parallel, perHost, hosts, jobs int
		want                           time.Duration // duration, if each file takes a second
	}{
		{4, 2, 1, 8, 4 * time.Second},
		{4, 2, 2, 8, 2 * time.Second},
		{4, 4, 1, 8, 2 * time.Second},
		{1, 4, 3, 6, 6 * time.Second},
		{0, 0, 1, 4, 2 * time.Second},
		{0, 0, 4, 8, time.Second},
		{0, 0, 20, 40, 2 * time.Second},
		{4, access.None, 1, 8, 2 * time.Second},
		{access.None, access.None, 1, 100, time.Second},
		{16, 16, 1, 8, time.Second},
	}
	for _, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			m := &memory{files: map[string]*file{"x": {data: []byte("x"), during: func(_ context.Context, n int64) {
				if n == 0 {
					time.Sleep(time.Second)
				}
			}}}}
			var jobs []Job
			for i := range test.jobs {
				u := locus.MustParse(fmt.Sprintf("x-mem://h%d.example/x", i%test.hosts))
				jobs = append(jobs, Job{u, fmt.Sprint(i)})
			}
			start := time.Now()
			for _, r := range run(t, t.Context(), m, t.TempDir(), &Options{Politeness: access.Politeness{Parallel: test.parallel, PerHost: test.perHost}}, jobs...) {
				if r.Err != nil {
					t.Error(r.Err)
				}
			}
			if got := time.Since(start); got != test.want {
				t.Errorf("%d jobs on %d hosts, %d at once, %d on one host: %v, want %v", test.jobs, test.hosts, test.parallel, test.perHost, got, test.want)
			}
		})
	}
}

func TestStopEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{files: map[string]*file{"x": {data: octets(100_000)}}}
		var jobs []Job
		for i := range 20 {
			jobs = append(jobs, Job{mem("x"), fmt.Sprint(i)})
		}
		results, err := Run(t.Context(), m.client(t), openRoot(t, t.TempDir()), jobs, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range results {
			break
		}
		// At its end, the bubble checks that no goroutine remains.
	})
}

func TestResume(t *testing.T) {
	data := octets(300_000)
	dir := t.TempDir()
	m := &memory{files: map[string]*file{"a": {data: data, tag: "v1", cut: 200_000, cuts: 1}}}
	r := runOne(t, m, dir, nil)
	var e *Error
	if !errors.As(r.Err, &e) || !errors.Is(r.Err, scheme.ErrProtocol) {
		t.Fatal(r.Err)
	}
	if e.Part != filepath.Join(dir, "a.part") || e.PartSize != 200_000 || e.File != filepath.Join(dir, "a") {
		t.Errorf("error %+v", e)
	}
	if want := "200000 bytes are saved in " + filepath.Join(dir, "a.part"); !strings.Contains(e.Error(), want) {
		t.Errorf("%v does not say %q", e, want)
	}
	wantNames(t, dir, "a.part", "a.part.json")
	r = runOne(t, m, dir, &Options{Resume: true})
	if r.Err != nil || r.Resumed != 200_000 || r.Size != 300_000 {
		t.Errorf("resumed: %d octets, %d of them from before: %v", r.Size, r.Resumed, r.Err)
	}
	if want := []int64{0, 200_000 - overlap}; !slices.Equal(m.offsets(), want) {
		t.Errorf("asked from %v on, want %v", m.offsets(), want)
	}
	if got := m.asked[1].Tag; got != "v1" {
		t.Errorf("asked with the tag %q", got)
	}
	wantFile(t, dir, "a", data)
	wantNames(t, dir, "a")
}

// If a part does not match the object, Run starts the download again.
func TestResumeChanged(t *testing.T) {
	old, now := octets(200_000), bytes.Repeat([]byte("new"), 100_000)
	day := time.Date(1994, 12, 1, 0, 0, 0, 0, time.UTC)
	same := bytes.Clone(now)
	copy(same, old[:100_000])
	tests := []struct {
		name          string
		before, after file
		granted       bool // the server continues, and the client notices the change
	}{
		{"tag", file{data: old, tag: "v1"}, file{data: now, tag: "v2"}, false},
		{"time", file{data: old, modTime: day}, file{data: now, modTime: day.Add(time.Second)}, true},
		{"size", file{data: old}, file{data: same}, true},
		{"octets alone", file{data: old, size: -1}, file{data: now, size: -1}, true},
		{"shorter than the part", file{data: old, size: -1}, file{data: now[:50_000], size: -1}, true},
		{"not granted", file{data: old}, file{data: old, whole: true}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			test.before.cut = 100_000
			m := &memory{files: map[string]*file{"a": &test.before}}
			if r := runOne(t, m, dir, nil); r.Err == nil {
				t.Fatal("nothing was cut")
			}
			m.files["a"] = &test.after
			r := runOne(t, m, dir, &Options{Resume: true})
			if r.Err != nil || r.Resumed != 0 || r.Discarded != 100_000 || r.Changed != (test.name != "not granted") {
				t.Errorf("%d octets from before, %d discarded, changed %v: %v", r.Resumed, r.Discarded, r.Changed, r.Err)
			}
			want := []int64{0, 100_000 - overlap}
			if test.granted {
				want = append(want, 0)
			}
			if !slices.Equal(m.offsets(), want) {
				t.Errorf("asked from %v on, want %v", m.offsets(), want)
			}
			wantFile(t, dir, "a", test.after.data)
			wantNames(t, dir, "a")
		})
	}
}

// The error reports whether the server can resume the part.
func TestResumable(t *testing.T) {
	for _, resumes := range []bool{false, true} {
		m := &memory{files: map[string]*file{"a": {data: octets(200_000), cut: 100_000, resumes: resumes}}}
		r := runOne(t, m, t.TempDir(), nil)
		var e *Error
		if !errors.As(r.Err, &e) || e.Part == "" || e.Resumable != resumes {
			t.Errorf("%v: %+v", resumes, e)
		}
	}
}

// An unsupported content coding is an error, unless Raw is set.
func TestCoded(t *testing.T) {
	dir := t.TempDir()
	m := &memory{files: map[string]*file{"a": {data: octets(100), coding: "br"}}}
	r := runOne(t, m, dir, &Options{Politeness: access.Politeness{Retry: 3}})
	if !errors.Is(r.Err, ErrCoded) || !strings.Contains(r.Err.Error(), `"br"`) || len(m.asked) != 1 {
		t.Errorf("%v, asked %d times", r.Err, len(m.asked))
	}
	wantNames(t, dir)
	if r := runOne(t, m, dir, &Options{Raw: true}); r.Err != nil {
		t.Error(r.Err)
	}
	wantFile(t, dir, "a", octets(100))
}

func TestDistinguish(t *testing.T) {
	for _, row := range []struct{ names, want string }{
		{"a b c", "a b c"},
		{"a a a b", "a a.1 a.2 b"},
		{"a a.1 a", "a a.1 a.2"},
		{"a a a.1", "a a.1 a.1.1"},
		{"a a.part", "a a.part.1"},
		{"a.part.json a", "a.part.json a.1"},
		{"a.part.lock a.part.lock a", "a.part.lock a.part.lock.1 a.1"},
	} {
		var jobs []Job
		for _, name := range strings.Fields(row.names) {
			jobs = append(jobs, Job{Name: name, URL: locus.MustParse("x-mem://h/x")})
		}
		renamed := Distinguish(jobs)
		var got, changed []string
		for i, job := range jobs {
			got = append(got, job.Name)
			if job.Name != strings.Fields(row.names)[i] {
				changed = append(changed, fmt.Sprint(i))
			}
		}
		if strings.Join(got, " ") != row.want || fmt.Sprint(renamed) != "["+strings.Join(changed, " ")+"]" {
			t.Errorf("%s: %q, renamed %v", row.names, got, renamed)
		}
		if err := checkNames(jobs); err != nil {
			t.Errorf("%s: %v", row.names, err)
		}
	}
}

// Run does not follow a symbolic link with the name of a source file.
func TestSourceIsLink(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "mine", []byte("mine"))
	root := openRoot(t, dir)
	p := part{folder: root, file: "a"}
	if err := root.Symlink("mine", "a.part.json"); err != nil {
		t.Fatal(err)
	}
	if err := p.writeSource(source{}); !errors.Is(err, os.ErrExist) {
		t.Error(err)
	}
	wantFile(t, dir, "mine", []byte("mine"))
}

func TestNoResumeByDefault(t *testing.T) {
	dir := t.TempDir()
	data := octets(200_000)
	m := &memory{files: map[string]*file{"a": {data: data, cut: 100_000, cuts: 1}}}
	runOne(t, m, dir, nil)
	if r := runOne(t, m, dir, nil); r.Err != nil || r.Resumed != 0 {
		t.Errorf("%d octets from before: %v", r.Resumed, r.Err)
	}
	if want := []int64{0, 0}; !slices.Equal(m.offsets(), want) {
		t.Errorf("asked from %v on, want %v", m.offsets(), want)
	}
	wantFile(t, dir, "a", data)
}

// For a complete part that was not renamed, Run does not request bytes after its end.
func TestResumeWhole(t *testing.T) {
	dir := t.TempDir()
	data := octets(100_000)
	m := &memory{files: map[string]*file{"a": {data: data}}}
	source, err := json.Marshal(source{URL: mem("a").String(), Size: int64(len(data))})
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "a.part", data)
	write(t, dir, "a.part.json", source)
	if r := runOne(t, m, dir, &Options{Resume: true}); r.Err != nil || r.Resumed != 100_000 || r.Size != 100_000 {
		t.Errorf("%d octets, %d from before: %v", r.Size, r.Resumed, r.Err)
	}
	wantFile(t, dir, "a", data)
	wantNames(t, dir, "a")
}

// The end of a part can be damaged: a power failure may leave zeros there.
func TestResumeDamagedPart(t *testing.T) {
	dir := t.TempDir()
	data := octets(100_000)
	m := &memory{files: map[string]*file{"a": {data: data, cut: 50_000, cuts: 1}}}
	runOne(t, m, dir, nil)
	torn := append(bytes.Clone(data[:49_000]), make([]byte, 1000)...)
	write(t, dir, "a.part", torn)
	if r := runOne(t, m, dir, &Options{Resume: true}); r.Err != nil || r.Resumed != 0 {
		t.Errorf("%d octets from before: %v", r.Resumed, r.Err)
	}
	wantFile(t, dir, "a", data)
}

func write(t testing.TB, dir, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestResumeOtherURL(t *testing.T) {
	dir := t.TempDir()
	a, b := octets(100_000), bytes.Repeat([]byte("b"), 100_000)
	m := &memory{files: map[string]*file{"a": {data: a, cut: 50_000}, "b": {data: b}}}
	runOne(t, m, dir, nil)
	r := run(t, t.Context(), m, dir, &Options{Resume: true}, Job{mem("b"), "a"})[0]
	if r.Err != nil || m.asked[1].Offset != 0 {
		t.Errorf("asked from %d on: %v", m.asked[1].Offset, r.Err)
	}
	wantFile(t, dir, "a", b)
}

func TestSourceHidesPassword(t *testing.T) {
	dir := t.TempDir()
	m := &memory{files: map[string]*file{"a": {data: octets(100_000), cut: 50_000, cuts: 1}}}
	registry, err := scheme.NewRegistry(scheme.Scheme{Name: "x-mem", Access: scheme.Access{Opener: m}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.New(policy.Rules{Passwords: true})
	if err != nil {
		t.Fatal(err)
	}
	c := access.New(registry, p, nil)
	u := locus.MustParse("x-mem://user:s3cret@host.example/a#part")
	for _, resume := range []bool{false, true} {
		results, err := Run(t.Context(), c, openRoot(t, dir), []Job{{u, "a"}}, withoutPauses(&Options{Resume: resume}))
		if err != nil {
			t.Fatal(err)
		}
		for r := range results {
			if resume {
				if r.Err != nil || r.Resumed != 50_000 {
					t.Errorf("%d octets from before: %v", r.Resumed, r.Err)
				}
				break
			}
			text, err := os.ReadFile(filepath.Join(dir, "a.part.json"))
			if err != nil || strings.Contains(string(text), "s3cret") || strings.Contains(r.Err.Error(), "s3cret") {
				t.Errorf("the password is in %s (%v) or in %v", text, err, r.Err)
			}
		}
	}
}

func TestForeignPart(t *testing.T) {
	data := octets(100)
	for name, files := range map[string]map[string]string{
		"part alone":        {"a.part": "mine"},
		"part and no JSON":  {"a.part": "mine", "a.part.json": "mine"},
		"JSON alone":        {"a.part.json": `{"mine": true}`},
		"part and its JSON": {"a.part": "mine", "a.part.json": `{"url": ""}`},
	} {
		for _, o := range []*Options{nil, {Resume: true}, {Overwrite: true}} {
			dir := t.TempDir()
			for file, text := range files {
				write(t, dir, file, []byte(text))
			}
			m := &memory{files: map[string]*file{"a": {data: data}}}
			r := runOne(t, m, dir, o)
			if !errors.Is(r.Err, ErrForeign) || len(m.asked) > 0 {
				t.Errorf("%s: %v, after %d requests", name, r.Err, len(m.asked))
			}
			for file, text := range files {
				wantFile(t, dir, file, []byte(text))
			}
			wantNames(t, dir, slices.Sorted(maps.Keys(files))...)
		}
	}
}

func TestPartIsLink(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "mine", []byte("mine"))
	if err := os.Symlink("mine", filepath.Join(dir, "a.part")); err != nil {
		t.Skip(err)
	}
	write(t, dir, "a.part.json", []byte(`{"url": "x-mem://host.example/a"}`))
	m := &memory{files: map[string]*file{"a": {data: octets(100)}}}
	if r := runOne(t, m, dir, &Options{Resume: true}); !errors.Is(r.Err, ErrForeign) {
		t.Error(r.Err)
	}
	wantFile(t, dir, "mine", []byte("mine"))
}

func TestExistingFile(t *testing.T) {
	data := octets(5000)
	begin := func() (string, *memory) {
		dir := t.TempDir()
		write(t, dir, "a", []byte("old"))
		return dir, &memory{files: map[string]*file{"a": {data: data}}}
	}
	t.Run("not asked", func(t *testing.T) {
		dir, m := begin()
		if r := runOne(t, m, dir, nil); !errors.Is(r.Err, ErrExists) || !errors.Is(r.Err, fs.ErrExist) || len(m.asked) > 0 {
			t.Errorf("%v, after %d requests", r.Err, len(m.asked))
		}
		wantFile(t, dir, "a", []byte("old"))
	})
	t.Run("came meanwhile", func(t *testing.T) {
		dir, m := begin()
		if err := os.Remove(filepath.Join(dir, "a")); err != nil {
			t.Fatal(err)
		}
		m.files["a"].during = func(context.Context, int64) { write(t, dir, "a", []byte("new")) }
		r := runOne(t, m, dir, nil)
		var e *Error
		if !errors.As(r.Err, &e) || !errors.Is(r.Err, ErrExists) || e.PartSize != 5000 {
			t.Error(r.Err)
		}
		wantFile(t, dir, "a", []byte("new"))
		wantFile(t, dir, "a.part", data)
	})
	t.Run("overwrite", func(t *testing.T) {
		dir, m := begin()
		if err := os.Chmod(filepath.Join(dir, "a"), 0o640); err != nil {
			t.Fatal(err)
		}
		if r := runOne(t, m, dir, &Options{Overwrite: true}); r.Err != nil {
			t.Error(r.Err)
		}
		wantFile(t, dir, "a", data)
		wantNames(t, dir, "a")
		if info, err := os.Stat(filepath.Join(dir, "a")); err != nil || info.Mode().Perm() != 0o640 {
			t.Errorf("permissions %v, %v", info.Mode(), err)
		}
	})
	t.Run("overwrite fails", func(t *testing.T) {
		dir, m := begin()
		m.files["a"].cut = 100
		if r := runOne(t, m, dir, &Options{Overwrite: true}); r.Err == nil {
			t.Error("no error")
		}
		wantFile(t, dir, "a", []byte("old"))
	})
	t.Run("there with -C", func(t *testing.T) {
		dir, m := begin()
		if r := runOne(t, m, dir, &Options{Resume: true, Overwrite: true}); r.Err != nil || !r.Skipped || r.Size != 3 || len(m.asked) > 0 {
			t.Errorf("%+v, after %d requests", r, len(m.asked))
		}
		wantFile(t, dir, "a", []byte("old"))
	})
	t.Run("folder", func(t *testing.T) {
		dir, m := begin()
		m.files["b"] = &file{data: data}
		if err := os.Mkdir(filepath.Join(dir, "b"), 0o777); err != nil {
			t.Fatal(err)
		}
		r := run(t, t.Context(), m, dir, &Options{Overwrite: true}, Job{mem("b"), "b"})[0]
		if !errors.Is(r.Err, syscall.EISDIR) || !strings.Contains(r.Err.Error(), filepath.Join(dir, "b")) {
			t.Error(r.Err)
		}
	})
	t.Run("link", func(t *testing.T) {
		dir, m := begin()
		if err := os.Symlink("/etc/passwd", filepath.Join(dir, "l")); err != nil {
			t.Skip(err)
		}
		r := run(t, t.Context(), m, dir, &Options{Overwrite: true}, Job{mem("a"), "l"})[0]
		if !errors.Is(r.Err, ErrExists) {
			t.Error(r.Err)
		}
	})
}

func TestNamesRefused(t *testing.T) {
	jobs := func(names ...string) (list []Job) {
		for i, name := range names {
			list = append(list, Job{mem(fmt.Sprint(i)), name})
		}
		return list
	}
	tests := []struct {
		jobs []Job
		want error
	}{
		{jobs("a", "b", "a"), ErrTwice},
		{jobs("a", "a.part"), ErrTwice},
		{jobs("a.part.json", "a"), ErrTwice},
		{jobs("a", ""), ErrName},
		{jobs("."), ErrName},
		{jobs(".."), ErrName},
		{jobs("../a"), ErrName},
		{jobs("a/b"), ErrName},
		{jobs("a/"), ErrName},
		{jobs("/a"), ErrName},
		{jobs("a\x00"), nil}, // the operating system refuses this name
		{jobs("a", "b.part", "A"), nil},
	}
	for _, test := range tests {
		m := &memory{}
		_, err := Run(t.Context(), m.client(t), openRoot(t, t.TempDir()), test.jobs, nil)
		if !errors.Is(err, test.want) || len(m.asked) > 0 {
			t.Errorf("%v: %v, want %v", test.jobs, err, test.want)
		}
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	dir := t.TempDir()
	data := octets(100_000)
	m := &memory{files: map[string]*file{"a": {data: data}, "b": {data: data}}}
	m.files["a"].during = func(_ context.Context, n int64) {
		if n == 50_000 {
			cancel()
		}
	}
	results := run(t, ctx, m, dir, &Options{Politeness: access.Politeness{Parallel: 1}}, Job{mem("a"), "a"}, Job{mem("b"), "b"})
	var e *Error
	if !errors.As(results[0].Err, &e) || !errors.Is(e, context.Canceled) || e.PartSize != 50_000 {
		t.Errorf("the one that was under way: %v", results[0].Err)
	}
	if !errors.As(results[1].Err, &e) || !errors.Is(e, context.Canceled) || e.Part != "" || len(m.asked) != 1 {
		t.Errorf("the one that was not begun: %v", results[1].Err)
	}
	wantNames(t, dir, "a.part", "a.part.json")
	m.files["a"].during = nil
	for _, r := range run(t, t.Context(), m, dir, &Options{Resume: true}, Job{mem("a"), "a"}, Job{mem("b"), "b"}) {
		if r.Err != nil {
			t.Error(r.Err)
		}
	}
	wantFile(t, dir, "a", data)
	wantFile(t, dir, "b", data)
	wantNames(t, dir, "a", "b")
}

func TestRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		data := octets(100_000)
		m := &memory{files: map[string]*file{"a": {
			data: data, cut: 50_000, cuts: 1, fail: []error{scheme.ErrUnreachable, os.ErrDeadlineExceeded},
		}}}
		var states []State
		start := time.Now()
		r := runOne(t, m, dir, &Options{Politeness: access.Politeness{Retry: 3}, Progress: func(e Event) { states = append(states, e.State) }})
		if r.Err != nil || r.Resumed != 0 || r.Size != 100_000 {
			t.Errorf("%+v", r)
		}
		if want := []int64{0, 0, 0, 50_000 - overlap}; !slices.Equal(m.offsets(), want) {
			t.Errorf("asked from %v on, want %v", m.offsets(), want)
		}
		// The pauses are 1, 2 and 4 seconds, or as little as half of that.
		if got := time.Since(start); got < 3500*time.Millisecond || got > 7*time.Second {
			t.Errorf("waited %v, want 3.5 to 7 seconds", got)
		}
		if want := []State{Waiting, Waiting, Started, Waiting, Started, Finished}; !slices.Equal(states, want) {
			t.Errorf("events %v, want %v", states, want)
		}
		wantFile(t, dir, "a", data)
	})
}

func TestRetryNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, err := range []error{
			scheme.ErrNotFound, scheme.ErrAuth, scheme.ErrUnsupported, scheme.ErrTooLarge, policy.ErrDenied,
			&textproto.Error{Code: 400}, fmt.Errorf("%w: %w", scheme.ErrProtocol, access.ErrRedirectLoop),
			&scheme.RetryAfterError{Err: scheme.ErrProtocol, After: time.Minute + 1},
		} {
			m := &memory{files: map[string]*file{"a": {fail: []error{err, err, err}}}}
			if r := runOne(t, m, t.TempDir(), &Options{Politeness: access.Politeness{Retry: 2}}); !errors.Is(r.Err, err) || len(m.asked) != 1 {
				t.Errorf("%v, after %d requests", r.Err, len(m.asked))
			}
		}
		passing := scheme.ErrUnreachable
		m := &memory{files: map[string]*file{"a": {fail: []error{passing, passing, passing, passing}}}}
		if r := runOne(t, m, t.TempDir(), &Options{Politeness: access.Politeness{Retry: 2}}); !errors.Is(r.Err, passing) || len(m.asked) != 3 {
			t.Errorf("%v, after %d requests", r.Err, len(m.asked))
		}
	})
}

// With the zero Options, Run retries a job twice, and starts two jobs for one host 100 ms apart.
func TestPoliteness(t *testing.T) {
	passing := scheme.ErrUnreachable
	for _, test := range []struct {
		o    *Options
		want []int64 // latest time of each request, in milliseconds
	}{
		{nil, []int64{0, 100, 1000, 3000}},
		{&Options{Politeness: access.Politeness{Retry: access.None}}, []int64{0, 100}},
		{&Options{Politeness: access.Politeness{Retry: 1, Wait: access.None}}, []int64{0, 0, 100}},
		{&Options{Politeness: access.Politeness{Retry: access.None, Interval: access.None}}, []int64{0, 0}},
		{&Options{Politeness: access.Politeness{Retry: access.None, Interval: time.Second}}, []int64{0, 1000}},
	} {
		synctest.Test(t, func(t *testing.T) {
			m := &memory{files: map[string]*file{"a": {fail: []error{passing, passing, passing, passing}}, "b": {data: octets(10)}}}
			jobs := []Job{{mem("a"), "a"}, {mem("b"), "b"}}
			start := time.Now()
			results, err := Run(t.Context(), m.client(t), openRoot(t, t.TempDir()), jobs, test.o)
			if err != nil {
				t.Fatal(err)
			}
			list := slices.Collect(results)
			if !errors.Is(list[0].Err, passing) || list[1].Err != nil || len(m.asked) != len(test.want) {
				t.Errorf("%+v: %v, %v after %d requests", test.o, list[0].Err, list[1].Err, len(m.asked))
			}
			last := time.Duration(test.want[len(test.want)-1]) * time.Millisecond
			if took := time.Since(start); took > last || took < last/2 {
				t.Errorf("%+v: took %v, want %v", test.o, took, last)
			}
		})
	}
}

// Run waits for the pause that a server requests, even if its own pause would be shorter.
func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		later := func(after time.Duration) error { return &scheme.RetryAfterError{Err: scheme.ErrProtocol, After: after} }
		m := &memory{files: map[string]*file{"a": {data: octets(10), fail: []error{later(time.Minute), later(time.Second), later(0)}}}}
		start := time.Now()
		r := runOne(t, m, t.TempDir(), &Options{Politeness: access.Politeness{Retry: 3}})
		if passed := time.Since(start); r.Err != nil || passed < time.Minute+3*time.Second || passed > time.Minute+6*time.Second {
			t.Errorf("%v after %v", r.Err, passed)
		}
	})
}

func TestRetryInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		m := &memory{files: map[string]*file{"a": {data: octets(100_000), cut: 50_000}}}
		start := time.Now()
		r := run(t, ctx, m, t.TempDir(), &Options{Politeness: access.Politeness{Retry: 1, Wait: time.Hour}}, Job{mem("a"), "a"})[0]
		var e *Error
		if !errors.As(r.Err, &e) || e.PartSize != 50_000 || time.Since(start) != 3*time.Second {
			t.Errorf("%v after %v", r.Err, time.Since(start))
		}
	})
}

func TestLength(t *testing.T) {
	for _, size := range []int64{99_999, 100_001} {
		dir := t.TempDir()
		m := &memory{files: map[string]*file{"a": {data: octets(100_000), size: size}}}
		r := runOne(t, m, dir, nil)
		if !errors.Is(r.Err, scheme.ErrProtocol) || !strings.Contains(r.Err.Error(), fmt.Sprint(size)) {
			t.Errorf("%d announced: %v", size, r.Err)
		}
		wantNames(t, dir, "a.part", "a.part.json")
	}
}

func TestEmptyBody(t *testing.T) {
	dir := t.TempDir()
	m := &memory{files: map[string]*file{"a": {size: 20}}}
	r := runOne(t, m, dir, nil)
	var e *Error
	if !errors.As(r.Err, &e) || e.Part != "" {
		t.Error(r.Err)
	}
	wantNames(t, dir)
}

func TestEmpty(t *testing.T) {
	dir := t.TempDir()
	m := &memory{files: map[string]*file{"a": {}}}
	if r := runOne(t, m, dir, nil); r.Err != nil || r.Size != 0 {
		t.Errorf("%+v", r)
	}
	wantFile(t, dir, "a", nil)
}

func TestFolderGone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "d")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	root := openRoot(t, dir)
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	m := &memory{files: map[string]*file{"a": {data: octets(10)}}}
	results, err := Run(t.Context(), m.client(t), root, []Job{{mem("a"), "a"}}, &Options{Politeness: access.Politeness{Retry: 5}})
	if err != nil {
		t.Fatal(err)
	}
	for r := range results {
		if !errors.Is(r.Err, ErrFile) || !strings.Contains(r.Err.Error(), filepath.Join(dir, "a")) {
			t.Error(r.Err)
		}
	}
}

func TestFolderReadOnly(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("nothing is read-only for this user")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	m := &memory{files: map[string]*file{"a": {data: octets(10)}}}
	r := runOne(t, m, dir, nil)
	if !errors.Is(r.Err, ErrFile) || !errors.Is(r.Err, fs.ErrPermission) || !strings.Contains(r.Err.Error(), filepath.Join(dir, "a.part")) {
		t.Error(r.Err)
	}
}

// If two processes download the same file, one process must not complete the part of the
// other process.
func TestPartReplaced(t *testing.T) {
	dir := t.TempDir()
	m := &memory{files: map[string]*file{"a": {data: octets(100_000)}}}
	m.files["a"].during = func(_ context.Context, n int64) {
		if n == 50_000 {
			os.Remove(filepath.Join(dir, "a.part"))
			write(t, dir, "a.part", []byte("the other's"))
		}
	}
	r := runOne(t, m, dir, nil)
	var e *Error
	if !errors.Is(r.Err, ErrFile) || !errors.As(r.Err, &e) || e.Part != "" {
		t.Error(r.Err)
	}
	wantFile(t, dir, "a.part", []byte("the other's"))
	wantNames(t, dir, "a.part", "a.part.json")
}

func menuOf(titles ...string) *scheme.Menu {
	return &scheme.Menu{Items: func(yield func(scheme.Item, error) bool) {
		for _, title := range titles {
			if title == "" {
				yield(scheme.Item{}, errCut)
				return
			}
			if !yield(scheme.Item{Title: title}, nil) {
				return
			}
		}
	}}
}

func writeTitles(w io.Writer, m *scheme.Menu) error {
	for item, err := range m.Items {
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(w, item.Title); err != nil {
			return err
		}
	}
	return nil
}

func TestMenu(t *testing.T) {
	dir := t.TempDir()
	m := &memory{files: map[string]*file{"a": {menu: menuOf("one", "two")}}}
	r := runOne(t, m, dir, &Options{Menu: writeTitles})
	if _, ok := r.Resource.(*scheme.Menu); r.Err != nil || !ok || r.Size != 8 {
		t.Errorf("%+v", r)
	}
	wantFile(t, dir, "a", []byte("one\ntwo\n"))
	wantNames(t, dir, "a")
}

func TestMenuRefused(t *testing.T) {
	for _, o := range []*Options{nil, {Menu: writeTitles}} {
		dir := t.TempDir()
		m := &memory{files: map[string]*file{"a": {menu: menuOf("one", "")}}}
		r := runOne(t, m, dir, o)
		want := errCut
		if o == nil {
			want = ErrNotObject
		}
		if !errors.Is(r.Err, want) {
			t.Error(r.Err)
		}
		wantNames(t, dir)
	}
}

func TestRedirect(t *testing.T) {
	for _, resource := range []scheme.Resource{&scheme.Redirect{To: []locus.URL{mem("a")}}} {
		s := scheme.Generic("x-mem", scheme.Experimental)
		s.Access.Opener = scheme.OpenerFunc(func(context.Context, *scheme.Request) (scheme.Resource, error) { return resource, nil })
		registry, err := scheme.NewRegistry(s)
		if err != nil {
			t.Fatal(err)
		}
		results, err := Run(t.Context(), access.New(registry, policy.Policy{}, nil), openRoot(t, t.TempDir()), []Job{{mem("a"), "a"}}, withoutPauses(nil))
		if err != nil {
			t.Fatal(err)
		}
		for r := range results {
			if !errors.Is(r.Err, scheme.ErrProtocol) {
				t.Error(r.Err)
			}
		}
	}
}

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// 10,000 bytes, the size of one read from a body, every 100 ms.
		m := &memory{files: map[string]*file{"a": {data: octets(1_000_000), during: func(context.Context, int64) { time.Sleep(100 * time.Millisecond) }}}}
		var events []Event
		if r := runOne(t, m, t.TempDir(), &Options{Progress: func(e Event) { events = append(events, e) }}); r.Err != nil {
			t.Fatal(r.Err)
		}
		if first := events[0]; first.State != Started || first.Done != 0 || first.Total != 1_000_000 || first.Left != -1 {
			t.Errorf("first %+v", first)
		}
		if last := events[len(events)-1]; last.State != Finished || last.Done != 1_000_000 {
			t.Errorf("last %+v", last)
		}
		if len(events) != 102 {
			t.Errorf("%d events", len(events))
		}
		middle := events[50]
		if middle.State != Moving || middle.Done != 500_000 || middle.Rate < 99_999 || middle.Rate > 100_001 || middle.Left.Round(time.Millisecond) != 5*time.Second {
			t.Errorf("in the middle %+v", middle)
		}
	})
}

// Each request contains the options for all resources, and the result in which its URL was
// found.
func TestRequest(t *testing.T) {
	within := locus.MustParse("x-in://h/message")
	var asked scheme.ItemRange
	s := scheme.Generic("x-in", scheme.Experimental)
	s.Access.Opener = scheme.OpenerFunc(func(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
		path, _ := req.URL.Path()
		if req.Within != nil && path == "part" {
			asked = req.Items
			return req.Within(ctx)
		}
		return &scheme.Object{URL: req.URL, Size: int64(len(path)), Body: io.NopCloser(strings.NewReader(path))}, nil
	})
	registry, err := scheme.NewRegistry(s)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	results, err := Run(t.Context(), access.New(registry, policy.Policy{}, nil), openRoot(t, dir),
		[]Job{{locus.MustParse("x-in://h/part"), "a"}, {locus.MustParse("x-in://h/other"), "b"}},
		&Options{Items: scheme.ItemRange{First: 7}, From: func(job Job) *access.Result {
			if job.Name == "b" {
				return nil
			}
			return &access.Result{URL: within}
		}})
	if err != nil {
		t.Fatal(err)
	}
	for r := range results {
		if r.Err != nil {
			t.Error(r.Err)
		}
	}
	if asked.First != 7 {
		t.Errorf("%+v", asked)
	}
	wantFile(t, dir, "a", []byte("message"))
	wantFile(t, dir, "b", []byte("other"))
}

func TestCopy(t *testing.T) {
	data := octets(100_000)
	m := &memory{files: map[string]*file{"a": {data: data}}}
	open := func() *scheme.Object {
		r, err := m.client(t).Open(t.Context(), mem("a").String())
		if err != nil {
			t.Fatal(err)
		}
		return r.Resource.(*scheme.Object)
	}
	var b bytes.Buffer
	if n, err := Copy(t.Context(), &b, open(), nil); err != nil || n != 100_000 || !bytes.Equal(b.Bytes(), data) {
		t.Errorf("%d octets, %v", n, err)
	}
	m.files["a"].cut = 50_000
	var last Event
	if n, err := Copy(t.Context(), io.Discard, open(), func(e Event) { last = e }); !errors.Is(err, errCut) || n != 50_000 || last.State != Failed {
		t.Errorf("%d octets, %v, %v", n, err, last)
	}
	full := errors.New("full")
	if _, err := Copy(t.Context(), failing{full}, open(), nil); err != full {
		t.Error(err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// An error in the body is reported even if writing the same bytes fails.
func TestCopyJoinsErrors(t *testing.T) {
	refused := errors.New("refused")
	for _, test := range []struct {
		end  error
		size int64
		want error // expected error, in addition to refused
	}{
		{io.EOF, 3, nil},
		{io.EOF, -1, nil},
		{io.EOF, 4, scheme.ErrProtocol},
		{io.ErrUnexpectedEOF, 4, io.ErrUnexpectedEOF},
		{nil, 4, nil},
	} {
		body := iotest.DataErrReader(io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(test.end)))
		if test.end == nil {
			body = strings.NewReader("abcd")
		}
		o := &scheme.Object{Size: test.size, Body: io.NopCloser(body)}
		_, err := Copy(t.Context(), writerFunc(func([]byte) (int, error) { return 0, refused }), o, nil)
		if !errors.Is(err, refused) || test.want != nil && !errors.Is(err, test.want) || test.want == nil && err != refused {
			t.Errorf("%v after 3 of %d octets: %v", test.end, test.size, err)
		}
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

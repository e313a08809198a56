package archive_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/archive"
	"github.com/locus-url/locus/internal/tour"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/warc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// record is a record of an archive with its block.
type record struct {
	*warc.Record
	text string
}

// records returns the records of the archive, except warcinfo records. It checks the digests of
// each record.
func records(t testing.TB, name string) (list []record) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	checkRebuilt(t, name, data)
	for in := warc.NewReader(bytes.NewReader(data)); ; {
		rec, err := in.Next()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(rec)
		if err != nil {
			t.Fatal(err)
		}
		if rec.Type != "warcinfo" {
			list = append(list, record{Record: rec, text: string(text)})
		}
	}
}

// checkRebuilt checks that a process that continues the archive without an index, as after
// a kill, makes the same index.
func checkRebuilt(t testing.TB, name string, data []byte) {
	t.Helper()
	written, err := os.ReadFile(strings.TrimSuffix(name, ".warc") + ".cdxj")
	if err != nil {
		return
	}
	again := filepath.Join(t.TempDir(), filepath.Base(name))
	if err := os.WriteFile(again, data, 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := warc.Create(again, nil)
	if err == nil {
		err = w.Close()
	}
	rebuilt, errRead := os.ReadFile(strings.TrimSuffix(again, ".warc") + ".cdxj")
	if err := errors.Join(err, errRead); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(written, rebuilt) {
		t.Errorf("the index was\n%sand after a kill it is\n%s", written, rebuilt)
	}
}

// find returns the records of a type about a target.
func find(list []record, typ, target string) (found []record) {
	for _, r := range list {
		if r.Type == typ && (r.Target() == target || r.Get("Locus-Target-URI") == target) {
			found = append(found, r)
		}
	}
	return found
}

// recorder returns a recorder for an archive in a temporary directory.
func recorder(t testing.TB, registry *scheme.Registry) (*archive.Recorder, string) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "a.warc")
	w, err := warc.Create(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := archive.NewRecorder(w, registry, nil)
	t.Cleanup(func() { r.Close() })
	return r, name
}

func closed(t testing.TB, r *archive.Recorder) {
	t.Helper()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

// newRegistry returns the schemes for clients of the tour.
func newRegistry(t testing.TB, m *tour.Demo) *scheme.Registry {
	t.Helper()
	r, err := all.Registry(m.Schemes()...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, s := range r.All() {
			if c, ok := s.Access.Opener.(io.Closer); ok {
				c.Close()
			}
		}
	})
	return r
}

// consume reads a resource to its end, as a program does. The result source contains the
// original bytes of a menu.
func consume(res scheme.Resource) (text, source string, err error) {
	switch r := res.(type) {
	case *scheme.Object:
		octets, readErr := io.ReadAll(r.Body)
		text, err = string(octets), readErr
	case *scheme.Menu:
		for item, itemErr := range r.Items {
			text, err = text+item.Title+"\n", errors.Join(err, itemErr)
		}
		if r.Source != nil && err == nil {
			octets, _ := r.Source()
			source = string(octets)
		}
	}
	return text, source, errors.Join(err, res.Close())
}

// The archive contains the exact bytes that a client reads from each server of the tour, with
// the conversations.
func TestRecordTour(t *testing.T) {
	m, err := tour.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	registry := newRegistry(t, m)
	r, name := recorder(t, registry)
	c, err := m.Client(registry, &access.Options{Record: r.Record})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	type visit struct {
		url          locus.URL
		text, source string
		isMenu       bool
		err          error
	}
	var visits []visit
	for _, stop := range m.Stops() {
		res, err := c.Do(t.Context(), access.Request{URL: stop.URL})
		v := visit{url: stop.URL, err: err}
		if err == nil {
			v.url = res.URL
			_, v.isMenu = res.Resource.(*scheme.Menu)
			v.text, v.source, v.err = consume(res.Resource)
		}
		visits = append(visits, v)
	}
	closed(t, r)
	list := records(t, name)
	kinds, menus := map[string]int{}, map[string]int{}
	for _, v := range visits {
		u := v.url.WithoutFragment()
		s := registry.Scheme(u)
		if s.Traits&(scheme.Interactive|scheme.Composes) != 0 || s.Traits.Has(scheme.Local) && !s.Traits.Has(scheme.Files) || v.err != nil {
			continue
		}
		canonical, _, err := registry.Canonical(u)
		if err != nil {
			t.Fatal(err)
		}
		target := canonical.WithoutPassword().String()
		kinds[u.Scheme()]++
		if v.source != "" {
			menus[u.Scheme()]++
		}
		switch {
		case s.Traits.Has(scheme.Web):
			found := find(list, "response", u.String())
			revisits := find(list, "revisit", u.String())
			if len(found) != 1 || len(find(list, "request", u.String())) != 1+len(revisits) {
				t.Errorf("%s: %d responses", u, len(found))
				continue
			}
			p, ok := decodedBody(t, found[0])
			if !ok || p != v.text {
				t.Errorf("%s: %.80q is kept as %.80q", u, v.text, p)
			}
		case !v.isMenu, v.source != "":
			want := v.text
			if v.isMenu {
				want = v.source
			}
			found := slices.Concat(find(list, "resource", target), find(list, "revisit", target))
			if len(found) == 0 || found[0].Type == "resource" && found[0].text != want {
				t.Errorf("%s: %.80q is kept as %.80v", target, want, found)
				continue
			}
			fallthrough
		default:
			if u.Scheme() != "file" && len(find(list, "metadata", target)) == 0 {
				t.Errorf("%s has no conversation", target)
			}
		}
	}
	for _, name := range []string{"ftp", "http", "gopher", "nntp", "wais", "prospero", "file", "ftps", "https", "gophers", "nntps", "gemini", "finger"} {
		if kinds[name] == 0 {
			t.Errorf("the tour has no resource of %s", name)
		}
	}
	for _, name := range []string{"ftp", "gopher", "nntp", "wais", "prospero", "file", "gemini"} {
		if menus[name] == 0 {
			t.Errorf("the tour has no octets of a menu of %s", name)
		}
	}
	for _, rec := range list {
		if rec.Type != "metadata" {
			continue
		}
		if !strings.HasPrefix(rec.text, "locus-conversation/1\r\nurl: "+rec.Get("Locus-Target-URI")+"\r\n\r\n= main 127.0.0.1:") || !strings.Contains(rec.text, "\r\n> main ") || !strings.Contains(rec.text, "\r\n< main ") {
			t.Errorf("%.300s", rec.text)
		}
		if about := rec.Get("WARC-Refers-To"); about != "" && !slices.ContainsFunc(list, func(o record) bool { return o.Get("WARC-Record-ID") == about }) {
			t.Errorf("%s refers to no record", rec.Get("Locus-Target-URI"))
		}
	}
}

// decodedBody returns the decoded body of a recorded response.
func decodedBody(t testing.TB, r record) (string, bool) {
	t.Helper()
	again, err := warc.NewReader(strings.NewReader(fmt.Sprintf("WARC/1.1\r\nWARC-Type: response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", len(r.text), r.text))).Next()
	if err != nil {
		t.Fatal(err)
	}
	p, ok := again.Payload()
	if !ok {
		return "", false
	}
	var body io.Reader = p
	if p.Encoding == "gzip" {
		if body, err = unzip(p); err != nil {
			t.Fatal(err)
		}
	}
	text, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), true
}

// A menu is recorded as its source bytes if all its items were read.
func TestRecordMenu(t *testing.T) {
	u := locus.MustParse("x-own://h.example/dir")
	open := func(m *scheme.Menu) (*archive.Recorder, string, *access.Result) {
		registry := registryWith(t, ownOpener{func(req *scheme.Request) (scheme.Resource, error) {
			if !req.Source {
				t.Error("the octets were not asked for")
			}
			req.Record.Octets("", true, []byte("list\n"))
			return m, nil
		}})
		r, name := recorder(t, registry)
		res, err := newClient(registry, r).Do(t.Context(), access.Request{URL: u})
		if err != nil {
			t.Fatal(err)
		}
		return r, name, res
	}
	items := func(yield func(scheme.Item, error) bool) {
		_ = yield(scheme.Item{Title: "a"}, nil) && yield(scheme.Item{Title: "b"}, nil)
	}
	source := func() ([]byte, string) { return []byte("a\nb\n"), "text/x-list" }

	r, name, res := open(&scheme.Menu{Items: items, Source: source})
	if text, _, err := consume(res.Resource); text != "a\nb\n" || err != nil {
		t.Error(text, err)
	}
	closed(t, r)
	list := records(t, name)
	if len(list) != 2 || list[0].Type != "resource" || list[0].Target() != u.String() || list[0].text != "a\nb\n" || list[0].Get("Content-Type") != "text/x-list" || list[1].Get("WARC-Refers-To") != list[0].Get("WARC-Record-ID") {
		t.Errorf("%+v", list)
	}

	for text, m := range map[string]*scheme.Menu{
		"not read": {Items: items, Source: source},
		"failed": {Source: source, Items: func(yield func(scheme.Item, error) bool) {
			yield(scheme.Item{}, errors.New("failed"))
		}},
		"no octets": {Items: items},
		"a form":    {Items: func(func(scheme.Item, error) bool) {}, Form: new(scheme.Form), Source: func() ([]byte, string) { return nil, "" }},
	} {
		r, name, res := open(m)
		if text != "not read" {
			consume(res.Resource)
		} else {
			for range res.Resource.(*scheme.Menu).Items {
				break
			}
		}
		res.Close()
		closed(t, r)
		if list := records(t, name); len(list) != 1 || list[0].Type != "metadata" || list[0].Get("WARC-Refers-To") != "" {
			t.Errorf("%s: %+v", text, list)
		}
	}
}

// If the client does not read an object to its end, the record is marked as truncated. If
// the client reads nothing, the object is not recorded.
func TestRecordPart(t *testing.T) {
	failed := errors.New("the connection ended")
	for _, s := range []struct {
		name string
		body io.Reader
		size int64
		read int
		want string // WARC-Truncated and the bytes; empty if there is no resource record
	}{
		{"whole", strings.NewReader("0123456789"), -1, 100, " 0123456789"},
		{"all that is announced", strings.NewReader("0123456789"), 10, 10, " 0123456789"},
		{"a part", strings.NewReader("0123456789"), -1, 4, "unspecified 0123"},
		{"nothing", strings.NewReader("0123456789"), -1, 0, ""},
		{"cut", io.MultiReader(strings.NewReader("0123"), failing{failed}), 10, 100, "disconnect 0123"},
		{"too large", io.MultiReader(strings.NewReader("0123"), failing{scheme.ErrTooLarge}), 10, 100, "length 0123"},
		{"too late", io.MultiReader(strings.NewReader("0123"), failing{os.ErrDeadlineExceeded}), 10, 100, "time 0123"},
		{"empty", strings.NewReader(""), 0, 100, " "},
	} {
		registry := registryWith(t, ownOpener{func(req *scheme.Request) (scheme.Resource, error) {
			return &scheme.Object{URL: req.URL, Type: "text/plain", Size: s.size, Body: io.NopCloser(s.body)}, nil
		}})
		r, name := recorder(t, registry)
		res, err := newClient(registry, r).Open(t.Context(), "x-own://h.example/")
		if err != nil {
			t.Fatal(err)
		}
		io.ReadAll(io.LimitReader(res.Resource.(*scheme.Object).Body, int64(s.read)))
		res.Close()
		closed(t, r)
		got := ""
		for _, rec := range records(t, name) {
			got += rec.Get("WARC-Truncated") + " " + rec.text
		}
		if got != s.want {
			t.Errorf("%s: %q, want %q", s.name, got, s.want)
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// For a failure, a partial response and a probe, only the conversation is recorded. A
// session is not recorded.
func TestRecordOther(t *testing.T) {
	const u = "x-own://h.example/"
	object := func() *scheme.Object {
		return &scheme.Object{Size: -1, Body: io.NopCloser(strings.NewReader("part"))}
	}
	part := object()
	part.Start = 10
	for _, s := range []struct {
		name    string
		request access.Request
		res     scheme.Resource
		err     error
		want    string
	}{
		{"failed", access.Request{}, nil, scheme.ErrNotFound, "\r\n! \"not found\"\r\n"},
		{"part", access.Request{Offset: 10}, part, nil, "\r\n> main 4/4\r\nask\n\r\n"},
		{"from the start", access.Request{Offset: 10}, object(), nil, "ask"},
		{"probe", access.Request{Probe: true}, object(), nil, "ask"},
	} {
		registry := registryWith(t, ownOpener{func(req *scheme.Request) (scheme.Resource, error) {
			req.Record.Octets("", true, []byte("ask\n"))
			return s.res, s.err
		}})
		r, name := recorder(t, registry)
		s.request.URL = locus.MustParse(u)
		if res, err := newClient(registry, r).Do(t.Context(), s.request); err == nil {
			consume(res.Resource)
		}
		closed(t, r)
		if list := records(t, name); len(list) != 1 || list[0].Type != "metadata" || list[0].Get("Locus-Target-URI") != u || !strings.Contains(list[0].text, s.want) || list[0].Target() != "" {
			t.Errorf("%s: %+v", s.name, list)
		}
	}
}

// When the recorder is closed, resources in progress are recorded up to the last read. Later
// reads are not recorded.
func TestRecorderClose(t *testing.T) {
	registry := registryWith(t, ownOpener{func(req *scheme.Request) (scheme.Resource, error) {
		return &scheme.Object{URL: req.URL, Size: -1, Body: io.NopCloser(strings.NewReader("0123456789"))}, nil
	}})
	r, name := recorder(t, registry)
	c := newClient(registry, r)
	res, err := c.Open(t.Context(), "x-own://h.example/a")
	if err != nil {
		t.Fatal(err)
	}
	body := res.Resource.(*scheme.Object).Body
	io.ReadFull(body, make([]byte, 4))
	closed(t, r)
	io.ReadAll(body)
	res.Close()
	later, err := c.Open(t.Context(), "x-own://h.example/later")
	if err != nil {
		t.Fatal(err)
	}
	consume(later.Resource)
	if list := records(t, name); len(list) != 1 || list[0].text != "0123" || list[0].Get("WARC-Truncated") != "unspecified" {
		t.Errorf("%+v", list)
	}
}

// ownOpener is the opener for a scheme in the tests.
type ownOpener struct {
	open func(req *scheme.Request) (scheme.Resource, error)
}

func (o ownOpener) Open(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
	return o.open(req)
}

func mustParse(text string) locus.URL { return locus.MustParse(text) }

func unzip(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }

func registryWith(t testing.TB, o ownOpener) *scheme.Registry {
	t.Helper()
	r, err := scheme.NewRegistry(scheme.Scheme{Name: "x-own", Section: "test", Status: scheme.Extension, Access: scheme.Access{Opener: o}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func newClient(registry *scheme.Registry, r *archive.Recorder) *access.Client {
	return access.New(registry, policy.Policy{}, &access.Options{Record: r.Record})
}

// If writing to the archive fails, the recorder reports the error once, and the client can still
// read the resource.
func TestRecordFails(t *testing.T) {
	registry := registryWith(t, ownOpener{func(req *scheme.Request) (scheme.Resource, error) {
		return &scheme.Object{URL: req.URL, Size: -1, Body: io.NopCloser(strings.NewReader("0123456789"))}, nil
	}})
	w, err := warc.Create(filepath.Join(t.TempDir(), "a.warc"), nil)
	if err != nil {
		t.Fatal(err)
	}
	var told []error
	r := archive.NewRecorder(w, registry, func(err error) { told = append(told, err) })
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	c := newClient(registry, r)
	for range 3 {
		res, err := c.Open(t.Context(), "x-own://h.example/a")
		if err != nil {
			t.Fatal(err)
		}
		if text, _, err := consume(res.Resource); text != "0123456789" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
	}
	if err := r.Close(); len(told) != 1 || err == nil || !errors.Is(err, told[0]) {
		t.Errorf("%v, then %v", told, err)
	}
}

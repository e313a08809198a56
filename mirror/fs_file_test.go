package mirror_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"
	"time"

	"github.com/locus-url/locus/mirror"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
)

// octetsOf returns n octets of text without repetitions.
func octetsOf(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "%d\n", i)
	}
	return b.String()[:n]
}

// objects are small and large, with and without a size, and resumable or not.
func objects(sizes ...int) (w *menuFixture, names []string) {
	w = &menuFixture{pages: map[string]menuPage{}}
	var items []scheme.Item
	for _, n := range sizes {
		for _, size := range []bool{false, true} {
			for _, resumes := range []bool{false, true} {
				name := fmt.Sprintf("%d-%v-%v", n, size, resumes)
				names = append(names, name)
				w.pages[name] = menuPage{data: octetsOf(n), size: size, resumes: resumes}
				items = append(items, objectItem(name))
			}
		}
	}
	w.pages[""] = menuPage{items: items}
	return w, names
}

func TestFSSeek(t *testing.T) {
	w, names := objects(0, 1, 600, 5000, 200_000, 1<<20+500_000)
	f := w.fs(t, nil)
	for _, name := range names {
		x, err := f.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		data := w.pages[name].data
		if len(data) < 10_000 {
			if err := iotest.TestReader(x, []byte(data)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		seeker := x.(io.ReadSeeker)
		for _, at := range []int{len(data) / 2, 0, len(data), 1, len(data) - len(data)/3, len(data) / 3, len(data) / 2, len(data) + 10} {
			if n, err := seeker.Seek(int64(at-len(data)), io.SeekEnd); n != int64(at) || err != nil {
				t.Errorf("%s: Seek = %d, %v", name, n, err)
			}
			want := data[min(at, len(data)):]
			part := make([]byte, min(len(want), 100))
			if _, err := io.ReadFull(x, part); err != nil || string(part) != want[:len(part)] {
				t.Errorf("%s: at %d: %q, %v", name, at, part, err)
			}
			rest, err := io.ReadAll(x)
			if err != nil || string(rest) != want[len(part):] {
				t.Errorf("%s: at %d: %d octets more, %v", name, at, len(rest), err)
			}
		}
		for _, wrong := range []func() (int64, error){
			func() (int64, error) { return seeker.Seek(-1, io.SeekStart) },
			func() (int64, error) { return seeker.Seek(0, 3) },
		} {
			if _, err := wrong(); !errors.Is(err, fs.ErrInvalid) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
	// An object that fits in the buffer is opened only once.
	w.requests()
	x, err := f.Open("5000-false-false")
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for range 3 {
		x.(io.Seeker).Seek(0, io.SeekEnd)
		x.(io.Seeker).Seek(0, io.SeekStart)
		if data, err := io.ReadAll(x); err != nil || string(data) != octetsOf(5000) {
			t.Errorf("%d octets, %v", len(data), err)
		}
	}
	if got := w.requests(); got != "5000-false-false" {
		t.Errorf("asked for %q", got)
	}
}

func TestFSSize(t *testing.T) {
	w, names := objects(0, 1, 600, 5000)
	f := w.fs(t, nil)
	for _, name := range names {
		p := w.pages[name]
		before, err := f.Stat(name)
		if err != nil || before.Size() != 0 {
			t.Errorf("%s: %d octets, %v", name, before.Size(), err)
		}
		x, err := f.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		info, err := x.Stat()
		if err != nil || info.Size() != int64(len(p.data)) {
			t.Errorf("%s: %d octets, %v", name, info.Size(), err)
		}
		source := info.Sys().(*mirror.FSSource)
		if known := p.size; known != (source.Item.Size == int64(len(p.data))) || source.Item.Type != "text/plain" {
			t.Errorf("%s: from %+v", name, source)
		}
		if data, err := io.ReadAll(x); err != nil || string(data) != p.data {
			t.Errorf("%s: %d octets, %v", name, len(data), err)
		}
		x.Close()
		if after, err := f.Stat(name); err != nil || after.Size() != int64(len(p.data)) || info.Size() != after.Size() {
			t.Errorf("%s: %d octets, %v", name, after.Size(), err)
		}
	}
	if err := fstest.TestFS(f, "5000-false-false"); err != nil {
		t.Error(err)
	}
}

// Reading or copying an object does not first read it to find its size.
func TestFSReadsOnce(t *testing.T) {
	w := &menuFixture{pages: map[string]menuPage{"": {items: []scheme.Item{objectItem("x")}}, "x": {data: octetsOf(3 << 20)}}}
	f := w.fs(t, nil)
	if data, err := fs.ReadFile(f, "x"); err != nil || string(data) != w.pages["x"].data {
		t.Errorf("%d octets, %v", len(data), err)
	}
	x, err := f.Open("x")
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if _, err := x.Stat(); err != nil {
		t.Error(err)
	}
	if n, err := io.Copy(io.Discard, x); err != nil || n != 3<<20 {
		t.Errorf("%d octets, %v", n, err)
	}
	if got := w.requests(); got != " x x" {
		t.Errorf("asked for %q", got)
	}
}

// The opened object's type, size and time override the menu's.
func TestFSObjectOverridesMenu(t *testing.T) {
	date := time.Date(1994, 12, 20, 0, 0, 0, 0, time.UTC)
	i := objectItem("x")
	i.Size, i.ModTime, i.Type = 7, date, "text/html"
	w := &menuFixture{pages: map[string]menuPage{"": {items: []scheme.Item{i}}, "x": {data: "12345", size: true, modTime: date.AddDate(1, 0, 0)}}}
	f := w.fs(t, nil)
	entries, err := f.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	info, err := entries[0].Info()
	if err != nil || info.Size() != 7 || !info.ModTime().Equal(date) || info.Mode() != 0o444 {
		t.Errorf("%v, %v", info, err)
	}
	x, err := f.Open("x")
	if err != nil {
		t.Fatal(err)
	}
	x.Close()
	if info, err = entries[0].Info(); err != nil || info.Size() != 5 || info.ModTime().Year() != 1995 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestFSBrokenObject(t *testing.T) {
	cut := fmt.Errorf("%w: cut off", scheme.ErrProtocol)
	w := &menuFixture{pages: map[string]menuPage{"": {items: []scheme.Item{objectItem("x")}}, "x": {data: "good", err: cut}}}
	f := w.fs(t, nil)
	data, err := f.ReadFile("x")
	var about *fs.PathError
	if string(data) != "good" || !errors.Is(err, scheme.ErrProtocol) || !errors.As(err, &about) || about.Op != "read" {
		t.Errorf("%q, %v", data, err)
	}
	x, err := f.Open("x")
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	info, err := x.Stat()
	if err != nil || info.Size() != -1 {
		t.Errorf("%v, %v", info, err)
	}
	if n, err := x.(io.Seeker).Seek(0, io.SeekEnd); !errors.Is(err, scheme.ErrProtocol) {
		t.Errorf("Seek = %d, %v", n, err)
	}
	if data, err := io.ReadAll(x); string(data) != "good" || !errors.Is(err, scheme.ErrProtocol) {
		t.Errorf("%q, %v", data, err)
	}
}

// Reading does not continue with an object that has changed.
func TestFSChanged(t *testing.T) {
	version := 0
	w := &menuFixture{pages: map[string]menuPage{"": {items: []scheme.Item{objectItem("x")}}, "x": {data: octetsOf(100_000), resumes: true, tag: func() string {
		version++
		return fmt.Sprint(version)
	}}}}
	x, err := w.fs(t, nil).Open("x")
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if _, err := x.(io.Seeker).Seek(90_000, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if n, err := x.Read(make([]byte, 10)); n != 0 || !errors.Is(err, scheme.ErrProtocol) || !strings.Contains(err.Error(), "has changed") {
		t.Errorf("%d, %v", n, err)
	}
}

// An FTP server sends only the requested part.
func TestFSSeekFTP(t *testing.T) {
	server, err := ftptest.Start(ftptest.Files{"x": {Size: 10 << 20}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	f := newFS(t, new(menuFixture).client(t), "ftp://"+server.Addr(), nil)
	x, err := f.Open("x")
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, at := range []int64{9 << 20, 5, 10<<20 - 1} {
		if _, err := x.(io.Seeker).Seek(at, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		var b [1]byte
		if _, err := io.ReadFull(x, b[:]); err != nil || b[0] != ftptest.Octet(at) {
			t.Errorf("%x, %v", b, err)
		}
	}
	log := fmt.Sprint(server.Log())
	for _, command := range []string{"REST 9437184", "REST 10485759"} {
		if !strings.Contains(log, command) {
			t.Errorf("no %s in %s", command, log)
		}
	}
}

func TestFSClose(t *testing.T) {
	w := &menuFixture{pages: map[string]menuPage{"": {items: []scheme.Item{objectItem("x")}}, "x": {data: "x", wait: true}}}
	x, err := w.fs(t, nil).Open("x")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := x.Read(make([]byte, 10)); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	done := make(chan error)
	go func() {
		_, err := x.Read(make([]byte, 10))
		done <- err
	}()
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Read while it is closed: %v", err)
	}
	for what, err := range map[string]error{
		"Close": x.Close(),
		"Read":  func() error { _, err := x.Read(make([]byte, 1)); return err }(),
		"Stat":  func() error { _, err := x.Stat(); return err }(),
		"Seek":  func() error { _, err := x.(io.Seeker).Seek(0, io.SeekStart); return err }(),
	} {
		var about *fs.PathError
		if !errors.Is(err, fs.ErrClosed) || !errors.As(err, &about) {
			t.Errorf("%s after Close: %v", what, err)
		}
	}
}

// A file can be closed while its size is being found.
func TestFSCloseWhileMeasured(t *testing.T) {
	w := &menuFixture{pages: map[string]menuPage{"": {items: []scheme.Item{objectItem("x")}}, "x": {data: "x", wait: true}}}
	x, err := w.fs(t, nil).Open("x")
	if err != nil {
		t.Fatal(err)
	}
	info, err := x.Stat()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan int64)
	go func() { done <- info.Size() }()
	x.Close()
	if n := <-done; n > 0 {
		t.Errorf("%d octets", n)
	}
}

func get(t *testing.T, h http.Handler, path string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(context.Background(), "GET", path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	return rec
}

// http.FileServer serves objects of unknown size, whole and in part.
func TestFSFileServer(t *testing.T) {
	w, names := objects(0, 1, 600, 5000, 200_000, 1<<20+500_000)
	w.pages["d"] = menuPage{items: []scheme.Item{objectItem("5000-false-false"), menuItemOf(scheme.KindMenu, "home", ""), objectItem("gone"), menuItemOf(scheme.KindObject, "<b>", "%3Cb%3E")}}
	w.pages["cut"] = menuPage{data: "some", err: scheme.ErrProtocol}
	root := w.pages[""]
	root.items = append(root.items, menuItem("d"), objectItem("cut"), scheme.Item{URL: parse("file:///etc/passwd"), Kind: scheme.KindObject})
	w.pages[""] = root
	h := http.FileServer(http.FS(w.fs(t, &mirror.FSOptions{Elsewhere: true})))
	for _, name := range names {
		data := w.pages[name].data
		rec := get(t, h, "/"+name)
		if rec.Code != 200 || rec.Body.String() != data || rec.Header().Get("Content-Length") != fmt.Sprint(len(data)) {
			t.Errorf("%s: %d, %d octets, %v", name, rec.Code, rec.Body.Len(), rec.Header())
		}
		if len(data) < 600 {
			continue
		}
		rec = get(t, h, "/"+name, "Range", "bytes=500-509")
		if rec.Code != 206 || !bytes.Equal(rec.Body.Bytes(), []byte(data[500:510])) {
			t.Errorf("%s: %d, %q", name, rec.Code, rec.Body)
		}
	}
	for path, code := range map[string]int{"/d": 301, "/gone": 404, "/d/gone": 404, "/passwd": 403, "/cut": 500, "/d/home": 301, "/d/home/d/5000-false-false": 200} {
		if rec := get(t, h, path); rec.Code != code {
			t.Errorf("%s: %d, want %d", path, rec.Code, code)
		}
	}
	rec := get(t, h, "/d/")
	if body := rec.Body.String(); rec.Code != 200 || !strings.Contains(body, `<a href="5000-false-false">`) || !strings.Contains(body, `<a href="home">`) || strings.Contains(body, "<b>") {
		t.Errorf("%d, %s", rec.Code, body)
	}
}

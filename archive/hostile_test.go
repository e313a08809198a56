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
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/archive"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/warc"
)

// If an archive is damaged, the store writes a note, and the records before the damage are
// available.
func TestDamage(t *testing.T) {
	good := pack(response("http://h.example/", day, page("good")))
	long := response("http://h.example/long", day, "HTTP/1.1 200 OK\r\n"+strings.Repeat("A: "+strings.Repeat("x", 1000)+"\r\n", 2000)+"\r\n")
	for name, tail := range map[string][]byte{
		"noise":             []byte("not an archive at all, and no line end"),
		"a cut record":      pack(response("http://h.example/cut", day, page("cut")))[:60],
		"an endless header": packText("WARC/1.1\r\nWARC-Type: response\r\n" + strings.Repeat("X: "+strings.Repeat("y", 1000)+"\r\n", 5000)),
		"a false length":    packText(strings.Replace(response("http://h.example/false", day, page("x")).text(), "Content-Length: ", "Content-Length: 99", 1)),
	} {
		notes := 0
		dir := t.TempDir()
		s := openPaths(t, &archive.Options{Note: func(error) { notes++ }}, write(t, filepath.Join(dir, "a.warc.gz"), append(bytes.Clone(good), tail...)))
		want(t, s, "http://h.example/", "good")
		if notes != 1 {
			t.Errorf("%s: %d notes", name, notes)
		}
		if name == "a false length" {
			if _, _, err := getText(t, s, t.Context(), "http://h.example/false"); err != nil && !errors.Is(err, scheme.ErrProtocol) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	s := openStore(t, nil, long, response("http://h.example/after", day, page("after")), response("http://h.example/undated", "", page("x")), response("no URL", day, page("x")))
	wantError(t, s, "http://h.example/long", scheme.ErrProtocol, "header")
	want(t, s, "http://h.example/after", "after")
	wantError(t, s, "http://h.example/undated", scheme.ErrNotArchived, "")
}

func packText(text string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	z.Close()
	return b.Bytes()
}

// If a record is very large after decompression, the store reads only up to the caller's
// limit.
func TestBomb(t *testing.T) {
	const size = 32 << 20
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	fmt.Fprintf(z, "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: ftp://h.example/bomb\r\nWARC-Date: %s\r\nContent-Length: %d\r\n\r\n", day, size)
	zeros := make([]byte, 1<<20)
	for range size >> 20 {
		z.Write(zeros)
	}
	z.Close()
	s := openPaths(t, nil, write(t, filepath.Join(t.TempDir(), "a.warc.gz"), b.Bytes()))
	_, err := s.Open(t.Context(), &scheme.Request{URL: locus.MustParse("ftp://h.example/bomb"), Limit: 1 << 20})
	if !errors.Is(err, scheme.ErrTooLarge) {
		t.Error(err)
	}
	// Other limits apply to a menu.
	s = openStore(t, nil, resource("gopher://h.example/", day, "", strings.Repeat("iline\t\t\t\r\n", 1<<19)))
	if got, _, err := getText(t, s, t.Context(), "gopher://h.example/"); !errors.Is(err, scheme.ErrTooLarge) && err != nil {
		t.Errorf("%d octets, %v", len(got), err)
	}
}

// An interrupt ends reading archives.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	registry, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	name := write(t, filepath.Join(t.TempDir(), "a.warc.gz"), pack(response("http://h.example/", day, page("x"))))
	cache := t.TempDir()
	if _, err := archive.Open(ctx, registry, []string{name}, &archive.Options{Cache: cache, Progress: func(int64, int64) { cancel(stop) }}); !errors.Is(err, stop) {
		t.Error(err)
	}
	if left, _ := os.ReadDir(cache); len(left) > 0 {
		t.Errorf("%d files are left", len(left))
	}
}

func later(t *testing.T, name string, by time.Duration) {
	t.Helper()
	when := time.Now().Add(by)
	if err := os.Chtimes(name, when, when); err != nil {
		t.Fatal(err)
	}
}

func cdxj(records ...warc.CDXJ) []byte {
	var b []byte
	for _, c := range records {
		b = c.Append(b)
	}
	return b
}

// If a CDXJ file is not older than the archive, the store does not read the archive.
func TestCDXJ(t *testing.T) {
	dir := t.TempDir()
	first := pack(response("http://h.example/1", day, page("one")))
	octets := append(bytes.Clone(first), pack(response("http://h.example/2", day, page("two")))...)
	name := write(t, filepath.Join(dir, "a.warc.gz"), octets)
	at := time.Date(2024, 5, 1, 10, 0, 0, 0, time.UTC)
	// This CDXJ file lists only the second record.
	list := write(t, filepath.Join(dir, "a.cdxj"), cdxj(warc.CDXJ{Key: "example,h)/2", Time: at, URL: "http://h.example/2", Type: "text/html", Status: 200, Offset: int64(len(first)), File: "a.warc.gz"}))
	later(t, list, time.Minute)
	s := openPaths(t, nil, name)
	want(t, s, "http://h.example/2", "two")
	wantError(t, s, "http://h.example/1", scheme.ErrNotArchived, "")
	later(t, list, -time.Hour)
	later(t, name, time.Hour)
	s = openPaths(t, nil, dir)
	want(t, s, "http://h.example/1", "one")
	want(t, s, "http://h.example/2", "two")
}

// longLine returns a line of a CDXJ file about another archive, of size octets and its end.
func longLine(size int) []byte {
	line := bytes.TrimSuffix(cdxj(warc.CDXJ{Key: "k", Time: time.Unix(0, 0), URL: "http://h.example/", File: "b.warc"}), []byte("\n"))
	return append(bytes.Replace(line, []byte("k "), []byte(strings.Repeat("k", size-len(line)+1)+" "), 1), '\n')
}

// The store does not trust CDXJ files.
func TestCDXJHostile(t *testing.T) {
	at := time.Date(2024, 5, 1, 10, 0, 0, 0, time.UTC)
	secret := write(t, filepath.Join(t.TempDir(), "b.warc"), []byte(response("http://secret.example/", day, page("secret")).text()))
	line := warc.CDXJ{Key: "k", Time: at, URL: "http://secret.example/", Status: 200, File: secret}
	for what, c := range map[string]struct {
		text  []byte
		notes int
	}{
		"a path outside":     {cdxj(line), 0},
		"a path up":          {cdxj(warc.CDXJ{Key: "k", Time: at, URL: "http://secret.example/", File: "../" + filepath.Base(filepath.Dir(secret)) + "/b.warc"}), 0},
		"an offset too high": {cdxj(warc.CDXJ{Key: "k", Time: at, URL: "http://h.example/", Offset: 1 << 40, File: "a.warc.gz"}), 1},
		"no JSON":            {[]byte("k 20240501100000 {\n"), 1},
		"a line that is longer than 1048576 bytes": {longLine(1 << 20), 1},
		"a long line": {longLine(1<<20 - 2), 0},
		"binary":      {[]byte("\x00\xff\n"), 1},
		"empty":       {nil, 0},
	} {
		dir := t.TempDir()
		name := write(t, filepath.Join(dir, "a.warc.gz"), pack(response("http://h.example/", day, page("kept"))))
		later(t, write(t, filepath.Join(dir, "a.cdxj"), c.text), time.Minute)
		notes := 0
		s := openPaths(t, &archive.Options{Note: func(err error) {
			if notes++; strings.Contains(what, "longer than") && !strings.Contains(err.Error(), "a line is longer than 1048576 bytes") {
				t.Error(err)
			}
		}}, name)
		want(t, s, "http://h.example/", "kept")
		wantError(t, s, "http://secret.example/", scheme.ErrNotArchived, "")
		if notes != c.notes {
			t.Errorf("%s: %d notes", what, notes)
		}
	}
	// The store detects a wrong offset or another URL.
	dir := t.TempDir()
	name := write(t, filepath.Join(dir, "a.warc"), []byte(response("http://h.example/", day, page("kept")).text()))
	later(t, write(t, filepath.Join(dir, "a.cdxj"), cdxj(
		warc.CDXJ{Key: "k", Time: at, URL: "http://bank.example/", File: "a.warc"},
		warc.CDXJ{Key: "k", Time: at, URL: "http://h.example/", Offset: 7, File: "a.warc"},
	)), time.Minute)
	s := openPaths(t, nil, name)
	wantError(t, s, "http://bank.example/", scheme.ErrProtocol, "remove the .cdxj file")
	wantError(t, s, "http://h.example/", scheme.ErrProtocol, "remove the .cdxj file")
}

// A CDXJ file may be in another directory, as with pywb, if one opened directory contains both. It
// may name an archive with or without directories. If two archives have the same name, the CDXJ
// file applies to neither archive. It never applies to an archive outside the opened directory.
func TestCDXJElsewhere(t *testing.T) {
	at := time.Date(2024, 5, 1, 10, 0, 0, 0, time.UTC)
	line := func(url, file string) []byte {
		return cdxj(warc.CDXJ{Key: "k", Time: at, URL: url, Type: "text/html", Status: 200, File: file})
	}
	dir := t.TempDir()
	for _, name := range []string{"col/archive", "col/more", "col/indexes", "out"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, host := range map[string]string{"col/archive/a.warc": "a", "col/archive/b.warc": "b", "col/archive/c.warc": "c", "col/more/c.warc": "c2", "out/o.warc": "o"} {
		write(t, filepath.Join(dir, name), []byte(response("http://"+host+".example/", day, page(host)).text()+response("http://"+host+".example/2", day, page(host)).text()))
	}
	list := bytes.Join([][]byte{line("http://a.example/", "a.warc"), line("http://b.example/", "/srv/col/archive/b.warc"), line("http://c.example/", "c.warc"), line("http://o.example/", "../../out/o.warc")}, nil)
	later(t, write(t, filepath.Join(dir, "col/indexes/index.cdxj"), list), time.Minute)
	s := openPaths(t, nil, filepath.Join(dir, "col"))
	for url, isKept := range map[string]bool{
		"http://a.example/": true, "http://a.example/2": false, "http://b.example/": true, "http://b.example/2": false, // not in the list
		"http://c.example/": true, "http://c.example/2": true, "http://c2.example/2": true, "http://o.example/": false,
	} {
		if _, ok, err := s.Nearest(locus.MustParse(url), time.Time{}); ok != isKept || err != nil {
			t.Errorf("%s: %v, %v", url, ok, err)
		}
	}
	want(t, s, "http://b.example/", "b")
	// A CDXJ file that is older than an archive does not replace reading that archive.
	later(t, filepath.Join(dir, "col/indexes/index.cdxj"), -time.Hour)
	want(t, openPaths(t, nil, filepath.Join(dir, "col")), "http://a.example/2", "a")
}

// The index stays in the cache until the archives change.
func TestIndexCache(t *testing.T) {
	cache, dir := filepath.Join(t.TempDir(), "new"), t.TempDir()
	name := write(t, filepath.Join(dir, "a.warc.gz"), pack(response("http://h.example/", day, page("kept"))))
	read := int64(0)
	o := &archive.Options{Cache: cache, Progress: func(n, _ int64) { read = n }}
	want(t, openPaths(t, o, name), "http://h.example/", "kept")
	if read == 0 {
		t.Error("the archive was not read")
	}
	read = 0
	want(t, openPaths(t, o, name), "http://h.example/", "kept")
	if read != 0 {
		t.Error("the archive was read again")
	}
	write(t, name, pack(response("http://h.example/", day, page("changed"))))
	want(t, openPaths(t, o, name), "http://h.example/", "changed")
	entries, err := os.ReadDir(cache)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%d files, %v", len(entries), err)
	}
	for _, e := range entries { // the store makes a truncated index again
		if err := os.Truncate(filepath.Join(cache, e.Name()), 80); err != nil {
			t.Fatal(err)
		}
	}
	want(t, openPaths(t, o, name), "http://h.example/", "changed")
}

// If the index can't replace the file with its name, the store creates a temporary index and
// writes a note.
func TestIndexNotReplaced(t *testing.T) {
	cache := t.TempDir()
	notes := 0
	o := &archive.Options{Cache: cache, Note: func(error) { notes++ }}
	name := write(t, filepath.Join(t.TempDir(), "a.warc.gz"), pack(response("http://h.example/", day, page("kept"))))
	want(t, openPaths(t, o, name), "http://h.example/", "kept")
	indexes, err := filepath.Glob(filepath.Join(cache, "*"))
	if err != nil || len(indexes) != 1 || notes != 0 {
		t.Fatalf("%q, %v, %d notes", indexes, err, notes)
	}
	// A file can't replace a directory.
	if err := errors.Join(os.Remove(indexes[0]), os.Mkdir(indexes[0], 0o700)); err != nil {
		t.Fatal(err)
	}
	want(t, openPaths(t, o, name), "http://h.example/", "kept")
	left, err := filepath.Glob(filepath.Join(cache, "*"))
	if err != nil || len(left) != 1 || notes != 1 {
		t.Errorf("left %q, %v, %d notes", left, err, notes)
	}
}

// The store reads an archive that wget wrote.
func TestWget(t *testing.T) {
	s := openPaths(t, nil, filepath.Join("testdata", "wget.warc.gz"))
	want(t, s, "http://127.0.0.1:18733/", "<a href=sub/>x</a><a href=b.txt>b</a>\n")
	want(t, s, "http://127.0.0.1:18733/sub/", "sub\n")
	want(t, s, "http://127.0.0.1:18733/b.txt", "bee\n")
	wantError(t, s, "http://127.0.0.1:18733/robots.txt", scheme.ErrNotFound, "404")
	wantError(t, s, "http://127.0.0.1:18733/su", scheme.ErrNotArchived, "http://127.0.0.1:18733/sub/")
	if hosts, err := s.Hosts("", 10); len(hosts) != 1 || err != nil {
		t.Errorf("%q, %v", hosts, err)
	}
}

// FuzzStore opens arbitrary archives and CDXJ files, and the records that they list.
func FuzzStore(f *testing.F) {
	f.Add([]byte(response("http://h.example/", day, page("kept")).text()), "", "http://h.example/")
	f.Add(pack(rec{"revisit", "http://h.example/", day, "application/http", "HTTP/1.1 200 OK\r\n\r\n", []string{"WARC-Payload-Digest: sha1:A"}}), "", "http://h.example/")
	f.Add([]byte("http://old.example/ 192.0.2.1 19960501102030 text/html 27\nHTTP/1.0 200 OK\r\n\r\nold page\n"), "", "http://old.example/")
	f.Add([]byte(resource("gopher://h/", day, "", "iHello\t\t\t\r\n.\r\n").text()), string(cdxj(warc.CDXJ{Key: "k", Time: time.Unix(1e9, 0), URL: "gopher://h/", File: "a.warc"})), "gopher://h/")
	f.Add(pack(resource("ftp://h/", day, "text/uri-list; locus-referral=permanent", "ftp://h/\r\n")), "", "ftp://h/")
	registry, err := all.Registry()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, octets []byte, list, text string) {
		u, err := locus.Parse(text)
		if err != nil {
			return
		}
		dir := t.TempDir()
		write(t, filepath.Join(dir, "a.warc"), octets)
		if list != "" {
			later(t, write(t, filepath.Join(dir, "a.cdxj"), []byte(list)), time.Minute)
		}
		s, err := archive.Open(t.Context(), registry, []string{dir}, &archive.Options{Note: func(error) {}})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if _, err := s.Hosts("", 10); err != nil {
			t.Error(err)
		}
		if _, err := s.List(strings.ToLower(u.Host()), "", 10); err != nil {
			t.Error(err)
		}
		res, err := s.Open(t.Context(), &scheme.Request{URL: u, Limit: 1 << 20})
		if err != nil {
			return
		}
		switch r := res.(type) {
		case *scheme.Object:
			io.Copy(io.Discard, r.Body)
		case *scheme.Menu:
			for _, err := range r.Items {
				if err != nil {
					break
				}
			}
		}
		res.Close()
	})
}

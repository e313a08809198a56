package archive_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/archive"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
)

// rec describes a record to write.
type rec struct {
	kind, url, date, media, body string
	fields                       []string
}

func response(url, date, body string, fields ...string) rec {
	return rec{"response", url, date, "application/http; msgtype=response", body, fields}
}

func resource(url, date, media, body string, fields ...string) rec {
	return rec{"resource", url, date, media, body, fields}
}

func page(body string) string {
	return "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: " + fmt.Sprint(len(body)) + "\r\n\r\n" + body
}

func (r rec) text() string {
	b := "WARC/1.0\r\nWARC-Type: " + r.kind + "\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000000>\r\n"
	if r.url != "" {
		b += "WARC-Target-URI: " + r.url + "\r\n"
	}
	if r.date != "" {
		b += "WARC-Date: " + r.date + "\r\n"
	}
	for _, f := range r.fields {
		b += f + "\r\n"
	}
	return b + "Content-Type: " + r.media + "\r\nContent-Length: " + fmt.Sprint(len(r.body)) + "\r\n\r\n" + r.body + "\r\n\r\n"
}

// pack returns a .warc.gz with the records.
func pack(records ...rec) []byte {
	var b bytes.Buffer
	for _, r := range records {
		z := gzip.NewWriter(&b)
		io.WriteString(z, r.text())
		z.Close()
	}
	return b.Bytes()
}

func write(t testing.TB, name string, octets []byte) string {
	t.Helper()
	if err := os.WriteFile(name, octets, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// openStore opens a store for a file with the given records.
func openStore(t testing.TB, o *archive.Options, records ...rec) *archive.Store {
	t.Helper()
	return openPaths(t, o, write(t, filepath.Join(t.TempDir(), "a.warc.gz"), pack(records...)))
}

func openPaths(t testing.TB, o *archive.Options, paths ...string) *archive.Store {
	t.Helper()
	registry, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	return openWith(t, registry, o, paths...)
}

func openWith(t testing.TB, registry *scheme.Registry, o *archive.Options, paths ...string) *archive.Store {
	t.Helper()
	s, err := archive.Open(t.Context(), registry, paths, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// client returns a client for a store. If the client dials a server, the test fails.
func client(t testing.TB, s *archive.Store) *access.Client {
	t.Helper()
	registry, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.New(policy.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	c := access.New(registry, p, &access.Options{Archive: s, Dial: func(_ context.Context, network, address string) (net.Conn, error) {
		t.Errorf("dials %s %s", network, address)
		return nil, errors.New("no network")
	}})
	t.Cleanup(func() { c.Close() })
	return c
}

// getText returns the resource at a URL as text, and its URL.
func getText(t testing.TB, s *archive.Store, ctx context.Context, url string) (string, string, error) {
	t.Helper()
	return getAt(t, s, ctx, url, time.Time{})
}

// getAt is like getText, but for the memento that is nearest to the given time.
func getAt(t testing.TB, s *archive.Store, ctx context.Context, url string, at time.Time) (string, string, error) {
	t.Helper()
	u, err := locus.Parse(url)
	if err != nil {
		return "", "", err
	}
	res, err := client(t, s).Do(ctx, access.Request{URL: u, At: at})
	if err != nil {
		return "", "", err
	}
	defer res.Close()
	switch r := res.Resource.(type) {
	case *scheme.Object:
		text, err := io.ReadAll(r.Body)
		if r.Note != "" {
			text = append(text, " ("+r.Note+")"...)
		}
		return string(text), res.URL.String(), err
	case *scheme.Menu:
		var list []string
		if r.Form != nil && len(r.Form.Fields) > 0 {
			list = append(list, "form "+r.Form.Fields[0].Prompt)
		}
		for item, err := range r.Items {
			if err != nil {
				return strings.Join(list, "|"), res.URL.String(), err
			}
			list = append(list, strings.TrimSpace(item.Title+" "+item.URL.String()))
		}
		return strings.Join(list, "|"), res.URL.String(), nil
	}
	t.Fatalf("%s: a %T", url, res.Resource)
	return "", "", nil
}

func want(t testing.TB, s *archive.Store, url, text string) {
	t.Helper()
	if got, _, err := getText(t, s, t.Context(), url); got != text || err != nil {
		t.Errorf("%s: %q, %v; want %q", url, got, err, text)
	}
}

func wantError(t testing.TB, s *archive.Store, url string, kind error, words string) {
	t.Helper()
	if got, _, err := getText(t, s, t.Context(), url); !errors.Is(err, kind) || !strings.Contains(fmt.Sprint(err), words) {
		t.Errorf("%s: %q, %v; want %v, %q", url, got, err, kind, words)
	}
}

const day = "2024-05-01T10:00:00Z"

func TestSchemes(t *testing.T) {
	s := openStore(t, nil,
		rec{"warcinfo", "", day, "application/warc-fields", "software: x\r\n", nil},
		response("http://h.example/a", day, page("<p>a")),
		rec{"request", "http://h.example/a", day, "application/http; msgtype=request", "GET /a HTTP/1.1\r\n\r\n", nil},
		resource("gopher://h.example/", day, "application/octet-stream", "iHello\t\t\t\r\n0About\t/about\th.example\t70\r\n7Find\t/find\th.example\t70\r\nhWeb\tURL:http://h.example/a\th.example\t70\r\n.\r\n"),
		resource("gopher://h.example/0/about", day, "text/plain", "about"),
		resource("ftp://h.example/pub/", day, "application/octet-stream", "-rw-r--r-- 1 a b 5 Jan  2 10:20 a b\r\n"),
		resource("ftp://user@h.example/private", day, "text/plain", "mine"),
		resource("ftp://h.example/pub/a%20b", day, "application/octet-stream", "hello"),
		resource("nntp://h.example/g", day, "application/octet-stream", "211 1 1 1 g\r\n503 no\r\n224 list\r\n1\tOne\ta@b\tFri, 20 Nov 2026 10:00:00 +0000\t<a@x>\t\t10\t1\r\n.\r\n"),
		resource("nntp://h.example/g/1", day, "message/rfc822", "Subject: One\r\n\r\nText"),
		resource("finger://h.example/me", day, "text/plain", "I am"),
		resource("file:///etc/hostname", day, "text/plain", "kept"),
	)
	want(t, s, "http://h.example/a", "<p>a")
	want(t, s, "https://H.EXAMPLE:443/a#part", "<p>a")
	want(t, s, "gopher://h.example/", "Hello|About gopher://h.example/0/about|Find gopher://h.example/7/find|Web http://h.example/a")
	want(t, s, "gopher://h.example:70/1", "Hello|About gopher://h.example/0/about|Find gopher://h.example/7/find|Web http://h.example/a")
	want(t, s, "gopher://h.example/0/about", "about")
	want(t, s, "ftp://h.example/pub/", "a b ftp://h.example/pub/a%20b")
	want(t, s, "ftp://user:secret@h.example/private", "mine")
	want(t, s, "ftp://h.example/pub/a%20b", "hello")
	want(t, s, "nntp://h.example/g", "One nntp://h.example/g/1")
	want(t, s, "nntp://h.example/g/1", "Subject: One\r\n\r\nText")
	want(t, s, "finger://h.example/me", "I am")
	want(t, s, "file:///etc/hostname", "kept")
	// Forms and links need no server.
	want(t, s, "gopher://h.example/7/find", "form Words to search for")
	want(t, s, "gopher://h.example/hURL:http://h.example/a", "<p>a")
	// A replay opens only archived resources.
	wantError(t, s, "file:///etc/passwd", scheme.ErrNotArchived, "not in the archive (the nearest archived URL is file:///etc/hostname)")
	wantError(t, s, "http://h.example/b", scheme.ErrNotArchived, "not in the archive (the nearest archived URL is http://h.example/a)")
	wantError(t, s, "gopher://other.example/", scheme.ErrNotArchived, "not in the archive")
	wantError(t, s, "telnet://h.example/", scheme.ErrNotArchived, "not in the archive")
	wantError(t, s, "http://127.0.0.1:25/", scheme.ErrNotFound, "not in the archive")
	wantError(t, s, "mid:a@b", os.ErrNotExist, "not in the archive")
}

func TestHTTP(t *testing.T) {
	s := openStore(t, nil,
		response("http://h.example/moved", day, "HTTP/1.1 301 Moved\r\nLocation: /new\r\nContent-Length: 0\r\n\r\n"),
		response("http://h.example/new", day, page("new")),
		response("http://h.example/", day, "HTTP/1.1 302 Found\r\nLocation: https://h.example/\r\n\r\n"),
		response("https://h.example/", day, page("secure")),
		response("http://h.example/loop", day, "HTTP/1.1 302 Found\r\nLocation: /loop2\r\n\r\n"),
		response("http://h.example/loop2", day, "HTTP/1.1 302 Found\r\nLocation: /loop\r\n\r\n"),
		response("http://h.example/gone", day, "HTTP/1.1 404 Not Found\r\n\r\nno"),
		response("http://h.example/chunks", day, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"),
		response("http://h.example/cut", day, page("whole")[:len(page("whole"))-2], "WARC-Truncated: length"),
	)
	if got, at, err := getText(t, s, t.Context(), "http://h.example/moved"); got != "new" || at != "http://h.example/new" || err != nil {
		t.Errorf("%q, %q, %v", got, at, err)
	}
	want(t, s, "http://h.example/", "secure")
	want(t, s, "http://h.example/chunks", "hello")
	// A "not modified" record of another program does not count as a resource.
	want(t, openStore(t, nil, response("http://h.example/", "2001-01-01T00:00:00Z", page("old")), response("http://h.example/", "2002-01-01T00:00:00Z", "HTTP/1.1 304 Not Modified\r\n\r\n")), "http://h.example/", "old")
	wantError(t, s, "http://h.example/loop", access.ErrRedirectLoop, "")
	wantError(t, s, "http://h.example/gone", scheme.ErrNotFound, "archived at 2024-05-01T10:00:00Z: http: not found: 404")
	if got, _, err := getText(t, s, t.Context(), "http://h.example/cut"); !errors.Is(err, scheme.ErrProtocol) || !strings.Contains(got, "who (archived only in part: length)") {
		t.Errorf("%q, %v", got, err)
	}
}

func TestTimes(t *testing.T) {
	u := "http://h.example/"
	s := openStore(t, nil, response(u, "2001-01-01T00:00:00Z", page("1")), response(u, "2003-01-01T00:00:00.5Z", page("3")), response(u, "2002-01-01T00:00:00Z", page("2")),
		response(u, "2002-01-01T00:00:00Z", page("twice")))
	for stamp, text := range map[string]string{"": "3", "1990": "1", "20010101000000": "1", "2001-06-30": "1", "2001-08": "2", "2002": "2", "2050-01-01T00:00:00Z": "3"} {
		var at time.Time
		if stamp != "" {
			var err error
			if at, err = archive.ParseTime(stamp); err != nil {
				t.Fatal(err)
			}
		}
		if got, _, err := getAt(t, s, t.Context(), u, at); !strings.HasPrefix(got, text) && !(text == "2" && got == "twice") || err != nil {
			t.Errorf("%s: %q, %v; want %q", stamp, got, err, text)
		}
	}
	h, ok, err := s.Nearest(locus.MustParse(u), time.Date(2002, 2, 1, 0, 0, 0, 0, time.UTC))
	if !ok || err != nil || h.First.Time.Year() != 2001 || h.Prev.Time.Year() != 2001 || h.At.Time.Year() != 2002 || h.Next.Time.Year() != 2003 || h.Last.Time.Year() != 2003 || h.Count != 3 {
		t.Errorf("%+v, %v, %v", h, ok, err)
	}
	for _, bad := range []string{"", "yesterday", "20240132", "1.5.2024", "2024-05-01T25:00:00Z"} {
		if at, err := archive.ParseTime(bad); err == nil {
			t.Errorf("%q: %v", bad, at)
		}
	}
}

func TestRevisit(t *testing.T) {
	const digest = "sha1:AAAA"
	profile := "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
	revisit := func(url, date, body string, fields ...string) rec {
		return rec{"revisit", url, date, "application/http; msgtype=response", body, append(fields, profile, "WARC-Payload-Digest: "+digest)}
	}
	s := openStore(t, nil,
		revisit("http://h.example/before", "2001-01-01T00:00:00Z", "HTTP/1.1 200 OK\r\nX: revisit\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\n"),
		response("http://h.example/a", "2002-01-01T00:00:00Z", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", "WARC-Payload-Digest: "+digest),
		revisit("http://h.example/a", "2003-01-01T00:00:00Z", "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n",
			"WARC-Refers-To-Target-URI: http://h.example/a", "WARC-Refers-To-Date: 2002-01-01T00:00:00Z"),
		revisit("http://h.example/other", "2003-01-01T00:00:00Z", ""),
		revisit("http://h.example/moved", "2003-01-01T00:00:00Z", "HTTP/1.1 302 Found\r\nLocation: /a\r\n\r\n"),
		rec{"revisit", "http://h.example/same", "2003-01-01T00:00:00Z", "application/http; msgtype=response", "HTTP/1.1 304 Not Modified\r\n\r\n",
			[]string{"WARC-Refers-To-Target-URI: <http://h.example/a>", "WARC-Refers-To-Date: 2002-01-01T00:00:00Z"}},
		// The first revisit record refers to itself, and the second refers to a missing record.
		rec{"revisit", "http://h.example/loop", "2003-01-01T00:00:00Z", "application/http; msgtype=response", "", []string{"WARC-Refers-To-Target-URI: http://h.example/loop", "WARC-Refers-To-Date: 2003-01-01T00:00:00Z"}},
		rec{"revisit", "http://h.example/lost", "2003-01-01T00:00:00Z", "application/http; msgtype=response", "", []string{"WARC-Payload-Digest: sha1:BBBB"}},
		resource("gopher://h.example/0/a", "2002-01-01T00:00:00Z", "text/plain", "text", "WARC-Block-Digest: sha1:CCCC"),
		rec{"revisit", "gopher://h.example/0/b", "2003-01-01T00:00:00Z", "text/plain", "", []string{"WARC-Payload-Digest: sha1:CCCC"}},
	)
	for _, url := range []string{"http://h.example/before", "http://h.example/a", "http://h.example/other", "http://h.example/moved", "http://h.example/same"} {
		want(t, s, url, "hello")
	}
	want(t, s, "gopher://h.example/0/b", "text")
	for url, media := range map[string]string{"http://h.example/before": "text/plain", "http://h.example/a": "text/plain", "http://h.example/other": "text/html"} {
		res, err := client(t, s).Open(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		if o := res.Resource.(*scheme.Object); o.Type != media {
			t.Errorf("%s: %q", url, o.Type)
		}
		res.Close()
	}
	wantError(t, s, "http://h.example/loop", scheme.ErrNotFound, "content of this duplicate is missing")
	wantError(t, s, "http://h.example/lost", scheme.ErrNotFound, "content of this duplicate is missing")
}

// The HTTP header of a revisit record or of its original response may be up to 256 KiB long.
func TestLongHeads(t *testing.T) {
	const digest = "WARC-Payload-Digest: sha1:AAAA"
	head := func(media string, size int) string {
		return "HTTP/1.1 200 OK\r\nContent-Type: " + media + "\r\n" + strings.Repeat("X: "+strings.Repeat("x", size/3)+"\r\n", 3) + "Content-Length: 5\r\n\r\n"
	}
	for _, test := range []struct {
		older, newer int
		media        string // empty if the response can't be read
	}{
		{10, 10, "text/newer"}, {100 << 10, 100 << 10, "text/newer"}, {10, 257 << 10, "text/older"}, {257 << 10, 10, ""},
	} {
		s := openStore(t, nil, response("http://h.example/a", "2002-01-01T00:00:00Z", head("text/older", test.older)+"hello", digest),
			rec{"revisit", "http://h.example/b", "2003-01-01T00:00:00Z", "application/http; msgtype=response", head("text/newer", test.newer), []string{digest}})
		if test.media == "" {
			wantError(t, s, "http://h.example/b", scheme.ErrProtocol, "longer than 262144 bytes")
			continue
		}
		want(t, s, "http://h.example/b", "hello")
		res, err := client(t, s).Open(t.Context(), "http://h.example/b")
		if err != nil {
			t.Fatal(err)
		}
		if o := res.Resource.(*scheme.Object); o.Type != test.media {
			t.Errorf("%d and %d octets: %q", test.older, test.newer, o.Type)
		}
		res.Close()
	}
}

// If several records have the same second, the last record counts. A revisit record refers to the
// record with the same digest.
func TestSameSecond(t *testing.T) {
	var list []rec
	for i := range 12 { // offsets of different lengths
		list = append(list, response("http://h.example/", day, page(fmt.Sprint("page ", i)), fmt.Sprint("WARC-Payload-Digest: sha1:", i)))
	}
	s := openStore(t, nil, list...)
	want(t, s, "http://h.example/", "page 11")
	if h, ok, err := s.Nearest(locus.MustParse("http://h.example/"), time.Time{}); h.Count != 1 || !ok || err != nil {
		t.Errorf("%+v, %v, %v", h, ok, err)
	}
	list = append(list, rec{"revisit", "http://h.example/", day, "application/http; msgtype=response", "", []string{"WARC-Payload-Digest: sha1:7", "WARC-Refers-To-Target-URI: http://h.example/", "WARC-Refers-To-Date: " + day}})
	want(t, openStore(t, nil, list...), "http://h.example/", "page 7")
}

func TestLive(t *testing.T) {
	s := openStore(t, nil, response("http://h.example/a", day, page("kept")), response("http://h.example/gone", day, "HTTP/1.1 404 Not Found\r\n\r\n"))
	registry, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.New(policy.Rules{TypedPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	errNetwork := errors.New("the network")
	c := access.New(registry, p, &access.Options{Archive: s, Live: true, Dial: func(context.Context, string, string) (net.Conn, error) { return nil, errNetwork }})
	defer c.Close()
	res, err := c.Open(t.Context(), "http://h.example/a")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Follow(t.Context(), res, locus.MustParse("http://127.0.0.1/")); access.KindOf(err) != access.Denied {
		t.Errorf("a kept page leads to a private address: %v", err)
	}
	res.Close()
	if _, err := c.Open(t.Context(), "http://h.example/gone"); errors.Is(err, errNetwork) || !errors.Is(err, scheme.ErrNotFound) {
		t.Error(err)
	}
	if _, err := c.Open(t.Context(), "http://127.0.0.1/other"); !errors.Is(err, errNetwork) {
		t.Error(err)
	}
}

// With Live, an archived redirect is subject to the rules for server redirects: it must not
// point to a private address, start a session, compose a message, or reveal a secret from https
// to http.
func TestLiveRedirect(t *testing.T) {
	moved := func(from, to string) rec {
		return response(from, day, "HTTP/1.1 302 Found\r\nLocation: "+to+"\r\n\r\n")
	}
	asked := make(chan string, 1)
	web := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r.Header.Get("Authorization") }))
	defer web.Close()
	s := openStore(t, nil, moved("http://h.example/private", "http://127.0.0.1/"), moved("http://h.example/port", "http://other.example:25/"),
		moved("http://h.example/login", "http://u:p@other.example/"), moved("http://h.example/session", "telnet://other.example/"),
		moved("http://h.example/mail", "mailto:a@h.example"), moved("http://h.example/file", "file:///etc/passwd"),
		moved("https://h.example/down", "http://h.example/live"), moved("http://h.example/same", "http://h.example/live"))
	registry, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.New(policy.Rules{TypedPrivate: true, Files: true, AllowPrivate: false})
	if err != nil {
		t.Fatal(err)
	}
	errNetwork := errors.New("the network")
	c := access.New(registry, p, &access.Options{Archive: s, Live: true,
		HeaderFor: func(locus.URL) http.Header { return http.Header{"Authorization": {"Bearer token"}} },
		Lookup: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
		},
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			if address != "93.184.216.34:80" {
				t.Errorf("dials %s", address)
				return nil, errNetwork
			}
			return new(net.Dialer).DialContext(ctx, network, web.Listener.Addr().String())
		}})
	defer c.Close()
	for _, path := range []string{"private", "port", "login", "session", "mail", "file"} {
		if res, err := c.Open(t.Context(), "http://h.example/"+path); access.KindOf(err) != access.Denied {
			t.Errorf("%s: %+v, %v", path, res, err)
		}
	}
	for url, want := range map[string]string{"https://h.example/down": "", "http://h.example/same": "Bearer token"} {
		res, err := c.Open(t.Context(), url)
		if err != nil {
			t.Errorf("%s: %v", url, err)
			continue
		}
		res.Close()
		if got := <-asked; got != want {
			t.Errorf("%s: %q", url, got)
		}
	}
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.warc.gz"), pack(response("http://a.example/", day, page("a"))))
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "sub", "b.warc"), []byte(response("http://b.example/", day, page("b")).text()+response("http://b.example/2", day, page("b2")).text()))
	write(t, filepath.Join(dir, "old.arc"), []byte("filedesc://old.arc 0.0.0.0 19960501000000 text/plain 0\n\nhttp://old.example/ 192.0.2.1 19960501102030 text/html 27\nHTTP/1.0 200 OK\r\n\r\nold page\n"))
	write(t, filepath.Join(dir, "notes.txt"), []byte("no archive"))
	var notes []string
	s := openPaths(t, &archive.Options{Note: func(err error) { notes = append(notes, err.Error()) }}, dir)
	want(t, s, "http://a.example/", "a")
	want(t, s, "http://b.example/2", "b2")
	want(t, s, "http://old.example/", "old page")
	if s.Files() != 3 || len(notes) > 0 {
		t.Errorf("%d files, %q", s.Files(), notes)
	}
	hosts, err := s.Hosts("", 2)
	if !slices.Equal(hosts, []string{"a.example", "b.example"}) || err != nil {
		t.Errorf("%q, %v", hosts, err)
	}
	if hosts, err = s.Hosts("b.example", 2); !slices.Equal(hosts, []string{"old.example"}) || err != nil {
		t.Errorf("%q, %v", hosts, err)
	}
	list, err := s.List("b.example", "", 1)
	if len(list) != 1 || err != nil || list[0].URL.String() != "http://b.example/" || list[0].Count != 1 || list[0].Status != 200 || list[0].Type != "text/html" {
		t.Fatalf("%+v, %v", list, err)
	}
	if list, err = s.List("b.example", list[0].After, 5); len(list) != 1 || err != nil || list[0].URL.String() != "http://b.example/2" {
		t.Errorf("%+v, %v", list, err)
	}
	registry, _ := all.Registry()
	for _, path := range []string{t.TempDir(), filepath.Join(dir, "none")} {
		if _, err := archive.Open(t.Context(), registry, []string{path}, nil); err == nil {
			t.Errorf("%s opens", path)
		}
	}
}

// The source of an archived menu is the archived bytes.
func TestSource(t *testing.T) {
	const text = "iHello\t\t\t\r\n0About\t/about\th.example\t70\r\n.\r\n"
	s := openStore(t, nil, resource("gopher://h.example/", day, "application/x-menu", text))
	res, err := s.Open(t.Context(), &scheme.Request{URL: locus.MustParse("gopher://h.example/"), Source: true})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	menu := res.(*scheme.Menu)
	for _, err := range menu.Items {
		if err != nil {
			t.Fatal(err)
		}
	}
	if octets, mediaType := menu.Source(); string(octets) != text || mediaType != "application/x-menu" {
		t.Errorf("the source is %q, %s", octets, mediaType)
	}
}

// A part of a message comes from the memento at the time of the request.
func TestPartAt(t *testing.T) {
	of := "mid:m@h.example"
	message := func(text string) string {
		return "Message-ID: <m@h.example>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-ID: <p@h.example>\r\nContent-Type: text/plain\r\n\r\n" + text + "\r\n--b--\r\n"
	}
	s := openStore(t, nil, resource(of, "2001-01-01T00:00:00Z", "message/rfc822", message("one")), resource(of, "2003-01-01T00:00:00Z", "message/rfc822", message("three")))
	for year, want := range map[int]string{2001: "one", 2003: "three"} {
		res, err := client(t, s).Do(t.Context(), access.Request{
			URL: locus.MustParse("cid:p@h.example"), From: &access.Result{URL: locus.MustParse(of)}, At: time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC),
		})
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(res.Resource.(*scheme.Object).Body)
		if err != nil || strings.TrimSpace(string(text)) != want {
			t.Errorf("%d: %q, %v; want %q", year, text, err, want)
		}
		res.Close()
	}
}

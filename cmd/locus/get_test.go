package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
)

// got is what one run of "locus get" came to.
type got struct {
	out, err string
	status   int
}

// runGet runs "locus get". change, which may be nil, changes the app before.
func runGet(t testing.TB, change func(a *base.App), args ...string) got {
	t.Helper()
	return run(t, change, append([]string{"get"}, args...)...)
}

// run runs the command.
func run(t testing.TB, change func(a *base.App), args ...string) got {
	t.Helper()
	var out, errOut bytes.Buffer
	home := filepath.Join(t.TempDir(), "none")
	env := func(name string) string { return map[string]string{"HOME": home}[name] }
	a := base.New(t.Context(), strings.NewReader(""), &out, &errOut, env)
	if change != nil {
		change(a)
	}
	status := runArgs(a, args)
	return got{out.String(), errOut.String(), status}
}

func onTerminal(a *base.App) { a.OutTTY = true }

// serve starts a server that has the octets at every path.
func serve(t testing.TB, octets string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "x.bin", time.Time{}, strings.NewReader(octets))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestGetTerminal(t *testing.T) {
	tests := []struct {
		octets string
		args   []string
		want   string
		status int
	}{
		{"plain text\n", nil, "plain text\n", 0},
		{"\x1b]0;title\a\tgr\u00fcn\r\n", nil, "\\x1b]0;title\\x07\tgr\u00fcn\n", 0},
		{"gr\xfcn", nil, `gr\xfcn`, 0},
		{"\x1b[2J", []string{"--raw"}, "\x1b[2J", 0},
		{"a\x00b", nil, "", 3},
		{"a\x00b", []string{"--raw"}, "a\x00b", 0},
	}
	for _, test := range tests {
		got := runGet(t, onTerminal, append(test.args, serve(t, test.octets))...)
		if got.out != test.want || got.status != test.status {
			t.Errorf("%q %q: %q, status %d, %s", test.octets, test.args, got.out, got.status, got.err)
		}
	}
	// Outside a terminal the output is the bytes.
	if got := runGet(t, nil, serve(t, "\x1b[2J\x00\xff")); got.out != "\x1b[2J\x00\xff" || got.status != 0 {
		t.Errorf("%+v", got)
	}
}

func TestGetTerminalMenu(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a\x1b[2Jb"), make([]byte, 1536), 0o666); err != nil {
		t.Fatal(err)
	}
	at := time.Date(1994, 12, 1, 10, 30, 0, 0, time.UTC)
	if err := os.Chtimes(filepath.Join(dir, "a\x1b[2Jb"), at, at); err != nil {
		t.Fatal(err)
	}
	want := `    1  object    1.5 KiB  1994-12-01 10:30  a\x1b[2Jb` + "\n"
	if got := runGet(t, onTerminal, "file://"+dir+"/"); got.out != want || got.status != 0 {
		t.Errorf("%q, want %q; %s", got.out, want, got.err)
	}
}

// A file has the time that the server tells, if it does.
func TestGetTimes(t *testing.T) {
	then := time.Date(1994, 12, 1, 16, 0, 0, 0, time.UTC)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/web" {
			w.Header().Set("Last-Modified", then.Format(http.TimeFormat))
		}
		io.WriteString(w, "x")
	}))
	defer web.Close()
	files, err := ftptest.Start(map[string]ftptest.File{"ftp": {Data: "x", ModTime: then}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	local := filepath.Join(t.TempDir(), "local")
	if err := os.WriteFile(local, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(local, then, then); err != nil {
		t.Fatal(err)
	}
	begin := time.Now().Add(-time.Minute)
	for _, row := range []struct {
		url  string
		args []string
		want bool // the server's time
	}{
		{web.URL + "/web", []string{"-O", "-d", "DIR"}, true},
		{"ftp://" + files.Addr() + "/ftp", []string{"-O", "-d", "DIR"}, true},
		{"file://" + local, []string{"-O", "-d", "DIR"}, true},
		{web.URL + "/web", []string{"-o", "DIR/web"}, true},
		{web.URL + "/web", []string{"-O", "-d", "DIR", "--no-times"}, false},
		{web.URL + "/none", []string{"-O", "-d", "DIR"}, false},
	} {
		dir := t.TempDir()
		args := []string{row.url}
		for _, arg := range row.args {
			args = append(args, strings.Replace(arg, "DIR", dir, 1))
		}
		if got := runGet(t, nil, args...); got.status != 0 {
			t.Fatalf("%q: %s", args, got.err)
		}
		info, err := os.Stat(filepath.Join(dir, path.Base(row.url)))
		if err != nil {
			t.Fatal(err)
		}
		if row.want != info.ModTime().Equal(then) || !row.want && info.ModTime().Before(begin) {
			t.Errorf("%q: %v", row.args, info.ModTime())
		}
	}
	if got := runGet(t, nil, "--no-times", web.URL); got.status != 2 || !strings.Contains(got.err, "need -o or -O") {
		t.Errorf("without a file: %+v", got)
	}
}

// A message tells a failure once, without names of packages and of system calls.
func TestMessagesOnce(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "there")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	for _, row := range []struct {
		args []string
		want string
	}{
		{[]string{"get", "http://" + addr + "/"}, `locus: dial http://ADDR/: no connection to "ADDR": connection refused`},
		{[]string{"get", "ftp://" + addr + "/x"}, `locus: dial ftp://ADDR/x: no connection to "ADDR": connection refused`},
		{[]string{"get", "-O", "-d", dir, "gopher://" + addr + "/0x"}, `locus: DIR/x: dial gopher://ADDR/0x: no connection to "ADDR": connection refused`},
		{[]string{"get", "file://" + dir + "/none"}, `locus: open file://DIR/none: file: "DIR/none": no such file or directory`},
		{[]string{"get", "--in", dir + "/none", "cid:x@y"}, `locus: open cid:x@y: cid: open file://DIR/none: file: "DIR/none": no such file or directory`},
		{[]string{"get", "-O", "-d", dir, "file://" + file}, `locus: DIR/there: not replaced: file already exists, from file://DIR/there (--overwrite replaces it, -C keeps it)`},
		{[]string{"get", "-o", dir, "-d", "/", "file://" + file}, ""},
		{[]string{"verify", "--no-cache", dir + "/none"}, "locus: DIR/none: no such file or directory"},
		{[]string{"verify", "--rules", dir + "/none", file}, "locus: --rules: open DIR/none: no such file or directory"},
		{[]string{"gateway", "--listen", "127.0.0.1:0", "--no-cache", "--deny", "a/b"}, ""},
	} {
		got := run(t, nil, row.args...)
		text, _, _ := strings.Cut(strings.NewReplacer(addr, "ADDR", dir, "DIR").Replace(got.err), "\n")
		if row.want != "" && text != row.want {
			t.Errorf("%q:\n%s\nwant\n%s", row.args, text, row.want)
		}
		for _, bad := range []string{"dial tcp", "connect:", "transfer:", "verify:", "locus: locus", ": locus:"} {
			if strings.Contains(text, bad) {
				t.Errorf("%q: %s", row.args, text)
			}
		}
	}
}

// Requests over HTTP name the program, and have the fields of --header.
func TestHeaders(t *testing.T) {
	var mu sync.Mutex
	var seen []http.Header
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, r.Header.Clone())
	}))
	defer server.Close()
	dir := t.TempDir()
	file := filepath.Join(dir, "fields")
	if err := os.WriteFile(file, []byte("X-Two: 2\n\nX-Three: 3\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	doc := filepath.Join(dir, "doc.txt")
	if err := os.WriteFile(doc, []byte(server.URL+"/x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(dir, "bad")
	if err := os.WriteFile(bad, []byte("X: 1\nsesame\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	verify := []string{"verify", "--no-cache", "--allow-private", doc}
	for _, row := range []struct {
		args  []string
		agent string
		want  map[string]string
	}{
		{[]string{"get", server.URL + "/"}, "", nil},
		{[]string{"get", "--user-agent", "mine/1", "--header", "X-One:  1 ", "--header", "@" + file, server.URL + "/"}, "mine/1", map[string]string{"X-One": "1", "X-Two": "2", "X-Three": "3"}},
		{[]string{"get", "--header", "Authorization: Bearer sesame", server.URL + "/"}, "", map[string]string{"Authorization": "Bearer sesame"}},
		{verify, "", nil},
		{append(verify, "--user-agent", "mine/1", "--header", "X-One: 1"), "mine/1", map[string]string{"X-One": "1"}},
	} {
		seen = nil
		if got := run(t, nil, row.args...); got.status != 0 || len(seen) == 0 {
			t.Fatalf("%q: %+v, %d requests", row.args, got, len(seen))
		}
		if agent := seen[0].Get("User-Agent"); agent != row.agent && (row.agent != "" || !strings.HasPrefix(agent, "locus/") || !strings.HasSuffix(agent, " (+https://github.com/locus-url/locus)")) {
			t.Errorf("%q: User-Agent %q", row.args, agent)
		}
		for name, want := range row.want {
			if got := seen[0].Get(name); got != want {
				t.Errorf("%q: %s %q, want %q", row.args, name, got, want)
			}
		}
	}
	for _, row := range []struct{ field, says string }{
		{"sesame", `write a field as "Name: value"`},
		{"X Y: sesame", `write a field as "Name: value"`},
		{"X: a\r\nY: sesame", "X has a control character"},
		{"host: sesame", "Host is set by the client"},
		{"@" + bad, "bad, line 2: "},
		{"@" + dir + "/none", "no such file"},
	} {
		got := run(t, nil, "get", "--header", row.field, server.URL+"/")
		if got.status != 2 || !strings.Contains(got.err, row.says) || strings.Contains(got.err, "sesame") {
			t.Errorf("%q: %+v", row.field, got)
		}
	}
	if got := run(t, nil, append(verify, "--header", "Cookie: sesame")...); got.status != 2 || !strings.Contains(got.err, "every host") {
		t.Errorf("a secret for every host: %+v", got)
	}
	if got := run(t, nil, "get", "--user-agent", "a\nb", server.URL); got.status != 2 {
		t.Errorf("%+v", got)
	}
}

func TestGetJSONKinds(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/there", http.StatusMovedPermanently)
		case "/there":
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("Last-Modified", "Thu, 01 Dec 1994 16:00:00 GMT")
			io.WriteString(w, "here")
		case "/round":
			http.Redirect(w, r, "/round", http.StatusFound)
		case "/file":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case "/login":
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	tests := []struct {
		args   []string
		want   string
		status int
	}{
		{[]string{"/there"}, `{"url":"BASE/there","kind":"object","mediaType":"text/plain","size":4,"modified":"1994-12-01T16:00:00Z"}`, 0},
		{[]string{"/moved"}, `{"url":"BASE/moved","found":"BASE/there","kind":"object","mediaType":"text/plain","size":4,"modified":"1994-12-01T16:00:00Z"}`, 0},
		{[]string{"--no-follow", "/moved"}, `{"url":"BASE/moved","kind":"referral","to":["BASE/there"],"permanent":true}`, 0},
		{[]string{"/round"}, "protocol", 3},
		{[]string{"/file"}, "denied", 4},
		{[]string{"/login"}, "auth", 3},
		{[]string{"/none"}, "not-found", 3},
		{[]string{"mailto:a@b"}, "unsupported", 3},
		{[]string{"telnet://" + deadAddress(t) + "/"}, "unreachable", 3},
		{[]string{"x-unknown:x"}, "unsupported", 3},
		{[]string{"http://127.0.0.1:25/"}, "denied", 4},
		{[]string{"ftp://127.0.0.1/a%0d%0aDELE%20x"}, "syntax", 2},
		{[]string{"http:/a b"}, "syntax", 2},
		{[]string{"--max-size", "3", "/there"}, "too-large", 3},
	}
	for _, test := range tests {
		args := []string{"--json"}
		for _, arg := range test.args {
			if arg[0] == '/' {
				arg = server.URL + arg
			}
			args = append(args, arg)
		}
		got := runGet(t, nil, args...)
		if got.status != test.status || got.err != "" {
			t.Errorf("%q: status %d, %s", test.args, got.status, got.err)
		}
		if test.want[0] == '{' {
			if want := strings.ReplaceAll(test.want, "BASE", server.URL) + "\n"; got.out != want {
				t.Errorf("%q:\n got %s\nwant %s", test.args, got.out, want)
			}
			continue
		}
		var v struct {
			URL   string
			Error struct{ Kind, Message string }
		}
		if err := json.Unmarshal([]byte(got.out), &v); err != nil || v.Error.Kind != test.want || v.Error.Message == "" || v.URL == "" {
			t.Errorf("%q: %s, want the kind %s", test.args, got.out, test.want)
		}
	}
}

// Ctrl-C keeps the part and says how to resume.
func TestGetInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	data := strings.Repeat("0123456789", 10_000)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ctx.Err() != nil {
			http.ServeContent(w, r, "x.bin", time.Time{}, strings.NewReader(data))
			return
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(data)))
		io.WriteString(w, data[:50_000])
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	dir := t.TempDir()
	file := filepath.Join(dir, "x")
	// The interrupt comes when the part has what was sent.
	go func() {
		for {
			if info, err := os.Stat(file + ".part"); err == nil && info.Size() == 50_000 || t.Context().Err() != nil {
				cancel()
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	interrupted := runGet(t, func(a *base.App) { a.Context = ctx }, "-o", file, server.URL)
	if interrupted.status != base.StatusInterrupted || !strings.Contains(interrupted.err, "50000 octets are kept in "+file+".part") || !strings.Contains(interrupted.err, "-C") {
		t.Errorf("%+v", interrupted)
	}
	if got := runGet(t, nil, "--json", "-C", "-o", file, server.URL); got.status != 0 || !strings.Contains(got.out, `"size":100000`) || !strings.Contains(got.out, `"resumed":50000`) {
		t.Errorf("%+v", got)
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != data {
		t.Errorf("%d octets, %v", len(b), err)
	}
}

// A terminal shows no text that is in a content coding.
func TestGetCodedToTerminal(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "br")
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, "coded")
	}))
	defer server.Close()
	got := runGet(t, onTerminal, server.URL)
	if got.status != base.StatusAccess || got.out != "" || !strings.Contains(got.err, `not decoded here: "br" (--raw writes`) {
		t.Errorf("%+v", got)
	}
	if got := runGet(t, onTerminal, "--raw", server.URL); got.status != 0 || got.out != "coded" {
		t.Errorf("%+v", got)
	}
}

// closedPipe is an output without a reader.
type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestGetClosedPipe(t *testing.T) {
	server := serve(t, strings.Repeat("x", 1<<20))
	var errOut bytes.Buffer
	a := base.New(t.Context(), strings.NewReader(""), closedPipe{}, &errOut, func(string) string { return "" })
	if status := runArgs(a, []string{"get", server, server}); status != 0 || errOut.Len() > 0 {
		t.Errorf("status %d, %s", status, errOut.String())
	}
}

// brokenAfter is an output whose reader goes away after some octets.
type brokenAfter struct{ left int }

func (b *brokenAfter) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}
	}
	return len(p), nil
}

// The reader goes away, as "head" does. The status is that of what is known by then of
// the resource: 0, or 3 if the server has cut it short.
func TestGetIntoHead(t *testing.T) {
	const whole, piece = 1 << 20, 1000
	for _, test := range []struct {
		name   string
		sent   int
		reads  int // octets that the reader takes
		status int
		says   string
	}{
		{"whole", whole, piece, 0, ""},
		{"cut after the reader went away", whole - 1, piece, 0, ""},
		{"cut before the reader went away", piece, piece, base.StatusAccess, "unexpected EOF"},
		{"cut, and the reader takes nothing of the last octets", piece, piece - 1, 0, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Length", strconv.Itoa(whole))
				w.Header().Set("Content-Type", "application/octet-stream")
				w.Write(make([]byte, test.sent))
				w.(http.Flusher).Flush()
				if test.sent < whole {
					panic(http.ErrAbortHandler)
				}
			}))
			defer server.Close()
			var errOut bytes.Buffer
			a := base.New(t.Context(), strings.NewReader(""), &brokenAfter{test.reads}, &errOut, func(string) string { return "" })
			status := runArgs(a, []string{"get", server.URL})
			if status != test.status || !strings.Contains(errOut.String(), test.says) || test.says == "" && errOut.Len() > 0 {
				t.Errorf("status %d, %s", status, &errOut)
			}
		})
	}
}

// Only temporary failures are repeated.
func TestGetRetry(t *testing.T) {
	for name, want := range map[string]struct {
		answer   func(w http.ResponseWriter, r *http.Request)
		requests int32
		message  string
	}{
		"400":  {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) }, 1, `400 "Bad Request"`},
		"405":  {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusMethodNotAllowed) }, 1, `405 "Method`},
		"451":  {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnavailableForLegalReasons) }, 1, `451 "Unavailable`},
		"501":  {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotImplemented) }, 1, `501 "Not`},
		"loop": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusFound) }, 1, "redirect loop"},
		"an hour": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusTooManyRequests)
		}, 1, "the server asks to wait 1h0m0s"},
		"once": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
		}, 2, "the server asks to wait 1s"},
	} {
		t.Run(name, func(t *testing.T) {
			var requests atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				want.answer(w, r)
			}))
			defer server.Close()
			got := runGet(t, nil, "--retry", "1", "-o", filepath.Join(t.TempDir(), "x"), server.URL+"/")
			if got.status != base.StatusAccess || requests.Load() != want.requests || !strings.Contains(got.err, want.message) {
				t.Errorf("%d requests, %d: %s", requests.Load(), got.status, got.err)
			}
		})
	}
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/locus-url/locus/internal/cli/base"
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
	env := func(name string) string { return map[string]string{"HOME": "/nonexistent"}[name] }
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

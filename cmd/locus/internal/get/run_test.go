package get_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/locus-url/locus/cmd/locus/internal/commands"
	"github.com/locus-url/locus/cmd/locus/internal/commandtest"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/clitest"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
)

// runGet runs "locus get". If the function change is not nil, runGet first calls it with the App.
func runGet(t testing.TB, change func(a *base.App), args ...string) clitest.Result {
	t.Helper()
	return commandtest.Run(t, change, append([]string{"get"}, args...)...)
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
		got := runGet(t, commandtest.OnTerminal, append(test.args, commandtest.Serve(t, test.octets))...)
		if got.Out != test.want || got.Status != test.status {
			t.Errorf("%q %q: %q, status %d, %s, want out %q and status %d", test.octets, test.args, got.Out, got.Status, got.Err, test.want, test.status)
		}
	}
	// If the output is not a terminal, the command writes the unchanged bytes.
	if got := runGet(t, nil, commandtest.Serve(t, "\x1b[2J\x00\xff")); got.Out != "\x1b[2J\x00\xff" || got.Status != 0 {
		t.Errorf("runGet() = %+v, want out %q and status 0", got, "\x1b[2J\x00\xff")
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
	if got := runGet(t, commandtest.OnTerminal, "file://"+dir+"/"); got.Out != want || got.Status != 0 {
		t.Errorf("%q, want %q; %s", got.Out, want, got.Err)
	}
}

// A file gets the time that the server reports, if any.
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
		want bool // the file has the time that the server reports
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
		if got := runGet(t, nil, args...); got.Status != 0 {
			t.Fatalf("%q: %s, want status 0", args, got.Err)
		}
		info, err := os.Stat(filepath.Join(dir, path.Base(row.url)))
		if err != nil {
			t.Fatal(err)
		}
		if row.want != info.ModTime().Equal(then) || !row.want && info.ModTime().Before(begin) {
			t.Errorf("%q: time %v, want that of the server %t", row.args, info.ModTime(), row.want)
		}
	}
	if got := runGet(t, nil, "--no-times", web.URL); got.Status != 2 || !strings.Contains(got.Err, "need -o or -O") {
		t.Errorf("without a file: %+v", got)
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
		{[]string{"telnet://" + clitest.DeadAddress(t) + "/"}, "unreachable", 3},
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
		if got.Status != test.status || got.Err != "" {
			t.Errorf("%q: status %d, %s, want status %d and no err", test.args, got.Status, got.Err, test.status)
		}
		if test.want[0] == '{' {
			if want := strings.ReplaceAll(test.want, "BASE", server.URL) + "\n"; got.Out != want {
				t.Errorf("%q:\n got %s\nwant %s", test.args, got.Out, want)
			}
			continue
		}
		var v struct {
			URL   string
			Error struct{ Kind, Message string }
		}
		if err := json.Unmarshal([]byte(got.Out), &v); err != nil || v.Error.Kind != test.want || v.Error.Message == "" || v.URL == "" {
			t.Errorf("%q: %s, want the kind %s", test.args, got.Out, test.want)
		}
	}
}

// After Ctrl-C, the part remains, and a message describes how to resume.
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
	// Interrupt the command when the incomplete file contains the sent bytes.
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
	if interrupted.Status != base.StatusInterrupted || !strings.Contains(interrupted.Err, "50000 bytes are saved in "+file+".part") || !strings.Contains(interrupted.Err, "-C") {
		t.Errorf("runGet(-o, %q, %q) = %+v, want interrupted.Status %d, %q in interrupted.Err and %q in interrupted.Err", file, server.URL, interrupted, base.StatusInterrupted, "50000 bytes are saved in "+file+".part", "-C")
	}
	if got := runGet(t, nil, "--json", "-C", "-o", file, server.URL); got.Status != 0 || !strings.Contains(got.Out, `"size":100000`) || !strings.Contains(got.Out, `"resumed":50000`) {
		t.Errorf("runGet(--json, -C, -o, %q, %q) = %+v, want status 0, %q in out and %q in out", file, server.URL, got, `"size":100000`, `"resumed":50000`)
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != data {
		t.Errorf("%d octets, %v", len(b), err)
	}
}

// The command does not write text with a content coding to a terminal.
func TestGetCodedToTerminal(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "br")
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, "coded")
	}))
	defer server.Close()
	got := runGet(t, commandtest.OnTerminal, server.URL)
	if got.Status != base.StatusAccess || got.Out != "" || !strings.Contains(got.Err, `unsupported content coding: "br" (use --raw to write`) {
		t.Errorf("runGet(%q) = %+v, want status %d, no out and %q in err", server.URL, got, base.StatusAccess, `unsupported content coding: "br" (use --raw to write`)
	}
	if got := runGet(t, commandtest.OnTerminal, "--raw", server.URL); got.Status != 0 || got.Out != "coded" {
		t.Errorf("runGet(--raw, %q) = %+v, want status 0 and out %q", server.URL, got, "coded")
	}
}

// closedPipe is an output without a reader.
type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestGetClosedPipe(t *testing.T) {
	server := commandtest.Serve(t, strings.Repeat("x", 1<<20))
	var errOut bytes.Buffer
	a := base.New(t.Context(), strings.NewReader(""), closedPipe{}, &errOut, func(string) string { return "" })
	if status := commands.Run(a, []string{"get", server, server}); status != 0 || errOut.Len() > 0 {
		t.Errorf("status %d, %s, want status 0 and no errOut", status, errOut.String())
	}
}

// brokenAfter is an output with a reader that disconnects after some bytes.
type brokenAfter struct{ left int }

func (b *brokenAfter) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}
	}
	return len(p), nil
}

// The reader closes the pipe early, like "head". The status depends on the resource so far: 0,
// or 3 if the server truncated it.
func TestGetReaderStops(t *testing.T) {
	const whole, piece = 1 << 20, 1000
	for _, test := range []struct {
		name   string
		sent   int
		reads  int // number of bytes that the reader reads
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
			status := commands.Run(a, []string{"get", server.URL})
			if status != test.status || !strings.Contains(errOut.String(), test.says) || test.says == "" && errOut.Len() > 0 {
				t.Errorf("status %d, %s, want status %d and %q in errOut", status, &errOut, test.status, test.says)
			}
		})
	}
}

// The command retries only after temporary failures.
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
		}, 1, "wait 1h0m0s before the next try"},
		"once": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
		}, 2, "wait 1s before the next try"},
	} {
		t.Run(name, func(t *testing.T) {
			var requests atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				want.answer(w, r)
			}))
			defer server.Close()
			got := runGet(t, nil, "--retry", "1", "-o", filepath.Join(t.TempDir(), "x"), server.URL+"/")
			if got.Status != base.StatusAccess || requests.Load() != want.requests || !strings.Contains(got.Err, want.message) {
				t.Errorf("%d requests, %d: %s", requests.Load(), got.Status, got.Err)
			}
		})
	}
}

// A text is decoded by the charset of its media type.
func TestGetCharset(t *testing.T) {
	for _, test := range []struct{ contentType, octets, want, note string }{
		{"text/plain; charset=iso-8859-1", "gr\xfc\xdf\x9b \xc3\xbc\x1b\n", "gr\u00fc\u00df\u203a \u00c3\u00bc\\x1b\n", `decoded from "iso-8859-1"`},
		{"text/plain; charset=\"ISO-8859-1\"", "plain\r\n", "plain\n", ""},
		{"text/plain; charset=utf-8", "gr\u00fc\xdf\n", "gr\u00fc\\xdf\n", ""},
		{"text/plain; charset=us-ascii", "gr\xfc\n", "gr\\xfc\n", ""},
		{"text/plain; charset=koi8-r", "\xf0\xd2\n", "\u041f\u0440\n", `decoded from "koi8-r"`},
		{"text/plain; charset=martian", "\xc1\n", "\\xc1\n", `unknown charset "martian"; bytes that are not UTF-8 are shown as escapes`},
		{"nonsense", "gr\u00fcn\n", "gr\u00fcn\n", ""},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header()["Content-Type"] = []string{test.contentType}
			w.Write([]byte(test.octets))
		}))
		got := runGet(t, commandtest.OnTerminal, server.URL)
		if got.Out != test.want || !strings.Contains(got.Err, test.note) || (test.note == "") != (got.Err == "") {
			t.Errorf("%q %q: %+v, want out %q and %q in err", test.contentType, test.octets, got, test.want, test.note)
		}
		if got := runGet(t, nil, server.URL); got.Out != test.octets {
			t.Errorf("%q: %q, want out %q", test.contentType, got.Out, test.octets)
		}
		server.Close()
	}
}

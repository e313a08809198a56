package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/transfer"
)

// got is what one run of "locus get" came to.
type got struct {
	out, err string
	status   int
}

// get runs "locus get". change, which may be nil, changes the app before.
func get(t testing.TB, change func(a *app), args ...string) got {
	t.Helper()
	return run(t, change, append([]string{"get"}, args...)...)
}

// run runs the command.
func run(t testing.TB, change func(a *app), args ...string) got {
	t.Helper()
	var out, errOut bytes.Buffer
	env := func(name string) string { return map[string]string{"HOME": "/nonexistent"}[name] }
	a := newApp(t.Context(), strings.NewReader(""), &out, &errOut, env)
	if change != nil {
		change(a)
	}
	status := a.run(args)
	return got{out.String(), errOut.String(), status}
}

func onTerminal(a *app) { a.outTTY = true }

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
		got := get(t, onTerminal, append(test.args, serve(t, test.octets))...)
		if got.out != test.want || got.status != test.status {
			t.Errorf("%q %q: %q, status %d, %s", test.octets, test.args, got.out, got.status, got.err)
		}
	}
	// Whoever does not look at it gets the octets.
	if got := get(t, nil, serve(t, "\x1b[2J\x00\xff")); got.out != "\x1b[2J\x00\xff" || got.status != 0 {
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
	if got := get(t, onTerminal, "file://"+dir+"/"); got.out != want || got.status != 0 {
		t.Errorf("%q, want %q; %s", got.out, want, got.err)
	}
}

func TestWriteTable(t *testing.T) {
	u, v := locus.MustParse("gopher://h/1a"), locus.MustParse("gopher://h/0b")
	at := time.Date(1994, 12, 1, 10, 30, 0, 0, time.UTC)
	text := scheme.Item{Title: "Welcome\nto it", Kind: scheme.KindInfo, Size: -1}
	menu := scheme.Item{URL: u, Title: "A menu", Kind: scheme.KindMenu, Size: -1, Note: "sl\u00f6w"}
	object := scheme.Item{URL: v, Title: "gr\xfcn", Kind: scheme.KindObject, Type: "text/plain; charset=x", Size: 0, ModTime: at}
	gone := scheme.Item{Title: "Gone", Kind: scheme.KindError, Size: -1}
	broken := scheme.Item{Title: "Broken", Kind: scheme.KindObject, Type: "text/plain", Size: -1, Note: "not a port"}
	for _, test := range []struct {
		items  []scheme.Item
		want   string
		latin1 bool
	}{
		{nil, "", false},
		{[]scheme.Item{text}, "                Welcome\\x0ato it\n", false},
		{[]scheme.Item{text, menu, object, text}, `                Welcome\x0ato it
    1  menu     A menu  sl\u00f6w
    2  text     gr\u00fcn  (0 1994-12-01 10:30)
                Welcome\x0ato it
`, true},
		{[]scheme.Item{text, object, menu, text}, `                                            Welcome\x0ato it
    1  text            0  1994-12-01 10:30  gr\u00fcn
    2  menu                                 A menu  sl\u00f6w
                                            Welcome\x0ato it
`, true},
		{[]scheme.Item{gone, menu, broken, {Title: "x", Kind: scheme.KindUnknown}}, `       error    Gone
    1  menu     A menu  sl\u00f6w
       text     Broken  not a port
                x
`, false},
		{[]scheme.Item{object, gone}, `    1  text            0  1994-12-01 10:30  gr\u00fcn
       error                                Gone
`, true},
	} {
		var b strings.Builder
		l := new(legible)
		tab := table{w: &b, legible: l}
		if err := tab.write(menuOf(test.items...).Items); err != nil {
			t.Fatal(err)
		}
		want := strings.NewReplacer(`\u00f6`, "\u00f6", `\u00fc`, "\u00fc").Replace(test.want)
		if b.String() != want || l.latin1 != test.latin1 {
			t.Errorf("got\n%s\nwant\n%s\n%v", b.String(), want, l.latin1)
		}
	}
}

// Lines that wait for the first link are there when it does not come, and when
// there are too many of them to wait.
func TestWriteTableHolds(t *testing.T) {
	text := scheme.Item{Title: "text", Kind: scheme.KindInfo, Size: -1}
	broken := errors.New("broken")
	for _, n := range []int{mostHeld - 1, mostHeld, mostHeld + 1} {
		var b strings.Builder
		tab := table{w: &b, legible: new(legible)}
		err := tab.write(func(yield func(scheme.Item, error) bool) {
			for range n {
				if !yield(text, nil) {
					return
				}
			}
			if held := strings.Count(b.String(), "\n") == 0; held != (n <= mostHeld) {
				t.Errorf("of %d lines nothing was written: %v", n, held)
			}
			yield(scheme.Item{}, broken)
		})
		if !errors.Is(err, broken) || strings.Count(b.String(), "                text\n") != n {
			t.Errorf("%d lines: %v, %q", n, err, b.String())
		}
	}
}

func TestShortKind(t *testing.T) {
	for _, test := range []struct {
		kind      scheme.ItemKind
		typ, want string
	}{
		{scheme.KindMenu, "application/gopher-menu", "menu"},
		{scheme.KindSession, "", "session"},
		{scheme.KindObject, "", "object"},
		{scheme.KindObject, "Text/Plain; charset=utf-8", "text"},
		{scheme.KindObject, "text/html", "html"},
		{scheme.KindObject, "image/gif", "image"},
		{scheme.KindObject, "audio/basic", "audio"},
		{scheme.KindObject, "application/octet-stream", "binary"},
		{scheme.KindObject, "application/pdf", "pdf"},
		{scheme.KindObject, "text/x-uuencode", "object"},
		{scheme.KindObject, "application/x-tar", "tar"},
		{scheme.KindObject, "a/\x1b[2J", "object"},
		{scheme.KindObject, "nonsense", "object"},
	} {
		if got := shortKind(scheme.Item{Kind: test.kind, Type: test.typ}); got != test.want {
			t.Errorf("%s %q: %q, want %q", test.kind, test.typ, got, test.want)
		}
	}
}

func menuOf(items ...scheme.Item) *scheme.Menu {
	return &scheme.Menu{Items: func(yield func(scheme.Item, error) bool) {
		for _, item := range items {
			if !yield(item, nil) {
				return
			}
		}
	}}
}

func TestWriteLines(t *testing.T) {
	m := menuOf(
		scheme.Item{Title: "a\tb\r\n"},
		scheme.Item{Title: "c", URL: locus.MustParse("ftp://u:p@h/c")},
	)
	var b strings.Builder
	if n, err := writeLines(&b, m.Items, new(legible)); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	if want := "a\\x09b\\x0d\\x0a\t\nc\tftp://u@h/c\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

// cutMenu is a menu that breaks off after so many items.
type cutMenu struct{ items int }

func (c cutMenu) Open(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
	return &scheme.Menu{URL: req.URL, Title: "t", Items: func(yield func(scheme.Item, error) bool) {
		u := locus.MustParse("x-menu://h/item")
		for range c.items {
			if !yield(scheme.Item{URL: u, Title: "item & more", Kind: scheme.KindObject, Size: -1}, nil) {
				return
			}
		}
		yield(scheme.Item{}, fmt.Errorf("%w: it broke", scheme.ErrProtocol))
	}}, nil
}

// getter returns a getter over one scheme, x-menu, and where its output goes.
func menuGetter(t testing.TB, opener scheme.Opener, out io.Writer) *getter {
	t.Helper()
	a := newApp(t.Context(), strings.NewReader(""), out, io.Discard, func(string) string { return "" })
	s := scheme.Generic("x-menu", scheme.Experimental)
	s.Opener, s.Access = opener, "memory"
	var err error
	if a.registry, err = scheme.NewRegistry(s); err != nil {
		t.Fatal(err)
	}
	g := &getter{viewer: viewer{a: a, client: memoryClient(a.registry)}}
	g.runSession = g.session
	return g
}

// What came before an error is there, and then the error.
func TestMenuCut(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		var out bytes.Buffer
		g := menuGetter(t, cutMenu{2}, &out)
		g.a.flags.json = asJSON
		if err := g.toStream(t.Context(), []string{"x-menu://h/"}, g.standardOutput()); err != nil {
			t.Fatal(err)
		}
		g.a.out.Flush()
		if g.a.status != statusAccess {
			t.Errorf("status %d", g.a.status)
		}
		if !asJSON {
			if want := strings.Repeat("item & more\tx-menu://h/item\n", 2); out.String() != want {
				t.Errorf("%q, want %q", out.String(), want)
			}
			continue
		}
		var v struct {
			URL, Kind, Title string
			Items            []struct{ URL, Title, Kind string }
			Error            struct{ Kind, Message string }
		}
		if err := json.Unmarshal(out.Bytes(), &v); err != nil || strings.Count(out.String(), "\n") != 1 {
			t.Fatalf("%v: %s", err, out.String())
		}
		if v.Kind != "menu" || len(v.Items) != 2 || v.Items[1].Title != "item & more" || v.Error.Kind != "protocol" || v.Error.Message == "" {
			t.Errorf("%+v", v)
		}
	}
}

// A menu of any length takes no more memory than a short one.
func TestMenuStreams(t *testing.T) {
	for _, mode := range []string{"lines", "table", "json"} {
		g := menuGetter(t, cutMenu{200_000}, io.Discard)
		g.a.flags.json, g.a.outTTY = mode == "json", mode == "table"
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := g.toStream(t.Context(), []string{"x-menu://h/"}, g.standardOutput()); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if grown := int64(after.Sys) - int64(before.Sys); grown > 16<<20 {
			t.Errorf("%s: %d octets more", mode, grown)
		}
	}
}

func TestHumanSize(t *testing.T) {
	for n, want := range map[int64]string{
		-1: "", 0: "0", 1023: "1023", 1024: "1.0 KiB", 10_188: "9.9 KiB", 10_189: "10 KiB",
		1<<20 - 1: "1.0 MiB", 1 << 20: "1.0 MiB", 5 << 30: "5.0 GiB", 1<<63 - 1: "8.0 EiB",
	} {
		if got := humanSize(n); got != want {
			t.Errorf("humanSize(%d) = %q, want %q", n, got, want)
		}
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
		got := get(t, nil, args...)
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

// Ctrl-C keeps the part and says how to go on.
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
	interrupted := get(t, func(a *app) { a.ctx = ctx }, "-o", file, server.URL)
	if interrupted.status != statusInterrupted || !strings.Contains(interrupted.err, "50000 octets are kept in "+file+".part") || !strings.Contains(interrupted.err, "-C") {
		t.Errorf("%+v", interrupted)
	}
	if got := get(t, nil, "--json", "-C", "-o", file, server.URL); got.status != 0 || !strings.Contains(got.out, `"size":100000`) || !strings.Contains(got.out, `"resumed":50000`) {
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
	got := get(t, onTerminal, server.URL)
	if got.status != statusAccess || got.out != "" || !strings.Contains(got.err, `not decoded here: "br" (--raw writes`) {
		t.Errorf("%+v", got)
	}
	if got := get(t, onTerminal, "--raw", server.URL); got.status != 0 || got.out != "coded" {
		t.Errorf("%+v", got)
	}
}

func TestGetInterruptedMany(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var l leftovers
	e := &transfer.Error{Err: ctx.Err()}
	if l.add(e) {
		t.Error("a message for each that was not begun")
	}
	e.Part = "x.part"
	if !l.add(e) || !l.add(errors.New("else")) {
		t.Error("no message")
	}
	if l != (leftovers{parts: 1, unsure: 1, notBegun: 1}) {
		t.Errorf("%+v", l)
	}
	e.Resumable = true
	l.add(e)
	if l != (leftovers{parts: 2, unsure: 1, notBegun: 1}) {
		t.Errorf("%+v", l)
	}
}

// Whatever a server calls an item, it is one line, and the terminal obeys nothing
// of it.
func FuzzTable(f *testing.F) {
	f.Add("title", "note", int64(1), true)
	f.Add("\x1b[2J\r\n\t", "\u202e", int64(-1), false)
	f.Add("\xff\xfe", "", int64(1<<62), true)
	f.Fuzz(func(t *testing.T, title, note string, size int64, link bool) {
		item := scheme.Item{Title: title, Note: note, Size: size, Kind: scheme.KindObject, Type: title}
		if link {
			item.URL = locus.MustParse("gopher://h/0a")
		}
		var b strings.Builder
		tab := table{w: &b, legible: new(legible)}
		if err := tab.write(menuOf(item, item).Items); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(b.String(), "\n")
		if len(lines) != 3 || term.Safe(lines[0]+lines[1]) != lines[0]+lines[1] {
			t.Errorf("%q", b.String())
		}
	})
}

// closedPipe is an output that nobody reads any more.
type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestGetClosedPipe(t *testing.T) {
	server := serve(t, strings.Repeat("x", 1<<20))
	var errOut bytes.Buffer
	a := newApp(t.Context(), strings.NewReader(""), closedPipe{}, &errOut, func(string) string { return "" })
	if status := a.run([]string{"get", server, server}); status != 0 || errOut.Len() > 0 {
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
		{"cut before the reader went away", piece, piece, statusAccess, "unexpected EOF"},
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
			a := newApp(t.Context(), strings.NewReader(""), &brokenAfter{test.reads}, &errOut, func(string) string { return "" })
			status := a.run([]string{"get", server.URL})
			if status != test.status || !strings.Contains(errOut.String(), test.says) || test.says == "" && errOut.Len() > 0 {
				t.Errorf("status %d, %s", status, &errOut)
			}
		})
	}
}

// What is known of a resource is told also if it comes with the failure to write.
func TestWithoutOutput(t *testing.T) {
	output := &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}
	cut := fmt.Errorf("%w: cut", scheme.ErrProtocol)
	a := &app{sink: sink{err: output}}
	for _, test := range []struct{ err, want error }{
		{nil, nil},
		{output, nil},
		{cut, cut},
		{fmt.Errorf("get: %w", output), nil},
		{errors.Join(cut, output), cut},
		{fmt.Errorf("get: %w", errors.Join(output, cut)), cut},
		{errors.Join(output, nil), nil},
	} {
		got := a.withoutOutput(test.err)
		if (got == nil) != (test.want == nil) || test.want != nil && got.Error() != test.want.Error() {
			t.Errorf("%v: %v, want %v", test.err, got, test.want)
		}
	}
	if got := new(app).withoutOutput(output); got != output {
		t.Errorf("the output is whole, and %v is lost", output)
	}
}

func FuzzSafeWriter(f *testing.F) {
	f.Add([]byte("plain"), uint8(1))
	f.Add([]byte("gr\u00fcn\r\n\u65e5\u672c\r"), uint8(2))
	f.Add([]byte("\xf0\x9f\x98\x80\xf0\x9f\xff\xe2\x80\xae"), uint8(3))
	f.Fuzz(func(t *testing.T, octets []byte, n uint8) {
		write := func(size int) string {
			var b strings.Builder
			w := &safeWriter{w: &b}
			for rest := octets; len(rest) > 0; {
				piece := rest[:min(size, len(rest))]
				rest = rest[len(piece):]
				if _, err := w.Write(piece); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			return b.String()
		}
		whole := write(len(octets) + 1)
		if pieces := write(int(n) + 1); pieces != whole {
			t.Errorf("%q in pieces of %d gives %q, whole %q", octets, int(n)+1, pieces, whole)
		}
		if i := strings.IndexFunc(whole, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 }); i >= 0 {
			t.Errorf("%q gives %q", octets, whole)
		}
	})
}

func memoryClient(r *scheme.Registry) *access.Client { return access.New(r, policy.Policy{}, nil) }

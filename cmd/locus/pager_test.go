package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/scheme"
)

// paged makes an app one whose output a person looks at, with that pager.
func paged(pager string) func(*base.App) {
	return func(a *base.App) {
		a.OutTTY = true
		env := a.Getenv
		a.Getenv = func(name string) string {
			if name == "PAGER" {
				return pager
			}
			return env(name)
		}
	}
}

func TestOpenPager(t *testing.T) {
	text := serve(t, "one\x1b[2J\ntwo\n")
	binary := serve(t, "a\x00b")
	none := httptest.NewServer(http.NotFoundHandler())
	defer none.Close()
	marked := filepath.Join(t.TempDir(), "begun")
	for _, test := range []struct {
		pager, url string
		out, err   string
		status     int
	}{
		{"cat", text, "one\\x1b[2J\ntwo\n", "", 0},
		{"sed 's/^/> /'", text, "> one\\x1b[2J\n> two\n", "", 0},
		{"head -n 1", text, "one\\x1b[2J\n", "", 0},
		{"true", text, "", "", 0},
		{"exit 3", text, "", "", 0},
		{"exec /nonexistent/pager", text, "", "the pager can't be run: exec /nonexistent/pager", 3},
		{`printf %s "$LESS"`, text, "FRX", "", 0},
		{"touch " + marked, binary, "", `the object is not text, and standard output is a terminal ("locus get -O" writes it to a file)`, 3},
		{"touch " + marked, none.URL, "", "not found", 3},
		{"cat", "mailto:a@b", "", "there is no terminal", 4},
		{"cat", "telnet://127.0.0.1/", "", "telnet", 3},
	} {
		got := run(t, paged(test.pager), "open", test.url)
		if got.out != test.out || got.status != test.status || !strings.Contains(got.err, test.err) || test.err == "" && got.err != "" {
			t.Errorf("%s %s: %+v", test.pager, test.url, got)
		}
	}
	if _, err := os.Stat(marked); err == nil {
		t.Error("a pager began without a text")
	}
	// That of the configuration goes before that of the environment.
	got := run(t, func(a *base.App) {
		paged("false")(a)
		env := a.Getenv
		a.Getenv = func(name string) string {
			return map[string]string{"LOCUS_PAGER": "cat", "LESS": "x", "PAGER": env("PAGER")}[name]
		}
	}, "open", text)
	if got.out != "one\\x1b[2J\ntwo\n" {
		t.Errorf("%+v", got)
	}
	// Programs get what "locus get" writes.
	if got := run(t, nil, "open", text); got.out != "one\x1b[2J\ntwo\n" || got.status != 0 {
		t.Errorf("%+v", got)
	}
	if got := run(t, paged("false"), "open", "--json", text); !strings.HasPrefix(got.out, `{"url":"`) || got.status != 0 {
		t.Errorf("%+v", got)
	}
}

// Where no pager is, text goes straight to the terminal.
func TestOpenNoPager(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if got := run(t, paged(""), "open", serve(t, "text\n")); got.out != "text\n" || got.status != 0 {
		t.Errorf("%+v", got)
	}
	// Which is less, if there is one.
	program := filepath.Join(os.Getenv("PATH"), "less")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nread line\necho \"less: $line\"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	if got := run(t, paged(""), "open", serve(t, "text\n")); got.out != "less: text\n" || got.status != 0 {
		t.Errorf("%+v", got)
	}
}

// A pager that ends does not wait for a server that says nothing.
func TestOpenPagerEnds(t *testing.T) {
	closed := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte("first\n"))
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(closed)
	}))
	defer server.Close()
	if got := run(t, paged("head -n 1"), "open", server.URL); got.out != "first\n" || got.status != 0 || got.err != "" {
		t.Errorf("%+v", got)
	}
	select {
	case <-closed:
	case <-time.After(2 * time.Minute):
		t.Error("the connection is still there")
	}
}

// What came before an error is shown, and then the error; notes come when the
// pager is gone.
func TestOpenPagerMenu(t *testing.T) {
	s := &survey{reply: &scheme.Menu{Items: func(yield func(scheme.Item, error) bool) {
		if yield(scheme.Item{URL: locus.MustParse("x-form://h/a"), Title: "gr\xfcn", Kind: scheme.KindMenu, Size: -1}, nil) {
			yield(scheme.Item{}, scheme.ErrProtocol)
		}
	}}}
	s.name = "x-form"
	got := run(t, func(a *base.App) {
		s.in(a)
		paged("cat")(a)
		a.OpenTerminal = func() (*os.File, error) { return os.Open(os.DevNull) }
	}, "open", "x-form://h/")
	want := "    1  menu     gr\u00fcn\n"
	if got.out != want || got.status != base.StatusAccess || !strings.Contains(got.err, "read x-form://h/: protocol error\n") || !strings.Contains(got.err, "ISO Latin 1\n") {
		t.Errorf("%+v", got)
	}
}

func TestOpenUsage(t *testing.T) {
	for _, args := range [][]string{{}, {"file:///", "file:///etc/"}, {"--view", ";", "file:///"}, {"--language", "e n", "file:///"}} {
		if got := run(t, nil, append([]string{"open"}, args...)...); got.status != base.StatusUsage || got.out != "" {
			t.Errorf("%q: %+v", args, got)
		}
	}
	if got := run(t, nil, "open", "no url"); got.status != base.StatusUsage {
		t.Errorf("%+v", got)
	}
	if got := run(t, func(a *base.App) { a.In = strings.NewReader("file:///\nfile:///etc/\n") }, "open", "-"); got.status != base.StatusUsage {
		t.Errorf("%+v", got)
	}
	if got := run(t, func(a *base.App) { a.In = strings.NewReader("file:///etc/passwd\n") }, "open", "-"); got.status != 0 || got.out == "" {
		t.Errorf("%+v", got)
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
		{"text/plain; charset=martian", "\xc1\n", "\\xc1\n", `unknown charset "martian": octets that are not UTF-8 are shown as escapes`},
		{"nonsense", "gr\u00fcn\n", "gr\u00fcn\n", ""},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header()["Content-Type"] = []string{test.contentType}
			w.Write([]byte(test.octets))
		}))
		got := runGet(t, onTerminal, server.URL)
		if got.out != test.want || !strings.Contains(got.err, test.note) || (test.note == "") != (got.err == "") {
			t.Errorf("%q %q: %+v", test.contentType, test.octets, got)
		}
		if got := runGet(t, nil, server.URL); got.out != test.octets {
			t.Errorf("%q: %q", test.contentType, got.out)
		}
		server.Close()
	}
}

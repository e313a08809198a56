package open_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/cmd/locus/internal/commandtest"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/scheme"
)

// paged returns a function that configures an App with a terminal as output and with the given
// pager.
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
	text := commandtest.Serve(t, "one\x1b[2J\ntwo\n")
	binary := commandtest.Serve(t, "a\x00b")
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
		{"touch " + marked, binary, "", `binary data is not written to a terminal (use "locus get -O" to write it to a file)`, 3},
		{"touch " + marked, none.URL, "", "not found", 3},
		{"cat", "mailto:a@b", "", "there is no terminal", 4},
		{"cat", "telnet://127.0.0.1/", "", "telnet", 3},
	} {
		got := commandtest.Run(t, paged(test.pager), "open", test.url)
		if got.Out != test.out || got.Status != test.status || !strings.Contains(got.Err, test.err) || test.err == "" && got.Err != "" {
			t.Errorf("%s %s: %+v, want out %q, status %d and %q in err", test.pager, test.url, got, test.out, test.status, test.err)
		}
	}
	if _, err := os.Stat(marked); err == nil {
		t.Error("a pager began without a text")
	}
	// The pager in the configuration takes precedence over the environment.
	got := commandtest.Run(t, func(a *base.App) {
		paged("false")(a)
		env := a.Getenv
		a.Getenv = func(name string) string {
			return map[string]string{"LOCUS_PAGER": "cat", "LESS": "x", "PAGER": env("PAGER")}[name]
		}
	}, "open", text)
	if got.Out != "one\\x1b[2J\ntwo\n" {
		t.Errorf("Run(open, %q) = %+v, want out %q", text, got, "one\\x1b[2J\ntwo\n")
	}
	// If the output is not a terminal, the command writes the same bytes as "locus get".
	if got := commandtest.Run(t, nil, "open", text); got.Out != "one\x1b[2J\ntwo\n" || got.Status != 0 {
		t.Errorf("Run(open, %q) = %+v, want out %q and status 0", text, got, "one\x1b[2J\ntwo\n")
	}
	if got := commandtest.Run(t, paged("false"), "open", "--json", text); !strings.HasPrefix(got.Out, `{"url":"`) || got.Status != 0 {
		t.Errorf("Run(open, --json, %q) = %+v, want %q at the start of out and status 0", text, got, `{"url":"`)
	}
}

// If no pager is installed, the command writes text directly to the terminal.
func TestOpenNoPager(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if got := commandtest.Run(t, paged(""), "open", commandtest.Serve(t, "text\n")); got.Out != "text\n" || got.Status != 0 {
		t.Errorf("Run(open) = %+v, want out %q and status 0", got, "text\n")
	}
	// The default pager is less, if it is installed.
	program := filepath.Join(os.Getenv("PATH"), "less")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nread line\necho \"less: $line\"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	if got := commandtest.Run(t, paged(""), "open", commandtest.Serve(t, "text\n")); got.Out != "less: text\n" || got.Status != 0 {
		t.Errorf("Run(open) = %+v, want out %q and status 0", got, "less: text\n")
	}
}

// When the pager ends, the command does not wait for a silent server.
func TestOpenPagerEnds(t *testing.T) {
	closed := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte("first\n"))
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(closed)
	}))
	defer server.Close()
	if got := commandtest.Run(t, paged("head -n 1"), "open", server.URL); got.Out != "first\n" || got.Status != 0 || got.Err != "" {
		t.Errorf("Run(open, %q) = %+v, want out %q, status 0 and no err", server.URL, got, "first\n")
	}
	select {
	case <-closed:
	case <-time.After(2 * time.Minute):
		t.Error("the connection is still there")
	}
}

// The pager shows the items before an error, and then the error. Notes appear after the pager has
// ended.
func TestOpenPagerMenu(t *testing.T) {
	s := &commandtest.Survey{Reply: &scheme.Menu{Items: func(yield func(scheme.Item, error) bool) {
		if yield(scheme.Item{URL: locus.MustParse("x-form://h/a"), Title: "gr\xfcn", Kind: scheme.KindMenu, Size: -1}, nil) {
			yield(scheme.Item{}, scheme.ErrProtocol)
		}
	}}}
	s.Name = "x-form"
	got := commandtest.Run(t, func(a *base.App) {
		s.In(a)
		paged("cat")(a)
		a.OpenTerminal = func() (*os.File, error) { return os.Open(os.DevNull) }
	}, "open", "x-form://h/")
	want := "    1  menu     gr\u00fcn\n"
	if got.Out != want || got.Status != base.StatusAccess || !strings.Contains(got.Err, "read x-form://h/: protocol error\n") || !strings.Contains(got.Err, "ISO Latin 1\n") {
		t.Errorf("%+v, want out %q, status %d, %q in err and %q in err", got, want, base.StatusAccess, "read x-form://h/: protocol error\n", "ISO Latin 1\n")
	}
}

func TestOpenUsage(t *testing.T) {
	for _, args := range [][]string{{}, {"file:///", "file:///etc/"}, {"--view", ";", "file:///"}, {"--language", "e n", "file:///"}} {
		if got := commandtest.Run(t, nil, append([]string{"open"}, args...)...); got.Status != base.StatusUsage || got.Out != "" {
			t.Errorf("%q: %+v, want status %d and no out", args, got, base.StatusUsage)
		}
	}
	if got := commandtest.Run(t, nil, "open", "no url"); got.Status != base.StatusUsage {
		t.Errorf("Run(open, no url) = %+v, want status %d", got, base.StatusUsage)
	}
	if got := commandtest.Run(t, func(a *base.App) { a.In = strings.NewReader("file:///\nfile:///etc/\n") }, "open", "-"); got.Status != base.StatusUsage {
		t.Errorf("Run(open, -) = %+v, want status %d", got, base.StatusUsage)
	}
	if got := commandtest.Run(t, func(a *base.App) { a.In = strings.NewReader("file:///etc/passwd\n") }, "open", "-"); got.Status != 0 || got.Out == "" {
		t.Errorf("Run(open, -) = %+v, want status 0 and some out", got)
	}
}

package mirror_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/locus-url/locus/mirror"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/gopher/gophertest"
)

// hole is the root of a typical gopher server.
func hole() gophertest.Item {
	return gophertest.Item{Items: []gophertest.Item{
		{Type: 'i', Name: "Welcome to the hole"},
		{Name: "About this hole", Selector: "0/about.txt", Data: "About.\n.\nMore.\n"},
		{Type: '9', Name: "Octets", Selector: "/bin/octets", Data: "a\r\n.\r\nb\x00\xff"},
		{Type: '1', Name: "Documents", Selector: "/docs/", Items: []gophertest.Item{
			{Name: "About", Selector: "/docs/about.txt", Data: "Documents.\n"},
			{Name: "About", Selector: "/old/about.txt", Data: "Old documents.\n"},
			{Name: "TCP/IP", Selector: "/docs/?", Data: "TCP/IP.\n"},
			{Type: '1', Name: "Up", Selector: "/docs/.."},
			{Type: '1', Name: "Deeper", Selector: "/docs/deep", Items: []gophertest.Item{
				{Name: "passwd", Selector: "../../../etc/passwd", Data: "Nothing but a selector.\n"},
				{Name: "caf\xe9", Selector: "/docs/deep/%", Data: "ISO Latin 1\n"},
				{Type: '1', Name: "Documents", Selector: "/docs/"},
			}},
		}},
		{Type: '7', Name: "Search", Selector: "/search", Search: func(string) []gophertest.Item { return nil }},
		{Type: '8', Name: "Log in", Selector: "guest", Host: "127.0.0.1", Port: 2323},
		{Type: '1', Name: "Elsewhere", Host: "gopher.example", Port: 70},
		{Type: 'h', Name: "The Web", Line: "hThe Web\tURL:http://info.cern.ch/\t127.0.0.1\t70"},
		{Type: '3', Name: "Something is wrong"},
		{Line: "0No host\t/x\tin valid\t70"},
		{Line: "0No port\t/x\t127.0.0.1\t99999"},
	}}
}

func startGopher(t testing.TB, root gophertest.Item, o *gophertest.Options) (server *gophertest.Server, url string) {
	t.Helper()
	server, err := gophertest.Start(root, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return server, "gopher://" + server.Addr()
}

func TestFSGopher(t *testing.T) {
	const want = `./
about.txt
docs/
docs/TCP_IP
docs/Up/
docs/about (2).txt
docs/about.txt
docs/deep/
docs/deep/caf` + "\u00e9" + `
docs/deep/docs -> ..
docs/deep/passwd
octets
`
	for _, o := range []*gophertest.Options{nil, {Length: gophertest.LengthExact}, {Length: gophertest.LengthClose}, {Plain: true}, {Plain: true, NoDot: true}} {
		server, root := startGopher(t, hole(), o)
		f := newFS(t, new(menuFixture).client(t), root, nil)
		if got := tree(t, f); got != want {
			t.Errorf("%+v: %s", o, got)
		}
		if err := fstest.TestFS(f, "about.txt", "docs/deep/passwd"); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
		for name, want := range map[string]string{
			"about.txt": "About.\r\n.\r\nMore.\r\n", "octets": "a\r\n.\r\nb\x00\xff", "docs/about (2).txt": "Old documents.\r\n",
			"docs/deep/docs/deep/passwd": "Nothing but a selector.\r\n",
		} {
			if data, err := f.ReadFile(name); err != nil || lines(data) != lines([]byte(want)) {
				t.Errorf("%+v: %s: %q, %v", o, name, data, err)
			}
		}
		// The selector is sent unchanged.
		if !slices.ContainsFunc(server.Log(), func(request string) bool { return strings.HasPrefix(request, "../../../etc/passwd") }) {
			t.Errorf("%+v: %q", o, server.Log())
		}
	}
}

// lines removes CRs, because line ends depend on the kind of reply.
func lines(data []byte) string { return strings.ReplaceAll(string(data), "\r", "") }

// A menu of Gopher+ items that links back to its root with a Gopher+ string.
func TestFSGopherPlusRoot(t *testing.T) {
	var server *gophertest.Server
	server, root := startGopher(t, gophertest.Item{}, &gophertest.Options{Raw: map[string]func(net.Conn){
		"": func(c net.Conn) {
			host, port, _ := net.SplitHostPort(server.Addr())
			fmt.Fprintf(c, "1Home\t\t%s\t%s\t+\r\n.\r\n", host, port)
		},
	}})
	if got := tree(t, newFS(t, new(menuFixture).client(t), root, nil)); got != "./\nHome -> .\n" {
		t.Error(got)
	}
}

// The entries of a truncated menu remain.
func TestFSGopherBroken(t *testing.T) {
	var server *gophertest.Server
	server, root := startGopher(t, gophertest.Item{}, &gophertest.Options{Raw: map[string]func(net.Conn){
		"": func(c net.Conn) {
			host, port, _ := net.SplitHostPort(server.Addr())
			fmt.Fprintf(c, "0Good\t/good\t%s\t%s\r\n0%s", host, port, strings.Repeat("x", 1<<20))
		},
	}})
	entries, err := newFS(t, new(menuFixture).client(t), root, nil).ReadDir(".")
	if names(entries) != "good" || err == nil {
		t.Errorf("%s, %v", names(entries), err)
	}
}

func TestFSGopherEndless(t *testing.T) {
	var server *gophertest.Server
	server, root := startGopher(t, gophertest.Item{}, &gophertest.Options{Raw: map[string]func(net.Conn){
		"": func(c net.Conn) {
			host, port, _ := net.SplitHostPort(server.Addr())
			for i := 0; ; i++ {
				if _, err := fmt.Fprintf(c, "0Item\t/%d\t%s\t%s\r\n", i, host, port); err != nil {
					return
				}
			}
		},
	}})
	entries, err := newFS(t, new(menuFixture).client(t), root, &mirror.FSOptions{Entries: 1000}).ReadDir(".")
	if len(entries) != 1000 || !errors.Is(err, scheme.ErrTooLarge) {
		t.Errorf("%d entries, %v", len(entries), err)
	}
}

func TestFSGopherFileServer(t *testing.T) {
	_, root := startGopher(t, hole(), nil)
	h := http.FileServer(http.FS(newFS(t, new(menuFixture).client(t), root, nil)))
	for path, want := range map[string]string{"/octets": "a\r\n.\r\nb\x00\xff", "/docs/about.txt": "Documents.\r\n"} {
		rec := get(t, h, path)
		if rec.Code != 200 || lines(rec.Body.Bytes()) != lines([]byte(want)) {
			t.Errorf("%s: %d, %q", path, rec.Code, rec.Body)
		}
	}
	if rec := get(t, h, "/nothing"); rec.Code != 404 {
		t.Errorf("%d", rec.Code)
	}
}

// An item that the server has removed does not exist.
func TestFSGopherNotFound(t *testing.T) {
	_, root := startGopher(t, gophertest.Item{Items: []gophertest.Item{{Name: "gone", Fail: &gophertest.Failure{Code: 1, Lines: []string{"It is gone."}}}}}, nil)
	f := newFS(t, new(menuFixture).client(t), root, nil)
	if _, err := f.Open("gone"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

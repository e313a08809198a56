package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locus-url/locus/cmd/locus/internal/commandtest"
	"github.com/locus-url/locus/internal/command/clitest"
)

// A message reports a failure to connect only once, even if several packages wrap the error.
func TestErrorsAppearOnce(t *testing.T) {
	dead := clitest.DeadAddress(t)
	want := `no connection to "` + dead + `": connection refused`
	for _, url := range []string{"http", "https", "ftp", "gopher", "wais", "nntp", "telnet", "finger", "gemini"} {
		url += "://" + dead + "/"
		if strings.HasPrefix(url, "wais") {
			url += "x?y"
		}
		if strings.HasPrefix(url, "nntp") {
			url += "a.b"
		}
		got := commandtest.Run(t, nil, "get", "--allow-private", url)
		if said := "locus: dial " + url + ": " + want + "\n"; got.Status != 3 || got.Err != said {
			t.Errorf("%d, %q\nwant %q", got.Status, got.Err, said)
		}
	}
	for _, proxy := range []string{"http", "socks5h"} {
		proxy += "://" + dead
		got := commandtest.Run(t, nil, "get", "--gateway", "all="+proxy, "https://h.example/")
		if said := "locus: dial https://h.example/: " + want + " (through " + proxy + ")\n"; got.Status != 3 || got.Err != said {
			t.Errorf("%d, %q\nwant %q", got.Status, got.Err, said)
		}
	}
}

// A message reports a failure only once, without names of packages and system calls.
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
		{[]string{"get", "-O", "-d", dir, "file://" + file}, `locus: DIR/there: not replaced: file already exists, from file://DIR/there (use --overwrite to replace it, or -C to skip it)`},
		{[]string{"get", "-o", dir, "-d", "/", "file://" + file}, ""},
		{[]string{"verify", "--no-cache", dir + "/none"}, "locus: DIR/none: no such file or directory"},
		{[]string{"verify", "--rules", dir + "/none", file}, "locus: --rules: open DIR/none: no such file or directory"},
		{[]string{"gateway", "--listen", "127.0.0.1:0", "--no-cache", "--deny", "a/b"}, ""},
	} {
		got := commandtest.Run(t, nil, row.args...)
		text, _, _ := strings.Cut(strings.NewReplacer(addr, "ADDR", dir, "DIR").Replace(got.Err), "\n")
		if row.want != "" && text != row.want {
			t.Errorf("%q:\n%s\nwant\n%s", row.args, text, row.want)
		}
		for _, bad := range []string{"dial tcp", "connect:", "transfer:", "verify:", "locus: locus", ": locus:"} {
			if strings.Contains(text, bad) {
				t.Errorf("%q: %s, want no %q in text", row.args, text, bad)
			}
		}
	}
}

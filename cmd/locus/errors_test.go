package main

import (
	"strings"
	"testing"
)

// A failure to connect is told once, whatever passes it on.
func TestErrorsAppearOnce(t *testing.T) {
	dead := deadAddress(t)
	want := `no connection to "` + dead + `": connection refused`
	for _, url := range []string{"http", "https", "ftp", "gopher", "wais", "nntp", "telnet", "finger", "gemini"} {
		url += "://" + dead + "/"
		if strings.HasPrefix(url, "wais") {
			url += "x?y"
		}
		if strings.HasPrefix(url, "nntp") {
			url += "a.b"
		}
		got := runGet(t, nil, "--allow-private", url)
		if said := "locus: dial " + url + ": " + want + "\n"; got.status != 3 || got.err != said {
			t.Errorf("%d, %q\nwant %q", got.status, got.err, said)
		}
	}
	for _, proxy := range []string{"http", "socks5h"} {
		proxy += "://" + dead
		got := runGet(t, nil, "--gateway", "all="+proxy, "https://h.example/")
		if said := "locus: dial https://h.example/: " + want + " (through " + proxy + ")\n"; got.status != 3 || got.err != said {
			t.Errorf("%d, %q\nwant %q", got.status, got.err, said)
		}
	}
}

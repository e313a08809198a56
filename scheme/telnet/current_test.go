package telnet_test

import (
	"strings"
	"testing"

	"github.com/locus-url/locus/scheme/internal/current/currenttest"
	"github.com/locus-url/locus/scheme/telnet"
)

func TestCurrent(t *testing.T) {
	list := []currenttest.Example{
		{"RFC 3986 1.1.2", "telnet://192.0.2.16:80/", "", "telnet://192.0.2.16:80/"},
		{"RFC 4248 2", "telnet://user:password@host:23/", "password@13!", "telnet://user:password@host/"},
		{"RFC 4248 2", "telnet://user@host", "", "telnet://user@host/"},
		{"", "telnet://host/#a", "", "telnet://host/#a"},
		{"", "TELNET://HOST:/", "", "telnet://host/"},
		{"", "telnet://host/a", "path@13", ""},
		{"", "telnet://host//", "path@13", ""},
		{"", "telnet://host?a", "query@13", ""},
		{"", "telnet:///", "host@9", ""},
		{"", "telnet://u:secret@/x", "password@10!, host@18", ""},
		{"", "telnet:host", "authority@7", ""},
		{"", "telnet:", "authority@7", ""},
	}
	rows := telnet.Schemes(nil)
	currenttest.Examples(t, rows[0], list)
	for i, e := range list {
		list[i].Text = strings.ReplaceAll(strings.ReplaceAll(e.Text, "telnet", "tn3270"), "TELNET", "TN3270")
		list[i].Normal = strings.ReplaceAll(e.Normal, "telnet", "tn3270")
		list[i].Section = ""
	}
	currenttest.Examples(t, rows[2], list)
	if rows[1].Syntax.Current.Name != "" || rows[2].Syntax.Current.Name != "RFC 6270" {
		t.Errorf("%q, %q", rows[1].Syntax.Current.Name, rows[2].Syntax.Current.Name)
	}
}

func TestCurrentReference(t *testing.T) {
	for _, row := range telnet.Schemes(nil) {
		if row.Syntax.Current.Name != "" {
			currenttest.Reference(t, row, "//"+currenttest.Userinfo+currenttest.Host+currenttest.Port+"/?"+currenttest.Fragment,
				row.Name+"://h", row.Name+"://u:p@h:23/", row.Name+"://192.0.2.16:80/#a", row.Name+"://%75@h.example:/")
		}
	}
}

func FuzzCurrent(f *testing.F) {
	currenttest.Fuzz(f, telnet.Schemes(nil)[0], "telnet://u:p@h:23/", "telnet:a", "telnet://h/a?b#c", "telnet:///")
}

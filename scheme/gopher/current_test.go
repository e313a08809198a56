package gopher_test

import (
	"testing"

	"github.com/locus-url/locus/scheme/gopher"
	"github.com/locus-url/locus/scheme/internal/current/currenttest"
)

func TestCurrent(t *testing.T) {
	currenttest.Examples(t, gopher.Scheme(nil), []currenttest.Example{
		{"RFC 4266 2.1", "gopher://host:70/1selector", "", "gopher://host/1selector"},
		{"RFC 4266 2.1", "gopher://host/7selector%09search", "", ""},
		{"RFC 4266 2.1", "gopher://host/0selector%09search%09+", "", ""},
		{"RFC 4266 2.1", "gopher://host", "", "gopher://host/1"},
		{"RFC 4266 2.1", "gopher://host/", "", "gopher://host/1"},
		{"RFC 4266 2.1", "gopher://host/1", "", "gopher://host/1"},
		{"", "gopher://host/00/about", "", ""},
		{"", "gopher://HOST:/#a", "", "gopher://host/1#a"},
		{"", "gopher://host/?a", "query@14!", "gopher://host/?a"},
		{"", "gopher://host/7a?word", "query@16!", ""},
		{"", "gopher://host/0a%0D%0ab", "line-end@16?, line-end@19?", ""},
		{"", "gopher://host/0a%09%09+application%0D%0A+-1", "", ""},
		{"", "gopher://me@host/", "userinfo@11", ""},
		{"", "gopher:///1", "host@9", ""},
		{"", "gopher:1", "authority@7", ""},
	})
	if s := gopher.SecureScheme(nil); s.Syntax.Current.Name != "" || s.Syntax.Current.Check == nil {
		t.Errorf("gophers: %+v", s.Syntax.Current)
	}
}

func TestCurrentReference(t *testing.T) {
	currenttest.Reference(t, gopher.Scheme(nil), "//"+currenttest.Host+currenttest.Port+currenttest.PathAbempty+currenttest.Query+currenttest.Fragment,
		"gopher://host:70/1selector", "gopher://host", "gopher://host/7a%09b%09+", "gopher://host/0a?b#c")
}

func FuzzCurrent(f *testing.F) {
	currenttest.Fuzz(f, gopher.Scheme(nil), "gopher://u:p@h:70/1a/../b", "gopher:a", "gopher://h/%0", "gopher://h/0%0d%0A%09", "gopher://h/.?a")
}

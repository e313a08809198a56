package ws_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/current/currenttest"
	"github.com/locus-url/locus/scheme/schemetest"
	"github.com/locus-url/locus/scheme/ws"
)

func row(name string) scheme.Scheme {
	for _, s := range ws.Schemes() {
		if s.Name == name {
			return s
		}
	}
	panic(name)
}

func TestSchemes(t *testing.T) {
	for _, s := range ws.Schemes() {
		schemetest.Run(t, s, schemetest.Config{
			Good: []string{s.Name + "://example.com/chat", s.Name + "://h:8080/a?b=c"},
			Bad:  []string{s.Name + ":a", s.Name + ":/h"},
		})
		if s.Access.Opener != nil || s.Traits.Has(scheme.Secure) != (s.Name == "wss") {
			t.Errorf("%+v", s)
		}
	}
}

func TestResourceName(t *testing.T) {
	for text, want := range map[string]string{
		"ws://example.com/chat": "/chat", "ws://h": "/", "ws://h/": "/", "ws://h?a": "/?a", "ws://h/a%20b?c?d/e": "/a%20b?c?d/e",
	} {
		if got := ws.ResourceName(locus.MustParse(text)); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
	_, err := row("ws").Syntax.Fields(locus.MustParse("ws:///a"))
	var e *locus.SyntaxError
	if !errors.As(err, &e) || e.Offset != len("ws://") || !strings.Contains(err.Error(), "host") {
		t.Error(err)
	}
}

func TestCanonical(t *testing.T) {
	for text, want := range map[string]string{"WS://H:80": "ws://h/", "ws://h:443/%7e": "ws://h:443/%7E", "ws://h?a": "ws://h/?a"} {
		if got, _, err := row("ws").Syntax.Canonical(locus.MustParse(text)); got.String() != want || err != nil {
			t.Errorf("%s: %s, %v", text, got, err)
		}
	}
	if got, _, err := row("wss").Syntax.Canonical(locus.MustParse("wss://h:443/")); got.String() != "wss://h/" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
}

func TestCurrent(t *testing.T) {
	currenttest.Examples(t, row("ws"), []currenttest.Example{
		{"RFC 6455", "ws://example.com/chat", "", "ws://example.com/chat"},
		{"RFC 6455 3", "ws://host:80/path?query", "", "ws://host/path?query"},
		{"", "ws://host", "", "ws://host/"},
		{"", "ws://host/a/../b", "", "ws://host/b"},
		{"", "ws://host/a#b", "fragment@11", ""},
		{"", "ws://host/#", "fragment@10", ""},
		{"", "ws://host/a%23b", "", ""},
		{"", "ws://me:secret@host/", "password@7!, userinfo@14", ""},
		{"", "ws:///chat", "host@5", ""},
		{"", "ws:chat", "authority@3", ""},
	})
	currenttest.Examples(t, row("wss"), []currenttest.Example{
		{"", "WSS://HOST:443", "", "wss://host/"},
		{"", "wss://host:80/", "", "wss://host:80/"},
	})
}

func TestCurrentReference(t *testing.T) {
	currenttest.Reference(t, row("ws"), "//"+currenttest.Host+currenttest.Port+currenttest.PathAbempty+currenttest.Query,
		"ws://example.com/chat", "ws://h:8080/a?b=c", "ws://h", "ws://h?a")
}

func FuzzCurrent(f *testing.F) {
	currenttest.Fuzz(f, row("ws"), "ws://h/a/../b#c", "ws:a", "ws://u:p@h:1/?#", "ws:///")
}

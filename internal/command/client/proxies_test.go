package client

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/config"
)

// The test checks which proxy variables are read, and which variable takes precedence.
func TestProxyVariables(t *testing.T) {
	for _, s := range []struct {
		env    string
		file   string
		flags  []string
		scheme string
		want   string
	}{
		{scheme: "http"},
		{env: "http_proxy=http://a", scheme: "http", want: "http://a"},
		{env: "http_proxy=a:3128", scheme: "http", want: "http://a:3128"},
		{env: "http_proxy=http://u:s3cret@a/", scheme: "http", want: "http://u:***@a/"},
		{env: "http_proxy=http://a", scheme: "https"},
		{env: "HTTP_PROXY=http://a", scheme: "http"},
		{env: "HTTP_PROXY=http://b http_proxy=http://a REQUEST_METHOD=GET", scheme: "http", want: "http://a"},
		{env: "HTTP_PROXY=http://a http_proxy=http://a REQUEST_METHOD=GET", scheme: "http"},
		{env: "HTTPS_PROXY=http://a", scheme: "https", want: "http://a"},
		{env: "HTTPS_PROXY=http://b https_proxy=http://a", scheme: "https", want: "http://a"},
		{env: "ftp_proxy=http://a", scheme: "ftp", want: "http://a"},
		{env: "ftp_proxy=http://a", scheme: "ftps"},
		{env: "gopher_proxy=http://a", scheme: "gopher", want: "http://a"},
		{env: "WAIS_PROXY=http://a", scheme: "wais", want: "http://a"},
		{env: "news_proxy=http://a", scheme: "news", want: "http://a"},
		{env: "news_proxy=http://a", scheme: "nntp", want: "http://a"},
		{env: "all_proxy=socks5h://a", scheme: "prospero", want: "socks5h://a"},
		{env: "all_proxy=socks5h://a http_proxy=http://b", scheme: "http", want: "http://b"},
		{env: "ALL_PROXY=socks5h://a", scheme: "mid"},
		{env: "all_proxy=socks5h://a", file: "[gateways]\nhttp = \"direct\"", scheme: "http"},
		{env: "gopher_proxy=http://a", file: "[gateways]\ngopher = \"http://gw/{url}\"", scheme: "gopher", want: "http://gw/{url}"},
		{env: "http_proxy=http://a", file: "[gateways]\nall = \"http://b\"", scheme: "http", want: "http://a"},
		{env: "LOCUS_GATEWAYS_GOPHER=http://c", file: "[gateways]\ngopher = \"http://gw/{url}\"", scheme: "gopher", want: "http://c"},
		{env: "LOCUS_GATEWAYS_ALL=http://c", file: "[gateways]\ngopher = \"http://gw/{url}\"", scheme: "ftp", want: "http://c"},
		{env: "LOCUS_GATEWAYS=gopher=http://c/{url}", file: "[gateways]\ngopher = \"http://gw/{url}\"", scheme: "gopher", want: "http://c/{url}"},
		{env: "LOCUS_GATEWAYS_GOPHER=http://c", flags: []string{"gopher=http://d/?a={url}"}, scheme: "gopher", want: "http://d/?a={url}"},
		{env: "LOCUS_GATEWAYS_GOPHER=http://c", flags: []string{"all=http://d"}, scheme: "gopher", want: "http://c"},
		{flags: []string{"x-new=http://d", "all=direct"}, scheme: "x-new", want: "http://d"},
		{env: "all_proxy=http://a", flags: []string{"all=direct"}, scheme: "ftp"},
	} {
		a := appWith(t, s.env)
		name := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(name, []byte(s.file), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := (config.Source{File: name, Getenv: a.Getenv, Schemes: []string{"gopher"}}).Read(&a.Config); err != nil {
			t.Fatal(err)
		}
		a.Flags.Proxies = s.flags
		g, err := Proxies(a)
		if err != nil {
			t.Errorf("%+v: %v, want no error", s, err)
			continue
		}
		got := ProxyFor(a, g, s.scheme)
		if shown := got.String(); shown != s.want {
			t.Errorf("%+v: %s, want shown %q", s, shown, s.want)
		}
		a.Flags.NoProxy = true
		if g, err := Proxies(a); err != nil || !ProxyFor(a, g, s.scheme).IsZero() {
			t.Errorf("--no-gateway: %v, %v", ProxyFor(a, g, s.scheme), err)
		}
	}
}

// appWith returns an App with the given environment. The text contains NAME=VALUE pairs, separated
// by spaces.
func appWith(t *testing.T, env string) *base.App {
	t.Helper()
	values := map[string]string{}
	for _, text := range strings.Fields(env) {
		name, value, _ := strings.Cut(text, "=")
		values[name] = value
	}
	a := base.New(t.Context(), strings.NewReader(""), io.Discard, io.Discard, func(name string) string { return values[name] })
	var err error
	if a.Registry, err = a.NewRegistry(); err != nil {
		t.Fatal(err)
	}
	return a
}

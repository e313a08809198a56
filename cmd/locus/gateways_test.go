package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// startGateway starts a proxy whose answer is what it was asked for.
func startGateway(env *testscript.Env) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect {
			w.Header().Set("Content-Type", "text/plain")
			fmt.Fprintf(w, "%s %s %s\n", r.Method, r.RequestURI, r.Header.Get("Proxy-Authorization"))
			return
		}
		up, err := new(net.Dialer).DialContext(r.Context(), "tcp", r.Host)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		down, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			up.Close()
			return
		}
		io.WriteString(down, "HTTP/1.1 200 OK\r\n\r\n")
		var both sync.WaitGroup
		both.Go(func() { io.Copy(up, down); up.Close() })
		both.Go(func() { io.Copy(down, up); down.Close() })
		both.Wait()
	}))
	env.Defer(s.Close)
	env.Setenv("GATEWAY", strings.TrimPrefix(s.URL, "http://"))
}

// Which variables are read, and which goes before which.
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
		if err := a.config.decode(s.file); err != nil {
			t.Fatal(err)
		}
		for _, setting := range a.config.settings() {
			if table, ok := setting.value.(openTable); ok {
				if text := a.env(setting.variable()); text != "" {
					if err := setting.setText(text); err != nil {
						t.Fatal(err)
					}
				}
				if err := a.readEntries(setting, table); err != nil {
					t.Fatal(err)
				}
			}
		}
		a.flags.gateway = s.flags
		g, err := a.gateways()
		if err != nil {
			t.Errorf("%+v: %v", s, err)
			continue
		}
		got := a.gatewayFor(g, s.scheme)
		if shown := got.String(); shown != s.want {
			t.Errorf("%+v: %s", s, shown)
		}
		a.flags.noGateway = true
		if g, err := a.gateways(); err != nil || !a.gatewayFor(g, s.scheme).IsZero() {
			t.Errorf("--no-gateway: %v, %v", a.gatewayFor(g, s.scheme), err)
		}
	}
}

// appWith returns an app with an environment of NAME=VALUE, by blanks.
func appWith(t *testing.T, env string) *app {
	t.Helper()
	values := map[string]string{}
	for _, text := range strings.Fields(env) {
		name, value, _ := strings.Cut(text, "=")
		values[name] = value
	}
	a := newApp(t.Context(), strings.NewReader(""), io.Discard, io.Discard, func(name string) string { return values[name] })
	var err error
	if a.registry, err = a.schemes(nil); err != nil {
		t.Fatal(err)
	}
	return a
}

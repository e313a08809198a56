package access_test

import (
	"net"
	"strings"
	"testing"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
)

// CheckProxies connects to each proxy, and the error names unreachable proxies without
// passwords.
func TestCheckProxies(t *testing.T) {
	listen := func() (net.Listener, string) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		return l, l.Addr().String()
	}
	up, good := listen()
	defer up.Close()
	down, dead := listen()
	down.Close()
	client := func(rules access.ProxyRules) *access.Client {
		gateways, err := access.NewProxies(rules)
		if err != nil {
			t.Fatal(err)
		}
		return access.New(nil, policy.Policy{}, &access.Options{Proxies: gateways})
	}
	parse := func(text string) access.Proxy {
		g, err := access.ParseProxy(text)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	c := client(access.ProxyRules{All: parse("http://" + good), Schemes: map[string]access.Proxy{
		"gopher": parse("http://" + dead + "/{url}"), "ftp": parse("direct"), "wais": parse("socks5h://" + good),
	}})
	defer c.Close()
	if err := c.CheckProxies(t.Context()); err != nil {
		t.Error(err)
	}
	c = client(access.ProxyRules{All: parse("http://fred:hunter2@" + dead), Schemes: map[string]access.Proxy{"ftp": parse("socks5://" + dead), "wais": parse("http://" + good)}})
	defer c.Close()
	err := c.CheckProxies(t.Context())
	if err == nil {
		t.Fatal("dead proxies are reached")
	}
	text := err.Error()
	if strings.Contains(text, "hunter2") || !strings.Contains(text, "socks5://"+dead+": ") || !strings.Contains(text, "http://fred:***@"+dead+": ") || strings.Contains(text, good) {
		t.Error(text)
	}
	none := access.New(nil, policy.Policy{}, nil)
	defer none.Close()
	if err := none.CheckProxies(t.Context()); err != nil {
		t.Errorf("without proxies: %v", err)
	}
}

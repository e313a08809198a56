package access

import (
	"errors"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// gateway parses a valid proxy.
func gateway(t testing.TB, text string) Proxy {
	t.Helper()
	g, err := ParseProxy(text)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestParseProxy(t *testing.T) {
	for _, s := range []struct{ text, shown string }{
		{"http://gw.example/{url}", ""},
		{"http://gw.example/a?b={url}&c={+url}", ""},
		{"https://gw.example:8443/{+url}", ""},
		{"gopher://gw.example/7{url}", ""},
		{"http://u:s3cret@gw.example/{url}", "http://u:***@gw.example/{url}"},
		{"http://proxy.example", ""},
		{"http://proxy.example/", ""},
		{"https://u:s3cret@proxy.example:3128/", "https://u:***@proxy.example:3128/"},
		{"socks5://[::1]:1080", ""},
		{"socks5h://u:s3cret@proxy.example", "socks5h://u:***@proxy.example"},
		{"direct", ""},
	} {
		g := gateway(t, s.text)
		if s.shown == "" {
			s.shown = s.text
		}
		if g.String() != s.shown || g.IsZero() || g != gateway(t, s.text) {
			t.Errorf("%s: %v", s.text, g)
		}
	}
	for _, s := range []struct {
		text   string
		offset int
		says   string
	}{
		{"", 0, ""},
		{"proxy.example", 0, "no scheme"},
		{"proxy:3128", 0, "write the URL of"},
		{"ftp://proxy.example/", 0, "write the URL of"},
		{"socks4://proxy.example", 0, "write the URL of"},
		{"http:", 5, "host"},
		{"http:///{url}", 7, "must have a host"},
		{"http://a_b/", 7, "must have a host"},
		{"http://h:0/", 8, "out of range (1-65535)"},
		{"http://h:99999/", 9, "65535"},
		{"http://h/a", 9, "a proxy URL must not have a path"},
		{"http://h/?", 9, "a proxy URL must not have a path"},
		{"http://h/{url}#x", 14, "fragment"},
		{"http://h/#{url}", 9, "fragment"},
		{"http://h/{uri}", 9, "between braces"},
		{"http://h/{url", 9, "between braces"},
		{"http://h/url}", 12, "between braces"},
		{"http://h/{url}{", 14, "between braces"},
		{"http://{url}/", 7, ""},
		{"http://{url}@h/", 7, "after the host"},
		{"gopher://h/7{+url}", 12, "only http and https"},
		{"http://a%3Ab:c@h/", 7, "user"},
		{"socks5://:c@h/", 9, "user"},
		{"socks5://" + strings.Repeat("a", 256) + "@h/", 9, "255"},
	} {
		_, err := ParseProxy(s.text)
		var syntax *locus.SyntaxError
		if !errors.As(err, &syntax) || syntax.Offset != s.offset || !strings.Contains(err.Error(), s.says) {
			t.Errorf("%q: %v", s.text, err)
		}
	}
	if _, err := ParseProxy("http://u:s3cret@h/path"); err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("%v", err)
	}
	var g Proxy
	if err := g.UnmarshalText([]byte("socks5://h")); err != nil || g != gateway(t, "socks5://h") {
		t.Errorf("%v, %v", g, err)
	}
}

// A URL in a template does not change the rest of the template.
func TestExpand(t *testing.T) {
	for _, s := range []struct{ template, url, want string }{
		{"http://gw/{url}", "gopher://h/1a b", ""},
		{"http://gw/{url}", "gopher://h/7a%09b?c&d=e+f~\"'<>#frag", "http://gw/gopher%3A%2F%2Fh%2F7a%2509b%3Fc%26d%3De%2Bf%7E%22%27%3C%3E"},
		{"http://gw/?u={url}&x=1", "wais://h/db?a&b", "http://gw/?u=wais%3A%2F%2Fh%2Fdb%3Fa%26b&x=1"},
		{"http://gw/{+url}", "http://h/a?b=%41\"#frag", "http://gw/http://h/a?b=%41\""},
		{"http://gw/{url}/{+url}", "news:a@b", "http://gw/news%3Aa%40b/news:a@b"},
		{"http://gw/{url}", "ftp://u:s3cret@h/{url}", "http://gw/ftp%3A%2F%2Fu%40h%2F%7Burl%7D"},
		{"http://u:p@gw/{+url}", "ftp://h/{url}", "http://u:p@gw/ftp://h/{url}"},
	} {
		u, err := locus.Parse(s.url)
		if err != nil {
			if s.want != "" {
				t.Errorf("%s: %v", s.url, err)
			}
			continue
		}
		if got, err := gateway(t, s.template).expand(u); err != nil || got.String() != s.want {
			t.Errorf("%s in %s: %s, %v", s.url, s.template, got, err)
		}
	}
	long := locus.MustParse("x:" + strings.Repeat("a", locus.MaxLen-2))
	if u, err := gateway(t, "http://gw/{url}").expand(long); !errors.Is(err, locus.ErrTooLong) {
		t.Errorf("%d octets, %v", u.Len(), err)
	}
}

// row returns a scheme for proxy tests.
func row(name string) scheme.Scheme {
	s := scheme.Generic(name, scheme.Standard)
	s.Port = map[string]uint16{"http": 80, "https": 443, "gopher": 70}[name]
	s.Traits = traits[name]
	return s
}

// demoRegistry returns a registry of such schemes.
func demoRegistry(t *testing.T) *scheme.Registry {
	t.Helper()
	var list []scheme.Scheme
	for _, name := range []string{"http", "https", "ftp", "ftps", "gopher", "gophers", "nntps", "telnet", "file", "mid", "cid", "mailto"} {
		list = append(list, row(name))
	}
	r, err := scheme.NewRegistry(list...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestExceptions(t *testing.T) {
	for _, s := range []struct {
		list, url string
		want      bool
	}{
		{"", "http://h.example/", false},
		{"*", "http://h.example/", true},
		{"*", "news:a.b", true},
		{"h.example", "http://H.Example/", true},
		{"H.example", "http://a.h.example/", true},
		{"h.example", "http://ah.example/", false},
		{".h.example", "http://h.example/", false},
		{".h.example", "http://a.h.example/", true},
		{"*.h.example", "http://a.b.h.example/", true},
		{"a.example, h.example", "http://h.example/", true},
		{" a.example\th.example ,", "http://h.example/", true},
		{"h.example:80", "http://h.example/", true},
		{"h.example:70", "gopher://h.example/", true},
		{"h.example:70", "gopher://h.example:7070/", false},
		{"h.example:443", "https://h.example/", true},
		{"10.0.0.1", "http://10.0.0.1/", true},
		{"10.0.0.1", "http://10.0.0.11/", false},
		{"10.0.0.1:8080", "http://10.0.0.1/", false},
		{"10.0.0.0/8", "http://10.1.2.3/", true},
		{"10.1.2.3/8", "http://10.9.9.9/", true},
		{"10.0.0.0/8", "http://11.1.2.3/", false},
		{"10.0.0.0/8", "http://ten.example/", false},
		{"::1", "http://[::1]:8080/", true},
		{"[::1]:8080", "http://[::1]:8080/", true},
		{"[::1]:8080", "http://[::1]/", false},
		{"fd00::/8", "http://[fd12::1]/", true},
		{"::ffff:10.0.0.1", "http://10.0.0.1/", true},
		{"h.example", "news:a.b", false},
	} {
		g, err := NewProxies(ProxyRules{All: gateway(t, "http://proxy.example"), Except: s.list})
		if err != nil {
			t.Fatal(err)
		}
		u := parse(s.url)
		if got := g.proxyFor(u, demoRegistry(t).Scheme(u)).IsZero(); got != s.want {
			t.Errorf("%q excepts %s: %v", s.list, s.url, got)
		}
	}
	for _, s := range []struct {
		list   string
		offset int
	}{
		{"a,b:", 2}, {"a b:0", 2}, {"a:70000", 0}, {"a,*b", 2}, {"**", 0}, {".", 0}, {"a_b", 0}, {"10.0.0.0/33", 0}, {"[::1", 0}, {"[]:1", 0}, {"[1.1.1.1]:1", 0}, {"fe80::1%eth0", 0}, {"http://h/", 0},
	} {
		_, err := NewProxies(ProxyRules{Except: s.list})
		var syntax *locus.SyntaxError
		if !errors.As(err, &syntax) || syntax.Offset != s.offset || syntax.Part != "exception" {
			t.Errorf("%q: %v", s.list, err)
		}
	}
}

func TestProxyFor(t *testing.T) {
	list := map[string]Proxy{"http": gateway(t, "http://a"), "gopher": gateway(t, "direct"), "file": gateway(t, "http://f/{url}"), "wais": {}}
	g, err := NewProxies(ProxyRules{Schemes: list, All: gateway(t, "socks5://all")})
	if err != nil {
		t.Fatal(err)
	}
	delete(list, "http")
	for url, want := range map[string]string{
		"http://h/": "http://a", "ftp://h/": "socks5://all", "wais://h/x": "socks5://all", "x-new:y": "socks5://all", "gopher://h/": "",
		"file:///x": "", "file://LocalHost/x": "", "file://h/x": "http://f/{url}", "mid:a@b": "", "cid:a@b": "", "mailto:a@b": "",
	} {
		u := parse(url)
		if got := g.proxyFor(u, demoRegistry(t).Scheme(u)).String(); got != want {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
	if g.For(row("http")).String() != "http://a" || !g.For(row("gopher")).IsZero() || !g.For(row("cid")).IsZero() {
		t.Error("For")
	}
	var none *Proxies
	if p, err := none.plan(parse("http://h/"), demoRegistry(t)); err != nil || !none.For(row("http")).IsZero() || p.outcome != planDirect {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := NewProxies(ProxyRules{Schemes: map[string]Proxy{"HTTP": gateway(t, "http://a")}}); err == nil {
		t.Error("HTTP is taken for a scheme's name in lower case")
	}
}

// The URL that a template makes may go through another proxy, but not in a loop. URLs at
// the template's own host do not go through the template.
func TestProxyLoops(t *testing.T) {
	for _, s := range []struct {
		schemes, all, except string
		url, want            string // the final URL, and the proxy for that URL
	}{
		{schemes: "http=http://gw/{+url}", url: "http://h/a", want: "http://gw/http://h/a"},
		{schemes: "http=http://gw/{+url}", url: "http://GW:80/a", want: "http://GW:80/a"},
		{schemes: "http=http://gw/{+url}", url: "http://gw:81/a", want: "http://gw/http://gw:81/a"},
		{schemes: "gopher=http://gw/{+url} http=http://proxy", url: "gopher://h/", want: "http://gw/gopher://h/ proxy http://proxy"},
		{schemes: "gopher=https://gw/{+url} https=http://proxy", url: "gopher://h/", want: "https://gw/gopher://h/ tunnel http://proxy"},
		{schemes: "http=http://gw/{+url}", all: "socks5://s", url: "http://h/", want: "http://gw/http://h/ tunnel socks5://s"},
		{schemes: "gopher=http://gw/{+url}", all: "http://all/{+url}", url: "gopher://h/", want: "http://all/http://gw/gopher://h/"},
		{schemes: "x=http://a/{+url} http=https://b/{+url}", url: "x:y", want: "https://b/http://a/x:y"},
		{all: "http://gw/{+url}", url: "x:y", want: "http://gw/x:y"},
		{all: "http://proxy", url: "telnet://h", want: "telnet://h tunnel http://proxy"},
		{all: "http://proxy", url: "ftps://h", want: "ftps://h tunnel http://proxy"},
		{all: "http://proxy", url: "ftp://h", want: "ftp://h proxy http://proxy"},

		{schemes: "http=https://a/{+url} https=http://b/{+url}"},
		{schemes: "http=https://a/{+url} https=http://b/{+url}", except: "b", url: "https://h/", want: "http://b/https://h/"},
		{schemes: "http=https://a/{+url} https=http://b/{+url}", except: "a:443", url: "http://h/", want: "https://a/http://h/"},
		{schemes: "a=b://h/{url} b=c://h/{url} c=a://h/{url}"},
		{schemes: "a=b://h/{url}", all: "a://h/{url}"},
	} {
		list := map[string]Proxy{}
		for _, text := range strings.Fields(s.schemes) {
			name, value, _ := strings.Cut(text, "=")
			list[name] = gateway(t, value)
		}
		r := ProxyRules{Schemes: list, Except: s.except}
		if s.all != "" {
			r.All = gateway(t, s.all)
		}
		g, err := NewProxies(r)
		if s.url == "" {
			if !errors.Is(err, errCircle) {
				t.Errorf("%+v: %v", s, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%+v: %v", s, err)
			continue
		}
		p, err := g.plan(parse(s.url), demoRegistry(t))
		last := p.finalPlan()
		got := last.url.String()
		switch last.outcome {
		case planProxy:
			got += " proxy " + last.proxy.String()
		case planTunnel:
			got += " tunnel " + last.proxy.String()
		}
		if err != nil || got != s.want {
			t.Errorf("%s: %s, %v, want %s", s.url, got, err, s.want)
		}
	}
}

// The text of a valid proxy is printed unchanged, and no URL can choose the host of a
// proxy.
func FuzzGateway(f *testing.F) {
	f.Add("http://gw/{url}?{+url}", "gopher://h/1a%09b?c#d")
	f.Add("https://u:p@gw:8/{+url}", "http://h/a\"b")
	f.Add("socks5h://u:p@[::1]:1080/", "news:a@b")
	f.Add("gopher://h/7{url}", "ftp://u:p@h/%0D%0A")
	f.Fuzz(func(t *testing.T, text, url string) {
		g, err := ParseProxy(text)
		if err != nil {
			return
		}
		if password, ok := g.url.Password(); ok && len(password) > 3 && g.kind != template && strings.Contains(g.String(), ":"+password+"@") {
			t.Errorf("%q is shown as %s", text, g)
		}
		u, err := locus.Parse(url)
		if err != nil || g.kind != template {
			return
		}
		v, err := g.expand(u)
		if err != nil {
			return
		}
		if v.Scheme() != g.url.Scheme() || v.Host() != g.url.Host() || portOf(v, 0) != portOf(g.url, 0) {
			t.Errorf("%q in %q: %q", url, text, v)
		}
		if _, fragment := v.Fragment(); fragment {
			t.Errorf("%q in %q: %q has a fragment", url, text, v)
		}
	})
}

// Each valid exception matches a host.
func FuzzExceptions(f *testing.F) {
	f.Add("a.example, .b.example:80 *.c 10.0.0.0/8 [::1]:70 *", "a.example", uint16(80))
	f.Fuzz(func(t *testing.T, list, host string, port uint16) {
		except, err := parseExceptions(list)
		var syntax *locus.SyntaxError
		if err != nil && (!errors.As(err, &syntax) || syntax.Offset < 0 || syntax.Offset >= len(list)) {
			t.Fatalf("%q: %v", list, err)
		}
		g := &Proxies{except: except}
		for i, entry := range strings.FieldsFunc(list, func(c rune) bool { return c == ',' || c == ' ' || c == '\t' })[:len(except)] {
			name, at := entry, port
			if prefix, err := netip.ParsePrefix(name); err == nil {
				name = prefix.Addr().String()
			} else if _, err := netip.ParseAddr(name); err != nil && !strings.HasSuffix(name, "]") {
				if i := strings.LastIndexByte(name, ':'); i >= 0 {
					n, _ := strconv.ParseUint(name[i+1:], 10, 16)
					name, at = name[:i], uint16(n)
				}
			}
			switch {
			case name == "*":
				name = host
			case strings.HasPrefix(name, "*."), strings.HasPrefix(name, "."):
				name = "x." + strings.TrimLeft(name, "*.")
			}
			if !g.excepts(name, at) {
				t.Errorf("%q: %q (%s) does not except %q at %d", list, entry, except[i], name, at)
			}
		}
		if len(except) == 0 && g.excepts(host, port) {
			t.Errorf("%q excepts %q", list, host)
		}
	})
}

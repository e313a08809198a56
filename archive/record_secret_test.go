package archive_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	neturl "net/url"
	"os"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/secrettest"
	"github.com/locus-url/locus/internal/servetest"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
	"github.com/locus-url/locus/scheme/gopher/gophertest"
	"github.com/locus-url/locus/scheme/http"
	"github.com/locus-url/locus/scheme/news"
	"github.com/locus-url/locus/scheme/news/newstest"
)

const pw = secrettest.Password

// An archive contains no password, cookie or header of the user, whatever its source, even
// if the server repeats the secret.
func TestRecordNoSecrets(t *testing.T) {
	jar, err := http.ParseCookies("127.0.0.1\tFALSE\t/\tFALSE\t0\tsession\t" + pw + "\n")
	if err != nil {
		t.Fatal(err)
	}
	web := http.New(&http.Options{Jar: jar})
	registry, err := all.Registry(append(news.Schemes(news.New(&news.Options{ClearLogin: true})), http.Scheme(web))...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		for _, s := range registry.All() {
			if c, ok := s.Access.Opener.(io.Closer); ok {
				c.Close()
			}
		}
	}()
	r, name := recorder(t, registry)

	site := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, req *nethttp.Request) {
		user, password, _ := req.BasicAuth()
		nethttp.SetCookie(w, &nethttp.Cookie{Name: "session", Value: pw + "2"})
		w.Header().Set("Authentication-Info", "nextnonce="+pw)
		w.Header().Set("X-You-Sent", fmt.Sprint(user, " ", password, req.Header, neturl.QueryEscape(pw)))
		w.Header().Set("Content-Type", "text/plain; sent="+pw)
		w.Header().Set("Connection", "keep-alive, "+pw)
		switch {
		case req.URL.Path == "/open" || req.URL.IsAbs():
			z := gzip.NewWriter(w)
			w.Header().Set("Content-Encoding", "gzip")
			fmt.Fprintf(z, "page for %v %v", req.Header["X-Api-Key"][0] == pw, len(req.Cookies()) > 0)
			z.Close()
		case req.URL.Path == "/moved":
			w.Header().Set("Location", "http://u:"+pw+"@"+req.Host+"/open")
			w.WriteHeader(nethttp.StatusFound)
		case user != "u" || password != pw:
			w.Header().Set("WWW-Authenticate", `Basic realm="here"`)
			w.WriteHeader(nethttp.StatusUnauthorized)
		default:
			io.WriteString(w, "inside")
		}
	}))
	defer site.Close()
	host := site.Listener.Addr().String()
	files, err := ftptest.Start(ftptest.Files{"a": {Data: "text"}}, &ftptest.Options{User: "u", Password: pw, NoAnonymous: true})
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	articles, err := newstest.Start(newstest.Groups{}, &newstest.Options{User: "u", Password: pw, Private: []string{"*"}})
	if err != nil {
		t.Fatal(err)
	}
	defer articles.Close()
	menus, err := gophertest.Start(gophertest.Item{Items: []gophertest.Item{
		{Name: "Survey", Selector: "/survey", Ask: []string{"Ask: Name", "AskP: Secret"}, Reply: gophertest.Echo},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer menus.Close()
	// This server repeats each line in its reply.
	echo := echoServer(t)

	proxy, err := access.ParseProxy("http://u:" + pw + "@" + host)
	if err != nil {
		t.Fatal(err)
	}
	gateways, err := access.NewProxies(access.ProxyRules{Schemes: map[string]access.Proxy{"wais": proxy}})
	if err != nil {
		t.Fatal(err)
	}
	rules, err := policy.New(policy.Rules{AllowPrivate: true, TypedPrivate: true, Passwords: true, Ports: []uint16{}})
	if err != nil {
		t.Fatal(err)
	}
	c := access.New(registry, rules, &access.Options{
		Record: r.Record, Proxies: gateways, Header: nethttp.Header{"X-Api-Key": {pw}},
		Ask: func(context.Context, scheme.Question) (scheme.Credentials, bool, error) {
			return scheme.Credentials{User: "u", Password: pw}, true, nil
		},
		Fill: func(_ context.Context, f *scheme.Form) ([]string, bool, error) {
			return []string{"Anna", pw}, true, nil
		},
	})
	defer c.Close()
	for url, want := range map[string]string{
		"http://" + host + "/open":                        "page for true true",
		"http://" + host + "/moved":                       "! ",
		"http://u:" + pw + "@" + host + "/in":             "inside",
		"http://" + host + "/asked":                       "inside",
		"wais://h.example/d":                              "page for true",
		"ftp://u:" + pw + "@" + files.Addr() + "/a":       "text",
		"ftp://u@" + files.Addr() + "/a":                  "text",
		"ftp://u:wrong-" + pw + "@" + files.Addr() + "/a": "! ",
		"nntp://" + articles.Addr() + "/none/1":           "! ",
		"gopher://" + menus.Addr() + "/0/survey%09%09?":   pw,
		"ftp://u:" + pw + "@" + echo + "/a":               "! ",
		"nntp://" + echo + "/group/1":                     "! ",
	} {
		got := ""
		if res, err := c.Open(t.Context(), url); err != nil {
			got = "! " + err.Error()
		} else if got, _, err = consume(res.Resource); err != nil {
			got += "! " + err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", locus.Mask(url), got, want)
		}
	}
	closed(t, r)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{secrettest.Half, base64.StdEncoding.EncodeToString([]byte("u:" + pw)), base64.StdEncoding.EncodeToString([]byte("u:wrong-" + pw))} {
		if i := strings.Index(string(data), secret); i >= 0 {
			t.Errorf("a secret is there: %q", data[max(0, i-300):min(len(data), i+50)])
		}
	}
	list := records(t, name)
	for _, rec := range list {
		if text, ok := "", false; rec.Type == "response" {
			if text, ok = decodedBody(t, rec); !ok || strings.Contains(text, secrettest.Half) {
				t.Errorf("%q", text)
			}
		}
	}
	// The record lists the hidden fields, and contains the rest unchanged.
	for _, want := range []string{
		"\r\nLocus-Masked: Authorization", "Authorization: Basic ***\r\n", "Cookie: ***\r\n", "Set-Cookie: ***\r\n", "Location: http://u:***@" + host + "/open\r\n",
		"X-Api-Key: ***\r\n", "Proxy-Authorization: Basic ***\r\n", "GET wais://h.example/d HTTP/1.1\r\n",
		"\r\n> main 10/10\r\nPASS ***\r\n\r\n", "AUTHINFO PASS ***\r\n", "you said ***",
		"\r\nWARC-Target-URI: http://" + host + "/in\r\n", "\r\nWARC-Target-URI: ftp://u@" + files.Addr() + "/a\r\n",
	} {
		if !strings.Contains(string(data), want) {
			t.Errorf("%q is missing", want)
		}
	}
}

// echoServer starts an FTP and NNTP server that repeats each command and accepts no login.
func echoServer(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	group := servetest.Group{}
	group.Serve(l, func(c net.Conn) func() {
		return func() {
			defer c.Close()
			fmt.Fprint(c, "220 hello\r\n")
			for lines := bufio.NewScanner(c); lines.Scan(); {
				verb, rest, _ := strings.Cut(lines.Text(), " ")
				code := map[string]int{"USER": 331, "PASS": 530, "CAPABILITIES": 500, "MODE": 200, "GROUP": 480}[verb]
				if verb == "AUTHINFO" {
					code = map[bool]int{true: 481, false: 381}[strings.HasPrefix(rest, "PASS")]
				}
				if code == 0 {
					code = 500
				}
				fmt.Fprintf(c, "%d you said %s\r\n", code, strings.TrimPrefix(strings.TrimPrefix(rest, "PASS "), "USER "))
			}
		}
	})
	t.Cleanup(func() {
		l.Close()
		group.Close()
	})
	return l.Addr().String()
}

package gemini_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/certtest"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/gemini"
	"github.com/locus-url/locus/scheme/gemini/geminitest"
	"github.com/locus-url/locus/scheme/schemetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func client() *gemini.Client { return gemini.New(&gemini.Options{KnownHosts: gemini.InMemory}) }

func TestScheme(t *testing.T) {
	schemetest.Run(t, gemini.Scheme(client()), schemetest.Config{
		Good:       []string{"gemini://host.dom/", "gemini://host.dom", "gemini://host.dom:1965/a/b.gmi?q", "gemini://host.dom/a%0D%0Ab"},
		Bad:        []string{"gemini:a", "gemini://u@h/", "gemini:/h"},
		Unsendable: []string{"gemini://h/" + strings.Repeat("a", 1024)},
	})
}

func start(t *testing.T, responses map[string]string) *geminitest.Server {
	t.Helper()
	s, err := geminitest.Start(responses)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func open(t *testing.T, c *gemini.Client, text string) (scheme.Resource, error) {
	t.Helper()
	res, err := c.Open(t.Context(), &scheme.Request{URL: locus.MustParse(text), Dial: new(net.Dialer)})
	if err == nil {
		t.Cleanup(func() { res.Close() })
	}
	return res, err
}

func TestRequests(t *testing.T) {
	for text, want := range map[string]string{
		"gemini://h":             "gemini://h/\r\n",
		"gemini://h?q":           "gemini://h/?q\r\n",
		"gemini://h:7/a?b%20c#d": "gemini://h:7/a?b%20c\r\n",
		"gemini://h/\xe9":        "gemini://h/%E9\r\n",
		"gemini://[::1]:7":       "gemini://[::1]:7/\r\n",
		"gemini://h/a%0D%0Ab":    "gemini://h/a%0D%0Ab\r\n",
	} {
		g, err := gemini.Parse(locus.MustParse(text))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := g.AppendRequest(nil); string(got) != want || err != nil {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
}

func TestMenu(t *testing.T) {
	s := start(t, map[string]string{"/a/": "20 text/gemini; charset=utf-8\r\n# T\n=> b.gmi  The b\n=>\t//other.example/c.txt\n=>mailto:a@b\n=> %zz bad\n```\n=> no\n```\nlast"})
	res, err := open(t, client(), "gemini://"+s.Addr()+"/a/")
	if err != nil {
		t.Fatal(err)
	}
	base := "gemini://" + s.Addr()
	want := []string{
		"info|# T||", "menu|The b|" + base + "/a/b.gmi|", "object|//other.example/c.txt|gemini://other.example/c.txt|text/plain",
		"unknown|mailto:a@b|mailto:a@b|", "info|=> %zz bad||", "info|=> no||", "info|last||",
	}
	for i, err := range res.(*scheme.Menu).Items {
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("%s|%s|%s|%s", i.Kind, i.Title, i.URL, i.Type)
		if len(want) == 0 || got != want[0] {
			t.Fatalf("%q, want %q", got, want)
		}
		want = want[1:]
	}
	if len(want) > 0 {
		t.Errorf("missing: %q", want)
	}
}

func TestObjectAndProbe(t *testing.T) {
	s := start(t, map[string]string{"/x": "20 image/png\r\nabc", "/": "20\r\n=> x\n"})
	res, err := open(t, client(), "gemini://"+s.Addr()+"/x")
	if err != nil {
		t.Fatal(err)
	}
	o := res.(*scheme.Object)
	if body, err := io.ReadAll(o.Body); string(body) != "abc" || o.Type != "image/png" || err != nil {
		t.Errorf("%q, %q, %v", body, o.Type, err)
	}
	res, err = client().Open(t.Context(), &scheme.Request{URL: locus.MustParse("gemini://" + s.Addr() + "/"), Dial: new(net.Dialer), Probe: true})
	if err != nil {
		t.Fatal(err)
	}
	o = res.(*scheme.Object)
	if body, err := io.ReadAll(o.Body); len(body) > 0 || o.Type != "text/gemini" || err != nil {
		t.Errorf("%q, %q, %v", body, o.Type, err)
	}
}

func TestForm(t *testing.T) {
	s := start(t, map[string]string{"/q": "10 Words?\r\n", "/s?x": "11 Secret?\r\n", "/q?a%20%2B%26b": "20 text/plain\r\nfound"})
	c := client()
	res, err := open(t, c, "gemini://"+s.Addr()+"/q")
	if err != nil {
		t.Fatal(err)
	}
	form := res.(*scheme.Menu).Form
	if form.Fields[0].Kind != scheme.FieldText || form.Fields[0].Prompt != "Words?" {
		t.Errorf("%+v", form.Fields)
	}
	if u, err := form.Submit([]string{"a +&b"}); err != nil || u.String() != "gemini://"+s.Addr()+"/q?a%20%2B%26b" {
		t.Errorf("%s, %v", u, err)
	}
	if res, err = open(t, c, "gemini://"+s.Addr()+"/s?x"); err != nil || res.(*scheme.Menu).Form.Fields[0].Kind != scheme.FieldHidden {
		t.Errorf("%v, %v", res, err)
	}
	res, err = c.Open(t.Context(), &scheme.Request{URL: locus.MustParse("gemini://" + s.Addr() + "/q"), Dial: new(net.Dialer), Fill: func(context.Context, *scheme.Form) ([]string, bool, error) {
		return []string{"a +&b"}, true, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	if body, err := io.ReadAll(res.(*scheme.Object).Body); string(body) != "found" || err != nil {
		t.Errorf("%q, %v", body, err)
	}
}

func TestRedirects(t *testing.T) {
	s := start(t, map[string]string{"/a/t": "30 ../x?y\r\n", "/p": "31 gemini://h.example/\r\n", "/bad": "30 %zz\r\n"})
	for path, want := range map[string]string{"/a/t": "[gemini://" + s.Addr() + "/x?y] false", "/p": "[gemini://h.example/] true"} {
		res, err := open(t, client(), "gemini://"+s.Addr()+path)
		if err != nil {
			t.Fatal(err)
		}
		if r := res.(*scheme.Redirect); fmt.Sprint(r.To, r.Permanent) != want {
			t.Errorf("%s: %v %v", path, r.To, r.Permanent)
		}
	}
	if _, err := open(t, client(), "gemini://"+s.Addr()+"/bad"); !errors.Is(err, scheme.ErrProtocol) {
		t.Error(err)
	}
}

func TestErrors(t *testing.T) {
	responses := map[string]error{
		"40 later\r\n": scheme.ErrProtocol, "44 7\r\n": scheme.ErrProtocol, "51 gone\r\n": scheme.ErrNotFound, "52 gone\r\n": scheme.ErrNotFound,
		"53 no proxy\r\n": scheme.ErrUnsupported, "59 bad\r\n": scheme.ErrProtocol, "60 certificate\r\n": scheme.ErrAuth, "62 expired\r\n": scheme.ErrAuth,
		"": scheme.ErrProtocol, "2 x\r\n": scheme.ErrProtocol, "99 x\r\n": scheme.ErrProtocol, "hello\r\n": scheme.ErrProtocol, "20 text/plain": scheme.ErrProtocol,
		"20 " + strings.Repeat("a", 2000) + "\r\n": scheme.ErrProtocol,
	}
	for response, want := range responses {
		s := start(t, map[string]string{"/": response})
		_, err := open(t, client(), "gemini://"+s.Addr())
		if !errors.Is(err, want) {
			t.Errorf("%.20q: %v", response, err)
		}
		if later := (*scheme.RetryAfterError)(nil); errors.As(err, &later) != strings.HasPrefix(response, "4") || later != nil && (later.After == 0) != (response[1] == '0') {
			t.Errorf("%.20q: %v", response, err)
		}
	}
	s := start(t, map[string]string{"/": "20 text/gemini\r\n" + strings.Repeat("a", 70<<10)})
	res, err := open(t, client(), "gemini://"+s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	for _, err = range res.(*scheme.Menu).Items {
	}
	if !errors.Is(err, scheme.ErrTooLarge) {
		t.Errorf("a long line: %v", err)
	}
}

// proxied is a dialer that always connects to one address, so that tests can use arbitrary
// hostnames.
type proxied string

func (p proxied) DialContext(ctx context.Context, network, _ string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, network, string(p))
}

// The client must store the first certificate of a server and reject a different certificate.
func TestTrustOnFirstUse(t *testing.T) {
	file := filepath.Join(t.TempDir(), "locus", "known")
	first := start(t, map[string]string{"/": "20 text/plain\r\n1"})
	second := start(t, map[string]string{"/": "20 text/plain\r\n2"})
	get := func(c *gemini.Client, s *geminitest.Server, url string) error {
		res, err := c.Open(t.Context(), &scheme.Request{URL: locus.MustParse(url), Dial: proxied(s.Addr())})
		if err == nil {
			res.Close()
		}
		return err
	}
	for range 2 { // the second client reads the file
		c := gemini.New(&gemini.Options{KnownHosts: file})
		if err := get(c, first, "gemini://h.example/"); err != nil {
			t.Fatal(err)
		}
		err := get(c, second, "gemini://H.example:1965/")
		var hint *scheme.HintError
		if !errors.Is(err, scheme.ErrAuth) || !errors.As(err, &hint) || !strings.Contains(hint.Hint, file) {
			t.Fatalf("%v", err)
		}
		if err := get(c, second, "gemini://other.example/"); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(second.Requests()); n != 2 {
		t.Errorf("%d requests", n) // the client must not send a request to the wrong server
	}
	text, err := os.ReadFile(file)
	if err != nil || strings.Count(string(text), "\n") != 2 {
		t.Errorf("%q, %v", text, err)
	}
	// The client must accept a new certificate after the old certificate has expired.
	lines := strings.Fields(string(text))
	if err := os.WriteFile(file, []byte(lines[0]+" "+lines[1]+" 2001-01-01T00:00:00Z\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := get(gemini.New(&gemini.Options{KnownHosts: file}), second, "gemini://h.example/"); err != nil {
		t.Error(err)
	}
}

// The client must store servers on loopback addresses in memory only.
func TestLoopbackIsNotStored(t *testing.T) {
	file := filepath.Join(t.TempDir(), "known")
	s := start(t, map[string]string{"/": "20 text/plain\r\n1"})
	if _, err := open(t, gemini.New(&gemini.Options{KnownHosts: file}), "gemini://"+s.Addr()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Error(err)
	}
}

// When ctx is canceled, reading a menu or an object must fail.
func TestCancel(t *testing.T) {
	server, _, err := certtest.Pair()
	if err != nil {
		t.Fatal(err)
	}
	for _, header := range []string{"20 text/gemini\r\n", "20 text/plain\r\n"} {
		l, err := tls.Listen("tcp", "127.0.0.1:0", server)
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			c, err := l.Accept()
			if err != nil {
				return
			}
			defer c.Close()
			io.WriteString(c, header+"x\n")
			io.Copy(io.Discard, c)
		}()
		ctx, cancel := context.WithCancel(t.Context())
		res, err := client().Open(ctx, &scheme.Request{URL: locus.MustParse("gemini://" + l.Addr().String()), Dial: new(net.Dialer)})
		if err != nil {
			t.Fatal(err)
		}
		switch r := res.(type) {
		case *scheme.Menu:
			for _, err = range r.Items {
				cancel()
			}
		case *scheme.Object:
			cancel()
			_, err = io.ReadAll(r.Body)
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%q: %v", header, err)
		}
		res.Close()
		l.Close()
		<-done
		cancel()
	}
}

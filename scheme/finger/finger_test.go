package finger_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/finger"
	"github.com/locus-url/locus/scheme/finger/fingertest"
	"github.com/locus-url/locus/scheme/schemetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestScheme(t *testing.T) {
	schemetest.Run(t, finger.Scheme(), schemetest.Config{
		Good:       []string{"finger://host.dom/", "finger://host.dom", "finger://host.dom/nasanews", "finger://host.dom:79/%2FW%20user", "finger://host.dom/user@other.dom"},
		Bad:        []string{"finger:a", "finger://h//W", "finger://h/a?b"},
		Unsendable: []string{"finger://h/a%0D%0Ab", "finger://h/a%00"},
	})
}

// The test cases are URLs with the syntax of draft-ietf-uri-url-finger-03.
func TestRequests(t *testing.T) {
	for text, want := range map[string]string{
		"finger://space.mit.edu/nasanews": "nasanews\r\n", "finger://status.nlak.ee/": "\r\n", "finger://h": "\r\n", "finger://h/%2FW%20user": "/W user\r\n",
	} {
		f, err := finger.Parse(locus.MustParse(text))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := f.AppendRequest(nil); string(got) != want || err != nil {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	_, err := finger.Parse(locus.MustParse("finger://h//W"))
	var e *locus.SyntaxError
	if !errors.As(err, &e) || e.Offset != len("finger://h/") || e.Part != "request" {
		t.Errorf("%v", err)
	}
}

func TestOpen(t *testing.T) {
	s, err := fingertest.Start(map[string]string{"": "nobody\r\n", "ada": "Ada Lovelace\r\n"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for path, want := range map[string]string{"": "nobody\r\n", "/ada": "Ada Lovelace\r\n", "/x": "x: no such user\r\n"} {
		res, err := finger.Client{}.Open(t.Context(), &scheme.Request{URL: locus.MustParse("finger://" + s.Addr() + path), Dial: new(net.Dialer), Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(res.(*scheme.Object).Body)
		if string(text) != want || err != nil {
			t.Errorf("%q: %q, %v", path, text, err)
		}
		res.Close()
	}
}

// Opening a URL without a host, or without a dialer, must fail.
func TestRefused(t *testing.T) {
	for text, want := range map[string]string{"finger:///a": "missing host", "finger://h/": "no dialer"} {
		if _, err := (finger.Client{}).Open(t.Context(), &scheme.Request{URL: locus.MustParse(text)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Each URL that the demonstration server lists must work, with the listed title and menu.
func TestDemo(t *testing.T) {
	row := finger.Scheme()
	demo, err := fingertest.Demo()
	if err != nil {
		t.Fatal(err)
	}
	defer demo.Close()
	for _, stop := range demo.Stops {
		u := locus.MustParse(stop.URL)
		res, err := finger.Client{}.Open(t.Context(), &scheme.Request{URL: u, Dial: new(net.Dialer)})
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(res.(*scheme.Object).Body)
		if err != nil || strings.Contains(string(text), "no such user") || row.Display.Title(u) == "" {
			t.Errorf("%s: %q, %v", u, text, err)
		}
		if path, _ := u.Path(); len(row.Display.Parents(u)) != min(len(path), 1) {
			t.Errorf("%s: %v", u, row.Display.Parents(u))
		}
		res.Close()
	}
}

// When ctx is canceled, reading the response must fail.
func TestCancel(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, cancel := context.WithCancel(t.Context())
	res, err := finger.Client{}.Open(ctx, &scheme.Request{URL: locus.MustParse("finger://" + l.Addr().String()), Dial: new(net.Dialer)})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	cancel()
	if _, err := io.ReadAll(res.(*scheme.Object).Body); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A request must consist of one line, which is the decoded text of the URL.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"finger://h/a", "finger://h:7/%2FW%20a", "finger://h/%0A", "finger://h//"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := locus.Parse(text)
		if err != nil {
			return
		}
		x, err := finger.Parse(u)
		if err != nil {
			return
		}
		request, err := x.AppendRequest(nil)
		if err != nil {
			return
		}
		for i, c := range request[:len(request)-2] {
			if c == '\r' || c == '\n' || c == 0 {
				t.Errorf("%q: octet %d of the request is %q", text, i, c)
			}
		}
	})
}

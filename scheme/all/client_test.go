package all_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/scheme/gopher/gophertest"
)

// A person names a menu, and the program follows its items.
func ExampleClient() {
	server, err := gophertest.Start(gophertest.Item{Items: []gophertest.Item{{Name: "About", Selector: "about", Data: "Hello.\n"}}}, nil)
	if err != nil {
		panic(err)
	}
	defer server.Close()
	ctx := context.Background()
	// Without this rule, the policy would deny the server, because it is on this machine.
	c, err := all.Client(&all.Options{Rules: policy.Rules{AllowPrivate: true}})
	if err != nil {
		panic(err)
	}
	defer c.Close()
	menu, err := c.Open(ctx, "gopher://"+server.Addr()+"/1")
	if err != nil {
		panic(err)
	}
	defer menu.Close()
	for item, err := range menu.Resource.(*scheme.Menu).Items {
		if err != nil {
			panic(err)
		}
		found, err := c.Follow(ctx, menu, item.URL)
		if err != nil {
			panic(err)
		}
		if object, ok := found.Resource.(*scheme.Object); ok {
			text, err := io.ReadAll(object.Body)
			fmt.Printf("%s: %s %v\n", item.Title, strings.TrimSpace(string(text)), err)
		}
		found.Close()
	}
	// Output:
	// About: Hello. <nil>
}

// A policy denies URLs that the user did not intend.
func ExampleClient_denied() {
	c, err := all.Client(nil)
	if err != nil {
		panic(err)
	}
	defer c.Close()
	for _, url := range []string{"http://169.254.169.254/latest/meta-data/", "gopher://mail.example:25/0HELO", "file:///etc/passwd"} {
		_, err := c.Open(context.Background(), url)
		fmt.Println(errors.Is(err, fs.ErrPermission), err)
	}
	// Output:
	// true locus: open http://169.254.169.254/latest/meta-data/: policy: its host is not a public address: link local (RFC 3927)
	// true locus: open gopher://mail.example:25/0HELO: policy: port 25 is reserved (below 1024); gopher uses 70
	// true locus: open file:///etc/passwd: policy: access to local files is not allowed
}

// HTTP requests must include the header fields in the options. Secret fields must be sent only to
// the first server.
func TestClientHeader(t *testing.T) {
	var seen []http.Header
	record := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header)
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusFound)
		}
	})
	first, second := httptest.NewServer(record), httptest.NewServer(record)
	defer first.Close()
	defer second.Close()
	open := func(o access.Options) {
		t.Helper()
		seen = nil
		c, err := all.Client(&all.Options{Rules: policy.Rules{AllowPrivate: true}, Options: o})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		found, err := c.Open(t.Context(), first.URL+"/?to=/here%3Fto="+second.URL+"/")
		if err != nil {
			t.Fatal(err)
		}
		found.Close()
		if len(seen) != 3 {
			t.Fatalf("%d requests", len(seen))
		}
	}
	open(access.Options{UserAgent: "mine/1", Header: http.Header{"authorization": {"Bearer x"}, "cookie": {"a=b"}, "X-Mine": {"1", "2"}, "Accept": {"text/plain"}}})
	for i, h := range seen {
		secret := "Bearer x a=b"
		if i == 2 {
			secret = " "
		}
		if h.Get("User-Agent") != "mine/1" || h.Get("Authorization")+" "+h.Get("Cookie") != secret || len(h["X-Mine"]) != 2 || h.Get("Accept") != "text/plain" {
			t.Errorf("request %d: %v", i, h)
		}
	}
	open(access.Options{})
	for i, h := range seen {
		if name := h.Get("User-Agent"); !strings.HasPrefix(name, "locus/") || !strings.HasSuffix(name, " (+https://github.com/locus-url/locus)") || h.Get("Accept") != "*/*" {
			t.Errorf("request %d: %v", i, h)
		}
	}
}

func TestClientRefuses(t *testing.T) {
	if _, err := all.Client(&all.Options{Rules: policy.Rules{Ports: []uint16{0}}}); err == nil {
		t.Error("a malformed rule is accepted")
	}
	if _, err := all.Client(&all.Options{Schemes: []scheme.Scheme{{}}}); err == nil {
		t.Error("a malformed row is accepted")
	}
	c, err := all.Client(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var syntax *locus.SyntaxError
	if _, err := c.Open(t.Context(), "no url"); !errors.As(err, &syntax) {
		t.Error(err)
	}
}

// If a URL lacks the host that its scheme requires, the error must be a syntax error, not a policy
// denial.
func TestMissingHost(t *testing.T) {
	c, err := all.Client(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	n := 0
	for _, s := range c.Registry().All() {
		if s.Access.Opener == nil || s.Port == 0 {
			continue
		}
		n++
		for _, rest := range []string{"", "/x", ":1/x", "u@/x"} {
			text := s.Name + "://" + rest
			u, err := locus.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.Open(t.Context(), text)
			var syntax *locus.SyntaxError
			if access.KindOf(err) != access.Syntax || !errors.As(err, &syntax) || syntax.Offset != u.HostOffset() || !strings.HasSuffix(err.Error(), ": missing host") {
				t.Errorf("%s: %v", text, err)
			}
			if err := c.Check(u, nil); access.KindOf(err) != access.Syntax {
				t.Errorf("Check(%s): %v", text, err)
			}
			// The same rule applies to a URL in a page.
			if err := c.Check(u, &access.Result{URL: locus.MustParse("http://www.example/")}); access.KindOf(err) != access.Syntax {
				t.Errorf("Check(%s) in a page: %v", text, err)
			}
		}
	}
	if n < 10 {
		t.Errorf("%d schemes", n)
	}
}

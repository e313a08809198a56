package access

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// observer collects the requests of clients as lines. At the end of a request, the result
// replaces "..." in its line.
type observer struct {
	mu    sync.Mutex
	lines []string
	left  int // requests in progress
}

func (o *observer) observe(_ context.Context, a Attempt) func(AttemptResult) {
	o.mu.Lock()
	defer o.mu.Unlock()
	line := fmt.Sprintf("%d %q %s %s %s", a.Hop, a.Plan, a.Scheme, a.Host, a.URL)
	for _, p := range a.Proxies {
		line += " by " + p.String()
	}
	n := len(o.lines)
	o.lines, o.left = append(o.lines, line+" ..."), o.left+1
	return func(r AttemptResult) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.left--
		end := fmt.Sprintf(" %d", r.Bytes)
		if r.Kind != "" || r.Rule != "" || r.Err != nil {
			end += fmt.Sprintf(" %s %s", r.Kind, r.Rule)
		}
		o.lines[n] = strings.TrimSpace(strings.TrimSuffix(o.lines[n], " ...") + end)
		if KindOf(r.Err) != r.Kind || r.Err != nil && strings.Contains(r.Err.Error(), "s3cret") {
			o.lines[n] += fmt.Sprintf(" error %v", r.Err)
		}
	}
}

// takeLines returns the lines since the last call. All requests must have ended.
func (o *observer) takeLines(t *testing.T) []string {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.left != 0 {
		t.Errorf("%d requests have not ended: %q", o.left, o.lines)
	}
	list := o.lines
	o.lines = nil
	return list
}

func TestObserve(t *testing.T) {
	w := &fixture{names: names("a.example", "b.example"), dead: map[string]bool{"8.8.4.4": true}}
	w.names["dead.example"], w.names["inner.example"] = "8.8.4.4", "10.0.0.1"
	w.pages = map[string]string{
		"http://a.example/1": "object hello", "http://a.example/2": "referral http://b.example/3", "http://b.example/3": "referral http://a.example/1",
		"http://a.example/4": "menu http://a.example/1", "http://a.example/5": "referral http://inner.example/", "http://a.example/6": "cut hel",
		"http://a.example/7": "referral telnet://a.example/", "telnet://a.example/": "session",
		"http://u:s3cret@a.example/1": "object hello", "http://a.example/1?b": "object hello",
	}
	o := new(observer)
	c := w.client(t, policy.Rules{Passwords: true}, &Options{Observe: o.observe}, nil)
	for _, test := range []struct{ url, want string }{
		{"http://a.example/1#f", `0 "direct" http a.example http://a.example/1 5`},
		{"http://u:s3cret@a.example/1", `0 "direct" http a.example http://u:***@a.example/1 5`},
		{"http://a.example/2", `0 "direct" http a.example http://a.example/2 0|1 "direct" http b.example http://b.example/3 0|2 "direct" http a.example http://a.example/1 5`},
		{"http://a.example/4", `0 "direct" http a.example http://a.example/4 0`},
		{"http://a.example/5", `0 "direct" http a.example http://a.example/5 0|1 "direct" http inner.example http://inner.example/ 0 denied private`},
		{"http://a.example/6", `0 "direct" http a.example http://a.example/6 3 protocol`},
		{"http://a.example/7", `0 "direct" http a.example http://a.example/7 0|1 "" telnet a.example telnet://a.example/ 0 denied session`},
		{"http://a.example/none", `0 "direct" http a.example http://a.example/none 0 not-found`},
		{"http://dead.example/", `0 "direct" http dead.example http://dead.example/ 0 unreachable`},
		{"http://a.example:25/", `0 "" http a.example http://a.example:25/ 0 denied port`},
		{"http://10.0.0.1/", `0 "" http 10.0.0.1 http://10.0.0.1/ 0 denied private`},
		{"urn:a:b", `0 "" urn  urn:a:b 0 unsupported`},
		{"telnet://a.example/", `0 "direct" telnet a.example telnet://a.example/ 0`},
	} {
		_, _, err := openText(t, c, Request{URL: parse(test.url)})
		if got := strings.Join(o.takeLines(t), "|"); got != test.want {
			t.Errorf("%s: %v\n got %s\nwant %s", test.url, err, got, test.want)
		}
	}
}

// Each outcome of a plan has its own name, and the reported proxies are the proxies of the
// plan.
func TestObservePlans(t *testing.T) {
	proxies := func(text string) *Proxies {
		g, err := ParseProxy(text)
		if err != nil {
			t.Fatal(err)
		}
		list, err := NewProxies(ProxyRules{All: g})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	archive := scheme.OpenerFunc(func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
		if req.URL.Scheme() == "ftp" {
			return nil, scheme.ErrNotArchived
		}
		return page(req.URL, "object", "archived")
	})
	w := &fixture{names: names("a.example", "gw.example"), pages: map[string]string{"http://gw.example/gopher%3A%2F%2Fa.example%2F": "object from a template", "ftp://a.example/": "object live"}}
	for _, test := range []struct {
		options Options
		url     string
		want    []string
	}{
		{Options{Proxies: proxies("http://me:s3cret@gw.example")}, "gopher://a.example/", []string{`0 "proxy" gopher a.example gopher://a.example/ by http://me:***@gw.example 0 unsupported`}},
		{Options{Proxies: proxies("http://gw.example")}, "https://a.example/", []string{`0 "tunnel" https a.example https://a.example/ by http://gw.example 0 unsupported`}},
		{Options{Proxies: proxies("http://gw.example/{url}")}, "gopher://a.example/", []string{`0 "template" gopher a.example gopher://a.example/ by http://gw.example/{url} 15`}},
		{Options{Archive: archive}, "http://a.example/", []string{`0 "archive" http a.example http://a.example/ 8`}},
		{Options{Archive: archive, Live: true}, "ftp://a.example/", []string{`0 "archive" ftp a.example ftp://a.example/ 0 not-found`, `0 "direct" ftp a.example ftp://a.example/ 4`}},
	} {
		o := new(observer)
		test.options.Observe = o.observe
		_, _, err := openText(t, w.client(t, policy.Rules{}, &test.options, nil), Request{URL: parse(test.url)})
		if got := o.takeLines(t); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v\n got %q\nwant %q", test.url, err, got, test.want)
		}
	}
}

// A request ends with its context, even if the program does not close the resource.
func TestObserveCancelled(t *testing.T) {
	w := &fixture{names: names("a.example"), pages: map[string]string{"http://a.example/": "object hello"}}
	ended := make(chan AttemptResult, 2)
	c := w.client(t, policy.Rules{}, &Options{Observe: func(context.Context, Attempt) func(AttemptResult) { return func(r AttemptResult) { ended <- r } }}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	res, err := c.Do(ctx, Request{URL: parse("http://a.example/")})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if r := <-ended; r.Kind != Interrupted {
		t.Errorf("%+v", r)
	}
	res.Close()
	if len(ended) > 0 {
		t.Error("a request ended twice")
	}
}

// Both the client's function and the request's function observe a request and add header
// fields.
func TestObserveHeader(t *testing.T) {
	var got map[string][]string
	opener := scheme.OpenerFunc(func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
		got = req.Header
		return page(req.URL, "object", "x")
	})
	add := func(name, value string) ObserveFunc {
		return func(_ context.Context, a Attempt) func(AttemptResult) {
			a.Header.Set(name, value)
			return nil
		}
	}
	c := New(registry(t, opener), policy.Policy{}, &Options{Header: http.Header{"A": {"1"}, "B": {"1"}}, Observe: add("b", "2")})
	defer c.Close()
	if _, _, err := openText(t, c, Request{URL: parse("http://a.example/"), Observe: add("c", "3")}); err != nil {
		t.Fatal(err)
	}
	if want := "map[A:[1] B:[2] C:[3]]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}

// A program observes its own requests as the client does.
func TestObserveOwn(t *testing.T) {
	o := new(observer)
	c := (&fixture{}).client(t, policy.Rules{Passwords: true}, &Options{Observe: o.observe}, nil)
	x := c.Observe(t.Context(), Request{URL: parse("http://u:s3cret@a.example/#f")})
	x.Read(3, nil)
	x.Read(2, io.EOF)
	x.End(nil)
	x.End(errors.New("late"))
	public := &Result{LinkOrigin: policy.FromPublic}
	c.Observe(t.Context(), Request{URL: parse("http://10.0.0.1/")}).End(c.Check(parse("http://10.0.0.1/"), public))
	want := []string{`0 "direct" http a.example http://u:***@a.example/ 5`, `0 "direct" http 10.0.0.1 http://10.0.0.1/ 0 denied private`}
	if got := o.takeLines(t); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	unobserved := (&fixture{}).client(t, policy.Rules{}, nil, nil)
	none := unobserved.Observe(t.Context(), Request{URL: parse("http://a.example/")})
	none.Read(1, nil)
	none.End(nil)
	if none != nil || len(none.Header()) != 0 {
		t.Errorf("%+v without an observer", none)
	}
}

// BenchmarkDo opens and reads an object in memory, with and without an ObserveFunc.
func BenchmarkDo(b *testing.B) {
	u := locus.MustParse("http://a.example/1")
	opener := scheme.OpenerFunc(func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
		return page(req.URL, "object", "hello")
	})
	for name, observe := range map[string]ObserveFunc{
		"without": nil,
		"with":    func(context.Context, Attempt) func(AttemptResult) { return func(AttemptResult) {} },
	} {
		b.Run(name, func(b *testing.B) {
			c := New(registry(b, opener), policy.Policy{}, &Options{Observe: observe})
			defer c.Close()
			b.ReportAllocs()
			for b.Loop() {
				res, err := c.Do(b.Context(), Request{URL: u})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, res.Resource.(*scheme.Object).Body); err != nil {
					b.Fatal(err)
				}
				res.Close()
			}
		})
	}
}

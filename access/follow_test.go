package access

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// permissiveRules contains rules for tests of other features.
var permissiveRules = policy.Rules{AllowPrivate: true, Passwords: true, Files: true}

// names returns a map in which each host has a public address.
func names(list ...string) map[string]string {
	m := make(map[string]string)
	for i, name := range list {
		m[name] = fmt.Sprintf("1.1.1.%d", i+1)
	}
	return m
}

func TestFollow(t *testing.T) {
	w := &fixture{
		names: names("a.example", "b.example", "c.example"),
		pages: map[string]string{
			"http://a.example/1":  "referral http://b.example/2",
			"http://b.example/2":  "referral http://c.example/3#own",
			"http://c.example/3":  "object here",
			"http://a.example/4":  "referral http://c.example/3",
			"http://a.example/5":  "referral http://c.example/3#",
			"http://c.example/10": "referral http://c.example/11", "http://c.example/11": "referral http://c.example/10#x",
			"http://c.example/12":    "referral http://c.example/12",
			"http://c.example/13":    "referral",
			"http://c.example/14":    "referral telnet://c.example/",
			"http://c.example/15":    "referral x-session://c.example/",
			"http://c.example/16":    "referral mailto:a@b.example",
			"http://c.example/17":    "referral urn:a:b",
			"http://c.example/18":    "referral http://nowhere.example/",
			"http://c.example/19":    "referral http://c.example:25/",
			"http://c.example/20":    "referral gopher://c.example:7070/0x",
			"x-session://c.example/": "session", "telnet://c.example/": "session",
		},
	}
	c := w.client(t, policy.Rules{}, nil, nil)
	for _, s := range []struct {
		text string
		url  string // final
		hops string
		kind Kind
		says string // the error, in part
	}{
		{text: "http://c.example/3", url: "http://c.example/3", hops: "http://c.example/3"},
		{text: "http://c.example/3#f", url: "http://c.example/3#f", hops: "http://c.example/3"},
		{text: "http://a.example/1", url: "http://c.example/3#own", hops: "http://a.example/1 http://b.example/2 http://c.example/3"},
		{text: "http://a.example/1#f", url: "http://c.example/3#own", hops: "http://a.example/1 http://b.example/2 http://c.example/3"},
		{text: "http://a.example/4#f", url: "http://c.example/3#f", hops: "http://a.example/4 http://c.example/3"},
		{text: "http://a.example/4", url: "http://c.example/3", hops: "http://a.example/4 http://c.example/3"},
		{text: "http://a.example/5#f", url: "http://c.example/3#", hops: "http://a.example/5 http://c.example/3"},
		{text: "http://c.example/10", kind: Protocol, says: "http://c.example/10#x: protocol error: redirect loop"},
		{text: "http://c.example/12#a", kind: Protocol, says: "redirect loop"},
		{text: "http://c.example/13", kind: Protocol, says: "redirect without a target"},
		{text: "http://c.example/14", kind: Denied, says: "must not start a session"},
		{text: "http://c.example/15", kind: Denied, says: "must not start a session"},
		{text: "http://c.example/16", kind: Denied, says: "mailto:a@b.example"},
		{text: "http://c.example/17", kind: Unsupported, says: `locus: open urn:a:b: unknown scheme "urn" (redirected from http://c.example/17)`},
		{text: "http://c.example/18", kind: Unreachable, says: `locus: dial http://nowhere.example/: `},
		{text: "http://c.example/19", kind: Denied, says: "port 25"},
		{text: "http://c.example/20", kind: Denied, says: "must use port 70"},
		{text: "telnet://c.example/", url: "telnet://c.example/", hops: "telnet://c.example/"},
		{text: "x-session://c.example/", url: "x-session://c.example/", hops: "x-session://c.example/"},
	} {
		_, res, err := openText(t, c, Request{URL: parse(s.text)})
		if KindOf(err) != s.kind {
			t.Errorf("%s: %q: %v", s.text, KindOf(err), err)
			continue
		}
		if err != nil {
			if !strings.Contains(err.Error(), s.says) {
				t.Errorf("%s: %v", s.text, err)
			}
			continue
		}
		if res.URL.String() != s.url || texts(res.Hops) != s.hops {
			t.Errorf("%s: found at %v after %v", s.text, res.URL, res.Hops)
		}
	}
	// The client never sends a fragment.
	for _, asked := range w.asked {
		if strings.Contains(asked, "#") {
			t.Errorf("%s was sent", asked)
		}
	}
}

func TestNoFollow(t *testing.T) {
	w := &fixture{names: names("a.example"), pages: map[string]string{"http://a.example/": "referral file:///x http://b.example/"}}
	c := w.client(t, policy.Rules{}, nil, nil)
	_, res, err := openText(t, c, Request{URL: parse("http://a.example/#f"), NoFollow: true})
	if err != nil {
		t.Fatal(err)
	}
	r, ok := res.Resource.(*scheme.Redirect)
	if !ok || texts(r.To) != "file:///x http://b.example/" || res.URL.String() != "http://a.example/#f" || res.LinkOrigin != policy.FromPublic {
		t.Errorf("%+v", res)
	}
}

// The policy limits consecutive redirects.
func TestHops(t *testing.T) {
	w := &fixture{names: names("a.example"), pages: map[string]string{"http://a.example/0": "object end"}}
	for i := 1; i <= 21; i++ {
		w.pages[fmt.Sprintf("http://a.example/%d", i)] = fmt.Sprintf("referral http://a.example/%d", i-1)
	}
	for _, s := range []struct{ most, n int }{{0, 20}, {3, 3}, {10, 10}} {
		c := w.client(t, policy.Rules{MaxHops: s.most}, nil, nil)
		if _, res, err := openText(t, c, Request{URL: parse(fmt.Sprintf("http://a.example/%d", s.n))}); err != nil || len(res.Hops) != s.n+1 {
			t.Errorf("%d referrals with %d allowed: %v", s.n, s.most, err)
		}
		if _, _, err := openText(t, c, Request{URL: parse(fmt.Sprintf("http://a.example/%d", s.n+1))}); deniedBy(err) != "hops" {
			t.Errorf("%d referrals with %d allowed: %v", s.n+1, s.most, err)
		}
	}
}

// The client tries the next URL of a redirect if it sent no request, because the URL is
// denied, the scheme is not supported, or the connection fails.
func TestAlternatives(t *testing.T) {
	w := &fixture{
		names: map[string]string{"a.example": "1.1.1.1", "b.example": "1.1.1.2", "dead1.example": "1.1.1.3", "dead2.example": "1.1.1.4", "private.example": "10.0.0.1"},
		dead:  map[string]bool{"1.1.1.3": true, "1.1.1.4": true},
		pages: map[string]string{
			"http://a.example/1": "referral http://dead1.example/ http://gone.example/ http://b.example/ http://a.example/never",
			"http://a.example/2": "referral http://b.example/missing http://b.example/",
			"http://a.example/3": "referral http://10.0.0.1/ urn:a:b http://dead1.example/",
			"http://a.example/7": "referral urn:a:b http://10.0.0.1/ http://private.example/ http://b.example/",
			"http://a.example/4": "referral http://dead1.example/ http://dead2.example/last",
			"http://a.example/5": "referral" + repeated(" http://dead1.example/%d", 50) + " http://b.example/",
			"http://a.example/6": "referral http://private.example/ http://dead1.example/",
			"http://b.example/":  "object b",
		},
	}
	c := w.client(t, policy.Rules{}, nil, nil)
	text, res, err := openText(t, c, Request{URL: parse("http://a.example/1")})
	if err != nil || text != "b" || texts(res.Hops) != "http://a.example/1 http://b.example/" {
		t.Errorf("%q %+v %v", text, res, err)
	}
	equal(t, "asked", w.asked, []string{"http://a.example/1", "http://b.example/"})
	if text, _, err := openText(t, c, Request{URL: parse("http://a.example/7")}); err != nil || text != "b" {
		t.Errorf("%q %v", text, err)
	}
	for text, want := range map[string]struct {
		kind Kind
		says string
	}{
		"http://a.example/2": {NotFound, "http://b.example/missing"},
		"http://a.example/3": {Denied, "http://10.0.0.1/"},
		"http://a.example/6": {Denied, "private.example"},
		"http://a.example/4": {Unreachable, "locus: dial http://dead2.example/last: "},
		"http://a.example/5": {Unreachable, "http://dead1.example/7"},
	} {
		if _, _, err := openText(t, c, Request{URL: parse(text)}); KindOf(err) != want.kind || !strings.Contains(err.Error(), want.says) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func repeated(format string, n int) (text string) {
	for i := range n {
		text += fmt.Sprintf(format, i)
	}
	return text
}

// The client sends a login only to the same server.
func TestLogins(t *testing.T) {
	for _, s := range []struct{ to, asked string }{
		{"http://h.example/2", "http://u:secret@h.example/2"},
		{"http://H.Example:80/2", "http://u:secret@H.Example:80/2"},
		{"http://h.example/2#f", "http://u:secret@h.example/2"},
		{"http://h.example:8080/2", "http://h.example:8080/2"},
		{"https://h.example/2", "https://h.example/2"},
		{"http://www.h.example/2", "http://www.h.example/2"},
		{"http://other.example/2", "http://other.example/2"},
		{"http://h.example.other.example/2", "http://h.example.other.example/2"},
		{"ftp://h.example/2", "ftp://h.example/2"},
		{"http://h.example?q", "http://u:secret@h.example/?q"},
	} {
		w := &fixture{
			names: names("h.example", "H.Example", "www.h.example", "other.example", "h.example.other.example"),
			pages: map[string]string{"http://u:secret@h.example/1": "referral " + s.to, s.asked: "object there"},
		}
		w.names["h.example"] = "1.1.1.1"
		c := w.client(t, policy.Rules{Passwords: true}, nil, nil)
		if _, _, err := openText(t, c, Request{URL: parse("http://u:secret@h.example/1")}); err != nil {
			t.Errorf("%s: %v", s.to, err)
			continue
		}
		if got := w.asked[len(w.asked)-1]; got != s.asked {
			t.Errorf("to %s: asked for %s", s.to, got)
		}
	}
	// The client refuses a redirect with a login, even if typed URLs may contain a login.
	w := &fixture{names: names("a.example"), pages: map[string]string{"http://a.example/": "referral http://admin:admin@a.example/x"}}
	for _, passwords := range []bool{false, true} {
		c := w.client(t, policy.Rules{Passwords: passwords}, nil, nil)
		if _, _, err := openText(t, c, Request{URL: parse("http://a.example/")}); deniedBy(err) != "login" || strings.Contains(err.Error(), ":admin") {
			t.Errorf("a login that a referral brings: %v", err)
		}
	}
}

// After an encrypted connection, the client sends no login over an unencrypted connection.
func TestAskAfterDowngrade(t *testing.T) {
	w := &fixture{
		names: names("a.example"),
		pages: map[string]string{
			"https://a.example/1": "referral http://a.example/2",
			"http://a.example/2":  "referral http://a.example/3",
			"http://a.example/3":  "referral https://a.example/4",
			"https://a.example/4": "object end",
		},
	}
	var asked []string
	inner := new(lines)
	o := scheme.OpenerFunc(func(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
		if req.Ask != nil {
			asked = append(asked, req.URL.String())
		}
		return inner.Open(ctx, req)
	})
	c := New(registry(t, o), policy.Policy{}, &Options{Lookup: w.lookup, Dial: w.dial,
		Ask: func(context.Context, scheme.Question) (c scheme.Credentials, ok bool, err error) {
			return c, false, nil
		}})
	defer w.servers.Wait()
	defer c.Close()
	if _, _, err := openText(t, c, Request{URL: parse("https://a.example/1")}); err != nil {
		t.Fatal(err)
	}
	equal(t, "could ask", asked, []string{"https://a.example/1", "https://a.example/4"})
	asked = nil
	if _, _, err := openText(t, c, Request{URL: parse("http://a.example/2")}); err != nil {
		t.Fatal(err)
	}
	equal(t, "could ask", asked, []string{"http://a.example/2", "http://a.example/3", "https://a.example/4"})
}

// The opener receives the fields of the request.
func TestSchemeRequest(t *testing.T) {
	modified := time.Date(1994, 12, 1, 0, 0, 0, 0, time.UTC)
	var got []*scheme.Request
	o := scheme.OpenerFunc(func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
		got = append(got, req)
		req.Traced(true, "hello")
		if req.URL.Scheme() == "http" {
			return &scheme.Redirect{URL: req.URL, To: []locus.URL{parse("ftp://a.example/b")}}, nil
		}
		return page(req.URL, "object", "")
	})
	var traced []string
	c := New(registry(t, o), policy.Policy{}, &Options{
		Limit: 100,
		Ask: func(context.Context, scheme.Question) (c scheme.Credentials, ok bool, err error) {
			return c, false, nil
		},
		Fill: func(context.Context, *scheme.Form) ([]string, bool, error) { return nil, false, nil },
		Trace: func(u locus.URL) scheme.TraceFunc {
			if u.Scheme() == "ftp" {
				return nil
			}
			return func(sent bool, line string) { traced = append(traced, fmt.Sprintf("%v %v %s", u, sent, line)) }
		},
	})
	defer c.Close()
	if _, _, err := openText(t, c, Request{URL: parse("http://a.example/#f"), Offset: 7, Tag: "t", ModTime: modified,
		Accept: "a/b", AcceptLanguage: "de", Items: scheme.ItemRange{Newest: 3}, Like: []locus.URL{parse("http://b.example/")}}); err != nil {
		t.Fatal(err)
	}
	for i, url := range []string{"http://a.example/", "ftp://a.example/b"} {
		r := got[i]
		if r.URL.String() != url || r.Offset != 7 || r.Tag != "t" || r.ModTime != modified || r.Limit != 100 || r.Ask == nil || r.Fill == nil || r.Dial == nil ||
			r.Accept != "a/b" || r.AcceptLanguage != "de" || r.Items.Newest != 3 || len(r.Like) != 1 || r.Within != nil {
			t.Errorf("%+v", r)
		}
	}
	equal(t, "traced", traced, []string{"http://a.example/ true hello"})
}

// An opener can open the document that contains its URL, under the same rules as the
// client.
func TestWithin(t *testing.T) {
	w := &fixture{
		names: map[string]string{"a.example": "192.0.2.1"},
		pages: map[string]string{"http://a.example/1": "object around", "http://b.example/1": "object elsewhere"},
	}
	w.names["a.example"] = "93.184.216.34"
	w.names["b.example"] = "93.184.216.34|127.0.0.1"
	inner := new(lines)
	o := scheme.OpenerFunc(func(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
		switch {
		case req.URL.Scheme() != "mid":
			return inner.Open(ctx, req)
		case req.Within == nil:
			return nil, scheme.ErrUnsupported
		}
		return req.Within(ctx)
	})
	p, err := policy.New(policy.Rules{TypedPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	c := New(registry(t, o), p, &Options{Lookup: w.lookup, Dial: w.dial})
	defer w.servers.Wait()
	defer c.Close()
	for _, test := range []struct{ url, text, denied string }{
		{"http://a.example/1", "around", ""},
		{"http://b.example/1", "", "private"},
	} {
		_, from, err := openText(t, c, Request{URL: parse(test.url)})
		if err != nil {
			t.Fatal(err)
		}
		text, _, err := openText(t, c, Request{URL: parse("mid:x@y"), From: from})
		if text != test.text || deniedBy(err) != test.denied || (err == nil) != (test.denied == "") {
			t.Errorf("%s: %q, %v", test.url, text, err)
		}
	}
	if _, _, err := openText(t, c, Request{URL: parse("mid:x@y")}); !errors.Is(err, scheme.ErrUnsupported) {
		t.Error(err)
	}
}

// The policy also judges the addresses of a server that the configuration names.
func TestDialer(t *testing.T) {
	w := &fixture{names: map[string]string{"a.example": "93.184.216.34", "b.example": "127.0.0.1"}}
	c := w.client(t, policy.Rules{}, nil, nil)
	conn, err := c.Dialer().DialContext(t.Context(), "tcp", "a.example:25")
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if _, err := c.Dialer().DialContext(t.Context(), "tcp", "b.example:25"); deniedBy(err) != "private" {
		t.Error(err)
	}
}

// An unknown scheme, a known scheme without an opener, and a denial cause three different
// errors.
func TestNoOpener(t *testing.T) {
	c := New(registry(t, nil), policy.Policy{}, nil)
	for text, want := range map[string]string{
		"x-new:a":             `locus: open x-new:a: unknown scheme "x-new"`,
		"fpt://h/":            `locus: open fpt://h/: unknown scheme "fpt" (did you mean ftp?)`,
		"C:/Users/joe":        `locus: open C:/Users/joe: unknown scheme "c" (this is a Windows path: did you mean file:///C:/Users/joe?)`,
		"afs:a":               `locus: open afs:a: not supported: the scheme afs is reserved, and RFC 1738 4 defines no access to it`,
		"mailto:a@b.example":  `locus: open mailto:a@b.example: not supported: mailto URLs (RFC 1738 3.5) can be parsed and compared, but not opened`,
		"WAIS://h.example/db": `locus: open WAIS://h.example/db: not supported: wais URLs (RFC 1738 5) can't be retrieved: Z39.50`,
	} {
		_, err := c.Open(t.Context(), text)
		if err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
		if KindOf(err) != Unsupported || errors.Is(err, policy.ErrDenied) || errors.Is(err, scheme.ErrNoScheme) != strings.Contains(want, "unknown scheme") {
			t.Errorf("%s: %q, %v", text, KindOf(err), err)
		}
	}
	for _, c := range []*Client{New(nil, policy.Policy{}, nil), New(new(scheme.Registry), policy.Policy{}, &Options{})} {
		if _, err := c.Open(t.Context(), "http://h.example/"); !errors.Is(err, scheme.ErrNoScheme) {
			t.Errorf("no registry: %v", err)
		}
		if _, err := c.Do(t.Context(), Request{}); err == nil {
			t.Error("no URL is opened")
		}
	}
}

// A denied URL is not looked up, dialed or opened.
func TestRefusedBeforeAnythingIsSent(t *testing.T) {
	w := &fixture{names: names("h.example")}
	opened := false
	o := scheme.OpenerFunc(func(context.Context, *scheme.Request) (scheme.Resource, error) {
		opened = true
		return nil, errors.New("opened")
	})
	c := New(registry(t, o), policy.Policy{}, &Options{Lookup: w.lookup, Dial: w.dial})
	defer c.Close()
	for text, rule := range map[string]string{
		"gopher://h.example:25/0HELO": "port", "http://u:secret@h.example/": "password", "file:///etc/passwd": "file",
		"http://127.1/": "host", "http://[::ffff:127.0.0.1]/": "private", "http://169.254.169.254/latest/": "link-local",
	} {
		_, err := c.Open(t.Context(), text)
		if deniedBy(err) != rule || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if opened || len(w.lookups) != 0 || len(w.dials) != 0 {
		t.Error("something was done all the same")
	}
}

// An opener that returns neither a resource nor an error causes a protocol error.
func TestOpenerReturnsNothing(t *testing.T) {
	o := scheme.OpenerFunc(func(context.Context, *scheme.Request) (scheme.Resource, error) { return nil, nil })
	c := New(registry(t, o), policy.Policy{}, nil)
	if _, err := c.Open(t.Context(), "http://h.example/"); KindOf(err) != Protocol {
		t.Errorf("%v", err)
	}
}

// Concurrent requests get their own responses, with redirects and reused connections.
func TestManyAtOnce(t *testing.T) {
	const hostCount, each = 8, 25
	w := &fixture{names: make(map[string]string), pages: make(map[string]string)}
	for h := range hostCount {
		host := fmt.Sprintf("h%d.example", h)
		w.names[host] = fmt.Sprintf("1.1.1.%d", h)
		if h%2 == 1 {
			w.names[host] = fmt.Sprintf("10.0.0.%d", h)
		}
		for i := range each {
			w.pages[fmt.Sprintf("http://%s/%d", host, i)] = fmt.Sprintf("referral http://h%d.example/end%d", (h+2)%hostCount, i)
			w.pages[fmt.Sprintf("http://%s/end%d", host, i)] = fmt.Sprintf("object %s %d", host, i)
		}
	}
	c := w.client(t, policy.Rules{TypedPrivate: true}, nil, &lines{keep: true})
	var group sync.WaitGroup
	for h := range hostCount {
		for i := range each {
			group.Go(func() {
				u := parse(fmt.Sprintf("http://h%d.example/%d", h, i))
				res, err := c.Do(t.Context(), Request{URL: u})
				if err != nil {
					t.Error(err)
					return
				}
				defer res.Resource.Close()
				text, err := io.ReadAll(res.Resource.(*scheme.Object).Body)
				if want := fmt.Sprintf("h%d.example %d", (h+2)%hostCount, i); err != nil || string(text) != want {
					t.Errorf("%v: %q, %v", u, text, err)
				}
				want := policy.FromPublic
				if h%2 == 1 {
					want = policy.FromPrivate
				}
				if res.LinkOrigin != want {
					t.Errorf("%v: origin %v", u, res.LinkOrigin)
				}
			})
		}
	}
	group.Wait()
	if slices.ContainsFunc(w.dials, func(a string) bool { return !strings.HasSuffix(a, ":80") }) {
		t.Errorf("dialed %q", w.dials)
	}
}

// The items of a menu are complete, and their errors name the URL.
func TestMenus(t *testing.T) {
	broken := errors.New("the line broke")
	closed := 0
	o := scheme.OpenerFunc(func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
		m := &scheme.Menu{URL: req.URL, Items: func(yield func(scheme.Item, error) bool) {
			for range 3 {
				if !yield(scheme.Item{Title: "a"}, nil) {
					return
				}
			}
			if yield(scheme.Item{}, broken) {
				panic("continues after an error")
			}
		}}
		if req.URL.Scheme() == "http" {
			m.Closer = closeFunc(func() error { closed++; return broken })
		}
		return m, nil
	})
	c := New(registry(t, o), policy.Policy{}, nil)
	for _, text := range []string{"http://h.example/", "ftp://h.example/"} {
		res, err := c.Open(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		m := res.Resource.(*scheme.Menu)
		n := 0
		for _, err := range m.Items {
			if n++; err == nil {
				continue
			}
			var e *Error
			if !errors.Is(err, broken) || !errors.As(err, &e) || e.Op != "read" || e.URL != parse(text) || n != 4 {
				t.Errorf("item %d: %v", n, err)
			}
		}
		if n != 4 {
			t.Errorf("%d items", n)
		}
		for range 2 {
			if err := m.Close(); (err == broken) != (text == "http://h.example/") {
				t.Errorf("Close: %v", err)
			}
		}
		for _, err := range m.Items {
			if err == nil {
				t.Error("an item after Close")
			}
		}
	}
	if closed != 1 {
		t.Errorf("closed %d times", closed)
	}
}

type closeFunc func() error

func (f closeFunc) Close() error { return f() }

// Permanent is true only if each redirect is permanent.
func TestPermanent(t *testing.T) {
	opener := scheme.OpenerFunc(func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
		path, _ := req.URL.Path()
		if path == "" {
			return &scheme.Object{Body: io.NopCloser(strings.NewReader(""))}, nil
		}
		to := parse("x-a://a.example/" + path[1:])
		return &scheme.Redirect{URL: req.URL, To: []locus.URL{to}, Permanent: path[0] == 'p'}, nil
	})
	r, err := scheme.NewRegistry(scheme.Scheme{Name: "x-a", Port: 4711, Status: scheme.Experimental, Access: scheme.Access{Opener: opener, Protocol: "a test"}})
	if err != nil {
		t.Fatal(err)
	}
	c := New(r, policy.Policy{}, nil)
	defer c.Close()
	for path, want := range map[string]bool{"": false, "p": true, "t": false, "pp": true, "pt": false, "tp": false, "ptp": false} {
		res, err := c.Do(t.Context(), Request{URL: parse("x-a://a.example/" + path), Probe: true})
		if err != nil {
			t.Fatal(err)
		}
		res.Resource.Close()
		if res.Permanent != want {
			t.Errorf("%q: %v", path, res.Permanent)
		}
	}
}

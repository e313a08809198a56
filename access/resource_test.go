package access

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// endless is a body that never ends.
type endless struct{ closed bool }

func (*endless) Read(p []byte) (int, error) { return len(p), nil }
func (e *endless) Close() error             { e.closed = true; return nil }

// The limit applies even if the opener ignores it.
func TestLimit(t *testing.T) {
	for _, s := range []struct {
		limit, size int64
		n           int  // available bytes
		early       bool // refused because of its size
		late        bool // reading ends in an error
	}{
		{limit: 0, size: -1, n: 100000},
		{limit: 10, size: -1, n: 9},
		{limit: 10, size: -1, n: 10},
		{limit: 10, size: -1, n: 11, late: true},
		{limit: 10, size: 10, n: 10},
		{limit: 10, size: 3, n: 100000, late: true},
		{limit: 10, size: 11, n: 11, early: true},
	} {
		body := &endless{}
		o := scheme.OpenerFunc(func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
			return &scheme.Object{URL: req.URL, Size: s.size, Body: struct {
				io.Reader
				io.Closer
			}{io.LimitReader(body, int64(s.n)), body}}, nil
		})
		c := New(registry(t, o), policy.Policy{}, &Options{Limit: s.limit})
		res, err := c.Open(t.Context(), "http://h.example/")
		if s.early {
			if KindOf(err) != TooLarge || !body.closed {
				t.Errorf("%+v: %v", s, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(res.Resource.(*scheme.Object).Body)
		if (KindOf(err) == TooLarge) != s.late || (err != nil) != s.late {
			t.Errorf("%+v: %v", s, err)
		}
		if want := s.n; !s.late && len(text) != want || s.late && int64(len(text)) != s.limit {
			t.Errorf("%+v: %d octets", s, len(text))
		}
		if err := res.Close(); err != nil || !body.closed {
			t.Errorf("%+v: Close: %v", s, err)
		}
	}
}

// A read error names the URL and the operation once, without a password.
func TestReadErrors(t *testing.T) {
	w := &fixture{names: names("a.example"), pages: map[string]string{"http://u:secret@a.example/": "cut half of"}}
	c := w.client(t, policy.Rules{Passwords: true}, nil, nil)
	text, _, err := openText(t, c, Request{URL: parse("http://u:secret@a.example/#f")})
	if want := "locus: read http://u:***@a.example/#f: unexpected EOF"; text != "half of" || err == nil || err.Error() != want {
		t.Errorf("%q, %v", text, err)
	}
	h := &heldResource{url: parse("http://b.example/"), ctx: t.Context()}
	if again := h.readError(err); again != err {
		t.Errorf("wrapped twice: %v", again)
	}
}

// The opener sees the end of the body and the first call of Close.
func TestClose(t *testing.T) {
	broken, n := errors.New("can't be closed"), 0
	o := scheme.OpenerFunc(func(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
		return &scheme.Object{URL: req.URL, Size: -1, Body: struct {
			io.Reader
			io.Closer
		}{strings.NewReader("x"), closeFunc(func() error {
			n++
			if ctx.Err() != nil {
				t.Error("the context ends before the resource is closed")
			}
			return broken
		})}}, nil
	})
	c := New(registry(t, o), policy.Policy{}, nil)
	res, err := c.Open(t.Context(), "http://h.example/")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := res.Close(); err != broken {
			t.Errorf("Close: %v", err)
		}
	}
	if n != 1 {
		t.Errorf("closed %d times", n)
	}
}

// When the context ends, reading fails, even from a body in memory.
func TestReadAfterTheContext(t *testing.T) {
	w := &fixture{names: names("a.example"), pages: map[string]string{"http://a.example/": "object x"}}
	c := w.client(t, policy.Rules{}, nil, nil)
	ctx, cancel := context.WithCancel(t.Context())
	res, err := c.Open(ctx, "http://a.example/")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	cancel()
	if n, err := res.Resource.(*scheme.Object).Body.Read(make([]byte, 1)); n != 0 || KindOf(err) != Interrupted {
		t.Errorf("%d octets, %v", n, err)
	}
}

// A long object is complete.
func TestLongBody(t *testing.T) {
	text := strings.Repeat("0123456789abcdef", 1<<14)
	w := new(fixture)
	w.pages = map[string]string{"file:///long": "object " + text}
	c := w.client(t, permissiveRules, &Options{Limit: int64(len(text))}, nil)
	got, _, err := openText(t, c, Request{URL: parse("file:///long")})
	if err != nil || got != text {
		t.Errorf("%d octets of %d: %v", len(got), len(text), err)
	}
}

// Closing a resource releases its context.
func TestNothingIsLeft(t *testing.T) {
	w := &fixture{names: names("a.example"), pages: map[string]string{
		"http://a.example/o": "object x", "http://a.example/m": "menu http://a.example/", "http://a.example/r": "referral http://b.example/",
		"http://a.example/s": "session",
	}}
	var last context.Context
	inner := new(lines)
	o := scheme.OpenerFunc(func(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
		last = ctx
		return inner.Open(ctx, req)
	})
	c := New(registry(t, o), policy.Policy{}, &Options{Lookup: w.lookup, Dial: w.dial})
	defer w.servers.Wait()
	defer c.Close()
	for _, s := range []struct {
		path    string
		request func(u locus.URL) Request
	}{
		{"o", func(u locus.URL) Request { return Request{URL: u} }},
		{"m", func(u locus.URL) Request { return Request{URL: u} }},
		{"r", func(u locus.URL) Request { return Request{URL: u, NoFollow: true} }},
		{"s", func(u locus.URL) Request { return Request{URL: u} }},
		{"missing", func(u locus.URL) Request { return Request{URL: u} }},
	} {
		res, err := c.Do(t.Context(), s.request(parse("http://a.example/"+s.path)))
		if s.path == "missing" {
			if KindOf(err) != NotFound {
				t.Errorf("%v", err)
			}
		} else if err != nil {
			t.Fatal(err)
		} else {
			if s.path != "r" && last.Err() != nil {
				t.Errorf("%s: the context ends before the resource", s.path)
			}
			res.Resource.Close()
		}
		if last.Err() == nil {
			t.Errorf("%s: the context does not end after the resource is closed", s.path)
		}
	}
}

func TestErrorText(t *testing.T) {
	long := parse("http://h.example/" + strings.Repeat("x", 5000))
	for _, s := range []struct {
		e    Error
		want string
	}{
		{Error{"open", parse("ftp://u:secret@h.example/x"), scheme.ErrNotFound}, "locus: open ftp://u:***@h.example/x: not found"},
		{Error{"read", parse("http://h.example/"), fmt.Errorf("http: %w", io.ErrUnexpectedEOF)}, "locus: read http://h.example/: http: unexpected EOF"},
		{Error{"open", parse("http://h.example/\x9b2J"), scheme.ErrAuth}, `locus: open "http://h.example/\x9b2J": not permitted`},
		{Error{"open", parse("ftp://h.example/"), parse("ftp://u:secret@h.example/").Errorf(3, "cwd", "%w", locus.ErrForm)},
			`locus: open ftp://h.example/: "ftp://u:******@h.example/": offset 3: not a valid URL of this scheme`},
		{Error{"open", parse("ftp://h.example/"), parse("ftp://h.example/").Errorf(3, "cwd", "%w", locus.ErrForm)},
			"locus: open ftp://h.example/: offset 3: not a valid URL of this scheme"},
		{Error{"open", parse("http://u:secret@h.example:25/"), policy.Policy{}.CheckURL(policy.Target{URL: parse("http://u:secret@h.example:25/"), Reach: policy.Network, Port: 80}, policy.Typed)},
			"locus: open http://u:***@h.example:25/: policy: a password in a URL appears in logs and histories (leave it out; the client prompts for it if the server requires one)"},
	} {
		if got := s.e.Error(); got != s.want {
			t.Errorf("got  %s\nwant %s", got, s.want)
		}
	}
	if got := (&Error{"open", long, scheme.ErrAuth}).Error(); len(got) > 300 {
		t.Errorf("%d octets of error", len(got))
	}
}

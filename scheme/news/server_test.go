package news_test

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/news"
	"github.com/locus-url/locus/scheme/news/newstest"
)

// recordingDialer records the dialed server, and closes the connection.
type recordingDialer struct {
	address string
	tls     bool
}

func (d *recordingDialer) DialContext(_ context.Context, _, address string) (net.Conn, error) {
	client, server := net.Pipe()
	go io.WriteString(server, "200 hello\r\n")
	go func() {
		first := make([]byte, 1)
		server.Read(first)
		d.tls = first[0] == 0x16 // a TLS handshake
		server.Close()
	}()
	d.address = address
	return client, nil
}

// The client must request a URL without a server from the configured server (RFC 1738 section
// 3.6).
func TestServers(t *testing.T) {
	for _, c := range []struct {
		server, text, address string
		tls                   bool
	}{
		{"nntp://s:1119", "news:*", "s:1119", false},
		{"nntp://s/", "news:unique@full.domain.name", "s:119", false},
		{"nntps://u:p@s", "NEWS:a%25b@c.d#f", "s:563", true},
		{"nntp://s", "news://h/", "h:119", false},
		{"", "news://h:1119/*", "h:1119", false},
		{"", "news://u:p@[::1]/a.b", "[::1]:119", false},
		{"", "snews://h/a@b", "h:563", true},
		{"", "snews://h:1563/a.b", "h:1563", true},
		{"nntp://s:1119", "snews:a.b", "s:563", true},
		{"nntps://s:1563", "snews:a.b", "s:1563", true},
		{"nntp://s:1119", "nntp:a.b/1", "s:1119", false},
		{"nntps://s", "nntp:a.b/1", "s:563", true},
		{"nntp://s", "nntp://H/a.b/1", "h:119", false},
		{"nntp://s", "nntps://h:1119/a.b/1", "h:1119", true},
	} {
		var o news.Options
		if c.server != "" {
			o.Server = locus.MustParse(c.server)
		}
		d := new(recordingDialer)
		_, err := news.New(&o).Open(t.Context(), &scheme.Request{URL: locus.MustParse(c.text), Dial: d})
		wantError(t, err, scheme.ErrProtocol)
		if d.address != c.address || d.tls != c.tls {
			t.Errorf("%s: asked %s, TLS %v; want %s, %v", c.text, d.address, d.tls, c.address, c.tls)
		}
	}
	_, err := news.New(nil).Open(t.Context(), &scheme.Request{URL: locus.MustParse("news:a.b"), Dial: new(recordingDialer)})
	if !errors.Is(err, scheme.ErrUnsupported) || scheme.ReasonOf(err) != scheme.ReasonNoServer {
		t.Error(err)
	}
}

// The URLs of items must have the scheme of the menu's URL, and must name a server if the
// menu's URL does.
func TestItemURLs(t *testing.T) {
	w := start(t, newstest.Groups{"a.b": {Articles: []string{article("a/b%@c.d", "s", ""), article("no id", "s", ""), article("x@[1]", "s", ""), article("a b>c@d", "s", "")}}},
		&newstest.Options{Fault: newstest.Fault{Replies: map[string]string{"LIST ACTIVE": "215\r\na.b+c 2 1 y\r\nno line\r\n* 2 1 y\r\n.\r\n"}}}, nil)
	w.client = news.New(&news.Options{Server: locus.MustParse("nntp://" + w.addr)})
	t.Cleanup(func() { w.client.Close() })
	articles := func(base string) []string { return []string{base + "a%2Fb%25@c.d", "", base + "x@%5B1%5D", ""} }
	groups := func(base string) []string { return []string{base + "a.b+c", "", base + "%2A"} }
	at := "//" + w.addr + "/"
	for text, want := range map[string][]string{
		"news:*": groups("news:"), "NEWS:a.b#f": articles("news:"), "news:" + at: groups("news:" + at), "news://" + w.addr: groups("news:" + at), "news:" + at + "a.b": articles("news:" + at),
		"news://u:p@" + w.addr + "/a.b": articles("news://u:p@" + w.addr + "/"),
		"NNTP:" + at + "a.b#f":          {"nntp:" + at + "a.b/1", "nntp:" + at + "a.b/2", "nntp:" + at + "a.b/3", "nntp:" + at + "a.b/4"},
		"nntp:a.b":                      {"nntp:a.b/1", "nntp:a.b/2", "nntp:a.b/3", "nntp:a.b/4"},
	} {
		list, err := readItems(w.client.Open(t.Context(), w.request(text)))
		var urls []string
		for _, it := range list {
			urls = append(urls, it.URL.String())
		}
		if !slices.Equal(urls, want) || err != nil {
			t.Errorf("%s: %q, %v; want %q", text, urls, err, want)
		}
	}
}

// The client must reject octets that would end a command, or that a message-id cannot contain.
// The error must contain their offset.
func TestUnsendable(t *testing.T) {
	c := news.New(&news.Options{Server: locus.MustParse("nntp://s")})
	for _, row := range []struct {
		text   string
		offset int
		part   string
	}{
		{"news:a%0d%0aPOST@h", 6, "article"}, {"news:a%20b@h", 6, "article"}, {"news:%3Ca@h%3E", 5, "article"}, {"news:a@h%3E", 8, "article"}, {"news:%41%00@h", 8, "article"},
		{"news:a%7F@h", 6, "article"}, {"news:a%0d%0aPOST", 6, "group"}, {"news://h/a%09b", 10, "group"}, {"snews://h/%20@b", 10, "article"}, {"news:a%C3%A9%0A", 12, "group"},
		{"nntp://h/a%2Bb%0D%0APOST/1", 14, "group"},
	} {
		d := new(recordingDialer)
		_, err := c.Open(t.Context(), &scheme.Request{URL: locus.MustParse(row.text), Dial: d})
		e := (*locus.SyntaxError)(nil)
		if d.address != "" || !errors.Is(err, locus.ErrValue) || !errors.As(err, &e) || e.Offset != row.offset || e.Part != row.part {
			t.Errorf("%s: %s, %v", row.text, d.address, err)
		}
	}
	// A newsgroup may contain "<" and ">".
	d := new(recordingDialer)
	if _, err := c.Open(t.Context(), &scheme.Request{URL: locus.MustParse("news:%3Ca%3E"), Dial: d}); d.address != "s:119" {
		t.Errorf("%s, %v", d.address, err)
	}
	if _, err := c.Open(t.Context(), &scheme.Request{URL: locus.MustParse("http://h/a"), Dial: d}); !errors.Is(err, locus.ErrForm) {
		t.Error(err)
	}
}

// Articles that Options.Received returns must take precedence over articles on a server.
func TestReceived(t *testing.T) {
	broken := errors.New("the index is broken")
	for _, test := range []struct {
		url, server string
		received    error
		asked       string
		want        error
	}{
		{"news:a@b", "nntp://own.example", nil, "", nil},
		{"news:a@b", "", nil, "", nil},
		{"snews:a@b", "", nil, "", nil},
		{"news:a@b", "nntp://own.example", scheme.ErrNotFound, "own.example:119", scheme.ErrProtocol},
		{"news:a@b", "", scheme.ErrNotFound, "", scheme.ErrNotFound},
		{"news:a@b", "nntp://own.example", broken, "", broken},
		{"news://h/a@b", "", nil, "h:119", scheme.ErrProtocol},
		{"news:comp.x", "nntp://own.example", nil, "own.example:119", scheme.ErrProtocol},
	} {
		o := &news.Options{Received: func(_ context.Context, req *scheme.Request, id string) (*scheme.Object, error) {
			if id != "a@b" {
				t.Errorf("%s: asked for %q", test.url, id)
			}
			return &scheme.Object{URL: req.URL, Body: io.NopCloser(nil)}, test.received
		}}
		if test.server != "" {
			o.Server = locus.MustParse(test.server)
		}
		d := new(recordingDialer)
		_, err := news.New(o).Open(t.Context(), &scheme.Request{URL: locus.MustParse(test.url), Dial: d})
		if d.address != test.asked || !errors.Is(err, test.want) || (err == nil) != (test.want == nil) {
			t.Errorf("%s: asked %q, %v", test.url, d.address, err)
		}
	}
}

func TestSecureNews(t *testing.T) {
	n, err := news.Parse(locus.MustParse("snews://h/a.b"))
	if err != nil {
		t.Fatal(err)
	}
	if host, port, ok := n.Server(); !n.Secure() || host != "h" || port != news.SecurePort || !ok {
		t.Errorf("%s %d %v", host, port, ok)
	}
	s := news.Schemes(nil)[1]
	if s.Name != "snews" || s.Port != 563 || s.Status != scheme.Extension {
		t.Errorf("%+v", s)
	}
	if u, _, err := s.Syntax.Canonical(locus.MustParse("SNEWS://H:563/%61@b")); u.String() != "snews://h/a@b" || err != nil {
		t.Errorf("%v, %v", u, err)
	}
	made, err := news.Parts{Scheme: "snews", Newsgroup: "a.b", Host: "h"}.URL()
	if made != n || err != nil {
		t.Errorf("%v, %v", made, err)
	}
}

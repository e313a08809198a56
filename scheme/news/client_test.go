package news_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
	"testing"

	"go.uber.org/goleak"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/news"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// reader is a news.Reader that tells what it was asked for, and has lists that are
// made up.
type reader struct {
	asked string
	err   error
}

func (r *reader) OpenArticle(_ context.Context, req *scheme.Request, server locus.URL, id string) (*scheme.Object, error) {
	r.asked = fmt.Sprint("article ", id, " at ", server.String())
	return &scheme.Object{URL: req.URL, Name: id, Body: io.NopCloser(nil)}, r.err
}

func (r *reader) OpenGroup(_ context.Context, req *scheme.Request, server locus.URL, group string) (*scheme.Menu, error) {
	r.asked = fmt.Sprint("group ", group, " at ", server.String())
	id := func(id string) []scheme.Field {
		return []scheme.Field{{Name: "number", Value: 1}, {Name: "messageId", Value: id}}
	}
	return r.menu(req, []scheme.Item{
		{Title: "not listed: 1-7", Kind: scheme.KindInfo},
		{Title: "s", Fields: id("a/b%@c.d"), URL: locus.MustParse("nntp://h/g/8")},
		{Title: "s", Fields: id("no id"), URL: locus.MustParse("nntp://h/g/9")},
		{Title: "s", Fields: id("x@[1]")},
		{Title: "s", Fields: id("a b>c@d")},
	})
}

func (r *reader) OpenGroups(_ context.Context, req *scheme.Request, server locus.URL) (*scheme.Menu, error) {
	r.asked = fmt.Sprint("groups at ", server.String())
	return r.menu(req, []scheme.Item{
		{Title: "a.b+c", Kind: scheme.KindMenu, URL: locus.MustParse("nntp://h/a.b+c")},
		{Title: "no line", Kind: scheme.KindError},
		{Title: "*", Kind: scheme.KindMenu},
	})
}

var errCut = errors.New("cut off")

func (r *reader) menu(req *scheme.Request, items []scheme.Item) (*scheme.Menu, error) {
	return &scheme.Menu{URL: req.URL, Items: iter.Seq2[scheme.Item, error](func(yield func(scheme.Item, error) bool) {
		for _, it := range items {
			if !yield(it, nil) {
				return
			}
		}
		yield(scheme.Item{}, errCut)
	})}, r.err
}

// open opens text and returns what was asked for and the URLs of the items.
func open(t *testing.T, server, text string) (asked string, urls []string, err error) {
	t.Helper()
	var o news.Options
	if server != "" {
		o.Server = locus.MustParse(server)
	}
	r := new(reader)
	res, err := news.New(r, &o).Open(t.Context(), &scheme.Request{URL: locus.MustParse(text)})
	if err != nil {
		return r.asked, nil, err
	}
	if m, ok := res.(*scheme.Menu); ok {
		for it, err := range m.Items {
			if err != nil {
				urls = append(urls, err.Error())
				break
			}
			urls = append(urls, it.URL.String())
		}
	}
	return r.asked, urls, nil
}

// RFC 1738 3.6: all newsgroups, a newsgroup, an article; and the forms with a
// server.
func TestOpen(t *testing.T) {
	articles := func(base string) []string {
		return []string{"", base + "a%2Fb%25@c.d", "", base + "x@%5B1%5D", "", "cut off"}
	}
	groups := func(base string) []string { return []string{base + "a.b+c", "", base + "%2A", "cut off"} }
	for _, c := range []struct {
		server, text, asked string
		urls                []string
	}{
		{"nntp://s:1119", "news:*", "groups at nntp://s:1119", groups("news:")},
		{"nntp://s", "news:comp.infosystems.www.misc", "group comp.infosystems.www.misc at nntp://s", articles("news:")},
		{"nntp://s/", "news:unique@full.domain.name", "article unique@full.domain.name at nntp://s", nil},
		{"nntps://u:p@s", "NEWS:a%25b@c.d#f", "article a%b@c.d at nntps://u:p@s", nil},
		{"nntp://s", "news://h/", "groups at nntp://h", groups("news://h/")},
		{"", "news://h", "groups at nntp://h", groups("news://h/")},
		{"", "news://h:1119/*", "groups at nntp://h:1119", groups("news://h:1119/")},
		{"", "news://u:p@[::1]/a.b", "group a.b at nntp://u:p@[::1]", articles("news://u:p@[::1]/")},
		{"", "snews://h/a@b", "article a@b at nntps://h", nil},
		{"", "snews://h:1563/a.b", "group a.b at nntps://h:1563", articles("snews://h:1563/")},
		{"nntp://s:1119", "snews:a.b", "group a.b at nntps://s", articles("snews:")},
		{"nntps://s:1563", "snews:a.b", "group a.b at nntps://s:1563", articles("snews:")},
	} {
		asked, urls, err := open(t, c.server, c.text)
		if asked != c.asked || !reflect.DeepEqual(urls, c.urls) || err != nil {
			t.Errorf("%s: %s, %q, %v; want %s, %q", c.text, asked, urls, err, c.asked, c.urls)
		}
	}
}

// The items of a menu stop when nobody wants more.
func TestStop(t *testing.T) {
	res, err := news.New(new(reader), nil).Get(t.Context(), nil, parse(t, "news://h/a.b"))
	if err != nil {
		t.Fatal(err)
	}
	for range res.(*scheme.Menu).Items {
		break
	}
}

func parse(t *testing.T, text string) news.URL {
	t.Helper()
	n, err := news.Parse(locus.MustParse(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestNoServer(t *testing.T) {
	asked, _, err := open(t, "", "news:a.b")
	hint := (*scheme.HintError)(nil)
	if asked != "" || !errors.Is(err, scheme.ErrUnsupported) || !errors.As(err, &hint) {
		t.Errorf("%s, %v", asked, err)
	}
}

// What would end a command, or is in no message-id, is refused with its place.
func TestNothingIsAsked(t *testing.T) {
	for _, c := range []struct {
		text   string
		offset int
		part   string
	}{
		{"news:a%0d%0aPOST@h", 6, "article"}, {"news:a%20b@h", 6, "article"}, {"news:%3Ca@h%3E", 5, "article"}, {"news:a@h%3E", 8, "article"}, {"news:%41%00@h", 8, "article"},
		{"news:a%7F@h", 6, "article"}, {"news:a%0d%0aPOST", 6, "group"}, {"news://h/a%09b", 10, "group"}, {"snews://h/%20@b", 10, "article"}, {"news:a%C3%A9%0A", 12, "group"},
	} {
		asked, _, err := open(t, "nntp://s", c.text)
		e := (*locus.SyntaxError)(nil)
		if asked != "" || !errors.Is(err, locus.ErrValue) || !errors.As(err, &e) || e.Offset != c.offset || e.Part != c.part {
			t.Errorf("%s: %s, %v", c.text, asked, err)
		}
	}
	// "<" and ">" may be in a group, as far as anybody knows.
	if asked, _, err := open(t, "nntp://s", "news:%3Ca%3E"); asked != "group <a> at nntp://s" || err != nil {
		t.Errorf("%s, %v", asked, err)
	}
	if _, _, err := open(t, "nntp://s", "nntp://h/a"); !errors.Is(err, locus.ErrForm) {
		t.Error(err)
	}
}

// What the Reader says is the error, and there is no resource beside it.
func TestReaderError(t *testing.T) {
	for _, text := range []string{"news:a@b", "news:a", "news:*"} {
		r := &reader{err: scheme.ErrNotFound}
		res, err := news.New(r, &news.Options{Server: locus.MustParse("nntp://s")}).Open(t.Context(), &scheme.Request{URL: locus.MustParse(text)})
		if res != nil || err != scheme.ErrNotFound {
			t.Errorf("%s: %v, %v", text, res, err)
		}
	}
}

func TestSecure(t *testing.T) {
	n := parse(t, "snews://h/a.b")
	if host, port, ok := n.Server(); !n.Secure() || host != "h" || port != news.SecurePort || !ok {
		t.Errorf("%s %d %v", host, port, ok)
	}
	s := news.SecureScheme(nil)
	if s.Name != "snews" || s.Port != 563 || s.Status != scheme.Extension || s.Opener != nil {
		t.Errorf("%+v", s)
	}
	if u, _, err := s.Canonical(locus.MustParse("SNEWS://H:563/%61@b")); u.String() != "snews://h/a@b" || err != nil {
		t.Errorf("%v, %v", u, err)
	}
	made, err := news.Parts{Secure: true, Newsgroup: "a.b", Host: "h"}.URL()
	if made != n || err != nil {
		t.Errorf("%v, %v", made, err)
	}
}

// Articles that were received come before those of a server.
func TestReceived(t *testing.T) {
	broken := errors.New("the index is broken")
	for _, test := range []struct {
		url, server string
		received    error
		asked       string // of the server
		want        error
	}{
		{"news:a@b", "nntp://own.example", nil, "", nil},
		{"news:a@b", "", nil, "", nil},
		{"snews:a@b", "", nil, "", nil},
		{"news:a@b", "nntp://own.example", scheme.ErrNotFound, "article a@b at nntp://own.example", nil},
		{"news:a@b", "", scheme.ErrNotFound, "", scheme.ErrNotFound},
		{"news:a@b", "nntp://own.example", broken, "", broken},
		{"news://h/a@b", "", nil, "article a@b at nntp://h", nil},
		{"news:comp.x", "nntp://own.example", nil, "group comp.x at nntp://own.example", nil},
	} {
		r := new(reader)
		o := &news.Options{Received: func(_ context.Context, req *scheme.Request, id string) (*scheme.Object, error) {
			if id != "a@b" {
				t.Errorf("%s: asked for %q", test.url, id)
			}
			return &scheme.Object{URL: req.URL, Body: io.NopCloser(nil)}, test.received
		}}
		if test.server != "" {
			o.Server = locus.MustParse(test.server)
		}
		u := locus.MustParse(test.url)
		_, err := news.New(r, o).Open(t.Context(), &scheme.Request{URL: u})
		if r.asked != test.asked || !errors.Is(err, test.want) || (err == nil) != (test.want == nil) {
			t.Errorf("%s: asked %q, %v", test.url, r.asked, err)
		}
	}
}

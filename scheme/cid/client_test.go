package cid_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/message"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/cid"
)

// RFC 2392 section 2, with a picture that is one.
const related = "From: foo1@bar.net\r\nTo: foo2@bar.net\r\nSubject: A simple example\r\nMime-Version: 1.0\r\n" +
	"Content-Type: multipart/related; boundary=\"boundary-example-1\";type=\"text/html\"\r\n\r\n" +
	"--boundary-example 1\r\n--boundary-example-1\r\nContent-Type: text/html; charset=US-ASCII\r\n\r\n" +
	"... <IMG SRC=\"cid:foo4*foo1@bar.net\" ALT=\"Test\"> ...\r\n\r\n" +
	"--boundary-example-1\r\nContent-ID: <foo4*foo1@bar.net>\r\nContent-Type: IMAGE/GIF\r\nContent-Transfer-Encoding: BASE64\r\n\r\nR0lGODlh\r\n" +
	"--boundary-example-1--\r\n"

// body is one that knows that it is closed.
type body struct {
	io.Reader
	closed *int
}

func (b body) Close() error {
	*b.closed++
	return nil
}

func TestGet(t *testing.T) {
	for _, test := range []struct {
		url, text string
		limit     int64
		limits    message.Limits
		want      error
		says      string
	}{
		{url: "cid:foo4*foo1@bar.net", text: related},
		{url: "cid:foo4%2afoo1@bar.net", text: strings.ReplaceAll(related, "\r\n", "\n"), limit: 6},
		{url: "cid:foo4*foo1@bar.net", text: related, limit: 5, want: scheme.ErrTooLarge},
		{url: "cid:foo4*foo1@bar.net", text: related, limits: message.Limits{Octets: 100}, want: scheme.ErrTooLarge, says: "mid:"},
		{url: "cid:none%0D%0A@x", text: related, want: scheme.ErrNotFound, says: `"none\r\n@x"`},
		{url: "cid:foo4*foo1@bar.net", text: "<!DOCTYPE html>\n<p>", want: scheme.ErrUnsupported, says: "--in"},
	} {
		closed := 0
		within := func(context.Context) (scheme.Resource, error) {
			return &scheme.Object{URL: locus.MustParse("file:///mail/1.eml"), Type: "message/rfc822", Body: body{strings.NewReader(test.text), &closed}}, nil
		}
		c := cid.New(&cid.Options{Limits: test.limits})
		r, err := c.Open(t.Context(), &scheme.Request{URL: locus.MustParse(test.url), Within: within, Limit: test.limit})
		if closed != 1 {
			t.Errorf("%s: the message is closed %d times", test.url, closed)
		}
		if test.want != nil {
			if !errors.Is(err, test.want) || !strings.HasPrefix(err.Error(), "cid: ") || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%s: %v", test.url, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.url, err)
			continue
		}
		o := r.(*scheme.Object)
		octets, err := io.ReadAll(o.Body)
		if err != nil || string(octets) != "GIF89a" || o.Type != "image/gif" || o.Size != 6 || o.Close() != nil {
			t.Errorf("%s: %+v, %q, %v", test.url, o, octets, err)
		}
	}
}

func TestWithin(t *testing.T) {
	c := cid.New(nil)
	u := locus.MustParse("cid:foo4*foo1@bar.net")
	if r, err := c.Open(t.Context(), &scheme.Request{URL: u}); !errors.Is(err, scheme.ErrUnsupported) || !strings.Contains(err.Error(), "--in FILE or --in mid:") {
		t.Errorf("%v, %v", r, err)
	}
	for _, test := range []struct {
		within scheme.Resource
		err    error
		want   error
	}{
		{nil, scheme.ErrNotFound, scheme.ErrNotFound},
		{&scheme.Menu{}, nil, scheme.ErrUnsupported},
		{&scheme.Object{Body: io.NopCloser(io.MultiReader(strings.NewReader(related[:50]), fails{}))}, nil, io.ErrClosedPipe},
	} {
		within := func(context.Context) (scheme.Resource, error) { return test.within, test.err }
		if r, err := c.Open(t.Context(), &scheme.Request{URL: u, Within: within}); !errors.Is(err, test.want) {
			t.Errorf("%v, %v; want %v", r, err, test.want)
		}
	}
}

type fails struct{}

func (fails) Read([]byte) (int, error) { return 0, io.ErrClosedPipe }

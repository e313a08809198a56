package mid_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf/bnftest"
	"github.com/locus-url/locus/message"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/mid"
)

func TestCIDParse(t *testing.T) {
	cidInvariants.Fields(t, [][2]string{
		{"cid:foo4%25foo1@bar.net", `contentId="foo4%foo1@bar.net"`}, // RFC 2392 section 2
		{"cid:foo4%2525foo1@bar.net", `contentId="foo4%25foo1@bar.net"`},
		{"cid:a/b@c", `contentId="a/b@c"`},
		{"CID:image001.png#f", `contentId="image001.png"`},
		{"cid:%3Ca@b%3E", `contentId="<a@b>"`},
		{"cid:a%0D%0A@b", `contentId="a\r\n@b"`},
		{"cid://a@b", `contentId="//a@b"`},
	})
}

func TestCIDParseRefuses(t *testing.T) {
	cidInvariants.Refuses(t, []bnftest.Refusal{
		{"cid:", "", "content-identifier", locus.ErrForm},
		{"cid:", "#f", "content-identifier", locus.ErrForm},
		{"", "news:a@b", "scheme", locus.ErrForm},
	})
}

func TestCIDParts(t *testing.T) {
	for _, row := range []struct{ contentID, want string }{
		{"foo4%foo1@bar.net", "cid:foo4%25foo1@bar.net"},
		{"//a@b@c", "cid:%2F%2Fa%40b@c"},
		{"image001.png", "cid:image001.png"},
	} {
		c, err := mid.Parts{ContentID: row.contentID}.URL()
		if err != nil || c.URL().String() != row.want {
			t.Errorf("%q: %q, %v", row.contentID, c.URL(), err)
		}
		if id, ok := c.ContentID(); id != row.contentID || !ok {
			t.Errorf("%q: %q", row.contentID, id)
		}
	}
	if c, err := (mid.Parts{}).URL(); !errors.Is(err, locus.ErrForm) {
		t.Errorf("no identifier: %v, %v", c, err)
	}
}

func TestCIDConforming(t *testing.T) {
	cidInvariants.Conforming(t, "cid:foo4%25foo1@bar.net", "cid:partA.960830.1639@XIson.com", "cid:a/b@c#fragment")
}

func TestCIDCheck(t *testing.T) {
	cidInvariants.Findings(t, locus.RFC1738, [][2]string{
		{"cid:", "form@4"},
		{"CID:a@b", "scheme-case@0"},
		{"cid:image001.png", "addr-spec@16?"},
		{"cid:<a@b>", "unsafe-character@4 addr-spec@4? unsafe-character@8 addr-spec@8?"},
		{"cid:a%0Ab@c", "addr-spec@5?"},
		{"cid:a~@b#~", "unsafe-character@5 unsafe-character@9"},
	})
	cidInvariants.Findings(t, locus.RFC1630, [][2]string{
		{"cid:foo4%25foo1@bar.net", ""},
		{"cid:a/b@c", "reserved-character@5"},
	})
}

func TestCIDCanonical(t *testing.T) {
	cidInvariants.Spellings(t, []bnftest.Spelling{
		{"cid:A@B.C", "cid:A@B.C", 0},
		{"CID:%41@B%2eC", "cid:A@B.C", locus.SchemeCase | locus.NeedlessEscape},
		{"cid:a%2fb@c", "cid:a%2Fb@c", locus.EscapeCase},
		{"cid:a~@b#", "cid:a%7E@b", locus.MissingEscape | locus.VoidFragment},
		{"cid://A@B", "cid://A@B", 0},
	})
	if _, _, err := cidInvariants.Scheme.Syntax.Canonical(locus.MustParse("cid:")); err == nil {
		t.Error("cid: has a canonical form")
	}
}

// picture is the example message in RFC 2392 section 2 with a valid picture.
const picture = "From: foo1@bar.net\r\nTo: foo2@bar.net\r\nSubject: A simple example\r\nMime-Version: 1.0\r\n" +
	"Content-Type: multipart/related; boundary=\"boundary-example-1\";type=\"text/html\"\r\n\r\n" +
	"--boundary-example 1\r\n--boundary-example-1\r\nContent-Type: text/html; charset=US-ASCII\r\n\r\n" +
	"... <IMG SRC=\"cid:foo4*foo1@bar.net\" ALT=\"Test\"> ...\r\n\r\n" +
	"--boundary-example-1\r\nContent-ID: <foo4*foo1@bar.net>\r\nContent-Type: IMAGE/GIF\r\nContent-Transfer-Encoding: BASE64\r\n\r\nR0lGODlh\r\n" +
	"--boundary-example-1--\r\n"

// closeCounter is a file that counts the calls of Close.
type closeCounter struct {
	io.Reader
	closed *int
}

func (b closeCounter) Close() error {
	*b.closed++
	return nil
}

func TestCIDGet(t *testing.T) {
	for _, test := range []struct {
		url, text string
		limit     int64
		limits    message.Limits
		want      error
		says      string
	}{
		{url: "cid:foo4*foo1@bar.net", text: picture},
		{url: "cid:foo4%2afoo1@bar.net", text: strings.ReplaceAll(picture, "\r\n", "\n"), limit: 6},
		{url: "cid:foo4*foo1@bar.net", text: picture, limit: 5, want: scheme.ErrTooLarge},
		{url: "cid:foo4*foo1@bar.net", text: picture, limits: message.Limits{Octets: 100}, want: scheme.ErrTooLarge, says: "mid:"},
		{url: "cid:none%0D%0A@x", text: picture, want: scheme.ErrNotFound, says: `"none\r\n@x"`},
		{url: "cid:foo4*foo1@bar.net", text: "<!DOCTYPE html>\n<p>", want: scheme.ErrUnsupported, says: "name a message"},
	} {
		closed := 0
		within := func(context.Context) (scheme.Resource, error) {
			return &scheme.Object{URL: locus.MustParse("file:///mail/1.eml"), Type: "message/rfc822", Body: closeCounter{strings.NewReader(test.text), &closed}}, nil
		}
		c := mid.New(&mid.Options{Limits: test.limits})
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

func TestCIDWithin(t *testing.T) {
	c := mid.New(nil)
	u := locus.MustParse("cid:foo4*foo1@bar.net")
	// The error must not mention a command-line flag.
	if r, err := c.Open(t.Context(), &scheme.Request{URL: u}); !errors.Is(err, scheme.ErrUnsupported) || scheme.ReasonOf(err) != mid.ReasonNoMessage || strings.Contains(err.Error(), "--") {
		t.Errorf("%v, %v", r, err)
	}
	if r, err := c.Open(t.Context(), &scheme.Request{URL: locus.MustParse("mid:a@b")}); !errors.Is(err, scheme.ErrUnsupported) || scheme.ReasonOf(err) != mid.ReasonNoStore || strings.Contains(err.Error(), "configuration") {
		t.Errorf("%v, %v", r, err)
	}
	for _, test := range []struct {
		within scheme.Resource
		err    error
		want   error
	}{
		{nil, scheme.ErrNotFound, scheme.ErrNotFound},
		{&scheme.Menu{}, nil, scheme.ErrUnsupported},
		{&scheme.Object{Body: io.NopCloser(io.MultiReader(strings.NewReader(picture[:50]), fails{}))}, nil, io.ErrClosedPipe},
	} {
		within := func(context.Context) (scheme.Resource, error) { return test.within, test.err }
		if r, err := c.Open(t.Context(), &scheme.Request{URL: u, Within: within}); !errors.Is(err, test.want) {
			t.Errorf("%v, %v; want %v", r, err, test.want)
		}
	}
}

type fails struct{}

func (fails) Read([]byte) (int, error) { return 0, io.ErrClosedPipe }

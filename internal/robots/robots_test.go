package robots

import (
	"context"
	"errors"
	"io"
	"net"
	"net/textproto"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

func TestFetch(t *testing.T) {
	u := locus.MustParse("http://anna:secret@h.example:8080/a/b?c")
	fetch := func(text string, err error) (*Rules, error) {
		return Fetch(context.Background(), func(_ context.Context, req access.Request) (*access.Result, error) {
			if got := req.URL.String(); got != "http://anna@h.example:8080/robots.txt" {
				t.Errorf("asked for %s", got)
			}
			if err != nil {
				return nil, access.NewError("open", req.URL, err)
			}
			return &access.Result{Resource: &scheme.Object{Body: io.NopCloser(strings.NewReader(text))}}, nil
		}, u, nil)
	}
	r, err := fetch("User-agent: *\nDisallow: /a\nCrawl-delay: 3600\nSitemap: http://h.example/s.xml\n", nil)
	if err != nil || r.Allows(u) || !r.Allows(locus.MustParse("http://h.example:8080/b")) || r.Delay() != 30*time.Second || len(r.Sitemaps()) != 1 {
		t.Errorf("%v, %v", r, err)
	}
	status := func(code int, kind error) error {
		return errors.Join(kind, &textproto.Error{Code: code})
	}
	_, syntax := locus.Parse("http")
	for name, test := range map[string]struct {
		err   error
		known bool
	}{
		"missing":     {status(404, scheme.ErrNotFound), true},
		"forbidden":   {status(403, scheme.ErrAuth), true},
		"overloaded":  {&scheme.RetryAfterError{Err: status(503, scheme.ErrProtocol)}, false},
		"too many":    {&scheme.RetryAfterError{Err: status(429, scheme.ErrProtocol)}, false},
		"too slow":    {&scheme.RetryAfterError{Err: status(408, scheme.ErrProtocol)}, false},
		"not yet":     {status(501, scheme.ErrProtocol), false}, // RFC 9309 section 2.3.1.4
		"bad":         {status(400, scheme.ErrProtocol), true},
		"law":         {status(451, scheme.ErrProtocol), true},
		"loop":        {errors.Join(scheme.ErrProtocol, access.ErrRedirectLoop), true},
		"bad URL":     {errors.Join(scheme.ErrProtocol, syntax), true},
		"denied":      {policy.ErrDenied, true},
		"unreachable": {scheme.ErrUnreachable, false},
		"no host":     {&net.DNSError{IsNotFound: true}, false},
		"timeout":     {context.DeadlineExceeded, false},
		"interrupted": {context.Canceled, false},
		"broken":      {scheme.ErrProtocol, false},
	} {
		if r, err := fetch("", test.err); (err == nil) != test.known || r != nil {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
	// The Disallow rules may be missing from a part of a file.
	torn := io.MultiReader(strings.NewReader("User-agent: *\nAllow: /\n"), iotest.ErrReader(io.ErrUnexpectedEOF))
	r, err = Fetch(context.Background(), func(context.Context, access.Request) (*access.Result, error) {
		return &access.Result{Resource: &scheme.Object{Body: io.NopCloser(torn)}}, nil
	}, u, nil)
	if !errors.Is(err, io.ErrUnexpectedEOF) || r != nil {
		t.Errorf("a part of a robots.txt: %v, %v", r, err)
	}
	var none *Rules
	if !none.Allows(u) || none.Delay() != 0 || none.Sitemaps() != nil {
		t.Error("without rules everything is allowed")
	}
}

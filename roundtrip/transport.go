package roundtrip

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/reqctx"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
)

// Options configure a [Transport]. The zero Options are the default.
type Options struct {
	// Menu is the format of menus unless the request prefers another one.
	Menu Format
	// From returns the result in which the URL of a request was found, for the
	// policy. If From or its result is nil, the URL counts as typed.
	From func(u locus.URL) *access.Result
}

// Transport is an [http.RoundTripper] over an access client. It is safe for
// concurrent use.
type Transport struct {
	client *access.Client
	menu   Format
	from   func(u locus.URL) *access.Result
}

var _ http.RoundTripper = (*Transport)(nil)

// New returns a Transport that opens URLs with c. o may be nil.
func New(c *access.Client, o *Options) *Transport {
	t := &Transport{client: c}
	if o != nil && int(o.Menu) < len(mediaTypes) {
		t.menu = o.Menu
	}
	if o != nil {
		t.from = o.From
	}
	return t
}

// RoundTrip implements [http.RoundTripper], as the package documentation describes. The
// request's context also ends reading the body of the response.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		defer req.Body.Close()
	}
	if req.Method != "" && req.Method != http.MethodGet && req.Method != http.MethodHead {
		resp := message(req, http.StatusMethodNotAllowed, fmt.Sprintf("method %s is not supported: use GET or HEAD", locus.Quote(req.Method)))
		resp.Header.Set("Allow", "GET, HEAD")
		return resp, nil
	}
	q, err := t.newQuery(req)
	if err != nil {
		return nil, err
	}
	if q.malformed != nil {
		return message(req, http.StatusBadRequest, q.malformed.Error()), nil
	}
	resp, err := t.open(q)
	if err != nil {
		return failure(req, err)
	}
	if req.Method == http.MethodHead {
		resp.Body.Close()
		resp.Body = http.NoBody
	}
	return resp, nil
}

// query is a request as the access client understands it.
type query struct {
	req         *http.Request
	access      access.Request
	conditional bool // the range holds for one version
	format      Format
	malformed   error // in a header field
}

func (t *Transport) newQuery(req *http.Request) (*query, error) {
	if req.URL == nil {
		return nil, fmt.Errorf("roundtrip: %w: the request has no URL", scheme.ErrUnsupported)
	}
	u, err := reqctx.URL(req)
	if err != nil {
		return nil, fmt.Errorf("roundtrip: %w", err)
	}
	q := &query{req: req, access: access.Request{URL: u, Trace: reqctx.Trace(req.Context())}}
	if t.from != nil {
		q.access.From = t.from(u)
	}
	if from, hops := referrer(req); hops > 0 {
		if err := t.client.CheckReferral(from, u, hops); err != nil {
			return nil, err
		}
		if q.access.From == nil {
			q.access.From = &access.Result{URL: from}
		}
	}
	accept := strings.Join(req.Header.Values("Accept"), ", ")
	wanted, err := scheme.ParsePreference(accept)
	if err != nil {
		q.malformed = fmt.Errorf("the header Accept: %w", err)
		return q, nil
	}
	q.format = t.menu.preferred(wanted)
	q.access.Accept = withMenus(accept, wanted, q.format)
	q.access.AcceptLanguage = strings.Join(req.Header.Values("Accept-Language"), ", ")
	if _, err := scheme.ParsePreference(q.access.AcceptLanguage); err != nil {
		q.malformed = fmt.Errorf("the header Accept-Language: %w", err)
		return q, nil
	}
	if req.Method != http.MethodHead {
		q.setRange()
	}
	return q, nil
}

// referrer returns the URL whose answer redirected an [http.Client] to req, and the
// number of redirects so far; 0: none.
func referrer(req *http.Request) (from locus.URL, hops int) {
	for r := req; r.Response != nil && r.Response.Request != nil && r.Response.Request.URL != nil; r = r.Response.Request {
		if hops++; hops == 1 {
			// The policy trusts the zero URL least.
			from, _ = reqctx.URL(r.Response.Request)
		}
	}
	return from, hops
}

// gopherMenu is the media type of menus in Gopher+.
const gopherMenu = "application/gopher-menu"

// withMenus returns accept with Gopher menus added, at the quality of the format that
// they are converted to: otherwise a server that offers only a menu would refuse a
// client that wants JSON.
func withMenus(accept string, wanted scheme.Preference, made Format) string {
	quality := wanted.Quality(made.mediaType())
	if strings.Trim(accept, " ,") == "" || quality <= wanted.Quality(gopherMenu) {
		return accept
	}
	return fmt.Sprintf("%s, %s;q=%.3f", accept, gopherMenu, quality)
}

func (t *Transport) open(q *query) (*http.Response, error) {
	r, err := t.client.Do(q.req.Context(), q.access)
	if err != nil {
		return nil, err
	}
	if o, ok := r.Resource.(*scheme.Object); ok && o.Start > 0 && o.Size < 0 {
		// Content-Range names the last octet, which is unknown: serve the whole.
		o.Close()
		q.access.Offset = 0
		if r, err = t.client.Do(q.req.Context(), q.access); err != nil {
			return nil, err
		}
	}
	var resp *http.Response
	at := r.URL
	switch res := r.Resource.(type) {
	case *scheme.Object:
		resp, at = q.object(res), t.chosen(at, res.URL)
	case *scheme.Menu:
		at = t.chosen(at, res.URL)
		resp = q.menu(res, t.menuWriter(q, r, res))
	default:
		res.Close()
		return nil, access.NewError("open", r.URL, fmt.Errorf("%w over HTTP: neither an object nor a menu", scheme.ErrUnsupported))
	}
	if at != q.access.URL {
		found(resp, at)
	}
	return resp, nil
}

// chosen returns the URL of the view that the server chose for u, which is u with a
// Gopher+ string. Without a choice it is u.
func (t *Transport) chosen(u, view locus.URL) locus.URL {
	traits := t.client.Registry().Scheme(u).Traits
	if view.Scheme() == u.Scheme() && traits.Has(scheme.AcceptsTypes) && !traits.Has(scheme.Web) {
		return view
	}
	return u
}

// found sets the URL that referrals led to.
func found(resp *http.Response, u locus.URL) {
	u = u.WithoutFragment().WithoutPassword()
	resp.Header.Set("Content-Location", u.String())
	if to, err := url.Parse(u.String()); err == nil {
		req := resp.Request.WithContext(resp.Request.Context()) // a copy
		req.URL = to
		resp.Request = req
	}
}

// newResponse returns a response without a body.
func newResponse(req *http.Request, status int) *http.Response {
	return &http.Response{
		Status:     fmt.Sprintf("%d %s", status, http.StatusText(status)),
		StatusCode: status,
		Proto:      "HTTP/1.1",
		ProtoMajor: 1,
		ProtoMinor: 1,
		Header:     make(http.Header),
		Request:    req,
	}
}

// message returns a response with a line of text for people.
func message(req *http.Request, status int, text string) *http.Response {
	resp := newResponse(req, status)
	resp.Header.Set("Content-Type", "text/plain; charset=utf-8")
	resp.Header.Set("X-Content-Type-Options", "nosniff")
	text = term.Text(text) + "\n"
	setLength(resp, int64(len(text)))
	resp.Body = http.NoBody
	if req.Method != http.MethodHead {
		resp.Body = io.NopCloser(strings.NewReader(text))
	}
	return resp
}

// failure returns the response for an error that HTTP has a status for, or else err.
func failure(req *http.Request, err error) (*http.Response, error) {
	switch access.KindOf(err) {
	case access.NotFound:
		return message(req, http.StatusNotFound, err.Error()), nil
	case access.Auth:
		return message(req, http.StatusUnauthorized, err.Error()), nil
	}
	return nil, err
}

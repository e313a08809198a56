package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/piece"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// Pages, the API, the proxy and the raw view send a resource in different formats. They all get
// resources from [Gateway.fetch].

// fetchRequest is a request for the resource at URL, without a fragment.
type fetchRequest struct {
	access.Request
	noWeb  bool        // package net/http can't send the request, because webDialer returned a nil dialer
	head   bool        // the client requests only the metadata
	fields http.Header // client's header fields for conditional requests, ranges and caching; may be nil
}

// meta holds the metadata of a resource.
type meta struct {
	url         locus.URL   // URL after redirects; zero if unknown
	resourceURL locus.URL   // URL of the resource; zero if equal to the requested URL
	status      int         // HTTP status of the object
	header      http.Header // HTTP header of the object, with the fields of the store
	cache       string      // Cache-Status of the store; empty if the store was not used
}

// storeStatus returns the Cache-Status line of the store (RFC 9211). The store adds its line
// after the lines of other caches.
func storeStatus(h http.Header) string {
	lines := h["Cache-Status"]
	if len(lines) == 0 {
		return ""
	}
	return lines[len(lines)-1]
}

// isStored reports whether the resource comes from the store. This is the case if the
// gateway sent no request, or if the server failed and the store contained a stale
// response.
func (m meta) isStored() bool {
	if strings.Contains(m.cache, "; hit") {
		return true
	}
	// If the server sent or confirmed the resource, Cache-Status contains "stored", contains no
	// "ttl", or contains the status 304.
	return strings.Contains(m.cache, "; ttl=") && !strings.Contains(m.cache, "; stored") && !strings.Contains(m.cache, "; fwd-status=304")
}

// age returns the time since the server sent the resource.
func (m meta) age() time.Duration {
	seconds, _ := strconv.Atoi(m.header.Get("Age"))
	return time.Duration(seconds) * time.Second
}

// fetch returns the resource at the URL of req. The resource is a [*scheme.Object] or a
// [*scheme.Menu]. For http and https, the resource may be a [*scheme.Redirect] to one URL. The
// caller must close the resource. First, fetch checks the policy. Then it uses the store, if there
// is one, or sends a request to the server.
//
// The [meta] is valid even if fetch returns an error. If the resource does not exist, or if the
// store contains an error response, the error is a [*serverError].
func (g *Gateway) fetch(ctx context.Context, req fetchRequest) (scheme.Resource, meta, error) {
	archived := g.isArchived(req.URL)
	if isWeb(req.URL.Scheme()) && !archived && !req.noWeb {
		dialer, err := g.webDialer(ctx, req.URL)
		if err != nil {
			return nil, meta{}, err
		}
		if dialer != nil {
			return g.fetchWeb(ctx, req, dialer)
		}
	}
	if g.options.Cache == nil || archived {
		return g.openFetch(ctx, req)
	}
	return g.fetchStored(ctx, req)
}

// originResult returns a result that represents the origin of a client's URL. A URL from a client
// counts as a link on the public Internet. A file URL that [Options.Files] allows counts as a link
// in a file.
func (g *Gateway) originResult(u locus.URL) *access.Result {
	if files := g.options.Files; files != nil && g.traits(u).Has(scheme.Files) && files(u) {
		return &access.Result{URL: u, LinkOrigin: policy.FromPrivate}
	}
	return &access.Result{LinkOrigin: policy.FromPublic}
}

// traits returns the traits of the URL's scheme.
func (g *Gateway) traits(u locus.URL) scheme.Traits { return g.client.Registry().Scheme(u).Traits }

// openFetch opens the URL of req with the access client, which follows redirects.
func (g *Gateway) openFetch(ctx context.Context, req fetchRequest) (res scheme.Resource, m meta, err error) {
	conditional := !req.head && req.setRange()
	req.Accept = withMenus(req.Accept)
	result, leave, err := g.openRange(ctx, req.Request)
	if err != nil {
		return nil, m, asServerError(req.URL, err)
	}
	m = meta{url: result.URL.WithoutPassword(), status: http.StatusOK, header: make(http.Header)}
	at := result.URL
	switch r := result.Resource.(type) {
	case *scheme.Object:
		at = g.selectedView(at, r.URL)
		o := &scheme.Object{
			URL: req.URL, Type: r.Type, Encoding: r.Encoding, Size: r.Size, Start: r.Start, Tag: r.Tag,
			ModTime: r.ModTime.UTC().Truncate(time.Second), // Last-Modified has this precision, and the store uses it
			Body:    &countedBody{r.Body, leave, nil},
		}
		m.status, m.header = describe(o)
		o.Type = m.header.Get("Content-Type")
		if req.Offset > 0 && !conditional && o.Size >= 0 && req.Offset >= o.Size {
			o, m.status, m.header = unsatisfiable(o)
		}
		res = o
	case *scheme.Menu:
		at = g.selectedView(at, r.URL)
		menu := *r
		menu.Closer = closeFunc(func() error { defer leave(); return r.Close() })
		res = &menu
	default:
		defer leave()
		r.Close()
		return nil, meta{}, access.NewError("open", result.URL, fmt.Errorf("%w over HTTP: the resource is neither an object nor a menu", scheme.ErrUnsupported))
	}
	if at != req.URL {
		m.resourceURL = at.WithoutFragment().WithoutPassword()
		m.header.Set("Content-Location", m.resourceURL.String())
	}
	if req.head {
		res.Close()
		res = withoutContent(res)
	}
	return res, m, nil
}

// openRange is like [Gateway.openURL], but for a range of an object. If the size of the object is
// unknown, it returns the whole object, because Content-Range requires the offset of the last byte.
func (g *Gateway) openRange(ctx context.Context, req access.Request) (result *access.Result, leave func(), err error) {
	result, leave, err = g.openURL(ctx, req)
	if err != nil {
		return nil, nil, err
	}
	if o, ok := result.Resource.(*scheme.Object); ok && o.Start > 0 && o.Size < 0 {
		o.Close()
		leave()
		req.Offset = 0
		return g.openURL(ctx, req)
	}
	return result, leave, nil
}

// closeFunc implements [io.Closer].
type closeFunc func() error

func (f closeFunc) Close() error { return f() }

// withoutContent removes the content of a closed resource, for a HEAD request.
func withoutContent(res scheme.Resource) scheme.Resource {
	switch r := res.(type) {
	case *scheme.Object:
		r.Body = http.NoBody
	case *scheme.Menu:
		r.Items, r.Closer = func(func(scheme.Item, error) bool) {}, nil
	}
	return res
}

// openURL opens a URL with the access client. After the caller has closed the resource, it must
// call leave at least once.
func (g *Gateway) openURL(ctx context.Context, req access.Request) (result *access.Result, leave func(), err error) {
	leave, ok := g.limiter.enterHost(req.URL)
	req.From, req.Observe = g.originResult(req.URL), g.metrics.observe
	if !ok {
		if err := g.check(ctx, req.URL); err != nil {
			return nil, nil, err // a retry would not help
		}
		return nil, nil, errBusy
	}
	result, err = g.client.Do(ctx, req)
	if err != nil {
		leave()
		return nil, nil, err
	}
	return result, leave, nil
}

// check is like [access.Client.Check], but for a URL from a client of the gateway. It records a
// denial as an observed request.
func (g *Gateway) check(ctx context.Context, u locus.URL) error {
	return g.observeDenial(ctx, u, g.client.Check(u, g.originResult(u)))
}

// dialerFor is like [access.Client.DialerFor], but for a URL from a client of the gateway. It
// records a denial as an observed request.
func (g *Gateway) dialerFor(ctx context.Context, u locus.URL) (scheme.Dialer, error) {
	dialer, err := g.client.DialerFor(u, g.originResult(u))
	return dialer, g.observeDenial(ctx, u, err)
}

// observeDenial records an observed request for u if err is a denial by the policy. No other code
// observes this request, because the gateway does not send it. It returns err.
func (g *Gateway) observeDenial(ctx context.Context, u locus.URL, err error) error {
	if err != nil && access.KindOf(err) == access.Denied {
		g.observe(ctx, u).End(err)
	}
	return err
}

// observe starts the observation of a request for u that the access client does not send.
func (g *Gateway) observe(ctx context.Context, u locus.URL) *access.Observation {
	return g.client.Observe(ctx, access.Request{URL: u, Observe: g.metrics.observe})
}

// errBusy means that the request exceeds [Limits.PerHost].
var errBusy = &problem{http.StatusServiceUnavailable, kindBusy, "gateway: too many requests to this server; try again in a moment"}

// countedBody is a body that counts as a request to its server until the caller closes it.
type countedBody struct {
	io.ReadCloser
	leave    func()
	observed *access.Observation // nil if the access client sent the request
}

func (c *countedBody) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.observed.Read(int64(n), err)
	return n, err
}

func (c *countedBody) Close() error {
	c.leave()
	err := c.ReadCloser.Close()
	c.observed.End(nil)
	return err
}

// CopyPiece implements [piece.Copier].
func (c *countedBody) CopyPiece(w io.Writer, n int64) (int64, error) {
	m, err := piece.Copy(w, c.ReadCloser, n)
	if !errors.Is(err, errors.ErrUnsupported) {
		c.observed.Read(m, err)
	}
	return m, err
}

// selectedView returns the URL of the view that the server selected for u: the URL u with a Gopher+
// string. If the server selected no view, it returns u.
func (g *Gateway) selectedView(u, view locus.URL) locus.URL {
	traits := g.traits(u)
	if view.Scheme() == u.Scheme() && traits.Has(scheme.AcceptsTypes) && !traits.Has(scheme.Web) {
		return view
	}
	return u
}

// gopherMenu is the media type of menus in Gopher+.
const gopherMenu = "application/gopher-menu"

// withMenus adds the media type of Gopher menus to the header value accept. Their quality value is
// the client's quality value for the format to which the gateway converts menus. Otherwise a client
// that accepts only JSON would get an error from a server that offers only a menu.
func withMenus(accept string) string {
	wanted, err := scheme.ParsePreference(accept)
	if err != nil {
		return ""
	}
	quality := wanted.Quality(string(formatFor(wanted)))
	if strings.Trim(accept, " ,") == "" || quality <= wanted.Quality(gopherMenu) {
		return accept
	}
	return fmt.Sprintf("%s, %s;q=%.3f", accept, gopherMenu, quality)
}

// languages returns the Accept-Language value that the gateway sends to the server of u. Except for
// http and https, it adds "*" to the client's value. Without "*", some servers reject a request if
// they offer no resource in the given languages.
func languages(r *http.Request, u locus.URL) string {
	list := strings.Join(r.Header.Values("Accept-Language"), ", ")
	if isWeb(u.Scheme()) {
		return list
	}
	if _, err := scheme.ParsePreference(list); err != nil {
		return ""
	}
	return withAnyLanguage(list)
}

// clientFields lists the header fields of a client that the store and servers use.
var clientFields = []string{"Accept", "Accept-Language", "Range", "If-Range", "If-Modified-Since", "If-None-Match", "Cache-Control", "Pragma"}

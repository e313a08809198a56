package gateway

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/scheme"
)

// The store is a [cache.Store], which stores HTTP responses. The gateway encodes resources of other
// schemes as HTTP responses. An object becomes a body without changes. A menu becomes the JSON that
// "locus get --json" writes, but with another encoding of URLs ([shape.MenuWriter].Stored). An
// error becomes a line of text.

// maxFailure is the maximum size in bytes of a stored error text.
const maxFailure = 64 << 10

// storedKind is the header field that marks a menu in the store, with the value "menu". Servers
// can't set this field, because openFetch sets all header fields of an object, and webServer
// removes the field from responses.
const storedKind = "Locus-Kind"

// fetchStored is like [Gateway.fetch], but uses the store. It supports schemes other than http and
// https.
func (g *Gateway) fetchStored(ctx context.Context, req fetchRequest) (scheme.Resource, meta, error) {
	r := &http.Request{Method: http.MethodGet, Header: make(http.Header)}
	if req.head {
		r.Method = http.MethodHead
	}
	copyFields(r.Header, req.fields, clientFields)
	setField(r.Header, "Accept", req.Accept)
	setField(r.Header, "Accept-Language", req.AcceptLanguage)
	o := &storeOpener{gateway: g, request: req}
	resp, err := g.options.Cache.Do(req.URL, r.WithContext(ctx), o)
	if err != nil {
		return nil, meta{}, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case resp == o.resp:
		return o.result()
	case !o.isAllowed:
		// The policy may have become stricter since the store stored the resource.
		if err := g.check(ctx, req.URL); err != nil {
			resp.Body.Close()
			return nil, meta{}, err
		}
	}
	return decode(req, resp)
}

func setField(h http.Header, name, value string) {
	if value != "" {
		h.Set(name, value)
	}
}

// storeOpener opens the URL of a request when the store needs a response. If the store does not
// store the resource, the client gets the resource directly, without encoding and decoding.
type storeOpener struct {
	gateway *Gateway
	request fetchRequest

	mu        sync.Mutex
	isAllowed bool           // the access client has checked the policy
	resp      *http.Response // encodes res, meta and err; nil before RoundTrip
	res       scheme.Resource
	meta      meta
	err       error
}

// RoundTrip implements [http.RoundTripper] for the store. The store may request other ranges than
// the ranges in the client's request.
func (o *storeOpener) RoundTrip(r *http.Request) (*http.Response, error) {
	req := o.request
	req.head, req.fields = r.Method == http.MethodHead, r.Header
	res, m, err := o.gateway.openFetch(r.Context(), req)
	o.mu.Lock()
	defer o.mu.Unlock()
	resp, ok := encode(req, res, m, err)
	if !ok {
		return nil, err
	}
	o.isAllowed = true
	o.resp, o.res, o.meta, o.err = resp, res, m, err
	return resp, nil
}

// result returns the resource, if the store does not store it. The caller must hold o.mu.
func (o *storeOpener) result() (scheme.Resource, meta, error) {
	m := o.meta
	if m.header == nil {
		m.header = make(http.Header)
	}
	m.header["Cache-Status"], m.cache = o.resp.Header["Cache-Status"], storeStatus(o.resp.Header)
	if o.err != nil {
		o.resp.Body.Close()
		return nil, m, o.err
	}
	// If the caller closes the resource, the body for the store must also be closed.
	switch res := o.res.(type) {
	case *scheme.Object:
		live := *res
		live.Body = o.resp.Body
		return &live, m, nil
	case *scheme.Menu:
		live := *res
		live.Closer = o.resp.Body
		return &live, m, nil
	}
	return o.res, m, nil
}

// encode returns the HTTP response for a resource or an error. The result ok is false if err is an
// error that the server did not report.
func encode(req fetchRequest, res scheme.Resource, m meta, err error) (resp *http.Response, ok bool) {
	resp = &http.Response{StatusCode: m.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: m.header.Clone(), ContentLength: -1}
	switch res := res.(type) {
	case *scheme.Object:
		resp.Body = res.Body
		if res.Size >= 0 {
			resp.ContentLength = res.Size - res.Start
		}
	case *scheme.Menu:
		resp.Header.Set(storedKind, "menu")
		resp.Header.Set("Content-Type", menuJSON.contentType())
		resp.Header.Set("Accept-Ranges", "none")
		resp.Header.Set("Vary", "Accept, Accept-Language")
		if resp.Body = http.NoBody; !req.head {
			resp.Body = newMenuBody(menuStored, res, req.URL, m)
		}
	default:
		failure, isAnswer := err.(*serverError)
		if !isAnswer {
			return nil, false
		}
		text := failure.fullText + "\n"
		resp.StatusCode, resp.ContentLength = failure.status, int64(len(text))
		resp.Header = http.Header{"Content-Type": {"text/plain; charset=utf-8"}}
		resp.Body = io.NopCloser(strings.NewReader(text))
	}
	return resp, true
}

// decode returns the resource or the error in a response of the store.
func decode(req fetchRequest, resp *http.Response) (scheme.Resource, meta, error) {
	m := meta{status: resp.StatusCode, header: resp.Header, cache: storeStatus(resp.Header)}
	m.resourceURL, _ = locus.Parse(resp.Header.Get("Content-Location"))
	switch {
	case resp.StatusCode >= 400 && resp.StatusCode != http.StatusRequestedRangeNotSatisfiable:
		defer resp.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(resp.Body, maxFailure)) // the text comes from encode or from the store itself
		return nil, m, newServerError(req.URL, resp.StatusCode, resp.Status, strings.TrimSpace(string(text)))
	case resp.Header.Get(storedKind) != "menu":
		return objectIn(req.URL, resp), m, nil
	}
	m.header = resp.Header.Clone()
	for _, name := range []string{storedKind, "Content-Type", "Content-Length", "Accept-Ranges", "Vary"} {
		m.header.Del(name)
	}
	if req.head || resp.StatusCode == http.StatusNotModified {
		resp.Body.Close()
		return withoutContent(&scheme.Menu{URL: req.URL}), m, nil
	}
	menu, found, err := shape.ReadMenu(resp.Body)
	if err != nil {
		resp.Body.Close()
		return nil, m, err
	}
	m.url, menu.Closer = found, resp.Body
	return menu, m, nil
}

// objectIn returns the object at u that a response contains.
func objectIn(u locus.URL, resp *http.Response) *scheme.Object {
	o := &scheme.Object{
		URL: u, Type: resp.Header.Get("Content-Type"), Encoding: resp.Header.Get("Content-Encoding"),
		Size: resp.ContentLength, Body: resp.Body,
	}
	if modified, err := http.ParseTime(resp.Header.Get("Last-Modified")); err == nil {
		o.ModTime = modified
	}
	return o
}

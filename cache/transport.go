package cache

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
)

// Do returns the response to req, a request for the resource at u. The response comes from
// the store or from the RoundTripper next. For schemes other than http and https, next must
// encode the resource as an HTTP response, and req.URL may be nil.
//
// Concurrent calls for the same response share one call of next.RoundTrip. That call uses
// the context of the client's request, or a context that ends with the last reader. If Do
// returns the same *http.Response as next, the store does not contain the response.
func (s *Store) Do(u locus.URL, req *http.Request, next http.RoundTripper) (*http.Response, error) {
	return (&transport{s, next}).roundTrip(u, req)
}

// Transport returns a RoundTripper that uses the store. It sends other requests through
// next, as [Store.Do] does. The returned RoundTripper is safe for concurrent use if next
// is safe for concurrent use.
func (s *Store) Transport(next http.RoundTripper) http.RoundTripper { return &transport{s, next} }

// RoundTrip implements [http.RoundTripper].
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL == nil {
		return t.passThrough(req, nil, fwdBypass)
	}
	u, err := locus.Parse(req.URL.String())
	if err != nil {
		return t.passThrough(req, nil, fwdBypass)
	}
	return t.roundTrip(u, req)
}

// transport is a RoundTripper that uses the store, and another RoundTripper for the network.
type transport struct {
	s    *Store
	next http.RoundTripper
}

// cacheRequest contains the request properties that the store uses.
type cacheRequest struct {
	url locus.URL // canonical URL
	key key
	cc  directives
}

// examine examines a request for the resource at u. If the request must bypass the store, the
// result fwd is the reason. Otherwise fwd is empty.
func (s *Store) examine(u locus.URL, req *http.Request) (a *cacheRequest, fwd string) {
	u, ok := s.keyURL(u)
	if !ok {
		return nil, fwdBypass
	}
	a = &cacheRequest{url: u, key: keyOf(u.String()), cc: requestDirectives(req.Header)}
	switch m := method(req); {
	case m != http.MethodGet && m != http.MethodHead:
		return a, fwdMethod
	case a.cc.has("no-store"), req.Body != nil && req.Body != http.NoBody,
		req.Header["If-Match"] != nil, req.Header["If-Unmodified-Since"] != nil, req.Header["Upgrade"] != nil,
		// Without this check, the store would store responses from another host for this
		// URL.
		req.URL != nil && req.Host != "" && !strings.EqualFold(req.Host, req.URL.Host):
		return a, fwdBypass
	case !s.isWeb(u) && s.age(u, http.Header{}) <= 0:
		return a, fwdBypass
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return a, fwdBypass
	}
	return a, ""
}

func (t *transport) roundTrip(u locus.URL, req *http.Request) (*http.Response, error) {
	a, fwd := t.s.examine(u, req)
	if fwd != "" {
		return t.passThrough(req, a, fwd)
	}
	// If a response is for one request only, the other waiting requests try again.
	for range 3 {
		resp, err, again := t.tryOnce(req, a)
		if !again {
			return resp, err
		}
	}
	return t.passThrough(req, a, fwdMiss)
}

// tryOnce returns a response from the store or from a fetch. If the state of the store changed
// during the call, retry is true, and the caller must call tryOnce again.
func (t *transport) tryOnce(req *http.Request, a *cacheRequest) (resp *http.Response, err error, retry bool) {
	s := t.s
	found, others, ok := s.lookup(a.key, a.url.String(), req.Header)
	personal := isPersonal(req)
	if ok && personal && !found.meta.isPublic(req) {
		return t.fetchAlone(req, a, hit{}, fwdRequest)
	}
	fwd := fwdMiss
	if others {
		fwd = fwdVary
	}
	var old hit
	if ok {
		switch found.meta.usability(a.cc, s.now()) {
		case fresh:
			return t.respondStored(req, found, outcome{})
		case staleRevalidate:
			t.renew(req, a, found)
			fallthrough
		case staleAccepted:
			return t.respondStale(req, found, outcome{})
		}
		fwd = fwdStale
		if a.cc.has("no-cache") || found.meta.lifetime > found.meta.currentAge(s.now()) {
			fwd = fwdRequest
		}
		old = found
	}
	if a.cc.has("only-if-cached") {
		return s.gatewayTimeout(req), nil, false
	}
	switch {
	case personal || method(req) == http.MethodHead:
		return t.fetchAlone(req, a, hit{}, fwd)
	case req.Header["Range"] != nil:
		s.mu.Lock()
		f := t.runningFetch(req, a, true)
		s.mu.Unlock()
		if f != nil {
			return t.await(req, a, f, fwd, false)
		}
		if ok && old.meta.canValidate() || !startsWhole(req.Header) {
			return t.fetchAlone(req, a, old, fwd)
		}
	case isConditional(req.Header) && s.isWeb(a.url) && !(ok && old.meta.canValidate()):
		return t.fetchAlone(req, a, hit{}, fwd)
	}
	if s.isUnshared(a.key) {
		return t.fetchAlone(req, a, old, fwd)
	}
	f, joined := t.joinOrStart(req, a, old, sharedFetch)
	if f == nil {
		return nil, nil, true // another request stored a response, or the store is closing
	}
	return t.await(req, a, f, fwd, !joined)
}

// startsWhole reports whether a range covers the whole body. Media players send such a
// request first.
func startsWhole(h http.Header) bool {
	return h.Get("If-Range") == "" && strings.ReplaceAll(h.Get("Range"), " ", "") == "bytes=0-"
}

// isUnshared reports whether a recent response for a URL could not be shared.
func (s *Store) isUnshared(k key) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	until, ok := s.unshared[k]
	if ok && !s.now().Before(until) {
		delete(s.unshared, k)
		return false
	}
	return ok
}

// dontShare stops coalescing requests for a URL for unsharedTime.
func (s *Store) dontShare(k key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.unshared) >= unsharedMax {
		clear(s.unshared)
	}
	s.unshared[k] = s.now().Add(unsharedTime)
}

func (t *transport) respondStored(req *http.Request, h hit, w outcome) (*http.Response, error, bool) {
	resp, _, err := t.s.respond(req, h.meta, w, false, t.s.opener(h))
	if err != nil {
		t.s.remove(h.entry) // the body of the response is missing
		return nil, nil, true
	}
	switch {
	case w.collapsed:
		t.s.count.collapsed.Add(1)
	case w.status == http.StatusNotModified:
		t.s.count.validated.Add(1)
	default:
		t.s.count.hits.Add(1)
	}
	return resp, nil, false
}

// respondStale is like respondStored, but for a stale response.
func (t *transport) respondStale(req *http.Request, h hit, w outcome) (*http.Response, error, bool) {
	t.s.count.stale.Add(1)
	return t.respondStored(req, h, w)
}

// runningFetch joins a running fetch and returns the fetch. It returns nil if there is no suitable
// fetch. The caller must later leave the fetch. A range request joins only a fetch that has nearly
// reached the range. The caller must hold s.mu.
func (t *transport) runningFetch(req *http.Request, a *cacheRequest, ranged bool) *fetch {
	s := t.s
	if a.cc.has("no-cache") || a.cc.has("max-age") && a.cc["max-age"] == 0 {
		return nil // the request requires a new response
	}
	wants := preferencesOf(req.Header)
	for _, f := range s.fetches[a.key] {
		if f.isInvalid || f.url != a.url {
			continue
		}
		switch {
		case !f.isReady():
			if ranged || f.preferences != wants {
				continue
			}
		case f.meta == nil || !f.meta.matches(req.Header) || f.meta.usability(a.cc, s.now()) != fresh:
			continue
		case ranged && !f.startsSoon(req.Header):
			continue
		}
		if f.join() {
			return f
		}
	}
	return nil
}

// startsSoon reports whether the first byte of a request's range has arrived or will arrive
// soon.
func (f *fetch) startsSoon(h http.Header) bool {
	if f.meta.size < 0 || !f.meta.mayRange(h) {
		return false
	}
	list, ok := parseRange(strings.Join(h["Range"], ","), f.meta.size)
	if !ok || len(list) != 1 {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return list[0].start <= f.written+1<<20
}

// await waits for the response of f and returns the response. If this request started f, isOwn is
// true. Other requests use only a fresh response.
func (t *transport) await(req *http.Request, a *cacheRequest, f *fetch, fwd string, isOwn bool) (resp *http.Response, err error, retry bool) {
	select {
	case <-f.arrived:
	case <-req.Context().Done():
		if isOwn {
			f.abandon()
		}
		f.leave()
		return nil, context.Cause(req.Context()), false
	}
	s, old := t.s, f.storedHit
	now := s.now()
	w := outcome{fwd: fwd, collapsed: !isOwn}
	suits := func(m *meta) bool { return isOwn || m.matches(req.Header) && m.usability(a.cc, now) == fresh }
	mayReplace := old.entry != nil && old.meta.mayReplaceError(a.cc, now) && old.meta.matches(req.Header)
	switch {
	case f.meta != nil && suits(f.meta):
		w.stored = true
		resp, attached, err := s.respond(req, f.meta, w, true, func(start, end int64) (io.ReadCloser, error) {
			return f.attach(req.Context(), start, end), nil
		})
		if !attached {
			f.leave()
		}
		if isOwn {
			s.count.misses.Add(1)
		} else {
			s.count.collapsed.Add(1)
		}
		return resp, err, false
	case isOwn && f.resp != nil && !(mayReplace && isServerError(f.status)) && !(f.status == http.StatusNotModified && old.entry != nil):
		// The response is only for this request. If the request ends, the fetch is cancelled.
		s.count.misses.Add(1)
		resp := f.resp
		stop := context.AfterFunc(req.Context(), f.cancel)
		resp.Body = &closingBody{Reader: resp.Body, from: resp.Body, closed: func() { stop(); f.cancel() }}
		if resp.Request == nil || resp.Request.URL == nil || resp.Request.URL.String() == req.URL.String() {
			resp.Request = req
		}
		return s.mark(resp, outcome{fwd: fwd}), nil, false
	}
	f.leave()
	if isOwn && f.resp != nil {
		f.resp.Body.Close()
		f.cancel()
	}
	switch {
	case f.validated != nil && suits(f.validated):
		old.meta = f.validated
		w.status = http.StatusNotModified
		return t.respondStored(req, old, w)
	case f.err != nil && errors.Is(f.err, context.Canceled) && req.Context().Err() == nil:
		return nil, nil, true // the fetch was cancelled, but this request was not
	case f.err != nil && mayReplace && isOutage(f.err):
		return t.respondStale(req, old, w)
	case f.err != nil:
		return nil, f.err, false
	case mayReplace && isServerError(f.status):
		w.status = f.status
		return t.respondStale(req, old, w)
	}
	return nil, nil, true
}

// closingBody is a body that calls a function when it is closed.
type closingBody struct {
	io.Reader
	from   io.Closer
	once   sync.Once
	closed func()
}

func (c *closingBody) Close() (err error) {
	c.once.Do(func() {
		err = c.from.Close()
		c.closed()
	})
	return err
}

// joinOrStart joins a running fetch or starts a new fetch, and returns the fetch. It holds the lock
// during both steps, so that two requests can't both start a fetch. It returns nil if another
// request has stored a usable response, or if the store is closing.
func (t *transport) joinOrStart(req *http.Request, a *cacheRequest, storedHit hit, m mode) (f *fetch, joined bool) {
	s := t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, false
	}
	if m != singleFetch {
		if f := t.runningFetch(req, a, false); f != nil {
			return f, true
		}
		if s.isSuperseded(storedHit, a, req.Header) {
			return nil, false
		}
	}
	return t.startFetch(req, a, storedHit, m), false
}

// isSuperseded reports whether another request stored a response after the lookup that returned
// storedHit. The response must be fresh for this request. The caller must hold s.mu.
func (s *Store) isSuperseded(storedHit hit, a *cacheRequest, h http.Header) bool {
	now, url := s.now(), a.url.String()
	for _, e := range s.table[a.key] {
		m := e.meta
		if m == nil || m == storedHit.meta || m.url != url || storedHit.meta != nil && m.received.Before(storedHit.meta.received) {
			continue
		}
		if m.matches(h) && m.usability(a.cc, now) == fresh {
			return true
		}
	}
	return false
}

// isServerError reports whether a stale response may replace a response with the given
// status (RFC 5861 section 4).
func isServerError(status int) bool {
	switch status {
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// isOutage reports whether err means that a server is unreachable or closed the connection.
// A denial by the policy is not an outage, because it also applies to stored responses.
func isOutage(err error) bool {
	var ofNet net.Error
	return !errors.Is(err, policy.ErrDenied) &&
		(errors.As(err, &ofNet) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.DeadlineExceeded))
}

func (t *transport) renew(req *http.Request, a *cacheRequest, old hit) {
	if isPersonal(req) {
		return // the response must not be sent to other users
	}
	get := req.Clone(context.WithoutCancel(req.Context()))
	get.Method = http.MethodGet
	switch f, joined := t.joinOrStart(get, a, old, backgroundFetch); {
	case joined:
		f.leave()
	case f != nil:
		time.AfterFunc(renewTime, f.cancel)
	}
}

// fetchAlone sends a request for only one client. If storedHit contains a stored response, the
// request is conditional. It stores the response if possible.
func (t *transport) fetchAlone(req *http.Request, a *cacheRequest, storedHit hit, fwd string) (*http.Response, error, bool) {
	if f, _ := t.joinOrStart(req, a, storedHit, singleFetch); f != nil {
		return t.await(req, a, f, fwd, true)
	}
	resp, err := t.passThrough(req, a, fwdBypass)
	return resp, err, false
}

// withoutFragment returns a copy of a request without a fragment, because a stored response
// applies to all fragments.
func withoutFragment(req *http.Request, ctx context.Context) *http.Request {
	req = req.Clone(ctx)
	if req.URL != nil {
		req.URL.Fragment, req.URL.RawFragment = "", ""
	}
	if req.Header == nil {
		req.Header = make(http.Header)
	}
	return req
}

// compareHead removes a stored response that differs from the response to a HEAD request
// (RFC 9111 section 4.3.5).
func (f *fetch) compareHead(resp *http.Response) {
	found, _, ok := f.s.lookup(f.key, f.url.String(), f.req.Header)
	if !ok || resp.StatusCode != http.StatusOK {
		return
	}
	m, h := found.meta, resp.Header
	if m.status != resp.StatusCode || resp.ContentLength >= 0 && m.size != resp.ContentLength ||
		h.Get("Etag") != m.etag || h.Get("Last-Modified") != m.header.Get("Last-Modified") {
		f.s.remove(found.entry)
	}
}

// passThrough forwards a request. If the method is unsafe, passThrough removes the stored responses
// for the request URL, and for the URLs that the response names (RFC 9111 section 4.4).
func (t *transport) passThrough(req *http.Request, a *cacheRequest, fwd string) (*http.Response, error) {
	s := t.s
	s.count.passed.Add(1)
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if fwd == fwdMethod && !isSafe(method(req)) && resp.StatusCode >= 200 && resp.StatusCode < 400 {
		s.purge(a.key)
		for _, name := range []string{"Location", "Content-Location"} {
			s.purgeBeside(req, resp.Header.Get(name))
		}
	}
	return s.mark(resp, outcome{fwd: fwd}), nil
}

// purgeBeside removes the stored responses for a URL that a response header names, if the URL has
// the same origin.
func (s *Store) purgeBeside(req *http.Request, text string) {
	if text == "" || req.URL == nil {
		return
	}
	to, err := req.URL.Parse(text)
	if err != nil || to.Scheme != req.URL.Scheme || !strings.EqualFold(to.Host, req.URL.Host) {
		return
	}
	if u, err := locus.Parse(to.String()); err == nil {
		s.Purge(u)
	}
}

// isSafe reports whether a method is safe (RFC 9110 section 9.2.1).
func isSafe(method string) bool {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return true
	}
	return false
}

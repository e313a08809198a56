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

type transport struct {
	s    *Store
	next http.RoundTripper
}

// Transport returns a RoundTripper that answers from the store and asks next for the
// rest. It may be used concurrently if next may. Only requests of the same Transport
// wait for each other. A request to next has the context of the client's request, or
// one that lasts as long as an answer has readers.
func (s *Store) Transport(next http.RoundTripper) http.RoundTripper { return &transport{s, next} }

// cacheRequest is what the store needs to know of a request.
type cacheRequest struct {
	url locus.URL // canonical
	key key
	cc  directives
}

// parse looks at a request. fwd says why it bypasses the store; empty: it does not.
func (s *Store) parse(req *http.Request) (a *cacheRequest, fwd string) {
	if req.URL == nil {
		return nil, fwdBypass
	}
	u, err := locus.Parse(req.URL.String())
	if err != nil {
		return nil, fwdBypass
	}
	u, ok := s.canonical(u)
	if !ok {
		return nil, fwdBypass
	}
	a = &cacheRequest{url: u, key: keyOf(u.String()), cc: requestDirectives(req.Header)}
	switch m := method(req); {
	case m != http.MethodGet && m != http.MethodHead:
		return a, fwdMethod
	case a.cc.noStore, req.Body != nil && req.Body != http.NoBody,
		req.Header["If-Match"] != nil, req.Header["If-Unmodified-Since"] != nil, req.Header["Upgrade"] != nil,
		// The answers of another host would be found at this URL.
		req.Host != "" && !strings.EqualFold(req.Host, req.URL.Host):
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

// RoundTrip implements [http.RoundTripper].
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	s := t.s
	a, fwd := s.parse(req)
	if fwd != "" {
		return t.passThrough(req, a, fwd)
	}
	// If an answer turns out to be for one request only, the others look again.
	for range 3 {
		resp, err, again := t.try(req, a)
		if !again {
			return resp, err
		}
	}
	return t.fetchAlone(req, a, hit{}, fwdMiss)
}

// try answers a request from the store, or from a fetch. again reports that something
// changed meanwhile.
func (t *transport) try(req *http.Request, a *cacheRequest) (resp *http.Response, err error, again bool) {
	s := t.s
	found, others, ok := s.lookup(a.key, a.url.String(), req.Header)
	personal := isPersonal(req)
	if ok && personal && !found.meta.isPublic(req) {
		return t.fetchForOne(req, a, hit{}, fwdRequest)
	}
	fwd := fwdMiss
	if others {
		fwd = fwdVary
	}
	var old hit
	if ok {
		switch found.meta.usability(a.cc, s.now()) {
		case fresh:
			return t.answerStored(req, found, outcome{})
		case staleAccepted:
			s.count.stale.Add(1)
			return t.answerStored(req, found, outcome{})
		case staleRevalidate:
			t.renew(req, a, found)
			s.count.stale.Add(1)
			return t.answerStored(req, found, outcome{})
		}
		fwd = fwdStale
		if a.cc.noCache || found.meta.lifetime > found.meta.currentAge(s.now()) {
			fwd = fwdRequest
		}
		old = found
	}
	if a.cc.onlyIfCached {
		return s.gatewayTimeout(req), nil, false
	}
	switch {
	case personal:
		return t.fetchForOne(req, a, hit{}, fwd)
	case method(req) == http.MethodHead:
		return t.fetchForOne(req, a, hit{}, fwd)
	case req.Header["Range"] != nil:
		if f := t.runningFetch(req, a, true); f != nil {
			return t.awaitOther(req, a, f, fwd)
		}
		if ok && old.meta.canValidate() || !startsWhole(req.Header) {
			return t.fetchForOne(req, a, old, fwd)
		}
	case isConditional(req.Header) && s.isWeb(a.url) && !(ok && old.meta.canValidate()):
		return t.fetchForOne(req, a, hit{}, fwd)
	}
	if s.isUnshared(a.key) {
		return t.fetchForOne(req, a, old, fwd)
	}
	f, joined := t.joinOrStart(req, a, old, false)
	switch {
	case joined:
		return t.awaitOther(req, a, f, fwd)
	case f != nil:
		return t.awaitOwn(req, a, f, fwd)
	case s.isClosed():
		return t.fetchForOne(req, a, hit{}, fwdBypass)
	}
	return nil, nil, true // an answer was stored just now
}

// startsWhole reports whether a range covers everything, which media players ask for
// first.
func startsWhole(h http.Header) bool {
	return h.Get("If-Range") == "" && strings.ReplaceAll(h.Get("Range"), " ", "") == "bytes=0-"
}

// isUnshared reports whether recent answers for a URL could not be shared.
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

// answerStored answers from the store.
func (t *transport) answerStored(req *http.Request, h hit, w outcome) (*http.Response, error, bool) {
	resp, _, err := t.s.answer(req, h.meta, w, false, t.s.opener(h))
	if err != nil {
		t.s.remove(h.entry) // its body is not there
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

// runningFetch returns a fetch that the request has joined, and must leave; nil: there
// is none. A range joins one that has reached it, or nearly.
func (t *transport) runningFetch(req *http.Request, a *cacheRequest, ranged bool) *fetch {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	return t.runningFetchLocked(req, a, ranged)
}

// runningFetchLocked is runningFetch for a caller that holds s.mu.
func (t *transport) runningFetchLocked(req *http.Request, a *cacheRequest, ranged bool) *fetch {
	s := t.s
	if a.cc.noCache || a.cc.maxAge == 0 {
		return nil // the request wants a new answer
	}
	wants := preferencesOf(req.Header)
	for _, f := range s.fetches[a.key] {
		if f.invalid || f.t != t || f.url != a.url {
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

// startsSoon reports whether the first byte of a request's range has arrived, or soon
// will.
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

// awaitOwn answers with what f brings, which was started for this request.
func (t *transport) awaitOwn(req *http.Request, a *cacheRequest, f *fetch, fwd string) (*http.Response, error, bool) {
	old := f.old
	select {
	case <-f.arrived:
	case <-req.Context().Done():
		f.mu.Lock()
		f.abandoned = true
		if f.resp != nil {
			f.resp.Body.Close()
		}
		f.mu.Unlock()
		f.leave()
		return nil, context.Cause(req.Context()), false
	}
	s := t.s
	if f.resp == nil {
		return t.answerFrom(req, a, f, fwd, false)
	}
	if old.entry != nil && isServerError(f.status) && old.meta.mayReplaceError(a.cc, s.now()) {
		f.resp.Body.Close()
		f.leave()
		f.cancel()
		s.count.stale.Add(1)
		return t.answerStored(req, old, outcome{fwd: fwd, status: f.status})
	}
	if f.status == http.StatusNotModified && old.entry != nil {
		f.resp.Body.Close() // the stored answer is gone
		f.leave()
		f.cancel()
		return nil, nil, true
	}
	// The answer is only for this request, whose end cancels the fetch.
	s.count.misses.Add(1)
	resp := f.resp
	stop := context.AfterFunc(req.Context(), f.cancel)
	resp.Body = &closing{ReadCloser: resp.Body, closed: func() { stop(); f.cancel() }}
	if resp.Request == nil || resp.Request.URL == nil || resp.Request.URL.String() == req.URL.String() {
		resp.Request = req
	}
	return s.mark(resp, outcome{fwd: fwd}), nil, false
}

// closing calls a function once it is closed.
type closing struct {
	io.ReadCloser
	once   sync.Once
	closed func()
}

func (c *closing) Close() error {
	err := c.ReadCloser.Close()
	c.once.Do(c.closed)
	return err
}

// joinOrStart returns a fetch for the request: a running one that it joins, or a new
// one. Both happen under one lock, or two requests would each start one. nil: a usable
// answer was stored since the last look, or the store is being closed.
func (t *transport) joinOrStart(req *http.Request, a *cacheRequest, old hit, keep bool) (f *fetch, joined bool) {
	s := t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, false
	}
	if f := t.runningFetchLocked(req, a, false); f != nil {
		return f, true
	}
	if s.cameSince(old, a, req.Header) {
		return nil, false
	}
	s.work.Add(1)
	f = t.newFetch(a, req, false)
	f.old = old
	if keep {
		f.background, f.abandoned, f.waiting = true, true, 0
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(req.Context()))
	stop := context.AfterFunc(s.ctx, cancel)
	f.cancel = func() { stop(); cancel() }
	go f.run(ctx)
	return f, false
}

// cameSince reports whether an answer was stored after old was found that can be used
// as it is. The caller must hold s.mu.
func (s *Store) cameSince(old hit, a *cacheRequest, h http.Header) bool {
	now, url := s.now(), a.url.String()
	for _, e := range s.table[a.key] {
		m := e.meta
		if m == nil || m == old.meta || m.url != url || old.meta != nil && m.received.Before(old.meta.received) {
			continue
		}
		if m.matches(h) && m.usability(a.cc, now) == fresh {
			return true
		}
	}
	return false
}

// awaitOther waits for what another request fetches.
func (t *transport) awaitOther(req *http.Request, a *cacheRequest, f *fetch, fwd string) (*http.Response, error, bool) {
	select {
	case <-f.arrived:
	case <-req.Context().Done():
		f.leave()
		return nil, context.Cause(req.Context()), false
	}
	return t.answerFrom(req, a, f, fwd, true)
}

// answerFrom answers with what f brought. A follower takes only what needs no
// validation.
func (t *transport) answerFrom(req *http.Request, a *cacheRequest, f *fetch, fwd string, follower bool) (*http.Response, error, bool) {
	s := t.s
	now := s.now()
	old := f.old
	w := outcome{fwd: fwd, collapsed: follower}
	switch {
	case f.meta != nil:
		if follower && (!f.meta.matches(req.Header) || f.meta.usability(a.cc, now) != fresh) {
			f.leave()
			return nil, nil, true
		}
		w.stored = true
		resp, attached, err := s.answer(req, f.meta, w, true, func(start, end int64) (io.ReadCloser, error) {
			return f.attach(req.Context(), start, end), nil
		})
		if !attached {
			f.leave()
		}
		if follower {
			s.count.collapsed.Add(1)
		} else {
			s.count.misses.Add(1)
		}
		return resp, err, false
	case f.validated != nil:
		f.leave()
		if follower && (!f.validated.matches(req.Header) || f.validated.usability(a.cc, now) != fresh) {
			return nil, nil, true
		}
		old.meta = f.validated
		w.status = http.StatusNotModified
		return t.answerStored(req, old, w)
	case f.err != nil:
		f.leave()
		if errors.Is(f.err, context.Canceled) && req.Context().Err() == nil {
			return nil, nil, true // the fetch was cancelled, not this request
		}
		if old.entry != nil && isOutage(f.err) && old.meta.mayReplaceError(a.cc, now) && old.meta.matches(req.Header) {
			s.count.stale.Add(1)
			return t.answerStored(req, old, w)
		}
		return nil, f.err, false
	}
	f.leave()
	if old.entry != nil && isServerError(f.status) && old.meta.mayReplaceError(a.cc, now) && old.meta.matches(req.Header) {
		s.count.stale.Add(1)
		w.status = f.status
		return t.answerStored(req, old, w)
	}
	return nil, nil, true
}

// isServerError reports whether a stale answer may be given instead of one with that
// status (RFC 5861 section 4).
func isServerError(status int) bool {
	switch status {
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// isOutage reports whether a server can't be reached or broke off; a denial of the
// policy is not an outage, since it applies to stored answers too.
func isOutage(err error) bool {
	var ofNet net.Error
	return !errors.Is(err, policy.ErrDenied) &&
		(errors.As(err, &ofNet) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.DeadlineExceeded))
}

// renew fetches an answer again that was already given.
func (t *transport) renew(req *http.Request, a *cacheRequest, old hit) {
	if isPersonal(req) {
		return // the answer is not for others
	}
	get := req.Clone(context.WithoutCancel(req.Context()))
	get.Method = http.MethodGet
	switch f, joined := t.joinOrStart(get, a, old, true); {
	case joined:
		f.leave()
	case f != nil:
		time.AfterFunc(renewTime, f.cancel)
	}
}

// fetchForOne is fetchAlone with the results of try.
func (t *transport) fetchForOne(req *http.Request, a *cacheRequest, old hit, fwd string) (*http.Response, error, bool) {
	resp, err := t.fetchAlone(req, a, old, fwd)
	return resp, err, false
}

// fetchAlone makes a request for one client, on condition of a change if old is given.
// The answer is stored if it may be.
func (t *transport) fetchAlone(req *http.Request, a *cacheRequest, old hit, fwd string) (*http.Response, error) {
	s := t.s
	s.count.misses.Add(1)
	send := req
	if req.URL.Fragment != "" || old.entry != nil {
		send = withoutFragment(req, req.Context())
	}
	if old.entry != nil {
		for _, name := range []string{"If-None-Match", "If-Modified-Since"} {
			send.Header.Del(name)
		}
		old.meta.addConditions(send.Header)
		if !old.meta.isHTTP {
			send.Header.Del("Range")
			send.Header.Del("If-Range")
		}
	}
	asked := s.now()
	resp, err := t.next.RoundTrip(send)
	came := s.now()
	if err != nil {
		if old.entry != nil && isOutage(err) && old.meta.mayReplaceError(a.cc, came) {
			s.count.stale.Add(1)
			if resp, _, again := t.answerStored(req, old, outcome{fwd: fwd}); !again {
				return resp, nil
			}
		}
		return nil, err
	}
	if old.entry != nil {
		switch {
		case old.meta.isSame(resp):
			resp.Body.Close()
			m := s.updated(a.url, old.meta, req, resp, asked, came)
			s.renew(old.entry, m)
			old.meta = m
			if resp, _, again := t.answerStored(req, old, outcome{fwd: fwd, status: http.StatusNotModified}); !again {
				return resp, nil
			}
			return t.fetchAlone(req, a, hit{}, fwd)
		case isServerError(resp.StatusCode) && old.meta.mayReplaceError(a.cc, came):
			if stale, _, again := t.answerStored(req, old, outcome{fwd: fwd, status: resp.StatusCode}); !again {
				resp.Body.Close()
				s.count.stale.Add(1)
				return stale, nil
			}
		case resp.StatusCode == http.StatusNotModified: // the stored answer is gone
			resp.Body.Close()
			s.remove(old.entry)
			return t.fetchAlone(req, a, hit{}, fwd)
		case resp.StatusCode < 500:
			s.remove(old.entry)
		}
	}
	if method(req) == http.MethodHead {
		t.compareHead(req, a, resp)
	}
	return t.storeWhileRead(req, a, resp, asked, fwd), nil
}

// withoutFragment returns a copy of a request. An answer is stored for every fragment,
// and so must not name one.
func withoutFragment(req *http.Request, ctx context.Context) *http.Request {
	req = req.Clone(ctx)
	req.URL.Fragment, req.URL.RawFragment = "", ""
	if req.Header == nil {
		req.Header = make(http.Header)
	}
	return req
}

// compareHead removes stored answers that a HEAD contradicts (RFC 9111 section 4.3.5).
func (t *transport) compareHead(req *http.Request, a *cacheRequest, resp *http.Response) {
	found, _, ok := t.s.lookup(a.key, a.url.String(), req.Header)
	if !ok || resp.StatusCode != http.StatusOK {
		return
	}
	m, h := found.meta, resp.Header
	if m.status != resp.StatusCode || resp.ContentLength >= 0 && m.size != resp.ContentLength ||
		h.Get("Etag") != m.etag || h.Get("Last-Modified") != m.header.Get("Last-Modified") {
		t.s.remove(found.entry)
	}
}

// storeWhileRead stores an answer to one client, if it may be stored, while the client
// reads it.
func (t *transport) storeWhileRead(req *http.Request, a *cacheRequest, resp *http.Response, at time.Time, fwd string) *http.Response {
	s := t.s
	if method(req) != http.MethodGet || resp.Header["Content-Range"] != nil {
		return s.mark(resp, outcome{fwd: fwd})
	}
	m := s.newMeta(a.url, req, resp, at, s.now())
	if !m.mayStore(req, a.cc, resp) {
		return s.mark(resp, outcome{fwd: fwd})
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return s.mark(resp, outcome{fwd: fwd})
	}
	s.work.Add(1)
	f := t.newFetch(a, req, true) // other requests make their own
	s.mu.Unlock()
	from := resp.Body
	stop := context.AfterFunc(s.ctx, func() { from.Close() })
	var once sync.Once
	f.cancel = func() { once.Do(func() { stop(); from.Close() }) }
	if !f.create(m) {
		stop()
		f.unregister()
		s.work.Done()
		return s.mark(resp, outcome{fwd: fwd})
	}
	f.meta = m
	close(f.arrived)
	body := f.attach(req.Context(), 0, -1)
	go func() {
		defer s.work.Done()
		defer f.unregister()
		f.copyBody(from)
	}()
	resp.Body = body
	if resp.Header == nil {
		resp.Header = make(http.Header)
	}
	resp.Header.Add("Cache-Status", s.cacheStatus(outcome{fwd: fwd, stored: true}, m, s.now()))
	return resp
}

// passThrough forwards a request. One that may change things removes the answers for
// its URL, and for those that the response names (RFC 9111 section 4.4).
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

// purgeBeside removes the answers for a URL that a response names, if it has the same
// origin.
func (s *Store) purgeBeside(req *http.Request, text string) {
	if text == "" {
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

// isSafe reports whether a method changes nothing (RFC 9110 section 9.2.1).
func isSafe(method string) bool {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return true
	}
	return false
}

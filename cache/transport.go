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

// transport answers from a store.
type transport struct {
	s    *Store
	next http.RoundTripper
}

// Transport returns a RoundTripper that answers from the store, and asks next for
// what is not there. It may be used from many goroutines at once if next may. Only
// requests of the same Transport wait for each other. What
// next gets has the context of the request that it is for, or one that lasts as long
// as anybody reads the answer.
func (s *Store) Transport(next http.RoundTripper) http.RoundTripper { return &transport{s, next} }

// asked is what the store must know of a request.
type asked struct {
	url locus.URL // canonical
	key key
	cc  directives
}

// understand looks at a request. fwd says why the store has nothing to do with it;
// empty: it has.
func (s *Store) understand(req *http.Request) (a *asked, fwd string) {
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
	a = &asked{url: u, key: keyOf(u.String()), cc: requestDirectives(req.Header)}
	switch m := method(req); {
	case m != http.MethodGet && m != http.MethodHead:
		return a, fwdMethod
	case a.cc.noStore, req.Body != nil && req.Body != http.NoBody,
		req.Header["If-Match"] != nil, req.Header["If-Unmodified-Since"] != nil, req.Header["Upgrade"] != nil,
		// Another host than the URL's would have its answers found at that URL.
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
	a, fwd := s.understand(req)
	if fwd != "" {
		return t.through(req, a, fwd)
	}
	// Once an answer that others wait for turns out to be for one of them alone, the
	// others look again.
	for range 3 {
		resp, err, again := t.try(req, a)
		if !again {
			return resp, err
		}
	}
	return t.alone(req, a, hit{}, fwdMiss)
}

// try answers a request from the store, or by what is being fetched. again says that
// something changed meanwhile.
func (t *transport) try(req *http.Request, a *asked) (resp *http.Response, err error, again bool) {
	s := t.s
	found, others, ok := s.lookup(a.key, a.url.String(), req.Header)
	personal := isPersonal(req)
	if ok && personal && !found.meta.isPublic(req) {
		return t.solo(req, a, hit{}, fwdRequest)
	}
	fwd := fwdMiss
	if others {
		fwd = fwdVary
	}
	var old hit
	if ok {
		switch found.meta.use(a.cc, s.now()) {
		case fresh:
			return t.stored(req, found, how{})
		case staleGood:
			s.count.stale.Add(1)
			return t.stored(req, found, how{})
		case staleRenew:
			t.renew(req, a, found)
			s.count.stale.Add(1)
			return t.stored(req, found, how{})
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
		return t.solo(req, a, hit{}, fwd)
	case method(req) == http.MethodHead:
		return t.solo(req, a, hit{}, fwd)
	case req.Header["Range"] != nil:
		if f := t.running(req, a, true); f != nil {
			return t.follow(req, a, f, fwd)
		}
		if ok && old.meta.canValidate() || !startsWhole(req.Header) {
			return t.solo(req, a, old, fwd)
		}
	case isConditional(req.Header) && s.isWeb(a.url) && !(ok && old.meta.canValidate()):
		return t.solo(req, a, hit{}, fwd)
	}
	if s.isPassed(a.key) {
		return t.solo(req, a, old, fwd)
	}
	f, joined := t.board(req, a, old, false)
	switch {
	case joined:
		return t.follow(req, a, f, fwd)
	case f != nil:
		return t.lead(req, a, f, fwd)
	case s.isClosed():
		return t.solo(req, a, hit{}, fwdBypass)
	}
	return nil, nil, true // what was just fetched is there
}

// startsWhole reports whether a range is all there is, which is what players ask for
// first.
func startsWhole(h http.Header) bool {
	return h.Get("If-Range") == "" && strings.ReplaceAll(h.Get("Range"), " ", "") == "bytes=0-"
}

// isPassed reports whether answers of a URL could not be shared lately.
func (s *Store) isPassed(k key) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	until, ok := s.pass[k]
	if ok && !s.now().Before(until) {
		delete(s.pass, k)
		return false
	}
	return ok
}

// stored answers with what the store has.
func (t *transport) stored(req *http.Request, h hit, w how) (*http.Response, error, bool) {
	resp, _, err := t.s.answer(req, h.meta, w, false, t.s.whole(h))
	if err != nil {
		t.s.forget(h.entry) // its body is not there
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

// running returns a flight that the request may wait for, and has to leave; nil:
// there is none. A range joins one if what it begins with is there, or nearly.
func (t *transport) running(req *http.Request, a *asked, ranged bool) *flight {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	return t.runningLocked(req, a, ranged)
}

// runningLocked is running for who has the store locked.
func (t *transport) runningLocked(req *http.Request, a *asked, ranged bool) *flight {
	s := t.s
	if a.cc.noCache || a.cc.maxAge == 0 {
		return nil // who wants it asked for anew
	}
	wants := prefers(req.Header)
	for _, f := range s.flights[a.key] {
		if f.invalid || f.t != t || f.url != a.url {
			continue
		}
		switch {
		case !f.isReady():
			if ranged || f.prefers != wants {
				continue
			}
		case f.meta == nil || !f.meta.selects(req.Header) || f.meta.use(a.cc, s.now()) != fresh:
			continue
		case ranged && !f.nearly(req.Header):
			continue
		}
		if f.join() {
			return f
		}
	}
	return nil
}

// nearly reports whether the ranges of a request begin where f is soon.
func (f *flight) nearly(h http.Header) bool {
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

// lead answers with what f, which was begun for this request, fetches for it and for
// all that come until it is there.
func (t *transport) lead(req *http.Request, a *asked, f *flight, fwd string) (*http.Response, error, bool) {
	old := f.old
	select {
	case <-f.ready:
	case <-req.Context().Done():
		f.mu.Lock()
		f.leaderless = true
		if f.resp != nil {
			f.resp.Body.Close()
		}
		f.mu.Unlock()
		f.leave()
		return nil, context.Cause(req.Context()), false
	}
	s := t.s
	if f.resp == nil {
		return t.landed(req, a, f, fwd, false)
	}
	if old.entry != nil && mayStandIn(f.status) && old.meta.standsIn(a.cc, s.now()) {
		f.resp.Body.Close()
		f.leave()
		f.cancel()
		s.count.stale.Add(1)
		return t.stored(req, old, how{fwd: fwd, status: f.status})
	}
	if f.status == http.StatusNotModified && old.entry != nil {
		f.resp.Body.Close() // nobody has the answer that this is about
		f.leave()
		f.cancel()
		return nil, nil, true
	}
	// The answer is for this request alone, and its end ends the fetching.
	s.count.misses.Add(1)
	resp := f.resp
	stop := context.AfterFunc(req.Context(), f.cancel)
	resp.Body = &closing{ReadCloser: resp.Body, closed: func() { stop(); f.cancel() }}
	if resp.Request == nil || resp.Request.URL == nil || resp.Request.URL.String() == req.URL.String() {
		resp.Request = req
	}
	return s.mark(resp, how{fwd: fwd}), nil, false
}

// closing notes that a body is closed.
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

// board returns the flight that brings the answer for a request: one that is under
// way, which the request has joined, or else one that is begun. All is one step, as of
// two that ask at once each would find that there is no flight yet. nil: what there
// is since the store was looked at is good, or the store is being closed.
func (t *transport) board(req *http.Request, a *asked, old hit, keep bool) (f *flight, joined bool) {
	s := t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, false
	}
	if f := t.runningLocked(req, a, false); f != nil {
		return f, true
	}
	if s.cameSince(old, a, req.Header) {
		return nil, false
	}
	s.work.Add(1)
	f = t.newFlight(a, req, false)
	f.old = old
	if keep {
		f.keep, f.leaderless, f.waiting = true, true, 0
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(req.Context()))
	stop := context.AfterFunc(s.ctx, cancel)
	f.cancel = func() { stop(); cancel() }
	go f.fetch(ctx)
	return f, false
}

// cameSince reports whether there is an answer that needs no asking, and that was not
// there when old was found, or nothing. The store is locked.
func (s *Store) cameSince(old hit, a *asked, h http.Header) bool {
	now, url := s.now(), a.url.String()
	for _, e := range s.table[a.key] {
		m := e.meta
		if m == nil || m == old.meta || m.url != url || old.meta != nil && m.received.Before(old.meta.received) {
			continue
		}
		if m.selects(h) && m.use(a.cc, now) == fresh {
			return true
		}
	}
	return false
}

// follow waits for what another request is fetching.
func (t *transport) follow(req *http.Request, a *asked, f *flight, fwd string) (*http.Response, error, bool) {
	select {
	case <-f.ready:
	case <-req.Context().Done():
		f.leave()
		return nil, context.Cause(req.Context()), false
	}
	return t.landed(req, a, f, fwd, true)
}

// landed answers with what a flight brought. A follower takes only what it may have
// without asking.
func (t *transport) landed(req *http.Request, a *asked, f *flight, fwd string, follower bool) (*http.Response, error, bool) {
	s := t.s
	now := s.now()
	old := f.old
	w := how{fwd: fwd, collapsed: follower}
	switch {
	case f.meta != nil:
		if follower && (!f.meta.selects(req.Header) || f.meta.use(a.cc, now) != fresh) {
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
		if follower && (!f.validated.selects(req.Header) || f.validated.use(a.cc, now) != fresh) {
			return nil, nil, true
		}
		old.meta = f.validated
		w.status = http.StatusNotModified
		return t.stored(req, old, w)
	case f.err != nil:
		f.leave()
		if errors.Is(f.err, context.Canceled) && req.Context().Err() == nil {
			return nil, nil, true // not this request was ended, but the flight
		}
		if old.entry != nil && isOutage(f.err) && old.meta.standsIn(a.cc, now) && old.meta.selects(req.Header) {
			s.count.stale.Add(1)
			return t.stored(req, old, w)
		}
		return nil, f.err, false
	}
	f.leave()
	if old.entry != nil && mayStandIn(f.status) && old.meta.standsIn(a.cc, now) && old.meta.selects(req.Header) {
		s.count.stale.Add(1)
		w.status = f.status
		return t.stored(req, old, w)
	}
	return nil, nil, true
}

// mayStandIn reports whether something stale may be given for an answer with that
// status (RFC 5861 section 4).
func mayStandIn(status int) bool {
	switch status {
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// isOutage reports whether an error is that of a server which can't be reached, or
// breaks off; not that of a policy, which forbids what is stored as well.
func isOutage(err error) bool {
	var ofNet net.Error
	return !errors.Is(err, policy.ErrDenied) &&
		(errors.As(err, &ofNet) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.DeadlineExceeded))
}

// renew fetches an answer anew that was given already.
func (t *transport) renew(req *http.Request, a *asked, old hit) {
	if isPersonal(req) {
		return // that is its own business
	}
	get := req.Clone(context.WithoutCancel(req.Context()))
	get.Method = http.MethodGet
	switch f, joined := t.board(get, a, old, true); {
	case joined:
		f.leave()
	case f != nil:
		time.AfterFunc(renewTime, f.cancel)
	}
}

// solo is alone, as an answer of try.
func (t *transport) solo(req *http.Request, a *asked, old hit, fwd string) (*http.Response, error, bool) {
	resp, err := t.alone(req, a, old, fwd)
	return resp, err, false
}

// alone asks for this request only. With old, it asks whether that one is still
// right. An answer that may be stored is.
func (t *transport) alone(req *http.Request, a *asked, old hit, fwd string) (*http.Response, error) {
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
		old.meta.ask(send.Header)
		if !old.meta.ruled {
			send.Header.Del("Range")
			send.Header.Del("If-Range")
		}
	}
	asked := s.now()
	resp, err := t.next.RoundTrip(send)
	came := s.now()
	if err != nil {
		if old.entry != nil && isOutage(err) && old.meta.standsIn(a.cc, came) {
			s.count.stale.Add(1)
			if resp, _, again := t.stored(req, old, how{fwd: fwd}); !again {
				return resp, nil
			}
		}
		return nil, err
	}
	if old.entry != nil {
		switch {
		case old.meta.isSame(resp):
			resp.Body.Close()
			m := s.freshened(a.url, old.meta, req, resp, asked, came)
			s.renew(old.entry, m)
			old.meta = m
			if resp, _, again := t.stored(req, old, how{fwd: fwd, status: http.StatusNotModified}); !again {
				return resp, nil
			}
			return t.alone(req, a, hit{}, fwd)
		case mayStandIn(resp.StatusCode) && old.meta.standsIn(a.cc, came):
			if stale, _, again := t.stored(req, old, how{fwd: fwd, status: resp.StatusCode}); !again {
				resp.Body.Close()
				s.count.stale.Add(1)
				return stale, nil
			}
		case resp.StatusCode == http.StatusNotModified: // and nobody has the answer that this is about
			resp.Body.Close()
			s.forget(old.entry)
			return t.alone(req, a, hit{}, fwd)
		case resp.StatusCode < 500:
			s.forget(old.entry)
		}
	}
	if method(req) == http.MethodHead {
		t.compare(req, a, resp)
	}
	return t.adopt(req, a, resp, asked, fwd), nil
}

// withoutFragment returns a copy of a request. What is stored is for every fragment,
// and so it must not name one.
func withoutFragment(req *http.Request, ctx context.Context) *http.Request {
	req = req.Clone(ctx)
	req.URL.Fragment, req.URL.RawFragment = "", ""
	if req.Header == nil {
		req.Header = make(http.Header)
	}
	return req
}

// compare forgets stored answers that are others than a HEAD says (RFC 9111 section
// 4.3.5).
func (t *transport) compare(req *http.Request, a *asked, resp *http.Response) {
	found, _, ok := t.s.lookup(a.key, a.url.String(), req.Header)
	if !ok || resp.StatusCode != http.StatusOK {
		return
	}
	m, h := found.meta, resp.Header
	if m.status != resp.StatusCode || resp.ContentLength >= 0 && m.size != resp.ContentLength ||
		h.Get("Etag") != m.etag || h.Get("Last-Modified") != m.header.Get("Last-Modified") {
		t.s.forget(found.entry)
	}
}

// adopt stores an answer that a request got alone, if it may be, while it is read.
func (t *transport) adopt(req *http.Request, a *asked, resp *http.Response, at time.Time, fwd string) *http.Response {
	s := t.s
	if method(req) != http.MethodGet || resp.Header["Content-Range"] != nil {
		return s.mark(resp, how{fwd: fwd})
	}
	m := s.newMeta(a.url, req, resp, at, s.now())
	if !m.mayStore(req, a.cc, resp) {
		return s.mark(resp, how{fwd: fwd})
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return s.mark(resp, how{fwd: fwd})
	}
	s.work.Add(1)
	f := t.newFlight(a, req, true) // whatever it was asked with, others ask for themselves
	s.mu.Unlock()
	from := resp.Body
	stop := context.AfterFunc(s.ctx, func() { from.Close() })
	var once sync.Once
	f.cancel = func() { once.Do(func() { stop(); from.Close() }) }
	if !f.create(m) {
		stop()
		f.land()
		s.work.Done()
		return s.mark(resp, how{fwd: fwd})
	}
	f.meta = m
	close(f.ready)
	body := f.attach(req.Context(), 0, -1)
	go func() {
		defer s.work.Done()
		defer f.land()
		f.pump(from)
	}()
	resp.Body = body
	if resp.Header == nil {
		resp.Header = make(http.Header)
	}
	resp.Header.Add("Cache-Status", s.cacheStatus(how{fwd: fwd, stored: true}, m, s.now()))
	return resp
}

// through passes a request on. One that may change things makes what is stored of
// its URL, and of those that the answer names, not to be trusted (RFC 9111 section
// 4.4).
func (t *transport) through(req *http.Request, a *asked, fwd string) (*http.Response, error) {
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
	return s.mark(resp, how{fwd: fwd}), nil
}

// purgeBeside forgets what is stored of a URL that an answer names, if it is of the
// same origin.
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

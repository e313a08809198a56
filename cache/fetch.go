package cache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc64"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/locus-url/locus"
)

const (
	// chunk is the size of a read from the server.
	chunk = 64 << 10
	// prefetchTime limits how long a fetch without readers continues.
	prefetchTime = time.Minute
	// renewTime limits how long a background revalidation may take.
	renewTime = 10 * time.Minute
)

// errTooLarge is the error for a reader that shares a response with the first reader, if
// the response is too large for the store. The first reader never gets this error.
var errTooLarge = errors.New("cache: the response is too large to share between concurrent requests; repeat the request")

// fetch is a request to the server that several client requests may share. The client requests
// first wait for the response header. Then each client request reads the body from the file that
// the fetch writes.
type fetch struct {
	s           *Store
	t           *transport
	key         key
	url         locus.URL // canonical URL
	preferences string    // result of preferencesOf
	req         *http.Request
	cc          directives // directives of req
	mode        mode
	storedHit   hit // response to validate; its entry is nil if there is no such response
	cancel      context.CancelFunc
	detach      func() bool // stops cancellation by the store's context

	arrived chan struct{} // closed after the header has arrived
	// Exactly one of err, resp, validated and meta is set. The field resp is a response for the
	// first request only. The field validated is the stored response after validation. The field
	// meta belongs to a response with a stored body.
	err       error
	resp      *http.Response
	status    int // status code in resp
	validated *meta
	meta      *meta

	isInvalid bool // the response must not be stored, and no request may join; guarded by the store's mutex

	id   uint64
	body *body

	mu          sync.Mutex
	change      sync.Cond
	waiters     int       // number of requests that wait for the header or read the body
	readers     []*reader // readers in order of arrival
	isClosed    bool      // no request may join
	isAbandoned bool      // the first request ended before the header arrived
	remaining   int64     // bytes that the fetch may read without readers
	reserved    int64     // reserved bytes on disk
	isReleased  bool      // releaseBody has closed the body
	written     int64
	sum         uint64
	octets      []byte // the body, unless it is too long for memory
	done        bool
	failure     error // reason why the body is incomplete
	rest        io.ReadCloser
	restReader  *reader // reader of rest
}

// preferencesOf returns the header fields that must be equal in requests that wait for the same
// response header. Before the response header arrives, the Vary fields are unknown.
func preferencesOf(h http.Header) string {
	return fieldValue(h, "Accept") + "\n" + fieldValue(h, "Accept-Language") + "\n" + fieldValue(h, "Accept-Encoding")
}

// mode selects the requests that may use a fetch.
type mode uint8

const (
	sharedFetch     mode = iota // all requests for the same response
	singleFetch                 // only the request that started the fetch
	backgroundFetch             // no request, because the fetch only updates the store
)

// startFetch starts a fetch. The caller must hold s.mu.
func (t *transport) startFetch(req *http.Request, a *cacheRequest, storedHit hit, m mode) *fetch {
	s := t.s
	f := &fetch{
		s: s, t: t, key: a.key, url: a.url, preferences: preferencesOf(req.Header), req: req, cc: a.cc, storedHit: storedHit, mode: m,
		arrived: make(chan struct{}), waiters: 1, isClosed: m == singleFetch,
	}
	f.change.L = &f.mu
	if m == backgroundFetch {
		f.isAbandoned, f.waiters = true, 0
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(req.Context()))
	f.detach = context.AfterFunc(s.ctx, cancel)
	f.cancel = func() { f.detach(); cancel() }
	s.fetches[a.key] = append(s.fetches[a.key], f)
	s.work.Add(1)
	go f.run(ctx)
	return f
}

// abandon discards the response after the first request of the fetch has ended.
func (f *fetch) abandon() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.isAbandoned = true
	if f.resp != nil {
		f.resp.Body.Close()
	}
}

// unregister removes f from the fetches that other requests can join.
func (f *fetch) unregister() {
	s := f.s
	s.mu.Lock()
	defer s.mu.Unlock()
	list := slices.DeleteFunc(slices.Clone(s.fetches[f.key]), func(other *fetch) bool { return other == f })
	if len(list) == 0 {
		delete(s.fetches, f.key)
	} else {
		s.fetches[f.key] = list
	}
}

func (f *fetch) isReady() bool {
	select {
	case <-f.arrived:
		return true
	default:
		return false
	}
}

// join counts a waiting request, and returns false if the fetch is closed. If join returns true,
// the caller must later call leave.
func (f *fetch) join() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.isClosed {
		return false
	}
	f.waiters++
	return true
}

// leave removes a waiting request. After the last request, leave cancels the fetch, unless the rest
// of the body is short enough.
func (f *fetch) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiters--
	if f.waiters > 0 {
		return
	}
	if f.rest != nil {
		f.rest.Close()
	}
	if f.done || f.rest != nil {
		f.releaseBody()
		return
	}
	if f.mode == backgroundFetch {
		return
	}
	if !f.isReady() || f.meta == nil {
		f.isClosed = true
		f.cancel()
		return
	}
	f.remaining = f.s.o.PrefetchBytes
	toCome := int64(-1)
	if f.meta.size >= 0 {
		toCome = f.meta.size - f.written
	}
	if f.remaining < 0 || toCome > f.remaining {
		f.isClosed = true
		f.cancel()
		return
	}
	time.AfterFunc(prefetchTime, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.waiters == 0 && !f.done {
			f.isClosed = true
			f.cancel()
		}
	})
}

// releaseBody closes the body's file when no request can read the file any more. The caller
// must hold f.mu.
func (f *fetch) releaseBody() {
	if f.body != nil && !f.isReleased {
		f.isReleased = true
		f.body.release()
	}
}

// run sends the request. If the response may be stored, run also reads its body.
func (f *fetch) run(ctx context.Context) {
	defer f.s.work.Done()
	defer f.unregister()
	asked := f.s.now()
	resp, err := f.t.next.RoundTrip(f.request(ctx))
	if err != nil {
		f.err = err
		f.finishEmpty()
		return
	}
	if f.handleResponse(resp, asked) {
		f.copyBody(resp.Body)
	}
}

func (f *fetch) request(ctx context.Context) *http.Request {
	req := withoutFragment(f.req, ctx)
	validates := f.storedHit.entry != nil
	if f.mode != singleFetch || validates {
		delete(req.Header, "If-None-Match")
		delete(req.Header, "If-Modified-Since")
	}
	if f.mode != singleFetch || validates && !f.storedHit.meta.isHTTP {
		delete(req.Header, "Range")
		delete(req.Header, "If-Range")
	}
	if validates {
		f.storedHit.meta.addConditions(req.Header)
	}
	return req
}

// addConditions adds conditions to the request header h, so that the server sends the response only
// if it differs from the stored response m (RFC 9111 section 4.3.1).
func (m *meta) addConditions(h http.Header) {
	if m.etag != "" {
		h.Set("If-None-Match", m.etag)
	}
	if !m.modified.IsZero() {
		h.Set("If-Modified-Since", m.header.Get("Last-Modified"))
	}
}

// isSame reports whether a response validates the stored response. For http and https it
// follows the HTTP rules. For other schemes it compares all fields that distinguish
// versions.
func (m *meta) isSame(resp *http.Response) bool {
	tag := resp.Header.Get("Etag")
	if m.isHTTP {
		return m.canValidate() && resp.StatusCode == http.StatusNotModified && (tag == "" || m.etag == "" || matches(tag, m.etag))
	}
	if resp.StatusCode != m.status || resp.ContentLength != m.size || m.size < 0 || tag != m.etag {
		return false
	}
	return tag != "" || m.hasStrongDate() && resp.Header.Get("Last-Modified") == m.header.Get("Last-Modified")
}

// handleResponse examines the response header and wakes the waiting requests. It reports whether
// the caller must store the body.
func (f *fetch) handleResponse(resp *http.Response, sentAt time.Time) bool {
	s, came := f.s, f.s.now()
	if f.storedHit.entry != nil && f.storedHit.meta.isSame(resp) {
		resp.Body.Close()
		f.validated = s.updateMeta(f.url, f.storedHit.meta, f.req, resp, sentAt, came)
		s.renew(f.storedHit.entry, f.validated)
		f.finishEmpty()
		return false
	}
	if method(f.req) == http.MethodHead {
		f.compareHead(resp)
	}
	m := s.newMeta(f.url, f.req, resp, sentAt, came)
	if !m.mayStore(f.req, f.cc, resp) || !f.createBody(m) {
		if f.storedHit.entry != nil && resp.StatusCode < 500 {
			s.remove(f.storedHit.entry) // the server returned a new version
		}
		if f.mode != singleFetch {
			s.dontShare(f.key)
		}
		f.status = resp.StatusCode
		f.detach()
		f.mu.Lock()
		if f.isAbandoned {
			resp.Body.Close()
		} else {
			f.resp = resp
		}
		f.mu.Unlock()
		f.finishEmpty()
		return false
	}
	f.mu.Lock()
	f.meta = m
	close(f.arrived)
	alone := f.waiters == 0
	f.mu.Unlock()
	if alone { // the last request ended before f.meta was set
		f.join()
		f.leave()
	}
	return true
}

// finishEmpty ends a fetch without a body to store.
func (f *fetch) finishEmpty() {
	f.mu.Lock()
	f.isClosed, f.done = true, true
	close(f.arrived)
	passed := f.resp != nil
	f.mu.Unlock()
	if !passed {
		f.cancel()
	}
}

// createBody creates the file of the body, and reports whether it succeeded.
func (f *fetch) createBody(m *meta) bool {
	s := f.s
	if m.size > s.o.MaxObject {
		return false
	}
	s.mu.Lock()
	bad := f.isInvalid || s.closed || s.now().Before(s.pausedUntil)
	s.mu.Unlock()
	if bad || !f.reserveBody(max(0, m.size)) {
		return false
	}
	f.id = rand.Uint64()
	f.body = &body{path: s.pathOf(f.key, f.id), refs: 1}
	var err error
	if f.body.file, err = s.createBody(f.body.path); err != nil {
		f.body = nil
		s.reserve(-f.reserved)
		s.diskFailed(err)
		return false
	}
	return true
}

// reserveBody reserves disk space for a body of n bytes, and reports whether it succeeded.
func (f *fetch) reserveBody(n int64) bool {
	if n > f.s.o.MaxObject {
		return false
	}
	if n <= f.reserved {
		return true
	}
	n = min(n+n/8, f.s.o.MaxObject) // reserve more, to avoid a reservation for each chunk
	if !f.s.reserve(n - f.reserved) {
		return false
	}
	f.reserved = n
	return true
}

// reserve reserves n bytes on disk, and reports whether there is enough space. A negative n
// releases bytes.
func (s *Store) reserve(n int64) bool {
	s.mu.Lock()
	defer s.unlock()
	if n > 0 && !s.makeRoom(n) {
		return false
	}
	s.total += n
	s.reserved += n
	return true
}

const (
	// largeChunk is the read size after the first largeAfter bytes of a body.
	largeChunk = 256 << 10
	largeAfter = 1 << 20
)

var (
	chunks      = sync.Pool{New: func() any { return new([chunk]byte) }}
	largeChunks = sync.Pool{New: func() any { return new([largeChunk]byte) }}
)

// copyBody copies the body to the file.
func (f *fetch) copyBody(source io.ReadCloser) {
	small := chunks.Get().(*[chunk]byte)
	defer chunks.Put(small)
	buffer := small[:]
	for {
		n, err := source.Read(buffer)
		if n > 0 {
			if why := f.write(buffer[:n]); why != nil {
				f.passOn(bytes.Clone(buffer[:n]), source, why)
				return
			}
			if n == chunk && len(buffer) == chunk && f.written >= largeAfter {
				large := largeChunks.Get().(*[largeChunk]byte)
				defer largeChunks.Put(large)
				buffer = large[:]
			}
		}
		if err != nil {
			source.Close()
			if err == io.EOF {
				err = nil
				if f.meta.size >= 0 && f.written != f.meta.size {
					err = fmt.Errorf("cache: got %d of %d bytes: %w", f.written, f.meta.size, io.ErrUnexpectedEOF)
				}
			}
			f.finish(err)
			return
		}
	}
}

var errRoom = errors.New("the cache is full")

func (f *fetch) write(octets []byte) error {
	if f.meta.size >= 0 && f.written+int64(len(octets)) > f.meta.size {
		return errRoom // the body is longer than its Content-Length, so it is not stored
	}
	if !f.reserveBody(f.written + int64(len(octets))) {
		return errRoom
	}
	if n, err := f.body.file.Write(octets); err != nil || n < len(octets) {
		f.s.diskFailed(err)
		return fmt.Errorf("cache: %w", err)
	}
	f.sum = crcOfSmall(f.sum, octets, f.written)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.written+int64(len(octets)) <= smallSize {
		f.octets = append(f.octets, octets...)
	} else {
		f.octets = nil
	}
	f.written += int64(len(octets))
	f.change.Broadcast()
	if f.waiters == 0 && f.mode != backgroundFetch {
		if f.remaining -= int64(len(octets)); f.remaining < 0 {
			f.isClosed = true
			f.cancel()
		}
	}
	return nil
}

// crcOfSmall updates the checksum of a body. The parameter sum is the checksum of the first n
// bytes, and octets contains the next bytes. It returns zero if the body is not small.
func crcOfSmall(sum uint64, octets []byte, n int64) uint64 {
	if n+int64(len(octets)) > smallSize {
		return 0
	}
	return crc64.Update(sum, sumTable, octets)
}

// finish ends a fetch and stores the body if it is complete.
func (f *fetch) finish(err error) {
	s := f.s
	stored := false
	if err == nil {
		m := *f.meta
		m.size = f.written
		e := newEntry(f.key, f.id, &m, f.sum)
		e.body = f.body
		stored = s.commit(f, e, &m)
	} else {
		s.reserve(-f.reserved)
	}
	if !stored {
		s.removeBody(f.body)
	}
	f.mu.Lock()
	f.done, f.isClosed, f.failure = true, true, err
	f.change.Broadcast()
	if f.waiters == 0 {
		f.releaseBody()
	}
	f.mu.Unlock()
	f.cancel()
}

// removeBody removes a body that is not in the store. Readers may still have the file open.
func (s *Store) removeBody(b *body) {
	s.mu.Lock()
	s.removals = append(s.removals, b)
	s.unlock()
}

// passOn passes the rest of a body to its first reader, because the store can't store it. The
// prefix contains the bytes that were already read.
func (f *fetch) passOn(prefix []byte, source io.ReadCloser, cause error) {
	f.s.reserve(-f.reserved)
	f.s.removeBody(f.body)
	f.unregister() // no request may join
	f.s.dontShare(f.key)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.isClosed = true
	f.failure = errTooLarge
	if !errors.Is(cause, errRoom) {
		f.failure = cause
	}
	f.rest = &closingBody{Reader: io.MultiReader(bytes.NewReader(prefix), source), from: source, closed: f.cancel}
	if len(f.readers) > 0 {
		f.restReader = f.readers[0]
	} else if f.waiters == 0 {
		f.rest.Close()
		f.releaseBody()
	}
	f.change.Broadcast()
}

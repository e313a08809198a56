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
	// chunk is how much is read at once.
	chunk = 64 << 10
	// lingerTime is for how long, at most, an answer is fetched for which nobody waits.
	lingerTime = time.Minute
	// renewTime is how long it may take to renew an answer that was given already.
	renewTime = 10 * time.Minute
)

// errTooLarge is what a reader gets who shared an answer that turned out to be too
// large to be stored. One reader of each answer never does.
var errTooLarge = errors.New("cache: the answer turned out to be too large to be shared; asked again, it comes whole")

// flight is an answer that is being fetched for all who asked for it. First its
// header is waited for; then the body grows in a file, which all read.
type flight struct {
	s       *Store
	t       *transport
	key     key
	url     locus.URL // canonical
	prefers string    // what the request likes best, see prefers
	req     *http.Request
	cc      directives // of req
	old     hit        // the answer to be validated; nil entry: none
	cancel  context.CancelFunc

	ready chan struct{} // closed when what came is known
	// What came is one of: an error; an answer to be passed on to the one who asked
	// first; old, which is still right; an answer with a body to be stored.
	err       error
	resp      *http.Response
	status    int // of resp
	validated *meta
	meta      *meta

	invalid bool // must not be stored or joined; under the store's mutex

	id   uint64
	body *body

	mu         sync.Mutex
	change     sync.Cond
	waiting    int       // who waits for the header, or reads
	readers    []*reader // in order of arrival
	keep       bool      // to be fetched whether somebody waits or not
	over       bool      // nobody may join
	leaderless bool      // who asked first left before it was known what came
	left       int64     // what may yet be fetched while nobody waits
	promise    int64     // of the disk
	released   bool      // body is
	written    int64
	sum        uint64
	octets     []byte // of a body as long as it is small
	done       bool
	failure    error // why the body breaks off
	rest       io.ReadCloser
	heir       *reader // who reads rest
}

// prefers is what requests must have in common to wait for the header of the same
// answer: nobody knows yet what it will depend on.
func prefers(h http.Header) string {
	return fieldValue(h, "Accept") + "\n" + fieldValue(h, "Accept-Language") + "\n" + fieldValue(h, "Accept-Encoding")
}

// newFlight returns a flight that one waits for, and which others may join unless it
// is over. The store is locked.
func (t *transport) newFlight(a *asked, req *http.Request, over bool) *flight {
	f := &flight{over: over, s: t.s, t: t, key: a.key, url: a.url, prefers: prefers(req.Header), req: req, cc: a.cc, ready: make(chan struct{}), waiting: 1}
	f.change.L = &f.mu
	t.s.flights[a.key] = append(t.s.flights[a.key], f)
	return f
}

// land takes f out of the list that others look at.
func (f *flight) land() {
	s := f.s
	s.mu.Lock()
	defer s.mu.Unlock()
	list := slices.DeleteFunc(slices.Clone(s.flights[f.key]), func(other *flight) bool { return other == f })
	if len(list) == 0 {
		delete(s.flights, f.key)
	} else {
		s.flights[f.key] = list
	}
}

// isReady reports whether it is known what came.
func (f *flight) isReady() bool {
	select {
	case <-f.ready:
		return true
	default:
		return false
	}
}

// join reports whether one more may wait for f, who has to leave it again.
func (f *flight) join() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.over {
		return false
	}
	f.waiting++
	return true
}

// leave ends the waiting of one. Who leaves last ends the flight, unless there is so
// little to come that it is of more use to have it.
func (f *flight) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting--
	if f.waiting > 0 {
		return
	}
	if f.rest != nil {
		f.rest.Close()
	}
	if f.done || f.rest != nil {
		f.letGo()
		return
	}
	if f.keep {
		return
	}
	if !f.isReady() || f.meta == nil {
		f.over = true
		f.cancel()
		return
	}
	f.left = f.s.o.Linger
	toCome := int64(-1)
	if f.meta.size >= 0 {
		toCome = f.meta.size - f.written
	}
	if f.left < 0 || toCome > f.left {
		f.over = true
		f.cancel()
		return
	}
	time.AfterFunc(lingerTime, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.waiting == 0 && !f.done {
			f.over = true
			f.cancel()
		}
	})
}

// letGo closes the body for f itself, which has it open as long as somebody might
// want to read it. f.mu is held.
func (f *flight) letGo() {
	if f.body != nil && !f.released {
		f.released = true
		f.body.release()
	}
}

// fetch gets the answer and, if it may be stored, all of its body. ctx ends with f.
func (f *flight) fetch(ctx context.Context) {
	defer f.s.work.Done()
	defer f.land()
	asked := f.s.now()
	resp, err := f.t.next.RoundTrip(f.request(ctx))
	if err != nil {
		f.err = err
		f.end()
		return
	}
	if f.settle(resp, asked) {
		f.pump(resp.Body)
	}
}

// request is what the next RoundTripper is asked.
func (f *flight) request(ctx context.Context) *http.Request {
	req := withoutFragment(f.req, ctx)
	for _, name := range []string{"Range", "If-Range", "If-None-Match", "If-Modified-Since"} {
		req.Header.Del(name)
	}
	if f.old.entry != nil {
		f.old.meta.ask(req.Header)
	}
	return req
}

// ask makes a request one for the answer if it is another than m (RFC 9111 section
// 4.3.1).
func (m *meta) ask(h http.Header) {
	if m.etag != "" {
		h.Set("If-None-Match", m.etag)
	}
	if !m.modified.IsZero() {
		h.Set("If-Modified-Since", m.header.Get("Last-Modified"))
	}
}

// isSame reports whether an answer says that the stored one is still right: as HTTP
// does, or, where nobody can be asked, with all that tells versions apart.
func (m *meta) isSame(resp *http.Response) bool {
	tag := resp.Header.Get("Etag")
	if m.ruled {
		return m.canValidate() && resp.StatusCode == http.StatusNotModified && (tag == "" || m.etag == "" || matches(tag, m.etag))
	}
	if resp.StatusCode != m.status || resp.ContentLength != m.size || m.size < 0 || tag != m.etag {
		return false
	}
	return tag != "" || m.hasStrongDate() && resp.Header.Get("Last-Modified") == m.header.Get("Last-Modified")
}

// settle finds out what came, and tells those who wait. It reports whether there is
// a body to be stored.
func (f *flight) settle(resp *http.Response, asked time.Time) bool {
	s, came := f.s, f.s.now()
	if f.old.entry != nil && f.old.meta.isSame(resp) {
		resp.Body.Close()
		f.validated = s.freshened(f.url, f.old.meta, f.req, resp, asked, came)
		s.renew(f.old.entry, f.validated)
		f.end()
		return false
	}
	m := s.newMeta(f.url, f.req, resp, asked, came)
	if !m.mayStore(f.req, f.cc, resp) || !f.create(m) {
		if f.old.entry != nil && resp.StatusCode < 500 {
			s.forget(f.old.entry) // the server has another one now
		}
		s.mu.Lock()
		if len(s.pass) >= passMax {
			clear(s.pass)
		}
		s.pass[f.key] = came.Add(passTime)
		s.mu.Unlock()
		f.status = resp.StatusCode
		f.mu.Lock()
		if f.leaderless {
			resp.Body.Close()
		} else {
			f.resp = resp
		}
		f.mu.Unlock()
		f.end()
		return false
	}
	f.mu.Lock()
	f.meta = m
	close(f.ready)
	alone := f.waiting == 0
	f.mu.Unlock()
	if alone { // who waited left just now, and could not know
		f.join()
		f.leave()
	}
	return true
}

// end tells those who wait that there is nothing to be stored.
func (f *flight) end() {
	f.mu.Lock()
	f.over, f.done = true, true
	close(f.ready)
	passed := f.resp != nil
	f.mu.Unlock()
	if !passed {
		f.cancel()
	}
}

// create makes the file of the body.
func (f *flight) create(m *meta) bool {
	s := f.s
	if m.size > s.o.MaxObject {
		return false
	}
	s.mu.Lock()
	bad := f.invalid || s.closed || s.now().Before(s.mute)
	s.mu.Unlock()
	if bad || !f.grow(max(0, m.size)) {
		return false
	}
	f.id = rand.Uint64()
	f.body = &body{path: s.pathOf(f.key, f.id), refs: 1}
	var err error
	if f.body.file, err = s.create(f.body.path); err != nil {
		f.body = nil
		s.promise(-f.promise)
		s.failed(err)
		return false
	}
	return true
}

// grow has the store promise room for a body of n octets.
func (f *flight) grow(n int64) bool {
	if n > f.s.o.MaxObject {
		return false
	}
	if n <= f.promise {
		return true
	}
	n = min(n+n/8, f.s.o.MaxObject) // not for each piece
	if !f.s.promise(n - f.promise) {
		return false
	}
	f.promise = n
	return true
}

// promise makes room for n octets, or gives it back if n is less than 0.
func (s *Store) promise(n int64) bool {
	s.mu.Lock()
	defer s.unlock()
	if n > 0 && !s.makeRoom(n) {
		return false
	}
	s.total += n
	s.promised += n
	return true
}

const (
	// largeChunk is how much of a body is read at once when more than largeAfter of it
	// has come.
	largeChunk = 256 << 10
	largeAfter = 1 << 20
)

var (
	chunks      = sync.Pool{New: func() any { return new([chunk]byte) }}
	largeChunks = sync.Pool{New: func() any { return new([largeChunk]byte) }}
)

// pump writes the body into the file until it ends.
func (f *flight) pump(from io.ReadCloser) {
	small := chunks.Get().(*[chunk]byte)
	defer chunks.Put(small)
	buffer := small[:]
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			if why := f.write(buffer[:n]); why != nil {
				f.handOver(bytes.Clone(buffer[:n]), from, why)
				return
			}
			if n == chunk && len(buffer) == chunk && f.written >= largeAfter {
				large := largeChunks.Get().(*[largeChunk]byte)
				defer largeChunks.Put(large)
				buffer = large[:]
			}
		}
		if err != nil {
			from.Close()
			if err == io.EOF {
				err = nil
				if f.meta.size >= 0 && f.written != f.meta.size {
					err = fmt.Errorf("cache: %d octets of %d: %w", f.written, f.meta.size, io.ErrUnexpectedEOF)
				}
			}
			f.finish(err)
			return
		}
	}
}

var errRoom = errors.New("there is no room")

// write appends octets to the body, and tells those who read.
func (f *flight) write(octets []byte) error {
	if f.meta.size >= 0 && f.written+int64(len(octets)) > f.meta.size {
		return errRoom // more than there should be: nothing of that is kept
	}
	if !f.grow(f.written + int64(len(octets))) {
		return errRoom
	}
	if n, err := f.body.file.Write(octets); err != nil || n < len(octets) {
		f.s.failed(err)
		return fmt.Errorf("cache: %w", err)
	}
	f.sum = crcOfSmall(f.sum, octets, f.written)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.written+int64(len(octets)) <= small {
		f.octets = append(f.octets, octets...)
	} else {
		f.octets = nil
	}
	f.written += int64(len(octets))
	f.change.Broadcast()
	if f.waiting == 0 && !f.keep {
		if f.left -= int64(len(octets)); f.left < 0 {
			f.over = true
			f.cancel()
		}
	}
	return nil
}

// crcOfSmall goes on with the checksum of a body that has had n octets, as long as it
// is small.
func crcOfSmall(sum uint64, octets []byte, n int64) uint64 {
	if n+int64(len(octets)) > small {
		return 0
	}
	return crc64.Update(sum, sumTable, octets)
}

// finish ends a body, which is stored if it is whole.
func (f *flight) finish(err error) {
	s := f.s
	stored := false
	if err == nil {
		m := *f.meta
		m.size = f.written
		e := &entry{key: f.key, id: f.id, size: f.written, cost: cost(&m), sum: f.sum, body: f.body, slot: -1, hotSlot: -1}
		stored = s.commit(f, e, &m)
	} else {
		s.promise(-f.promise)
	}
	if !stored {
		s.remove(f.body)
	}
	f.mu.Lock()
	f.done, f.over, f.failure = true, true, err
	f.change.Broadcast()
	if f.waiting == 0 {
		f.letGo()
	}
	f.mu.Unlock()
	f.cancel()
}

// remove removes a body that is nobody's, even if it is read yet.
func (s *Store) remove(b *body) {
	s.mu.Lock()
	s.doomed = append(s.doomed, b)
	s.unlock()
}

// handOver gives what is still to come of a body to who reads it first, since the
// store can't hold it. first are octets that came already.
func (f *flight) handOver(first []byte, from io.ReadCloser, why error) {
	f.s.promise(-f.promise)
	f.s.remove(f.body)
	f.land() // nobody else joins
	f.s.mu.Lock()
	f.s.pass[f.key] = f.s.now().Add(passTime)
	f.s.mu.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = true
	f.failure = errTooLarge
	if !errors.Is(why, errRoom) {
		f.failure = why
	}
	f.rest = &rest{Reader: io.MultiReader(bytes.NewReader(first), from), from: from, f: f}
	if len(f.readers) > 0 {
		f.heir = f.readers[0]
	} else if f.waiting == 0 {
		f.rest.Close()
		f.letGo()
	}
	f.change.Broadcast()
}

// rest is what is to come of a body that is not stored.
type rest struct {
	io.Reader
	from io.Closer
	f    *flight
	once sync.Once
}

func (r *rest) Close() (err error) {
	r.once.Do(func() {
		err = r.from.Close()
		r.f.cancel()
	})
	return err
}

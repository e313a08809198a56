package cache

import (
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// opener opens the octets of a body from one on, up to another; -1: to the end.
type opener func(start, end int64) (io.ReadCloser, error)

// whole opens the body of an answer that is stored.
func (s *Store) whole(h hit) opener {
	return func(start, end int64) (io.ReadCloser, error) {
		if end < 0 {
			end = h.size
		}
		octets := h.octets
		if octets == nil && h.size <= small {
			var err error
			if octets, err = s.small(h.entry); err != nil {
				return nil, err
			}
		}
		if h.size <= small {
			return newOctets(octets[start:end]), nil
		}
		return newSection(h.body, start, end)
	}
}

// answer makes the answer to a request of what is stored, or being stored: m, with a
// body that open opens. Conditions and ranges of the request are looked at here (RFC
// 9110 section 13.2.2). Without an error, open was called once or not at all.
//
// An answer that is being fetched has only one reader for each request: with simple,
// several ranges are answered with the whole.
func (s *Store) answer(req *http.Request, m *meta, w how, simple bool, open opener) (resp *http.Response, opened bool, err error) {
	now := s.now()
	resp = &http.Response{
		StatusCode: m.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: m.header.Clone(), Body: http.NoBody, ContentLength: m.size, Request: requestFor(req, m),
	}
	age := m.currentAge(now)
	if w.fwd == "" || w.fwd == fwdStale && !w.stored || age >= time.Second {
		resp.Header["Age"] = []string{ageText(age)}
	}
	resp.Header["Cache-Status"] = append(resp.Header["Cache-Status"], s.cacheStatus(w, m, now))
	start, end := int64(0), int64(-1)
	switch {
	case m.status == http.StatusOK && m.isUnchanged(req.Header):
		resp.StatusCode = http.StatusNotModified
		for _, name := range []string{"Content-Length", "Content-Type", "Content-Encoding", "Content-Range"} {
			delete(resp.Header, name)
		}
		resp.ContentLength = 0
	case method(req) == http.MethodHead:
	case m.status == http.StatusOK && m.size >= 0 && req.Header["Range"] != nil && m.mayRange(req.Header):
		list, ok := parseRange(strings.Join(req.Header["Range"], ","), m.size)
		switch {
		case !ok, simple && len(list) > 1:
			resp.Body, err = open(0, -1)
		case len(list) == 0:
			resp.StatusCode, resp.ContentLength = http.StatusRequestedRangeNotSatisfiable, 0
			for _, name := range []string{"Content-Type", "Content-Encoding", "Etag", "Last-Modified"} {
				delete(resp.Header, name)
			}
			resp.Header.Set("Content-Range", "bytes */"+strconv.FormatInt(m.size, 10))
			resp.Header.Set("Content-Length", "0")
			resp.Status = statusText(resp.StatusCode)
			return resp, false, nil
		case len(list) == 1:
			start, end = list[0].start, list[0].end
			resp.StatusCode, resp.ContentLength = http.StatusPartialContent, end-start
			resp.Header.Set("Content-Range", list[0].contentRange(m.size))
			resp.Body, err = open(start, end)
		default:
			parts := newMultipart(list, m.size, m.header.Get("Content-Type"))
			resp.StatusCode, resp.ContentLength = http.StatusPartialContent, parts.length
			resp.Header.Set("Content-Type", parts.contentType)
			resp.Body = &several{parts: parts, list: list, open: open}
			// Nothing is opened yet, and what can't be opened shows only then: so the
			// first part is opened, as the answers with one are.
			err = resp.Body.(*several).next()
		}
		opened = true
	default:
		resp.Body, err = open(0, -1)
		opened = true
	}
	if err != nil {
		return nil, false, err
	}
	if m.size >= 0 && resp.StatusCode != http.StatusNotModified {
		resp.Header["Content-Length"] = []string{strconv.FormatInt(resp.ContentLength, 10)}
	}
	resp.Status = statusText(resp.StatusCode)
	return resp, opened, nil
}

func statusText(code int) string {
	if code == http.StatusOK {
		return "200 OK"
	}
	return strconv.Itoa(code) + " " + http.StatusText(code)
}

// requestFor is req or, where a referral led elsewhere, one with that URL, as the
// answer would have had it.
func requestFor(req *http.Request, m *meta) *http.Request {
	if m.ruled {
		return req
	}
	at := m.header.Get("Content-Location")
	if at == "" {
		return req
	}
	to, err := url.Parse(at)
	if err != nil {
		return req
	}
	req = req.WithContext(req.Context()) // a copy
	req.URL = to
	return req
}

// several is a body of several ranges.
type several struct {
	parts multipart
	list  []span
	open  opener
	i     int // the next part
	head  *strings.Reader

	mu      sync.Mutex
	current io.ReadCloser
	closed  bool
}

// next goes on to the next part, or to what is behind all.
func (b *several) next() (err error) {
	var body io.ReadCloser
	if b.i < len(b.list) {
		b.head = strings.NewReader(b.parts.heads[b.i])
		if body, err = b.open(b.list[b.i].start, b.list[b.i].end); err != nil {
			return err
		}
	} else {
		b.head = strings.NewReader(b.parts.tail)
	}
	b.i++
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.current != nil {
		b.current.Close()
	}
	b.current = body
	if b.closed && body != nil {
		body.Close()
	}
	return nil
}

// now is the part that is read.
func (b *several) now() (current io.ReadCloser, closed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.current, b.closed
}

// Read implements [io.Reader].
func (b *several) Read(p []byte) (int, error) {
	for {
		current, closed := b.now()
		switch {
		case closed:
			return 0, http.ErrBodyReadAfterClose
		case b.head.Len() > 0:
			return b.head.Read(p)
		case current == nil:
			return 0, io.EOF
		}
		if n, err := current.Read(p); n > 0 || err != io.EOF {
			return n, err
		}
		if err := b.next(); err != nil {
			return 0, err
		}
	}
}

// Close implements [io.Closer].
func (b *several) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	if b.current != nil {
		return b.current.Close()
	}
	return nil
}

// gatewayTimeout is the answer to who wants only what is stored (RFC 9111 section
// 5.2.1.7).
func (s *Store) gatewayTimeout(req *http.Request) *http.Response {
	const text = "It is not in the cache, and the request allows nothing else (Cache-Control: only-if-cached).\n"
	resp := &http.Response{
		Status: statusText(http.StatusGatewayTimeout), StatusCode: http.StatusGatewayTimeout,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: req,
		Header:        http.Header{"Content-Type": {"text/plain; charset=utf-8"}, "Content-Length": {strconv.Itoa(len(text))}},
		ContentLength: int64(len(text)),
		Body:          io.NopCloser(strings.NewReader(text)),
	}
	if method(req) == http.MethodHead {
		resp.Body = http.NoBody
	}
	resp.Header.Set("Cache-Status", s.name+"; detail=only-if-cached")
	return resp
}

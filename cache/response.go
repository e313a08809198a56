package cache

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// openFunc opens the bytes of a body from the offset start to the offset end. If end is -1, it
// opens all bytes from start.
type openFunc func(start, end int64) (io.ReadCloser, error)

func (s *Store) opener(h hit) openFunc {
	return func(start, end int64) (body io.ReadCloser, err error) {
		if h.size > smallSize {
			return readStored(h.body, h.size, start, end)
		}
		if end < 0 {
			end = h.size
		}
		octets := h.octets
		if octets == nil {
			if octets, err = s.readSmall(h.entry); err != nil {
				return nil, err
			}
		}
		return io.NopCloser(bytes.NewReader(octets[start:end])), nil
	}
}

// respond returns the response to a request. The header comes from m, and the body comes from
// openBody. It evaluates the conditions and ranges of the request (RFC 9110 section 13.2.2). If
// simple is true, respond returns the whole body for several ranges, because a running fetch has
// one reader per request. The result isOpened reports whether respond called openBody.
func (s *Store) respond(req *http.Request, m *meta, w outcome, simple bool, openBody openFunc) (resp *http.Response, isOpened bool, err error) {
	now := s.now()
	resp = &http.Response{
		StatusCode: m.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: m.header.Clone(), Body: http.NoBody, ContentLength: m.size, Request: req,
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
			resp.Body, err = openBody(0, -1)
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
			resp.Body, err = openBody(start, end)
		default:
			parts, err := openParts(list, m, openBody)
			if err != nil {
				return nil, false, err
			}
			resp.StatusCode, resp.ContentLength, resp.Body = http.StatusPartialContent, parts.length, parts
			resp.Header.Set("Content-Type", parts.contentType)
		}
		isOpened = true
	default:
		resp.Body, err = openBody(0, -1)
		isOpened = true
	}
	if err != nil {
		return nil, false, err
	}
	if m.size >= 0 && resp.StatusCode != http.StatusNotModified {
		resp.Header["Content-Length"] = []string{strconv.FormatInt(resp.ContentLength, 10)}
	}
	resp.Status = statusText(resp.StatusCode)
	return resp, isOpened, nil
}

func statusText(code int) string {
	if code == http.StatusOK {
		return "200 OK"
	}
	return strconv.Itoa(code) + " " + http.StatusText(code)
}

// gatewayTimeout returns the response to a request that accepts only stored responses (RFC
// 9111 section 5.2.1.7).
func (s *Store) gatewayTimeout(req *http.Request) *http.Response {
	const text = "Not in the cache, and the request allows only cached responses (Cache-Control: only-if-cached).\n"
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
	resp.Header.Set("Cache-Status", statusName+"; detail=only-if-cached")
	return resp
}

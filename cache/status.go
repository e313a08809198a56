package cache

import (
	"net/http"
	"strconv"
	"time"
)

// statusName is the store's name in Cache-Status (RFC 9211 section 2).
const statusName = "locus"

// These constants are the reasons why the store forwarded a request (RFC 9211 section 2.2).
const (
	fwdBypass  = "bypass"
	fwdMethod  = "method"
	fwdMiss    = "uri-miss"
	fwdVary    = "vary-miss"
	fwdRequest = "request"
	fwdStale   = "stale"
	fwdPartial = "partial"
)

// outcome describes the source of a response.
type outcome struct {
	fwd       string // reason why the request was forwarded; empty if it was not forwarded
	status    int    // status of the next RoundTripper's response, if different
	stored    bool
	collapsed bool
}

// cacheStatus formats the header field Cache-Status (RFC 9211 section 2). The parameter m is nil if
// the response is not from the store.
func (s *Store) cacheStatus(w outcome, m *meta, now time.Time) string {
	b := make([]byte, 0, 64)
	b = append(b, statusName...)
	if w.fwd == "" {
		b = append(b, "; hit"...)
	} else {
		b = append(append(b, "; fwd="...), w.fwd...)
	}
	if w.status != 0 {
		b = strconv.AppendInt(append(b, "; fwd-status="...), int64(w.status), 10)
	}
	if w.stored {
		b = append(b, "; stored"...)
	}
	if w.collapsed {
		b = append(b, "; collapsed"...)
	}
	if m != nil {
		b = strconv.AppendInt(append(b, "; ttl="...), int64(m.lifetime/time.Second-m.currentAge(now)/time.Second), 10)
	}
	return string(b)
}

func (s *Store) mark(resp *http.Response, w outcome) *http.Response {
	if resp.Header == nil {
		resp.Header = make(http.Header)
	}
	resp.Header.Add("Cache-Status", s.cacheStatus(w, nil, time.Time{}))
	return resp
}

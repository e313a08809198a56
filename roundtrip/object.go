package roundtrip

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/locus-url/locus/scheme"
)

// setRange asks for the range of the request if it extends to the end of the object:
// no other can be served.
func (q *query) setRange() {
	digits, ok := strings.CutPrefix(q.req.Header.Get("Range"), "bytes=")
	if !ok {
		return
	}
	digits, ok = strings.CutSuffix(digits, "-")
	offset, err := strconv.ParseUint(digits, 10, 63)
	if !ok || err != nil {
		return
	}
	switch version := q.req.Header.Get("If-Range"); {
	case version == "":
	case isStrong(version):
		q.access.Tag, q.conditional = version, true
	default:
		date, err := http.ParseTime(version)
		if err != nil {
			return // no version has that name
		}
		q.access.ModTime, q.conditional = date, true
	}
	q.access.Offset = int64(offset)
}

// isStrong reports whether text is a strong entity tag (RFC 9110 section 8.8.3).
func isStrong(text string) bool {
	return len(text) >= 2 && text[0] == '"' && strings.IndexByte(text[1:], '"') == len(text)-2 &&
		!strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7F })
}

func (q *query) object(o *scheme.Object) *http.Response {
	if at := q.access.Offset; at > 0 && !q.conditional && o.Size >= 0 && at >= o.Size {
		o.Close()
		resp := message(q.req, http.StatusRequestedRangeNotSatisfiable, fmt.Sprintf("there are %d octets", o.Size))
		resp.Header.Set("Content-Range", fmt.Sprintf("bytes */%d", o.Size))
		return resp
	}
	resp := newResponse(q.req, http.StatusOK)
	if o.Start > 0 {
		resp = newResponse(q.req, http.StatusPartialContent)
		resp.Header.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", o.Start, o.Size-1, o.Size))
	}
	h := resp.Header
	h.Set("Content-Type", cmp.Or(o.Type, "application/octet-stream"))
	if o.Type == "" {
		h.Set("X-Content-Type-Options", "nosniff")
	}
	if o.Encoding != "" {
		h.Set("Content-Encoding", o.Encoding)
	}
	if !o.ModTime.IsZero() {
		h.Set("Last-Modified", o.ModTime.UTC().Format(http.TimeFormat))
	}
	if isStrong(o.Tag) {
		h.Set("ETag", o.Tag)
	}
	length := o.Size
	if length >= 0 {
		length -= o.Start
	}
	setLength(resp, length)
	resp.Body = o.Body
	return resp
}

// setLength sets the length of the body; -1: unknown.
func setLength(resp *http.Response, n int64) {
	resp.ContentLength = n
	if n >= 0 {
		resp.Header.Set("Content-Length", strconv.FormatInt(n, 10))
	}
}

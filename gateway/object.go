package gateway

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/locus-url/locus/scheme"
)

// An access client can read an object from an offset. In HTTP, the client sends the header fields
// Range and If-Range to read a range.

// setRange sets the offset of the request if the client requests a range up to the end of the
// object. It does not support other ranges. The result conditional reports whether the range
// applies only to a certain version of the object.
func (req *fetchRequest) setRange() (conditional bool) {
	digits, ok := strings.CutPrefix(req.fields.Get("Range"), "bytes=")
	if !ok {
		return false
	}
	digits, ok = strings.CutSuffix(digits, "-")
	offset, err := strconv.ParseUint(digits, 10, 63)
	if !ok || err != nil {
		return false
	}
	version := req.fields.Get("If-Range")
	switch {
	case version == "":
	case isStrong(version):
		req.Tag = version
	default:
		date, err := http.ParseTime(version)
		if err != nil {
			return false // no version matches this tag or date
		}
		req.ModTime = date
	}
	req.Offset = int64(offset)
	return version != ""
}

// isStrong reports whether text is a strong entity tag (RFC 9110 section 8.8.3).
func isStrong(text string) bool {
	return len(text) >= 2 && text[0] == '"' && strings.IndexByte(text[1:], '"') == len(text)-2 &&
		!strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7F })
}

// describe returns the HTTP status and header fields for an object.
func describe(o *scheme.Object) (status int, h http.Header) {
	status, h = http.StatusOK, make(http.Header)
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
	if o.Start > 0 {
		status = http.StatusPartialContent
		h.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", o.Start, o.Size-1, o.Size))
	}
	if o.Size >= 0 {
		h.Set("Content-Length", strconv.FormatInt(o.Size-o.Start, 10))
	}
	return status, h
}

// unsatisfiable closes the object o. It returns the response for a range that begins after the end
// of the object.
func unsatisfiable(o *scheme.Object) (tooShort *scheme.Object, status int, h http.Header) {
	o.Close()
	text := fmt.Sprintf("the resource has only %d bytes\n", o.Size)
	tooShort = &scheme.Object{URL: o.URL, Type: "text/plain; charset=utf-8", Size: int64(len(text)), Body: io.NopCloser(strings.NewReader(text))}
	_, h = describe(tooShort)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Range", fmt.Sprintf("bytes */%d", o.Size))
	return tooShort, http.StatusRequestedRangeNotSatisfiable, h
}

package cache

import (
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// byteRange is the range of bytes from start to end, excluding end.
type byteRange struct{ start, end int64 }

// maxRanges is the maximum number of ranges in a request. A request with more ranges gets
// the whole response, as RFC 9110 section 14.2 allows.
const maxRanges = 16

// parseRange parses the Range header for a response of size bytes (RFC 9110 section
// 14.1.2). The result ok is false if the caller must ignore the header. This is the case if
// its unit is not bytes, it is malformed, or it contains too many ranges. If ok is true, an
// empty list means that no range is satisfiable. parseRange joins ranges that overlap or
// touch.
func parseRange(text string, size int64) (list []byteRange, ok bool) {
	unit, set, found := strings.Cut(text, "=")
	if !found || !strings.EqualFold(strings.TrimSpace(unit), "bytes") {
		return nil, false
	}
	n := 0
	for part := range strings.SplitSeq(set, ",") {
		part = strings.Trim(part, " \t")
		if part == "" {
			continue
		}
		if n++; n > maxRanges {
			return nil, false
		}
		s, valid := parseSpan(part, size)
		if !valid {
			return nil, false
		}
		if s.start < s.end {
			list = append(list, s)
		}
	}
	return join(list), n > 0
}

// parseSpan parses one range. A range that begins after the end of the response is empty.
func parseSpan(text string, size int64) (s byteRange, ok bool) {
	first, last, ok := strings.Cut(text, "-")
	if !ok {
		return s, false
	}
	if first == "" {
		n, ok := position(last)
		return byteRange{max(0, size-n), size}, ok
	}
	s.start, ok = position(first)
	if !ok {
		return s, false
	}
	s.end = size
	if last != "" {
		n, ok := position(last)
		if !ok || n < s.start {
			return s, false
		}
		s.end = min(size, n+1)
	}
	return s, true
}

// position parses an offset. It replaces a number that is too large by the maximum.
func position(text string) (n int64, ok bool) {
	for i := range len(text) {
		c := text[i]
		if c < '0' || c > '9' {
			return 0, false
		}
		n = min(n*10+int64(c-'0'), 1<<58)
	}
	return n, text != ""
}

// join joins ranges that overlap or touch. It preserves the order of the other ranges (RFC 9110
// section 15.3.7.2).
func join(list []byteRange) []byteRange {
	for i := 0; i < len(list); i++ {
		for j := i + 1; j < len(list); j++ {
			if list[j].start <= list[i].end && list[i].start <= list[j].end {
				list[i] = byteRange{min(list[i].start, list[j].start), max(list[i].end, list[j].end)}
				list = slices.Delete(list, j, j+1)
				j = i // the joined range may touch other ranges
			}
		}
	}
	return list
}

func (s byteRange) contentRange(size int64) string {
	return fmt.Sprintf("bytes %d-%d/%d", s.start, s.end-1, size)
}

// multiBody is a response body with several ranges (RFC 9110 section 14.6).
type multiBody struct {
	io.Reader
	parts       []io.Closer
	contentType string
	length      int64
}

// openParts opens all ranges in list. The ranges share one file descriptor.
func openParts(list []byteRange, m *meta, open openFunc) (*multiBody, error) {
	boundary := rand.Text()
	b := &multiBody{contentType: "multipart/byteranges; boundary=" + boundary}
	var readers []io.Reader
	add := func(text string) {
		readers = append(readers, strings.NewReader(text))
		b.length += int64(len(text))
	}
	lineEnd := ""
	for _, r := range list {
		body, err := open(r.start, r.end)
		if err != nil {
			b.Close()
			return nil, err
		}
		b.parts = append(b.parts, body)
		head := lineEnd + "--" + boundary + "\r\n"
		if t := m.header.Get("Content-Type"); t != "" {
			head += "Content-Type: " + t + "\r\n"
		}
		add(head + "Content-Range: " + r.contentRange(m.size) + "\r\n\r\n")
		readers = append(readers, body)
		b.length += r.end - r.start
		lineEnd = "\r\n"
	}
	add("\r\n--" + boundary + "--\r\n")
	b.Reader = io.MultiReader(readers...)
	return b, nil
}

func (b *multiBody) Close() error {
	for _, part := range b.parts {
		part.Close()
	}
	return nil
}

// mayRange evaluates If-Range (RFC 9110 section 13.1.5) and reports whether a request may
// get a range. A resource with "Accept-Ranges: none" does not support ranges.
func (m *meta) mayRange(h http.Header) bool {
	if !m.isHTTP && m.header.Get("Accept-Ranges") == "none" {
		return false
	}
	text := h.Get("If-Range")
	switch {
	case text == "":
		return true
	case strings.HasPrefix(text, `"`):
		return text == m.etag // strong comparison
	case strings.HasPrefix(text, "W/"):
		return false
	}
	at, err := http.ParseTime(text)
	return err == nil && m.hasStrongDate() && at.Equal(m.modified)
}

func isConditional(h http.Header) bool {
	return h["If-None-Match"] != nil || h["If-Modified-Since"] != nil
}

// isUnchanged reports whether the client already has the response (RFC 9110 section 13.2.2;
// RFC 9111 section 4.3.2).
func (m *meta) isUnchanged(h http.Header) bool {
	if lines := h["If-None-Match"]; lines != nil {
		for _, line := range lines {
			if matches(line, m.etag) {
				return true
			}
		}
		return false
	}
	text := h.Get("If-Modified-Since")
	at, err := http.ParseTime(text)
	if err != nil {
		return false
	}
	since := m.modified
	if since.IsZero() {
		since = m.date
	}
	return !since.IsZero() && !since.Truncate(time.Second).After(at)
}

// matches reports whether a list of entity tags contains tag, by weak comparison (RFC 9110
// section 8.8.3.2).
func matches(list, tag string) bool {
	if strings.TrimSpace(list) == "*" {
		return true
	}
	tag = strings.TrimPrefix(tag, "W/")
	for list != "" && tag != "" {
		list = strings.TrimPrefix(strings.TrimLeft(list, " \t,"), "W/")
		if !strings.HasPrefix(list, `"`) {
			return false
		}
		end := strings.IndexByte(list[1:], '"')
		if end < 0 {
			return false
		}
		if list[:end+2] == tag {
			return true
		}
		list = list[end+2:]
	}
	return false
}

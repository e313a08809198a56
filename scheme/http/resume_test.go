package http

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus/scheme"
)

const digits = "0123456789"

var (
	when  = time.Date(1994, 12, 20, 10, 0, 0, 0, time.UTC)
	later = when.Add(time.Hour)
)

// serveRanges starts a server that serves ranges of digits, with the given entity-tag and
// modification time.
func serveRanges(t *testing.T, tag string, modified time.Time) (base string, seen *[]http.Header) {
	t.Helper()
	seen = new([]http.Header)
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		*seen = append(*seen, r.Header)
		if tag != "" {
			w.Header().Set("ETag", tag)
		}
		http.ServeContent(w, r, "x.txt", modified, strings.NewReader(digits))
	}), seen
}

func TestResume(t *testing.T) {
	for _, c := range []struct {
		name     string
		tag      string
		modified time.Time
		req      scheme.Request
		start    int64
		requests int
		ifRange  string
	}{
		{"by tag", `"v1"`, when, scheme.Request{Offset: 4, Tag: `"v1"`, ModTime: when}, 4, 1, `"v1"`},
		{"by time", "", when, scheme.Request{Offset: 4, ModTime: when.Add(time.Millisecond)}, 4, 1, when.Format(http.TimeFormat)},
		{"by nothing", "", when, scheme.Request{Offset: 4}, 4, 1, ""},
		{"weak tag is of no use", `W/"v1"`, when, scheme.Request{Offset: 4, Tag: `W/"v1"`, ModTime: when}, 4, 1, when.Format(http.TimeFormat)},
		{"tag changed", `"v2"`, when, scheme.Request{Offset: 4, Tag: `"v1"`}, 0, 1, `"v1"`},
		{"time changed", "", later, scheme.Request{Offset: 4, ModTime: when}, 0, 1, when.Format(http.TimeFormat)},
		{"all there", `"v1"`, when, scheme.Request{Offset: 10, Tag: `"v1"`}, 10, 1, `"v1"`},
		{"more than there is", `"v1"`, when, scheme.Request{Offset: 11, Tag: `"v1"`}, 0, 2, ""},
		{"all there of another", `"v2"`, when, scheme.Request{Offset: 10, Tag: `"v1"`}, 0, 1, `"v1"`},
	} {
		base, seen := serveRanges(t, c.tag, c.modified)
		o := getObject(t, base, func(r *scheme.Request) { r.Offset, r.Tag, r.ModTime = c.req.Offset, c.req.Tag, c.req.ModTime })
		text, err := io.ReadAll(o.Body)
		if err != nil || o.Start != c.start || o.Size != 10 || string(text) != digits[c.start:] {
			t.Errorf("%s: from %d of %d: %q, %v", c.name, o.Start, o.Size, text, err)
		}
		if len(*seen) != c.requests {
			t.Errorf("%s: %d requests", c.name, len(*seen))
		}
		first, last := (*seen)[0], (*seen)[len(*seen)-1]
		if first.Get("Range") != fmt.Sprintf("bytes=%d-", c.req.Offset) || first.Get("Accept-Encoding") != "identity" {
			t.Errorf("%s: sent %v", c.name, first)
		}
		if last.Get("If-Range") != c.ifRange {
			t.Errorf("%s: If-Range %q", c.name, last.Get("If-Range"))
		}
	}
}

// The client must reject a range other than the requested range.
func TestWrongRanges(t *testing.T) {
	for _, c := range []struct {
		name, header, body string
		restart            bool // the client must request the whole object again
		size               int64
		bad                bool
	}{
		{"right", "Content-Range: bytes 4-9/10\r\nContent-Length: 6", digits[4:], false, 10, false},
		{"without a length", "Content-Range: bytes 4-9/10", digits[4:], false, 10, false},
		{"of unknown size", "Content-Range: bytes 4-9/*\r\nContent-Length: 6", digits[4:], false, -1, false},
		{"another start", "Content-Range: bytes 3-9/10\r\nContent-Length: 7", digits[3:], false, 0, true},
		{"from 0", "Content-Range: bytes 0-9/10\r\nContent-Length: 10", digits, false, 0, true},
		{"not to the end", "Content-Range: bytes 4-7/10\r\nContent-Length: 4", digits[4:8], false, 0, true},
		{"another length", "Content-Range: bytes 4-9/10\r\nContent-Length: 5", digits[5:], false, 0, true},
		{"backwards", "Content-Range: bytes 4-3/4\r\nContent-Length: 0", "", false, 0, true},
		{"no range", "Content-Length: 6", digits[4:], false, 0, true},
		{"no number", "Content-Range: bytes 4-+9/10", digits[4:], false, 0, true},
		{"several", "Content-Type: multipart/byteranges; boundary=x", "--x", false, 0, true},
		{"another tag", "ETag: \"v2\"\r\nContent-Range: bytes 4-9/10\r\nContent-Length: 6", "abcdef", true, 10, false},
		{"another time", "Last-Modified: " + later.Format(http.TimeFormat) + "\r\nContent-Range: bytes 4-9/10\r\nContent-Length: 6", "abcdef", true, 10, false},
		{"octets of a coding", "Content-Encoding: gzip\r\nContent-Range: bytes 4-9/10\r\nContent-Length: 6", "abcdef", true, 10, false},
	} {
		base, requests := serveRaw(t, func(request string) string {
			if !strings.Contains(request, "\r\nRange: ") {
				return "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n" + digits
			}
			return "HTTP/1.1 206 Partial Content\r\n" + c.header + "\r\n\r\n" + c.body
		})
		r, err := openURL(t, base, func(r *scheme.Request) {
			r.Offset, r.ModTime = 4, when
			if strings.HasPrefix(c.header, "ETag") {
				r.Tag = `"v1"`
			}
		})
		if c.bad {
			if !errors.Is(err, scheme.ErrProtocol) {
				t.Errorf("%s: %v, %v", c.name, r, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		o := r.(*scheme.Object)
		text, err := io.ReadAll(o.Body)
		if err != nil || o.Size != c.size || string(text) != digits[o.Start:] || (o.Start == 0) != c.restart || (len(requests()) == 2) != c.restart {
			t.Errorf("%s: from %d of %d: %q, %v", c.name, o.Start, o.Size, text, err)
		}
	}
}

func TestCutPart(t *testing.T) {
	base, _ := serveRaw(t, respondWith("HTTP/1.1 206 Partial Content", "Content-Range: bytes 4-9/10", "", "456"))
	o := getObject(t, base, func(r *scheme.Request) { r.Offset = 4 })
	if text, err := io.ReadAll(o.Body); !errors.Is(err, scheme.ErrProtocol) || !strings.Contains(err.Error(), "got 3 of 6") {
		t.Errorf("%q, %v", text, err)
	}
}

func TestUnsatisfiableResponses(t *testing.T) {
	for name, c := range map[string]struct {
		header  string
		restart bool
	}{
		"complete":        {"Content-Range: bytes */4\r\n", false},
		"shorter now":     {"Content-Range: bytes */3\r\n", true},
		"longer":          {"Content-Range: bytes */5\r\n", true},
		"says nothing":    {"", true},
		"says nonsense":   {"Content-Range: lines */4\r\n", true},
		"unknown":         {"Content-Range: bytes */*\r\n", true},
		"another version": {"Content-Range: bytes */4\r\nETag: \"v2\"\r\n", true},
	} {
		base, _ := serveRaw(t, func(request string) string {
			if !strings.Contains(request, "\r\nRange: ") {
				return "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n" + digits
			}
			return "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Type: text/html\r\n" + c.header + "Content-Length: 3\r\n\r\nno!"
		})
		o := getObject(t, base, func(r *scheme.Request) { r.Offset, r.Tag = 4, `"v1"` })
		text, err := io.ReadAll(o.Body)
		want := scheme.Object{Start: 4, Size: 4}
		whole := ""
		if c.restart {
			want, whole = scheme.Object{Start: 0, Size: 10}, digits
		}
		if err != nil || string(text) != whole || o.Start != want.Start || o.Size != want.Size || o.Type == "text/html" {
			t.Errorf("%s: %q, %v, %+v", name, text, err, o)
		}
	}
}

func TestLimitOfAPart(t *testing.T) {
	base, _ := serveRanges(t, `"v1"`, when)
	part := func(limit int64) func(*scheme.Request) {
		return func(r *scheme.Request) { r.Offset, r.Limit = 4, limit }
	}
	if _, err := openURL(t, base, part(9)); !errors.Is(err, scheme.ErrTooLarge) {
		t.Errorf("limit 9: %v", err)
	}
	if text, err := io.ReadAll(getObject(t, base, part(10)).Body); string(text) != digits[4:] || err != nil {
		t.Errorf("limit 10: %q, %v", text, err)
	}
	base, _ = serveRaw(t, respondWith("HTTP/1.1 206 Partial Content", "Content-Range: bytes 4-9/*", "", digits[4:]))
	if text, err := io.ReadAll(getObject(t, base, part(7)).Body); string(text) != "456" || !errors.Is(err, scheme.ErrTooLarge) {
		t.Errorf("unknown size, limit 7: %q, %v", text, err)
	}
	if _, err := openURL(t, base, part(4)); !errors.Is(err, scheme.ErrTooLarge) {
		t.Errorf("unknown size, limit 4: %v", err)
	}
}

func FuzzParseRange(f *testing.F) {
	for _, s := range []string{"bytes 0-9/10", "bytes */10", "bytes 4-9/*", "bytes -1-2/3", "Bytes 9-0/1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, ok := parseRange(text)
		if !ok {
			return
		}
		if r.first < -1 || r.last < -1 || r.total < -1 || (r.first < 0) != (r.last < 0) || r.first < 0 && r.total < 0 {
			t.Errorf("%q: %+v", text, r)
		}
	})
}

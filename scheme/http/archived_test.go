package http

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/schemetest"
)

const responseType = "application/http; msgtype=response"

func readArchived(t *testing.T, text string) (scheme.Resource, error) {
	t.Helper()
	return Scheme(nil).Access.Archived(locus.MustParse("http://h.example/a/b"), responseType, io.NopCloser(strings.NewReader(text)))
}

func TestArchivedObject(t *testing.T) {
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write([]byte("hello"))
	w.Close()
	for name, text := range map[string]string{
		"length":         "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nETag: \"a\"\r\nContent-Length: 5\r\n\r\nhello",
		"to the end":     "HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\nETag: \"a\"\r\n\r\nhello",
		"chunks":         "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nETag: \"a\"\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n\r\n",
		"joined chunks":  "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nETag: \"a\"\r\nTransfer-Encoding: chunked\r\n\r\nhello",
		"gzip":           "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nETag: \"a\"\r\nContent-Encoding: gzip\r\n\r\n" + z.String(),
		"HTTP/2":         "HTTP/2 200\r\nContent-Type: text/plain\r\nETag: \"a\"\r\n\r\nhello",
		"HTTP/2 in text": "HTTP/2.0 200 OK\r\nContent-Type: text/plain\r\nETag: \"a\"\r\n\r\nhello",
	} {
		res, err := readArchived(t, text)
		o, ok := res.(*scheme.Object)
		if err != nil || !ok {
			t.Errorf("%s: %T, %v", name, res, err)
			continue
		}
		if got, err := io.ReadAll(o.Body); string(got) != "hello" || err != nil || o.Type != "text/plain" || o.Tag != `"a"` || o.Encoding != "" {
			t.Errorf("%s: %q, %v, %+v", name, got, err, o)
		}
	}
	res, err := readArchived(t, "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(res.(*scheme.Object).Body); string(got) != "hello" || !errors.Is(err, scheme.ErrProtocol) {
		t.Errorf("cut: %q, %v", got, err)
	}
}

func TestArchivedStatus(t *testing.T) {
	res, err := readArchived(t, "HTTP/1.1 301 Moved\r\nLocation: ../c\r\n\r\n")
	if r, ok := res.(*scheme.Redirect); err != nil || !ok || !r.Permanent || r.To[0].String() != "http://h.example/c" {
		t.Errorf("%+v, %v", res, err)
	}
	for text, want := range map[string]error{
		"HTTP/1.1 404 Not Found\r\n\r\n":   scheme.ErrNotFound,
		"HTTP/1.1 403 Forbidden\r\n\r\nno": scheme.ErrAuth,
		"HTTP/1.1 500 Oops\r\n\r\n":        scheme.ErrProtocol,
		"HTTP/1.1 302 Found\r\n\r\n":       scheme.ErrProtocol,
		"SSH-2.0\r\n":                      scheme.ErrProtocol,
		"":                                 scheme.ErrProtocol,
		"HTTP/1.1 200 OK\r\n" + strings.Repeat("A: b\r\n", maxHeader): scheme.ErrProtocol,
	} {
		if res, err := readArchived(t, text); !errors.Is(err, want) {
			t.Errorf("%.40q: %+v, %v", text, res, err)
		}
	}
}

// FuzzArchived checks that any archived bytes result in a resource or an error, and that the
// reader is closed.
func FuzzArchived(f *testing.F) {
	f.Add(responseType, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello")
	f.Add(responseType, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n0\r\n\r\n")
	f.Add(responseType, "HTTP/2 301\r\nLocation: /x\r\n\r\n")
	f.Add("text/html", "<p>")
	f.Fuzz(func(t *testing.T, mediaType, octets string) {
		schemetest.ReadArchived(t, Scheme(nil), locus.MustParse("http://h/"), mediaType, []byte(octets))
	})
}

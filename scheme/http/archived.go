package http

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/archived"
	"github.com/locus-url/locus/scheme"
)

// readArchived implements Access.Archived. The media type application/http means that the body
// contains a whole response. readArchived then returns the same result as Open: an object, a
// redirect, or the error for the response status. Otherwise the bytes are an object.
func (c *Client) readArchived(u locus.URL, mediaType string, body io.ReadCloser) (scheme.Resource, error) {
	if essence, _, _ := mime.ParseMediaType(mediaType); essence != "application/http" {
		return archived.Object(scheme.Object{URL: u, Type: mediaType}, body), nil
	}
	resp, err := readResponse(body)
	if err != nil {
		body.Close()
		return nil, fmt.Errorf("http: %w: %w", scheme.ErrProtocol, quoted{err})
	}
	v := newOperation(&Client{options: c.options}, &scheme.Request{URL: u})
	res, err := v.resource(&response{Response: resp})
	if err != nil {
		return nil, fmt.Errorf("http: %w", err)
	}
	return res, nil
}

// readResponse reads the header of an archived response. Some archives modify the responses
// that they store. The status line may say HTTP/2, and a chunked body may be stored without
// its chunk headers.
func readResponse(body io.ReadCloser) (*http.Response, error) {
	limited := &headLimit{Reader: body, remaining: maxHeader}
	in := bufio.NewReader(limited)
	if version, _ := in.Peek(len("HTTP/2 ")); string(version) == "HTTP/2 " {
		_, _ = in.Discard(len(version))
		in = bufio.NewReader(io.MultiReader(strings.NewReader("HTTP/1.1 "), in))
	}
	resp, err := http.ReadResponse(in, &http.Request{Method: http.MethodGet})
	if err != nil {
		return nil, err
	}
	limited.remaining = -1
	if len(resp.TransferEncoding) > 0 && !isChunk(in) {
		resp.Body, resp.ContentLength = io.NopCloser(in), -1
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{resp.Body, body}
	return resp, nil
}

// isChunk reports whether the next line is the size of a chunk.
func isChunk(in *bufio.Reader) bool {
	const longest = 16
	head, _ := in.Peek(longest)
	line, _, ok := bytes.Cut(head, []byte("\n"))
	size, _, _ := bytes.Cut(line, []byte(";"))
	_, err := strconv.ParseUint(string(bytes.TrimSpace(size)), 16, 64)
	return (ok || len(size) < len(line)) && err == nil
}

// headLimit limits the number of bytes that can be read. If remaining is -1, there is no
// limit.
type headLimit struct {
	io.Reader
	remaining int
}

func (l *headLimit) Read(p []byte) (int, error) {
	if l.remaining == 0 {
		return 0, fmt.Errorf("the header has more than %d bytes", maxHeader)
	}
	if l.remaining > 0 {
		p = p[:min(len(p), l.remaining)]
	}
	n, err := l.Reader.Read(p)
	if l.remaining > 0 {
		l.remaining -= n
	}
	return n, err
}

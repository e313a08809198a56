package warc

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// Payload is the data that a record transferred. A Payload is the body of an HTTP response,
// or the block of a resource record.
type Payload struct {
	Status int    // HTTP status; 0 if the record is not a response
	Type   string // media type as sent by the server; empty if unknown
	// Encoding lists the content codings of the data in the order in which they were
	// applied, such as "gzip".
	Encoding string
	io.Reader
}

// Payload returns the payload of a response, resource or conversion record, without the
// HTTP header and chunk headers. The result ok is false for other records, and for a
// response that is not an HTTP response.
func (r *Record) Payload() (p Payload, ok bool) {
	switch r.Type {
	case "resource", "conversion":
		return Payload{Type: r.Get("Content-Type"), Reader: r}, true
	case "response":
	default:
		return p, false
	}
	limited := &headLimit{r: r, remaining: maxHeader}
	in := bufio.NewReader(limited)
	resp, err := http.ReadResponse(in, &http.Request{Method: http.MethodGet})
	if err != nil {
		return p, false
	}
	limited.remaining = -1
	p = Payload{
		Status:   resp.StatusCode,
		Type:     resp.Header.Get("Content-Type"),
		Encoding: strings.ToLower(strings.Join(resp.Header.Values("Content-Encoding"), ", ")),
		Reader:   in, // ends with the block, regardless of the Content-Length
	}
	if len(resp.TransferEncoding) > 0 && isChunk(in) {
		p.Reader = resp.Body
	}
	return p, true
}

// isChunk reports whether the input begins with a chunk size. Some programs that write archives
// preserve the Transfer-Encoding field, but remove the chunks.
func isChunk(in *bufio.Reader) bool {
	const longest = 16
	head, _ := in.Peek(longest)
	line, _, ok := bytes.Cut(head, []byte("\n"))
	size, _, _ := bytes.Cut(line, []byte(";"))
	_, err := strconv.ParseUint(string(bytes.TrimSpace(size)), 16, 64)
	return (ok || len(size) < len(line)) && err == nil
}

// headLimit is a reader that limits the number of bytes to remaining. If remaining is -1,
// there is no limit.
type headLimit struct {
	r         io.Reader
	remaining int
}

func (l *headLimit) Read(p []byte) (int, error) {
	if l.remaining == 0 {
		return 0, ErrLimit
	}
	if l.remaining > 0 {
		p = p[:min(len(p), l.remaining)]
	}
	n, err := l.r.Read(p)
	if l.remaining > 0 {
		l.remaining -= n
	}
	return n, err
}

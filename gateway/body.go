package gateway

import (
	"io"
	"net/http"
	"time"
)

// bodyTime is how long a client may take for the whole of what it sends to the
// gateway itself, and for each piece of what is passed on.
const bodyTime = 60 * time.Second

// timedBody is the body of a client's request. The time for it has begun.
type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
	patient bool // each piece has the time anew
}

// timed returns r with the time for its body begun.
func timed(w http.ResponseWriter, r *http.Request) *http.Request {
	if r.Body == nil || r.Body == http.NoBody {
		return r
	}
	copied := r.WithContext(r.Context()) // the server looks at the Body of its own
	b := &timedBody{ReadCloser: r.Body, control: http.NewResponseController(w)}
	b.begin()
	copied.Body = b
	return copied
}

// begin begins the time.
func (b *timedBody) begin() {
	// An error means that the connection has no deadlines: then it is a test's.
	_ = b.control.SetReadDeadline(time.Now().Add(bodyTime))
}

func (b *timedBody) Read(p []byte) (int, error) {
	if b.patient {
		b.begin()
	}
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		// Package net/http reads on, to see whether the client is still there, and would
		// take the end of that time for the client's.
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

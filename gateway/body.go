package gateway

import (
	"io"
	"net/http"
	"time"
)

// bodyTime is how long a client may take to send a body to the gateway itself. For a forwarded
// body, bodyTime limits one Read.
const bodyTime = 60 * time.Second

// timedBody is the body of a client's request, with a deadline.
type timedBody struct {
	io.ReadCloser
	control  *http.ResponseController
	perPiece bool // each Read extends the deadline
}

// withBodyDeadline returns a copy of r whose body has a deadline.
func withBodyDeadline(w http.ResponseWriter, r *http.Request) *http.Request {
	if r.Body == nil || r.Body == http.NoBody {
		return r
	}
	copied := r.WithContext(r.Context()) // net/http uses the Body of r
	b := &timedBody{ReadCloser: r.Body, control: http.NewResponseController(w)}
	b.setDeadline()
	copied.Body = b
	return copied
}

// setDeadline sets the deadline for reading.
func (b *timedBody) setDeadline() {
	// SetReadDeadline fails only on connections without deadlines, which only tests have.
	_ = b.control.SetReadDeadline(time.Now().Add(bodyTime))
}

func (b *timedBody) Read(p []byte) (int, error) {
	if b.perPiece {
		b.setDeadline()
	}
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		// Package net/http continues to read, so that it notices when the client disconnects. An
		// expired deadline would look like a disconnect.
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

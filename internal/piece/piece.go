// Package piece copies response bodies without a buffer in the program. This requires an operating
// system that can move bytes directly from a connection to another connection or to a file.
package piece

import (
	"errors"
	"io"
	"time"
)

// Time is the maximum time that CopyPiece waits for a whole piece. On a slower connection, Read is
// better, because it returns the bytes that have already arrived.
const Time = 100 * time.Millisecond

// Copier is a response body that may be able to copy its bytes to a writer without a buffer. If
// CopyPiece returns ErrUnsupported, it has copied nothing, and the caller must continue with Read.
type Copier interface {
	// CopyPiece copies up to n bytes to w, and returns the number of copied bytes. If fewer
	// bytes arrive within Time, it copies these bytes and returns no error. At the end of the
	// body, it returns io.EOF. After any other error, which may come from w or from the body,
	// the caller must stop copying.
	//
	// If CopyPiece returns without an error after a deadline of w, the caller must stop,
	// because w may have lost bytes.
	CopyPiece(w io.Writer, n int64) (int64, error)
}

// Copy calls r.CopyPiece if r implements [Copier].
func Copy(w io.Writer, r any, n int64) (int64, error) {
	if c, ok := r.(Copier); ok {
		return c.CopyPiece(w, n)
	}
	return 0, errors.ErrUnsupported
}

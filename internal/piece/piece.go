// Package piece copies bodies without a buffer in the program, if the operating system can move
// the bytes that arrive on a connection to another connection or to a file.
package piece

import (
	"errors"
	"io"
	"time"
)

// Time is how long CopyPiece waits for a whole piece. For a slower connection, Read is better,
// because it returns the bytes that have arrived.
const Time = 100 * time.Millisecond

// Copier is a body that may be able to copy its bytes to a writer without a buffer. After
// ErrUnsupported, which means that nothing was copied, the caller must continue with Read.
type Copier interface {
	// CopyPiece copies up to n bytes to w, and returns their number. If fewer bytes
	// arrive within Time, it copies these bytes and returns no error. At the end of the
	// body it returns io.EOF. Any other error, from w or from the body, ends the body.
	//
	// If a deadline of w may have passed when CopyPiece returns without an error, the caller
	// must give up, because w may have lost bytes.
	CopyPiece(w io.Writer, n int64) (int64, error)
}

// Copy calls CopyPiece if r implements it.
func Copy(w io.Writer, r any, n int64) (int64, error) {
	if c, ok := r.(Copier); ok {
		return c.CopyPiece(w, n)
	}
	return 0, errors.ErrUnsupported
}

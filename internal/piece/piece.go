// Package piece copies bodies without a buffer of the program, where the operating system
// can move the bytes that arrive at one connection to another, or to a file.
package piece

import (
	"errors"
	"io"
	"time"
)

// Time is how long CopyPiece waits for a whole piece. A slower connection is better served by
// Read, which returns what has arrived.
const Time = 100 * time.Millisecond

// Copier is a body that may be able to copy itself. After ErrUnsupported, which means that
// nothing was copied, the caller must continue with Read.
type Copier interface {
	// CopyPiece copies up to n bytes to w. It returns fewer without an error if they did
	// not arrive within Time, and with io.EOF at the end. Any other error ends the body,
	// whether it is the error of w or its own.
	//
	// If a deadline of w may have passed when CopyPiece returns without an error, the
	// caller must give up: w may have lost bytes.
	CopyPiece(w io.Writer, n int64) (int64, error)
}

// Copy calls CopyPiece, if r has that method.
func Copy(w io.Writer, r any, n int64) (int64, error) {
	if c, ok := r.(Copier); ok {
		return c.CopyPiece(w, n)
	}
	return 0, errors.ErrUnsupported
}

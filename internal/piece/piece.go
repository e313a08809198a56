// Package piece copies bodies without a buffer of the program, where the operating system
// can move what arrives at one connection to another.
package piece

import (
	"errors"
	"io"
)

// Copier is a body that may be able to copy itself. After ErrUnsupported, which means that
// nothing was copied, Read goes on.
type Copier interface {
	// CopyPiece copies n bytes to w, or less at the end, where the error is io.EOF. Any
	// other error ends the body, whether it is that of w or its own.
	CopyPiece(w io.Writer, n int64) (int64, error)
}

// Copy calls CopyPiece, if r has that method.
func Copy(w io.Writer, r any, n int64) (int64, error) {
	if c, ok := r.(Copier); ok {
		return c.CopyPiece(w, n)
	}
	return 0, errors.ErrUnsupported
}

package scheme

import (
	"errors"
	"fmt"
	"io"

	"github.com/locus-url/locus/internal/piece"
)

// Limit returns a reader that reads at most limit bytes from body. Reading a longer body fails
// with an error that wraps [ErrTooLarge]. A limit of zero means no limit.
func Limit(body io.ReadCloser, limit int64) io.ReadCloser {
	if limit <= 0 {
		return body
	}
	return &limited{ReadCloser: body, left: limit, limit: limit}
}

type limited struct {
	io.ReadCloser
	left, limit int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left < 0 {
		return 0, l.tooLarge()
	}
	// Read requests one byte more than the limit, to detect a body that is too long.
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1]
	}
	n, err := l.ReadCloser.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return n - 1, l.tooLarge()
	}
	return n, err
}

// CopyPiece implements [piece.Copier].
func (l *limited) CopyPiece(w io.Writer, n int64) (int64, error) {
	if n > l.left {
		return 0, errors.ErrUnsupported // the caller then uses Read, which detects a body that is too long
	}
	m, err := piece.Copy(w, l.ReadCloser, n)
	l.left -= m
	return m, err
}

func (l *limited) tooLarge() error {
	return fmt.Errorf("scheme: %w: more than %d bytes", ErrTooLarge, l.limit)
}

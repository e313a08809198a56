package scheme

import (
	"fmt"
	"io"
)

// Limit returns body with an end at limit octets: if there is one more, reading
// ends in an error that wraps [ErrTooLarge] and never short. 0: no limit.
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
	// One octet more than is left tells an object that ends here from one that
	// goes on.
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1]
	}
	n, err := l.ReadCloser.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return n - 1, l.tooLarge()
	}
	return n, err
}

func (l *limited) tooLarge() error {
	return fmt.Errorf("scheme: %w: more than %d octets", ErrTooLarge, l.limit)
}

package access

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"
)

// slowly is a writer to which so many times only one octet came before the deadline.
type slowly struct {
	io.Writer
	times int
}

func (s *slowly) ReadFrom(io.Reader) (int64, error) {
	if s.times == 0 {
		return 0, os.ErrDeadlineExceeded
	}
	s.times--
	return 1, os.ErrDeadlineExceeded
}

// A server that is slow, but never silent for long, is not cut off in the middle of a
// piece; one that is silent is.
func TestCopyPieceSlowly(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	tcp, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	c := &conn{Conn: tcp, idle: time.Minute}
	if n, err := c.CopyPiece(&slowly{times: 8}, 1<<20); n != 8 || err == nil || errors.Is(err, io.EOF) {
		t.Errorf("%d octets: %v", n, err)
	}
	if n, err := c.CopyPiece(&slowly{times: 8}, 8); n != 8 || err == nil {
		t.Errorf("%d octets: %v", n, err)
	}
}

package access

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"
)

// sink is a writer with a ReadFrom method, as a connection has.
type sink struct {
	bytes.Buffer
	fail error
}

func (s *sink) ReadFrom(r io.Reader) (int64, error) {
	if s.fail != nil {
		return 0, s.fail
	}
	return s.Buffer.ReadFrom(r)
}

func pieceConns(t *testing.T) (c *conn, server net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	tcp, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tcp.Close() })
	if server, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return &conn{Conn: tcp, idle: time.Minute}, server
}

// A piece that does not arrive soon ends early, without an error and without a loss. The
// next Read waits as long as any other Read. So the client does not disconnect a slow
// server in the middle of a piece.
func TestCopyPieceSlowly(t *testing.T) {
	for _, idle := range []time.Duration{0, time.Minute} {
		c, server := pieceConns(t)
		c.idle = idle
		var w sink
		for got := 0; got < 10; {
			if n, err := c.CopyPiece(&w, 20); n != 0 || err != nil {
				t.Fatalf("%d octets of a silent server: %v", n, err)
			}
			io.WriteString(server, "01234")
			for want := got + 5; got < want; {
				n, err := c.CopyPiece(&w, 20)
				if err != nil {
					t.Fatal(err)
				}
				got += int(n)
			}
		}
		read := make(chan error)
		go func() {
			b := make([]byte, 1)
			_, err := c.Read(b)
			w.Write(b)
			read <- err
		}()
		if n, err := io.WriteString(server, "x"); n != 1 || err != nil {
			t.Fatal(err)
		}
		if err := <-read; err != nil || w.String() != "0123401234x" {
			t.Errorf("%q, %v", w.String(), err)
		}
		io.WriteString(server, "end")
		server.Close()
		if n, err := c.CopyPiece(&w, 20); n != 3 || err != io.EOF {
			t.Errorf("the end: %d octets, %v", n, err)
		}
	}
}

// If the caller's deadline is before the deadline of a piece, the caller's deadline
// applies.
func TestCopyPieceDeadline(t *testing.T) {
	c, server := pieceConns(t)
	c.idle = 0
	io.WriteString(server, "0123456789")
	var w sink
	for w.Len() < 10 {
		if _, err := c.CopyPiece(&w, int64(10-w.Len())); err != nil {
			t.Fatal(err)
		}
	}
	c.SetReadDeadline(time.Now().Add(-time.Second))
	if n, err := c.CopyPiece(&w, 1); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("after the caller's deadline: %d octets, %v", n, err)
	}
}

// If the writer fails, the copy returns the error of the writer.
func TestCopyPieceWriter(t *testing.T) {
	c, _ := pieceConns(t)
	full := errors.New("full")
	if n, err := c.CopyPiece(&sink{fail: full}, 1); n != 0 || !errors.Is(err, full) {
		t.Errorf("%d octets: %v", n, err)
	}
	if _, err := c.CopyPiece(struct{ io.Writer }{io.Discard}, 1); !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
}

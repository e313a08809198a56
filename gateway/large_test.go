package gateway_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/locus-url/locus/scheme/ftp/ftptest"
)

// A large file arrives complete, and never exceeds its Content-Length. The client would
// read extra bytes as the next response.
func TestLargeFile(t *testing.T) {
	const size = 6<<20 + 13
	want := make([]byte, size)
	for i := range want {
		want[i] = ftptest.Octet(int64(i))
	}
	for _, c := range []struct {
		name  string
		fault ftptest.Fault
		long  int // announced length
		got   int // maximum received length
	}{
		{"honest", ftptest.Fault{}, size, size},
		{"grown", ftptest.Fault{Replies: map[string]string{"SIZE": "213 5000000\r\n"}}, 5_000_000, 5_000_000},
		{"grown by a large piece", ftptest.Fault{Replies: map[string]string{"SIZE": fmt.Sprintf("213 %d\r\n", 4<<20)}}, 4 << 20, 4 << 20},
		{"shrunk", ftptest.Fault{Replies: map[string]string{"SIZE": "213 9000000\r\n"}}, 9_000_000, size},
		{"cut off", ftptest.Fault{Cut: 5 << 20}, size, 5 << 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := ftptest.Start(ftptest.Files{"large": {Size: size}}, &ftptest.Options{Fault: c.fault})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			w := start(t, loopbackSetup)
			conn, err := net.Dial("tcp", w.addr)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprintf(conn, "GET ftp://%s/large HTTP/1.1\r\nHost: %[1]s\r\n\r\n", f.Addr())
			r := bufio.NewReader(conn)
			resp, err := http.ReadResponse(r, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(resp.Body)
			if resp.ContentLength != int64(c.long) || len(got) > c.got || !bytes.Equal(got, want[:len(got)]) {
				t.Errorf("%d octets of %d, %v", len(got), resp.ContentLength, err)
			}
			if (err == nil) != (len(got) == c.long) || err != nil && c.name == "honest" {
				t.Errorf("%d octets of %d, %v", len(got), c.long, err)
			}
			if c.name == "honest" {
				return
			}
			conn.(*net.TCPConn).CloseWrite()
			if rest, _ := io.ReadAll(r); len(rest) > 0 {
				t.Errorf("%d octets follow the response", len(rest))
			}
		})
	}
}

package ftp

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// scriptedConn is a connection on which the server sends a fixed text, regardless of the
// commands, and then closes the connection.
type scriptedConn struct {
	net.Conn
	text io.Reader
	sent *strings.Builder
}

func (c *scriptedConn) Read(p []byte) (int, error)      { return c.text.Read(p) }
func (c *scriptedConn) Write(p []byte) (int, error)     { return c.sent.Write(p) }
func (c *scriptedConn) Close() error                    { return nil }
func (c *scriptedConn) SetReadDeadline(time.Time) error { return nil }
func (c *scriptedConn) RemoteAddr() net.Addr {
	return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 21}
}
func (c *scriptedConn) LocalAddr() net.Addr              { return c.RemoteAddr() }
func (c *scriptedConn) SetDeadline(time.Time) error      { return nil }
func (c *scriptedConn) SetWriteDeadline(time.Time) error { return nil }

// scriptedDialer returns scriptedConns. A connection to the host h is a control connection,
// and a connection to an IP address is a data connection.
type scriptedDialer struct {
	replies, data string
	sent          strings.Builder
	dials         int
}

func (d *scriptedDialer) DialContext(_ context.Context, _, addr string) (net.Conn, error) {
	d.dials++
	text := d.data
	if addr == "h:21" {
		text = d.replies
	}
	return &scriptedConn{text: strings.NewReader(text), sent: &d.sent}, nil
}

const loggedIn = "220 Hi\r\n230 In\r\n"

// FuzzPipelined checks the client with arbitrary replies, which need not match the commands.
// An open must return after a few connections. If an object is read without an error, it must
// contain the bytes of its data connection, and at least as many as the server announced.
func FuzzPipelined(f *testing.F) {
	const (
		first  = "200 Type\r\n213 4\r\n213 20010909014640\r\n229 x (|||2000|)\r\n150 Go\r\n226 Done\r\n229 x (|||2001|)\r\n"
		second = "213 4\r\n213 20010909014640\r\n150 Go\r\n226 Done\r\n229 x (|||2002|)\r\n"
	)
	for _, replies := range []string{
		first + second + second,
		strings.Replace(first, "226", "150 Go\r\n226", 1) + second,
		strings.Replace(first, "226 Done", "226 Done\r\n226 Done", 1) + second,
		strings.Replace(first, "229 x (|||2001|)", "450 Busy", 1) + "213 4\r\n213 20010909014640\r\n227 1,2,3,4,5,6\r\n150 Go\r\n226 Done\r\n",
		strings.Replace(first, "150 Go", "550 No", 1) + "250 In\r\n" + second,
		"200 Type\r\n500 What\r\n500 What\r\n229 x (|||2000|)\r\n150 Go\r\n226 Done\r\n150 Go\r\n226 Done\r\n",
		"200 Type\r\n" + "213-" + strings.Repeat("a\r\n", 230) + "213 4\r\n",
		"421 Too many\r\n", "",
	} {
		f.Add(replies, "data")
	}
	f.Fuzz(func(t *testing.T, replies, data string) {
		d := &scriptedDialer{replies: loggedIn + replies, data: data}
		c := New(&Options{MaxReply: 1 << 10})
		defer c.Close()
		const files = 3
		for i := range files {
			for _, path := range []string{"/a", "/b%20c"}[:1+i%2] {
				res, err := c.Open(t.Context(), &scheme.Request{URL: locus.MustParse("ftp://h:21" + path), Dial: d, More: true})
				if err != nil {
					continue
				}
				o := res.(*scheme.Object)
				body, err := io.ReadAll(o.Body)
				if err == nil && (string(body) != data || o.Size > int64(len(data))) {
					t.Errorf("%q of %d octets without an error: %q", body, o.Size, replies)
				}
				res.Close()
			}
		}
		// An attempt may dial the control connection, and data connections for EPSV, PASV and
		// an old offer. After the first attempt, there may be another attempt with single
		// commands, and one for each reused connection.
		if d.dials > 12*files {
			t.Errorf("%d connections", d.dials)
		}
		for command := range strings.SplitAfterSeq(d.sent.String(), "\n") {
			verb, _, _ := strings.Cut(strings.TrimRight(command, "\r\n"), " ")
			switch verb {
			case "USER", "PASS", "TYPE", "SIZE", "MDTM", "EPSV", "PASV", "RETR", "CWD", "":
			default:
				t.Errorf("sent %q", command)
			}
		}
	})
}

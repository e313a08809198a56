package gateway

import (
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/locus-url/locus"
)

const (
	// tunnelIdle is how long a tunnel may be idle in both directions.
	tunnelIdle = 5 * time.Minute
	// tunnelChunk is the size of the buffer for each direction in bytes.
	tunnelChunk = 16 << 10
)

// serveConnect opens a tunnel for CONNECT, if the port and the policy allow it.
func (g *Gateway) serveConnect(w *recorder, r *http.Request) (err error) {
	host, port := splitHost(r.RequestURI)
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 || host == "" {
		return &problem{http.StatusBadRequest, "syntax", "CONNECT needs a host and a port, as in example.com:443"}
	}
	u, err := locus.Parse("https://" + net.JoinHostPort(host, port) + "/")
	if err != nil {
		return err
	}
	w.url = u
	switch {
	case g.isSelf(r, host, uint16(n)):
		return &problem{http.StatusForbidden, "denied", "CONNECT to the gateway itself is not allowed"}
	case !slices.Contains(g.options.ConnectPorts, uint16(n)):
		return &problem{http.StatusForbidden, "denied", "CONNECT is allowed only to " + g.connectText()}
	}
	observed := g.observe(r.Context(), u)
	defer func() { observed.End(err) }()
	dialer, err := g.client.DialerFor(u, g.originResult(u))
	if err != nil {
		return err
	}
	leave, ok := g.limiter.enterHost(u)
	if !ok {
		return errBusy
	}
	defer leave()
	ctx, end, ok := g.sessions.begin()
	if !ok {
		return errClosing
	}
	defer end()
	server, err := dialer.DialContext(r.Context(), "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return err
	}
	defer server.Close()
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return &problem{http.StatusNotImplemented, "unsupported", "CONNECT requires HTTP/1"}
	}
	defer client.Close()
	stop := context.AfterFunc(ctx, func() {
		client.Close()
		server.Close()
	})
	defer stop()
	w.status = http.StatusOK
	client.SetDeadline(time.Now().Add(writeTime))
	if _, err := client.Write([]byte("HTTP/1.1 200 Connection established\r\n\r\n")); err != nil {
		w.broken = err
		return nil
	}
	// The client may have sent data before it received the response.
	head, _ := buffered.Reader.Peek(buffered.Reader.Buffered())
	if _, err := server.Write(head); err != nil {
		w.broken = err
		return nil
	}
	w.octets += tunnel(client, server)
	return nil
}

func (g *Gateway) connectText() string {
	if slices.Equal(g.options.ConnectPorts, []uint16{443}) {
		return "port 443"
	}
	return "the ports that the operator configured"
}

// tunnel copies data in both directions. It ends when one end has closed the connection and the
// other end has received all data. It also ends when both directions are idle. It returns the
// number of bytes sent to the client.
func tunnel(client, server net.Conn) (toClient int64) {
	extend := func() {
		end := time.Now().Add(tunnelIdle)
		client.SetDeadline(end)
		server.SetDeadline(end)
	}
	var wg sync.WaitGroup
	wg.Go(func() { copyConn(server, client, extend) })
	toClient = copyConn(client, server, extend)
	wg.Wait()
	return toClient
}

// copyConn copies data from src to dst until EOF. Then it closes the writing side of dst. After an
// error it closes both connections. It calls extend before each read.
func copyConn(dst, src net.Conn, extend func()) int64 {
	n, err := io.CopyBuffer(struct{ io.Writer }{dst}, extendingReader{src, extend}, make([]byte, tunnelChunk))
	if half, ok := dst.(interface{ CloseWrite() error }); err != nil || !ok || half.CloseWrite() != nil {
		dst.Close()
		src.Close()
	}
	return n
}

// extendingReader calls extend before each Read.
type extendingReader struct {
	from   io.Reader
	extend func()
}

func (r extendingReader) Read(p []byte) (int, error) {
	r.extend()
	return r.from.Read(p)
}

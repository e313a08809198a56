package gateway

import (
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/locus-url/locus"
)

const (
	// tunnelIdle is how long a tunnel may be silent, in both directions.
	tunnelIdle = 5 * time.Minute
	// tunnelChunk is how much of a tunnel is held at once, for each direction.
	tunnelChunk = 16 << 10
)

// serveConnect answers CONNECT: it makes a tunnel to a host, at a port that may be
// had and through the same policy as everything else.
func (g *Gateway) serveConnect(w *recorder, r *http.Request) {
	host, port := splitHost(r.RequestURI)
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 || host == "" {
		g.fail(w, r, http.StatusBadRequest, "syntax", "CONNECT asks for a host and a port")
		return
	}
	u, err := locus.Parse("https://" + net.JoinHostPort(host, port) + "/")
	if err != nil {
		g.failAccess(w, r, err)
		return
	}
	w.url = u
	switch {
	case g.isSelf(r, host, uint16(n)):
		g.fail(w, r, http.StatusForbidden, "denied", "CONNECT does not lead to the gateway itself")
		return
	case !g.connect[uint16(n)]:
		g.fail(w, r, http.StatusForbidden, "denied", "CONNECT leads to "+g.connectText()+" alone")
		return
	}
	way, err := g.client.Way(u, g.from(u))
	if err != nil {
		g.failAccess(w, r, err)
		return
	}
	leave, ok := g.limiter.enterHost(u)
	if !ok {
		g.failAccess(w, r, errBusy)
		return
	}
	defer leave()
	ctx, end, ok := g.sessions.begin(context.WithoutCancel(r.Context()))
	if !ok {
		g.fail(w, r, http.StatusServiceUnavailable, "busy", "the gateway ends")
		return
	}
	defer end()
	far, err := way.DialContext(r.Context(), "tcp", net.JoinHostPort(host, port))
	if err != nil {
		g.failAccess(w, r, err)
		return
	}
	defer far.Close()
	near, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		g.fail(w, r, http.StatusNotImplemented, "unsupported", "CONNECT needs HTTP/1")
		return
	}
	defer near.Close()
	stop := context.AfterFunc(ctx, func() {
		near.Close()
		far.Close()
	})
	defer stop()
	w.status = http.StatusOK
	near.SetDeadline(time.Now().Add(writeTime))
	if _, err := near.Write([]byte("HTTP/1.1 200 Connection established\r\n\r\n")); err != nil {
		w.broken = err
		return
	}
	// What the client sent before it was told to is in the buffer.
	head, _ := buffered.Reader.Peek(buffered.Reader.Buffered())
	if _, err := far.Write(head); err != nil {
		w.broken = err
		return
	}
	w.octets += tunnel(near, far)
}

func (g *Gateway) connectText() string {
	if len(g.connect) == 1 && g.connect[443] {
		return "port 443"
	}
	return "some ports"
}

// tunnel copies both ways until one end closes and the other has got all of it, or
// both are silent. It returns how many octets went to near.
func tunnel(near, far net.Conn) (toNear int64) {
	touch := func() {
		end := time.Now().Add(tunnelIdle)
		near.SetDeadline(end)
		far.SetDeadline(end)
	}
	var wg sync.WaitGroup
	wg.Go(func() { pour(far, near, touch) })
	toNear = pour(near, far, touch)
	wg.Wait()
	return toNear
}

// pour copies from from to to, and closes the writing side of to at the end. If
// that can't be closed alone, all of it is.
func pour(to, from net.Conn, touch func()) (n int64) {
	p := make([]byte, tunnelChunk)
	for {
		touch()
		got, err := from.Read(p)
		if got > 0 {
			sent, failed := to.Write(p[:got])
			n += int64(sent)
			if failed != nil {
				from.Close()
				return n
			}
		}
		if err == nil {
			continue
		}
		half, ok := to.(interface{ CloseWrite() error })
		if err != io.EOF || !ok || half.CloseWrite() != nil {
			to.Close()
		}
		return n
	}
}

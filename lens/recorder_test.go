package lens

import (
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// pipeListener is a listener whose connections are pipes.
type pipeListener chan net.Conn

func (p pipeListener) Accept() (net.Conn, error) {
	if conn, ok := <-p; ok {
		return conn, nil
	}
	return nil, net.ErrClosed
}

func (p pipeListener) Close() error { close(p); return nil }
func (pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

// The recording proxy must serve maxConnections at once, each for maxConversation.
func TestRecorderConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var open, served atomic.Int32
		begun := time.Now()
		r := &recorder{listener: make(pipeListener), byNum: map[string]proxyRequest{}, serve: func(conn net.Conn, _ func(user, password string) bool) (proxyRequest, error) {
			open.Add(1)
			defer open.Add(-1)
			_, err := io.ReadAll(conn) // the client sends nothing
			if !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(begun)%maxConversation != 0 {
				t.Errorf("after %v: %v", time.Since(begun), err)
			}
			served.Add(1)
			return proxyRequest{}, err
		}}
		r.wg.Go(r.accept)
		go func() {
			for range 2*maxConnections + 1 {
				near, far := net.Pipe()
				t.Cleanup(func() { far.Close() })
				r.listener.(pipeListener) <- near
			}
		}()
		for i, want := range []int32{maxConnections, maxConnections, 1, 0} {
			synctest.Wait()
			if open.Load() != want || int(served.Load()) != min(i*maxConnections, 2*maxConnections+1) {
				t.Errorf("after %v: %d are open, want %d; %d were served", time.Since(begun), open.Load(), want, served.Load())
			}
			time.Sleep(maxConversation)
		}
		r.close()
	})
}

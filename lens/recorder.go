package lens

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// maxRequest is the maximum number of octets to read from a connection.
	maxRequest = 1 << 18
	// maxConversation is the maximum duration of a connection.
	maxConversation = 10 * time.Second
	// maxConnections is the maximum number of concurrent connections.
	maxConnections = 64
)

var errProxy = errors.New("it did not connect to the proxy")

// proxyRequest is a request that a program sent to a proxy of this package.
type proxyRequest struct {
	host, port string
	// request is the data that the program sends after it has connected through a SOCKS proxy, or
	// the request that it sends to an HTTP proxy.
	request []byte
}

// recorder is a proxy on the loopback interface that makes no connections. A recorder records
// the requests of programs. Each program must log in to the proxy. The user name is the number
// of the request, and the password is unknown to other users of the machine.
type recorder struct {
	listener net.Listener
	password string
	serve    func(conn net.Conn, login func(user, password string) bool) (proxyRequest, error)

	wg    sync.WaitGroup
	mu    sync.Mutex
	byNum map[string]proxyRequest
}

// newRecorder starts a recorder. The caller must close it.
func newRecorder(ctx context.Context, serve func(net.Conn, func(user, password string) bool) (proxyRequest, error)) (*recorder, error) {
	var listen net.ListenConfig
	l, err := listen.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &recorder{listener: l, password: rand.Text(), serve: serve, byNum: make(map[string]proxyRequest)}
	r.wg.Go(r.accept)
	return r, nil
}

func (r *recorder) accept() {
	slots := make(chan struct{}, maxConnections)
	for {
		conn, err := r.listener.Accept()
		if err != nil {
			return
		}
		slots <- struct{}{}
		r.wg.Go(func() {
			defer func() { <-slots }()
			defer conn.Close()
			r.record(conn)
		})
	}
}

// record serves a connection. Only the first connection for each request number is recorded.
func (r *recorder) record(conn net.Conn) {
	if conn.SetDeadline(time.Now().Add(maxConversation)) != nil {
		return
	}
	var number string
	a, err := r.serve(conn, func(user, password string) bool {
		number = user
		return subtle.ConstantTimeCompare([]byte(password), []byte(r.password)) == 1
	})
	if err != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, repeated := r.byNum[number]; !repeated {
		r.byNum[number] = a
	}
}

// request returns the recorded request with the given number.
func (r *recorder) request(number int) (proxyRequest, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a, ok := r.byNum[strconv.Itoa(number)]
	return a, ok
}

// close waits for open connections and stops the recorder. The programs must have ended
// before.
func (r *recorder) close() {
	r.listener.Close()
	r.wg.Wait()
}

func (r *recorder) addr() string { return r.listener.Addr().String() }

// parseBasic returns the login in value, an HTTP header field with Basic credentials (RFC 7617).
func parseBasic(value string) (user, password string, ok bool) {
	kind, encoded, _ := strings.Cut(strings.TrimSpace(value), " ")
	octets, err := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded))
	if err != nil || !strings.EqualFold(kind, "basic") {
		return "", "", false
	}
	return strings.Cut(string(octets), ":")
}

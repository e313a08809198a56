// Package lineconn provides connections for protocols with commands and replies. A [Conn] is a
// connection that a client can reuse for later URLs. A [Lease] is the exclusive use of a
// connection for one URL.
package lineconn

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/line"
)

// Key identifies a server and a login. Connections with the same Key are interchangeable.
type Key struct {
	dial           scheme.Dialer
	Host           string
	Port           uint16
	Secure         bool // TLS begins with the first octet
	User, Password string

	HasUser, HasPassword bool
}

// NewKey returns the key of the server and login that the URL u names. The argument port is the
// default port.
func NewKey(d scheme.Dialer, u locus.URL, port uint16, secure bool) Key {
	if !reflect.ValueOf(d).Comparable() {
		d = &otherDialer{d} // a dialer that does not equal any other dialer
	}
	k := Key{dial: d, Host: strings.ToLower(strings.Trim(u.Host(), "[]")), Port: port, Secure: secure}
	if port, ok := u.Port(); ok {
		k.Port = port
	}
	k.User, k.HasUser = u.User()
	k.Password, k.HasPassword = u.Password()
	k.User, k.Password = bnf.Decode(k.User), bnf.Decode(k.Password)
	return k
}

type otherDialer struct{ scheme.Dialer }

// Conn is a connection and the known state of its server. Conn implements pool.Conn. Only one
// [Lease] at a time may use a Conn.
type Conn struct {
	Raw    net.Conn // the connection as dialed
	Stream net.Conn // Raw, or TLS over Raw
	Lines  *line.Reader
	Login  Key
	trace  scheme.TraceFunc
	record scheme.Recorder // recorder of the connection; may be nil

	// Owed counts the replies and block ends that the server still has to send. If Owed is not
	// 0, or Broken is set, the connection must not be reused for another URL.
	Owed        int
	Broken      bool
	isReused    bool // the connection was in the pool
	hasAnswered bool // the server has replied since the connection left the pool
}

// Dial connects to the server that the key k identifies.
func Dial(ctx context.Context, k Key) (Conn, error) {
	raw, err := k.dial.DialContext(ctx, "tcp", net.JoinHostPort(k.Host, strconv.Itoa(int(k.Port))))
	if err != nil {
		return Conn{}, scheme.Unreachable(err)
	}
	return Conn{Raw: raw, Stream: raw, Login: k}, nil
}

// Key implements pool.Conn.
func (c *Conn) Key() Key { return c.Login }

// Quit sends QUIT and closes the connection without waiting for the reply.
func (c *Conn) Quit() {
	c.Stream.SetWriteDeadline(time.Now().Add(time.Second))
	c.Stream.Write([]byte("QUIT\r\n"))
	c.Stream.Close()
}

// Config returns a copy of the TLS configuration config with the name of the server. The argument
// config may be nil.
func (c *Conn) Config(config *tls.Config) *tls.Config {
	if config == nil {
		config = new(tls.Config)
	}
	config = config.Clone()
	config.ServerName = cmp.Or(config.ServerName, c.Login.Host)
	return config
}

// StartTLS starts TLS. It returns an error if the client has received but not read some text. An
// attacker could have inserted such text, which would seem to be protected by TLS. After StartTLS,
// the caller must replace Lines.
func (c *Conn) StartTLS(ctx context.Context, config *tls.Config) error {
	if c.Lines != nil && c.Lines.Buffered() > 0 {
		c.Broken = true
		return fmt.Errorf("%w: the server sent unencrypted data before TLS", scheme.ErrProtocol)
	}
	secure := tls.Client(c.Raw, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		c.Broken = true
		return fmt.Errorf("TLS: %w", scheme.ProtocolError(err))
	}
	c.Stream = secure
	return nil
}

// Send sends a command. The traceText is the text of the command for the trace, and must
// not contain a password.
func (c *Conn) Send(command []byte, traceText string) error {
	c.Traced(true, traceText)
	if _, err := c.Stream.Write(command); err != nil {
		return c.Fail(scheme.ProtocolError(err))
	}
	c.Owed++
	return nil
}

// Answered records a reply. If this is the last reply to the command, isFinal is true.
func (c *Conn) Answered(isFinal bool) {
	c.hasAnswered = true
	if isFinal {
		c.Owed--
	}
}

// Traced writes a line of the exchange to the trace. If sent is true, it also records the line.
// The text must not contain a password.
func (c *Conn) Traced(sent bool, text string) {
	if c.trace != nil {
		c.trace(sent, text)
	}
	if sent && c.record != nil {
		c.record.Octets("", true, []byte(text+"\r\n"))
	}
}

// Received returns a reader of Stream. Each read records the received octets for the request that
// uses the connection at that time.
func (c *Conn) Received() io.Reader { return &recordingReader{c, c.Stream} }

type recordingReader struct {
	conn   *Conn
	stream net.Conn
}

func (r *recordingReader) Read(p []byte) (int, error) {
	n, err := r.stream.Read(p)
	if n > 0 && r.conn.record != nil {
		r.conn.record.Octets("", false, p[:n])
	}
	return n, err
}

// Fail marks the connection as broken, and returns the error for the caller.
func (c *Conn) Fail(err error) error {
	c.Broken = true
	if c.isReused && !c.hasAnswered {
		return staleError{err}
	}
	return err
}

// Reusable reports whether another request may use the connection, because the client knows the
// state of the server.
func (c *Conn) Reusable() bool {
	return !c.Broken && c.Owed == 0 && c.Lines.Buffered() == 0
}

// staleError is the failure of the first command on a reused connection.
type staleError struct{ error }

func (e staleError) Unwrap() error { return e.error }

// IsStale reports whether err is a failure of the first command on a reused connection. In this
// case the server has probably closed the connection, and the client should retry with a new
// connection.
func IsStale(err error) bool { return errors.As(err, new(staleError)) }

// Ask calls Request.Ask to request a login. If there is no login, Ask returns errMissing.
func Ask(ctx context.Context, req *scheme.Request, q scheme.Question, errMissing error) (*scheme.Credentials, error) {
	if req.Ask == nil {
		return nil, errMissing
	}
	answer, ok, err := req.Ask(ctx, q)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, errMissing
	}
	answer.User = cmp.Or(answer.User, q.User)
	return &answer, nil
}

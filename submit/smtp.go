package submit

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"strings"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// Dialer opens network connections.
type Dialer interface {
	DialContext(ctx context.Context, network, address string) (net.Conn, error)
}

// Credentials holds a user name and a password.
type Credentials struct{ User, Password string }

// AskFunc returns the login for a relay. If relay.User is set, the login must be for that user.
// attempt is the number of previously rejected logins. If no login is available, the function
// must return false.
type AskFunc func(ctx context.Context, relay Relay, attempt int) (c Credentials, ok bool, err error)

// SMTPOptions holds the options of [NewSMTP]. A nil *SMTPOptions and the zero value select the
// defaults.
type SMTPOptions struct {
	// Ask returns the login. Ask is called if the relay contains a user or the server requires
	// a login, but only over TLS. If Ask is nil, the client does not log in.
	Ask AskFunc
	// TLS holds options such as root certificates. If TLS is nil, the client uses the system's
	// root certificates. The client always verifies that the server's certificate is valid for
	// the relay's host.
	TLS *tls.Config
	// Clear permits a relay without TLS on another machine.
	Clear bool
	// Name is the client's name in EHLO. An empty Name means "localhost".
	Name string
	// Wait limits every wait for the server. Zero means 5 minutes, and 12 minutes for the reply to
	// the whole message (RFC 5321 section 4.5.3.2).
	Wait time.Duration
}

// SMTP submits messages to a relay (RFC 6409). Each message uses its own connection.
type SMTP struct {
	relay  Relay
	dialer Dialer
	o      SMTPOptions
}

// NewSMTP returns an SMTP client that submits messages to the given relay. The client connects
// with the dialer d.
func NewSMTP(relay Relay, d Dialer, o *SMTPOptions) *SMTP {
	s := &SMTP{relay: relay, dialer: d}
	if o != nil {
		s.o = *o
	}
	s.o.Name = cmp.Or(s.o.Name, "localhost")
	s.o.Wait = cmp.Or(s.o.Wait, 12*time.Minute)
	return s
}

// Submit sends m to the relay. Submit sends the message to all recipients or to none. Submit
// returns the server's reply, which may contain control characters. The error wraps a
// [*ReplyError], a [*RecipientsError] or an error of this package. After an error other than
// [ErrUncertain], the message was not sent.
func (s *SMTP) Submit(ctx context.Context, m *Message) (string, error) {
	reply, err := s.submit(ctx, m)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
			err = fmt.Errorf("%w: %w", err, cause)
		}
		return "", fmt.Errorf("submit: %s: %w", s.relay, err)
	}
	return reply, nil
}

func (s *SMTP) submit(ctx context.Context, m *Message) (string, error) {
	conn, err := s.dialer.DialContext(ctx, "tcp", s.relay.address())
	if err != nil {
		return "", err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	peer, _ := conn.RemoteAddr().(*net.TCPAddr)
	if s.relay.Security == Clear && !s.o.Clear && (peer == nil || !peer.IP.IsLoopback()) {
		return "", fmt.Errorf("%w, and %s is not this machine", ErrClear, conn.RemoteAddr())
	}
	c := session{SMTP: s, ctx: ctx}
	if err := c.open(conn); err != nil {
		return "", err
	}
	reply, err := c.transaction(m)
	if err != nil {
		return "", c.fail(err)
	}
	c.quit()
	return reply, nil
}

type session struct {
	*SMTP
	ctx    context.Context
	client *smtp.Client
}

func (c *session) open(conn net.Conn) (err error) {
	g := newLimitedConn(conn, c.o.Wait)
	switch c.relay.Security {
	case StartTLS:
		if c.client, err = smtp.NewClientStartTLS(g, c.tlsConfig()); err != nil {
			return startTLSError(g, err)
		}
		// The SMTP library begins the TLS handshake when it sends EHLO.
	case TLS:
		secure := tls.Client(g, c.tlsConfig())
		if err := secure.HandshakeContext(c.ctx); err != nil {
			return protocolError(fmt.Errorf("TLS: %w", err))
		}
		g = newLimitedConn(secure, c.o.Wait)
		c.client = smtp.NewClient(g)
	default:
		c.client = smtp.NewClient(g)
	}
	c.client.CommandTimeout = min(c.o.Wait, c.client.CommandTimeout)
	c.client.SubmissionTimeout = min(c.o.Wait, c.client.SubmissionTimeout)
	if err := c.client.Hello(c.o.Name); err != nil {
		verb := g.verb
		if c.relay.Security == StartTLS {
			verb = "EHLO"
		}
		return c.fail(replyError(verb, "", err))
	}
	return nil
}

func (s *SMTP) tlsConfig() *tls.Config {
	config := new(tls.Config)
	if s.o.TLS != nil {
		config = s.o.TLS.Clone()
	}
	config.ServerName = s.relay.Host
	config.InsecureSkipVerify = false
	return config
}

// startTLSError returns the reason why TLS did not begin. startTLSError is needed because the
// SMTP library returns an error without a type if the server does not offer TLS.
func startTLSError(g *limitedConn, err error) error {
	var (
		reply    *smtp.SMTPError
		protocol textproto.ProtocolError
		network  net.Error
	)
	switch {
	case errors.As(err, &reply):
		return replyError(g.verb, "", err)
	case errors.As(err, &protocol), errors.Is(err, smtp.ErrTooLongLine), errors.Is(err, ErrProtocol), errors.As(err, &network),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed), errors.Is(err, io.ErrClosedPipe):
		return protocolError(replyError(g.verb, "", err))
	}
	return fmt.Errorf("%w, which is required", ErrNoTLS)
}

// protocolError adds [ErrProtocol] to err if the server closed the connection or sent invalid SMTP.
func protocolError(err error) error {
	var protocol textproto.ProtocolError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: the server closed the connection: %w", ErrProtocol, err)
	case errors.As(err, &protocol), errors.Is(err, smtp.ErrTooLongLine):
		return fmt.Errorf("%w: %w", ErrProtocol, err)
	}
	return err
}

// fail ends the session because of err, and returns err. If the connection still works, fail
// sends QUIT.
func (c *session) fail(err error) error {
	var reply *ReplyError
	works := errors.As(err, &reply)
	for _, own := range []error{ErrNoUTF8, ErrTooLarge, ErrLogin, ErrClear} {
		works = works || errors.Is(err, own)
	}
	if works {
		c.quit()
	}
	return protocolError(err)
}

// quit sends QUIT. Errors of the command are ignored.
func (c *session) quit() {
	const wait = 5 * time.Second
	c.client.CommandTimeout = min(wait, c.client.CommandTimeout)
	c.client.Quit()
}

func (c *session) transaction(m *Message) (string, error) {
	if ok, _ := c.client.Extension("SMTPUTF8"); m.isUTF8 && !ok {
		return "", fmt.Errorf("%w: an address is not US-ASCII (its domain can be written as xn--...)", ErrNoUTF8)
	}
	if most, ok := c.client.MaxMessageSize(); ok && most > 0 && len(m.octets) > most {
		return "", fmt.Errorf("%w: the message has %d bytes, but the server accepts at most %d", ErrTooLarge, len(m.octets), most)
	}
	if c.relay.User != "" {
		if err := c.logIn(nil); err != nil {
			return "", err
		}
	}
	err := c.mail(m)
	if reply, ok := err.(*ReplyError); ok && reply.Code == 530 && c.relay.User == "" {
		if err = c.logIn(err); err == nil {
			err = c.mail(m)
		}
	}
	if err != nil {
		return "", err
	}
	if err := c.sendRecipients(m); err != nil {
		return "", err
	}
	return c.sendData(m)
}

func (c *session) mail(m *Message) error {
	err := c.client.Mail(m.from, &smtp.MailOptions{Size: m.Size(), UTF8: m.isUTF8})
	if err != nil {
		return replyError("MAIL", m.from, err)
	}
	return nil
}

// sendRecipients sends all recipients to the server. The session fails if the server rejects any
// recipient.
func (c *session) sendRecipients(m *Message) error {
	refused := &RecipientsError{Total: len(m.recipients)}
	for _, address := range m.recipients {
		err := c.client.Rcpt(address, nil)
		if err == nil {
			continue
		}
		err = replyError("RCPT", address, err)
		reply, ok := err.(*ReplyError)
		if !ok {
			return err
		}
		refused.Refused = append(refused.Refused, reply)
	}
	if len(refused.Refused) > 0 {
		return refused
	}
	return nil
}

// sendData sends the message. The SMTP library escapes dots at the start of lines.
func (c *session) sendData(m *Message) (string, error) {
	w, err := c.client.Data()
	if err != nil {
		return "", replyError("DATA", "", err)
	}
	if _, err := io.Copy(w, bytes.NewReader(m.octets)); err != nil {
		return "", replyError("DATA", "", err)
	}
	response, err := w.CloseWithResponse()
	if err == nil {
		return response.StatusText, nil
	}
	err = replyError("the message", "", err)
	if _, ok := err.(*ReplyError); !ok {
		return "", fmt.Errorf("%w: %w", ErrUncertain, err)
	}
	return "", err
}

// logIn authenticates the user. refusal is the reply that required a login, or nil if the relay
// contains a user.
func (c *session) logIn(refusal error) error {
	if c.relay.Security == Clear {
		return fmt.Errorf("%w: the server requires a login, which needs TLS", ErrClear)
	}
	mechanism := c.chooseMechanism()
	if mechanism == nil {
		_, list := c.client.Extension("AUTH")
		return fmt.Errorf("%w: the server offers neither PLAIN nor LOGIN: %q", ErrLogin, list)
	}
	const attempts = 3
	for attempt := range attempts {
		login, err := c.ask(attempt)
		if err != nil {
			if refusal != nil {
				err = fmt.Errorf("%w: %w", err, refusal)
			}
			return err
		}
		if err = c.client.Auth(mechanism(login)); err == nil {
			return nil
		}
		refusal = replyError("AUTH", "", err)
		reply, ok := refusal.(*ReplyError)
		if !ok {
			return refusal
		}
		reply.Text = redact(reply.Text, login)
		if reply.Code != 535 {
			return refusal
		}
	}
	return refusal
}

func (c *session) ask(attempt int) (Credentials, error) {
	if c.o.Ask == nil {
		return Credentials{}, ErrLogin
	}
	login, ok, err := c.o.Ask(c.ctx, c.relay, attempt)
	switch {
	case err != nil:
		return login, err
	case !ok:
		return login, ErrLogin
	case strings.ContainsRune(login.User+login.Password, 0):
		return login, fmt.Errorf("%w: it contains NUL", ErrLogin)
	}
	return login, nil
}

// chooseMechanism returns the mechanism PLAIN or, if the server does not offer PLAIN, LOGIN. If
// the server offers neither, chooseMechanism returns nil.
func (c *session) chooseMechanism() func(Credentials) sasl.Client {
	switch {
	case c.client.SupportsAuth(sasl.Plain):
		return func(l Credentials) sasl.Client { return sasl.NewPlainClient("", l.User, l.Password) }
	case c.client.SupportsAuth(sasl.Login):
		return func(l Credentials) sasl.Client { return sasl.NewLoginClient(l.User, l.Password) }
	}
	return nil
}

// redact removes the password from a server's text, in every encoding in which the client
// sent the password.
func redact(text string, l Credentials) string {
	secrets := []string{
		base64.StdEncoding.EncodeToString([]byte("\x00" + l.User + "\x00" + l.Password)),
		base64.StdEncoding.EncodeToString([]byte(l.Password)),
		l.Password,
	}
	for _, secret := range secrets {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "***")
		}
	}
	return text
}

package submit

import (
	"bytes"
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

// Dialer is the way to the network.
type Dialer interface {
	DialContext(ctx context.Context, network, address string) (net.Conn, error)
}

// Credentials are a login.
type Credentials struct{ User, Password string }

// AskFunc returns the login for a relay, whose user is the one that is known
// already. attempt is 0 at first, then the number of logins that were refused. ok
// is false if there is no login.
type AskFunc func(ctx context.Context, relay Relay, attempt int) (c Credentials, ok bool, err error)

// SMTPOptions are for [NewSMTP]; nil is fine.
type SMTPOptions struct {
	// Ask is called when the relay has a user, or the server wants a login, and
	// there is TLS. nil: there is no login.
	Ask AskFunc
	// TLS is what else TLS should know, such as roots; nil: those of the system. The
	// server's certificate is always verified for the relay's host.
	TLS *tls.Config
	// Clear agrees to a relay without TLS that is not on this machine.
	Clear bool
	// Name is how the client calls itself within EHLO; empty: "localhost", which
	// tells nothing about it.
	Name string
	// Wait bounds every wait for the server; 0: 5 minutes, and 12 for the answer to
	// the whole message (RFC 5321 section 4.5.3.2).
	Wait time.Duration
}

// SMTP submits messages to one relay (RFC 6409). It keeps no connection.
type SMTP struct {
	relay  Relay
	dialer Dialer
	o      SMTPOptions
}

// NewSMTP returns what submits messages to relay. Connections come from d.
func NewSMTP(relay Relay, d Dialer, o *SMTPOptions) *SMTP {
	s := &SMTP{relay: relay, dialer: d}
	if o != nil {
		s.o = *o
	}
	if s.o.Name == "" {
		s.o.Name = "localhost"
	}
	if s.o.Wait == 0 {
		s.o.Wait = 12 * time.Minute
	}
	return s
}

// Submit gives m to the relay, for all recipients or for none. It returns what the
// server said to it, which is not safe for a terminal. The error wraps a
// [*ReplyError], a [*RecipientsError] or one of the errors of this package; with
// [ErrUncertain] the message may be under way, and with no other.
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
	if s.relay.Security == Clear && !s.o.Clear && !isLoopback(conn.RemoteAddr()) {
		return "", fmt.Errorf("%w to %s, which is not this machine", ErrClear, conn.RemoteAddr())
	}
	c := conversation{ctx: ctx, submitter: s}
	if err := c.open(conn); err != nil {
		return "", err
	}
	return c.send(m)
}

func isLoopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// conversation is one connection to a relay.
type conversation struct {
	ctx       context.Context
	submitter *SMTP
	client    *smtp.Client
	isTLS     bool
}

// open begins the conversation: greeting, TLS, EHLO.
func (c *conversation) open(conn net.Conn) (err error) {
	s := c.submitter
	g := newGuard(conn, s.o.Wait)
	switch s.relay.Security {
	case StartTLS:
		if c.client, err = smtp.NewClientStartTLS(g, s.tlsConfig()); err != nil {
			return startTLSError(g, err)
		}
		// There is no second greeting. The handshake is part of what comes now: the
		// library begins it when it says EHLO.
	case TLS:
		secure := tls.Client(g, s.tlsConfig())
		if err := secure.HandshakeContext(c.ctx); err != nil {
			return ended(fmt.Errorf("TLS: %w", err))
		}
		g = newGuard(secure, s.o.Wait)
		c.client = smtp.NewClient(g)
	default:
		c.client = smtp.NewClient(g)
	}
	c.isTLS = s.relay.Security != Clear
	c.client.CommandTimeout = min(s.o.Wait, c.client.CommandTimeout)
	c.client.SubmissionTimeout = min(s.o.Wait, c.client.SubmissionTimeout)
	if err := c.client.Hello(s.o.Name); err != nil {
		verb := g.verb
		if s.relay.Security == StartTLS {
			verb = "EHLO"
		}
		return c.ended(replyError(verb, "", err))
	}
	return nil
}

// tlsConfig returns the options with what can't be chosen.
func (s *SMTP) tlsConfig() *tls.Config {
	config := new(tls.Config)
	if s.o.TLS != nil {
		config = s.o.TLS.Clone()
	}
	config.ServerName = s.relay.Host
	config.InsecureSkipVerify = false
	return config
}

// startTLSError says why TLS did not begin. The library has a word of its own for
// a server that does not offer it: not an answer, and nothing that went wrong.
func startTLSError(g *guard, err error) error {
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
		return ended(replyError(g.verb, "", err))
	}
	return fmt.Errorf("%w, and nothing is sent without it", ErrNoTLS)
}

// ended makes a server that went away, or says what is no SMTP, a protocol error.
func ended(err error) error {
	var protocol textproto.ProtocolError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: the server ended the conversation: %w", ErrProtocol, err)
	case errors.As(err, &protocol), errors.Is(err, smtp.ErrTooLongLine):
		return fmt.Errorf("%w: %w", ErrProtocol, err)
	}
	return err
}

// ended takes leave after a refusal, the server's or our own, and returns err as
// what it is.
func (c *conversation) ended(err error) error {
	var reply *ReplyError
	said := errors.As(err, &reply)
	for _, own := range []error{ErrNoUTF8, ErrTooLarge, ErrLogin, ErrClear} {
		said = said || errors.Is(err, own)
	}
	if said {
		c.quit()
	}
	return ended(err)
}

// quit takes leave. Whatever comes of it, all that matters has been said.
func (c *conversation) quit() {
	const patience = 5 * time.Second
	c.client.CommandTimeout = min(patience, c.client.CommandTimeout)
	c.client.Quit()
}

// send sends the message.
func (c *conversation) send(m *Message) (string, error) {
	reply, err := c.transaction(m)
	if err != nil {
		return "", c.ended(err)
	}
	c.quit()
	return reply, nil
}

func (c *conversation) transaction(m *Message) (string, error) {
	if ok, _ := c.client.Extension("SMTPUTF8"); m.isUTF8 && !ok {
		return "", fmt.Errorf("%w: an address has letters that are not US-ASCII (a domain can be written as xn-- and more)", ErrNoUTF8)
	}
	if most, ok := c.client.MaxMessageSize(); ok && most > 0 && len(m.octets) > most {
		return "", fmt.Errorf("%w: the message has %d octets, and the server takes %d", ErrTooLarge, len(m.octets), most)
	}
	if c.submitter.relay.User != "" {
		if err := c.login(nil); err != nil {
			return "", err
		}
	}
	err := c.mail(m)
	if reply, ok := err.(*ReplyError); ok && reply.Code == 530 && c.submitter.relay.User == "" {
		if err = c.login(err); err == nil {
			err = c.mail(m)
		}
	}
	if err != nil {
		return "", err
	}
	if err := c.recipients(m); err != nil {
		return "", err
	}
	return c.data(m)
}

func (c *conversation) mail(m *Message) error {
	err := c.client.Mail(m.from, &smtp.MailOptions{Size: m.Size(), UTF8: m.isUTF8})
	if err != nil {
		return replyError("MAIL", m.from, err)
	}
	return nil
}

// recipients names all recipients, and goes on only if none was refused.
func (c *conversation) recipients(m *Message) error {
	refused := &RecipientsError{Of: len(m.recipients)}
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

// data sends the octets. The library doubles a dot that a line begins with.
func (c *conversation) data(m *Message) (string, error) {
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

// login logs in. wanted is the answer that asked for it; nil: the relay has a
// user.
func (c *conversation) login(wanted error) error {
	if !c.isTLS {
		return fmt.Errorf("%w: the server wants a login, and there is none without TLS", ErrClear)
	}
	mechanism := c.mechanism()
	if mechanism == nil {
		_, list := c.client.Extension("AUTH")
		return fmt.Errorf("%w: the server offers none of PLAIN and LOGIN: %q", ErrLogin, list)
	}
	const attempts = 3
	for attempt := range attempts {
		login, err := c.ask(attempt)
		if err != nil {
			if wanted != nil {
				err = fmt.Errorf("%w: %w", err, wanted)
			}
			return err
		}
		if wanted = c.auth(mechanism, login); wanted == nil {
			return nil
		}
		if reply, ok := wanted.(*ReplyError); !ok || reply.Code != 535 {
			return wanted
		}
	}
	return wanted
}

// ask asks for the login.
func (c *conversation) ask(attempt int) (Credentials, error) {
	s := c.submitter
	if s.o.Ask == nil {
		return Credentials{}, ErrLogin
	}
	login, ok, err := s.o.Ask(c.ctx, s.relay, attempt)
	switch {
	case err != nil:
		return login, err
	case !ok:
		return login, ErrLogin
	case strings.ContainsRune(login.User+login.Password, 0):
		return login, fmt.Errorf("%w: NUL can't be in one", ErrLogin)
	}
	return login, nil
}

// mechanism returns the first of ours that the server offers.
func (c *conversation) mechanism() func(Credentials) sasl.Client {
	switch {
	case c.client.SupportsAuth(sasl.Plain):
		return func(l Credentials) sasl.Client { return sasl.NewPlainClient("", l.User, l.Password) }
	case c.client.SupportsAuth(sasl.Login):
		return func(l Credentials) sasl.Client { return sasl.NewLoginClient(l.User, l.Password) }
	}
	return nil
}

func (c *conversation) auth(mechanism func(Credentials) sasl.Client, login Credentials) error {
	err := c.client.Auth(mechanism(login))
	if err == nil {
		return nil
	}
	err = replyError("AUTH", "", err)
	if reply, ok := err.(*ReplyError); ok {
		reply.Text = without(reply.Text, login)
	}
	return err
}

// without returns text without the password, should a server give it back, in any
// form in which it was sent.
func without(text string, l Credentials) string {
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

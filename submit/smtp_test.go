package submit_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"github.com/locus-url/locus/internal/certtest"
	"github.com/locus-url/locus/submit"
)

// server is a server for one connection that records the text from the client.
type server struct {
	addr     string
	received chan string
}

// serve runs a server for the first connection.
func serve(t *testing.T, play func(net.Conn, *bufio.Reader)) *server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{addr: l.Addr().String(), received: make(chan string, 1)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		var received bytes.Buffer
		play(conn, bufio.NewReader(io.TeeReader(conn, &received)))
		conn.Close()
		s.received <- received.String()
	}()
	t.Cleanup(func() {
		l.Close()
		<-done
	})
	return s
}

// script replies to each line in turn; the message counts as one line.
func script(replies ...string) func(net.Conn, *bufio.Reader) {
	return func(conn net.Conn, r *bufio.Reader) {
		for _, reply := range replies {
			io.WriteString(conn, reply)
			end := "\n"
			if strings.HasPrefix(reply, "354") {
				end = "\r\n.\r\n"
			}
			if !readTo(r, end) {
				return
			}
		}
		// Record the rest of the client.
		io.Copy(io.Discard, r)
	}
}

func readTo(r *bufio.Reader, end string) bool {
	var text strings.Builder
	for !strings.HasSuffix(text.String(), end) {
		c, err := r.ReadByte()
		if err != nil {
			return false
		}
		text.WriteByte(c)
	}
	return true
}

func relay(t *testing.T, scheme, addr string) submit.Relay {
	t.Helper()
	r, err := submit.ParseRelay(scheme + "://" + addr)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func clearTo(t *testing.T, s *server) *submit.SMTP {
	return submit.NewSMTP(relay(t, "smtp+clear", s.addr), new(net.Dialer), &submit.SMTPOptions{Name: "client.local.test", Wait: time.Minute})
}

const (
	greeting = "220 mail.local.test ESMTP\r\n"
	ehlo     = "250-mail.local.test\r\n250-8BITMIME\r\n250-SIZE 36700160\r\n250 HELP\r\n"
	ok       = "250 2.0.0 Ok\r\n"
	goAhead  = "354 go on\r\n"
	bye      = "221 Bye\r\n"
)

// The client must send exactly these octets, with doubled dots at the start of lines.
func TestWire(t *testing.T) {
	s := serve(t, script(greeting, ehlo, ok, ok, ok, goAhead, "250 2.0.0 0db438c0 Message accepted for delivery\r\n", bye))
	d := messageText()
	d.Bcc = []submit.Mailbox{box("secret@host.dom")}
	d.Body = "line\n.dot\n..two\n.\nRCPT TO:<x@y>\nlast"
	m := compose(t, d)
	reply, err := clearTo(t, s).Submit(t.Context(), m)
	if err != nil || reply != "2.0.0 0db438c0 Message accepted for delivery" {
		t.Fatal(reply, err)
	}
	header, _, _ := strings.Cut(text(t, m), "\r\n\r\n")
	want := "EHLO client.local.test\r\n" +
		fmt.Sprintf("MAIL FROM:<me@example.org> BODY=8BITMIME SIZE=%d\r\n", m.Size()) +
		"RCPT TO:<joe@host.dom>\r\nRCPT TO:<secret@host.dom>\r\nDATA\r\n" +
		header + "\r\n\r\nline\r\n..dot\r\n...two\r\n..\r\nRCPT TO:<x@y>\r\nlast\r\n.\r\nQUIT\r\n"
	if received := <-s.received; received != want {
		t.Errorf("sent\n%q, want\n%q", received, want)
	}
}

// readRecording returns the client and server sides of a recording.
func readRecording(t *testing.T, name string) (c2s, s2c string) {
	t.Helper()
	var both [2]string
	for i, side := range []string{"c2s", "s2c"} {
		octets, err := os.ReadFile(filepath.Join("testdata", name+"."+side+".bin"))
		if err != nil {
			t.Fatal(err)
		}
		both[i] = string(octets)
	}
	return both[0], both[1]
}

// The last line of a reply has a blank after the code.
var replyEnd = regexp.MustCompile(`(?m)^\d{3} .*\r\n`)

func replies(s2c string) (list []string) {
	for s2c != "" {
		end := replyEnd.FindStringIndex(s2c)[1]
		list, s2c = append(list, s2c[:end]), s2c[end:]
	}
	return list
}

// normalize removes what may differ: the message, its size, and the library's
// BODY=8BITMIME.
func normalize(c2s string) string {
	c2s = regexp.MustCompile(`(?s)(DATA\r\n).*?(\r\n\.\r\n)`).ReplaceAllString(c2s, "$1$2")
	c2s = regexp.MustCompile(` BODY=8BITMIME| SIZE=\d+`).ReplaceAllString(c2s, "")
	return strings.ReplaceAll(c2s, "EHLO localhost", "EHLO client.local.test")
}

// The client sends the same commands as in the recordings and understands the replies.
func TestReplay(t *testing.T) {
	for _, row := range []struct {
		name, scheme, to string
		check            func(reply string, err error) bool
	}{
		{"opensmtpd-curl-accept", "smtp+clear", "bob@local.test", func(reply string, err error) bool {
			return err == nil && reply == "2.0.0 0db438c0 Message accepted for delivery"
		}},
		{"opensmtpd-550-relay", "smtp+clear", "bob@relay.test", func(_ string, err error) bool {
			var refused *submit.RecipientsError
			return errors.As(err, &refused) && !refused.Temporary() && len(refused.Refused) == 1 &&
				*refused.Refused[0] == submit.ReplyError{Command: "RCPT", Address: "bob@relay.test", Code: 550, Text: "Invalid recipient: <bob@relay.test>"}
		}},
		{"smtpsink-450", "smtp+clear", "bob@local.test", func(_ string, err error) bool {
			var refused *submit.RecipientsError
			return errors.As(err, &refused) && refused.Temporary() && refused.Refused[0].Status == "4.3.0" && refused.Refused[0].Text == "Error: command failed"
		}},
		{"aiosmtpd-starttls-required", "smtp+clear", "bob@local.test", func(_ string, err error) bool {
			return errors.Is(err, submit.ErrClear)
		}},
		// From here on the recording is TLS, which can't be replayed.
		{"aiosmtpd-starttls-auth", "smtp", "bob@local.test", func(_ string, err error) bool {
			return err != nil && strings.Contains(err.Error(), "EHLO: ")
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			c2s, s2c := readRecording(t, row.name)
			var upToTLS string
			s := serve(t, func(conn net.Conn, r *bufio.Reader) {
				if row.scheme == "smtp+clear" {
					script(replies(s2c)...)(conn, r)
					return
				}
				for _, reply := range replies(s2c) {
					io.WriteString(conn, reply)
					if strings.HasPrefix(reply, "220 Ready") {
						return
					}
					line, _ := r.ReadString('\n')
					upToTLS += line
				}
			})
			d := messageText()
			d.To = []submit.Mailbox{box(row.to)}
			sender := submit.NewSMTP(relay(t, row.scheme, s.addr), new(net.Dialer), &submit.SMTPOptions{Name: "client.local.test"})
			reply, err := sender.Submit(t.Context(), compose(t, d))
			if !row.check(reply, err) {
				t.Errorf("%q, %v", reply, err)
			}
			received := <-s.received
			if upToTLS != "" {
				received = upToTLS
			}
			if got, want := normalize(received), normalize(c2s); got != want {
				t.Errorf("sent\n%q, recorded\n%q", got, want)
			}
		})
	}
}

// Refusals of servers.
func TestRefusals(t *testing.T) {
	for _, row := range []struct {
		name    string
		replies []string
		says    []string
		is      error
	}{
		{"greeting", []string{"554 5.7.1 go away\r\n"}, []string{`connection: the server says 554 5.7.1 "go away"`}, nil},
		{"greeting for now", []string{"421 busy\r\n"}, []string{`connection: the server says 421 "busy" (temporary: try again later)`}, nil},
		{"EHLO", []string{greeting, "550 no\r\n", bye}, []string{`EHLO: the server says 550 "no"`}, nil},
		{"MAIL", []string{greeting, ehlo, "550 5.1.8 bad sender\r\n", bye}, []string{`MAIL "me@example.org": the server says 550 5.1.8 "bad sender"`}, nil},
		{"wants a login", []string{greeting, ehlo, "530 5.7.0 Authentication required\r\n", bye}, []string{"requires a login", "needs TLS"}, submit.ErrClear},
		{"DATA", []string{greeting, ehlo, ok, ok, ok, "451 4.3.0 disk full\r\n", bye}, []string{"DATA: the server says 451 4.3.0", "try again later"}, nil},
		{"the message", []string{greeting, ehlo, ok, ok, ok, goAhead, "554 5.6.0 spam\r\n", bye}, []string{`the message: the server says 554 5.6.0 "spam"`}, nil},
		{"several lines", []string{greeting, ehlo, "550-5.1.8 one\r\n550 5.1.8 two\r\n", bye}, []string{`"one\ntwo"`}, nil},
		{"escape sequences", []string{greeting, ehlo, "550 \x1b]0;x\x07\x1b[2J\u202e\r\n", bye}, []string{`\x1b]0;x\a\x1b[2J\u202e`}, nil},
		{"one of two", []string{greeting, ehlo, ok, ok, "550 5.1.1 who\r\n", bye}, []string{"the message was not sent", "1 of 2", `RCPT "jane@host.dom": the server says 550 5.1.1 "who"`}, nil},
		{"both", []string{greeting, ehlo, ok, "450 4.2.1 later\r\n", "550 5.1.1 who\r\n", bye}, []string{"2 of 2", `"joe@host.dom"`, `"jane@host.dom"`}, nil},
		{"a good answer at the wrong place", []string{greeting, ehlo, ok, ok, ok, ok, bye}, []string{"DATA: the server says 250", "not a reply to this"}, submit.ErrProtocol},
		{"too large", []string{greeting, "250-h\r\n250 SIZE 100\r\n", bye}, []string{"the server accepts at most 100"}, submit.ErrTooLarge},
		{"no SMTP", []string{"HTTP/1.0 400 Bad Request\r\n"}, nil, submit.ErrProtocol},
		{"an end at once", nil, []string{"connection: "}, submit.ErrProtocol},
	} {
		t.Run(row.name, func(t *testing.T) {
			play := script(row.replies...)
			if row.replies == nil {
				play = func(net.Conn, *bufio.Reader) {}
			}
			s := serve(t, play)
			d := messageText()
			d.To = append(d.To, box("jane@host.dom"))
			_, err := clearTo(t, s).Submit(t.Context(), compose(t, d))
			if err == nil || row.is != nil && !errors.Is(err, row.is) || errors.Is(err, submit.ErrUncertain) {
				t.Fatal(err)
			}
			for _, says := range row.says {
				if !strings.Contains(err.Error(), says) {
					t.Errorf("%v, without %s", err, says)
				}
			}
			if !strings.HasPrefix(err.Error(), "submit: smtp+clear://"+s.addr+": ") || strings.ContainsAny(err.Error(), "\x1b\r\n") {
				t.Errorf("%q", err)
			}
			if received := <-s.received; strings.Contains(received, "Hello.") && row.name != "the message" {
				t.Errorf("sent %q", received)
			}
		})
	}
}

// If the server closes the connection, only one moment leaves the outcome uncertain.
func TestDrops(t *testing.T) {
	whole := []string{greeting, ehlo, ok, ok, goAhead}
	for n := range len(whole) + 1 {
		s := serve(t, func(conn net.Conn, r *bufio.Reader) {
			for _, reply := range whole[:n] {
				io.WriteString(conn, reply)
				end := "\n"
				if reply == goAhead {
					end = "\r\n.\r\n"
				}
				readTo(r, end)
			}
		})
		_, err := clearTo(t, s).Submit(t.Context(), compose(t, messageText()))
		if !errors.Is(err, submit.ErrProtocol) && !errors.As(err, new(net.Error)) || errors.Is(err, submit.ErrUncertain) != (n == len(whole)) {
			t.Errorf("after %d replies: %v", n, err)
		}
		<-s.received
	}
}

// Silent and endless servers are cut off.
func TestEndless(t *testing.T) {
	for name, text := range map[string]string{
		"line":  strings.Repeat("220 x", 1000),
		"reply": "220-x\r\n",
	} {
		s := serve(t, func(conn net.Conn, _ *bufio.Reader) {
			for {
				if _, err := io.WriteString(conn, text); err != nil {
					return
				}
			}
		})
		if _, err := clearTo(t, s).Submit(t.Context(), compose(t, messageText())); !errors.Is(err, submit.ErrProtocol) {
			t.Errorf("%s: %v", name, err)
		}
		<-s.received
	}
}

// pipeDialer is a dialer with one connection.
type pipeDialer struct{ conn net.Conn }

func (p pipeDialer) DialContext(context.Context, string, string) (net.Conn, error) {
	return p.conn, nil
}

func TestSilence(t *testing.T) {
	for name, replies := range map[string][]string{
		"no greeting":   {},
		"then nothing":  {greeting, ehlo},
		"after message": {greeting, ehlo, ok, ok, goAhead},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, other := net.Pipe()
				go script(replies...)(other, bufio.NewReader(other))
				start := time.Now()
				sender := submit.NewSMTP(submit.Relay{Security: submit.Clear, Host: "h"}, pipeDialer{client}, &submit.SMTPOptions{Clear: true, Wait: 20 * time.Second})
				_, err := sender.Submit(t.Context(), compose(t, messageText()))
				if !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(start) != 20*time.Second || errors.Is(err, submit.ErrUncertain) != (name == "after message") {
					t.Errorf("after %v: %v", time.Since(start), err)
				}
				other.Close()
			})
		})
	}
	t.Run("a word now and then", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			client, other := net.Pipe()
			go func() {
				for {
					if _, err := io.WriteString(other, "220-x\r\n"); err != nil {
						return
					}
					time.Sleep(19 * time.Second)
				}
			}()
			start := time.Now()
			sender := submit.NewSMTP(submit.Relay{Security: submit.Clear, Host: "h"}, pipeDialer{client}, &submit.SMTPOptions{Clear: true, Wait: 20 * time.Second})
			_, err := sender.Submit(t.Context(), compose(t, messageText()))
			if !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(start) > time.Minute {
				t.Errorf("after %v: %v", time.Since(start), err)
			}
			other.Close()
			time.Sleep(20 * time.Second) // the other side's, until it sees that
		})
	})
}

func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := serve(t, func(conn net.Conn, r *bufio.Reader) {
		io.WriteString(conn, greeting)
		readTo(r, "\n")
		cancel()
		io.Copy(io.Discard, r)
	})
	if _, err := clearTo(t, s).Submit(ctx, compose(t, messageText())); !errors.Is(err, context.Canceled) || errors.Is(err, submit.ErrUncertain) {
		t.Error(err)
	}
	<-s.received
}

// Another machine needs TLS, unless Clear allows it without.
func TestClear(t *testing.T) {
	client, other := net.Pipe()
	defer other.Close()
	_, err := submit.NewSMTP(submit.Relay{Security: submit.Clear, Host: "h"}, pipeDialer{client}, nil).Submit(t.Context(), compose(t, messageText()))
	if !errors.Is(err, submit.ErrClear) {
		t.Error(err)
	}
}

// Without an offer of STARTTLS, nothing more is sent.
func TestStripped(t *testing.T) {
	for name, replies := range map[string][]string{
		"not offered":       {greeting, ehlo + ""},
		"HELO only":         {greeting, "502 what\r\n", "250 h\r\n"},
		"offered, not kept": {greeting, "250-h\r\n250 STARTTLS\r\n", "454 4.7.0 not now\r\n"},
	} {
		s := serve(t, script(replies...))
		sender := submit.NewSMTP(relay(t, "smtp", "me@"+s.addr), new(net.Dialer), &submit.SMTPOptions{Ask: func(context.Context, submit.Relay, int) (submit.Credentials, bool, error) {
			t.Errorf("%s: asked", name)
			return submit.Credentials{}, false, nil
		}})
		_, err := sender.Submit(t.Context(), compose(t, messageText()))
		if kept := name == "offered, not kept"; errors.Is(err, submit.ErrNoTLS) == kept || kept && !strings.Contains(fmt.Sprint(err), `STARTTLS: the server says 454 4.7.0 "not now"`) {
			t.Errorf("%s: %v", name, err)
		}
		if received := <-s.received; strings.Contains(received, "MAIL") || strings.Contains(received, "AUTH") || strings.Contains(received, "example.org") {
			t.Errorf("%s: %q", name, received)
		}
	}
}

// mailServer is the library's server with TLS and logins.
type mailServer struct {
	*smtp.Server
	addr     string
	roots    *x509.CertPool
	login    string // accepted login in the form "user password"; empty if no login is required
	mechs    []string
	mu       sync.Mutex
	accepted []acceptedMessage
	logins   []string
}

// acceptedMessage is a message that the server accepted.
type acceptedMessage struct {
	from string
	to   []string
	text string
	utf8 bool
}

func newMailServer(t *testing.T, implicit bool, change func(*mailServer)) *mailServer {
	t.Helper()
	cert, roots := certificate(t)
	s := &mailServer{roots: roots, mechs: []string{sasl.Plain, sasl.Login}}
	s.Server = smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &session{server: s}, nil }))
	s.TLSConfig = &tls.Config{Certificates: []tls.Certificate{cert}}
	s.ErrorLog = log.New(io.Discard, "", 0)
	s.EnableSMTPUTF8 = true
	if change != nil {
		change(s)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.addr = l.Addr().String()
	if implicit {
		l = tls.NewListener(l, s.TLSConfig)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Serve(l)
	}()
	t.Cleanup(func() {
		s.Close()
		l.Close() // s.Close does not close l if the server has not begun to serve l
		<-done
	})
	return s
}

// certificate returns a certificate for the loopback.
func certificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	cert, err := certtest.New()
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(cert.Leaf)
	return cert, roots
}

type session struct {
	server   *mailServer
	in       bool
	accepted acceptedMessage
}

func (s *session) Reset()        { s.accepted = acceptedMessage{} }
func (s *session) Logout() error { return nil }

func (s *session) AuthMechanisms() []string { return s.server.mechs }

func (s *session) Auth(mech string) (sasl.Server, error) {
	if mech == sasl.Login {
		return &loginServer{session: s}, nil
	}
	return sasl.NewPlainServer(func(_, user, password string) error { return s.check(user, password) }), nil
}

func (s *session) check(user, password string) error {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.logins = append(s.server.logins, user+" "+password)
	if s.in = user+" "+password == s.server.login; !s.in {
		return &smtp.SMTPError{Code: 535, EnhancedCode: smtp.EnhancedCode{5, 7, 8}, Message: "no login with " + password}
	}
	return nil
}

// loginServer is the server side of LOGIN.
type loginServer struct {
	session *session
	user    *string
}

func (l *loginServer) Next(response []byte) ([]byte, bool, error) {
	switch {
	case l.user == nil && response == nil:
		return []byte("Username:"), false, nil
	case l.user == nil:
		user := string(response)
		l.user = &user
		return []byte("Password:"), false, nil
	}
	return nil, true, l.session.check(*l.user, string(response))
}

func (s *session) Mail(from string, o *smtp.MailOptions) error {
	if s.server.login != "" && !s.in {
		return &smtp.SMTPError{Code: 530, EnhancedCode: smtp.EnhancedCode{5, 7, 0}, Message: "Authentication required"}
	}
	s.accepted.from, s.accepted.utf8 = from, o.UTF8
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	if strings.HasPrefix(to, "nobody") {
		return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "nobody here"}
	}
	s.accepted.to = append(s.accepted.to, to)
	return nil
}

func (s *session) Data(r io.Reader) error {
	octets, err := io.ReadAll(r)
	s.accepted.text = string(octets)
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.accepted = append(s.server.accepted, s.accepted)
	return err
}

// credentialsOf returns a function that returns one of the logins for each attempt, and the
// number of its calls.
func credentialsOf(logins ...string) (ask submit.AskFunc, count *int) {
	count = new(int)
	return func(_ context.Context, _ submit.Relay, attempt int) (submit.Credentials, bool, error) {
		if attempt != *count {
			return submit.Credentials{}, false, fmt.Errorf("attempt %d, want %d", attempt, *count)
		}
		*count++
		if attempt >= len(logins) {
			return submit.Credentials{}, false, nil
		}
		user, password, _ := strings.Cut(logins[attempt], " ")
		return submit.Credentials{User: user, Password: password}, true, nil
	}, count
}

func TestTLS(t *testing.T) {
	d := messageText()
	d.Subject = "Grüße"
	d.To = append(d.To, submit.Mailbox{Name: "Jane", Address: "jane@host.dom"})
	d.Bcc = []submit.Mailbox{box("secret@host.dom")}
	d.Body = "ü\n.\n..x\nend"
	d.Attachments = []submit.Attachment{{Name: "ü.bin", Content: bytes.Repeat([]byte("\x00\xff\r\n."), 1000)}}
	for _, scheme := range []string{"smtp", "smtps"} {
		for _, mech := range []string{sasl.Plain, sasl.Login, "none"} {
			for _, user := range []string{"", "me@"} {
				if mech == "none" && user != "" {
					continue // "no way", below
				}
				t.Run(scheme+mech+user, func(t *testing.T) {
					s := newMailServer(t, scheme == "smtps", func(s *mailServer) {
						s.login, s.mechs = "me sesame", []string{mech}
						if mech == "none" {
							s.login, s.mechs = "", nil
						}
					})
					ask, count := credentialsOf("me sesame")
					m := compose(t, d)
					sender := submit.NewSMTP(relay(t, scheme, user+s.addr), new(net.Dialer), &submit.SMTPOptions{Ask: ask, TLS: &tls.Config{RootCAs: s.roots, InsecureSkipVerify: true}})
					if _, err := sender.Submit(t.Context(), m); err != nil {
						t.Fatal(err)
					}
					if want := mech != "none"; (*count == 1) != want {
						t.Errorf("asked %d times", *count)
					}
					if len(s.accepted) != 1 || s.accepted[0].from != m.From() || !slices.Equal(s.accepted[0].to, m.Recipients()) || s.accepted[0].text != text(t, m) || s.accepted[0].utf8 {
						t.Fatalf("%+v", s.accepted)
					}
					readBack(t, d, s.accepted[0].text)
				})
			}
		}
	}
}

func TestLogins(t *testing.T) {
	for _, row := range []struct {
		name, user string
		logins     []string
		mechs      []string
		asked      int
		is         error
		says       string
	}{
		{"second time right", "me@", []string{"me wrong", "me sesame"}, []string{sasl.Plain}, 2, nil, ""},
		{"second time right, LOGIN", "", []string{"me wrong", "me sesame"}, []string{sasl.Login}, 2, nil, ""},
		{"never right", "me@", []string{"me open", "me up", "me now", "me sesame"}, []string{sasl.Plain}, 3, fs.ErrPermission, "535 5.7.8"},
		{"given up", "me@", []string{"me open"}, []string{sasl.Plain}, 2, fs.ErrPermission, `"no login with ***"`},
		{"none", "", nil, []string{sasl.Plain}, 1, fs.ErrPermission, "530 5.7.0"},
		{"none for a user", "me@", nil, []string{sasl.Plain}, 1, submit.ErrLogin, ""},
		{"no way", "me@", nil, []string{"CRAM-MD5"}, 0, submit.ErrLogin, "CRAM-MD5"},
		{"NUL", "me@", []string{"me\x00you sesame"}, []string{sasl.Plain}, 1, submit.ErrLogin, "NUL"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newMailServer(t, true, func(s *mailServer) { s.login, s.mechs = "me sesame", row.mechs })
			ask, count := credentialsOf(row.logins...)
			sender := submit.NewSMTP(relay(t, "smtps", row.user+s.addr), new(net.Dialer), &submit.SMTPOptions{Ask: ask, TLS: &tls.Config{RootCAs: s.roots}})
			_, err := sender.Submit(t.Context(), compose(t, messageText()))
			if *count != row.asked || (err == nil) != (row.is == nil) || !errors.Is(err, row.is) {
				t.Fatalf("asked %d times, %v", *count, err)
			}
			if err == nil {
				return
			}
			if !strings.Contains(err.Error(), row.says) || len(s.accepted) > 0 {
				t.Error(err, s.accepted)
			}
			for _, login := range row.logins {
				if _, password, _ := strings.Cut(login, " "); strings.Contains(err.Error(), " "+password+`"`) {
					t.Error(err)
				}
			}
		})
	}
	t.Run("no Ask", func(t *testing.T) {
		s := newMailServer(t, true, func(s *mailServer) { s.login = "me sesame" })
		sender := submit.NewSMTP(relay(t, "smtps", s.addr), new(net.Dialer), &submit.SMTPOptions{TLS: &tls.Config{RootCAs: s.roots}})
		if _, err := sender.Submit(t.Context(), compose(t, messageText())); !errors.Is(err, submit.ErrLogin) || !errors.Is(err, fs.ErrPermission) {
			t.Error(err)
		}
	})
}

// The certificate must be the host's, whatever the options are.
func TestCertificates(t *testing.T) {
	for _, scheme := range []string{"smtp", "smtps"} {
		s := newMailServer(t, scheme == "smtps", nil)
		for _, config := range []*tls.Config{nil, {InsecureSkipVerify: true}, {RootCAs: x509.NewCertPool()}} {
			_, err := submit.NewSMTP(relay(t, scheme, s.addr), new(net.Dialer), &submit.SMTPOptions{TLS: config}).Submit(t.Context(), compose(t, messageText()))
			if !errors.As(err, new(*tls.CertificateVerificationError)) {
				t.Errorf("%s: %v", scheme, err)
			}
		}
		// The same server by another name.
		r := relay(t, scheme, s.addr)
		r.Host = "mail.example"
		conn, err := net.Dial("tcp", s.addr)
		if err != nil {
			t.Fatal(err)
		}
		_, err = submit.NewSMTP(r, pipeDialer{conn}, &submit.SMTPOptions{TLS: &tls.Config{RootCAs: s.roots, ServerName: "127.0.0.1"}}).Submit(t.Context(), compose(t, messageText()))
		if !errors.As(err, new(*tls.CertificateVerificationError)) {
			t.Errorf("%s: %v", scheme, err)
		}
		if len(s.accepted) > 0 {
			t.Error(s.accepted)
		}
	}
}

// Data injected after the reply to STARTTLS is ignored.
func TestSTARTTLSInjection(t *testing.T) {
	cert, roots := certificate(t)
	var said []string
	s := serve(t, func(conn net.Conn, r *bufio.Reader) {
		io.WriteString(conn, greeting)
		readTo(r, "\n")
		io.WriteString(conn, "250-h\r\n250 STARTTLS\r\n")
		readTo(r, "\n")
		io.WriteString(conn, "220 go\r\n250-evil\r\n250 AUTH PLAIN\r\n")
		secure := tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{cert}})
		lines := bufio.NewReader(secure)
		for _, reply := range []string{"250 h\r\n", "550 5.0.0 no\r\n", bye} {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			said = append(said, line)
			io.WriteString(secure, reply)
		}
	})
	ask, count := credentialsOf("me sesame")
	sender := submit.NewSMTP(relay(t, "smtp", s.addr), new(net.Dialer), &submit.SMTPOptions{Ask: ask, TLS: &tls.Config{RootCAs: roots}})
	_, err := sender.Submit(t.Context(), compose(t, messageText()))
	<-s.received
	if err == nil || !strings.Contains(err.Error(), "550 5.0.0") || *count > 0 || len(said) != 3 || said[0] != "EHLO localhost\r\n" {
		t.Errorf("%v, %q", err, said)
	}
}

func TestUTF8(t *testing.T) {
	d := messageText()
	d.To = []submit.Mailbox{{Name: "Jöe", Address: "jöe@host.dom"}}
	m := compose(t, d)
	s := newMailServer(t, true, nil)
	if _, err := submit.NewSMTP(relay(t, "smtps", s.addr), new(net.Dialer), &submit.SMTPOptions{TLS: &tls.Config{RootCAs: s.roots}}).Submit(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if len(s.accepted) != 1 || !s.accepted[0].utf8 || s.accepted[0].to[0] != "jöe@host.dom" || s.accepted[0].text != text(t, m) {
		t.Errorf("%+v", s.accepted)
	}
	readBack(t, d, s.accepted[0].text)

	s = newMailServer(t, true, func(s *mailServer) { s.EnableSMTPUTF8 = false })
	_, err := submit.NewSMTP(relay(t, "smtps", s.addr), new(net.Dialer), &submit.SMTPOptions{TLS: &tls.Config{RootCAs: s.roots}}).Submit(t.Context(), m)
	if !errors.Is(err, submit.ErrNoUTF8) || len(s.accepted) > 0 {
		t.Error(err, s.accepted)
	}
}

package submit_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/locus-url/locus/internal/certtest"
	"github.com/locus-url/locus/internal/hostiletest"
	"github.com/locus-url/locus/submit"
)

// smtpLine matches the lines that are sent before the message and after it. A line of
// base64 answers a challenge.
var smtpLine = regexp.MustCompile(`^((EHLO|HELO) (client\.test|localhost)|MAIL FROM:<me@example\.org>( [A-Z0-9= ]+)?|RCPT TO:<joe@host\.dom>|DATA|QUIT|NOOP|RSET|STARTTLS|\*|AUTH [A-Z]+( [A-Za-z0-9+/=]+)?|[A-Za-z0-9+/]+=*|)$`)

// FuzzSMTPConversation lets a relay send any text, with and without TLS. Submit must end, and
// must succeed only after it has sent the whole message. If the message may have been
// accepted, the error must be ErrUncertain. No error may contain the password, and the client
// must send only commands and the message.
func FuzzSMTPConversation(f *testing.F) {
	const (
		hello = greeting + ehlo
		login = greeting + "250-mail.local.test\r\n250 AUTH PLAIN LOGIN\r\n"
		sent  = ok + ok + goAhead + ok + bye
	)
	for _, said := range []string{
		hello + sent, greeting + "500 What\r\n" + ehlo + sent, login + "235 In\r\n" + sent, login + "535 No\r\n535 No\r\n535 No\r\n" + bye, login + "334 VXNlcm5hbWU6\r\n334 UGFzc3dvcmQ6\r\n235 In\r\n" + sent,
		hello + "530 Login\r\n", hello + ok + "550 5.1.1 No such user\r\n" + bye, hello + ok + ok + goAhead, hello + ok + ok + goAhead + "554 5.7.1 Spam\r\n", hello + ok + ok + "250 What\r\n",
		"220 x\r\n250-x\r\n250-SIZE 1\r\n250 STARTTLS\r\n220 Go\r\n", "421 Busy\r\n", "220-x\r\n220 " + strings.Repeat("x", 5000) + "\r\n", strings.Repeat("250-x\r\n", 500), "220 \x1b[2J\x00\r\n",
	} {
		for how := range uint8(3) {
			f.Add(how, uint8(hostiletest.Lines), []byte(said))
			f.Add(how, uint8(hostiletest.Silent), []byte(said))
		}
	}
	server, client, err := certtest.Pair()
	if err != nil {
		f.Fatal(err)
	}
	// In a synctest bubble, the year is 2000.
	now := time.Now()
	client.Time = func() time.Time { return now }
	m, err := composeFixed(messageText())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, kind, how uint8, said []byte) {
		if len(said) > 16<<10 {
			return
		}
		peer := &hostiletest.Peer{First: said, How: hostiletest.How(how)}
		relay := []string{"smtp+clear://127.0.0.1", "smtps://user@127.0.0.1", "smtp://127.0.0.1"}[kind%3]
		if kind%3 == 1 {
			peer.TLS = server
		}
		synctest.Test(t, func(t *testing.T) { converse(t, peer, relay, client, m) })
	})
}

func converse(t *testing.T, peer *hostiletest.Peer, to string, secure *tls.Config, m *submit.Message) {
	r, err := submit.ParseRelay(to)
	if err != nil {
		t.Fatal(err)
	}
	const password = "sesame-9"
	ask := func(context.Context, submit.Relay, int) (submit.Credentials, bool, error) {
		return submit.Credentials{User: "user", Password: password}, true, nil
	}
	begin := time.Now()
	reply, err := submit.NewSMTP(r, peer, &submit.SMTPOptions{Ask: ask, TLS: secure, Name: "client.test", Wait: time.Minute}).Submit(context.Background(), m)
	if took := time.Since(begin); took > 2*time.Hour {
		t.Errorf("it took %v", took)
	}
	if err != nil && (reply != "" || strings.Contains(err.Error(), password)) {
		t.Errorf("%q, %v", reply, err)
	}
	synctest.Wait()
	sent := peer.Sent()[0]
	commands, text, _ := strings.Cut(sent, "DATA\r\n")
	whole := strings.Contains(text, "\r\n.\r\n")
	var refused *submit.ReplyError
	switch {
	case err == nil && !whole:
		t.Errorf("accepted %q, after %q", reply, sent)
	case err != nil && whole && !errors.Is(err, submit.ErrUncertain) && !errors.As(err, &refused):
		t.Errorf("the whole message was sent, and %v", err)
	}
	if _, after, ok := strings.Cut(text, "\r\n.\r\n"); ok {
		commands += after
	} else if text != "" && !strings.HasPrefix(wire(t, m), text) {
		// The message did not begin, so this text also contains commands.
		commands += text
	}
	if to[:6] == "smtp:/" {
		commands, _, _ = strings.Cut(commands, "\x16\x03\x01") // a handshake
	}
	for line := range strings.SplitSeq(commands, "\r\n") {
		if !smtpLine.MatchString(line) {
			t.Errorf("sent %q of %q", line, sent)
		}
	}
	if peer.TLS == nil && strings.Contains(sent, "AUTH ") {
		t.Errorf("a login in clear: %q", sent)
	}
}

// wire returns the octets of m.
func wire(t *testing.T, m *submit.Message) string {
	var b strings.Builder
	if _, err := m.WriteTo(io.Writer(&b)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

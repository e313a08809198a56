package open_test

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"io"
	"log"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-smtp"

	"github.com/locus-url/locus/cmd/locus/internal/commandtest"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/client"
	"github.com/locus-url/locus/internal/command/clitest"
	"github.com/locus-url/locus/submit"
)

// postOffice is a relay that accepts messages without TLS.
type postOffice struct {
	addr   string
	mu     sync.Mutex
	taken  []string // sender, recipients and text of each message
	refuse bool     // the relay rejects every recipient
}

func newPostOffice(t *testing.T) *postOffice {
	t.Helper()
	p := new(postOffice)
	s := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &postSession{office: p}, nil }))
	s.ErrorLog = log.New(io.Discard, "", 0)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p.addr = l.Addr().String()
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Serve(l)
	}()
	t.Cleanup(func() {
		s.Close()
		l.Close()
		<-done
	})
	return p
}

func (p *postOffice) messages() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.taken
}

type postSession struct {
	office *postOffice
	text   string
}

func (s *postSession) Reset()        { s.text = "" }
func (s *postSession) Logout() error { return nil }

func (s *postSession) Mail(from string, _ *smtp.MailOptions) error {
	s.text = from
	return nil
}

func (s *postSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.office.mu.Lock()
	defer s.office.mu.Unlock()
	if s.office.refuse {
		s.office.refuse = false
		return &smtp.SMTPError{Code: 450, EnhancedCode: smtp.EnhancedCode{4, 2, 1}, Message: "not \x1b[2Jnow"}
	}
	s.text += " " + to
	return nil
}

func (s *postSession) Data(r io.Reader) error {
	octets, err := io.ReadAll(r)
	s.office.mu.Lock()
	defer s.office.mu.Unlock()
	s.office.taken = append(s.office.taken, s.text+"\n"+string(octets))
	return err
}

// correspond runs "locus open" and performs the steps. The editor adds a line to the text.
func correspond(t *testing.T, env map[string]string, steps []answered, args ...string) (got clitest.Result, seen string) {
	t.Helper()
	// The command stores drafts in this directory.
	t.Setenv("TMPDIR", t.TempDir())
	person, name := clitest.NewTTY(t)
	hold, err := clitest.OpenTTY(name)()
	if err != nil {
		t.Fatal(err)
	}
	defer hold.Close()
	all := play(t, person, steps)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	home := filepath.Join(t.TempDir(), "none")
	got = commandtest.Run(t, func(a *base.App) {
		a.Context, a.ErrTTY, a.OpenTerminal, a.Interrupt = ctx, true, clitest.OpenTTY(name), cancel
		a.Getenv = func(name string) string {
			values := map[string]string{
				"HOME": home, "LOCUS_MAIL_FROM": "Fred <fred@example.net>", "EDITOR": `printf 'Edited.\n' >>`,
			}
			if v, ok := env[name]; ok {
				return v
			}
			return values[name]
		}
		// Simulate Ctrl-C, which the terminal of the test does not send.
		if env["cancel"] != "" {
			go func() {
				<-all
				cancel()
			}()
		}
	}, append([]string{"open"}, args...)...)
	if env["cancel"] != "" {
		return got, ""
	}
	return got, <-all
}

// savedDraft returns the texts of saved drafts.
func savedDraft(t *testing.T) (texts []string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(os.Getenv("TMPDIR"), "locus-*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		octets, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("Stat(%q) = %v, %v, want no error and info.Mode().Perm() 0o600", name, info, err)
		}
		texts = append(texts, string(octets))
	}
	return texts
}

const sendIt = "Send it? [y/N/e(dit)/w(rite to a file)] "

func TestOpenMailtoConversations(t *testing.T) {
	p := newPostOffice(t)
	way := map[string]string{"LOCUS_MAIL_RELAY": "smtp+clear://" + p.addr}
	const url = "mailto:joe@host.dom?body=Proposed.%0D%0A&bcc=spy@evil.example"

	t.Run("yes, after an edit", func(t *testing.T) {
		got, seen := correspond(t, way, []answered{{sendIt, "perhaps\n"}, {sendIt, "e\n"}, {sendIt, "y\n"}},
			"--bcc", "secret@host.dom", "--subject", "Grüße", url)
		if got.Status != 0 || got.Out != "" || !strings.Contains(got.Err, "locus: the message was sent to 2 of 2 recipients") {
			t.Fatalf("correspond(--bcc, secret@host.dom, --subject, %q, %q) = %+v, want status 0, no out and %q in err", "Grüße", url, got, "locus: the message was sent to 2 of 2 recipients")
		}
		for _, shown := range []string{
			"To: joe@host.dom\r\n", "Subject: Grüße\r\n", "| Proposed.\r\n| Edited.\r\n\r\n", "| Proposed.\r\n| Edited.\r\n| Edited.\r\n",
			"Sent to   secret@host.dom (Bcc: hidden from the others)\r\n", "By        smtp+clear://" + p.addr + ", without encryption\r\n",
			"Note: ignored a field that a URL must not set: bcc: spy@evil.example\r\n",
		} {
			if !strings.Contains(seen, shown) {
				t.Errorf("%q lacks %q", seen, shown)
			}
		}
		taken := p.messages()
		if len(taken) != 1 || !strings.HasPrefix(taken[0], "fred@example.net joe@host.dom secret@host.dom\nFrom: Fred <fred@example.net>\r\n") ||
			!strings.HasSuffix(taken[0], "\r\n\r\nProposed.\r\nEdited.\r\nEdited.\r\n") || strings.Contains(taken[0], "evil") {
			t.Errorf("%q, want 1 of taken, %q at the start of taken[0], %q at the end of taken[0] and no %q in taken[0]", taken, "fred@example.net joe@host.dom secret@host.dom\nFrom: Fred <fred@example.net>\r\n", "\r\n\r\nProposed.\r\nEdited.\r\nEdited.\r\n", "evil")
		}
		if texts := savedDraft(t); texts != nil {
			t.Errorf("kept() = %q, want texts nil", texts)
		}
	})
	before := len(p.messages())

	for _, row := range []struct {
		name  string
		steps []answered
		says  string
		code  int
		kept  int
	}{
		{"no", []answered{{sendIt, "n\n"}}, "nothing was sent", 0, 0},
		{"Enter", []answered{{sendIt, "\n"}}, "the text was saved in ", 0, 1},
		{"end of input", []answered{{sendIt, "\x04"}}, "the input ended; nothing was sent", 3, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, _ := correspond(t, way, row.steps, url)
			if texts := savedDraft(t); got.Status != row.code || !strings.Contains(got.Err, row.says) || len(texts) != row.kept {
				t.Errorf("%+v, kept %q", got, texts)
			}
		})
	}
	t.Run("Ctrl-C", func(t *testing.T) {
		env := map[string]string{"LOCUS_MAIL_RELAY": way["LOCUS_MAIL_RELAY"], "cancel": "yes"}
		got, _ := correspond(t, env, []answered{{sendIt, ""}}, url)
		if texts := savedDraft(t); got.Status != base.StatusInterrupted || !strings.Contains(got.Err, "nothing was sent") || len(texts) != 1 || texts[0] != "Proposed.\r\nEdited.\n" {
			t.Errorf("%+v, kept %q", got, texts)
		}
	})
	t.Run("write", func(t *testing.T) {
		t.Chdir(t.TempDir())
		if err := os.WriteFile("there", nil, 0o666); err != nil {
			t.Fatal(err)
		}
		got, seen := correspond(t, way, []answered{{sendIt, "w\n"}, {"File: ", "\n"}, {sendIt, "w\n"}, {"File: ", "there\n"}, {sendIt, "w\n"}, {"File: ", "new.eml\n"}},
			"--body", "B", "--bcc", "secret@host.dom", url)
		octets, err := os.ReadFile("new.eml")
		if got.Status != 0 || err != nil || !strings.HasSuffix(string(octets), "\r\n\r\nB\r\n") || !strings.Contains(seen, "file exists") ||
			!strings.Contains(got.Err, "nothing was sent") || !strings.Contains(got.Err, "the Bcc recipients: secret@host.dom") {
			t.Errorf("%+v, %v, %q, want status 0, no error, %q at the end of octets, %q in seen, %q in err and %q in err", got, err, seen, "\r\n\r\nB\r\n", "file exists", "nothing was sent", "the Bcc recipients: secret@host.dom")
		}
	})
	t.Run("no way", func(t *testing.T) {
		t.Chdir(t.TempDir())
		got, seen := correspond(t, nil, []answered{{"Write it to a file? [w/e(dit)/N] ", "y\n"}, {"[w/e(dit)/N] ", "w\n"}, {"File: ", "x.eml\n"}}, url)
		if _, err := os.Stat("x.eml"); err != nil || got.Status != 0 || !strings.Contains(seen, "The message can't be sent: set mail.relay") {
			t.Errorf("correspond(%q) = %+v, %v, %q, want no error, status 0 and %q in seen", url, got, err, seen, "The message can't be sent: set mail.relay")
		}
	})
	t.Run("who and to whom", func(t *testing.T) {
		env := map[string]string{"LOCUS_MAIL_FROM": "", "LOCUS_MAIL_RELAY": way["LOCUS_MAIL_RELAY"]}
		got, seen := correspond(t, env, []answered{
			{"From (your address): ", "\n"}, {"From (your address): ", "me\n"}, {"From (your address): ", "me@h\n"}, {"To: ", "a@b_\n"}, {"To: ", "Joe <a@b>\n"}, {sendIt, "n\n"},
		}, "--body", "x", "mailto:?subject=y")
		if got.Status != 0 || !strings.Contains(seen, "Sent from me@h\r\nSent to   a@b\r\n") {
			t.Errorf("correspond(--body, x, mailto:?subject=y) = %+v, %q, want status 0 and %q in seen", got, seen, "Sent from me@h\r\nSent to   a@b\r\n")
		}
	})
	t.Run("the editor can't be run", func(t *testing.T) {
		got, _ := correspond(t, map[string]string{"EDITOR": "exit 3;"}, nil, url)
		if got.Status != 3 || !strings.Contains(got.Err, "nothing was sent: the editor") || len(savedDraft(t)) != 1 {
			t.Errorf("correspond(%q) = %+v, want status 3, %q in err and 1 of kept(t)", url, got, "nothing was sent: the editor")
		}
	})
	t.Run("a text that can't be sent", func(t *testing.T) {
		got, seen := correspond(t, map[string]string{"EDITOR": `printf '\351' >`}, []answered{{"Edit it? [e/N] ", "y\n"}, {"[e/N] ", "n\n"}}, url)
		if got.Status != 0 || !strings.Contains(seen, "not valid UTF-8") {
			t.Errorf("correspond(%q) = %+v, %q, want status 0 and %q in seen", url, got, seen, "not valid UTF-8")
		}
	})
	if after := len(p.messages()); after != before {
		t.Errorf("%d messages were sent", after-before)
	}
	t.Run("refused, and again", func(t *testing.T) {
		p.mu.Lock()
		p.refuse = true
		p.mu.Unlock()
		got, seen := correspond(t, way, []answered{{sendIt, "y\n"}, {sendIt, "yes\n"}}, "--body", "x", url)
		if got.Status != 0 || len(p.messages()) != before+1 || !strings.Contains(seen, "the message was not sent, because 1 of 1 recipients were refused") ||
			!strings.Contains(seen, `450 4.2.1 "not \x1b[2Jnow" (temporary: try again later)`) || strings.Contains(seen, "\x1b") {
			t.Errorf("correspond(--body, x, %q) = %+v, %q, want status 0, %d of p.messages(), %q in seen, %q in seen and no %q in seen", url, got, seen, before+1, "the message was not sent, because 1 of 1 recipients were refused", `450 4.2.1 "not \x1b[2Jnow" (temporary: try again later)`, "\x1b")
		}
	})
	t.Run("sendmail", func(t *testing.T) {
		dir := t.TempDir()
		program := filepath.Join(dir, "sendmail")
		if err := os.WriteFile(program, []byte("#!/bin/sh\nprintf '%s\\n' \"$@\" > '"+dir+"/args'\ncat > '"+dir+"/text'\n"), 0o777); err != nil {
			t.Fatal(err)
		}
		env := map[string]string{"LOCUS_MAIL_SENDMAIL": program + " -x", "LOCUS_MAIL_RELAY": way["LOCUS_MAIL_RELAY"]}
		got, seen := correspond(t, env, []answered{{sendIt, "y\n"}}, "--send-with", "sendmail", "--body", "x", url)
		args, err := os.ReadFile(filepath.Join(dir, "args"))
		if got.Status != 0 || err != nil || string(args) != "-x\n-i\n-f\nfred@example.net\n--\njoe@host.dom\n" || !strings.Contains(seen, "By        "+program+" -x\r\n") {
			t.Errorf("%+v, %v, %q, %q, want status 0, no error, args %q and %q in seen", got, err, args, seen, "-x\n-i\n-f\nfred@example.net\n--\njoe@host.dom\n", "By        "+program+" -x\r\n")
		}
	})
}

// If TLS fails, the command sends nothing and does not prompt for a password.
func TestOpenMailtoTLS(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			tls.Server(conn, &tls.Config{}).Handshake()
			conn.Close()
		}
	}()
	got, seen := correspond(t, map[string]string{"LOCUS_MAIL_RELAY": "smtps://fred@" + l.Addr().String()}, []answered{{sendIt, "y\n"}, {sendIt, "n\n"}}, "--body", "x", "mailto:a@b")
	if got.Status != base.StatusAccess || !strings.Contains(seen, "submit: smtps://fred@"+l.Addr().String()+": TLS: ") || !strings.Contains(got.Err, "nothing was sent") {
		t.Errorf("correspond(--body, x, mailto:a@b) = %+v, %q, want status %d, %q in seen and %q in err", got, seen, base.StatusAccess, "submit: smtps://fred@"+l.Addr().String()+": TLS: ", "nothing was sent")
	}
}

// scriptedRelay starts an SMTP server that runs until the end of the test. The map answers
// contains the reply to a whole line, or to all commands with the same first word.
func scriptedRelay(t *testing.T, answers map[string]string) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var conversations sync.WaitGroup
	talk := func(conn net.Conn) {
		defer conn.Close()
		lines := bufio.NewScanner(conn)
		io.WriteString(conn, "220 mail.example ESMTP\r\n")
		for lines.Scan() {
			line := lines.Text()
			verb, _, _ := strings.Cut(line, " ")
			answer := cmp.Or(answers[line], answers[verb], "250 2.0.0 ok\r\n")
			io.WriteString(conn, answer)
			if strings.HasPrefix(answer, "354") {
				for lines.Scan() && lines.Text() != "." {
				}
				if answers["."] == "" {
					return
				}
				io.WriteString(conn, answers["."])
			}
			if verb == "QUIT" {
				return
			}
		}
	}
	conversations.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conversations.Go(func() { talk(conn) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		conversations.Wait()
	})
	return l.Addr().String()
}

// If the relay rejects a message, the command fails, even if the user then decides not to send the
// message.
func TestOpenMailtoRefused(t *testing.T) {
	for _, row := range []struct {
		name    string
		answers map[string]string
		says    []string
		not     string
	}{
		{"all recipients", map[string]string{"RCPT": "550 5.1.1 no \x1b[2Jsuch user\r\n"}, []string{"2 of 2 recipients were refused", "nothing was sent"}, "\x1b"},
		{"all recipients, for now", map[string]string{"RCPT": "450 4.2.1 later\r\n"}, []string{"2 of 2 recipients were refused", "try again later"}, ""},
		{"some recipients", map[string]string{"RCPT TO:<b@h>": "550 5.1.1 no such user\r\n", "DATA": "354 go on\r\n", ".": "250 ok\r\n"}, []string{"1 of 2 recipients were refused", "nothing was sent"}, "were sent"},
		{"DATA", map[string]string{"DATA": "451 4.3.0 disk full\r\n"}, []string{"DATA: the server says 451", "nothing was sent"}, ""},
		{"after DATA", map[string]string{"DATA": "354 go on\r\n", ".": "554 5.6.0 spam\r\n"}, []string{`the message: the server says 554 5.6.0 "spam"`, "nothing was sent"}, ""},
		{"after DATA, all by one answer", map[string]string{"DATA": "554 5.5.1 no valid recipients\r\n"}, []string{"DATA: the server says 554", "nothing was sent"}, ""},
		{"no answer after DATA", map[string]string{"DATA": "354 go on\r\n"}, []string{"may or may not have been accepted"}, "nothing was sent"},
		{"the sender", map[string]string{"MAIL": "550 5.7.1 not you\r\n"}, []string{`MAIL "fred@example.net": the server says 550`}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			env := map[string]string{"LOCUS_MAIL_RELAY": "smtp+clear://" + scriptedRelay(t, row.answers)}
			got, seen := correspond(t, env, []answered{{sendIt, "y\n"}, {sendIt, "n\n"}}, "--body", "x", "--cc", "b@h", "mailto:a@h")
			if got.Status != base.StatusAccess || strings.Contains(got.Err+seen, "was sent to") || row.not != "" && strings.Contains(got.Err, row.not) {
				t.Errorf("correspond(--body, x, --cc, b@h, mailto:a@h) = %+v, %q, want status %d and no %q in got.Err + seen", got, seen, base.StatusAccess, "was sent to")
			}
			for _, says := range row.says {
				if !strings.Contains(got.Err, says) {
					t.Errorf("%q lacks %q", got.Err, says)
				}
			}
		})
	}
	t.Run("written to a file instead", func(t *testing.T) {
		t.Chdir(t.TempDir())
		env := map[string]string{"LOCUS_MAIL_RELAY": "smtp+clear://" + scriptedRelay(t, map[string]string{"RCPT": "550 no\r\n"})}
		got, _ := correspond(t, env, []answered{{sendIt, "y\n"}, {sendIt, "w\n"}, {"File: ", "x.eml\n"}}, "--body", "x", "mailto:a@h")
		if _, err := os.Stat("x.eml"); err != nil || got.Status != 0 {
			t.Errorf("correspond(--body, x, mailto:a@h) = %+v, %v, want no error and status 0", got, err)
		}
	})
}

// The login for a relay comes from netrc, or from a prompt at the terminal.
func TestRelayLogin(t *testing.T) {
	l, person, _ := terminalLogin(t)
	relay := submit.Relay{Security: submit.TLS, Host: "mail.example", User: "fred"}
	all := play(t, person, []answered{{"smtps://mail.example:465 requires a login.\r\nPassword of fred: ", "s3cret\r"}, {"\r\n", ""}})
	want := submit.Credentials{User: "fred", Password: "s3cret"}
	if c, ok, err := l.AskRelay(t.Context(), relay, 0); err != nil || !ok || c != want {
		t.Errorf("AskRelay() = %+v, %v, %v, want no error, ok true and c %+v", c, ok, err, want)
	}
	if seen := <-all; strings.Contains(seen, "s3cret") {
		t.Errorf("seen: %q", seen)
	}

	netrc := filepath.Join(t.TempDir(), "netrc")
	if err := os.WriteFile(netrc, []byte("machine mail.example login ann password no\nmachine mail.example login fred password n3trc\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l = client.NewLogin(&base.App{Getenv: func(name string) string { return map[string]string{"NETRC": netrc}[name] }})
	if c, ok, err := l.AskRelay(t.Context(), relay, 0); err != nil || !ok || c != (submit.Credentials{User: "fred", Password: "n3trc"}) {
		t.Errorf("AskRelay() = %+v, %v, %v, want no error, ok true and c %+v", c, ok, err, (submit.Credentials{User: "fred", Password: "n3trc"}))
	}
	// The relay rejected the login, and there is no terminal for a prompt.
	if _, ok, err := l.AskRelay(t.Context(), relay, 1); err != nil || ok {
		t.Errorf("AskRelay() = %v, %v, want no error and ok false", ok, err)
	}
}

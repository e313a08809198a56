package peers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/smtp"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	locusurl "github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/mailstore"
	"github.com/locus-url/locus/message"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/scheme/mid"
	"github.com/locus-url/locus/submit"
)

// systemPython returns the Python interpreter for which Debian packages modules.
func systemPython(t testing.TB) string {
	t.Helper()
	python := need(t, "/usr/bin/python3")
	if err := exec.Command(python, "-c", "import aiosmtpd").Run(); err != nil {
		missing(t, "aiosmtpd is not installed: .ci/peers does that")
	}
	return python
}

// mailServer starts aiosmtpd, which stores mail in the Maildir pub. If secure is true, the server
// requires TLS. Otherwise, it does not support TLS.
func mailServer(t testing.TB, secure bool) *peer {
	t.Helper()
	dir := publicDir(t)
	p := &peer{pub: filepath.Join(dir, "mail")}
	args := []string{p.pub, user, password}
	if secure {
		cert, key := certificate(t, dir)
		p.cert = cert
		args = append(args, cert, key)
	}
	python := systemPython(t)
	p.port = runOnPort(t, func(port int) []string {
		return append([]string{python, "-W", "ignore", "testdata/smtpd.py", fmt.Sprint(port)}, args...)
	})
	return p
}

// mail returns the names of the files in the Maildir.
func (p *peer) mail(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(p.pub, "new", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// relay returns the server as a relay for package submit.
func (p *peer) relay(t testing.TB, scheme string) submit.Relay {
	t.Helper()
	relay, err := submit.ParseRelay(scheme + "://" + p.addr())
	if err != nil {
		t.Fatal(err)
	}
	return relay
}

// answers returns a function that answers each question with the next password.
func answers(passwords ...string) submit.AskFunc {
	return func(_ context.Context, _ submit.Relay, attempt int) (submit.Credentials, bool, error) {
		if attempt >= len(passwords) {
			return submit.Credentials{}, false, nil
		}
		return submit.Credentials{User: user, Password: passwords[attempt]}, true, nil
	}
}

// messageText is the submitted message.
var messageText = submit.Draft{
	From:    submit.Mailbox{Name: "Jos\u00e9 \"Pepe\" Pe\u00f1a", Address: "jose@local.test"},
	To:      []submit.Mailbox{{Name: "\u00c4nne, M\u00fcller", Address: "anne@local.test"}, {Address: "bob%x@local.test"}},
	Cc:      []submit.Mailbox{{Name: "Carol", Address: "carol@local.test"}},
	Bcc:     []submit.Mailbox{{Address: "hidden@local.test"}},
	Subject: "Un caf\u00e9 a 2 \u20ac \u2014 \u6f22\u5b57, " + strings.Repeat("y m\u00e1s ", 20) + "fin",
	Body: "Un caf\u00e9, por favor.\n.\n..two\nFrom the beginning\n-- \n" +
		strings.Repeat("long ", 400) + "end\n\ttabs and spaces at the end \n\u6f22\u5b57 \U0001F600\n",
	Attachments: []submit.Attachment{
		{Name: "men\u00fa del d\u00eda.bin", Type: "application/octet-stream", Content: attachment},
		{Name: "notes.txt", Type: "text/plain", Content: []byte("lines\nof text\n.\n")},
	},
}

func compose(t testing.TB, d submit.Draft) *submit.Message {
	t.Helper()
	m, err := submit.Compose(d)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// pythonMail is a message as the Python package email parses it.
type pythonMail struct {
	Subject, From, To, Cc, MessageID string
	Parts                            []struct {
		Type, Charset, Name string
		Octets              []byte
		Text                string
		Defects             []string
	}
	Defects []string
}

func readByPython(t testing.TB, file string) (m pythonMail) {
	t.Helper()
	out, err := exec.Command(systemPython(t), "testdata/readmail.py", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &m); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return m
}

func TestMailSubmit(t *testing.T) {
	p := mailServer(t, true)
	recorded := startRelay(t, p.port)
	front := &peer{port: recorded.port}
	client := submit.NewSMTP(front.relay(t, "smtp"), new(net.Dialer), &submit.SMTPOptions{TLS: p.trust(t), Ask: answers("wrong", password)})
	if _, err := client.Submit(t.Context(), compose(t, messageText)); err != nil {
		t.Fatal(err)
	}
	if sent := recorded.text(); !strings.Contains(sent, "STARTTLS\r\n") || strings.Contains(sent, "AUTH") || strings.Contains(sent, "MAIL") {
		t.Errorf("sent in clear: %q", sent)
	}
	files := p.mail(t)
	if len(files) != 1 {
		t.Fatalf("the mail is %q", files)
	}
	t.Run("Python", func(t *testing.T) { checkByPython(t, files[0]) })
	t.Run("the store", func(t *testing.T) { checkInStore(t, p.pub, readByPython(t, files[0]).MessageID) })
}

// checkByPython compares the sent message with the received message, which Python parses.
func checkByPython(t *testing.T, file string) {
	got := readByPython(t, file)
	if got.Subject != messageText.Subject {
		t.Errorf("subject %q", got.Subject)
	}
	if want := `"Jos` + "\u00e9" + ` \"Pepe\" Pe` + "\u00f1a" + `" <jose@local.test>`; got.From != want {
		t.Errorf("from %q, want %q", got.From, want)
	}
	if want := `"` + "\u00c4nne, M\u00fcller" + `" <anne@local.test>, bob%x@local.test`; got.To != want {
		t.Errorf("to %q, want %q", got.To, want)
	}
	if got.Cc != "Carol <carol@local.test>" || len(got.Defects) != 0 || len(got.Parts) != 3 {
		t.Fatalf("message = %+v, want Cc Carol <carol@local.test>, no defects, 3 parts", got)
	}
	if text := got.Parts[0]; text.Type != "text/plain" || text.Text != messageText.Body {
		t.Errorf("the text is %+v", text)
	}
	for i, want := range messageText.Attachments {
		part := got.Parts[i+1]
		if part.Type != want.Type || part.Name != want.Name || len(part.Defects) != 0 {
			t.Errorf("a file is %+v", part)
		}
		octets := part.Octets
		if want.Type == "text/plain" {
			octets = bytes.ReplaceAll(octets, []byte("\r\n"), []byte("\n"))
		}
		if !bytes.Equal(octets, want.Content) {
			t.Errorf("%s is %q", want.Name, octets)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	// The server received the address of the recipient that the message does not name.
	head, rest, _ := strings.Cut(string(text), "X-RcptTo: ")
	to, rest, _ := strings.Cut(rest, "\n")
	if strings.Contains(head+rest, "hidden@") || !strings.Contains(to, "hidden@local.test") || !strings.Contains(to, "bob%x@local.test") {
		t.Errorf("the recipients are %q, of\n%s", to, clip(string(text)))
	}
}

// checkInStore checks that package mailstore finds the received message by its identifier.
func checkInStore(t *testing.T, box, messageID string) {
	store, err := mailstore.Open(t.Context(), mailstore.Options{Sources: []string{box}, Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	found, err := store.Find(t.Context(), messageID)
	if err != nil || len(found) != 1 {
		t.Fatalf("%s is at %v, %v", messageID, found, err)
	}
	stored, err := store.Open(found[0])
	if err != nil {
		t.Fatal(err)
	}
	defer stored.Close()
	m, err := message.Parse(stored, stored.Size(), nil)
	if err != nil || len(m.Faults) != 0 {
		t.Fatalf("Parse(stored) = error %v, faults %v, want none", err, m.Faults)
	}
	if m.Subject() != messageText.Subject || m.From()[0].Name != messageText.From.Name || m.To()[0].Name != messageText.To[0].Name {
		t.Errorf("read %q, %+v, %+v", m.Subject(), m.From(), m.To())
	}
	parts := m.Parts()
	if len(parts) != 3 {
		t.Fatalf("parts %+v", parts)
	}
	if text, err := io.ReadAll(parts[0].Text()); err != nil || string(text) != messageText.Body {
		t.Errorf("the text is %q, %v", text, err)
	}
	if octets, err := io.ReadAll(parts[1].Open()); err != nil || !bytes.Equal(octets, attachment) || parts[1].Name != messageText.Attachments[0].Name {
		t.Errorf("%q is %q, %v", parts[1].Name, octets, err)
	}
}

// A mid URL finds a message from another mail client, and the file in this message.
func TestMailFind(t *testing.T) {
	p := mailServer(t, true)
	sendAsOthers(t, p, thread[2])
	store, err := mailstore.Open(t.Context(), mailstore.Options{Sources: []string{p.pub}, Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	registry, err := all.Registry(mid.Schemes(mid.New(&mid.Options{Store: store}))...)
	if err != nil {
		t.Fatal(err)
	}
	client := access.New(registry, policy.Policy{}, nil)
	defer client.Close()
	open := func(u string, from *access.Result) (*access.Result, string) {
		t.Helper()
		found, err := client.Do(t.Context(), access.Request{URL: locusurl.MustParse(u), From: from})
		if err != nil {
			t.Fatal(err)
		}
		defer found.Resource.Close()
		octets, err := io.ReadAll(found.Resource.(*scheme.Object).Body)
		if err != nil {
			t.Fatal(err)
		}
		return found, string(octets)
	}
	whole, octets := open("mid:files@local.test", nil)
	if m := parse(t, octets); m.Subject() != "Files" || len(m.Parts()) != 3 {
		t.Errorf("the message is %q", clip(octets))
	}
	for u, from := range map[string]*access.Result{"mid:files@local.test/blob%251@local.test": nil, "cid:blob%251@local.test": whole} {
		if _, octets := open(u, from); octets != string(attachment) {
			t.Errorf("%s is %q", u, octets)
		}
	}
	_, err = client.Do(t.Context(), access.Request{URL: locusurl.MustParse("mid:nobody@local.test")})
	if !errors.Is(err, scheme.ErrNotFound) {
		t.Errorf("what is not there: %v", err)
	}
	// Mail that comes later is found too.
	sendAsOthers(t, p, thread[0])
	if _, octets := open("mid:first@local.test", nil); !strings.Contains(octets, "=?iso-8859-1?Q?Un_caf=E9?=") {
		t.Errorf("the message is %q", clip(octets))
	}
}

// sendAsOthers sends a message with a mail client of another project.
func sendAsOthers(t testing.TB, p *peer, octets string) {
	t.Helper()
	c, err := smtp.Dial(p.addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	config := p.trust(t)
	config.ServerName = "127.0.0.1"
	w := io.WriteCloser(nil)
	for _, step := range []func() error{
		func() error { return c.StartTLS(config) },
		func() error { return c.Auth(smtp.PlainAuth("", user, password, "127.0.0.1")) },
		func() error { return c.Mail("jose@local.test") },
		func() error { return c.Rcpt("anne@local.test") },
		func() (err error) { w, err = c.Data(); return err },
		func() error { _, err := io.WriteString(w, octets); return err },
		func() error { return w.Close() },
		func() error { return c.Quit() },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestMailLogin(t *testing.T) {
	p := mailServer(t, true)
	for what, ask := range map[string]submit.AskFunc{"a wrong password": answers("wrong"), "nobody to ask": nil} {
		client := submit.NewSMTP(p.relay(t, "smtp"), new(net.Dialer), &submit.SMTPOptions{TLS: p.trust(t), Ask: ask})
		if _, err := client.Submit(t.Context(), compose(t, messageText)); err == nil || strings.Contains(err.Error(), password) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if files := p.mail(t); len(files) != 0 {
		t.Errorf("the mail is %q", files)
	}
}

// Without TLS, or with an untrusted certificate, the client sends neither a password nor a
// message.
func TestMailClear(t *testing.T) {
	secure, clear := mailServer(t, true), mailServer(t, false)
	for _, c := range []struct {
		what, scheme string
		p            *peer
		want         error
	}{
		{"the server has no TLS", "smtp", clear, submit.ErrNoTLS},
		{"the certificate is untrusted", "smtp", secure, nil},
		{"the server wants a login, in clear", "smtp+clear", clear, nil},
		{"the server wants TLS", "smtp+clear", secure, nil},
	} {
		t.Run(c.what, func(t *testing.T) {
			recorded := startRelay(t, c.p.port)
			front := &peer{port: recorded.port}
			client := submit.NewSMTP(front.relay(t, c.scheme), new(net.Dialer), &submit.SMTPOptions{Ask: answers(password, password)})
			_, err := client.Submit(t.Context(), compose(t, messageText))
			if err == nil || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
			if sent := recorded.text(); strings.Contains(sent, "AUTH") || strings.Contains(sent, "DATA") || strings.Contains(sent, "BDAT") || c.scheme == "smtp" && strings.Contains(sent, "local.test") {
				t.Errorf("sent %q", sent)
			}
		})
	}
	if files := slices.Concat(secure.mail(t), clear.mail(t)); len(files) != 0 {
		t.Errorf("the mail is %q", files)
	}
}

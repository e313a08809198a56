package open_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locus-url/locus/cmd/locus/internal/commandtest"
	"github.com/locus-url/locus/internal/command/clitest"
	"github.com/locus-url/locus/message"
)

// openMailto runs "locus open" without a terminal.
func openMailto(t *testing.T, args ...string) clitest.Result {
	t.Helper()
	return commandtest.Run(t, nil, append([]string{"open", "--from", "Fred <fred@example.net>"}, args...)...)
}

func TestOpenMailtoOutput(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, octets := range map[string]string{"text": "from a file\n", "ü.bin": "\x00\xff"} {
		if err := os.WriteFile(name, []byte(octets), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got := openMailto(t, "--cc", "Jöe <joe@host.dom>, c@d", "--bcc", "secret@host.dom", "--subject", "Grüße", "--body-file", "text", "--attach", "ü.bin", "-o", "new.eml",
		"mailto:jane%25home@host.dom?subject=other&body=proposed&In-Reply-To=%3C1@h%3E&bcc=spy@evil.example&from=boss@host.dom&attach=/etc/passwd")
	if got.Status != 0 || got.Out != "" {
		t.Fatalf("openMailto(--cc, %q, --bcc, secret@host.dom, --subject, %q, --body-file, text, --attach, %q, -o, new.eml, %q) = %+v, want status 0 and no out", "Jöe <joe@host.dom>, c@d", "Grüße", "ü.bin", "mailto:jane%25home@host.dom?subject=other&body=proposed&In-Reply-To=%3C1@h%3E&bcc=spy@evil.example&from=boss@host.dom&attach=/etc/passwd", got)
	}
	for _, says := range []string{
		"bytes to new.eml; nothing was sent\n", "the file omits the Bcc recipients: secret@host.dom\n", "was read as RFC 6068 fields; in RFC 1738 it is part of the address\n",
		"ignored a field that a URL must not set: bcc: spy@evil.example\n", "must not set: from: boss@host.dom\n", "must not set: attach: /etc/passwd\n",
	} {
		if !strings.Contains(got.Err, says) {
			t.Errorf("%q lacks %q", got.Err, says)
		}
	}
	octets, err := os.ReadFile("new.eml")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(octets), "secret") || strings.Contains(string(octets), "evil") || strings.Contains(string(octets), "boss") {
		t.Errorf("%s, want no %q in octets, no %q in octets and no %q in octets", octets, "secret", "evil", "boss")
	}
	m, err := message.Read(strings.NewReader(string(octets)), nil)
	if err != nil || m.Subject() != "Grüße" || m.Get("To") != "jane%home@host.dom" || m.Get("In-Reply-To") != "<1@h>" || len(m.Addresses("Cc")) != 2 || len(m.Parts()) != 2 {
		t.Errorf("%v\n%s, want no error, m.Subject() %q and 2 of m.Parts()", err, octets, "Grüße")
	}

	// The command does not replace an existing file.
	if got := openMailto(t, "-o", "new.eml", "mailto:a@b"); got.Status != 3 || !strings.Contains(got.Err, "exists") {
		t.Errorf("openMailto(-o, new.eml, mailto:a@b) = %+v, want status 3 and %q in err", got, "exists")
	}
	if again, _ := os.ReadFile("new.eml"); string(again) != string(octets) {
		t.Error("the file changed")
	}
	if got := openMailto(t, "-o", "-", "mailto:a@b?body=x%0D%0A.%0D%0Ay"); got.Status != 0 || !strings.HasSuffix(got.Out, "\r\n\r\nx\r\n.\r\ny\r\n") {
		t.Errorf("openMailto(-o, -, %q) = %+v, want status 0 and %q at the end of out", "mailto:a@b?body=x%0D%0A.%0D%0Ay", got, "\r\n\r\nx\r\n.\r\ny\r\n")
	}
}

func TestOpenMailtoRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, row := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"mailto:a@b"}, 4, "a message must be shown before it is sent, but there is no terminal (use --output FILE to write it to a file)"},
		{[]string{"--body", "x", "--send-with", "file", "mailto:a@b"}, 4, "no terminal"},
		{[]string{"-o", "-", "mailto:a@b?subject=x%0d%0aBcc:%20spy@evil.example"}, 2, "offset 20"},
		{[]string{"-o", "-", "mailto:a@b%0d%0aBcc:spy@evil.example"}, 2, "offset 8: "},
		{[]string{"-o", "-", "mailto:a@b?to=c@d%0aX:y"}, 2, "in an address"},
		{[]string{"-o", "-", "mailto:a@b?cc=c@d%0aX:y"}, 2, "value of a header field"},
		{[]string{"-o", "-", "mailto:a@b?x%0d%0ay=z"}, 2, "header field name"},
		{[]string{"-o", "-", "mailto:a@b?in-reply-to=nothing"}, 3, "invalid message-id"},
		{[]string{"-o", "-", "mailto:a@b?cc=nobody"}, 3, "not an address"},
		{[]string{"-o", "-", "mailto:a@b_c"}, 3, "invalid domain label"},
		{[]string{"-o", "-", "--subject", "x\r\nBcc: a@b", "mailto:a@b"}, 3, "invalid header field: Subject contains the control character CR"},
		{[]string{"-o", "-", "--cc", "a@b\r\nBcc: a@b", "mailto:a@b"}, 2, "--cc: submit: not an address"},
		{[]string{"-o", "-", "--from", "nobody", "mailto:a@b"}, 2, "--from: submit: not an address"},
		{[]string{"-o", "-", "--attach", filepath.Join(dir, "none"), "mailto:a@b"}, 3, "no such file"},
		{[]string{"-o", "-", "--attach", dir, "mailto:a@b"}, 3, "is not a regular file"},
		{[]string{"-o", "-", "--attach", "/dev/zero", "mailto:a@b"}, 3, "is not a regular file"},
		{[]string{"-o", "-", "mailto:?subject=x"}, 3, "the recipient is missing"},
		{[]string{"--body", "x", "--body-file", "y", "mailto:a@b"}, 2, "--body and --body-file"},
		{[]string{"-o", "", "mailto:a@b"}, 2, "--output needs a file name"},
		{[]string{"-o", "x", "--send-with", "smtp", "mailto:a@b"}, 2, "--send-with"},
		{[]string{"--send-with", "pigeon", "mailto:a@b"}, 2, `"pigeon"`},
		{[]string{"--send-with", "smtp", "mailto:a@b"}, 2, "mail.relay"},
		{[]string{"--send-with", "sendmail", "mailto:a@b"}, 2, "mail.sendmail"},
		{[]string{"--subject", "x", "file:///etc/passwd"}, 2, "--from needs a mailto URL"},
	} {
		got := openMailto(t, row.args...)
		if got.Status != row.status || got.Out != "" || !strings.Contains(got.Err, row.says) || strings.Contains(got.Err, "\r") {
			t.Errorf("%q: %+v, want %d, %s", row.args, got, row.status, row.says)
		}
	}
	// The command sends nothing, and the message describes how to send the mail.
	if got := commandtest.Run(t, nil, "open", "-o", "-", "mailto:a@b"); got.Status != 3 || !strings.Contains(got.Err, "mail.from") {
		t.Errorf("Run(open, -o, -, mailto:a@b) = %+v, want status 3 and %q in err", got, "mail.from")
	}
}

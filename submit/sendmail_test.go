package submit_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/locus-url/locus/submit"
)

// TestMain lets the test program act as sendmail.
func TestMain(m *testing.M) {
	if dir := os.Getenv("SUBMIT_TEST_SENDMAIL"); dir != "" {
		os.Exit(sendmail(dir))
	}
	os.Exit(m.Run())
}

// sendmail stores its input and exits with the status in the file "status".
func sendmail(dir string) int {
	os.WriteFile(filepath.Join(dir, "args"), []byte(strings.Join(os.Args[1:], "\n")), 0o600)
	octets, _ := io.ReadAll(os.Stdin)
	os.WriteFile(filepath.Join(dir, "stdin"), octets, 0o600)
	if _, err := os.Stat(filepath.Join(dir, "wait")); err == nil {
		select {}
	}
	said, _ := os.ReadFile(filepath.Join(dir, "says"))
	os.Stderr.Write(said)
	text, _ := os.ReadFile(filepath.Join(dir, "status"))
	status, _ := strconv.Atoi(string(text))
	return status
}

// newSendmail returns a Sendmail for the test program, and its folder.
func newSendmail(t *testing.T, args ...string) (*submit.Sendmail, string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Setenv("SUBMIT_TEST_SENDMAIL", dir)
	s, err := submit.NewSendmail(append([]string{self}, args...))
	if err != nil {
		t.Fatal(err)
	}
	return s, dir
}

func file(t *testing.T, dir, name string) string {
	t.Helper()
	octets, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(octets)
}

func TestSendmail(t *testing.T) {
	s, dir := newSendmail(t, "-C", "my file; $(touch x)")
	d := messageText()
	d.From.Address = "-oQ/tmp@example.org"
	d.To = []submit.Mailbox{box("-bs@host.dom"), box(`"a b; rm"@host.dom`)}
	d.Bcc = []submit.Mailbox{box("secret@host.dom")}
	d.Body = "one\n.\ntwo\n"
	m := compose(t, d)
	if err := s.Submit(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if got, want := file(t, dir, "args"), "-C\nmy file; $(touch x)\n-i\n-f\n-oQ/tmp@example.org\n--\n-bs@host.dom\n\"a b; rm\"@host.dom\nsecret@host.dom"; got != want {
		t.Errorf("arguments %q", got)
	}
	if got, want := file(t, dir, "stdin"), strings.ReplaceAll(text(t, m), "\r\n", "\n"); got != want || strings.Contains(got, "secret") {
		t.Errorf("input %q", got)
	}
}

func TestSendmailFails(t *testing.T) {
	for status, says := range map[int]string{67: "unknown recipient", 75: "try again later", 1: "status 1:", 78: "configuration"} {
		s, dir := newSendmail(t)
		os.WriteFile(filepath.Join(dir, "status"), []byte(strconv.Itoa(status)), 0o600)
		os.WriteFile(filepath.Join(dir, "says"), []byte("no\x1b[2J\n"+strings.Repeat("x", 1<<20)), 0o600)
		err := s.Submit(t.Context(), compose(t, messageText()))
		var program *submit.ProgramError
		if !errors.As(err, &program) || program.Status != status || program.Temporary() != (status == 75) || len(program.Text) > 4<<10 {
			t.Fatalf("%d: %v", status, err)
		}
		if !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), `no\x1b[2J`) {
			t.Errorf("%d: %v", status, err)
		}
	}
	if _, err := submit.NewSendmail(nil); !errors.Is(err, submit.ErrCommand) {
		t.Error(err)
	}
	s, err := submit.NewSendmail([]string{filepath.Join(t.TempDir(), "none")})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Submit(t.Context(), compose(t, messageText())); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestSendmailEnds(t *testing.T) {
	s, dir := newSendmail(t)
	os.WriteFile(filepath.Join(dir, "wait"), nil, 0o600)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- s.Submit(ctx, compose(t, messageText())) }()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestWriteFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "draft.eml")
	m := compose(t, messageText())
	if err := submit.WriteFile(name, m); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name)
	if err != nil || info.Mode().Perm() != 0o600 || file(t, filepath.Dir(name), "draft.eml") != text(t, m) {
		t.Errorf("%v, %v", info, err)
	}
	if err := submit.WriteFile(name, m); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	if err := os.Symlink("elsewhere", name+"x"); err != nil {
		t.Fatal(err)
	}
	if err := submit.WriteFile(name+"x", m); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	if _, err := os.Lstat(filepath.Join(filepath.Dir(name), "elsewhere")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func ExampleCompose() {
	m, err := submit.Compose(submit.Draft{
		From:    submit.Mailbox{Name: "Fred", Address: "fred@example.net"},
		To:      []submit.Mailbox{{Address: "joe@host.dom"}},
		Subject: "Grüße",
		Body:    "Hello.",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.From(), m.Recipients())
	// Output: fred@example.net [joe@host.dom]
}

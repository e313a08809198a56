package client

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/clitest"
	"github.com/locus-url/locus/scheme"
)

func TestPrompt(t *testing.T) {
	l, person, _ := terminalLogin2(t)
	seen := make(chan string)
	go func() {
		r := bufio.NewReader(person)
		text := clitest.Until(t, r, "User: ")
		fmt.Fprint(person, "fred\n")
		text += clitest.Until(t, r, "Password of fred: ")
		fmt.Fprint(person, "s3cret\r")
		seen <- text + clitest.Until(t, r, "\n")
	}()
	c, ok, err := l.Ask(t.Context(), scheme.Question{URL: locus.MustParse("ftp://h/")})
	if want := (scheme.Credentials{User: "fred", Password: "s3cret"}); c != want || !ok || err != nil {
		t.Errorf("Ask() = %+v %v %v, want c %+v, ok true and no error", c, ok, err, want)
	}
	if text := <-seen; strings.Contains(text, "s3cret") || !strings.Contains(text, "ftp://h requires a login.") {
		t.Errorf("seen: %q", text)
	}
}

// After an interrupt in the middle of a password, the terminal echoes again.
func TestPromptInterrupted(t *testing.T) {
	for name, interrupt := range map[string]func(person *os.File, cancel func()){
		"signal": func(_ *os.File, cancel func()) { cancel() },
		"Ctrl-C": func(person *os.File, _ func()) { fmt.Fprint(person, "s3\x03") },
	} {
		l, person, tty := terminalLogin2(t)
		ctx, cancel := context.WithCancel(t.Context())
		l.a.Interrupt = cancel
		go func() {
			clitest.Until(t, bufio.NewReader(person), "Password of fred: ")
			interrupt(person, cancel)
		}()
		_, ok, err := l.Ask(ctx, scheme.Question{URL: locus.MustParse("ftp://h/"), User: "fred"})
		if ok || !errors.Is(err, context.Canceled) || ctx.Err() == nil {
			t.Errorf("%s: %v %v, want ok false, err %v and an error", name, ok, err, context.Canceled)
		}
		f, err := os.OpenFile(tty, os.O_RDWR|unix.O_NOCTTY, 0)
		if err != nil {
			t.Fatal(err)
		}
		state, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
		if err != nil {
			t.Fatal(err)
		}
		if state.Lflag&unix.ECHO == 0 {
			t.Errorf("%s: the terminal has no echo any more", name)
		}
		f.Close()
		// The abandoned read ends with the line.
		fmt.Fprint(person, "\n")
	}
}

// Ctrl-D gives no answer.
func TestPromptNoAnswer(t *testing.T) {
	l, person, _ := terminalLogin2(t)
	go func() {
		clitest.Until(t, bufio.NewReader(person), "Password of fred: ")
		fmt.Fprint(person, "\x04")
	}()
	if _, ok, err := l.Ask(t.Context(), scheme.Question{URL: locus.MustParse("ftp://h/"), User: "fred"}); ok || err == nil {
		t.Errorf("Ask() = %v %v, want ok false and an error", ok, err)
	}
}

func terminalLogin2(t *testing.T) (l *Login, person *os.File, name string) {
	person, name = clitest.NewTTY(t)
	return NewLogin(&base.App{ErrTTY: true, Getenv: clitest.NoEnv, OpenTerminal: clitest.OpenTTY(name)}), person, name
}

package base

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// Terminal is where the person is asked, whatever standard input is.
type Terminal struct {
	*os.File
	in        *bufio.Reader
	interrupt func()
}

// errNoAnswer is that there was no more to read at the terminal.
var ErrNoAnswer = errors.New("no answer")

// openTTY opens the terminal that the program was started from.
func openTTY() (*os.File, error) { return os.OpenFile("/dev/tty", os.O_RDWR, 0) }

// interruptSelf does what Ctrl-C does.
func interruptSelf() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		self.Signal(os.Interrupt)
	}
}

// Terminal opens the terminal. The error is that there is none, and so nobody to
// ask.
func (a *App) Terminal() (*Terminal, error) {
	f, err := a.OpenTerminal()
	if err != nil {
		return nil, err
	}
	return &Terminal{f, bufio.NewReader(f), a.Interrupt}, nil
}

// ReadLine asks for a line, and returns it without its end. Where nothing is left to
// read the error is [errNoAnswer].
func (t *Terminal) ReadLine(ctx context.Context, prompt string) (string, error) {
	fmt.Fprint(t, prompt)
	text, err := answer(ctx, func() (string, error) {
		text, err := t.in.ReadString('\n')
		if err == io.EOF && text != "" {
			err = nil
		}
		return text, err
	})
	if err != nil {
		// What is said next is not said behind the question.
		fmt.Fprintln(t)
	}
	return strings.TrimRight(text, "\r\n"), err
}

// ReadSecret asks for what is not shown while it is typed. It leaves the terminal as
// it was, also when ctx ends in the middle.
func (t *Terminal) ReadSecret(ctx context.Context, prompt string) (string, error) {
	// From here on there is no echo, so nothing is seen of what is typed early.
	before, err := term.MakeRaw(int(t.Fd()))
	if err != nil {
		return "", err
	}
	defer term.Restore(int(t.Fd()), before)
	keys := &keyboard{File: t.File}
	text, err := answer(ctx, func() (string, error) { return term.NewTerminal(keys, "").ReadPassword(prompt) })
	if ctx.Err() == nil && keys.interrupted {
		// Without the echo goes the terminal's own Ctrl-C.
		t.interrupt()
		err = context.Canceled
	}
	if err != nil {
		fmt.Fprint(t, "\r\n")
	}
	return text, err
}

// keyboard is a terminal that takes note of Ctrl-C.
type keyboard struct {
	*os.File
	interrupted bool
}

func (k *keyboard) Read(p []byte) (int, error) {
	n, err := k.File.Read(p)
	if bytes.IndexByte(p[:n], 'C'&0x1F) >= 0 {
		k.interrupted = true
	}
	return n, err
}

// answer waits for what a person types until ctx ends. read goes on then, with
// nobody to hear of it: a read can't be taken back.
func answer(ctx context.Context, read func() (string, error)) (string, error) {
	type result struct {
		Text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := read()
		done <- result{text, err}
	}()
	select {
	case r := <-done:
		if r.err == io.EOF {
			r.err = ErrNoAnswer
		}
		return r.Text, r.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

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

// Terminal is the controlling terminal, which shows prompts even if standard input is not a
// terminal.
type Terminal struct {
	*os.File
	in        *bufio.Reader
	interrupt func()
}

// ErrNoAnswer means that the input at the terminal ended.
var ErrNoAnswer = errors.New("no answer")

// openTTY opens the controlling terminal.
func openTTY() (*os.File, error) { return os.OpenFile("/dev/tty", os.O_RDWR, 0) }

// Descriptor returns the file descriptor of f. It does not call [os.File.Fd], because Close could
// then not end a blocked Read, which would consume the next key that the user types.
func Descriptor(f *os.File) int {
	descriptor := -1
	if c, err := f.SyscallConn(); err == nil {
		c.Control(func(n uintptr) { descriptor = int(n) })
	}
	return descriptor
}

func interruptSelf() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		self.Signal(os.Interrupt)
	}
}

// Terminal opens the terminal. An error means that the command cannot prompt.
func (a *App) Terminal() (*Terminal, error) {
	f, err := a.OpenTerminal()
	if err != nil {
		return nil, err
	}
	interrupt := func() {
		if !a.interrupted() {
			a.Interrupt()
		}
	}
	return &Terminal{f, bufio.NewReader(f), interrupt}, nil
}

// ReadLine prompts for a line. At the end of input it returns [ErrNoAnswer].
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
		// The next message must begin on a new line.
		fmt.Fprintln(t)
	}
	return strings.TrimRight(text, "\r\n"), err
}

// ReadSecret prompts for a line without showing it. It always restores the terminal.
func (t *Terminal) ReadSecret(ctx context.Context, prompt string) (string, error) {
	// Turn the echo off first, so that keys typed early are not shown.
	before, err := term.MakeRaw(Descriptor(t.File))
	if err != nil {
		return "", err
	}
	defer term.Restore(Descriptor(t.File), before)
	keys := &keyboard{File: t.File}
	text, err := answer(ctx, func() (string, error) { return term.NewTerminal(keys, "").ReadPassword(prompt) })
	if ctx.Err() == nil && keys.interrupted {
		// A terminal in raw mode sends no signal for Ctrl-C.
		t.interrupt()
		err = context.Canceled
	}
	if err != nil {
		fmt.Fprint(t, "\r\n")
	}
	return text, err
}

// keyboard is a terminal that detects Ctrl-C.
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

// answer calls the function read and waits for its result. If ctx is cancelled first, answer
// returns an error and discards the result of read.
func answer(ctx context.Context, read func() (string, error)) (string, error) {
	text, err := await(ctx, read)
	if err == io.EOF {
		err = ErrNoAnswer
	}
	return text, err
}

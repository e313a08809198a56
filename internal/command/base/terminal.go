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

// Terminal is the terminal for questions, whatever standard input is.
type Terminal struct {
	*os.File
	in        *bufio.Reader
	interrupt func()
}

// ErrNoAnswer means that the input at the terminal ended.
var ErrNoAnswer = errors.New("no answer")

// openTTY opens the terminal that the program was started from.
func openTTY() (*os.File, error) { return os.OpenFile("/dev/tty", os.O_RDWR, 0) }

// Descriptor returns the file descriptor of f. After [os.File.Fd] instead, Close would not
// end a Read that waits: it would take the next key from the next reader.
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

// Terminal opens the terminal. An error means that no questions can be asked.
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

// ReadLine asks for a line. At the end of the input the error is [ErrNoAnswer].
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
		// The next message begins a new line.
		fmt.Fprintln(t)
	}
	return strings.TrimRight(text, "\r\n"), err
}

// ReadSecret asks for a line that is not shown. It always restores the terminal.
func (t *Terminal) ReadSecret(ctx context.Context, prompt string) (string, error) {
	// Without the echo, nothing that is typed early is shown.
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

// keyboard is a terminal that notices Ctrl-C.
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

// answer waits for read until ctx ends. The result of a later read is lost.
func answer(ctx context.Context, read func() (string, error)) (string, error) {
	text, err := await(ctx, read)
	if err == io.EOF {
		err = ErrNoAnswer
	}
	return text, err
}

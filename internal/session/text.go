// Package session automates interactive sessions: it sends input and waits for output of
// the host. [Text] automates text sessions, and [Screen] automates 3270 sessions.
package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// Driver is a [Text] or a [Screen].
type Driver interface {
	// Send types text.
	Send(text string) error
	// Expect waits until the output of the host matches re.
	Expect(re *regexp.Regexp) error
	// Settle waits until the output does not change for the given time, or until the
	// session ends.
	Settle(silence time.Duration) error
}

// window is the number of bytes at the end of the output that Expect can match.
const window = 64 << 10

// Event is a kind of event that a [Text] reports.
type Event string

const (
	Received Event = "received" // output of the host
	Sent     Event = "sent"     // input, reported before the input is sent
	Matched  Event = "matched"  // output that matched the expression for Expect
	Closed   Event = "closed"   // end of the session, without bytes
)

// Text automates a text session. Its methods must not be called concurrently.
type Text struct {
	ctx    context.Context
	conn   scheme.Terminal
	step   time.Duration // timeout of Send and Expect; zero means no timeout
	report func(e Event, octets []byte) error

	pieces chan []byte // pieces of the output; closed when the output ends
	end    error       // reason why the channel pieces was closed
	output []byte      // output since the last match; at most window bytes
}

// NewText starts to read from conn. The parameter step limits how long Send and Expect wait;
// zero means no limit. When ctx ends, all methods return an error. The methods call the
// function report for each event. If report returns an error, the method returns that error.
// The caller must call Close.
func NewText(ctx context.Context, conn scheme.Terminal, step time.Duration, report func(e Event, octets []byte) error) *Text {
	t := &Text{ctx: ctx, conn: conn, step: step, report: report, pieces: make(chan []byte)}
	go t.read()
	return t
}

func (t *Text) read() {
	defer close(t.pieces)
	buf := make([]byte, 32<<10)
	for {
		n, err := t.conn.Read(buf)
		if n > 0 {
			t.pieces <- bytes.Clone(buf[:n])
		}
		if err != nil {
			t.end = err
			return
		}
	}
}

// Close ends the session.
func (t *Text) Close() error {
	t.conn.Close()
	for range t.pieces {
	}
	return t.report(Closed, nil)
}

// Send sends input to the host, and receives output meanwhile.
func (t *Text) Send(octets string) error {
	select {
	case piece, ok := <-t.pieces:
		if !ok {
			return fmt.Errorf("%w: the host ended the session before all input was sent%s", scheme.ErrProtocol, t.lastLine())
		}
		if err := t.deliver(piece); err != nil {
			return err
		}
	default:
	}
	// Report the event now, so that it comes before the echo of the host.
	if err := t.report(Sent, []byte(octets)); err != nil {
		return err
	}
	sent := make(chan error, 1)
	go func() {
		_, err := io.WriteString(t.conn, octets)
		sent <- err
	}()
	return t.receiveUntil(sent)
}

// receiveUntil receives output until the channel sendResult delivers a result.
func (t *Text) receiveUntil(sendResult <-chan error) error {
	tooLate := timeAfter(t.step)
	pieces := t.pieces
	for {
		select {
		case err := <-sendResult:
			return err
		case piece, ok := <-pieces:
			if !ok {
				// The input may have ended the session.
				pieces = nil
				continue
			}
			if err := t.deliver(piece); err != nil {
				return err
			}
		case <-tooLate:
			return late("the host did not accept the input within %v", t.step)
		case <-t.ctx.Done():
			return context.Cause(t.ctx)
		}
	}
}

// Expect waits until the output since the last match matches re.
func (t *Text) Expect(re *regexp.Regexp) error {
	tooLate := timeAfter(t.step)
	for {
		if at := re.FindIndex(t.output); at != nil {
			match := t.output[at[0]:at[1]]
			t.output = t.output[at[1]:]
			return t.report(Matched, match)
		}
		err := t.receive(tooLate)
		switch {
		case errors.Is(err, errLate):
			return late("no output matched %s within %v%s", locus.Quote(re.String()), t.step, t.lastLine())
		case errors.Is(err, io.EOF):
			return fmt.Errorf("%w: the host ended the session before any output matched %s%s", scheme.ErrProtocol, locus.Quote(re.String()), t.lastLine())
		case err != nil:
			return err
		}
	}
}

// Settle waits until the host sends nothing for the given time, or ends the session.
func (t *Text) Settle(silence time.Duration) error {
	for {
		err := t.receive(time.After(silence))
		switch {
		case errors.Is(err, errLate), errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

func (t *Text) receive(tooLate <-chan time.Time) error {
	select {
	case piece, ok := <-t.pieces:
		if !ok {
			return t.end
		}
		return t.deliver(piece)
	case <-tooLate:
		return errLate
	case <-t.ctx.Done():
		return context.Cause(t.ctx)
	}
}

// deliver passes a piece of the output to the function report, and buffers the piece for
// Expect.
func (t *Text) deliver(piece []byte) error {
	if err := t.report(Received, piece); err != nil {
		return err
	}
	t.output = append(t.output, piece...)
	if n := len(t.output) - window; n > 0 {
		t.output = append(t.output[:0], t.output[n:]...)
	}
	return nil
}

// lastLine returns the last line of the output, quoted for an error message.
func (t *Text) lastLine() string {
	lines := bytes.Split(bytes.TrimSpace(t.output), []byte("\n"))
	if last := bytes.TrimSpace(lines[len(lines)-1]); len(last) > 0 {
		return ", and its last line was " + locus.Quote(string(last))
	}
	return ""
}

// errLate is an internal error that reports a timeout. Callers replace it with a lateError.
var errLate = errors.New("late")

// lateError is the error of a step that timed out.
type lateError string

func (e lateError) Error() string { return string(e) }
func (e lateError) Timeout() bool { return true }

func late(format string, args ...any) error { return lateError(fmt.Sprintf(format, args...)) }

// timeAfter is like time.After, but zero means never.
func timeAfter(limit time.Duration) <-chan time.Time {
	if limit == 0 {
		return nil
	}
	return time.After(limit)
}

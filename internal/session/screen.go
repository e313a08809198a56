package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/telnet"
	"github.com/locus-url/locus/tn3270"
)

// Screen automates a session with 3270 screens. Its methods must not be called
// concurrently.
type Screen struct {
	ctx      context.Context
	terminal telnet.Terminal3270
	step     time.Duration // timeout of a wait; zero means no timeout
	ended    chan struct{} // closed when the session has ended
	end      error         // reason why the session ended
	text     lastText      // text from the host before its first screen; not readable until the channel ended is closed
}

// NewScreen starts to read from the given terminal. The parameter step limits each wait for
// the host; zero means no limit. When ctx ends, all methods return an error. The caller
// must call Close.
func NewScreen(ctx context.Context, terminal telnet.Terminal3270, step time.Duration) *Screen {
	s := &Screen{ctx: ctx, terminal: terminal, step: step, ended: make(chan struct{})}
	go func() {
		defer close(s.ended)
		// The Screen stores only the end of the output, for error messages. The output ends when
		// the session ends.
		if _, s.end = io.Copy(&s.text, terminal); s.end == nil {
			s.end = io.EOF
		}
	}()
	return s
}

// lastText stores the last bytes that were written to it.
type lastText []byte

// maxLastText is the maximum length of a lastText in bytes. It exceeds the length of quoted
// text in an error.
const maxLastText = 512

func (l *lastText) Write(p []byte) (int, error) {
	*l = append(*l, p[max(0, len(p)-maxLastText):]...)
	*l = append((*l)[:0], (*l)[max(0, len(*l)-maxLastText):]...)
	return len(p), nil
}

// Close ends the session. After Close, the screen does not change.
func (s *Screen) Close() {
	s.terminal.Close()
	<-s.ended
}

// Send types text. The character \r in the text is the Enter key.
func (s *Screen) Send(text string) error {
	if err := s.waitReady(); err != nil {
		return err
	}
	for {
		line, rest, enter := strings.Cut(text, "\r")
		if err := s.terminal.Type(line); err != nil || !enter {
			return err
		}
		err := s.Press(tn3270.Enter)
		if rest == "" {
			return err
		}
		if err == nil {
			err = s.waitReady()
		}
		if err != nil {
			return fmt.Errorf("%w; the input is incomplete", err)
		}
		text = rest
	}
}

// Press presses a key.
func (s *Screen) Press(key tn3270.Key) error {
	if err := s.waitReady(); err != nil {
		return err
	}
	select {
	case <-s.ended:
		return fmt.Errorf("%w: the host ended the session before %v was pressed", scheme.ErrProtocol, key)
	default:
		return s.terminal.Press(key)
	}
}

// Expect waits until the text of the screen matches re.
func (s *Screen) Expect(re *regexp.Regexp) error {
	if err := s.waitReady(); err != nil {
		return err
	}
	err := s.waitFor(func(screen *tn3270.Screen) bool { return re.MatchString(screen.Text()) })
	switch {
	case errors.Is(err, errLate):
		return late("no screen matched %s within %v; the screen begins with %s", locus.Quote(re.String()), s.step, s.firstText())
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%w: the host ended the session before any screen matched %s; the screen begins with %s", scheme.ErrProtocol,
			locus.Quote(re.String()), s.firstText())
	}
	return err
}

// firstText returns the first text on the screen, quoted for an error message.
func (s *Screen) firstText() string {
	return locus.Quote(strings.Join(strings.Fields(s.terminal.Screen().Text()), " "))
}

// errKeyboardLocked reports that the host did not unlock the keyboard in time.
var errKeyboardLocked = late("the host did not unlock the keyboard")

// waitReady waits until the host unlocks the keyboard, which means that it has handled the
// last key. If the host ends the session after it has shown a screen, waitReady returns nil.
func (s *Screen) waitReady() error {
	err := s.waitFor(func(screen *tn3270.Screen) bool { return screen.Status().Lock == tn3270.Unlocked })
	switch shown := s.terminal.Screen().Status().Mode != tn3270.ModeNone; {
	case errors.Is(err, io.EOF) && shown:
		return nil
	case errors.Is(err, errLate) && shown:
		return errKeyboardLocked
	case errors.Is(err, errLate), errors.Is(err, io.EOF):
		return s.noScreen()
	}
	return err
}

// noScreen returns the error for a host that sent no screen. The error contains the text
// that the host sent instead. It ends the session first, so that the text is complete.
func (s *Screen) noScreen() error {
	s.Close()
	err := fmt.Errorf("%w: the host sent no 3270 screen", scheme.ErrProtocol)
	if said := strings.TrimSpace(string(s.text)); said != "" {
		return fmt.Errorf("%w, but the text %s", err, locus.Quote(said))
	}
	return err
}

// Settle waits until the screen does not change for the given time, or until the session ends. It
// does not wait longer than the limit of a step, and ignores whether the keyboard is locked.
func (s *Screen) Settle(still time.Duration) error {
	if err := s.waitReady(); err != nil && !errors.Is(err, errKeyboardLocked) {
		return err
	}
	tooLate := timeAfter(s.step)
	for {
		changed := s.terminal.Screen().Changed()
		select {
		case <-changed:
		case <-time.After(still):
			return nil
		case <-tooLate:
			return nil
		case <-s.ended:
			return nil
		case <-s.ctx.Done():
			return context.Cause(s.ctx)
		}
	}
}

// waitFor waits until the function condition returns true for the screen. If the host is too
// slow, the error is errLate. If the host ended the session, the error is io.EOF.
func (s *Screen) waitFor(condition func(*tn3270.Screen) bool) error {
	tooLate := timeAfter(s.step)
	screen := s.terminal.Screen()
	for {
		changed := screen.Changed()
		if condition(screen) {
			return nil
		}
		select {
		case <-changed:
		case <-s.ended:
			if condition(screen) {
				return nil
			}
			return s.end
		case <-tooLate:
			return errLate
		case <-s.ctx.Done():
			return context.Cause(s.ctx)
		}
	}
}

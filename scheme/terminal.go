package scheme

import (
	"fmt"
	"net"
)

// Terminal is the connection of a session. Its methods may be called concurrently.
type Terminal interface {
	net.Conn
	// SetWindow reports the size of the user's window to the service. The caller must call
	// it again after each change.
	SetWindow(columns, rows int) error
	// Echoes reports whether the service echoes input. If it does not, the user's terminal
	// must echo the input, and the client must send whole lines.
	Echoes() bool
	// OnChange registers the function f, which replaces the previous function. The Terminal
	// calls f, on any goroutine, when the result of Echoes or Status may have changed. A nil
	// function unregisters the previous one.
	OnChange(f func())
	// Commands returns the names that Command accepts. They denote signals that are not bytes
	// of the input, such as "break".
	Commands() []string
	// Command sends the named command, which must be one of Commands.
	Command(name string) error
	// Status returns the state of the session, for people and programs.
	Status() []Field
}

// PlainTerminal returns a Terminal for a service without a protocol of its own. The
// service does not echo, accepts no commands, and ignores the size of the window.
func PlainTerminal(c net.Conn) Terminal { return plainTerminal{c} }

type plainTerminal struct{ net.Conn }

func (plainTerminal) SetWindow(int, int) error { return nil }
func (plainTerminal) Echoes() bool             { return false }
func (plainTerminal) OnChange(func())          {}
func (plainTerminal) Commands() []string       { return nil }
func (plainTerminal) Status() []Field          { return nil }

func (plainTerminal) Command(string) error {
	return fmt.Errorf("%w: this service has no commands", ErrUnsupported)
}

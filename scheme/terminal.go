package scheme

import (
	"fmt"
	"net"
)

// Terminal is the connection of a session. Its methods may be called from many
// goroutines at once.
type Terminal interface {
	net.Conn
	// SetWindow tells how large the person's window is, now and whenever that
	// changes, for a service that wants to know.
	SetWindow(columns, rows int) error
	// Echoes reports whether the service shows what is typed. Otherwise that is for
	// the person's own terminal to do, which sends whole lines.
	Echoes() bool
	// OnChange has f called, on some goroutine, when what Echoes or Status return
	// may have changed. nil: nobody.
	OnChange(f func())
	// Commands are the names that Command takes: what a keyboard of the service has
	// keys for, and octets have not, such as "break".
	Commands() []string
	// Command sends one of them.
	Command(name string) error
	// Status tells how the session stands, for people and for programs.
	Status() []Field
}

// PlainTerminal makes a Terminal of a service that is no more than octets: it shows
// nothing of what is typed, takes no commands, and does not ask how large a window
// is.
func PlainTerminal(c net.Conn) Terminal { return plainTerminal{c} }

type plainTerminal struct{ net.Conn }

func (plainTerminal) SetWindow(int, int) error { return nil }
func (plainTerminal) Echoes() bool             { return false }
func (plainTerminal) OnChange(func())          {}
func (plainTerminal) Commands() []string       { return nil }
func (plainTerminal) Status() []Field          { return nil }

func (plainTerminal) Command(string) error {
	return fmt.Errorf("%w: a command, by a service that is no more than octets", ErrUnsupported)
}

package telnet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/locus-url/locus/internal/nvt"
	"github.com/locus-url/locus/scheme"
)

// telnet opens a session by Telnet. It says nothing first: what speaks no Telnet is
// left alone, and what does begins by itself.
func (j *opener) telnet() (scheme.Terminal, error) {
	conn, err := j.dial(TelnetPort, j.req.Dial.DialContext)
	if err != nil {
		return nil, err
	}
	o := &j.client.o
	t := &telnetConn{job: j, columns: o.Columns, rows: o.Rows}
	t.Conn = nvt.New(conn, &nvt.Options{Options: t.options(), Keyboard: true, Command: func(byte) { t.speaks() }, Trace: j.trace})
	return t, nil
}

// trace tells of Telnet's commands. What is typed is told nobody: a password may be
// among it.
func (j *opener) trace(sent bool, text string) { j.req.Traced(sent, text) }

// telnetConn is a session by Telnet.
type telnetConn struct {
	*nvt.Conn
	job *opener

	mu            sync.Mutex // guards the rest
	spoken        bool       // the host speaks Telnet
	columns, rows int
	types         int    // of the terminal, that were told
	charset       string // that was agreed on
	overTLS       bool
	enterNUL      bool // Enter is sent as CR NUL, unless in binary
	onChange      func()
}

// options are those that we agree to. LINEMODE is not: to do without is what
// RFC 1184 has a client do that has no line editing for the host to use. Nor is
// anything that tells the host who somebody is.
func (t *telnetConn) options() []nvt.Option {
	list := []nvt.Option{
		{Code: nvt.Binary, Us: true, Them: true},
		{Code: nvt.Echo, Them: true},
		{Code: nvt.SGA, Us: true, Them: true},
		{Code: nvt.TerminalType, Us: true, Sub: t.typeAsked},
		{Code: nvt.WindowSize, Us: true, Changed: func(us, on bool) {
			if us && on {
				t.tellWindow()
			}
		}},
		{Code: nvt.Charset, Us: true, Them: true, Sub: t.charsetAsked},
		{Code: nvt.StartTLS, Us: true, Changed: func(us, on bool) {
			if us && on {
				t.SubLast(nvt.StartTLS, []byte{follows})
			}
		}, Sub: t.startTLS},
	}
	if len(t.job.client.o.Environment) > 0 {
		list = append(list, nvt.Option{Code: nvt.NewEnvironment, Us: true, Sub: t.environmentAsked})
	}
	for i := range list {
		changed := list[i].Changed
		list[i].Changed = func(us, on bool) {
			if changed != nil {
				changed(us, on)
			}
			t.changed()
		}
	}
	return list
}

// changed notes that the host speaks Telnet, and reports the change.
func (t *telnetConn) changed() {
	t.mu.Lock()
	t.spoken = true
	t.mu.Unlock()
	t.notify()
}

// notify calls the function that OnChange was given.
func (t *telnetConn) notify() {
	t.mu.Lock()
	f := t.onChange
	t.mu.Unlock()
	if f != nil {
		f()
	}
}

// speaks notes that the host speaks Telnet.
func (t *telnetConn) speaks() {
	t.mu.Lock()
	known := t.spoken
	t.mu.Unlock()
	if !known {
		t.changed()
	}
}

// Read implements [scheme.Terminal].
func (t *telnetConn) Read(p []byte) (int, error) {
	n, err := t.Conn.Read(p)
	return n, t.job.asProtocol(err)
}

// asProtocol says what kind of error one of nvt is.
func (j *opener) asProtocol(err error) error {
	if errors.Is(err, nvt.ErrEndless) || errors.Is(err, nvt.ErrRecord) || errors.Is(err, nvt.ErrUpgrade) {
		return fmt.Errorf("%s: %w: %w", j.url.url.Scheme(), scheme.ErrProtocol, err)
	}
	return err
}

func isEOF(err error) bool { return err == io.EOF }

// What a subnegotiation begins with.
const (
	subIs   = 0 // TERMINAL-TYPE, NEW-ENVIRON
	subSend = 1

	charsetRequest  = 1
	charsetAccepted = 2
	charsetRejected = 3

	follows = 1 // START-TLS
)

// typeAsked tells the types of the terminal in turn; the last one twice, which says
// that it is, and then all again (RFC 1091).
func (t *telnetConn) typeAsked(data []byte) {
	if len(data) == 0 || data[0] != subSend {
		return
	}
	list := t.job.client.o.TerminalTypes
	t.mu.Lock()
	i := t.types
	t.types = (i + 1) % (len(list) + 1)
	t.mu.Unlock()
	name := list[min(i, len(list)-1)]
	t.Sub(nvt.TerminalType, append([]byte{subIs}, name...))
	t.changed()
}

// SetWindow implements [scheme.Terminal].
func (t *telnetConn) SetWindow(columns, rows int) error {
	t.mu.Lock()
	t.columns, t.rows = columns, rows
	t.mu.Unlock()
	if !t.Enabled(true, nvt.WindowSize) {
		return nil
	}
	return t.tellWindow()
}

// tellWindow tells how large the window is.
func (t *telnetConn) tellWindow() error {
	t.mu.Lock()
	data := binary.BigEndian.AppendUint16(nil, clamp(t.columns))
	data = binary.BigEndian.AppendUint16(data, clamp(t.rows))
	t.mu.Unlock()
	return t.Sub(nvt.WindowSize, data)
}

func clamp(n int) uint16 { return uint16(min(max(n, 0), 1<<16-1)) }

// charsetAsked takes the first character set of ours that the host offers. None of
// them has to be translated.
func (t *telnetConn) charsetAsked(data []byte) {
	if len(data) < 2 || data[0] != charsetRequest {
		return
	}
	list := string(data[1:])
	if table := "[TTABLE]"; strings.HasPrefix(list, table) && len(list) > len(table) {
		// It offers to send a table, of a version that follows. We have what we have.
		list = list[len(table)+1:]
	}
	if len(list) < 2 {
		return
	}
	offered := strings.Split(list[1:], list[:1])
	for _, ours := range t.job.client.o.Charsets {
		i := slices.IndexFunc(offered, func(theirs string) bool { return strings.EqualFold(ours, theirs) })
		if i < 0 {
			continue
		}
		t.mu.Lock()
		t.charset = ours
		t.mu.Unlock()
		t.Sub(nvt.Charset, append([]byte{charsetAccepted}, offered[i]...))
		t.changed()
		return
	}
	t.Sub(nvt.Charset, []byte{charsetRejected})
}

// startTLS begins TLS once both sides have said that it follows.
func (t *telnetConn) startTLS(data []byte) {
	if len(data) != 1 || data[0] != follows || !t.Enabled(true, nvt.StartTLS) {
		return
	}
	t.mu.Lock()
	t.overTLS = true
	t.mu.Unlock()
	t.job.upgrade(t.Conn)
}

// What NEW-ENVIRON writes names and values with (RFC 1572).
const (
	envVar = iota
	envValue
	envEscape
	envUserVar
)

// environmentAsked tells the variables that the host asks for, or all. Of one that is
// not there nothing is said.
func (t *telnetConn) environmentAsked(data []byte) {
	if len(data) == 0 || data[0] != subSend {
		return
	}
	answer := []byte{subIs}
	asked := environmentNames(data[1:])
	for _, variable := range t.job.client.o.Environment {
		name, value, ok := strings.Cut(variable, "=")
		if !ok || isUser(name) || asked != nil && !slices.Contains(asked, name) {
			continue
		}
		answer = append(answer, kindOfVariable(name))
		answer = appendEscaped(answer, name)
		answer = append(answer, envValue)
		answer = appendEscaped(answer, value)
	}
	t.Sub(nvt.NewEnvironment, answer)
}

// isUser reports whether a variable names a user.
func isUser(name string) bool {
	return slices.Contains([]string{"USER", "LOGNAME", "USERNAME"}, strings.ToUpper(name))
}

// wellKnown are the variables that RFC 1572 knows, but for USER.
var wellKnown = [...]string{"JOB", "ACCT", "PRINTER", "SYSTEMTYPE", "DISPLAY"}

func kindOfVariable(name string) byte {
	if slices.Contains(wellKnown[:], name) {
		return envVar
	}
	return envUserVar
}

// environmentNames are the names that are asked for. nil: all.
func environmentNames(data []byte) (names []string) {
	for i := 0; i < len(data); i++ {
		switch o := data[i]; {
		case o == envVar || o == envUserVar:
			names = append(names, "")
			continue
		case o == envEscape && i+1 < len(data):
			i++
		}
		if len(names) > 0 {
			names[len(names)-1] += string(data[i : i+1])
		}
	}
	if slices.Equal(names, []string{"", ""}) || slices.Equal(names, []string{""}) {
		// All of one kind, or of both.
		return nil
	}
	return names
}

func appendEscaped(b []byte, text string) []byte {
	for i := range len(text) {
		if text[i] <= envUserVar {
			b = append(b, envEscape)
		}
		b = append(b, text[i])
	}
	return b
}

// Echoes implements [scheme.Terminal].
func (t *telnetConn) Echoes() bool { return t.Enabled(false, nvt.Echo) }

// OnChange implements [scheme.Terminal].
func (t *telnetConn) OnChange(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.onChange = f
}

// commands are those of RFC 854 that a user may send, by the names that telnet
// programs have for them.
var commands = [...]struct {
	name string
	code byte
}{
	{"ao", nvt.AO}, {"ayt", nvt.AYT}, {"brk", nvt.BRK}, {"ec", nvt.EC}, {"el", nvt.EL}, {"eor", nvt.EOR}, {"ga", nvt.GA}, {"ip", nvt.IP}, {"nop", nvt.NOP},
}

// What a user may choose about the ends of lines (RFC 1123 section 3.3.1): "crlf" and
// "crnul" set what Enter sends, and "lf" sends only LF.
const (
	enterCRLF = "crlf"
	enterNUL  = "crnul"
	sendLF    = "lf"
)

// Commands implements [scheme.Terminal].
func (t *telnetConn) Commands() []string {
	var names []string
	for _, c := range commands {
		names = append(names, c.name)
	}
	return append(names, enterCRLF, enterNUL, sendLF)
}

// Command implements [scheme.Terminal].
func (t *telnetConn) Command(name string) error {
	name = strings.ToLower(name)
	switch name {
	case enterCRLF, enterNUL:
		t.mu.Lock()
		t.enterNUL = name == enterNUL
		t.mu.Unlock()
		t.SetEnter(name == enterNUL)
		t.notify()
		return nil
	case sendLF:
		return t.WriteOctets([]byte("\n"))
	}
	for _, c := range commands {
		if c.name == name {
			return t.Conn.Command(c.code)
		}
	}
	return fmt.Errorf("telnet: %w: it has no such command", scheme.ErrUnsupported)
}

// Status implements [scheme.Terminal].
func (t *telnetConn) Status() []scheme.Field {
	t.mu.Lock()
	protocol, charset, overTLS := "telnet", t.charset, t.overTLS
	window := strconv.Itoa(t.columns) + "x" + strconv.Itoa(t.rows)
	asked := t.types > 0
	enter := "CR LF"
	if t.enterNUL {
		enter = "CR NUL"
	}
	if !t.spoken {
		protocol = "none: the host has not spoken Telnet yet"
	}
	t.mu.Unlock()
	if t.Enabled(true, nvt.Binary) {
		enter = "CR"
	}
	list := []scheme.Field{
		{Name: "protocol", Value: protocol},
		{Name: "echo", Value: t.Echoes()},
		{Name: "suppressGoAhead", Value: t.Enabled(false, nvt.SGA)},
		{Name: "binarySent", Value: t.Enabled(true, nvt.Binary)},
		{Name: "binaryReceived", Value: t.Enabled(false, nvt.Binary)},
		{Name: "enter", Value: enter},
		{Name: "window", Value: window},
		{Name: "windowTold", Value: t.Enabled(true, nvt.WindowSize)},
		{Name: "terminalTypeTold", Value: asked},
		{Name: "tls", Value: overTLS},
	}
	if charset != "" {
		list = append(list, scheme.Field{Name: "charset", Value: charset})
	}
	return list
}

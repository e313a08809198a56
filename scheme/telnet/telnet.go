package telnet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/locus-url/locus/internal/nvt"
	"github.com/locus-url/locus/scheme"
)

// telnet opens a Telnet session. The client waits for the host to send first, because a host
// without Telnet would read Telnet commands as input.
func (op *opener) telnet() (scheme.Terminal, error) {
	conn, err := op.dial(TelnetPort, op.req.Dial.DialContext)
	if err != nil {
		return nil, err
	}
	o := &op.client.o
	t := &telnetConn{opener: op, columns: o.Columns, rows: o.Rows}
	command := func(byte) {
		if !t.usesTelnet.Load() {
			t.recordChange()
		}
	}
	t.Conn = nvt.New(conn, &nvt.Options{Options: t.options(), Keyboard: true, Command: command, Changed: func(bool, byte, bool) { t.recordChange() }, Trace: op.trace})
	return t, nil
}

// trace reports Telnet commands. It never reports the user's input, which may contain a password.
func (op *opener) trace(sent bool, text string) { op.req.Traced(sent, text) }

type telnetConn struct {
	*nvt.Conn
	observer
	opener     *opener
	usesTelnet atomic.Bool // the host uses Telnet

	mu            sync.Mutex // guards the fields below
	columns, rows int
	typesSent     int    // number of terminal types sent
	charset       string // negotiated character set
	overTLS       bool
	enterNUL      bool // the client sends Enter as CR NUL, except in binary mode
}

// options returns the options that the client accepts. It excludes LINEMODE, as RFC 1184
// requires for a client without line editing. It also excludes any option that identifies
// the user.
func (t *telnetConn) options() []nvt.Option {
	list := []nvt.Option{
		{Code: nvt.Binary, Us: true, Them: true},
		{Code: nvt.Echo, Them: true},
		{Code: nvt.SGA, Us: true, Them: true},
		{Code: nvt.TerminalType, Us: true, Sub: t.terminalType},
		{Code: nvt.WindowSize, Us: true, Changed: func(us, on bool) {
			if us && on {
				t.sendWindow()
			}
		}},
		{Code: nvt.Charset, Us: true, Them: true, Sub: t.charsetRequest},
		t.opener.startTLS(t, func() {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.overTLS = true
		}),
	}
	if len(t.opener.client.o.Environment) > 0 {
		list = append(list, nvt.Option{Code: nvt.NewEnvironment, Us: true, Sub: t.sendEnvironment})
	}
	return list
}

// recordChange records that the host uses Telnet. It also reports that the state of the session has
// changed.
func (t *telnetConn) recordChange() {
	t.usesTelnet.Store(true)
	t.notify()
}

// Read implements [scheme.Terminal].
func (t *telnetConn) Read(p []byte) (int, error) {
	n, err := t.Conn.Read(p)
	return n, t.opener.asProtocol(err)
}

func (op *opener) asProtocol(err error) error {
	if errors.Is(err, nvt.ErrEndless) || errors.Is(err, nvt.ErrRecord) || errors.Is(err, nvt.ErrUpgrade) {
		return fmt.Errorf("%s: %w: %w", op.url.url.Scheme(), scheme.ErrProtocol, err)
	}
	return err
}

// terminalType sends the terminal types in turn. It sends the last type twice to mark
// the end, and then starts again (RFC 1091).
func (t *telnetConn) terminalType(data []byte) {
	if len(data) == 0 || data[0] != nvt.Send {
		return
	}
	list := t.opener.client.o.TerminalTypes
	t.mu.Lock()
	i := t.typesSent
	t.typesSent = (i + 1) % (len(list) + 1)
	t.mu.Unlock()
	name := list[min(i, len(list)-1)]
	t.Sub(nvt.TerminalType, append([]byte{nvt.Is}, name...))
	t.recordChange()
}

// SetWindow implements [scheme.Terminal].
func (t *telnetConn) SetWindow(columns, rows int) error {
	t.mu.Lock()
	t.columns, t.rows = columns, rows
	t.mu.Unlock()
	if !t.Enabled(true, nvt.WindowSize) {
		return nil
	}
	return t.sendWindow()
}

func (t *telnetConn) sendWindow() error {
	t.mu.Lock()
	data := binary.BigEndian.AppendUint16(nil, clamp(t.columns))
	data = binary.BigEndian.AppendUint16(data, clamp(t.rows))
	t.mu.Unlock()
	return t.Sub(nvt.WindowSize, data)
}

func clamp(n int) uint16 { return uint16(min(max(n, 0), 1<<16-1)) }

// charsetRequest accepts a character set that the host offers. It selects the first such set in
// the client's list. The client does not translate the data.
func (t *telnetConn) charsetRequest(data []byte) {
	if len(data) < 2 || data[0] != nvt.CharsetRequest {
		return
	}
	list := string(data[1:])
	if table := "[TTABLE]"; strings.HasPrefix(list, table) && len(list) > len(table) {
		// Skip the translation table offer and the version of that table.
		list = list[len(table)+1:]
	}
	if len(list) < 2 {
		return
	}
	offered := strings.Split(list[1:], list[:1])
	for _, ours := range t.opener.client.o.Charsets {
		i := slices.IndexFunc(offered, func(theirs string) bool { return strings.EqualFold(ours, theirs) })
		if i < 0 {
			continue
		}
		t.mu.Lock()
		t.charset = ours
		t.mu.Unlock()
		t.Sub(nvt.Charset, append([]byte{nvt.CharsetAccepted}, offered[i]...))
		t.recordChange()
		return
	}
	t.Sub(nvt.Charset, []byte{nvt.CharsetRejected})
}

// sendEnvironment sends the variables that the host requests, or all variables. It skips
// unknown variables.
func (t *telnetConn) sendEnvironment(data []byte) {
	if len(data) == 0 || data[0] != nvt.Send {
		return
	}
	answer := []byte{nvt.Is}
	asked := environmentNames(data[1:])
	for _, variable := range t.opener.client.o.Environment {
		name, value, ok := strings.Cut(variable, "=")
		if !ok || slices.Contains(userVariables, strings.ToUpper(name)) || asked != nil && !slices.Contains(asked, name) {
			continue
		}
		kind := nvt.EnvUserVar
		if slices.Contains(wellKnown, name) {
			kind = nvt.EnvVar
		}
		answer = appendEscaped(append(answer, kind), name)
		answer = appendEscaped(append(answer, nvt.EnvValue), value)
	}
	t.Sub(nvt.NewEnvironment, answer)
}

var (
	wellKnown     = []string{"JOB", "ACCT", "PRINTER", "SYSTEMTYPE", "DISPLAY"} // variables defined in RFC 1572, except USER
	userVariables = []string{"USER", "LOGNAME", "USERNAME"}                     // variables that the client never sends
)

// environmentNames returns the names that the host requests. If the host requests all
// variables, it returns nil.
func environmentNames(data []byte) (names []string) {
	for i := 0; i < len(data); i++ {
		switch o := data[i]; {
		case o == nvt.EnvVar || o == nvt.EnvUserVar:
			names = append(names, "")
			continue
		case o == nvt.EnvEscape && i+1 < len(data):
			i++
		}
		if len(names) > 0 {
			names[len(names)-1] += string(data[i : i+1])
		}
	}
	if slices.Equal(names, []string{"", ""}) || slices.Equal(names, []string{""}) {
		return nil // the host requests all variables of one or both kinds
	}
	return names
}

func appendEscaped(b []byte, text string) []byte {
	for i := range len(text) {
		if text[i] <= nvt.EnvUserVar {
			b = append(b, nvt.EnvEscape)
		}
		b = append(b, text[i])
	}
	return b
}

// Echoes implements [scheme.Terminal].
func (t *telnetConn) Echoes() bool { return t.Enabled(false, nvt.Echo) }

// commands maps the names of the RFC 854 commands that a user may send to their codes.
var commands = map[string]byte{
	"ao": nvt.AO, "ayt": nvt.AYT, "brk": nvt.BRK, "ec": nvt.EC, "el": nvt.EL, "eor": nvt.EOR, "ga": nvt.GA, "ip": nvt.IP, "nop": nvt.NOP,
}

// These constants are the commands for line ends (RFC 1123 section 3.3.1). The commands "crlf" and
// "crnul" select the octets that the Enter key sends, and "lf" sends LF.
const (
	enterCRLF = "crlf"
	enterNUL  = "crnul"
	sendLF    = "lf"
)

// Commands implements [scheme.Terminal].
func (t *telnetConn) Commands() []string {
	return append(slices.Sorted(maps.Keys(commands)), enterCRLF, enterNUL, sendLF)
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
	if code, ok := commands[name]; ok {
		return t.Conn.Command(code)
	}
	return fmt.Errorf("telnet: %w: unknown command", scheme.ErrUnsupported)
}

// Status implements [scheme.Terminal].
func (t *telnetConn) Status() []scheme.Field {
	t.mu.Lock()
	protocol, charset, overTLS := "telnet", t.charset, t.overTLS
	window := strconv.Itoa(t.columns) + "x" + strconv.Itoa(t.rows)
	asked := t.typesSent > 0
	enter := "CR LF"
	if t.enterNUL {
		enter = "CR NUL"
	}
	if !t.usesTelnet.Load() {
		protocol = "none: the host has sent no Telnet command yet"
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

package nvt

import (
	"bytes"
	"errors"
	"net"
	"sync"
	"time"
)

// ErrEndless means that the other side never ends a subnegotiation, or only negotiates
// options.
var ErrEndless = errors.New("the negotiation does not end")

// ErrRecord means that a record exceeds its limit.
var ErrRecord = errors.New("the record is too long")

// ErrUpgrade means that the other side withdrew an announced upgrade such as TLS.
var ErrUpgrade = errors.New("the host requested TLS and then refused it")

// ErrHeld means that the caller wrote too much data during an upgrade.
var ErrHeld = errors.New("too much data was sent before TLS started")

const (
	// maxNegotiations is the maximum number of commands about options without a pause
	// between them: a hundred times as many as in real sessions.
	maxNegotiations = 1 << 14
	// A pause of negotiationPause resets the count of commands. To check that the client is alive,
	// some hosts send TIMING-MARK every few seconds or minutes, for days.
	negotiationPause = time.Second
	// maxHeld is the maximum number of octets that are buffered until TLS has begun.
	maxHeld = 64 << 10
)

// Options configure a Conn. The zero value accepts no option.
type Options struct {
	Options []Option
	// Keyboard means that the data of Write is a user's input: CR is the Enter key, sent
	// as CR LF (RFC 1123 section 3.3.1). Otherwise the data is output for a printer: CR
	// is a carriage return, sent as CR NUL (RFC 854).
	Keyboard bool
	// Command is called with each command that is not about options, after the data
	// before it has been read. It may be nil.
	Command func(command byte)
	// Changed is called after [Option.Changed], for each option. It may be nil.
	Changed func(us bool, code byte, on bool)
	// Trace is called with a description of each command that is sent or received. It may be nil.
	Trace func(sent bool, text string)
}

// Conn is one side of a Telnet connection. Read and Next must not be called
// concurrently with each other; all other methods may. Read calls the functions of the
// options.
type Conn struct {
	net.Conn // the underlying connection

	stream          net.Conn // connection for reading and writing: Conn, or TLS over Conn; set by Read
	o               Options
	options         map[byte]*Option
	scan            scanner
	raw             []byte // read buffer
	in              []byte // the part of raw that was not scanned yet
	err             error  // error of the connection; returned after all of in was scanned
	negotiations    int    // commands about options since the last pause
	lastNegotiation time.Time
	upgrade         func(net.Conn) (net.Conn, error)

	mu         sync.Mutex // guards the fields below, and writes to the connection
	us         [256]optionState
	them       [256]optionState
	out        []byte
	enterNUL   bool   // send Enter as CR NUL
	hold       bool   // send nothing until the upgrade
	held       []byte // data to send after the upgrade
	holdOption byte   // option that starts the upgrade
}

// New returns one side of a Telnet connection over c. o may be nil.
func New(c net.Conn, o *Options) *Conn {
	t := &Conn{Conn: c, stream: c, options: make(map[byte]*Option), raw: make([]byte, 32<<10)}
	if o != nil {
		t.o = *o
	}
	for i := range t.o.Options {
		t.options[t.o.Options[i].Code] = &t.o.Options[i]
	}
	return t
}

// Read returns the data between commands. It returns CR NUL as CR unless the other side
// sends in binary.
func (c *Conn) Read(p []byte) (n int, err error) {
	for n == 0 && len(p) > 0 {
		if n, _, err = c.Next(p); err != nil && n == 0 {
			return 0, err
		}
	}
	return n, nil
}

// Next reads up to the next command and handles it. It returns the data before the
// command, possibly none. The result end reports whether the command was the end of a
// record.
func (c *Conn) Next(p []byte) (n int, end bool, err error) {
	if len(c.in) == 0 {
		if c.err != nil {
			return 0, false, c.err
		}
		var got int
		got, c.err = c.stream.Read(c.raw)
		c.in = c.raw[:got]
	}
	n, used, e := c.scan.scan(p, c.in)
	c.in = c.in[used:]
	switch e {
	case commandEvent:
		c.command(c.scan.verb)
		return n, c.scan.verb == EOR, nil
	case optionEvent:
		err = c.option(c.scan.verb, c.scan.option)
	case subEvent:
		err = c.subnegotiation()
	case endlessEvent:
		err = ErrEndless
	}
	if err != nil {
		c.in, c.err = nil, err
	}
	return n, false, err
}

func (c *Conn) command(command byte) {
	if command != EOR {
		// Callers that use records trace them.
		c.trace(false, command)
	}
	if c.o.Command != nil {
		c.o.Command(command)
	}
}

// isEndless counts a command about options and reports whether there are too many.
func (c *Conn) isEndless() bool {
	now := time.Now()
	if now.Sub(c.lastNegotiation) > negotiationPause {
		c.negotiations = 0
	}
	c.negotiations, c.lastNegotiation = c.negotiations+1, now
	return c.negotiations > maxNegotiations
}

func (c *Conn) option(verb, code byte) error {
	c.trace(false, verb, code)
	if c.isEndless() {
		return ErrEndless
	}
	us, on := verb == DO || verb == DONT, verb == DO || verb == WILL
	o := c.options[code]
	agreed := o != nil && (us && o.Us || !us && o.Them)
	c.mu.Lock()
	asked := false
	was, is, err := c.change(us, code, func(s optionState) (optionState, answer) {
		asked = s == wantYes || s == wantYesOpposite
		return s.receive(on, agreed)
	})
	// TN3270E is binary in both directions, whatever the sides negotiated (RFC 2355 section 4).
	c.scan.binary = c.them[Binary].on() || c.us[TN3270E].on() || c.them[TN3270E].on()
	c.mu.Unlock()
	if err != nil || o == nil || was == is && !asked {
		return err
	}
	if o.Changed != nil {
		o.Changed(us, is)
	}
	if c.o.Changed != nil {
		c.o.Changed(us, code, is)
	}
	return nil
}

// Ask requests that an option be enabled or disabled. If us is true, the option concerns
// this side, otherwise the other side. Changed reports the outcome.
func (c *Conn) Ask(us bool, code byte, on bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _, err := c.change(us, code, func(s optionState) (optionState, answer) { return s.request(on) })
	return err
}

// side returns the state of an option on one side: this side if us is true, otherwise the other
// side. The caller must hold c.mu.
func (c *Conn) side(us bool, code byte) *optionState {
	if us {
		return &c.us[code]
	}
	return &c.them[code]
}

// change applies a transition to one side of an option and sends the answer. It reports whether the
// option was on before, and whether it is on now. The caller must hold c.mu.
func (c *Conn) change(us bool, code byte, next func(optionState) (optionState, answer)) (was, is bool, err error) {
	s := c.side(us, code)
	was = s.on()
	var reply answer
	*s, reply = next(*s)
	is = s.on()
	if reply != silence && !c.hold {
		err = c.send(reply.command(us), code)
	}
	if c.hold && us && code == c.holdOption && !is {
		err = ErrUpgrade
	}
	return was, is, err
}

// Enabled reports whether an option is in force on this side, if us is true, or on the other
// side.
func (c *Conn) Enabled(us bool, code byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.side(us, code).on()
}

// subnegotiation handles a subnegotiation. If the subnegotiation starts an upgrade, it also
// performs the upgrade.
func (c *Conn) subnegotiation() error {
	code := c.scan.option
	c.trace(false, SB, code)
	if c.isEndless() {
		return ErrEndless
	}
	if o := c.options[code]; o != nil && o.Sub != nil {
		o.Sub(c.scan.sub)
	}
	if c.upgrade == nil {
		return nil
	}
	over, err := c.upgrade(&unread{Conn: c.stream, octets: bytes.Clone(c.in)})
	c.upgrade, c.in = nil, nil
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stream = over
	c.us, c.them, c.scan = [256]optionState{}, [256]optionState{}, scanner{sub: c.scan.sub}
	held := c.held
	if c.hold, c.held = false, nil; len(held) > 0 {
		_, err = over.Write(held)
	}
	return err
}

// Upgrade makes Read call the function wrap after the current subnegotiation. Read then
// replaces the connection with the result and resets all options. Only [Option.Sub] may
// call it.
func (c *Conn) Upgrade(wrap func(net.Conn) (net.Conn, error)) { c.upgrade = wrap }

// unread is a connection with octets that have been read already.
type unread struct {
	net.Conn
	octets []byte
}

func (u *unread) Read(p []byte) (int, error) {
	if len(u.octets) > 0 {
		n := copy(p, u.octets)
		u.octets = u.octets[n:]
		return n, nil
	}
	return u.Conn.Read(p)
}

// Write sends data, with each IAC doubled. In binary nothing else changes (RFC 856).
// Otherwise Write sends LF as CR LF, CR as CR LF or CR NUL (see Options.Keyboard), and
// CR LF and CR NUL unchanged. A CR LF that is split between two writes counts as two
// line ends.
func (c *Conn) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out = c.appendText(c.out[:0], p)
	if err := c.flush(); err != nil {
		return 0, err
	}
	return len(p), nil
}

// WriteOctets sends data with only IAC doubled, in binary or not. Outside binary the
// caller must follow RFC 854: LF and CR NUL are not line ends.
func (c *Conn) WriteOctets(p []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out = appendOctets(c.out[:0], p)
	return c.flush()
}

// SetEnter selects the octets that the Enter key sends: CR NUL, or CR LF. RFC 1123
// section 3.3.1 requires both, and CR LF as the default.
func (c *Conn) SetEnter(nul bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.enterNUL = nul
}

// WriteRecord sends data and the end of a record.
func (c *Conn) WriteRecord(p []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out = append(appendOctets(c.out[:0], p), IAC, EOR)
	return c.flush()
}

// appendText appends p in the form that Write sends. The caller must hold c.mu.
func (c *Conn) appendText(dst, p []byte) []byte {
	if c.us[Binary].on() && !c.hold {
		return appendOctets(dst, p)
	}
	afterCR := byte(0)
	if c.o.Keyboard && !c.enterNUL {
		afterCR = '\n'
	}
	for i := 0; i < len(p); i++ {
		switch o := p[i]; o {
		case IAC:
			dst = append(dst, IAC, IAC)
		case '\n':
			dst = append(dst, '\r', '\n')
		case '\r':
			second := afterCR
			if i+1 < len(p) && (p[i+1] == '\n' || p[i+1] == 0) {
				i++
				second = p[i]
			}
			dst = append(dst, '\r', second)
		default:
			dst = append(dst, o)
		}
	}
	return dst
}

func appendOctets(dst, p []byte) []byte {
	for {
		i := bytes.IndexByte(p, IAC)
		if i < 0 {
			return append(dst, p...)
		}
		dst = append(append(dst, p[:i]...), IAC, IAC)
		p = p[i+1:]
	}
}

// Command sends a command that is not about options.
func (c *Conn) Command(command byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.send(command)
}

// Sub sends a subnegotiation.
func (c *Conn) Sub(code byte, data []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sub(code, data)
}

// SubLast sends the last subnegotiation before [Conn.Upgrade]. Until then Conn buffers
// data, and sends no commands about options, because both sides will reset them. If the
// other side rejects the option after all, the error is [ErrUpgrade].
func (c *Conn) SubLast(code byte, data []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.sub(code, data)
	c.hold, c.holdOption = true, code
	return err
}

// sub sends a subnegotiation. The caller must hold c.mu.
func (c *Conn) sub(code byte, data []byte) error {
	if c.hold {
		return nil
	}
	c.trace(true, SB, code)
	c.out = append(appendOctets(append(c.out[:0], IAC, SB, code), data), IAC, SE)
	return c.flush()
}

// send sends a command of one or two octets. The caller must hold c.mu.
func (c *Conn) send(command ...byte) error {
	c.trace(true, command...)
	c.out = append(append(c.out[:0], IAC), command...)
	return c.flush()
}

// flush writes or holds back c.out. The caller must hold c.mu.
func (c *Conn) flush() error {
	if c.hold {
		if len(c.held)+len(c.out) > maxHeld {
			return ErrHeld
		}
		c.held = append(c.held, c.out...)
		return nil
	}
	_, err := c.stream.Write(c.out)
	return err
}

func (c *Conn) trace(sent bool, command ...byte) {
	if c.o.Trace == nil || len(command) == 0 {
		return
	}
	text := CommandName(command[0])
	if len(command) > 1 {
		text += " " + OptionName(command[1])
	}
	c.o.Trace(sent, text)
}

package nvt

import (
	"bytes"
	"errors"
	"net"
	"sync"
	"time"
)

// ErrEndless means that the other side sent an endless subnegotiation or too many option commands.
var ErrEndless = errors.New("the negotiation does not end")

// ErrRecord means that a record exceeds its limit.
var ErrRecord = errors.New("the record is too long")

// ErrUpgrade means that the other side withdrew an announced upgrade such as TLS.
var ErrUpgrade = errors.New("the host requested TLS and then refused it")

// ErrHeld means that the caller wrote too much data during an upgrade.
var ErrHeld = errors.New("too much data was sent before TLS started")

const (
	// maxNegotiations is the maximum number of option commands without a pause. It is a
	// hundred times the number in real sessions.
	maxNegotiations = 1 << 14
	// After a pause of negotiationPause, Conn resets its count of option commands. To check
	// that the client is alive, some hosts send TIMING-MARK every few seconds or minutes, for
	// days.
	negotiationPause = time.Second
	// maxHeld is the maximum number of octets that Conn buffers until TLS starts.
	maxHeld = 64 << 10
)

// Options configure a Conn. The zero value accepts no option.
type Options struct {
	Options []Option
	// Keyboard means that the caller writes a user's input. Then CR is the Enter key, and
	// Write sends it as CR LF (RFC 1123 section 3.3.1). Otherwise the caller writes printer
	// output. Then CR is a carriage return, and Write sends it as CR NUL (RFC 854).
	Keyboard bool
	// Command is called for each command that is not an option command, after Conn has read
	// the data that precedes the command. It may be nil.
	Command func(command byte)
	// Changed is called for each option, after its [Option.Changed]. It may be nil.
	Changed func(us bool, code byte, on bool)
	// Trace is called with a description of each command that is sent or received. It may be nil.
	Trace func(sent bool, text string)
}

// Conn is one side of a Telnet connection. All methods may be called concurrently, except that
// only one call of Read or Next may run at a time. Read and Next call the functions in [Options].
type Conn struct {
	net.Conn // the underlying connection

	stream          net.Conn // connection for reading and writing: Conn, or TLS over Conn; set by Read
	o               Options
	options         map[byte]*Option
	scan            scanner
	raw             []byte // read buffer
	unscanned       []byte // the part of raw that has not been scanned
	err             error  // connection error; returned when all input has been scanned
	negotiations    int    // option commands since the last pause
	lastNegotiation time.Time
	upgrade         func(net.Conn) (net.Conn, error)

	mu         sync.Mutex // guards the fields below, and writes to the connection
	us         [256]optionState
	them       [256]optionState
	out        []byte
	enterNUL   bool   // send Enter as CR NUL
	isHolding  bool   // delay all output until the upgrade
	pending    []byte // data to send after the upgrade
	holdOption byte   // option that starts the upgrade
}

// New returns one side of a Telnet connection over the network connection c. The options o may be
// nil.
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

// Read reads the data between commands. It converts CR NUL to CR, unless the other side sends in
// binary mode.
func (c *Conn) Read(p []byte) (n int, err error) {
	for n == 0 && len(p) > 0 {
		if n, _, err = c.Next(p); err != nil && n == 0 {
			return 0, err
		}
	}
	return n, nil
}

// Next reads up to the next command and handles that command. It stores the data before
// the command in p, and returns the number of bytes, which may be zero. If the command
// was the end of a record, isRecordEnd is true.
func (c *Conn) Next(p []byte) (n int, isRecordEnd bool, err error) {
	if len(c.unscanned) == 0 {
		if c.err != nil {
			return 0, false, c.err
		}
		var got int
		got, c.err = c.stream.Read(c.raw)
		c.unscanned = c.raw[:got]
	}
	n, used, e := c.scan.scan(p, c.unscanned)
	c.unscanned = c.unscanned[used:]
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
		c.unscanned, c.err = nil, err
	}
	return n, false, err
}

func (c *Conn) command(command byte) {
	if command != EOR {
		// Callers that use records trace the records themselves.
		c.trace(false, command)
	}
	if c.o.Command != nil {
		c.o.Command(command)
	}
}

// isEndless counts an option command, and reports whether there were too many option commands.
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
	// With TN3270E, both directions are always binary (RFC 2355 section 4).
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

// Ask requests that an option be enabled or disabled. If us is true, the request is for this
// side's option, otherwise for the other side's option. The Changed functions report the outcome.
func (c *Conn) Ask(us bool, code byte, on bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _, err := c.change(us, code, func(s optionState) (optionState, answer) { return s.request(on) })
	return err
}

// side returns the state of an option on this side, if us is true, or on the other side. The
// caller must hold c.mu.
func (c *Conn) side(us bool, code byte) *optionState {
	if us {
		return &c.us[code]
	}
	return &c.them[code]
}

// change applies transition to the state of an option and sends the answer. The results wasEnabled
// and isEnabled describe the state before and after the transition. The caller must hold c.mu.
func (c *Conn) change(us bool, code byte, transition func(optionState) (optionState, answer)) (wasEnabled, isEnabled bool, err error) {
	s := c.side(us, code)
	wasEnabled = s.on()
	var reply answer
	*s, reply = transition(*s)
	isEnabled = s.on()
	if reply != silence && !c.isHolding {
		err = c.send(reply.command(us), code)
	}
	if c.isHolding && us && code == c.holdOption && !isEnabled {
		err = ErrUpgrade
	}
	return wasEnabled, isEnabled, err
}

// Enabled reports whether an option is enabled on this side, if us is true, or on the other side.
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
	over, err := c.upgrade(&prefixedConn{Conn: c.stream, octets: bytes.Clone(c.unscanned)})
	c.upgrade, c.unscanned = nil, nil
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stream = over
	c.us, c.them, c.scan = [256]optionState{}, [256]optionState{}, scanner{sub: c.scan.sub}
	held := c.pending
	if c.isHolding, c.pending = false, nil; len(held) > 0 {
		_, err = over.Write(held)
	}
	return err
}

// Upgrade schedules a connection upgrade, such as TLS. After the current subnegotiation, Read
// calls wrap, replaces the connection with the result, and resets all options. Only [Option.Sub]
// may call it.
func (c *Conn) Upgrade(wrap func(net.Conn) (net.Conn, error)) { c.upgrade = wrap }

// prefixedConn is a connection that first returns octets that were already read.
type prefixedConn struct {
	net.Conn
	octets []byte
}

func (u *prefixedConn) Read(p []byte) (int, error) {
	if len(u.octets) > 0 {
		n := copy(p, u.octets)
		u.octets = u.octets[n:]
		return n, nil
	}
	return u.Conn.Read(p)
}

// Write sends data and doubles each IAC. In binary mode, Write changes nothing else (RFC 856).
// Otherwise Write sends LF as CR LF, and CR as CR LF or CR NUL (see [Options].Keyboard). It does
// not change CR LF and CR NUL. If two writes split a CR LF, Write sends two line ends.
func (c *Conn) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out = c.appendText(c.out[:0], p)
	if err := c.flush(); err != nil {
		return 0, err
	}
	return len(p), nil
}

// WriteOctets sends data and doubles each IAC, but does not convert line ends. If the connection
// is not in binary mode, the caller must write the line ends of RFC 854.
func (c *Conn) WriteOctets(p []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out = appendOctets(c.out[:0], p)
	return c.flush()
}

// SetEnter selects the octets that the Enter key sends. They are CR NUL if nul is true, and CR LF
// otherwise. RFC 1123 section 3.3.1 requires a client to support both line ends, with CR LF as the
// default.
func (c *Conn) SetEnter(nul bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.enterNUL = nul
}

// WriteRecord sends p as a record, followed by an end-of-record command.
func (c *Conn) WriteRecord(p []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out = append(appendOctets(c.out[:0], p), IAC, EOR)
	return c.flush()
}

// appendText appends p to dst, encoded as described for Write. The caller must hold c.mu.
func (c *Conn) appendText(dst, p []byte) []byte {
	if c.us[Binary].on() && !c.isHolding {
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

// Command sends a command that is not an option command.
func (c *Conn) Command(command byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.send(command)
}

// Sub sends a subnegotiation of the option code.
func (c *Conn) Sub(code byte, data []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sub(code, data)
}

// SubLast sends the last subnegotiation before [Conn.Upgrade]. Until the upgrade, Conn buffers
// outgoing data. It sends no option commands, because both sides will reset their options. If the
// other side then rejects the option, Read returns [ErrUpgrade].
func (c *Conn) SubLast(code byte, data []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.sub(code, data)
	c.isHolding, c.holdOption = true, code
	return err
}

// sub sends a subnegotiation. The caller must hold c.mu.
func (c *Conn) sub(code byte, data []byte) error {
	if c.isHolding {
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

// flush writes c.out, or buffers it until the upgrade. The caller must hold c.mu.
func (c *Conn) flush() error {
	if c.isHolding {
		if len(c.pending)+len(c.out) > maxHeld {
			return ErrHeld
		}
		c.pending = append(c.pending, c.out...)
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

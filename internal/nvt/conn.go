package nvt

import (
	"bytes"
	"errors"
	"net"
	"strings"
	"sync"
	"time"
)

// ErrEndless is that the other side never ends a subnegotiation, or does nothing
// but ask for options.
var ErrEndless = errors.New("endless negotiation")

// ErrRecord is that a record is longer than it may be.
var ErrRecord = errors.New("the record is too long")

// ErrUpgrade is that the other side takes back what was to begin, such as TLS.
var ErrUpgrade = errors.New("the host asks for TLS, and then refuses it")

// ErrHeld is that too much was written while TLS does not begin.
var ErrHeld = errors.New("too much is sent before TLS has begun")

const (
	// maxNegotiations is the most commands about options that are heard without a
	// pause between them: a hundred times what the most talkative sessions have.
	maxNegotiations = 1 << 14
	// pause is how long they are not heard for them not to be endless. Hosts ask for
	// TIMING-MARK every few seconds or minutes, for days, to know that somebody is
	// there.
	pause = time.Second
	// maxHeld is the most octets that are kept until TLS has begun.
	maxHeld = 64 << 10
)

// Options of a Conn. The zero value agrees to nothing.
type Options struct {
	Options []Option
	// Keyboard says that Write takes what a user types: CR is the Enter key, which is
	// sent as CR LF (RFC 1123 section 3.3.1). Otherwise Write takes what a printer
	// shows, and CR is a carriage return, which is sent as CR NUL (RFC 854).
	Keyboard bool
	// Command is told of each command that is not about options, in its place among
	// the data: what came before it has been read. nil: nobody.
	Command func(command byte)
	// Trace is told of each command, sent or received, in words. nil: nobody.
	Trace func(sent bool, text string)
}

// Conn is one side of a Telnet connection. Read, ReadRecord and Next are for
// one goroutine; the rest may be called from many at once, and the functions of its
// options from where Read is.
type Conn struct {
	net.Conn // beneath it all

	over    net.Conn // what is read and written: the same, or TLS over it; set within Read
	o       Options
	options map[byte]*Option
	scan    scanner
	raw     []byte // room for what is read
	in      []byte // what of it is not scanned yet
	err     error  // of the connection, to be given once in is scanned
	heard   int    // commands about options, since the last pause
	heardAt time.Time
	upgrade func(net.Conn) (net.Conn, error)

	mu         sync.Mutex // guards the rest, and the connection for writing
	us         [256]state
	them       [256]state
	out        []byte
	enterNUL   bool   // Enter is sent as CR NUL
	hold       bool   // nothing is sent until TLS has begun
	held       []byte // what is sent then
	holdOption byte   // the option that does it
}

// New returns one side of a Telnet connection over c. o may be nil.
func New(c net.Conn, o *Options) *Conn {
	t := &Conn{Conn: c, over: c, options: make(map[byte]*Option), raw: make([]byte, 32<<10)}
	if o != nil {
		t.o = *o
	}
	for i := range t.o.Options {
		t.options[t.o.Options[i].Code] = &t.o.Options[i]
	}
	return t
}

// Read returns data: what is between commands, with CR NUL as CR unless they send
// in binary.
func (c *Conn) Read(p []byte) (n int, err error) {
	for n == 0 && len(p) > 0 {
		if n, _, err = c.Next(p); err != nil && n == 0 {
			return 0, err
		}
	}
	return n, nil
}

// ReadRecord appends the data up to the next end of record. One of more than most
// octets is [ErrRecord].
func (c *Conn) ReadRecord(dst []byte, most int) ([]byte, error) {
	start := len(dst)
	for {
		if cap(dst) == len(dst) {
			dst = append(dst, 0)[:len(dst)]
		}
		n, end, err := c.Next(dst[len(dst):cap(dst)])
		dst = dst[:len(dst)+n]
		switch {
		case err != nil:
			return dst, err
		case len(dst)-start > most:
			return dst, ErrRecord
		case end:
			return dst, nil
		}
	}
}

// Next is Read up to the next command, which it handles: what it returns came before
// that, and may be nothing. end reports that the command was the end of a record.
func (c *Conn) Next(p []byte) (n int, end bool, err error) {
	if len(c.in) == 0 {
		if c.err != nil {
			return 0, false, c.err
		}
		var got int
		got, c.err = c.over.Read(c.raw)
		c.in = c.raw[:got]
	}
	n, used, e := c.scan.scan(p, c.in)
	c.in = c.in[used:]
	switch e {
	case aCommand:
		c.command(c.scan.verb)
		return n, c.scan.verb == EOR, nil
	case anOption:
		err = c.option(c.scan.verb, c.scan.option)
	case aSub:
		err = c.subnegotiation()
	case endless:
		err = ErrEndless
	}
	if err != nil {
		c.in, c.err = nil, err
	}
	return n, false, err
}

func (c *Conn) command(command byte) {
	if command != EOR {
		// Whoever has records tells of them.
		c.trace(false, command)
	}
	if c.o.Command != nil {
		c.o.Command(command)
	}
}

// isEndless counts a command about options, and reports whether they do not end.
func (c *Conn) isEndless() bool {
	now := time.Now()
	if now.Sub(c.heardAt) > pause {
		c.heard = 0
	}
	c.heard, c.heardAt = c.heard+1, now
	return c.heard > maxNegotiations
}

// option hears a command about an option, and answers it.
func (c *Conn) option(verb, code byte) error {
	c.trace(false, verb, code)
	if c.isEndless() {
		return ErrEndless
	}
	us, on := verb == DO || verb == DONT, verb == DO || verb == WILL
	o := c.options[code]
	wanted := o != nil && (us && o.Us || !us && o.Them)
	c.mu.Lock()
	asked := false
	was, is, err := c.change(us, code, func(s state) (state, answer) {
		asked = s == wantYes || s == wantYesOpposite
		return s.heard(on, wanted)
	})
	// TN3270E is in binary both ways, whatever is said of that (RFC 2355 section 4).
	c.scan.binary = c.them[Binary].on() || c.us[TN3270E].on() || c.them[TN3270E].on()
	c.mu.Unlock()
	if err == nil && o != nil && o.Changed != nil && (was != is || asked) {
		o.Changed(us, is)
	}
	return err
}

// Ask has an option on or off: ours, which is offered, or theirs, which is asked
// for. What they say to that is heard by Changed.
func (c *Conn) Ask(us bool, code byte, on bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _, err := c.change(us, code, func(s state) (state, answer) { return s.asked(on) })
	return err
}

// change moves one side of an option to another state, says what is to be said, and
// returns whether it was and is in force. c is locked.
func (c *Conn) change(us bool, code byte, to func(state) (state, answer)) (was, is bool, err error) {
	s := &c.them[code]
	if us {
		s = &c.us[code]
	}
	was = s.on()
	var say answer
	*s, say = to(*s)
	is = s.on()
	if say != silence && !c.hold {
		err = c.send(say.command(us), code)
	}
	if c.hold && us && code == c.holdOption && !is {
		err = ErrUpgrade
	}
	return was, is, err
}

// Enabled reports whether an option is in force, on our side or theirs.
func (c *Conn) Enabled(us bool, code byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if us {
		return c.us[code].on()
	}
	return c.them[code].on()
}

// subnegotiation hands on what they subnegotiate, and begins TLS if that was
// agreed on with it.
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
	over, err := c.upgrade(&unread{Conn: c.over, octets: bytes.Clone(c.in)})
	c.upgrade, c.in = nil, nil
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = over
	c.us, c.them, c.scan = [256]state{}, [256]state{}, scanner{sub: c.scan.sub}
	held := c.held
	if c.hold, c.held = false, nil; len(held) > 0 {
		_, err = over.Write(held)
	}
	return err
}

// Upgrade has the connection replaced behind the subnegotiation that is being
// handed on, by what wrap makes of it, and the options forgotten. It is for
// [Option.Sub].
func (c *Conn) Upgrade(wrap func(net.Conn) (net.Conn, error)) { c.upgrade = wrap }

// unread is a connection of which octets have been read already.
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

// Write sends data. An octet that could be taken for IAC is sent twice. In binary
// nothing else changes (RFC 856). Otherwise LF is sent as CR LF, CR as CR LF or CR NUL
// (see Options.Keyboard), and CR LF and CR NUL as they are. A CR LF that is written in
// two pieces is two ends of lines.
func (c *Conn) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out = c.appendText(c.out[:0], p)
	if err := c.flush(); err != nil {
		return 0, err
	}
	return len(p), nil
}

// WriteOctets sends data in which only IAC is written twice, in binary or not. What is
// not binary must be as RFC 854 has it: LF and CR NUL are not the end of a line.
func (c *Conn) WriteOctets(p []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out = appendOctets(c.out[:0], p)
	return c.flush()
}

// SetEnter sets what the Enter key sends: CR LF, or CR NUL if nul. RFC 1123 section
// 3.3.1 asks for both, and for CR LF unless the user chooses.
func (c *Conn) SetEnter(nul bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.enterNUL = nul
}

// WriteRecord sends data as it is, and the end of a record.
func (c *Conn) WriteRecord(p []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out = append(appendOctets(c.out[:0], p), IAC, EOR)
	return c.flush()
}

// appendText appends p as Write sends it. c is locked.
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

// appendOctets appends p with each IAC twice.
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

// SubLast sends the subnegotiation that is the last thing to be sent before
// [Conn.Upgrade]: until then data are kept, and nothing is said of options, which
// both sides are going to forget. That the other side refuses the option after all
// is [ErrUpgrade].
func (c *Conn) SubLast(code byte, data []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.sub(code, data)
	c.hold, c.holdOption = true, code
	return err
}

// sub sends a subnegotiation. c is locked.
func (c *Conn) sub(code byte, data []byte) error {
	if c.hold {
		return nil
	}
	c.trace(true, SB, code)
	c.out = append(appendOctets(append(c.out[:0], IAC, SB, code), data), IAC, SE)
	return c.flush()
}

// send sends a command of one or two octets. c is locked.
func (c *Conn) send(command ...byte) error {
	c.trace(true, command...)
	c.out = append(append(c.out[:0], IAC), command...)
	return c.flush()
}

// flush writes what is in out, or holds it back. c is locked.
func (c *Conn) flush() error {
	if c.hold {
		if len(c.held)+len(c.out) > maxHeld {
			return ErrHeld
		}
		c.held = append(c.held, c.out...)
		return nil
	}
	_, err := c.over.Write(c.out)
	return err
}

// trace tells of a command, with the option it is about.
func (c *Conn) trace(sent bool, command ...byte) {
	if c.o.Trace == nil || len(command) == 0 {
		return
	}
	text := CommandName(command[0])
	if len(command) > 1 {
		text = strings.Join([]string{text, OptionName(command[1])}, " ")
	}
	c.o.Trace(sent, text)
}

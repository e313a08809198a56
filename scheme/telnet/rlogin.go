package telnet

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// These constants are the bits of the server's urgent octets (RFC 1282).
const (
	rloginDiscard = 0x02 // the client must discard output that it has not shown
	rloginRaw     = 0x10 // the host handles ^S and ^Q
	rloginCooked  = 0x20 // ^S and ^Q stop and start the output
	rloginWindow  = 0x80 // the host requests the window size
)

// maxRefusal is the maximum length in octets of a server's reason for rejecting the session.
const maxRefusal = 1024

// rlogin opens an rlogin session (RFC 1282). It uses a reserved local port if the dialer provides
// one. Because a session begins with a user name, rlogin sends the URL's user. It never sends the
// password.
func (op *opener) rlogin() (scheme.Terminal, error) {
	if op.user == "" {
		return nil, op.url.url.Errorf(len("rlogin://"), "user", "%w: rlogin begins with a user: rlogin://user@host/", locus.ErrForm)
	}
	dial := op.req.Dial.DialContext
	if d, ok := op.req.Dial.(scheme.ReservedDialer); ok {
		dial = d.DialReserved
	}
	conn, err := op.dial(RloginPort, dial)
	if err != nil {
		return nil, err
	}
	o := &op.client.o
	r := &rloginConn{session: conn, opener: op, columns: o.Columns, rows: o.Rows, flow: true}
	if err := r.begin(); err != nil {
		conn.Close()
		return nil, err
	}
	return r, nil
}

type rloginConn struct {
	*session
	observer
	opener *opener

	mu                sync.Mutex // guards the fields below, and writing
	columns, rows     int
	isWindowRequested bool // the server requested the window size
	flow              bool // the host does not handle ^S and ^Q
}

func (r *rloginConn) begin() error {
	o := &r.opener.client.o
	local := cmp.Or(o.LocalUser, r.opener.user)
	terminal := strings.ToLower(o.TerminalTypes[0])
	if strings.IndexFunc(local+terminal, isControl) >= 0 {
		return fmt.Errorf("%w: the name of a user or a terminal has control characters", locus.ErrValue)
	}
	r.opener.req.Traced(true, "begin: "+local+" as "+r.opener.user+", "+terminal)
	if _, err := io.WriteString(r.session, "\x00"+local+"\x00"+r.opener.user+"\x00"+terminal+"/38400\x00"); err != nil {
		return err
	}
	return r.readAnswer()
}

// readAnswer reads the server's answer, which is either a NUL or an error message. After an error
// message, the server closes the connection.
func (r *rloginConn) readAnswer() error {
	first := make([]byte, 1)
	for {
		n, urgent, err := r.ReadUrgent(first)
		switch {
		case n > 0 && urgent:
			if err := r.handleUrgent(first[0]); err != nil {
				return err
			}
		case n > 0 && first[0] == 0:
			return nil
		case n > 0:
			message, _ := io.ReadAll(io.LimitReader(r.session, maxRefusal))
			if first[0] >= ' ' { // servers send an octet with the value 1 before the message
				message = append(first, message...)
			}
			return r.hint(fmt.Errorf("%w: %s", scheme.ErrAuth, locus.Quote(strings.TrimSpace(string(message)))))
		case err == io.EOF || errors.Is(err, scheme.ErrProtocol):
			return r.hint(fmt.Errorf("%w: the server closed the connection without a message", scheme.ErrAuth))
		case err != nil:
			return err
		}
	}
}

func (r *rloginConn) hint(err error) error {
	address := r.LocalAddr().String()
	port, parseErr := strconv.Atoi(address[strings.LastIndexByte(address, ':')+1:])
	if parseErr != nil || port < 1024 {
		return err
	}
	return scheme.Hint(err, "rlogin servers expect a client port below 1024, which this program may not use")
}

// Read implements [scheme.Terminal]. It handles urgent octets.
func (r *rloginConn) Read(p []byte) (int, error) {
	for {
		n, urgent, err := r.ReadUrgent(p)
		if !urgent || n == 0 {
			return n, err
		}
		if err := r.handleUrgent(p[0]); err != nil {
			return 0, err
		}
		if copy(p, p[1:n]); n > 1 {
			return n - 1, err
		}
	}
}

// handleUrgent handles an urgent octet. The client has already read all data before the urgent
// octet, so there is no data to discard.
func (r *rloginConn) handleUrgent(o byte) error {
	r.opener.req.Traced(false, fmt.Sprintf("urgent %02X", o))
	r.mu.Lock()
	if o&rloginRaw != 0 {
		r.flow = false
	}
	if o&rloginCooked != 0 {
		r.flow = true
	}
	var err error
	if o&rloginWindow != 0 {
		r.isWindowRequested = true
		err = r.sendWindow()
	}
	r.mu.Unlock()
	r.notify()
	return err
}

// sendWindow sends the window size. The caller must hold r.mu.
func (r *rloginConn) sendWindow() error {
	b := []byte{0xFF, 0xFF, 's', 's'}
	for _, n := range [...]int{r.rows, r.columns, 0, 0} {
		b = binary.BigEndian.AppendUint16(b, clamp(n))
	}
	r.opener.req.Traced(true, fmt.Sprintf("window %d x %d", r.columns, r.rows))
	_, err := r.session.Write(b)
	return err
}

// Write implements [scheme.Terminal].
func (r *rloginConn) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.session.Write(p)
}

// SetWindow implements [scheme.Terminal].
func (r *rloginConn) SetWindow(columns, rows int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.columns, r.rows = columns, rows
	if !r.isWindowRequested {
		return nil
	}
	return r.sendWindow()
}

// Echoes implements [scheme.Terminal]. An rlogin server always echoes the input.
func (r *rloginConn) Echoes() bool { return true }

// Commands implements [scheme.Terminal]. Rlogin has no commands.
func (r *rloginConn) Commands() []string { return nil }

// Command implements [scheme.Terminal].
func (r *rloginConn) Command(string) error {
	return fmt.Errorf("rlogin: %w: rlogin has no commands", scheme.ErrUnsupported)
}

// Status implements [scheme.Terminal].
func (r *rloginConn) Status() []scheme.Field {
	r.mu.Lock()
	defer r.mu.Unlock()
	return []scheme.Field{
		{Name: "protocol", Value: "rlogin"},
		{Name: "user", Value: r.opener.user},
		{Name: "flowControl", Value: r.flow},
		{Name: "window", Value: strconv.Itoa(r.columns) + "x" + strconv.Itoa(r.rows)},
		{Name: "windowTold", Value: r.isWindowRequested},
	}
}

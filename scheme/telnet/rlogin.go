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

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// What the server's urgent octets mean (RFC 1282).
const (
	rloginDiscard = 0x02 // what has not been shown yet is not to be
	rloginRaw     = 0x10 // ^S and ^Q are for the host
	rloginCooked  = 0x20 // ^S and ^Q stop and start what is shown
	rloginWindow  = 0x80 // the size of the window is asked for
)

// maxRefusal is the most octets of what a server says when it refuses.
const maxRefusal = 1024

// rlogin opens a session by rlogin (RFC 1282), from a reserved port if that is
// permitted. The user is part of what a session begins with, so that of the URL is
// sent, as a person means it who types the URL. The password never is.
func (j *opener) rlogin() (scheme.Terminal, error) {
	if j.user == "" {
		return nil, j.url.url.Errorf(len("rlogin://"), "user", "%w: rlogin begins with a user: rlogin://user@host/", locus.ErrForm)
	}
	dial := j.req.Dial.DialContext
	if d, ok := j.req.Dial.(scheme.ReservedDialer); ok {
		dial = d.DialReserved
	}
	conn, err := j.dial(RloginPort, dial)
	if err != nil {
		return nil, err
	}
	o := &j.client.o
	r := &rloginConn{session: conn, job: j, columns: o.Columns, rows: o.Rows, flow: true}
	if err := r.begin(); err != nil {
		conn.Close()
		return nil, err
	}
	return r, nil
}

// rloginConn is a session by rlogin.
type rloginConn struct {
	*session
	job *opener

	mu            sync.Mutex // guards the rest, and the connection for writing
	columns, rows int
	asked         bool // for the size of the window
	flow          bool // ^S and ^Q are for us
	onChange      func()
}

// begin says who wants to log in as whom, and hears whether that will be
// considered.
func (r *rloginConn) begin() error {
	o := &r.job.client.o
	local := o.LocalUser
	if local == "" {
		local = r.job.user
	}
	terminal := strings.ToLower(o.TerminalTypes[0])
	hello := "\x00" + local + "\x00" + r.job.user + "\x00" + terminal + "/38400\x00"
	if i := strings.IndexFunc(local+terminal, isControl); i >= 0 {
		return fmt.Errorf("%w: the name of a user or a terminal has control characters", locus.ErrValue)
	}
	r.job.req.Traced(true, "begin: "+local+" as "+r.job.user+", "+terminal)
	if _, err := io.WriteString(r.session, hello); err != nil {
		return err
	}
	return r.answer()
}

// answer reads whether the server goes on: its first octet is NUL, or else a
// message follows and the end.
func (r *rloginConn) answer() error {
	first := make([]byte, 1)
	for {
		n, urgent, err := r.ReadUrgent(first)
		switch {
		case n > 0 && urgent:
			if err := r.control(first[0]); err != nil {
				return err
			}
			continue
		case n > 0 && first[0] == 0:
			return nil
		case n > 0:
			message, _ := io.ReadAll(io.LimitReader(r.session, maxRefusal))
			return r.hint(fmt.Errorf("%w: %s", scheme.ErrAuth, locus.Quote(strings.TrimSpace(string(slices.Concat(unmarked(first), message))))))
		case err == io.EOF || errors.Is(err, scheme.ErrProtocol):
			return r.hint(fmt.Errorf("%w: the server closes without a word", scheme.ErrAuth))
		case err != nil:
			return err
		}
	}
}

// unmarked is the first octet of a refusal if it is part of the message: servers
// put 1 before it.
func unmarked(first []byte) []byte {
	if first[0] < ' ' {
		return nil
	}
	return first
}

// hint adds what is mostly the reason for a refusal.
func (r *rloginConn) hint(err error) error {
	address := r.LocalAddr().String()
	port, parseErr := strconv.Atoi(address[strings.LastIndexByte(address, ':')+1:])
	if parseErr != nil || port < 1024 {
		return err
	}
	return scheme.Hint(err, "servers of rlogin want to be called from a port below 1024, which this program may not use")
}

// Read implements [scheme.Terminal]. Urgent octets are for us.
func (r *rloginConn) Read(p []byte) (int, error) {
	for {
		n, urgent, err := r.ReadUrgent(p)
		if !urgent || n == 0 {
			return n, err
		}
		if err := r.control(p[0]); err != nil {
			return 0, err
		}
		if copy(p, p[1:n]); n > 1 {
			return n - 1, err
		}
	}
}

// control does what an urgent octet says. What has come before it has been read
// already, so there is nothing to discard.
func (r *rloginConn) control(o byte) error {
	r.job.req.Traced(false, fmt.Sprintf("urgent %02X", o))
	r.mu.Lock()
	if o&rloginRaw != 0 {
		r.flow = false
	}
	if o&rloginCooked != 0 {
		r.flow = true
	}
	f := r.onChange
	var err error
	if o&rloginWindow != 0 {
		r.asked = true
		err = r.tellWindow()
	}
	r.mu.Unlock()
	if f != nil {
		f()
	}
	return err
}

// tellWindow tells how large the window is. r is locked.
func (r *rloginConn) tellWindow() error {
	b := []byte{0xFF, 0xFF, 's', 's'}
	for _, n := range [...]int{r.rows, r.columns, 0, 0} {
		b = binary.BigEndian.AppendUint16(b, clamp(n))
	}
	r.job.req.Traced(true, fmt.Sprintf("window %d x %d", r.columns, r.rows))
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
	if !r.asked {
		return nil
	}
	return r.tellWindow()
}

// Echoes implements [scheme.Terminal]: an rlogin server does.
func (r *rloginConn) Echoes() bool { return true }

// OnChange implements [scheme.Terminal].
func (r *rloginConn) OnChange(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.onChange = f
}

// Commands implements [scheme.Terminal]: there are none.
func (r *rloginConn) Commands() []string { return nil }

// Command implements [scheme.Terminal].
func (r *rloginConn) Command(string) error {
	return fmt.Errorf("rlogin: %w: it has no commands", scheme.ErrUnsupported)
}

// Status implements [scheme.Terminal].
func (r *rloginConn) Status() []scheme.Field {
	r.mu.Lock()
	defer r.mu.Unlock()
	return []scheme.Field{
		{Name: "protocol", Value: "rlogin"},
		{Name: "user", Value: r.job.user},
		{Name: "flowControl", Value: r.flow},
		{Name: "window", Value: strconv.Itoa(r.columns) + "x" + strconv.Itoa(r.rows)},
		{Name: "windowTold", Value: r.asked},
	}
}

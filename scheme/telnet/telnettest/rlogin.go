package telnettest

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"strings"
)

// RloginOptions configure an rlogin host. With the zero value, a host trusts all users.
type RloginOptions struct {
	Users    map[string]string   // user names and passwords, which the host requests in the stream; nil means no login
	Handle   func(io.ReadWriter) // handles a session; its argument is a [*Terminal]; nil means login and shell
	Listener net.Listener        // accepts connections; Close closes it; nil means a free loopback port
}

// StartRlogin starts an rlogin host (RFC 1282). The options o may be nil. Only on Linux does the
// host request the window size, because it needs urgent data.
func StartRlogin(o *RloginOptions) (*Server, error) {
	var options RloginOptions
	if o != nil {
		options = *o
	}
	return start(options.Listener, func(c net.Conn, log func(string)) { options.serve(c, log) })
}

// askWindow is the urgent octet that requests the window size.
const askWindow = 0x80

func (o *RloginOptions) serve(c net.Conn, log func(string)) {
	h := &rloginHost{plain: plain{c}, r: bufio.NewReader(c)}
	if err := h.begin(log); err != nil {
		return
	}
	t := &Terminal{peer: h, log: log}
	h.resized = t.resized
	if _, err := c.Write([]byte{0}); err != nil || sendUrgent(c, askWindow) != nil {
		return
	}
	if o.Handle != nil {
		o.Handle(t)
		return
	}
	t.session(o.Users, h.user)
}

type rloginHost struct {
	plain
	r       *bufio.Reader
	user    string
	resized func(columns, rows int)
}

// maxName is the maximum length of a text at the beginning of a session.
const maxName = 256

// begin reads the beginning of a session: an empty text, the client's user, the host's user and
// the terminal type.
func (h *rloginHost) begin(log func(string)) error {
	var texts [4]string
	for i := range texts {
		var err error
		if texts[i], err = h.readText(); err != nil {
			return err
		}
	}
	h.user = texts[2]
	log("local " + texts[1])
	log("user " + h.user)
	log("type " + texts[3])
	return nil
}

func (h *rloginHost) readText() (string, error) {
	for n := range maxName {
		text, err := h.r.Peek(n + 1)
		if err != nil {
			return "", err
		}
		if text[n] == 0 {
			h.r.Discard(n + 1)
			return string(text[:n]), nil
		}
	}
	return "", bufio.ErrTooLong
}

// windowMark begins a message with the window size. The message contains the numbers of rows and
// columns, and their sizes in pixels.
const windowMark = "\xff\xffss"

func (h *rloginHost) more() ([]byte, error) {
	for {
		first, err := h.r.Peek(1)
		if err != nil {
			return nil, err
		}
		if first[0] != windowMark[0] || !h.marked() {
			break
		}
		b := make([]byte, len(windowMark)+8)
		if _, err := io.ReadFull(h.r, b); err != nil {
			return nil, err
		}
		numbers := b[len(windowMark):]
		h.resized(int(binary.BigEndian.Uint16(numbers[2:])), int(binary.BigEndian.Uint16(numbers)))
	}
	// Stop before the possible start of the next windowMark.
	b, _ := h.r.Peek(h.r.Buffered())
	n := len(b)
	if i := strings.IndexByte(string(b[1:]), windowMark[0]); i >= 0 {
		n = 1 + i
	}
	typed := make([]byte, n)
	_, err := io.ReadFull(h.r, typed)
	return typed, err
}

// marked reports whether the next octets are a windowMark. It waits only until it has enough
// octets to decide.
func (h *rloginHost) marked() bool {
	for i := range len(windowMark) {
		b, err := h.r.Peek(i + 1)
		if err != nil || b[i] != windowMark[i] {
			return false
		}
	}
	return true
}

func (h *rloginHost) echoes() bool { return true }

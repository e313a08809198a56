package telnettest

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"strings"
)

// RloginOptions are those of a host of rlogin. The zero value is one that trusts
// everybody.
type RloginOptions struct {
	// Users are names and their passwords, which are asked for in the stream. nil:
	// everybody is trusted.
	Users map[string]string
	// Reserved lets in only who comes from a port below 1024, and closes without a
	// word otherwise.
	Reserved bool
	// Refusal is what everybody is told in place of a session. Empty: nobody.
	Refusal string
	// Talk takes the place of the login and the shell. nil: they are there.
	Handle func(io.ReadWriter)
	// Listener is where it listens, and the host's to close; nil: a free port of the
	// loopback.
	Listener net.Listener
}

// StartRlogin starts a host of rlogin (RFC 1282). o may be nil. That it asks for the
// size of the window, and what its command "urgent" sends, is urgent data where the
// system has that as Linux does, and nothing elsewhere.
func StartRlogin(o *RloginOptions) (*Server, error) {
	var options RloginOptions
	if o != nil {
		options = *o
	}
	return start(options.Listener, func(c net.Conn, log func(string)) { options.serve(c, log) })
}

// askWindow is the urgent octet that asks for the size of the window.
const askWindow = 0x80

func (o *RloginOptions) serve(c net.Conn, log func(string)) {
	if o.Reserved && c.RemoteAddr().(*net.TCPAddr).Port >= 1024 {
		log("port not reserved")
		return
	}
	h := &rloginHost{Conn: c, r: bufio.NewReader(c)}
	if err := h.begin(log); err != nil {
		return
	}
	if o.Refusal != "" {
		io.WriteString(c, "\x01"+o.Refusal+"\r\n")
		return
	}
	t := &terminal{peer: h, log: log}
	h.resized = t.resized
	if _, err := c.Write([]byte{0}); err != nil || h.urgent(askWindow) != nil {
		return
	}
	if o.Handle != nil {
		o.Handle(t)
		return
	}
	t.session(o.Users, h.user)
}

// rloginHost is the host's side of rlogin.
type rloginHost struct {
	net.Conn
	r              *bufio.Reader
	user, terminal string
	resized        func(columns, rows int)
}

// maxName is the most octets of what a session begins with.
const maxName = 256

// begin hears who is there: an empty text, the user where they are, the user here,
// and the terminal.
func (h *rloginHost) begin(log func(string)) error {
	var texts [4]string
	for i := range texts {
		var err error
		if texts[i], err = h.readText(); err != nil {
			return err
		}
	}
	h.user, h.terminal = texts[2], texts[3]
	log("local " + texts[1])
	log("user " + h.user)
	log("type " + h.terminal)
	return nil
}

// text reads what a NUL ends.
func (h *rloginHost) readText() (string, error) {
	var text []byte
	for len(text) < maxName {
		o, err := h.r.ReadByte()
		if err != nil {
			return "", err
		}
		if o == 0 {
			return string(text), nil
		}
		text = append(text, o)
	}
	return "", errUnsupported
}

// windowMark begins what tells the size of the window, which is this and four
// numbers: rows, columns and their pixels.
const windowMark = "\xff\xffss"

// more reads what was typed, and hears how large the window is.
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
	// Up to what may be the next mark.
	b, _ := h.r.Peek(h.r.Buffered())
	n := len(b)
	if i := strings.IndexByte(string(b[1:]), windowMark[0]); i >= 0 {
		n = 1 + i
	}
	typed := make([]byte, n)
	_, err := io.ReadFull(h.r, typed)
	return typed, err
}

// marked reports whether the size of the window is next. It waits for no more of it
// than it takes to tell.
func (h *rloginHost) marked() bool {
	for i := range len(windowMark) {
		b, err := h.r.Peek(i + 1)
		if err != nil || b[i] != windowMark[i] {
			return false
		}
	}
	return true
}

func (h *rloginHost) urgent(o byte) error            { return sendUrgent(h.Conn, o) }
func (h *rloginHost) echoes() bool                   { return true }
func (h *rloginHost) setEcho(bool) error             { return nil }
func (h *rloginHost) types() ([]string, error)       { return []string{h.terminal}, nil }
func (h *rloginHost) environment() ([]string, error) { return nil, nil }
func (h *rloginHost) options() []string              { return nil }

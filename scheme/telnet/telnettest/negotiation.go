package telnettest

import (
	"errors"
	"net"

	"github.com/locus-url/locus/internal/nvt"
)

// These constants are values for arguments named us, which select a side of an option.
const (
	ours   = true
	theirs = false
)

// pendingAnswer is an answer that the other side has not sent yet. If sub is true, the answer is a
// subnegotiation. Otherwise the answer states whether an option is enabled on the side that us
// selects.
type pendingAnswer struct {
	us   bool
	sub  bool
	code byte
}

// negotiation is a Telnet host that requests options and waits for answers.
type negotiation struct {
	*nvt.Conn
	pending map[pendingAnswer]bool
	keys    []byte // keys that arrived as commands
	early   []byte // input that the user typed during the negotiation
}

func (n *negotiation) begin(c net.Conn, list []nvt.Option, command func(byte)) {
	n.pending = make(map[pendingAnswer]bool)
	changed := func(us bool, code byte, _ bool) { delete(n.pending, pendingAnswer{us: us, code: code}) }
	n.Conn = nvt.New(c, &nvt.Options{Options: list, Command: command, Changed: changed})
}

// request requests that the other side enable options. It does not wait for the answers.
func (n *negotiation) request(us bool, codes ...byte) (err error) {
	for _, code := range codes {
		if !n.Enabled(us, code) {
			n.pending[pendingAnswer{us: us, code: code}] = true
			err = errors.Join(err, n.Ask(us, code, true))
		}
	}
	return err
}

// send sends a SEND subnegotiation, which the other side must answer with a subnegotiation.
func (n *negotiation) send(code byte) error {
	n.expectAnswer(code)
	return n.Sub(code, []byte{nvt.Send})
}

func (n *negotiation) ask(code byte) error { return errors.Join(n.send(code), n.wait()) }

// expectAnswer adds a subnegotiation to the pending answers. The method gotAnswer removes it.
func (n *negotiation) expectAnswer(code byte) { n.pending[pendingAnswer{sub: true, code: code}] = true }

func (n *negotiation) gotAnswer(code byte) { delete(n.pending, pendingAnswer{sub: true, code: code}) }

// maxEarly is the maximum number of input octets that a host buffers during the negotiation.
const maxEarly = 64 << 10

// wait waits for the pending answers. It buffers the input that arrives in the meantime.
func (n *negotiation) wait() error {
	for len(n.pending) > 0 {
		typed, err := n.readTyped()
		if err != nil {
			return err
		}
		if n.early = append(n.early, typed...); len(n.early) > maxEarly {
			return errors.New("too much input during the negotiation")
		}
	}
	return nil
}

// readTyped reads input up to the next command. The command may represent a key.
func (n *negotiation) readTyped() ([]byte, error) {
	buf := make([]byte, 4096)
	got, _, err := n.Next(buf)
	typed := append(buf[:got], n.keys...)
	n.keys = nil
	return typed, err
}

package telnettest

import (
	"crypto/tls"
	"errors"
	"net"

	"github.com/locus-url/locus/internal/nvt"
)

// Sides of an option.
const (
	ours   = true
	theirs = false
)

// question is one that the other side answers: whether an option is to be on, on
// our side or theirs; with sub, what they have to say in it.
type request struct {
	us   bool
	sub  bool
	code byte
}

// negotiation is a host's side of Telnet, which asks and waits for answers.
type negotiation struct {
	*nvt.Conn
	pending map[request]bool // what was asked and not answered
	keys    []byte            // that were sent as commands
	early   []byte            // what was typed before the host listened
	secure  *tls.Conn         // nil before TLS has begun
}

const (
	subIs   = 0
	subSend = 1
)

// begin makes a negotiation that agrees to options, and to TLS if there is a config.
func (n *negotiation) begin(c net.Conn, config *tls.Config, log func(string), list []nvt.Option, command func(byte)) {
	n.pending = make(map[request]bool)
	if config != nil {
		list = append(list, nvt.Option{Code: nvt.StartTLS, Sub: func(data []byte) { n.startTLS(config, log, data) }})
	}
	for i := range list {
		code, changed := list[i].Code, list[i].Changed
		list[i].Changed = func(us, on bool) {
			delete(n.pending, request{us: us, code: code})
			if changed != nil {
				changed(us, on)
			}
		}
	}
	n.Conn = nvt.New(c, &nvt.Options{Options: list, Command: command})
}

// ask has options on, and does not wait for the answers.
func (n *negotiation) ask(us bool, codes ...byte) (err error) {
	for _, code := range codes {
		if !n.Enabled(us, code) {
			n.pending[request{us: us, code: code}] = true
			err = errors.Join(err, n.Ask(us, code, true))
		}
	}
	return err
}

// send asks what they have to say in an option.
func (n *negotiation) send(code byte) error {
	n.expectAnswer(code)
	return n.Sub(code, []byte{subSend})
}

// expect waits for what they have to say in an option.
func (n *negotiation) expectAnswer(code byte) { n.pending[request{sub: true, code: code}] = true }

// said notes that they said it.
func (n *negotiation) gotAnswer(code byte) { delete(n.pending, request{sub: true, code: code}) }

// maxEarly is the most that may be typed before the host listens.
const maxEarly = 64 << 10

// wait waits for the answers. What is typed meanwhile is kept.
func (n *negotiation) wait() error {
	for len(n.pending) > 0 {
		typed, err := n.readTyped()
		if err != nil {
			return err
		}
		if n.early = append(n.early, typed...); len(n.early) > maxEarly {
			return errors.New("nobody listens yet")
		}
	}
	return nil
}

// more reads up to the next command, which may be a key.
func (n *negotiation) readTyped() ([]byte, error) {
	buf := make([]byte, 4096)
	got, _, err := n.Next(buf)
	typed := append(buf[:got], n.keys...)
	n.keys = nil
	return typed, err
}

// askTLS offers to begin TLS, and waits until it has begun.
func (n *negotiation) askTLS(config *tls.Config) error {
	if config == nil {
		return nil
	}
	if err := errors.Join(n.ask(theirs, nvt.StartTLS), n.wait()); err != nil || n.secure != nil || !n.Enabled(theirs, nvt.StartTLS) {
		return err
	}
	n.expectAnswer(nvt.StartTLS)
	return n.wait()
}

// follows is what both sides say before TLS begins.
const follows = 1

func (n *negotiation) startTLS(config *tls.Config, log func(string), data []byte) {
	if len(data) != 1 || data[0] != follows || n.secure != nil {
		return
	}
	n.gotAnswer(nvt.StartTLS)
	log("tls")
	n.Sub(nvt.StartTLS, []byte{follows})
	n.Upgrade(func(c net.Conn) (net.Conn, error) {
		n.secure = tls.Server(c, config)
		return n.secure, n.secure.Handshake()
	})
}

// end says that nothing follows.
func (n *negotiation) end() {
	if n.secure != nil {
		n.secure.CloseWrite()
	}
}

package telnettest

import (
	"encoding/binary"
	"errors"
	"io"
	"net"

	"github.com/locus-url/locus/internal/nvt"
)

// TelnetOptions configure a telnet host. With the zero value, a host accepts any login and
// negotiates options like a Unix system.
type TelnetOptions struct {
	Users    map[string]string   // user names and passwords; nil means no login
	Banner   string              // text before the login, without its last line end
	Plain    bool                // do not use Telnet, and do not echo
	Handle   func(io.ReadWriter) // handles a session; its argument is a [*Terminal]; nil means login and shell
	Listener net.Listener        // accepts connections; Close closes it; nil means a free loopback port
}

// StartTelnet starts a telnet host. The options o may be nil.
func StartTelnet(o *TelnetOptions) (*Server, error) {
	var options TelnetOptions
	if o != nil {
		options = *o
	}
	return start(options.Listener, func(c net.Conn, log func(string)) { options.serve(c, log) })
}

func (o *TelnetOptions) serve(c net.Conn, log func(string)) {
	t := &Terminal{log: log}
	if o.Plain {
		t.peer = plain{c}
	} else {
		h := &telnetHost{t: t}
		h.begin(c, h.agreed(), h.command)
		t.peer = h
		if err := h.negotiate(); err != nil {
			return
		}
	}
	if o.Handle != nil {
		o.Handle(t)
		return
	}
	if o.Banner != "" && t.Say(o.Banner) != nil {
		return
	}
	t.session(o.Users, "")
}

// plain is a peer that does not use Telnet.
type plain struct{ net.Conn }

func (p plain) more() ([]byte, error) {
	buf := make([]byte, 4096)
	n, err := p.Read(buf)
	return buf[:n], err
}

func (plain) echoes() bool       { return false }
func (plain) setEcho(bool) error { return nil }
func (plain) options() []string  { return nil }

// These constants are options that a Unix system requests, but for which package nvt has no name.
const (
	optStatus       = 5  // RFC 859
	optSpeed        = 32 // RFC 1079
	optFlowControl  = 33 // RFC 1372
	optDisplay      = 35 // RFC 1096
	optEnvironment  = 36 // RFC 1408
	optAuthenticate = 37 // RFC 2941
	optEncrypt      = 38 // RFC 2946
)

type telnetHost struct {
	negotiation
	t *Terminal
}

// asking lists the options that use the subnegotiations SEND and IS.
var asking = [...]byte{optSpeed, optDisplay, nvt.NewEnvironment, nvt.TerminalType}

func (h *telnetHost) agreed() []nvt.Option {
	list := []nvt.Option{
		{Code: nvt.Binary, Us: true, Them: true}, {Code: nvt.Echo, Us: true}, {Code: nvt.SGA, Us: true, Them: true},
		{Code: optStatus, Us: true}, {Code: nvt.WindowSize, Them: true, Sub: h.window},
		{Code: optAuthenticate}, {Code: optEncrypt}, {Code: optEnvironment}, {Code: optFlowControl}, {Code: nvt.LineMode},
	}
	for _, code := range asking {
		list = append(list, nvt.Option{Code: code, Them: true, Sub: func(data []byte) { h.answered(code, data) }})
	}
	return list
}

// negotiate requests the same options as a Unix system, in the same order.
func (h *telnetHost) negotiate() error {
	for _, step := range []func() error{h.askWho, h.askHow} {
		if err := errors.Join(step(), h.wait()); err != nil {
			return err
		}
	}
	return errors.Join(h.request(ours, nvt.Echo), h.wait())
}

func (h *telnetHost) askWho() error {
	err := errors.Join(
		h.request(ours, optAuthenticate, optEncrypt),
		h.request(theirs, nvt.TerminalType, optSpeed, optDisplay, nvt.NewEnvironment, optEnvironment),
		h.wait(),
	)
	for _, code := range asking {
		if h.Enabled(theirs, code) {
			err = errors.Join(err, h.send(code))
		}
	}
	return err
}

// askHow requests the properties of the client's terminal. Like a Unix system, it also requests
// that the client echo input and edit lines, and then withdraws these two requests.
func (h *telnetHost) askHow() error {
	err := errors.Join(
		h.request(ours, nvt.SGA), h.request(theirs, nvt.Echo, nvt.LineMode, nvt.WindowSize),
		h.request(ours, optStatus), h.request(theirs, optFlowControl),
		h.wait(),
	)
	return errors.Join(err, h.Ask(theirs, nvt.Echo, false), h.Ask(theirs, nvt.LineMode, false))
}

// answered handles the client's answer to SEND.
func (h *telnetHost) answered(code byte, data []byte) {
	if len(data) == 0 || data[0] != nvt.Is {
		return
	}
	h.gotAnswer(code)
	if code == nvt.TerminalType {
		h.t.typeTold(string(data[1:]))
	}
}

func (h *telnetHost) window(data []byte) {
	if len(data) == 4 {
		h.t.resized(int(binary.BigEndian.Uint16(data)), int(binary.BigEndian.Uint16(data[2:])))
	}
}

func (h *telnetHost) command(command byte) {
	h.t.log("command " + nvt.CommandName(command))
	switch command {
	case nvt.AYT:
		h.t.Say("", "[yes]")
	case nvt.EC:
		h.keys = append(h.keys, del)
	case nvt.EL:
		h.keys = append(h.keys, eraseLine)
	case nvt.IP:
		h.keys = append(h.keys, interrupt)
	}
}

// more returns the next input. The input that the user typed during the negotiation comes first.
func (h *telnetHost) more() ([]byte, error) {
	if typed := h.early; len(typed) > 0 {
		h.early = nil
		return typed, nil
	}
	return h.negotiation.readTyped()
}

func (h *telnetHost) echoes() bool          { return h.Enabled(ours, nvt.Echo) }
func (h *telnetHost) setEcho(on bool) error { return h.Ask(ours, nvt.Echo, on) }

func (h *telnetHost) options() (list []string) {
	for code := range byte(nvt.StartTLS + 1) {
		if h.Enabled(ours, code) {
			list = append(list, "I do "+nvt.OptionName(code))
		}
		if h.Enabled(theirs, code) {
			list = append(list, "you do "+nvt.OptionName(code))
		}
	}
	return list
}

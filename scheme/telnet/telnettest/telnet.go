package telnettest

import (
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/locus-url/locus/internal/nvt"
)

// TelnetOptions are the options of a telnet host. The zero value admits everyone and
// negotiates as a Unix system does.
type TelnetOptions struct {
	Users    map[string]string   // names and passwords; nil: no login
	Banner   string              // shown before the login, without its line end
	Plain    bool                // speak no Telnet, and don't echo
	Charsets []string            // offered, the best first (RFC 2066)
	Binary   bool                // ask for 8-bit data in both directions (RFC 856)
	TLS      *tls.Config         // offered; nil: none
	Handle   func(io.ReadWriter) // replaces login and shell; nil: they run
	Listener net.Listener        // Close closes it; nil: a free loopback port
}

// StartTelnet starts a telnet host. o may be nil.
func StartTelnet(o *TelnetOptions) (*Server, error) {
	var options TelnetOptions
	if o != nil {
		options = *o
	}
	return start(options.Listener, func(c net.Conn, log func(string)) { options.serve(c, log) })
}

func (o *TelnetOptions) serve(c net.Conn, log func(string)) {
	t := &terminal{log: log}
	if o.Plain {
		t.peer = plain{c}
	} else {
		h := &telnetHost{o: o, t: t}
		h.begin(c, o.TLS, log, h.agreed(), h.command)
		defer h.end()
		t.peer = h
		if err := h.negotiate(); err != nil {
			return
		}
	}
	if o.Handle != nil {
		o.Handle(t)
		return
	}
	if o.Banner != "" && t.say(o.Banner) != nil {
		return
	}
	t.session(o.Users, "")
}

// plain is a client without any protocol.
type plain struct{ net.Conn }

var errUnsupported = errors.New("the protocol has no such function")

func (p plain) more() ([]byte, error) {
	buf := make([]byte, 4096)
	n, err := p.Read(buf)
	return buf[:n], err
}

func (plain) echoes() bool                   { return false }
func (plain) setEcho(bool) error             { return nil }
func (plain) types() ([]string, error)       { return nil, nil }
func (plain) environment() ([]string, error) { return nil, nil }
func (plain) options() []string              { return nil }
func (plain) urgent(byte) error              { return errUnsupported }

// Options that a Unix system asks for, without names in package nvt.
const (
	optStatus       = 5  // RFC 859
	optSpeed        = 32 // RFC 1079
	optFlowControl  = 33 // RFC 1372
	optDisplay      = 35 // RFC 1096
	optEnvironment  = 36 // RFC 1408
	optAuthenticate = 37 // RFC 2941
	optEncrypt      = 38 // RFC 2946
)

// telnetHost is the host's side of Telnet.
type telnetHost struct {
	negotiation
	o *TelnetOptions
	t *terminal

	names     []string // of the terminal
	variables []string // of the environment
	charset   string   // the agreed one
}

// asking are the options whose subnegotiations are SEND and IS.
var asking = [...]byte{optSpeed, optDisplay, nvt.NewEnvironment, nvt.TerminalType}

// agreed returns the options that the host asks for or agrees to.
func (h *telnetHost) agreed() []nvt.Option {
	list := []nvt.Option{
		{Code: nvt.Binary, Us: true, Them: true}, {Code: nvt.Echo, Us: true}, {Code: nvt.SGA, Us: true, Them: true},
		{Code: optStatus, Us: true, Sub: h.statusAsked}, {Code: nvt.WindowSize, Them: true, Sub: h.window},
		{Code: nvt.Charset, Us: true, Sub: h.charsetTold},
		{Code: optAuthenticate}, {Code: optEncrypt}, {Code: optEnvironment}, {Code: optFlowControl}, {Code: nvt.LineMode},
	}
	for _, code := range asking {
		list = append(list, nvt.Option{Code: code, Them: true, Sub: func(data []byte) { h.answered(code, data) }})
	}
	return list
}

// negotiate asks for the same options as a Unix system, in its order.
func (h *telnetHost) negotiate() error {
	if err := h.askTLS(h.o.TLS); err != nil {
		return err
	}
	for _, step := range []func() error{h.askWho, h.askHow, h.askEcho, h.askCharset} {
		if err := errors.Join(step(), h.wait()); err != nil {
			return err
		}
	}
	return nil
}

// askWho asks for the user's identity and equipment.
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

// askHow asks for the properties of a terminal. It asks the client to echo and to edit
// lines only as a test, and then withdraws that.
func (h *telnetHost) askHow() error {
	err := errors.Join(
		h.request(ours, nvt.SGA), h.request(theirs, nvt.Echo, nvt.LineMode, nvt.WindowSize),
		h.request(ours, optStatus), h.request(theirs, optFlowControl),
		h.wait(),
	)
	return errors.Join(err, h.Ask(theirs, nvt.Echo, false), h.Ask(theirs, nvt.LineMode, false))
}

func (h *telnetHost) askEcho() error {
	err := h.request(ours, nvt.Echo)
	if h.o.Binary {
		err = errors.Join(err, h.request(theirs, nvt.Binary), h.request(ours, nvt.Binary))
	}
	return err
}

func (h *telnetHost) askCharset() error {
	if len(h.o.Charsets) == 0 {
		return nil
	}
	if err := errors.Join(h.request(ours, nvt.Charset), h.wait()); err != nil || !h.Enabled(ours, nvt.Charset) {
		return err
	}
	h.expectAnswer(nvt.Charset)
	return h.Sub(nvt.Charset, append([]byte{nvt.CharsetRequest}, ";"+strings.Join(h.o.Charsets, ";")...))
}

func (h *telnetHost) charsetTold(data []byte) {
	h.gotAnswer(nvt.Charset)
	if len(data) > 0 && data[0] == nvt.CharsetAccepted && slices.Contains(h.o.Charsets, string(data[1:])) {
		h.charset = string(data[1:])
		h.t.log("charset " + h.charset)
	}
}

// answered handles the answer to SEND.
func (h *telnetHost) answered(code byte, data []byte) {
	if len(data) == 0 || data[0] != nvt.Is {
		return
	}
	h.gotAnswer(code)
	switch text := string(data[1:]); code {
	case nvt.TerminalType:
		h.t.log("type " + text)
		if !slices.Contains(h.names, text) {
			h.names = append(h.names, text)
		}
	case nvt.NewEnvironment:
		h.variables = variables(text)
		for _, variable := range h.variables {
			h.t.log("env " + variable)
		}
	}
}

func (h *telnetHost) window(data []byte) {
	if len(data) == 4 {
		h.t.resized(int(binary.BigEndian.Uint16(data)), int(binary.BigEndian.Uint16(data[2:])))
	}
}

// statusAsked sends the options that are on (RFC 859).
func (h *telnetHost) statusAsked(data []byte) {
	if len(data) != 1 || data[0] != nvt.Send {
		return
	}
	status := []byte{nvt.Is}
	h.each(func(us bool, code byte) {
		verb := nvt.DO
		if us {
			verb = nvt.WILL
		}
		status = append(status, verb, code)
	})
	h.Sub(optStatus, status)
}

// each calls f for each option that is on.
func (h *telnetHost) each(f func(us bool, code byte)) {
	for code := range byte(nvt.StartTLS + 1) {
		for _, us := range []bool{ours, theirs} {
			if h.Enabled(us, code) {
				f(us, code)
			}
		}
	}
}

// command handles a command that is not about options.
func (h *telnetHost) command(command byte) {
	h.t.log("command " + nvt.CommandName(command))
	switch command {
	case nvt.AYT:
		h.t.say("", "[yes]")
	case nvt.EC:
		h.keys = append(h.keys, del)
	case nvt.EL:
		h.keys = append(h.keys, eraseLine)
	case nvt.IP:
		h.keys = append(h.keys, interrupt)
	}
}

// more returns the input typed during the negotiation first.
func (h *telnetHost) more() ([]byte, error) {
	if typed := h.early; len(typed) > 0 {
		h.early = nil
		return typed, nil
	}
	return h.negotiation.readTyped()
}

func (h *telnetHost) echoes() bool          { return h.Enabled(ours, nvt.Echo) }
func (h *telnetHost) setEcho(on bool) error { return h.Ask(ours, nvt.Echo, on) }
func (h *telnetHost) urgent(byte) error     { return errUnsupported }

// maxTypes is the most types of a terminal.
const maxTypes = 16

// types asks for the terminal's other types until one is repeated (RFC 1091).
func (h *telnetHost) types() ([]string, error) {
	for range maxTypes {
		known := len(h.names)
		if !h.Enabled(theirs, nvt.TerminalType) {
			break
		}
		if err := h.ask(nvt.TerminalType); err != nil {
			return nil, err
		}
		if len(h.names) == known {
			break
		}
	}
	return slices.Clone(h.names), nil
}

func (h *telnetHost) environment() ([]string, error) {
	if !h.Enabled(theirs, nvt.NewEnvironment) {
		return nil, nil
	}
	err := h.ask(nvt.NewEnvironment)
	return slices.Clone(h.variables), err
}

// variables returns the variables of NEW-ENVIRON as "NAME=value" (RFC 1572).
func variables(text string) (list []string) {
	for i := 0; i < len(text); i++ {
		switch o := text[i]; {
		case o == nvt.EnvVar || o == nvt.EnvUserVar:
			list = append(list, "")
			continue
		case len(list) == 0:
			continue
		case o == nvt.EnvValue:
			list[len(list)-1] += "="
			continue
		case o == nvt.EnvEscape && i+1 < len(text):
			i++
		}
		list[len(list)-1] += text[i : i+1]
	}
	return list
}

func (h *telnetHost) options() (list []string) {
	h.each(func(us bool, code byte) {
		who := "you do "
		if us {
			who = "I do "
		}
		list = append(list, who+nvt.OptionName(code))
	})
	if h.charset != "" {
		list = append(list, "charset "+h.charset)
	}
	if h.secure != nil {
		list = append(list, "TLS")
	}
	return list
}

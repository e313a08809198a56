package telnettest

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"slices"
	"strings"

	"github.com/locus-url/locus/internal/nvt"
	"github.com/locus-url/locus/tn3270"
)

// HostOptions are those of a host of tn3270. The zero value is one that knows
// RFC 1576 alone, and lets in everybody.
type HostOptions struct {
	// Extended offers TN3270E first (RFC 2355).
	Extended bool
	// Devices are the names of the devices or groups that there are. nil: whichever
	// is asked for, and "LU0001" for who asks for none.
	Devices []string
	// Functions are those of TN3270E that the host agrees to. nil: BIND-IMAGE,
	// RESPONSES and SYSREQ.
	Functions []byte
	// CodePage is the host's; empty: "037".
	CodePage string
	// Users are names and passwords, in upper case, for the screens that there are
	// without Run. nil: everybody is let in.
	Users map[string]string
	// TLS offers to begin TLS. nil: it is not offered.
	TLS *tls.Config
	// Run is what the host does, until it returns. nil: it shows a few screens.
	Run func(*Host) error
	// Listener is where it listens, and the host's to close; nil: a free port of the
	// loopback.
	Listener net.Listener
}

// StartTN3270 starts a host of tn3270. o may be nil.
func StartTN3270(o *HostOptions) (*Server, error) {
	var options HostOptions
	if o != nil {
		options = *o
	}
	if options.Functions == nil {
		options.Functions = []byte{bindImage, responses, sysReq}
	}
	if options.Run == nil {
		options.Run = func(h *Host) error { return (&pages{Host: h, users: options.Users}).run() }
	}
	if _, err := tn3270.NewBuilder(&tn3270.Options{CodePage: options.CodePage}); err != nil {
		return nil, err
	}
	return start(options.Listener, func(c net.Conn, log func(string)) { options.serve(c, log) })
}

func (o *HostOptions) serve(c net.Conn, log func(string)) {
	h := &Host{o: o, log: log}
	h.begin(c, o.TLS, log, h.agreed(), h.command)
	defer h.end()
	err := h.negotiate()
	if errors.Is(err, errNo3270) {
		h.Write([]byte(err.Error() + "\r\n"))
	}
	if err != nil {
		return
	}
	if h.hasFunction(bindImage) {
		err = h.SendKind(kindBindImage, h.bindImage())
	}
	if err == nil {
		err = o.Run(h)
	}
	switch {
	case err == io.EOF: // they left
		return
	case err != nil:
		log("error " + err.Error())
		return
	}
	if h.hasFunction(bindImage) {
		h.SendKind(kindUnbind, []byte{normalEnd})
	}
}

// Host is the host's side of a session by tn3270.
type Host struct {
	negotiation
	o   *HostOptions
	log func(entry string)

	terminal  string // the terminal's type
	model     int
	device    string // empty without TN3270E
	extended  bool
	functions []byte
	sequence  uint16

	builder *tn3270.Builder
	pressed []tn3270.Key // as commands
	record  []byte       // as far as it has come
}

// Terminal returns the type of the terminal, such as "IBM-3278-2-E".
func (h *Host) Terminal() string { return h.terminal }

// Size returns the alternate size of its screen.
func (h *Host) Size() (rows, columns int) {
	size := map[int][2]int{2: {24, 80}, 3: {32, 80}, 4: {43, 80}, 5: {27, 132}}[h.model]
	return size[0], size[1]
}

// Device returns the name of the device that the terminal is, which only TN3270E
// gives.
func (h *Host) Device() string { return h.device }

// Extended reports whether TN3270E was agreed on.
func (h *Host) Extended() bool { return h.extended }

// Builder returns what builds records for this terminal, one at a time.
func (h *Host) Builder() *tn3270.Builder { return h.builder }

// Show sends a record that was built.
func (h *Host) Show(b *tn3270.Builder) error {
	record, err := b.Record()
	if err != nil {
		return err
	}
	return h.Send(record)
}

// Send sends a record, which may be any octets.
func (h *Host) Send(record []byte) error {
	if h.extended {
		return h.SendKind(kind3270Data, record)
	}
	return h.WriteRecord(record)
}

// SendText sends text to a terminal that is to show it as such: SSCP-LU-DATA, which
// is there with TN3270E alone.
func (h *Host) SendText(text string) error {
	record, err := h.builder.Text(text).Record()
	if err != nil {
		return err
	}
	return h.SendKind(kindSSCPLUData, record)
}

// SendKind sends a record of a kind of RFC 2355, behind its header. A response to a
// data stream is asked for if that was agreed on.
func (h *Host) SendKind(kind byte, data []byte) error {
	header := []byte{kind, 0, 0, byte(h.sequence >> 8), byte(h.sequence)}
	if h.hasFunction(responses) {
		if kind == kind3270Data {
			header[2] = responseAlways
		}
		h.sequence = (h.sequence + 1) & 0x7FFF
	}
	return h.WriteRecord(append(header, data...))
}

// Receive returns what the terminal sends next. Attn and SysReq are keys that send
// nothing else. Text of a terminal in SSCP-LU-DATA comes as a field behind Enter.
func (h *Host) Receive() (tn3270.Inbound, error) {
	buf := make([]byte, 4096)
	for {
		if len(h.pressed) > 0 {
			in := tn3270.Inbound{Key: h.pressed[0], Cursor: -1}
			h.pressed = h.pressed[1:]
			h.log("key " + in.Key.String())
			return in, nil
		}
		n, end, err := h.Next(buf)
		if err != nil {
			return tn3270.Inbound{}, err
		}
		if h.record = append(h.record, buf[:n]...); len(h.record) > tn3270.MaxRecord {
			return tn3270.Inbound{}, nvt.ErrRecord
		}
		if !end {
			continue
		}
		record := h.record
		h.record = nil
		in, ok, err := h.inbound(record)
		if err != nil || ok {
			return in, err
		}
	}
}

// testRequest begins what some terminals send for SysReq where there is no TN3270E: a
// Test Request Read, in EBCDIC.
var testRequest = []byte{0x01, 0x6C, 0x61, 0x02}

// inbound reads a record. Responses are no input.
func (h *Host) inbound(record []byte) (in tn3270.Inbound, ok bool, err error) {
	if h.extended {
		if len(record) < headerSize {
			return in, false, fmt.Errorf("a record of %d octets has no header", len(record))
		}
		header, data := record[:headerSize], record[headerSize:]
		switch record = data; header[0] {
		case kindResponse:
			h.log(fmt.Sprintf("response %d: %X % X", int(header[3])<<8|int(header[4]), header[2], data))
			return in, false, nil
		case kindSSCPLUData:
			// Text alone: as a field behind Enter and an address.
			record = append([]byte{0x7D, 0x40, 0x40}, data...)
		}
	}
	if bytes.HasPrefix(record, testRequest) {
		in = tn3270.Inbound{Key: tn3270.SysReq, Cursor: -1}
	} else if in, err = tn3270.ParseInbound(record, h.o.CodePage); err != nil {
		return in, false, err
	}
	if in.Key != 0 {
		h.log("key " + in.Key.String())
	}
	for _, f := range in.Fields {
		h.log("typed " + f.Value)
	}
	return in, true, nil
}

// command hears Attn and SysReq: BRK and IP, or with TN3270E IP and AO (RFC 1576,
// RFC 2355 section 10).
func (h *Host) command(command byte) {
	keys := map[byte]tn3270.Key{nvt.BRK: tn3270.Attn, nvt.IP: tn3270.SysReq}
	if h.extended {
		keys[nvt.IP], keys[nvt.AO] = tn3270.Attn, tn3270.SysReq
	}
	if key := keys[command]; key != 0 {
		h.pressed = append(h.pressed, key)
	} else if command != nvt.EOR {
		h.log("command " + nvt.CommandName(command))
	}
}

// agreed are the options that the host asks for or agrees to.
func (h *Host) agreed() []nvt.Option {
	return []nvt.Option{
		{Code: nvt.TerminalType, Them: true, Sub: h.typeTold},
		{Code: nvt.EndOfRecord, Us: true, Them: true},
		{Code: nvt.Binary, Us: true, Them: true},
		{Code: nvt.TN3270E, Sub: h.extend, Changed: func(_, on bool) {
			if !on {
				h.gotAnswer(nvt.TN3270E)
			}
		}},
	}
}

// errNo3270 is that who is there has no terminal of that kind.
var errNo3270 = errors.New("this is a host for 3270 terminals, and yours is none")

// negotiate asks for what makes a 3270 terminal: TN3270E, or what RFC 1576 has.
func (h *Host) negotiate() error {
	if err := h.askTLS(h.o.TLS); err != nil {
		return err
	}
	if err := h.negotiateExtended(); err != nil || h.extended {
		return err
	}
	if err := errors.Join(h.ask(theirs, nvt.TerminalType), h.wait()); err != nil {
		return err
	}
	if !h.Enabled(theirs, nvt.TerminalType) {
		return errNo3270
	}
	if err := errors.Join(h.send(nvt.TerminalType), h.wait()); err != nil {
		return err
	}
	for _, code := range []byte{nvt.EndOfRecord, nvt.Binary} {
		if err := errors.Join(h.ask(theirs, code), h.ask(ours, code), h.wait()); err != nil {
			return err
		}
		if !h.Enabled(ours, code) || !h.Enabled(theirs, code) {
			return errNo3270
		}
	}
	if h.builder == nil {
		return errNo3270
	}
	return nil
}

func (h *Host) typeTold(data []byte) {
	if len(data) > 0 && data[0] == subIs {
		h.gotAnswer(nvt.TerminalType)
		h.isTerminal(string(data[1:]))
	}
}

// terminalType is the type of a terminal that a host knows, with the device that it
// wants to be.
var terminalType = regexp.MustCompile(`^IBM-327[89]-([2-5])(?:-E)?(?:@.+)?$`)

// isTerminal hears of which type the terminal is, and reports whether it is known.
func (h *Host) isTerminal(name string) bool {
	h.log("type " + name)
	found := terminalType.FindStringSubmatch(name)
	if found == nil {
		return false
	}
	h.terminal, h.model = name, int(found[1][0]-'0')
	b, err := tn3270.NewBuilder(&tn3270.Options{Model: h.model, CodePage: h.o.CodePage})
	h.builder = b
	return err == nil
}

// colored reports whether the terminal knows extended attributes.
func (h *Host) colored() bool {
	name, _, _ := strings.Cut(h.terminal, "@")
	return strings.HasSuffix(name, "-E")
}

// does reports whether a function of TN3270E was agreed on.
func (h *Host) hasFunction(function byte) bool { return h.extended && slices.Contains(h.functions, function) }

package telnettest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/locus-url/locus/internal/nvt"
	"github.com/locus-url/locus/tn3270"
)

// HostOptions configure a tn3270 host. With the zero value, a host implements only RFC 1576 and
// accepts any login.
type HostOptions struct {
	Extended bool     // offer TN3270E first (RFC 2355)
	Devices  []string // names of devices or groups; nil means any requested one, and "LU0001"
	// Functions lists the TN3270E functions that the host accepts. The default is BIND-IMAGE,
	// RESPONSES and SYSREQ.
	Functions []byte
	CodePage  string // empty means "037"
	// Users maps user names to passwords for the built-in screens. Names and passwords must be
	// in upper case. If Users is nil, the host accepts any login.
	Users map[string]string
	// Run runs the session until it returns. If nil, the host shows a few built-in screens.
	Run func(*Host) error
	// Listener accepts the connections, and Close closes it. If nil, the host listens on a free
	// loopback port.
	Listener net.Listener
}

// StartTN3270 starts a tn3270 host. The options o may be nil.
func StartTN3270(o *HostOptions) (*Server, error) {
	var options HostOptions
	if o != nil {
		options = *o
	}
	if options.Functions == nil {
		options.Functions = []byte{nvt.BindImage, nvt.Responses, nvt.SysReq}
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
	h.begin(c, h.agreed(), h.command)
	err := h.negotiate()
	if errors.Is(err, errNo3270) {
		h.Write([]byte(err.Error() + "\r\n"))
	}
	if err != nil {
		return
	}
	if h.hasFunction(nvt.BindImage) {
		err = h.SendKind(nvt.RecordBindImage, h.bindImage())
	}
	if err == nil {
		err = o.Run(h)
	}
	switch {
	case err == io.EOF: // the client has closed the connection
		return
	case err != nil:
		log("error " + err.Error())
		return
	}
	if h.hasFunction(nvt.BindImage) {
		h.SendKind(nvt.RecordUnbind, []byte{normalEnd})
	}
}

// Host is the host's side of a tn3270 session.
type Host struct {
	negotiation
	o   *HostOptions
	log func(entry string)

	terminal  string // terminal type
	model     int
	device    string // device name; empty without TN3270E
	extended  bool
	functions []byte
	sequence  uint16

	builder *tn3270.Builder
	pressed []tn3270.Key // keys that the client sent as commands
	record  []byte       // octets of the incomplete record
}

// Terminal returns the type of the terminal, such as "IBM-3278-2-E".
func (h *Host) Terminal() string { return h.terminal }

// Size returns the alternate screen size.
func (h *Host) Size() (rows, columns int) {
	size := map[int][2]int{2: {24, 80}, 3: {32, 80}, 4: {43, 80}, 5: {27, 132}}[h.model]
	return size[0], size[1]
}

// Device returns the device name that the host assigned with TN3270E, or "" if there is none.
func (h *Host) Device() string { return h.device }

// Extended reports whether TN3270E is in use.
func (h *Host) Extended() bool { return h.extended }

// Builder returns the record builder for this terminal. The builder creates one record at a time.
func (h *Host) Builder() *tn3270.Builder { return h.builder }

// Show sends the record that the builder b contains.
func (h *Host) Show(b *tn3270.Builder) error {
	record, err := b.Record()
	if err != nil {
		return err
	}
	return h.Send(record)
}

// Send sends a record with arbitrary octets.
func (h *Host) Send(record []byte) error {
	if h.extended {
		return h.SendKind(nvt.Record3270Data, record)
	}
	return h.WriteRecord(record)
}

// SendText sends SSCP-LU-DATA, which the terminal shows as text. It requires TN3270E.
func (h *Host) SendText(text string) error {
	record, err := h.builder.Text(text).Record()
	if err != nil {
		return err
	}
	return h.SendKind(nvt.RecordSSCPLUData, record)
}

// SendKind sends a record with a TN3270E header of the given kind (RFC 2355). For a data stream,
// it requests a response if the function RESPONSES is in use.
func (h *Host) SendKind(kind byte, data []byte) error {
	header := []byte{kind, 0, 0, byte(h.sequence >> 8), byte(h.sequence)}
	if h.hasFunction(nvt.Responses) {
		if kind == nvt.Record3270Data {
			header[2] = nvt.RespondAlways
		}
		h.sequence = (h.sequence + 1) & 0x7FFF
	}
	return h.WriteRecord(append(header, data...))
}

// Receive returns the terminal's next input. If the user presses Attn or SysReq, the result
// contains the key but no data. Receive returns SSCP-LU-DATA text as one field with the key Enter.
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

// testRequest is the beginning of a Test Request Read in EBCDIC. Some terminals without TN3270E
// send a Test Request Read for the key SysReq.
var testRequest = []byte{0x01, 0x6C, 0x61, 0x02}

// inbound parses a record. If the record is a response and not input, ok is false.
func (h *Host) inbound(record []byte) (in tn3270.Inbound, ok bool, err error) {
	if h.extended {
		if len(record) < nvt.RecordHeader {
			return in, false, fmt.Errorf("a record of %d octets has no header", len(record))
		}
		header, data := record[:nvt.RecordHeader], record[nvt.RecordHeader:]
		switch record = data; header[0] {
		case nvt.RecordResponse:
			h.log(fmt.Sprintf("response %d: %X % X", int(header[3])<<8|int(header[4]), header[2], data))
			return in, false, nil
		case nvt.RecordSSCPLUData:
			// The record contains only text. Convert the text to a field, after the
			// AID of Enter and an address.
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

// command handles Attn and SysReq. The client sends these keys as BRK and IP (RFC 1576), or as IP
// and AO with TN3270E (RFC 2355 section 10).
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

var errNo3270 = errors.New("this host is for 3270 terminals, and yours is not one")

func (h *Host) negotiate() error {
	if err := h.negotiateExtended(); err != nil || h.extended {
		return err
	}
	if err := errors.Join(h.request(theirs, nvt.TerminalType), h.wait()); err != nil {
		return err
	}
	if !h.Enabled(theirs, nvt.TerminalType) {
		return errNo3270
	}
	if err := h.ask(nvt.TerminalType); err != nil {
		return err
	}
	for _, code := range []byte{nvt.EndOfRecord, nvt.Binary} {
		if err := errors.Join(h.request(theirs, code), h.request(ours, code), h.wait()); err != nil {
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
	if len(data) > 0 && data[0] == nvt.Is {
		h.gotAnswer(nvt.TerminalType)
		h.isTerminal(string(data[1:]))
	}
}

// terminalType matches the known terminal types, optionally with a requested device name.
var terminalType = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^IBM-327[89]-([2-5])(?:-E)?(?:@.+)?$`) })

// isTerminal records the terminal type of a client, and reports whether the host knows this type.
func (h *Host) isTerminal(name string) bool {
	h.log("type " + name)
	found := terminalType().FindStringSubmatch(name)
	if found == nil {
		return false
	}
	h.terminal, h.model = name, int(found[1][0]-'0')
	b, err := tn3270.NewBuilder(&tn3270.Options{Model: h.model, CodePage: h.o.CodePage})
	h.builder = b
	return err == nil
}

func (h *Host) colored() bool {
	name, _, _ := strings.Cut(h.terminal, "@")
	return strings.HasSuffix(name, "-E")
}

func (h *Host) hasFunction(function byte) bool {
	return h.extended && slices.Contains(h.functions, function)
}

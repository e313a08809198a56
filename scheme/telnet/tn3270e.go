package telnet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/locus-url/locus/internal/nvt"
	"github.com/locus-url/locus/tn3270"
)

// What subnegotiations of TN3270E are made of (RFC 2355 section 7).
const (
	eConnect    = 1
	eDeviceType = 2
	eFunctions  = 3
	eIs         = 4
	eReason     = 5
	eReject     = 6
	eRequest    = 7
	eSend       = 8
)

// functions are those that we ask for and agree to: BIND-IMAGE, RESPONSES and
// SYSREQ (RFC 2355 section 7.2.2). The others are for printers.
var functions = []byte{0, responses, 4}

const responses = 2

// What a record is, which its header begins with (RFC 2355 section 8.1).
const (
	e3270Data    = 0
	eSCSData     = 1
	eResponse    = 2
	eBindImage   = 3
	eUnbind      = 4
	eNVTData     = 5
	eSSCPLUData  = 7
	headerSize   = 5
	eAlways      = 2 // a response is wanted, whatever it is
	eOnError     = 1 // a response is wanted if it is a bad one
	ePositive    = 0
	eNegative    = 1
	eDeviceEnd   = 0 // of a positive response
	eOpCheck     = 2 // of a negative one: a data stream that can't be done
	eRejectedNow = 0 // of a negative one: a record of a kind that is not for us
)

// reasons are why a host rejects a device (RFC 2355 section 7.1.6).
var reasons = [...]string{
	"its partner is not there", "it is in use", "it can't be associated", "there is no such device", "no such type of device",
	"the device has another type", "unknown", "not supported",
}

// extended is what TN3270E adds to a session.
type extended struct {
	conn *conn3270

	// What follows is guarded by conn.mu.
	agreed   []byte // functions; changed only where the host is read
	sequence uint16 // of what we send, if there are responses
	device   string
	rejected string
}

// sub takes a subnegotiation of the host.
func (e *extended) sub(data []byte) {
	switch {
	case bytes.Equal(data, []byte{eSend, eDeviceType}):
		e.request()
	case bytes.HasPrefix(data, []byte{eDeviceType, eIs}):
		e.accepted(data[2:])
	case bytes.HasPrefix(data, []byte{eDeviceType, eReject, eReason}):
		e.refused(data[3:])
	case bytes.HasPrefix(data, []byte{eFunctions, eIs}):
		e.agree(data[2:])
	case bytes.HasPrefix(data, []byte{eFunctions, eRequest}):
		e.propose(data[2:])
	}
}

// request asks for a device. There are no types of devices with colours here: a
// Query Reply tells of them (RFC 2355 section 7.1.1).
func (e *extended) request() {
	o := *e.conn.terminal
	o.Extended = false
	sub := append([]byte{eDeviceType, eRequest}, o.TerminalType()...)
	if name := e.conn.job.client.o.TN3270.DeviceName; name != "" {
		sub = append(append(sub, eConnect), name...)
	}
	e.conn.Sub(nvt.TN3270E, sub)
}

// accepted hears which device it is, and asks for functions.
func (e *extended) accepted(data []byte) {
	_, name, _ := bytes.Cut(data, []byte{eConnect})
	e.conn.update(func() { e.device, e.rejected = string(name), "" })
	e.conn.Sub(nvt.TN3270E, append([]byte{eFunctions, eRequest}, functions...))
}

// refused goes on without TN3270E, in which devices have no names but types may have
// one.
func (e *extended) refused(data []byte) {
	reason := reasons[6]
	if len(data) > 0 && int(data[0]) < len(reasons) {
		reason = reasons[data[0]]
	}
	e.conn.update(func() { e.rejected = reason })
	e.conn.Ask(true, nvt.TN3270E, false)
}

// agree hears which functions there are.
func (e *extended) agree(list []byte) {
	agreed := bytes.Clone(list)
	e.conn.update(func() { e.agreed = agreed })
}

// propose hears which functions the host would have. It is told those of them that
// there are, and asked again if they are fewer (RFC 2355 section 7.2.1).
func (e *extended) propose(list []byte) {
	var common []byte
	for _, f := range list {
		if slices.Contains(functions, f) && !slices.Contains(common, f) {
			common = append(common, f)
		}
	}
	if len(common) < len(list) {
		e.conn.Sub(nvt.TN3270E, append([]byte{eFunctions, eRequest}, common...))
		return
	}
	e.agree(common)
	e.conn.Sub(nvt.TN3270E, append([]byte{eFunctions, eIs}, common...))
}

// record takes a record with its header.
func (e *extended) record(record []byte) error {
	if len(record) < headerSize {
		e.conn.job.req.Traced(false, fmt.Sprintf("a record of %d octets is too short for its header", len(record)))
		return nil
	}
	header, data := record[:headerSize], record[headerSize:]
	var reply []byte
	var err error
	switch header[0] {
	case e3270Data:
		reply, err = e.conn.stream(data)
	case eSSCPLUData:
		e.conn.screen.ReceiveText(data)
	case eNVTData:
		e.conn.text(data)
	case eBindImage, eUnbind, eResponse:
	default:
		err = errKind
	}
	if err := e.respond(header, err); err != nil {
		return err
	}
	if reply == nil {
		return nil
	}
	return e.write(e3270Data, reply)
}

// errKind is that a record is of a kind that is not for terminals.
var errKind = errors.New("no record for a terminal")

// respond says what became of a record, if the host wants to know: of data streams
// alone, to which RFC 2355 section 8.1.3 gives the flag its meaning.
func (e *extended) respond(header []byte, failed error) error {
	if !slices.Contains(e.agreed, responses) || header[0] != e3270Data && header[0] != eSCSData {
		return nil
	}
	wanted := header[2] == eAlways || header[2] == eOnError && failed != nil
	if !wanted {
		return nil
	}
	response := []byte{eResponse, 0, ePositive, header[3], header[4], eDeviceEnd}
	switch {
	case errors.Is(failed, tn3270.ErrData):
		response[2], response[5] = eNegative, eOpCheck
	case failed != nil:
		response[2], response[5] = eNegative, eRejectedNow
	}
	return e.conn.WriteRecord(response)
}

// send sends what a key gives: text to what is not a data stream.
func (e *extended) send(record []byte) error {
	if e.conn.screen.Status().Mode == tn3270.ModeText {
		return e.write(eSSCPLUData, record)
	}
	return e.write(e3270Data, record)
}

// write sends a record behind a header.
func (e *extended) write(kind byte, record []byte) error {
	e.conn.mu.Lock()
	header := binary.BigEndian.AppendUint16([]byte{kind, 0, 0}, e.sequence)
	if slices.Contains(e.agreed, responses) {
		e.sequence = (e.sequence + 1) & 0x7FFF
	}
	e.conn.mu.Unlock()
	return e.conn.WriteRecord(append(header, record...))
}

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

// knownFunctions lists the functions that the client requests and accepts: BIND-IMAGE, RESPONSES
// and SYSREQ (RFC 2355 section 7.2.2). All other functions are for printers.
var knownFunctions = []byte{nvt.BindImage, nvt.Responses, nvt.SysReq}

// These constants are the response codes (RFC 2355 section 8.1).
const (
	ePositive    = 0
	eNegative    = 1
	eDeviceEnd   = 0 // positive response code
	eOpCheck     = 2 // negative response code for an invalid data stream
	eRejectedNow = 0 // negative response code for a record type that is not for terminals
)

// reasons lists the reasons for which a host rejects a device (RFC 2355 section 7.1.6).
var reasons = [...]string{
	"its partner device is missing", "it is in use", "it can't be associated", "there is no such device", "no such device type",
	"the device has another type", "unknown", "not supported",
}

// extended is the TN3270E state of a session.
type extended struct {
	conn *conn3270

	// conn.mu guards the fields below.
	functions []byte // functions that both sides agreed on; only the reading goroutine changes them
	sequence  uint16 // sequence number of the next record to send; 0 if responses are not in use
	device    string
	rejected  string
}

func (e *extended) sub(data []byte) {
	switch {
	case bytes.Equal(data, []byte{nvt.TN3270ESend, nvt.TN3270EDeviceType}):
		e.request()
	case bytes.HasPrefix(data, []byte{nvt.TN3270EDeviceType, nvt.TN3270EIs}):
		e.accepted(data[2:])
	case bytes.HasPrefix(data, []byte{nvt.TN3270EDeviceType, nvt.TN3270EReject, nvt.TN3270EReason}):
		e.handleRefusal(data[3:])
	case bytes.HasPrefix(data, []byte{nvt.TN3270EFunctions, nvt.TN3270EIs}):
		e.agree(data[2:])
	case bytes.HasPrefix(data, []byte{nvt.TN3270EFunctions, nvt.TN3270ERequest}):
		e.propose(data[2:])
	}
}

// request requests a device. The device type does not mention extended attributes, because a Query
// Reply announces them in TN3270E (RFC 2355 section 7.1.1).
func (e *extended) request() {
	o := *e.conn.terminal
	o.Extended = false
	sub := append([]byte{nvt.TN3270EDeviceType, nvt.TN3270ERequest}, o.TerminalType()...)
	if name := e.conn.opener.client.o.TN3270.DeviceName; name != "" {
		sub = append(append(sub, nvt.TN3270EConnect), name...)
	}
	e.conn.Sub(nvt.TN3270E, sub)
}

func (e *extended) accepted(data []byte) {
	_, name, _ := bytes.Cut(data, []byte{nvt.TN3270EConnect})
	e.conn.update(func() { e.device, e.rejected = string(name), "" })
	e.conn.Sub(nvt.TN3270E, append([]byte{nvt.TN3270EFunctions, nvt.TN3270ERequest}, knownFunctions...))
}

// handleRefusal records the host's reason for the rejection, and continues without TN3270E.
func (e *extended) handleRefusal(data []byte) {
	reason := reasons[6]
	if len(data) > 0 && int(data[0]) < len(reasons) {
		reason = reasons[data[0]]
	}
	e.conn.update(func() { e.rejected = reason })
	e.conn.Ask(true, nvt.TN3270E, false)
}

func (e *extended) agree(list []byte) {
	agreed := bytes.Clone(list)
	e.conn.update(func() { e.functions = agreed })
}

// propose answers the host's list of functions. It accepts the list, or proposes the functions in
// the list that the client supports (RFC 2355 section 7.2.1).
func (e *extended) propose(list []byte) {
	var common []byte
	for _, f := range list {
		if slices.Contains(knownFunctions, f) && !slices.Contains(common, f) {
			common = append(common, f)
		}
	}
	if len(common) < len(list) {
		e.conn.Sub(nvt.TN3270E, append([]byte{nvt.TN3270EFunctions, nvt.TN3270ERequest}, common...))
		return
	}
	e.agree(common)
	e.conn.Sub(nvt.TN3270E, append([]byte{nvt.TN3270EFunctions, nvt.TN3270EIs}, common...))
}

func (e *extended) record(record []byte) error {
	if len(record) < nvt.RecordHeader {
		e.conn.opener.req.Traced(false, fmt.Sprintf("a record of %d bytes is too short for its header", len(record)))
		return nil
	}
	header, data := record[:nvt.RecordHeader], record[nvt.RecordHeader:]
	var reply []byte
	var err error
	switch header[0] {
	case nvt.Record3270Data:
		reply, err = e.conn.receiveStream(data)
	case nvt.RecordSSCPLUData:
		e.conn.screen.ReceiveText(data)
	case nvt.RecordNVTData:
		e.conn.appendText(data)
	case nvt.RecordBindImage, nvt.RecordUnbind, nvt.RecordResponse:
	default:
		err = errKind
	}
	if err := e.respond(header, err); err != nil {
		return err
	}
	if reply == nil {
		return nil
	}
	return e.write(nvt.Record3270Data, reply)
}

var errKind = errors.New("a record type that terminals do not receive")

// respond sends the outcome of a record if the host requested a response. The host can request
// responses only for data streams (RFC 2355 section 8.1.3).
func (e *extended) respond(header []byte, failed error) error {
	if !slices.Contains(e.functions, nvt.Responses) || header[0] != nvt.Record3270Data && header[0] != nvt.RecordSCSData {
		return nil
	}
	wanted := header[2] == nvt.RespondAlways || header[2] == nvt.RespondOnError && failed != nil
	if !wanted {
		return nil
	}
	response := []byte{nvt.RecordResponse, 0, ePositive, header[3], header[4], eDeviceEnd}
	switch {
	case errors.Is(failed, tn3270.ErrData):
		response[2], response[5] = eNegative, eOpCheck
	case failed != nil:
		response[2], response[5] = eNegative, eRejectedNow
	}
	return e.conn.WriteRecord(response)
}

func (e *extended) send(record []byte) error {
	if e.conn.screen.Status().Mode == tn3270.ModeText {
		return e.write(nvt.RecordSSCPLUData, record)
	}
	return e.write(nvt.Record3270Data, record)
}

func (e *extended) write(kind byte, record []byte) error {
	e.conn.mu.Lock()
	header := binary.BigEndian.AppendUint16([]byte{kind, 0, 0}, e.sequence)
	if slices.Contains(e.functions, nvt.Responses) {
		e.sequence = (e.sequence + 1) & 0x7FFF
	}
	e.conn.mu.Unlock()
	return e.conn.WriteRecord(append(header, record...))
}

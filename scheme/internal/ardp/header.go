package ardp

import (
	"encoding/binary"
	"errors"
)

// Field identifies a header field. The fields have a fixed order. The value of a Field is the
// length of a header that ends after this field.
type Field int

// These constants are the header fields. A header may end after any field.
const (
	FieldNone    Field = 1  // only the first octet: version and header length
	FieldID      Field = 3  // connection id
	FieldNumber  Field = 5  // packet number
	FieldTotal   Field = 7  // number of packets in the message
	FieldThrough Field = 9  // received-through
	FieldWait    Field = 11 // seconds until the expected reply
	FieldFlags   Field = 12
	FieldOption  Field = 13
)

// These constants are the bits of Flags. The first four bits indicate additional fields.
const (
	FlagAddress     = 0x01 // field: a type octet, a length octet, and the address
	FlagPriority    = 0x02 // field of 2 octets, signed
	FlagProtocol    = 0x04 // field of 2 octets
	FlagWindow      = 0x08 // field of 2 octets: number of packets to send without an acknowledgement
	FlagSequenced   = 0x40 // the packet has a number, but its data is not part of the message
	FlagAcknowledge = 0x80 // the sender requests an acknowledgement
)

// These constants are the values of Option.
const (
	OptionCancel      = 1   // in a request: the client cancels the request
	OptionRefused     = 1   // in a reply: the server refuses the request
	OptionThrough     = 2   // received-through is valid, even if it is less than before
	OptionRedirect    = 4   // redirect: an IPv4 address and a port, 6 octets
	OptionRedirectAll = 5   // like OptionRedirect, but also for later requests
	OptionQueue       = 254 // queue position and time
)

// These constants are the flags in the first octet of OptionQueue.
const (
	queuePosition = 0x01 // field of 2 octets
	queueTime     = 0x02 // field of 4 octets, in seconds
)

const (
	// lengthBits is a mask for the bits of the first octet that hold the header length. The
	// other bits hold the version, which is 0.
	lengthBits = 0x3f
	// MaxData is the maximum number of data octets in one packet. It equals the limit of the
	// original programs.
	MaxData = 1250
	// Window is the number of packets that either side sends without an acknowledgement,
	// unless the client requests another number.
	Window = 16
)

// Header is the header of a datagram. The value of an absent field is 0.
type Header struct {
	Fields  Field // last field that is present
	ID      uint16
	Number  uint16 // packet number, beginning at 1; 0 means a control packet, which is not part of the message
	Total   uint16 // number of packets in the message; 0 if unknown
	Through uint16 // number up to which the sender has received all packets from the other side
	Wait    uint16 // time in seconds
	Flags   byte
	Option  byte
	Extra   []byte // fields of the flags, lowest bit first, followed by the fields of the option
}

// Has reports whether the header contains the field f.
func (h *Header) Has(f Field) bool { return h.Fields >= f }

// Position returns the number of a packet and the total number of packets. If the header does not
// contain the total, total is 0. A header without a packet number belongs to a message of one
// packet.
func (h *Header) Position() (number, total int) {
	if !h.Has(FieldNumber) {
		return 1, 1
	}
	return int(h.Number), int(h.Total)
}

var (
	errEmpty   = errors.New("empty")
	errVersion = errors.New("unsupported ARDP version")
	errLength  = errors.New("header length exceeds the packet")
	errNone    = errors.New("header length is 0")
)

// ParseHeader splits a datagram into its header and its data. The header's Extra field shares
// memory with the datagram. If the header ends inside a field, ParseHeader ignores this incomplete
// field.
func ParseHeader(datagram []byte) (h Header, data []byte, err error) {
	if len(datagram) == 0 {
		return h, nil, errEmpty
	}
	n := int(datagram[0] & lengthBits)
	switch {
	case datagram[0]&^lengthBits != 0:
		return h, nil, errVersion
	case n == 0:
		return h, nil, errNone
	case n > len(datagram):
		return h, nil, errLength
	}
	octets := datagram[:n]
	h.Fields = lastField(n)
	for _, f := range h.numbers() {
		if !h.Has(f.field) {
			break
		}
		*f.value = binary.BigEndian.Uint16(octets[f.field-2:])
	}
	if h.Has(FieldFlags) {
		h.Flags = octets[FieldFlags-1]
	}
	if h.Has(FieldOption) {
		h.Option = octets[FieldOption-1]
		h.Extra = octets[FieldOption:]
	}
	return h, datagram[n:], nil
}

// lastField returns the last field that is complete in a header of n octets.
func lastField(n int) Field {
	switch {
	case n >= int(FieldOption):
		return FieldOption
	case n == int(FieldFlags):
		return FieldFlags
	case n%2 == 0:
		return Field(n - 1)
	}
	return Field(n)
}

type number struct {
	field Field
	value *uint16
}

func (h *Header) numbers() [5]number {
	return [...]number{
		{FieldID, &h.ID}, {FieldNumber, &h.Number}, {FieldTotal, &h.Total}, {FieldThrough, &h.Through}, {FieldWait, &h.Wait},
	}
}

// Append appends the header to dst. It omits Extra unless the header contains the field Option.
// Extra must not exceed 50 octets.
func (h *Header) Append(dst []byte) []byte {
	from := len(dst)
	dst = append(dst, 0)
	for _, f := range h.numbers() {
		if h.Has(f.field) {
			dst = binary.BigEndian.AppendUint16(dst, *f.value)
		}
	}
	if h.Has(FieldFlags) {
		dst = append(dst, h.Flags)
	}
	if h.Has(FieldOption) {
		dst = append(append(dst, h.Option), h.Extra...)
	}
	dst[from] = byte(len(dst)-from) & lengthBits
	return dst
}

// OptionFields returns the fields of the option, which follow the fields of the flags in Extra. If
// Extra is too short, ok is false.
func (h *Header) OptionFields() (fields []byte, ok bool) {
	size := 0
	if h.Flags&FlagAddress != 0 {
		if len(h.Extra) < 2 {
			return nil, false
		}
		size = 2 + int(h.Extra[1])
	}
	for _, flag := range []byte{FlagPriority, FlagProtocol, FlagWindow} {
		if h.Flags&flag != 0 {
			size += 2
		}
	}
	if size > len(h.Extra) {
		return nil, false
	}
	return h.Extra[size:], true
}

func swapped(id uint16) uint16 { return id<<8 | id>>8 }

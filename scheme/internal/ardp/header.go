package ardp

import (
	"encoding/binary"
	"errors"
)

// Field is a field of a header. The fields have a fixed order. The value of a Field
// is the length of a header that ends after it.
type Field int

// Fields. A header may end after any of them.
const (
	FieldNone    Field = 1  // only the first octet: version and length of the header
	FieldID      Field = 3  // connection id
	FieldNumber  Field = 5  // packet number
	FieldTotal   Field = 7  // number of packets in the message
	FieldThrough Field = 9  // received-through
	FieldWait    Field = 11 // seconds until the expected reply
	FieldFlags   Field = 12
	FieldOption  Field = 13
)

// Bits of Flags. The first four announce additional fields.
const (
	FlagAddress     = 0x01 // a type octet, a length octet, and that many octets
	FlagPriority    = 0x02 // 2 octets, signed
	FlagProtocol    = 0x04 // 2 octets
	FlagWindow      = 0x08 // 2 octets: number of packets to send without an acknowledgement
	FlagSequenced   = 0x40 // the packet has a number, but its data is not part of the message
	FlagAcknowledge = 0x80 // the sender requests an acknowledgement
)

// Values of Option.
const (
	OptionCancel      = 1   // in a request: the client cancels it
	OptionRefused     = 1   // in a reply: the server refuses the request
	OptionThrough     = 2   // received-through is valid even if it is less than before
	OptionRedirect    = 4   // an IPv4 address and a port, 6 octets
	OptionRedirectAll = 5   // the same, also for later requests
	OptionQueue       = 254 // position in the queue, and time
)

// Flags in the first octet of OptionQueue.
const (
	queuePosition = 0x01 // field of 2 octets
	queueTime     = 0x02 // field of 4 octets, in seconds
)

const (
	// lengthBits are the bits in the first octet that hold the length of the header. The
	// other bits hold the version, which is 0.
	lengthBits = 0x3f
	// MaxData is the maximum number of octets of a message in one packet, as in the original
	// programs.
	MaxData = 1250
	// Window is the number of packets that either side sends without an
	// acknowledgement, unless the client requested another number.
	Window = 16
)

// Header is the header of a datagram. Absent fields are 0.
type Header struct {
	Fields  Field // the last field that is present
	ID      uint16
	Number  uint16 // packet number, from 1; 0 means a control packet, which is not part of the message
	Total   uint16 // number of packets in the message; 0 if unknown
	Through uint16 // the sender has received all packets of the other side up to this one
	Wait    uint16 // time in seconds
	Flags   byte
	Option  byte
	Extra   []byte // fields of the flags, low bit first, then the fields of the option
}

// Has reports whether a field is present.
func (h *Header) Has(f Field) bool { return h.Fields >= f }

// Position returns the number of a packet and the total number of packets. The total is 0
// if the header does not contain it. A header without a packet number belongs to a
// message of one packet.
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

// ParseHeader splits a datagram into its header and its data. Extra shares memory
// with the datagram. A header that ends inside a field ends before that field.
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

// Append appends the header to dst. It omits Extra unless Option is present. Extra
// must not exceed 50 octets.
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

// OptionFields returns the fields of the option, after the fields of the flags. If Extra
// is too short, ok is false.
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

package nvt

// These constants are octets in subnegotiations. Is and Send occur in TERMINAL-TYPE (RFC 1091),
// STATUS (RFC 859) and NEW-ENVIRON (RFC 1572), and Follows occurs in START-TLS.
const (
	Is   byte = 0
	Send byte = 1

	EnvVar     byte = 0
	EnvValue   byte = 1
	EnvEscape  byte = 2
	EnvUserVar byte = 3

	CharsetRequest  byte = 1 // RFC 2066
	CharsetAccepted byte = 2
	CharsetRejected byte = 3

	Follows byte = 1
)

// These constants are the octets in TN3270E subnegotiations and the TN3270E functions (RFC 2355
// section 7).
const (
	TN3270EConnect    byte = 1
	TN3270EDeviceType byte = 2
	TN3270EFunctions  byte = 3
	TN3270EIs         byte = 4
	TN3270EReason     byte = 5
	TN3270EReject     byte = 6
	TN3270ERequest    byte = 7
	TN3270ESend       byte = 8

	BindImage byte = 0
	Responses byte = 2
	SysReq    byte = 4
)

// These constants are the TN3270E record types, which are the first octet of a record header, and
// the header's response flag (RFC 2355 section 8.1).
const (
	Record3270Data   byte = 0
	RecordSCSData    byte = 1
	RecordResponse   byte = 2
	RecordBindImage  byte = 3
	RecordUnbind     byte = 4
	RecordNVTData    byte = 5
	RecordSSCPLUData byte = 7

	RespondOnError byte = 1
	RespondAlways  byte = 2

	RecordHeader = 5 // header length in octets
)

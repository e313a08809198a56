package nvt

// Octets of subnegotiations. Is and Send belong to TERMINAL-TYPE (RFC 1091), STATUS (RFC
// 859) and NEW-ENVIRON (RFC 1572), and Follows to START-TLS.
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

// Octets of subnegotiations of TN3270E, and its functions (RFC 2355 section 7).
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

// Types of TN3270E records, which begin their header, and the response flag of the header
// (RFC 2355 section 8.1).
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

	RecordHeader = 5 // octets
)

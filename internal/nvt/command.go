// Package nvt is the Telnet protocol, as either side has it: the octets of a
// Network Virtual Terminal, the commands among them (RFC 854), options by the Q
// method of RFC 1143, which never loops, and their subnegotiations (RFC 855).
//
// A [Conn] agrees to the options it is given and refuses all others. It says
// nothing by itself: what speaks no Telnet is served too.
package nvt

import "strconv"

// Commands (RFC 854; EOR: RFC 885).
const (
	EOR  byte = 239 // end of record
	SE   byte = 240 // end of a subnegotiation
	NOP  byte = 241
	DM   byte = 242 // data mark
	BRK  byte = 243 // break
	IP   byte = 244 // interrupt process
	AO   byte = 245 // abort output
	AYT  byte = 246 // are you there
	EC   byte = 247 // erase character
	EL   byte = 248 // erase line
	GA   byte = 249 // go ahead
	SB   byte = 250 // a subnegotiation follows
	WILL byte = 251
	WONT byte = 252
	DO   byte = 253
	DONT byte = 254
	IAC  byte = 255 // interpret as command
)

// Options, by their numbers.
const (
	Binary         byte = 0  // RFC 856
	Echo           byte = 1  // RFC 857
	SGA            byte = 3  // suppress go ahead, RFC 858
	TerminalType   byte = 24 // RFC 1091
	EndOfRecord    byte = 25 // RFC 885
	WindowSize     byte = 31 // NAWS, RFC 1073
	LineMode       byte = 34 // RFC 1184
	NewEnvironment byte = 39 // RFC 1572
	TN3270E        byte = 40 // RFC 2355
	Charset        byte = 42 // RFC 2066
	StartTLS       byte = 46 // draft-altman-telnet-starttls
)

// CommandName returns the name of a command as RFC 854 has it, or its number.
func CommandName(command byte) string {
	if command >= EOR {
		return [...]string{"EOR", "SE", "NOP", "DM", "BRK", "IP", "AO", "AYT", "EC", "EL", "GA", "SB", "WILL", "WONT", "DO", "DONT", "IAC"}[command-EOR]
	}
	return strconv.Itoa(int(command))
}

// OptionName returns the name of an option, or its number.
func OptionName(option byte) string {
	switch option {
	case Binary:
		return "BINARY"
	case Echo:
		return "ECHO"
	case SGA:
		return "SGA"
	case 5:
		return "STATUS"
	case 6:
		return "TIMING-MARK"
	case TerminalType:
		return "TERMINAL-TYPE"
	case EndOfRecord:
		return "EOR"
	case WindowSize:
		return "NAWS"
	case 32:
		return "TERMINAL-SPEED"
	case 33:
		return "REMOTE-FLOW-CONTROL"
	case LineMode:
		return "LINEMODE"
	case 35:
		return "X-DISPLAY-LOCATION"
	case 36:
		return "ENVIRON"
	case 37:
		return "AUTHENTICATION"
	case 38:
		return "ENCRYPT"
	case NewEnvironment:
		return "NEW-ENVIRON"
	case TN3270E:
		return "TN3270E"
	case Charset:
		return "CHARSET"
	case StartTLS:
		return "START-TLS"
	}
	return strconv.Itoa(int(option))
}

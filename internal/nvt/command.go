// Package nvt implements both sides of the Telnet protocol. It handles the data and commands of a
// Network Virtual Terminal (RFC 854), and options and their subnegotiations (RFC 855). It
// negotiates options with the Q method of RFC 1143, which prevents negotiation loops.
//
// A [Conn] accepts the options in its [Options] and rejects all other options. It never starts a
// negotiation by itself, so a Conn also works with peers that do not use Telnet.
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

// Option numbers.
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

// CommandName returns the RFC 854 name of a command. It returns the number of an unknown command.
func CommandName(command byte) string {
	if command >= EOR {
		return [...]string{"EOR", "SE", "NOP", "DM", "BRK", "IP", "AO", "AYT", "EC", "EL", "GA", "SB", "WILL", "WONT", "DO", "DONT", "IAC"}[command-EOR]
	}
	return strconv.Itoa(int(command))
}

var optionNames = map[byte]string{
	Binary: "BINARY", Echo: "ECHO", SGA: "SGA", 5: "STATUS", 6: "TIMING-MARK",
	TerminalType: "TERMINAL-TYPE", EndOfRecord: "EOR", WindowSize: "NAWS",
	32: "TERMINAL-SPEED", 33: "REMOTE-FLOW-CONTROL", LineMode: "LINEMODE",
	35: "X-DISPLAY-LOCATION", 36: "ENVIRON", 37: "AUTHENTICATION", 38: "ENCRYPT",
	NewEnvironment: "NEW-ENVIRON", TN3270E: "TN3270E", Charset: "CHARSET", StartTLS: "START-TLS",
}

// OptionName returns the name of an option. It returns the number of an unknown option.
func OptionName(option byte) string {
	if name, ok := optionNames[option]; ok {
		return name
	}
	return strconv.Itoa(int(option))
}

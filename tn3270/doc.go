// Package tn3270 implements the terminal of tn3270 URLs: the screen and keyboard of an
// IBM 3270 display, which a host writes with data streams. It does no I/O; RFC 1576 and
// RFC 2355 define how Telnet carries the records.
//
// A program passes the host's records to [Screen.Receive] and sends the replies. It
// passes the user's input to [Screen.Type] and [Screen.Press], and sends the records that
// Press returns. [Screen.Text], [Screen.Fields] and [Screen.Snapshot] return the contents
// of the screen. [Draw] draws a snapshot on an ECMA-48 terminal, and [Decoder] reads that
// terminal's keys. [Builder] and [ParseInbound] are for hosts.
//
// # The data stream
//
// The data stream follows IBM's "3270 Data Stream Programmer's Reference", GA23-0059. It
// supports all commands in both codes, all orders, and these structured fields: Read
// Partition (Query, Query List, Read Buffer, Read Modified, Read Modified All),
// Erase/Reset, Set Reply Mode, Create, Destroy and Reset Partition, and Outbound 3270DS.
// It skips others. Addresses have 12 or 14 bits. After a Create Partition that requests
// it, they have 16 bits, until Erase/Reset, Destroy Partition, or an Erase/Write that is
// a separate command.
//
// The models are 2 to 5. The size is 24 by 80 until the host requests the alternate size,
// which depends on the model. If [Options].Extended is set, the terminal supports colors
// and highlighting. Otherwise it ignores them and does not announce them.
//
// The characters come from an EBCDIC code page ([CodePages]), and from code page 310 (APL
// and line drawing) after Graphic Escape. The screen shows nulls and field attributes as
// spaces, DUP as "*", FM as ";", and SUB and EO as a full and an empty circle. It shows
// CR, NL, FF and EM, which are for printers, as spaces.
//
// # Limits
//
// There is one partition, number 0, as large as the screen. The terminal does not
// support double-byte characters: it shows SO and SI as spaces. Nor does it support
// graphics, programmed symbols, loadable characters, printers and file transfer. It
// ignores field validation, outlining, transparency and background colors. [Attn] and
// [SysReq] are not data streams but Telnet commands (RFC 1576, RFC 2355 section 10), so
// Press returns nothing to send for them.
//
// # Refused input
//
// A truncated or unknown order, an address outside the screen, and a structured field
// with a wrong length end their record with a [DataError] that contains the offset. The
// part of the record before the error stays on the screen. The screen still sets the
// keyboard and the alarm as the record requests, so that an error does not leave the
// keyboard locked. A record must not exceed [MaxRecord] octets, nor contain more than one
// Read Partition. The memory of a Screen does not grow.
//
// A host cannot send control characters to the user's terminal: [Draw] writes only
// graphic characters and its own sequences. Hidden fields are never shown, not even in
// errors.
package tn3270

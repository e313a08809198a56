// Package tn3270 implements the terminal for tn3270 URLs, which is the screen and keyboard of an
// IBM 3270 display. A host controls the display with 3270 data streams. The package does no I/O.
// RFC 1576 and RFC 2355 define how Telnet carries the records.
//
// A program passes the host's records to [Screen.Receive] and sends the replies. It passes the
// user's input to [Screen.Type] and [Screen.Press], and sends the records that Press returns.
// [Screen.Text], [Screen.Fields] and [Screen.Snapshot] return the contents of the screen. [Draw]
// draws a snapshot on an ECMA-48 terminal, and [Decoder] reads that terminal's keys. Hosts use
// [Builder] and [ParseInbound].
//
// # The data stream
//
// The data stream follows IBM's "3270 Data Stream Programmer's Reference", GA23-0059. The package
// supports all commands in both codes, and all orders. It supports the structured fields Read
// Partition (Query, Query List, Read Buffer, Read Modified, Read Modified All), Erase/Reset, Set
// Reply Mode, Create, Destroy and Reset Partition, and Outbound 3270DS. It skips all other
// structured fields. Addresses have 12 or 14 bits. If a Create Partition requests 16-bit
// addresses, they remain in use until Erase/Reset, Destroy Partition, or an Erase/Write that is a
// separate command.
//
// The package supports the models 2 to 5. The screen size is 24 by 80 until the host requests the
// alternate size, which depends on the model. If [Options].Extended is set, the terminal supports
// colors and highlighting. Otherwise it ignores these attributes and does not announce support for
// them.
//
// Characters are encoded in an EBCDIC code page ([CodePages]), or after Graphic Escape in code
// page 310 (APL and line drawing). The screen shows nulls and field attributes as spaces, DUP as
// "*" and FM as ";". It shows SUB as a filled circle and EO as an empty circle. It shows CR, NL,
// FF and EM, which are for printers, as spaces.
//
// # Limits
//
// The only partition is number 0, which has the size of the screen. The terminal does not support
// double-byte characters, and shows SO and SI as spaces. It does not support graphics, programmed
// symbols, loadable characters, printers or file transfer. It ignores field validation, outlining,
// transparency and background colors. The keys [Attn] and [SysReq] are Telnet commands (RFC 1576,
// RFC 2355 section 10), so Press returns no record for these keys.
//
// # Refused input
//
// If a record is invalid, Receive stops and returns a [DataError] with the offset. Such errors are
// truncated or unknown orders, addresses outside the screen, and structured fields with a wrong
// length. The part of the record before the error takes effect. Receive still unlocks the keyboard
// and sounds the alarm if the record requests it, so that an error does not leave the keyboard
// locked. A record must not exceed [MaxRecord] octets, and must not contain more than one Read
// Partition. The memory of a Screen does not grow.
//
// A host cannot send control characters to the user's terminal, because [Draw] writes only graphic
// characters and its own sequences. The package never shows the contents of hidden fields, not
// even in errors.
package tn3270

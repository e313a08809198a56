// Package tn3270 implements the terminal of tn3270 URLs: the screen and keyboard of an
// IBM 3270 display, which a host writes with data streams. It does no I/O; RFC 1576 and
// RFC 2355 define how Telnet carries the records.
//
// A program passes the host's records to [Screen.Receive] and sends the replies. It
// passes the user's input to [Screen.Type] and [Screen.Press], and sends the records that
// Press returns. [Screen.Text], [Screen.Fields] and [Screen.Snapshot] return what is on
// the screen. [Draw] draws a snapshot on an ECMA-48 terminal and [Decoder] reads that
// terminal's keys. [Builder] and [ParseInbound] are for hosts.
//
// # The data stream
//
// The data stream is that of IBM's "3270 Data Stream Programmer's Reference", GA23-0059:
// all commands in both codes, all orders, and these structured fields: Read Partition
// (Query, Query List, Read Buffer, Read Modified, Read Modified All), Erase/Reset, Set
// Reply Mode, Create, Destroy and Reset Partition, and Outbound 3270DS. Others are
// skipped. Addresses have 12 or 14 bits, and 16 after a Create Partition that asks for
// it, until Erase/Reset, Destroy Partition, or an Erase/Write that is a command of its
// own.
//
// The models are 2 to 5. The size is 24 by 80 until the host asks for the alternate size,
// which is the model's. With [Options].Extended the terminal has colors and highlighting;
// otherwise it ignores them and does not announce them.
//
// The characters are those of an EBCDIC code page ([CodePages]), and of code page 310
// (APL and line drawing) after Graphic Escape. Nulls and field attributes show as blanks,
// DUP as "*", FM as ";", SUB and EO as a full and an empty circle. CR, NL, FF and EM are
// for printers and show as blanks.
//
// # Limits
//
// There is one partition, number 0, as large as the screen. Double-byte characters are
// not supported: SO and SI are blanks. Nor are graphics, programmed symbols, loadable
// characters, printers and file transfer. Field validation, outlining, transparency and
// background colors are ignored. [Attn] and [SysReq] are not data streams but Telnet
// commands (RFC 1576, RFC 2355 section 10), so Press returns nothing to send for them.
//
// # Rejected input
//
// A truncated or unknown order, an address outside the screen and a structured field with
// a wrong length end their record with a [DataError] that has the offset. What came
// before stays on the screen. The keyboard and the alarm are set as the record asks, so
// that an error does not leave the keyboard locked. A record has at most [MaxRecord]
// octets, and one Read Partition. The memory of a Screen does not grow.
//
// A host can't send control characters to the user's terminal: [Draw] writes graphic
// characters and its own sequences. Hidden fields are never shown, also not in errors.
package tn3270

// Package tn3270 is the terminal of tn3270 URLs: the screen of an IBM 3270 display,
// which a host writes with data streams and a person reads and types on. There is
// no network in it; RFC 1576 and RFC 2355 say how the records travel on Telnet.
//
// A [Screen] stands between the two. The host's side gives it records
// ([Screen.Receive]) and sends what it replies; the person's side types
// ([Screen.Type]), presses keys ([Screen.Press]) and sends the records that come
// of that. [Screen.Text], [Screen.Fields] and [Screen.Snapshot] are what there is
// to see. [Draw] writes that for a terminal and [Decoder] reads that terminal's
// keys. [Builder] and [ParseInbound] are the other end: a host's.
//
// # The data stream
//
// It is that of IBM's "3270 Data Stream Programmer's Reference", GA23-0059. All
// commands in both codes, all orders, and these structured fields: Read Partition
// (Query, Query List, Read Buffer, Read Modified, Read Modified All), Erase/Reset,
// Set Reply Mode, Create, Destroy and Reset Partition, and Outbound 3270DS. Others
// are passed over. Addresses are of 12 or 14 bits, and of 16 after a Create
// Partition that asks for it, until Erase/Reset, Destroy Partition, or an
// Erase/Write that is a command of its own.
//
// The models are 2 to 5. The size is 24 by 80 until the host asks for the
// alternate size, which is the model's. [Options].Extended makes the terminal one
// of colours and highlighting; else it ignores them, and does not say that it has
// them.
//
// The characters are those of a code page of EBCDIC ([CodePages]), and of code page
// 310 (APL and line drawing) behind Graphic Escape. Nulls and field attributes
// show as blanks, DUP as "*", FM as ";", SUB and EO as a full and an empty circle,
// and CR, NL, FF and EM, which mean something to printers, as blanks.
//
// # What is not there
//
// One partition, number 0, that is as large as the screen. No double-byte
// characters: SO and SI are blanks. No graphics, programmed symbols, loadable
// characters, printers or file transfer. Field validation, outlining,
// transparency and background colours are ignored. [Attn] and [SysReq] are not
// data streams but Telnet commands (RFC 1576, RFC 2355 section 10), so that
// pressing them gives nothing to send.
//
// # What is refused
//
// An order that is cut off or unknown, an address outside the screen and a
// structured field with a wrong length end the record they are in, with a
// [DataError] that says where. What came before stays; the keyboard and the alarm
// are as the record wants, so that nobody is left in front of a locked keyboard.
// A record has at most [MaxRecord] octets, and one Read Partition. The memory of
// a Screen does not grow.
//
// Nothing that a host sends reaches a terminal as a control: [Draw] writes
// graphic characters, and sequences of its own. What is in a hidden field is
// never shown, nor in an error.
package tn3270

package tn3270

import (
	"strconv"
	"strings"
)

// Key is a key on the keyboard of a 3270 terminal. The zero Key is invalid.
type Key int

// These keys send a record to the host.
const (
	Enter Key = iota + 1
	Clear     // also clears the screen
	PA1
	PA2
	PA3
	PF1
	PF2
	PF3
	PF4
	PF5
	PF6
	PF7
	PF8
	PF9
	PF10
	PF11
	PF12
	PF13
	PF14
	PF15
	PF16
	PF17
	PF18
	PF19
	PF20
	PF21
	PF22
	PF23
	PF24
	CursorSelect // selects the field at the cursor, as a light pen would

	// Attn and SysReq are Telnet commands, which the owner of the connection must send. The
	// commands are BREAK and IP in RFC 1576, and IP and AO in RFC 2355 section 10. Press
	// ignores these keys.
	Attn
	SysReq
)

// These keys only change the screen.
const (
	Tab        Key = SysReq + 1 + iota // moves to the next input field
	Backtab                            // moves to the beginning of this or the previous input field
	Newline                            // moves to the first input field below this line
	Home                               // moves to the first input field
	Up                                 //
	Down                               //
	Left                               //
	Right                              //
	EraseEOF                           // erases from the cursor to the end of the field
	EraseInput                         // erases all input
	Delete                             // deletes the character at the cursor
	Backspace                          // deletes the character before the cursor
	Insert                             // toggles insert mode
	Reset                              // unlocks the keyboard and ends insert mode
	FieldMark
	Dup
	Redraw // not a 3270 key; requests that the whole screen be drawn again
)

var keyNames = map[Key]string{
	Enter: "Enter", Clear: "Clear", PA1: "PA1", PA2: "PA2", PA3: "PA3",
	CursorSelect: "CursorSelect", Attn: "Attn", SysReq: "SysReq",
	Tab: "Tab", Backtab: "Backtab", Newline: "Newline", Home: "Home",
	Up: "Up", Down: "Down", Left: "Left", Right: "Right",
	EraseEOF: "EraseEOF", EraseInput: "EraseInput", Delete: "Delete", Backspace: "Backspace",
	Insert: "Insert", Reset: "Reset", FieldMark: "FieldMark", Dup: "Dup", Redraw: "Redraw",
}

// String returns the name of a key, which [ParseKey] accepts.
func (k Key) String() string {
	if PF1 <= k && k <= PF24 {
		return "PF" + strconv.Itoa(int(k-PF1)+1)
	}
	if name, ok := keyNames[k]; ok {
		return name
	}
	return "Key(" + strconv.Itoa(int(k)) + ")"
}

// ParseKey returns the key with the given name, such as "Enter", "PF12" or "EraseEOF". Names are
// case-insensitive.
func ParseKey(name string) (k Key, ok bool) {
	for k := Enter; k <= Redraw; k++ {
		if strings.EqualFold(name, k.String()) {
			return k, true
		}
	}
	return 0, false
}

// These constants are attention identifiers (AIDs), which tell the host why a record was sent.
const (
	aidNone         = 0x60
	aidReadReply    = 0x61 // AID of the reply to a Read Partition
	aidClear        = 0x6D
	aidEnter        = 0x7D
	aidCursorSelect = 0x7E
	aidStructured   = 0x88
)

// These constants are the AIDs of the keys PA1 to PA3 and PF1 to PF24.
const (
	programAccess   = "\x6C\x6E\x6B"
	programFunction = "\xF1\xF2\xF3\xF4\xF5\xF6\xF7\xF8\xF9\x7A\x7B\x7C" +
		"\xC1\xC2\xC3\xC4\xC5\xC6\xC7\xC8\xC9\x4A\x4B\x4C"
)

func (k Key) aid() (aid byte, ok bool) {
	switch {
	case k == Enter:
		return aidEnter, true
	case k == Clear:
		return aidClear, true
	case PA1 <= k && k <= PA3:
		return programAccess[k-PA1], true
	case PF1 <= k && k <= PF24:
		return programFunction[k-PF1], true
	}
	return 0, false
}

// keyOf returns the key with the given attention identifier. If there is no such key, it returns
// 0.
func keyOf(aid byte) Key {
	if aid == aidCursorSelect {
		return CursorSelect
	}
	for k := Enter; k <= PF24; k++ {
		if a, ok := k.aid(); ok && a == aid {
			return k
		}
	}
	return 0
}

// isShort reports whether a Read Modified for the given AID contains no data.
func isShort(aid byte) bool {
	return aid == aidClear || aid == programAccess[0] || aid == programAccess[1] || aid == programAccess[2]
}

package tn3270

// These constants are the commands, with their codes for non-SNA connections.
const (
	cmdWrite               = 0xF1
	cmdReadBuffer          = 0xF2
	cmdStructured          = 0xF3
	cmdEraseWrite          = 0xF5
	cmdReadModified        = 0xF6
	cmdReadModifiedAll     = 0x6E
	cmdEraseAllUnprotected = 0x6F
	cmdEraseWriteAlternate = 0x7E

	cmdNoOperation = 0x03 // exists only on channels
)

// channelCommands maps the command codes on channels to commands.
var channelCommands = map[byte]byte{
	0x01: cmdWrite, 0x02: cmdReadBuffer, 0x05: cmdEraseWrite, 0x06: cmdReadModified,
	0x0D: cmdEraseWriteAlternate, 0x0E: cmdReadModifiedAll, 0x0F: cmdEraseAllUnprotected, 0x11: cmdStructured,
}

// command returns the command for a code, which may also be a channel code.
func command(code byte) byte {
	if c, ok := channelCommands[code]; ok {
		return c
	}
	return code
}

const (
	orderProgramTab       = 0x05
	orderGraphicEscape    = 0x08
	orderSetBufferAddress = 0x11
	orderEraseUnprotected = 0x12
	orderInsertCursor     = 0x13
	orderStartField       = 0x1D
	orderSetAttribute     = 0x28
	orderStartFieldExt    = 0x29
	orderModifyField      = 0x2C
	orderRepeatToAddress  = 0x3C
)

// These constants are format controls, which the buffer stores as characters.
const (
	null           = 0x00
	formFeed       = 0x0C
	carriageReturn = 0x0D
	shiftOut       = 0x0E
	shiftIn        = 0x0F
	newLine        = 0x15
	endOfMedium    = 0x19
	dup            = 0x1C
	fieldMark      = 0x1E
	substitute     = 0x3F
	eightOnes      = 0xFF
)

// isCharacter reports whether an octet in a data stream is a character and not an order.
func isCharacter(octet byte) bool {
	switch octet {
	case null, formFeed, carriageReturn, shiftOut, shiftIn, newLine, endOfMedium, dup, fieldMark, substitute:
		return true
	}
	return octet >= firstGraphic
}

// These constants are the attribute types in Start Field Extended, Modify Field and Set Attribute.
const (
	typeAll       = 0x00
	typeHighlight = 0x41
	typeColor     = 0x42
	typeCharacter = 0x43
	typeField     = 0xC0
)

// characterAPL is the number of the character set that Graphic Escape selects.
const characterAPL = 0xF1

// WCC is the write control character, which contains the options of a write command.
type WCC byte

const (
	ResetMDT        WCC = 0x01 // mark all fields as unmodified
	KeyboardRestore WCC = 0x02 // unlock the keyboard
	SoundAlarm      WCC = 0x04
	ResetPartition  WCC = 0x40 // reset the reply mode, if the command erases the screen
)

// Attribute is the attribute of a field. It consists of six bits.
type Attribute byte

const (
	Protected   Attribute = 0x20
	Numeric     Attribute = 0x10                // if combined with Protected, the cursor skips the field
	Skip        Attribute = Protected | Numeric // the field is protected, and the cursor skips it
	Detectable  Attribute = 0x04                // the cursor select key can select the field
	Intensified Attribute = 0x08                // the field is intensified and detectable
	Hidden      Attribute = 0x0C                // the contents are not shown
	Modified    Attribute = 0x01                // modified data tag (MDT)

	attributeBits Attribute = 0x3F
	display       Attribute = 0x0C
)

func (a Attribute) protected() bool   { return a&Protected != 0 }
func (a Attribute) numeric() bool     { return a&Skip == Numeric }
func (a Attribute) skip() bool        { return a&Skip == Skip }
func (a Attribute) hidden() bool      { return a&display == Hidden }
func (a Attribute) intensified() bool { return a&display == Intensified }
func (a Attribute) modified() bool    { return a&Modified != 0 }

// detectable reports whether the cursor select key can select the field.
func (a Attribute) detectable() bool { return a&display == Detectable || a.intensified() }

// Color is the code of a color. The zero Color means the color that the field's attribute implies.
type Color byte

const (
	NeutralBlack  Color = 0xF0 // the background color
	Blue          Color = 0xF1
	Red           Color = 0xF2
	Pink          Color = 0xF3
	Green         Color = 0xF4
	Turquoise     Color = 0xF5
	Yellow        Color = 0xF6
	Neutral       Color = 0xF7 // white on a screen
	Black         Color = 0xF8
	DeepBlue      Color = 0xF9
	Orange        Color = 0xFA
	Purple        Color = 0xFB
	PaleGreen     Color = 0xFC
	PaleTurquoise Color = 0xFD
	Grey          Color = 0xFE
	White         Color = 0xFF
)

// Highlight is the code of an extended highlighting. The zero Highlight means the highlighting of
// the field, if any.
type Highlight byte

const (
	Normal     Highlight = 0xF0
	Blink      Highlight = 0xF1
	Reverse    Highlight = 0xF2
	Underscore Highlight = 0xF4
	Intensify  Highlight = 0xF8
)

// graphic returns the graphic character that encodes the low six bits of n in addresses and
// attributes.
func graphic(n byte) byte { return graphics[n&0x3F] }

const graphics = "" +
	"\x40\xC1\xC2\xC3\xC4\xC5\xC6\xC7\xC8\xC9\x4A\x4B\x4C\x4D\x4E\x4F" +
	"\x50\xD1\xD2\xD3\xD4\xD5\xD6\xD7\xD8\xD9\x5A\x5B\x5C\x5D\x5E\x5F" +
	"\x60\x61\xE2\xE3\xE4\xE5\xE6\xE7\xE8\xE9\x6A\x6B\x6C\x6D\x6E\x6F" +
	"\xF0\xF1\xF2\xF3\xF4\xF5\xF6\xF7\xF8\xF9\x7A\x7B\x7C\x7D\x7E\x7F"

// bits12 is the number of 12-bit addresses. A 12-bit address consists of two graphic characters. A
// 14-bit address begins with two zero bits.
const bits12 = 1 << 12

// appendAddress appends an address. If wide is true, the address has 16 bits. Otherwise the
// address has 12 bits, or 14 bits if 12 bits are not sufficient.
func appendAddress(dst []byte, address int, wide bool) []byte {
	if wide || address >= bits12 {
		return append(dst, byte(address>>8), byte(address))
	}
	return append(dst, graphic(byte(address>>6)), graphic(byte(address)))
}

// decodeAddress decodes an address. If the address uses a reserved encoding, ok is false.
func decodeAddress(high, low byte, wide bool) (address int, ok bool) {
	if wide {
		return int(high)<<8 | int(low), true
	}
	switch high >> 6 {
	case 0:
		return int(high)<<8 | int(low), true
	case 2:
		return 0, false
	}
	return int(high&0x3F)<<6 | int(low&0x3F), true
}

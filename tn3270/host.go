package tn3270

import (
	"fmt"
	"strings"
)

// Pair is the type and value of an extended attribute.
type Pair struct{ Type, Value byte }

// InColor returns the attribute for a color. The zero Color selects the default color.
func InColor(c Color) Pair { return Pair{typeColor, byte(c)} }

// InHighlight returns the attribute for a highlighting. The zero Highlight selects the default
// highlighting.
func InHighlight(h Highlight) Pair { return Pair{typeHighlight, byte(h)} }

// Builder builds the records of a host. The first call for a record must write a command.
// [Builder.Record] ends the record. It reports an error if a position was outside the screen, or
// if the code page did not contain a character. A Builder must not be used concurrently.
type Builder struct {
	page      *codePage
	alternate dimensions
	size      dimensions
	record    []byte
	err       error
}

// NewBuilder returns a Builder for a terminal with the options o, which may be nil. The error
// wraps [ErrOption].
func NewBuilder(o *Options) (*Builder, error) {
	page, alternate, err := o.resolve()
	if err != nil {
		return nil, err
	}
	return &Builder{page: page, alternate: alternate, size: models[2]}, nil
}

// Record returns the current record and begins the next record.
func (b *Builder) Record() ([]byte, error) {
	record, err := b.record, b.err
	b.record, b.err = nil, nil
	if err != nil {
		return nil, err
	}
	return record, nil
}

func (b *Builder) append(octets ...byte) *Builder {
	b.record = append(b.record, octets...)
	return b
}

func (b *Builder) fail(format string, args ...any) *Builder {
	if b.err == nil {
		b.err = fmt.Errorf("tn3270: "+format, args...)
	}
	return b
}

// Write begins a record that changes the screen.
func (b *Builder) Write(w WCC) *Builder { return b.append(cmdWrite, byte(w)) }

// EraseWrite begins a record that erases the screen and sets its size to 24 by 80.
func (b *Builder) EraseWrite(w WCC) *Builder {
	b.size = models[2]
	return b.append(cmdEraseWrite, byte(w))
}

// EraseWriteAlternate begins a record that erases the screen and sets its size to the size of the
// terminal's model.
func (b *Builder) EraseWriteAlternate(w WCC) *Builder {
	b.size = b.alternate
	return b.append(cmdEraseWriteAlternate, byte(w))
}

// Query writes a Read Partition (Query) record, which requests the terminal's properties.
func (b *Builder) Query() *Builder {
	return b.append(cmdStructured, 0, 5, sfReadPartition, noPartition, readQuery)
}

// At writes Set Buffer Address, so that the next order starts at the given position. Rows and
// columns count from 1.
func (b *Builder) At(row, column int) *Builder {
	if row < 1 || row > b.size.Rows || column < 1 || column > b.size.Columns {
		return b.fail("row %d, column %d is outside the screen of %d by %d", row, column, b.size.Rows, b.size.Columns)
	}
	b.record = appendAddress(append(b.record, orderSetBufferAddress), (row-1)*b.size.Columns+column-1, false)
	return b
}

// Field writes Start Field, which begins a field with the attribute a.
func (b *Builder) Field(a Attribute) *Builder {
	return b.append(orderStartField, graphic(byte(a)))
}

// FieldExtended writes Start Field Extended, which begins a field with extended attributes.
func (b *Builder) FieldExtended(a Attribute, pairs ...Pair) *Builder {
	if len(pairs) >= 255 {
		return b.fail("%d attributes of a field", len(pairs)+1)
	}
	b.append(orderStartFieldExt, byte(len(pairs)+1), typeField, graphic(byte(a)))
	for _, p := range pairs {
		b.append(p.Type, p.Value)
	}
	return b
}

// SetAttribute writes Set Attribute, which sets an attribute for the following characters.
func (b *Builder) SetAttribute(p Pair) *Builder {
	return b.append(orderSetAttribute, p.Type, p.Value)
}

// InsertCursor moves the cursor to the current position.
func (b *Builder) InsertCursor() *Builder { return b.append(orderInsertCursor) }

// Text writes characters. It writes Graphic Escape before each character that only code page 310
// contains.
func (b *Builder) Text(text string) *Builder {
	for _, r := range text {
		b.character(r)
	}
	return b
}

func (b *Builder) character(r rune) *Builder {
	if octet, ok := b.page.encode(r); ok {
		return b.append(octet)
	}
	for i, known := range apl {
		if r == known {
			return b.append(orderGraphicEscape, byte(firstGraphic+i))
		}
	}
	return b.fail("code page %d has no %q", b.page.number, r)
}

// Inbound is a parsed record from a terminal.
type Inbound struct {
	AID    byte
	Key    Key // pressed key; 0 if no key corresponds to the AID, as in the reply to a Read Modified
	Cursor int // cursor address, counted from 0; -1 if the record contains no cursor address
	Fields []ModifiedField

	// Structured contains structured fields, such as Query Replies. A record with structured
	// fields has the AID 88 hexadecimal and contains nothing else.
	Structured []byte
}

// ModifiedField contains the data of a field, or of a screen without fields.
type ModifiedField struct {
	Address int    // first position after the attribute, counted from 0; -1 if there are no fields
	Value   string // contents without nulls; U+001C means DUP, and U+001E means FM
}

// ParseInbound parses a record with modified fields from a terminal that uses the given code page,
// and addresses of 12 or 14 bits. The error is a [DataError] or wraps [ErrOption]. If there is an
// error, the result contains the data that precedes the error.
func ParseInbound(record []byte, codePage string) (Inbound, error) {
	page, err := newCodePage(codePage)
	if err != nil {
		return Inbound{}, err
	}
	in := stream{record: record}
	aid, err := in.readOctets(1)
	if err != nil {
		return Inbound{}, err
	}
	got := Inbound{AID: aid[0], Key: keyOf(aid[0]), Cursor: -1}
	switch {
	case got.AID == aidStructured:
		got.Structured = record[1:]
		return got, nil
	case !in.hasMore() && isShort(got.AID):
		return got, nil
	}
	if got.Cursor, err = in.takeAddress(false); err != nil {
		return got, err
	}
	got.Fields, err = page.parseFields(&in)
	return got, err
}

func (p *codePage) parseFields(in *stream) (fields []ModifiedField, err error) {
	for in.hasMore() {
		f := ModifiedField{Address: -1}
		in.itemOffset = in.offset
		if in.record[in.offset] == orderSetBufferAddress {
			in.offset++
			if f.Address, err = in.takeAddress(false); err != nil {
				return fields, err
			}
		}
		f.Value, err = p.parseValue(in)
		fields = append(fields, f)
		if err != nil {
			return fields, err
		}
	}
	return fields, nil
}

// parseValue reads characters up to the next Set Buffer Address.
func (p *codePage) parseValue(in *stream) (string, error) {
	var value strings.Builder
	for in.hasMore() && in.record[in.offset] != orderSetBufferAddress {
		in.itemOffset = in.offset
		octet := in.readOctet()
		var err error
		switch {
		case octet == orderSetAttribute:
			_, err = in.readOctets(2)
		case octet == orderGraphicEscape:
			var escaped []byte
			if escaped, err = in.readOctets(1); err == nil {
				value.WriteRune(showAPL(escaped[0]))
			}
		case isCharacter(octet):
			value.WriteRune(p.runes[octet])
		default:
			err = in.fault("unexpected order %02X", octet)
		}
		if err != nil {
			return value.String(), err
		}
	}
	return value.String(), nil
}

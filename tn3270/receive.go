package tn3270

import "fmt"

// MaxRecord is the maximum length of a record in octets. This length is sufficient for a screen in
// which each character has its own attributes.
const MaxRecord = 64 << 10

// Receive executes a record from the host. The record is a command and its data, without the
// end-of-record mark and without Telnet escapes. An empty record has no effect. If Receive returns
// a reply, the caller must send it immediately.
//
// The error is a [DataError]. In this case, the screen shows the effect of the record up to the
// error, and the session can continue.
func (s *Screen) Receive(record []byte) (reply []byte, err error) {
	if len(record) == 0 {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.notify()
	s.status.Mode = Mode3270
	in := stream{record: record[:min(len(record), MaxRecord)]}
	reply, err = s.command(&in)
	if err == nil && len(record) > MaxRecord {
		err = &DataError{MaxRecord, fmt.Sprintf("the record has %d octets, the limit is %d", len(record), MaxRecord)}
	}
	return reply, err
}

func (s *Screen) command(in *stream) (reply []byte, err error) {
	code := in.readOctet()
	switch c := command(code); c {
	case cmdReadBuffer:
		return s.readBuffer(nil, s.aid), nil
	case cmdReadModified, cmdReadModifiedAll:
		return s.readModified(nil, s.aid, c == cmdReadModifiedAll), nil
	case cmdStructured:
		return s.executeFields(in)
	case cmdEraseWrite, cmdEraseWriteAlternate:
		s.isWide = false
		return nil, s.write(c, in)
	case cmdWrite, cmdEraseAllUnprotected:
		return nil, s.write(c, in)
	case cmdNoOperation:
		return nil, nil
	}
	return nil, in.fault("unknown command %02X", code)
}

func (s *Screen) write(command byte, in *stream) error {
	if command == cmdEraseAllUnprotected {
		s.eraseInput()
		s.restore()
		return nil
	}
	octet, err := in.readOctets(1)
	if err != nil {
		return err
	}
	wcc := WCC(octet[0])
	w := writer{s: s, in: in, address: s.cursor, isAfterOrder: true}
	if command != cmdWrite {
		s.eraseTo(s.sizeOf(command == cmdEraseWriteAlternate))
		w.address = 0
		if wcc&ResetPartition != 0 {
			s.resetReplyMode()
		}
	}
	if wcc&ResetMDT != 0 {
		for f := range s.fields() {
			s.setModified(f, false)
		}
	}
	err = w.run()
	s.address = w.address
	if wcc&SoundAlarm != 0 {
		s.status.Alarms++
	}
	if wcc&KeyboardRestore != 0 {
		s.restore()
	}
	return err
}

// sizeOf returns the alternate size if alternate is true, and the default size otherwise.
func (s *Screen) sizeOf(alternate bool) dimensions {
	if alternate {
		return s.alternate
	}
	return models[2]
}

func (s *Screen) eraseTo(m dimensions) {
	s.erase(m)
	s.cursor, s.address, s.input = 0, 0, 0
}

func (s *Screen) resetReplyMode() { s.replyMode, s.replyTypes = replyField, nil }

func (s *Screen) restore() {
	s.aid = aidNone
	s.status.Lock = Unlocked
	s.status.Insert = false
}

// eraseInput clears all unprotected positions. It then moves the cursor to the first unprotected
// position.
func (s *Screen) eraseInput() {
	if s.fieldOf(0) < 0 {
		clear(s.cells)
	}
	for f := range s.fields() {
		if s.attribute(f).protected() {
			continue
		}
		s.setModified(f, false)
		for a := range s.fieldData(f) {
			s.cells[a] = cell{}
		}
	}
	s.cursor = s.firstInput()
}

// stream reads the octets of a record. Its errors contain itemOffset.
type stream struct {
	record             []byte
	itemOffset, offset int
}

func (in *stream) hasMore() bool { return in.offset < len(in.record) }

// readOctet returns the next octet. The caller must check that the stream is not at its end.
func (in *stream) readOctet() byte {
	in.offset++
	return in.record[in.offset-1]
}

// readOctets returns the next n octets.
func (in *stream) readOctets(n int) ([]byte, error) {
	if n > len(in.record)-in.offset {
		return nil, in.fault("truncated: %d octets are missing", n-(len(in.record)-in.offset))
	}
	in.offset += n
	return in.record[in.offset-n : in.offset : in.offset], nil
}

func (in *stream) fault(format string, args ...any) error {
	return &DataError{in.itemOffset, fmt.Sprintf(format, args...)}
}

// writer executes the orders of one write command.
type writer struct {
	s       *Screen
	in      *stream
	address int // the current buffer address
	attributes
	isAfterOrder bool // the previous item was an order or the command, not a character
	hasWrapped   bool // the previous item was a Program Tab that erased to the end of the buffer
}

func (w *writer) run() error {
	for w.in.hasMore() {
		w.in.itemOffset = w.in.offset
		octet := w.in.readOctet()
		if isCharacter(octet) {
			w.put(cell{octet: octet, attributes: w.attributes})
			w.isAfterOrder, w.hasWrapped = false, false
			continue
		}
		if err := w.order(octet); err != nil {
			return err
		}
		w.isAfterOrder = octet != orderGraphicEscape
		w.hasWrapped = w.hasWrapped && octet == orderProgramTab
	}
	return nil
}

func (w *writer) put(c cell) {
	w.s.cells[w.address] = c
	w.address = w.s.next(w.address)
}

func (w *writer) order(order byte) error {
	switch order {
	case orderStartField:
		return w.startField()
	case orderStartFieldExt:
		return w.startFieldExtended()
	case orderModifyField:
		return w.modifyField()
	case orderSetBufferAddress:
		address, err := w.takeAddress()
		if err == nil {
			w.address = address
		}
		return err
	case orderSetAttribute:
		return w.setAttribute()
	case orderInsertCursor:
		w.s.cursor = w.address
		return nil
	case orderProgramTab:
		w.programTab()
		return nil
	case orderRepeatToAddress:
		return w.repeatToAddress()
	case orderEraseUnprotected:
		return w.eraseUnprotected()
	case orderGraphicEscape:
		octet, err := w.takeEscaped()
		if err == nil {
			w.put(cell{octet: octet, isGraphicEscape: true, attributes: w.attributes})
		}
		return err
	}
	return w.in.fault("unknown order %02X", order)
}

// takeAddress reads an address, which may be outside the screen.
func (in *stream) takeAddress(wide bool) (int, error) {
	octets, err := in.readOctets(2)
	if err != nil {
		return -1, err
	}
	address, ok := decodeAddress(octets[0], octets[1], wide)
	if !ok {
		return -1, in.fault("%02X can't begin an address", octets[0])
	}
	return address, nil
}

// takeAddress reads an address and checks that the address is on the screen.
func (w *writer) takeAddress() (int, error) {
	address, err := w.in.takeAddress(w.s.isWide)
	if err == nil && address >= len(w.s.cells) {
		err = w.in.fault("address %d is outside the screen of %d by %d", address, w.s.rows, w.s.columns)
	}
	return address, err
}

func (w *writer) takeEscaped() (byte, error) {
	octet, err := w.in.readOctets(1)
	if err != nil {
		return 0, err
	}
	if octet[0] < firstGraphic || octet[0] > lastGraphic {
		return 0, w.in.fault("invalid character %02X after Graphic Escape", octet[0])
	}
	return octet[0], nil
}

func (w *writer) startField() error {
	octet, err := w.in.readOctets(1)
	if err == nil {
		w.put(cell{octet: octet[0] & byte(attributeBits), isField: true})
	}
	return err
}

func (w *writer) startFieldExtended() error {
	pairs, err := w.takePairs()
	if err == nil {
		w.put(w.change(cell{isField: true}, pairs))
	}
	return err
}

func (w *writer) modifyField() error {
	pairs, err := w.takePairs()
	if err != nil {
		return err
	}
	c := w.s.cells[w.address]
	if !c.isField {
		return w.in.fault("Modify Field at a position without a field")
	}
	w.put(w.change(c, pairs))
	return nil
}

// takePairs reads a count, followed by that number of pairs. Each pair is the type and the value
// of an attribute.
func (w *writer) takePairs() ([]byte, error) {
	n, err := w.in.readOctets(1)
	if err != nil {
		return nil, err
	}
	return w.in.readOctets(2 * int(n[0]))
}

func (w *writer) change(c cell, pairs []byte) cell {
	for ; len(pairs) > 0; pairs = pairs[2:] {
		if pairs[0] == typeField {
			c.octet = pairs[1] & byte(attributeBits)
		} else {
			c.attributes = w.s.withAttribute(c.attributes, pairs[0], pairs[1])
		}
	}
	return c
}

func (w *writer) setAttribute() error {
	pair, err := w.in.readOctets(2)
	if err == nil {
		w.attributes = w.s.withAttribute(w.attributes, pair[0], pair[1])
	}
	return err
}

// withAttribute returns a copy of the attributes a in which one attribute is changed. It ignores
// unsupported attributes.
func (s *Screen) withAttribute(a attributes, kind, value byte) attributes {
	switch kind {
	case typeAll:
		return attributes{}
	case typeCharacter:
		a.charset = 0
		if value == characterAPL {
			a.charset = characterAPL
		}
	case typeColor:
		if s.extended {
			a.color = Color(value)
		}
	case typeHighlight:
		if s.extended {
			a.highlight = Highlight(value)
		}
	}
	return a
}

// programTab moves to the next input field. If the previous item was a character, it first
// erases the rest of the current field. It also erases if the previous item was a Program
// Tab that erased to the end of the buffer.
func (w *writer) programTab() {
	s := w.s
	if s.cells[w.address].isField && !s.attribute(w.address).protected() {
		w.address, w.hasWrapped = s.next(w.address), false
		return
	}
	to := s.nextInput(w.address)
	if to <= w.address {
		to = 0
	}
	erases := !w.isAfterOrder || w.hasWrapped
	if erases {
		for a := w.address; a != to && !s.cells[a].isField; a = s.next(a) {
			s.cells[a] = cell{}
		}
	}
	w.address, w.hasWrapped = to, erases && to == 0
}

func (w *writer) repeatToAddress() error {
	to, err := w.takeAddress()
	if err != nil {
		return err
	}
	octet, err := w.in.readOctets(1)
	if err != nil {
		return err
	}
	c := cell{octet: octet[0], attributes: w.attributes}
	if c.octet == orderGraphicEscape {
		if c.octet, err = w.takeEscaped(); err != nil {
			return err
		}
		c.isGraphicEscape = true
	} else if !isCharacter(c.octet) {
		return w.in.fault("%02X can't be repeated", c.octet)
	}
	for a := range w.s.positions(w.address, to) {
		w.s.cells[a] = c
	}
	w.address = to
	return nil
}

func (w *writer) eraseUnprotected() error {
	to, err := w.takeAddress()
	if err != nil {
		return err
	}
	s := w.s
	field := s.fieldOf(w.address)
	for a := range s.positions(w.address, to) {
		if s.cells[a].isField {
			field = a
		} else if !s.attribute(field).protected() {
			s.cells[a] = cell{}
		}
	}
	w.address = to
	return nil
}

// ReceiveText shows text that is not a 3270 data stream. RFC 2355 section 4.1 calls such text
// SSCP-LU-DATA. The text must be encoded in the host's code page. It continues after the previous
// text, and NL begins a new line. ReceiveText unlocks the keyboard. After ReceiveText, the key
// Enter sends up to 255 characters of input as text.
func (s *Screen) ReceiveText(text []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.notify()
	if s.status.Mode != ModeText {
		s.status.Mode = ModeText
		s.eraseTo(models[2])
	}
	for _, octet := range text[:min(len(text), MaxRecord)] {
		if octet == newLine {
			s.newLine()
			continue
		}
		s.cells[s.address] = cell{octet: octet}
		s.address = s.next(s.address)
	}
	s.cursor, s.input = s.address, s.address
	for a := range s.inputText() { // the host's text may have wrapped to the first line
		s.cells[a] = cell{}
	}
	s.restore()
}

func (s *Screen) newLine() {
	for a := range s.restOfLine(s.address) {
		s.cells[a] = cell{}
		s.address = s.next(a)
	}
}

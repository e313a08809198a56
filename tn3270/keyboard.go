package tn3270

import (
	"fmt"
	"iter"
)

// Press presses a key. Those that the host is to hear of lock the keyboard and give a
// record to be sent. While it is locked, Reset is all that works: the others give
// [ErrLocked].
func (s *Screen) Press(k Key) (send []byte, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.tell()
	switch k {
	case Reset:
		s.status.Lock, s.status.Insert = Unlocked, false
		return nil, nil
	case Attn, SysReq, Redraw:
		return nil, nil
	}
	if err := s.locked(); err != nil {
		return nil, err
	}
	if aid, ok := k.aid(); ok {
		return s.attention(aid), nil
	}
	if k == CursorSelect {
		return s.cursorSelect()
	}
	return nil, s.local(k)
}

// locked returns the error for a keyboard that is locked.
func (s *Screen) locked() error {
	if s.status.Lock == Unlocked {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrLocked, s.status.Lock)
}

// attention returns what a key with an AID sends.
func (s *Screen) attention(aid byte) []byte {
	if s.status.Mode == ModeText {
		return s.sendText(aid)
	}
	if aid == aidClear {
		s.eraseTo(dimensions{s.rows, s.columns})
		s.resetReplyMode()
	}
	return s.interrupt(aid)
}

// interrupt locks the keyboard, and returns what was modified.
func (s *Screen) interrupt(aid byte) []byte {
	s.aid = aid
	s.status.Lock, s.status.Insert = LockedSystem, false
	return s.readModified(nil, aid, false)
}

// maxText is how many characters Enter sends where the host sends text.
const maxText = 255

// sendText returns what was typed since the host's last text. It stays on the screen
// as if the host had written it. Clear is for the screen alone, and other keys mean
// nothing to such a host.
func (s *Screen) sendText(aid byte) []byte {
	switch aid {
	case aidClear:
		s.eraseTo(dimensions{s.rows, s.columns})
	case aidEnter:
		send := make([]byte, 0, maxText)
		for a := range s.inputText() {
			if c := s.cells[a].octet; c != null {
				send = append(send, c)
				s.address = s.next(a)
			}
		}
		s.input = s.address
		s.status.Lock, s.status.Insert = LockedSystem, false
		return send
	}
	return nil
}

// inputText are the positions in which what is typed is for a host that sends text.
func (s *Screen) inputText() iter.Seq[int] { return s.span(s.input, (s.input+maxText)%len(s.cells)) }

// cursorSelect chooses the field that the cursor is in by its first character, the
// designator: "?" and ">" take turns, and ">" has it modified; "&" is Enter, and a
// blank tells the host at once which fields are modified.
func (s *Screen) cursorSelect() ([]byte, error) {
	field := s.fieldOf(s.cursor)
	if !s.attribute(field).detectable() || s.cells[s.next(field)].field {
		return nil, s.mistake(LockedProtected)
	}
	designator := &s.cells[s.next(field)].octet
	switch s.page.show(*designator) {
	case '?':
		*designator = s.page.octets['>']
		s.setModified(field, true)
	case '>':
		*designator = s.page.octets['?']
		s.setModified(field, false)
	case ' ':
		s.setModified(field, true)
		return s.interrupt(aidCursorSelect), nil
	case '&':
		s.setModified(field, true)
		return s.interrupt(aidEnter), nil
	default:
		return nil, s.mistake(LockedProtected)
	}
	return nil, nil
}

// mistake locks the keyboard for something that can't be done, and says what.
func (s *Screen) mistake(l Lock) error {
	s.status.Lock = l
	switch l {
	case LockedNumeric:
		return ErrNumeric
	case LockedOverflow:
		return ErrOverflow
	}
	return ErrProtected
}

// local does a key that the host does not hear of.
func (s *Screen) local(k Key) error {
	switch k {
	case Tab:
		s.cursor = s.nextInput(s.cursor)
	case Backtab:
		s.backtab()
	case Newline:
		s.newline()
	case Home:
		s.cursor = s.firstInput()
	case Up:
		s.move(-s.columns)
	case Down:
		s.move(s.columns)
	case Left:
		s.move(-1)
	case Right:
		s.move(1)
	case EraseEOF:
		return s.eraseEOF()
	case EraseInput:
		s.eraseInput()
	case Delete:
		return s.delete()
	case Backspace:
		return s.backspace()
	case Insert:
		s.status.Insert = !s.status.Insert
	case FieldMark:
		return s.put(fieldMark)
	case Dup:
		if err := s.enter(dup); err != nil {
			return err
		}
		s.cursor = s.nextInput(s.cursor)
	}
	return nil
}

// move moves the cursor; beyond an edge it comes back at the other.
func (s *Screen) move(by int) {
	s.cursor = (s.cursor + by + len(s.cells)) % len(s.cells)
}

// backtab goes to the beginning of the field for input that the cursor is in, or if
// it is there, to that of the one before.
func (s *Screen) backtab() {
	a := s.before(s.cursor)
	if s.cells[a].field {
		a = s.before(a)
	}
	for range s.cells {
		if s.isInput(a) {
			s.cursor = s.next(a)
			return
		}
		a = s.before(a)
	}
	s.cursor = 0
}

// newline goes to the first position for input in the lines below.
func (s *Screen) newline() {
	a := (s.cursor/s.columns + 1) * s.columns % len(s.cells)
	if s.isProtected(a) {
		a = s.nextInput(a)
	}
	s.cursor = a
}

// isProtected reports whether nothing can be typed at a position.
func (s *Screen) isProtected(address int) bool {
	return s.cells[address].field || s.attribute(s.fieldOf(address)).protected()
}

// Type types text at the cursor, as a person would: what is full is left for the
// next field if that is how the host wants it, a tab is the key Tab and a line end
// the key Newline. It stops at what can't be typed; the error says at which
// character of the text, counted from 1, and wraps [ErrLocked], [ErrProtected],
// [ErrNumeric], [ErrOverflow] or [ErrCharacter].
func (s *Screen) Type(text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.tell()
	n := 0
	for _, r := range text {
		n++
		if err := s.typeRune(r); err != nil {
			return fmt.Errorf("%w (character %d)", err, n) // which one may be a secret
		}
	}
	return nil
}

func (s *Screen) typeRune(r rune) error {
	if err := s.locked(); err != nil {
		return err
	}
	switch r {
	case '\t':
		return s.local(Tab)
	case '\n':
		return s.local(Newline)
	}
	octet, ok := s.page.encode(r)
	if !ok {
		return ErrCharacter
	}
	return s.put(octet)
}

// put puts a character where the cursor is, and moves that on.
func (s *Screen) put(octet byte) error {
	err := s.enter(octet)
	if err == nil {
		s.advance()
	}
	return err
}

// enter puts a character where the cursor is.
func (s *Screen) enter(octet byte) error {
	if s.isProtected(s.cursor) {
		return s.mistake(LockedProtected)
	}
	field := s.fieldOf(s.cursor)
	if s.attribute(field).numeric() && !s.isNumber(octet) {
		return s.mistake(LockedNumeric)
	}
	if s.status.Insert && !s.makeRoom() {
		return s.mistake(LockedOverflow)
	}
	s.cells[s.cursor] = cell{octet: octet}
	s.setModified(field, true)
	return nil
}

// isNumber reports whether a field for numbers takes a character.
func (s *Screen) isNumber(octet byte) bool {
	if octet == dup {
		return true
	}
	r := s.page.runes[octet]
	return '0' <= r && r <= '9' || r == '.' || r == '-'
}

// makeRoom moves what is at the cursor and behind it on by one, up to a null, which
// it takes away.
func (s *Screen) makeRoom() bool {
	room := -1
	for a := range s.line(s.cursor) {
		if s.cells[a].octet == null {
			room = a
			break
		}
	}
	if room < 0 {
		return false
	}
	for room != s.cursor {
		from := s.before(room)
		s.cells[room] = s.cells[from]
		room = from
	}
	return true
}

// advance moves the cursor on by one, over attributes, and over a field that is to
// be skipped to the next one for input.
func (s *Screen) advance() {
	s.cursor = s.next(s.cursor)
	for range s.cells {
		if !s.cells[s.cursor].field {
			return
		}
		if s.attribute(s.cursor).skip() {
			s.cursor = s.nextInput(s.cursor)
			return
		}
		s.cursor = s.next(s.cursor)
	}
}

// eraseEOF makes null what is at the cursor and behind it in the field.
func (s *Screen) eraseEOF() error {
	if s.isProtected(s.cursor) {
		return s.mistake(LockedProtected)
	}
	for a := range s.rest(s.cursor) {
		s.cells[a] = cell{}
	}
	s.setModified(s.fieldOf(s.cursor), true)
	return nil
}

// delete takes the character at the cursor away, and moves those behind it back.
func (s *Screen) delete() error {
	if s.isProtected(s.cursor) {
		return s.mistake(LockedProtected)
	}
	last := s.cursor
	for a := range s.line(s.cursor) {
		s.cells[last] = s.cells[a]
		last = a
	}
	s.cells[last] = cell{}
	s.setModified(s.fieldOf(s.cursor), true)
	return nil
}

// backspace takes the character before the cursor away, if the field has one there.
func (s *Screen) backspace() error {
	if s.isProtected(s.cursor) {
		return s.mistake(LockedProtected)
	}
	before := s.before(s.cursor)
	if s.cells[before].field || s.cursor == 0 && s.fieldOf(0) < 0 {
		return nil
	}
	s.cursor = before
	return s.delete()
}

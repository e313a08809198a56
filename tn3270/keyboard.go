package tn3270

import (
	"fmt"
	"iter"
)

// Press presses a key. If the host handles the key, Press locks the keyboard and returns a record,
// which the caller must send to the host. While the keyboard is locked, Press returns [ErrLocked]
// for all keys except Reset.
func (s *Screen) Press(k Key) (send []byte, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.notify()
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
	return nil, s.localKey(k)
}

func (s *Screen) locked() error {
	if s.status.Lock == Unlocked {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrLocked, s.status.Lock)
}

func (s *Screen) attention(aid byte) []byte {
	if s.status.Mode == ModeText {
		return s.sendText(aid)
	}
	if aid == aidClear {
		s.eraseTo(dimensions{s.rows, s.columns})
		s.resetReplyMode()
	}
	return s.sendModified(aid)
}

// sendModified locks the keyboard and returns a record with the modified fields.
func (s *Screen) sendModified(aid byte) []byte {
	s.aid = aid
	s.status.Lock, s.status.Insert = LockedSystem, false
	return s.readModified(nil, aid, false)
}

// maxText is the maximum number of characters that Enter sends to a host in text mode.
const maxText = 255

// sendText handles a key in text mode. For Enter, it returns the input since the host's last text.
// The input remains on the screen, as if the host had written it. The Clear key only clears the
// screen. sendText ignores all other keys.
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

// inputText yields the positions of the user's input in text mode.
func (s *Screen) inputText() iter.Seq[int] {
	return s.positions(s.input, (s.input+maxText)%len(s.cells))
}

// cursorSelect selects the field at the cursor. The first character of the field, the designator,
// determines the effect. If the designator is "?", cursorSelect replaces it with ">" and marks the
// field as modified. If the designator is ">", cursorSelect replaces it with "?" and marks the
// field as unmodified. The designator "&" has the same effect as Enter. For a space, cursorSelect
// immediately sends the addresses of the modified fields.
func (s *Screen) cursorSelect() ([]byte, error) {
	field := s.fieldOf(s.cursor)
	if !s.attribute(field).detectable() || s.cells[s.next(field)].isField {
		return nil, s.reject(LockedProtected)
	}
	designator := &s.cells[s.next(field)].octet
	switch s.page.displayRune(*designator) {
	case '?':
		*designator = s.page.octets['>']
		s.setModified(field, true)
	case '>':
		*designator = s.page.octets['?']
		s.setModified(field, false)
	case ' ':
		s.setModified(field, true)
		return s.sendModified(aidCursorSelect), nil
	case '&':
		s.setModified(field, true)
		return s.sendModified(aidEnter), nil
	default:
		return nil, s.reject(LockedProtected)
	}
	return nil, nil
}

// reject locks the keyboard for the given reason, and returns the corresponding error.
func (s *Screen) reject(l Lock) error {
	s.status.Lock = l
	return map[Lock]error{LockedProtected: ErrProtected, LockedNumeric: ErrNumeric, LockedOverflow: ErrOverflow}[l]
}

func (s *Screen) localKey(k Key) error {
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

// move moves the cursor by n positions. The cursor wraps at the edges of the screen.
func (s *Screen) move(n int) {
	s.cursor = (s.cursor + n + len(s.cells)) % len(s.cells)
}

// backtab moves the cursor to the beginning of the input field. If the cursor is already
// there, backtab moves it to the beginning of the previous input field.
func (s *Screen) backtab() {
	a := s.before(s.cursor)
	if s.cells[a].isField {
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

// newline moves the cursor to the first input position below the current line.
func (s *Screen) newline() {
	a := (s.cursor/s.columns + 1) * s.columns % len(s.cells)
	if s.isProtected(a) {
		a = s.nextInput(a)
	}
	s.cursor = a
}

func (s *Screen) isProtected(address int) bool {
	return s.cells[address].isField || s.attribute(s.fieldOf(address)).protected()
}

// Type types text at the cursor, like a user. When a field is full, typing continues in the next
// field if the host allows it. A tab character presses the key Tab, and a line end presses the key
// Newline. The error contains the number of the first rejected character, counted from 1. It wraps
// [ErrLocked], [ErrProtected], [ErrNumeric], [ErrOverflow] or [ErrCharacter].
func (s *Screen) Type(text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.notify()
	n := 0
	for _, r := range text {
		n++
		if err := s.typeRune(r); err != nil {
			return fmt.Errorf("%w (character %d)", err, n) // the error does not show the character, which may be part of a password
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
		return s.localKey(Tab)
	case '\n':
		return s.localKey(Newline)
	}
	octet, ok := s.page.encode(r)
	if !ok {
		return ErrCharacter
	}
	return s.put(octet)
}

func (s *Screen) put(octet byte) error {
	err := s.enter(octet)
	if err == nil {
		s.advance()
	}
	return err
}

func (s *Screen) enter(octet byte) error {
	if s.isProtected(s.cursor) {
		return s.reject(LockedProtected)
	}
	field := s.fieldOf(s.cursor)
	if s.attribute(field).numeric() && !s.isNumber(octet) {
		return s.reject(LockedNumeric)
	}
	if s.status.Insert && !s.makeRoom() {
		return s.reject(LockedOverflow)
	}
	s.cells[s.cursor] = cell{octet: octet}
	s.setModified(field, true)
	return nil
}

// isNumber reports whether a numeric field accepts a character.
func (s *Screen) isNumber(octet byte) bool {
	if octet == dup {
		return true
	}
	r := s.page.runes[octet]
	return '0' <= r && r <= '9' || r == '.' || r == '-'
}

// makeRoom makes room for a character at the cursor. It moves the characters between the cursor
// and the first null by one position, which overwrites the null. If there is no null, it returns
// false.
func (s *Screen) makeRoom() bool {
	room := -1
	for a := range s.restOfLine(s.cursor) {
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

// advance moves the cursor to the next position, and skips attributes. If the cursor reaches a
// field with the attribute Skip, advance moves the cursor to the next input field.
func (s *Screen) advance() {
	s.cursor = s.next(s.cursor)
	for range s.cells {
		if !s.cells[s.cursor].isField {
			return
		}
		if s.attribute(s.cursor).skip() {
			s.cursor = s.nextInput(s.cursor)
			return
		}
		s.cursor = s.next(s.cursor)
	}
}

func (s *Screen) eraseEOF() error {
	if s.isProtected(s.cursor) {
		return s.reject(LockedProtected)
	}
	for a := range s.restOfField(s.cursor) {
		s.cells[a] = cell{}
	}
	s.setModified(s.fieldOf(s.cursor), true)
	return nil
}

func (s *Screen) delete() error {
	if s.isProtected(s.cursor) {
		return s.reject(LockedProtected)
	}
	last := s.cursor
	for a := range s.restOfLine(s.cursor) {
		s.cells[last] = s.cells[a]
		last = a
	}
	s.cells[last] = cell{}
	s.setModified(s.fieldOf(s.cursor), true)
	return nil
}

// backspace deletes the character before the cursor if this character is in the same field as the
// cursor.
func (s *Screen) backspace() error {
	if s.isProtected(s.cursor) {
		return s.reject(LockedProtected)
	}
	before := s.before(s.cursor)
	if s.cells[before].isField || s.cursor == 0 && s.fieldOf(0) < 0 {
		return nil
	}
	s.cursor = before
	return s.delete()
}

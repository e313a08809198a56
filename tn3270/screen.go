package tn3270

import (
	"context"
	"fmt"
	"strings"
	"sync"
)

// dimensions are the size of a screen.
type dimensions struct{ Rows, Columns int }

// The sizes of the models. Each begins with that of model 2, and changes to its own
// and back as the host asks for it.
var models = [...]dimensions{2: {24, 80}, 3: {32, 80}, 4: {43, 80}, 5: {27, 132}}

// Options are those of a terminal. The zero Options and nil are a 3278 model 2 with
// code page 037.
type Options struct {
	Model    int    // 2 to 5; 0 is 2
	CodePage string // of [CodePages]; empty is "037"
	Extended bool   // colours and highlighting, as a 3279 has them
}

// TerminalType returns the name of the terminal in Telnet's option TERMINAL-TYPE
// and as the device type of RFC 2355, such as IBM-3278-2-E.
func (o *Options) TerminalType() string {
	if o == nil {
		o = &Options{}
	}
	kind := 3278
	if o.Extended {
		kind = 3279
	}
	return fmt.Sprintf("IBM-%d-%d-E", kind, o.model())
}

func (o *Options) model() int {
	if o.Model == 0 {
		return 2
	}
	return o.Model
}

// size returns the alternate size.
func (o *Options) size() (dimensions, error) {
	if m := o.model(); 2 <= m && m < len(models) {
		return models[m], nil
	}
	return dimensions{}, fmt.Errorf("%w: model %d; there are 2 to 5", ErrOption, o.Model)
}

// Lock is why a keyboard is locked. The zero Lock is none.
type Lock int

const (
	Unlocked        Lock = iota
	LockedSystem         // the host has not unlocked it, or not yet
	LockedProtected      // something was typed where nothing can be
	LockedNumeric        // something other than a number was typed into a field for one
	LockedOverflow       // there was no room to insert
)

// String returns a lock as the terminal shows it, such as "X SYSTEM"; empty if the
// keyboard is not locked.
func (l Lock) String() string {
	switch l {
	case LockedSystem:
		return "X SYSTEM"
	case LockedProtected:
		return "X PROTECTED"
	case LockedNumeric:
		return "X NUMERIC"
	case LockedOverflow:
		return "X OVERFLOW"
	}
	return ""
}

// Mode is what the host sends.
type Mode int

const (
	ModeNone Mode = iota // nothing yet
	Mode3270             // 3270 data streams
	ModeText             // lines of text (SSCP-LU-DATA of RFC 2355)
)

// Status is what the terminal shows besides the screen.
type Status struct {
	Lock   Lock
	Insert bool // what is typed is inserted
	Alarms int  // how many times the alarm sounded
	Mode   Mode
}

// Screen is a 3270 display and its keyboard. It may be used by many goroutines. Make
// one with [New].
type Screen struct {
	page      *codePage
	alternate dimensions
	extended  bool

	mu      sync.Mutex
	changed chan struct{} // closed at the next change; nil if nobody waits
	buffer
	cursor     int
	address    int    // where text of the host goes on
	input      int    // in ModeText, where what is typed begins
	wide       bool   // addresses are of 16 bits
	replyMode  byte   // of Set Reply Mode
	replyTypes []byte // the attributes that characters are sent with
	aid        byte   // of the last key that the host has not answered by unlocking
	status     Status
}

// settle returns the code page and the alternate size of a terminal. The error wraps
// [ErrOption].
func (o *Options) settle() (*codePage, dimensions, error) {
	if o == nil {
		o = &Options{}
	}
	alternate, err := o.size()
	if err != nil {
		return nil, dimensions{}, err
	}
	page, err := newCodePage(o.CodePage)
	return page, alternate, err
}

// New returns a screen of 24 by 80 with nothing on it, whose keyboard is locked until
// the host unlocks it. The error wraps [ErrOption].
func New(o *Options) (*Screen, error) {
	page, alternate, err := o.settle()
	if err != nil {
		return nil, err
	}
	s := &Screen{page: page, alternate: alternate, extended: o != nil && o.Extended, aid: aidNone, status: Status{Lock: LockedSystem}}
	s.cells = make([]cell, alternate.Rows*alternate.Columns)
	s.erase(models[2])
	return s, nil
}

// Size returns how many rows and columns the screen has now.
func (s *Screen) Size() (rows, columns int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rows, s.columns
}

// Cursor returns where the cursor is, counted from 1.
func (s *Screen) Cursor() (row, column int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.place(s.cursor)
}

// Status returns what the terminal shows besides the screen.
func (s *Screen) Status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status
}

// place returns the row and column of an address, counted from 1.
func (s *Screen) place(address int) (row, column int) {
	return address/s.columns + 1, address%s.columns + 1
}

// Text returns the rows of the screen, with "\n" between them and without blanks at
// their ends. What is in hidden fields is blank.
func (s *Screen) Text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var text, row strings.Builder
	field := s.fieldOf(len(s.cells) - 1)
	for a := range s.cells {
		if s.cells[a].field {
			field = a
		}
		row.WriteRune(s.visible(field, a))
		if (a+1)%s.columns == 0 {
			text.WriteString(strings.TrimRight(row.String(), " "))
			row.Reset()
			if a+1 < len(s.cells) {
				text.WriteByte('\n')
			}
		}
	}
	return text.String()
}

// visible returns what can be seen at a position of the field.
func (s *Screen) visible(field, address int) rune {
	c := s.cells[address]
	if c.field || s.attribute(field).hidden() {
		return ' '
	}
	if c.ge || s.charset(field, c) == characterAPL {
		return showAPL(c.octet)
	}
	return s.page.show(c.octet)
}

// charset returns the character set of a cell of the field.
func (s *Screen) charset(field int, c cell) byte {
	if c.charset == 0 && field >= 0 {
		return s.cells[field].charset
	}
	return c.charset
}

// Field is a field of the screen.
type Field struct {
	Row, Column int // of its first position behind the attribute, counted from 1
	Address     int // of the same, counted from 0
	Length      int // how many positions it has, perhaps 0

	Protected   bool
	Numeric     bool // digits, "." and "-" alone
	Skip        bool // protected, and the cursor skips it
	Hidden      bool
	Intensified bool
	Modified    bool // since the host wrote it
	Color       Color
	Highlight   Highlight

	// Value is what is in it, without blanks and nulls at the end; other nulls are
	// blanks. It is empty for hidden fields.
	Value string
}

// Fields returns the fields in the order of the screen; none if the screen is not
// divided into fields. A field may go on from the last row in the first.
func (s *Screen) Fields() []Field {
	s.mu.Lock()
	defer s.mu.Unlock()
	var fields []Field
	for a := range s.fields() {
		fields = append(fields, s.field(a))
	}
	return fields
}

func (s *Screen) field(at int) Field {
	c := s.cells[at]
	attribute := Attribute(c.octet)
	f := Field{
		Address: s.next(at), Protected: attribute.protected(), Numeric: attribute.numeric(), Skip: attribute.skip(),
		Hidden: attribute.hidden(), Intensified: attribute.intensified(), Modified: attribute.modified(),
		Color: c.color, Highlight: c.highlight,
	}
	f.Row, f.Column = s.place(f.Address)
	var value strings.Builder
	for a := range s.data(at) {
		f.Length++
		value.WriteRune(s.visible(at, a))
	}
	f.Value = strings.TrimRight(value.String(), " ")
	return f
}

// Changed returns a channel that is closed when something changes next: the screen,
// the cursor or the status.
func (s *Screen) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	return s.changed
}

// Wait returns when ok does, which it asks at once and then whenever something
// changed; or with the cause of ctx's end.
func (s *Screen) Wait(ctx context.Context, ok func(*Screen) bool) error {
	for {
		changed := s.Changed()
		if ok(s) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// tell closes the channel of Changed.
func (s *Screen) tell() {
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

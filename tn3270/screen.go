package tn3270

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
)

type dimensions struct{ Rows, Columns int }

// models maps each model to its screen size. Each terminal starts with the size of model 2. The
// host can switch between this size and the model's own size.
var models = [...]dimensions{2: {24, 80}, 3: {32, 80}, 4: {43, 80}, 5: {27, 132}}

// Options configure a terminal. The zero Options and nil select a 3278 model 2 terminal with code
// page 037.
type Options struct {
	Model    int    // model number, 2 to 5; 0 means 2
	CodePage string // one of [CodePages]; empty means "037"
	Extended bool   // whether to support colors and highlighting, as on a 3279
}

// TerminalType returns the name of the terminal, such as IBM-3278-2-E. The name is used in the
// Telnet option TERMINAL-TYPE and as the device type in RFC 2355.
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

func (o *Options) model() int { return cmp.Or(o.Model, 2) }

// Lock is the reason why the keyboard is locked. The zero Lock is Unlocked.
type Lock int

const (
	Unlocked        Lock = iota
	LockedSystem         // the host has not unlocked the keyboard
	LockedProtected      // the user typed at a protected position
	LockedNumeric        // the user typed an invalid character in a numeric field
	LockedOverflow       // the field has no room to insert a character
)

var lockNames = map[Lock]string{
	LockedSystem: "X SYSTEM", LockedProtected: "X PROTECTED", LockedNumeric: "X NUMERIC", LockedOverflow: "X OVERFLOW",
}

// String returns the reason as a 3270 terminal shows it, such as "X SYSTEM". For Unlocked, it
// returns "".
func (l Lock) String() string { return lockNames[l] }

// Mode is the format of the host's output.
type Mode int

const (
	ModeNone Mode = iota // no output yet
	Mode3270             // 3270 data streams
	ModeText             // lines of text (SSCP-LU-DATA of RFC 2355)
)

// Status is the state that a terminal shows in its status line.
type Status struct {
	Lock   Lock
	Insert bool // whether insert mode is on
	Alarms int  // number of alarms since the screen was created
	Mode   Mode
}

// Screen is a 3270 display and its keyboard. [New] returns a Screen. A Screen may be used
// concurrently.
type Screen struct {
	page      *codePage
	alternate dimensions
	extended  bool

	mu      sync.Mutex
	changed chan struct{} // closed at the next change; nil if no caller is waiting
	buffer
	cursor     int
	address    int    // address at which the host's text continues
	input      int    // start of the input in ModeText
	isWide     bool   // addresses have 16 bits
	replyMode  byte   // mode from the last Set Reply Mode
	replyTypes []byte // types of the attributes that are sent with each character
	aid        byte   // AID of the last key, until the host unlocks the keyboard
	status     Status
}

// resolve returns the code page and the alternate size that the options select. If an option is
// invalid, the error wraps [ErrOption].
func (o *Options) resolve() (*codePage, dimensions, error) {
	if o == nil {
		o = &Options{}
	}
	m := o.model()
	if m < 2 || m >= len(models) {
		return nil, dimensions{}, fmt.Errorf("%w: model %d is out of range (2-5)", ErrOption, o.Model)
	}
	page, err := newCodePage(o.CodePage)
	return page, models[m], err
}

// New returns an empty screen with 24 rows of 80 columns. The keyboard is locked until the host
// unlocks it. The options o may be nil. If an option is invalid, the error wraps [ErrOption].
func New(o *Options) (*Screen, error) {
	page, alternate, err := o.resolve()
	if err != nil {
		return nil, err
	}
	s := &Screen{page: page, alternate: alternate, extended: o != nil && o.Extended, aid: aidNone, status: Status{Lock: LockedSystem}}
	s.cells = make([]cell, alternate.Rows*alternate.Columns)
	s.erase(models[2])
	return s, nil
}

// Size returns the current number of rows and columns.
func (s *Screen) Size() (rows, columns int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rows, s.columns
}

// Cursor returns the position of the cursor, counted from 1.
func (s *Screen) Cursor() (row, column int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.position(s.cursor)
}

// Status returns the state of the keyboard and the alarm.
func (s *Screen) Status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status
}

// position returns the row and column of an address, counted from 1.
func (s *Screen) position(address int) (row, column int) {
	return address/s.columns + 1, address%s.columns + 1
}

// Text returns the rows of the screen, separated by "\n" and without trailing spaces.
// Hidden fields appear as spaces.
func (s *Screen) Text() string {
	shot := s.Snapshot()
	rows := make([]string, shot.Rows)
	for i := range rows {
		var row strings.Builder
		for _, c := range shot.row(i) {
			row.WriteRune(c.Rune)
		}
		rows[i] = strings.TrimRight(row.String(), " ")
	}
	return strings.Join(rows, "\n")
}

func (s *Screen) visible(field, address int) rune {
	c := s.cells[address]
	if c.isField || s.attribute(field).hidden() {
		return ' '
	}
	if c.isGraphicEscape || s.charset(field, c) == characterAPL {
		return showAPL(c.octet)
	}
	return s.page.displayRune(c.octet)
}

func (s *Screen) charset(field int, c cell) byte {
	if c.charset == 0 && field >= 0 {
		return s.cells[field].charset
	}
	return c.charset
}

// Field is a field of the screen.
type Field struct {
	Row, Column int // position after the field's attribute, counted from 1
	Address     int // buffer address of the same position, counted from 0
	Length      int // number of positions, possibly 0

	Protected   bool
	Numeric     bool // the field accepts only digits, "." and "-"
	Skip        bool // the field is protected, and the cursor skips it
	Hidden      bool
	Intensified bool
	Modified    bool // the field has changed since the host wrote it
	Color       Color
	Highlight   Highlight

	// Value contains the text of the field without trailing spaces and nulls. Other nulls
	// become spaces. For hidden fields, Value is empty.
	Value string
}

// Fields returns the fields of the screen in order, or nil if there are no fields. A field may
// wrap from the last row to the first row.
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
	f.Row, f.Column = s.position(f.Address)
	var value strings.Builder
	for a := range s.fieldData(at) {
		f.Length++
		value.WriteRune(s.visible(at, a))
	}
	f.Value = strings.TrimRight(value.String(), " ")
	return f
}

// Changed returns a channel that is closed at the next change of the screen, the cursor or
// the status.
func (s *Screen) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	return s.changed
}

// Wait waits until ok returns true. It calls ok at once and after each change. If ctx is canceled
// first, Wait returns the cancellation cause.
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

// notify closes the channel that Changed returned. The caller must hold s.mu.
func (s *Screen) notify() {
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

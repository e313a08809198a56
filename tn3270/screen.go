package tn3270

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
)

type dimensions struct{ Rows, Columns int }

// models holds the sizes of the models. Each terminal starts with the size of model 2. The
// host switches between that size and the model's own size.
var models = [...]dimensions{2: {24, 80}, 3: {32, 80}, 4: {43, 80}, 5: {27, 132}}

// Options configure a terminal. The zero Options and nil mean a 3278 model 2 with code page 037.
type Options struct {
	Model    int    // 2 to 5; 0 means 2
	CodePage string // one of [CodePages]; empty means "037"
	Extended bool   // colors and highlighting, as on a 3279
}

// TerminalType returns the terminal's name for Telnet's option TERMINAL-TYPE and the device
// type of RFC 2355, such as IBM-3278-2-E.
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
	LockedSystem         // the host has not unlocked it
	LockedProtected      // input at a protected position
	LockedNumeric        // input other than a number in a numeric field
	LockedOverflow       // no room to insert
)

var lockNames = map[Lock]string{
	LockedSystem: "X SYSTEM", LockedProtected: "X PROTECTED", LockedNumeric: "X NUMERIC", LockedOverflow: "X OVERFLOW",
}

// String returns a lock in the terminal's form, such as "X SYSTEM". For Unlocked it returns "".
func (l Lock) String() string { return lockNames[l] }

// Mode is the form of the host's output.
type Mode int

const (
	ModeNone Mode = iota // no output yet
	Mode3270             // 3270 data streams
	ModeText             // lines of text (SSCP-LU-DATA of RFC 2355)
)

// Status is the state that the terminal shows next to the screen.
type Status struct {
	Lock   Lock
	Insert bool // whether insert mode is on
	Alarms int  // number of alarms so far
	Mode   Mode
}

// Screen is a 3270 display and its keyboard. [New] returns one. A Screen may be used
// concurrently.
type Screen struct {
	page      *codePage
	alternate dimensions
	extended  bool

	mu      sync.Mutex
	changed chan struct{} // closed at the next change; nil if no caller waits
	buffer
	cursor     int
	address    int    // address at which the host's text continues
	input      int    // start of the input in ModeText
	wide       bool   // addresses have 16 bits
	replyMode  byte   // mode from the last Set Reply Mode
	replyTypes []byte // types of the attributes that are sent with characters
	aid        byte   // AID of the last key, until the host unlocks the keyboard
	status     Status
}

// resolve returns the code page and the alternate size that the options select. The error
// wraps [ErrOption].
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

// New returns an empty screen with 24 rows of 80 columns. Its keyboard is locked until
// the host unlocks it. o may be nil. The error wraps [ErrOption].
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
	if c.field || s.attribute(field).hidden() {
		return ' '
	}
	if c.ge || s.charset(field, c) == characterAPL {
		return showAPL(c.octet)
	}
	return s.page.show(c.octet)
}

func (s *Screen) charset(field int, c cell) byte {
	if c.charset == 0 && field >= 0 {
		return s.cells[field].charset
	}
	return c.charset
}

// Field is a field of the screen.
type Field struct {
	Row, Column int // first position after the attribute, counted from 1
	Address     int // address of the same position, counted from 0
	Length      int // number of positions, possibly 0

	Protected   bool
	Numeric     bool // the field accepts only digits, "." and "-"
	Skip        bool // the field is protected, and the cursor skips it
	Hidden      bool
	Intensified bool
	Modified    bool // the field has changed since the host wrote it
	Color       Color
	Highlight   Highlight

	// Value is its contents without trailing spaces and nulls; other nulls are spaces.
	// For hidden fields it is empty.
	Value string
}

// Fields returns the fields in the order of the screen, or nil if there are none. A
// field may wrap from the last row to the first.
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
	for a := range s.data(at) {
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

// Wait waits until ok returns true. It calls ok at once and after each change. If ctx ends
// first, the error is its cause.
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

// notify closes the channel of Changed. The caller must hold s.mu.
func (s *Screen) notify() {
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

package telnet

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/nvt"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/tn3270"
)

// TN3270Options are Options for tn3270.
type TN3270Options struct {
	Model      int    // of the terminal, 2 to 5; 0: 2, which has 24 rows of 80 columns
	CodePage   string // of the host; empty: "037"
	DeviceName string // the device or group that is asked for; empty: whichever is free
	Monochrome bool   // a terminal without colours
	// Basic leaves out TN3270E (RFC 2355) for hosts that offer what they can't do.
	Basic bool
}

// Terminal3270 is the connection of a session by tn3270. Read gives drawings of the
// screen for a terminal of ECMA-48, and Write takes what such a terminal's keyboard
// sends; programs have the screen itself. The session goes on whether Read is called
// or not.
//
// Until a host begins with 3270 data streams, what it says is text, which Read gives
// and Screen has not.
type Terminal3270 interface {
	scheme.Terminal
	// Screen is the screen, to be looked at.
	Screen() *tn3270.Screen
	// Press presses a key, and sends to the host what that sends. The error is the
	// screen's, such as [tn3270.ErrLocked], or the connection's.
	Press(k tn3270.Key) error
	// Type types characters. The error is the screen's.
	Type(text string) error
}

// maxText is how much text of a host is kept for Read, or up to twice as much.
const maxText = 1 << 20

// tn3270 opens a session by Telnet with 3270 data streams.
func (j *opener) tn3270() (scheme.Terminal, error) {
	o := &j.client.o
	terminal := &tn3270.Options{Model: o.TN3270.Model, CodePage: o.TN3270.CodePage, Extended: !o.TN3270.Monochrome}
	if !isDevice(o.TN3270.DeviceName) {
		return nil, fmt.Errorf("%w: %s is no name of a device", scheme.ErrUnsupported, locus.Quote(o.TN3270.DeviceName))
	}
	screen, err := tn3270.New(terminal)
	if err != nil {
		return nil, err
	}
	conn, err := j.dial(TN3270Port, j.req.Dial.DialContext)
	if err != nil {
		return nil, err
	}
	t := &conn3270{job: j, terminal: terminal, screen: screen, columns: o.Columns, rows: o.Rows, wake: make(chan struct{})}
	t.extended.conn = t
	t.Conn = nvt.New(conn, &nvt.Options{Options: t.options(), Keyboard: true, Trace: j.trace})
	go t.receive()
	return t, nil
}

// conn3270 is a session by tn3270.
type conn3270 struct {
	*nvt.Conn
	job      *opener
	terminal *tn3270.Options
	screen   *tn3270.Screen
	extended extended

	keys    sync.Mutex // held while a key is pressed and its record is sent, and while a record is answered
	decoder tn3270.Decoder

	mu            sync.Mutex // guards the rest
	wake          chan struct{}
	columns, rows int
	out           []byte // for Read
	records       bool   // the host sends data streams, and no text
	view          view
	ended         error
	deadline      time.Time
	onChange      func()
}

// options are those that a terminal of this kind agrees to (RFC 1576).
func (t *conn3270) options() []nvt.Option {
	changed := func(bool, bool) { t.negotiated() }
	list := []nvt.Option{
		{Code: nvt.TerminalType, Us: true, Sub: t.typeAsked},
		{Code: nvt.EndOfRecord, Us: true, Them: true, Changed: changed},
		{Code: nvt.Binary, Us: true, Them: true, Changed: changed},
		{Code: nvt.Echo, Them: true, Changed: changed},
		{Code: nvt.SGA, Us: true, Them: true},
		{Code: nvt.StartTLS, Us: true, Changed: func(us, on bool) {
			if us && on {
				t.SubLast(nvt.StartTLS, []byte{follows})
			}
		}, Sub: func(data []byte) {
			if len(data) == 1 && data[0] == follows && t.Enabled(true, nvt.StartTLS) {
				t.job.upgrade(t.Conn)
			}
		}},
	}
	if !t.job.client.o.TN3270.Basic {
		list = append(list, nvt.Option{Code: nvt.TN3270E, Us: true, Changed: changed, Sub: t.extended.sub})
	}
	return list
}

// typeAsked tells what the terminal is, and which device it wants to be.
func (t *conn3270) typeAsked(data []byte) {
	if len(data) == 0 || data[0] != subSend {
		return
	}
	name := t.terminal.TerminalType()
	if device := t.job.client.o.TN3270.DeviceName; device != "" {
		name += "@" + device
	}
	t.Sub(nvt.TerminalType, append([]byte{subIs}, name...))
}

// negotiated looks whether the host sends data streams from here on.
func (t *conn3270) negotiated() {
	records := t.Enabled(true, nvt.TN3270E) || t.Enabled(false, nvt.EndOfRecord) && t.Enabled(false, nvt.Binary)
	t.update(func() { t.records = records })
	t.mu.Lock()
	f := t.onChange
	t.mu.Unlock()
	if f != nil {
		f()
	}
}

// update changes something that Read waits for.
func (t *conn3270) update(change func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change()
	close(t.wake)
	t.wake = make(chan struct{})
}

// receive takes what the host sends until it ends.
func (t *conn3270) receive() {
	err := t.records3270()
	t.update(func() { t.ended = t.job.asProtocol(err) })
}

// records3270 takes records, and text for as long as there are none.
func (t *conn3270) records3270() error {
	var record []byte
	piece := make([]byte, 16<<10)
	for {
		// What comes before a command is as it was before the command.
		t.mu.Lock()
		records := t.records
		t.mu.Unlock()
		n, end, err := t.Next(piece)
		if err != nil {
			return err
		}
		if !records {
			t.text(piece[:n])
			continue
		}
		if record = append(record, piece[:n]...); len(record) > tn3270.MaxRecord+headerSize {
			return nvt.ErrRecord
		}
		if end {
			if err := t.record(record); err != nil {
				return err
			}
			record = record[:0]
		}
	}
}

// text shows what is no data stream.
func (t *conn3270) text(text []byte) {
	if len(text) > 0 {
		t.update(func() { t.append(text) })
	}
}

// append adds text for Read, and forgets the oldest if nobody reads. t.mu is held.
func (t *conn3270) append(text []byte) {
	t.out = append(t.view.leave(t.out), text...)
	if len(t.out) > 2*maxText {
		t.out = append(t.out[:0], t.out[len(t.out)-maxText:]...)
	}
}

// record does what a record says, and sends what it asks for. The screen shows what
// it says before the answer is out; a key that is pressed then is sent behind it.
func (t *conn3270) record(record []byte) error {
	t.keys.Lock()
	defer t.keys.Unlock()
	if t.Enabled(true, nvt.TN3270E) {
		return t.extended.record(record)
	}
	reply, _ := t.stream(record)
	if reply == nil {
		return nil
	}
	return t.WriteRecord(reply)
}

// stream has the screen do what a data stream says. What is wrong with it does not
// end the session: what came before the mistake is on the screen.
func (t *conn3270) stream(record []byte) (reply []byte, err error) {
	reply, err = t.screen.Receive(record)
	t.job.req.Traced(false, fmt.Sprintf("record of %d octets", len(record)))
	if err != nil {
		t.job.req.Traced(false, err.Error())
	}
	return reply, err
}

// Screen implements [Terminal3270].
func (t *conn3270) Screen() *tn3270.Screen { return t.screen }

// Press implements [Terminal3270].
func (t *conn3270) Press(k tn3270.Key) error {
	t.keys.Lock()
	defer t.keys.Unlock()
	switch {
	case k == tn3270.Attn:
		return t.Command("attn")
	case k == tn3270.SysReq:
		return t.Command("sysreq")
	case k == tn3270.Redraw:
		t.update(func() { t.view.lost() })
		return nil
	}
	send, err := t.screen.Press(k)
	if err != nil || send == nil {
		return err
	}
	t.job.req.Traced(true, fmt.Sprintf("%v, record of %d octets", k, len(send)))
	if t.Enabled(true, nvt.TN3270E) {
		return t.extended.send(send)
	}
	return t.WriteRecord(send)
}

// Type implements [Terminal3270].
func (t *conn3270) Type(text string) error {
	t.keys.Lock()
	defer t.keys.Unlock()
	return t.screen.Type(text)
}

// Write implements [scheme.Terminal]. What can't be typed is no error: the bell
// rings, and the screen says why.
func (t *conn3270) Write(p []byte) (int, error) {
	t.mu.Lock()
	records := t.records
	t.mu.Unlock()
	if !records {
		return t.Conn.Write(p)
	}
	t.keys.Lock()
	inputs := t.decoder.Decode(nil, p)
	t.keys.Unlock()
	for _, in := range inputs {
		var err error
		if in.Key == 0 {
			err = t.Type(in.Text)
		} else {
			err = t.Press(in.Key)
		}
		switch {
		case err == nil:
		case isKeyboard(err):
			t.update(func() { t.out = append(t.out, '\a') })
		default:
			return 0, err
		}
	}
	return len(p), nil
}

// isKeyboard reports whether err is one of the keyboard, and not of the connection.
func isKeyboard(err error) bool {
	return slices.ContainsFunc([]error{tn3270.ErrLocked, tn3270.ErrProtected, tn3270.ErrNumeric, tn3270.ErrOverflow, tn3270.ErrCharacter},
		func(kind error) bool { return errors.Is(err, kind) })
}

// Read implements [scheme.Terminal].
func (t *conn3270) Read(p []byte) (int, error) {
	for {
		changed := t.screen.Changed()
		n, wake, deadline, err := t.take(p)
		if n > 0 || err != nil || len(p) == 0 {
			return n, err
		}
		var late <-chan time.Time
		if !deadline.IsZero() {
			late = time.After(time.Until(deadline))
		}
		select {
		case <-changed:
		case <-wake:
		case <-late:
			return 0, os.ErrDeadlineExceeded
		}
	}
}

// take moves what there is to show to p.
func (t *conn3270) take(p []byte) (n int, wake chan struct{}, deadline time.Time, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.records && len(t.out) == 0 {
		if s := t.screen.Snapshot(); s.Status.Mode != tn3270.ModeNone {
			t.out = t.view.draw(t.out, s, t.rows, t.columns)
		}
	}
	n = copy(p, t.out)
	t.out = t.out[n:]
	if n == 0 && len(t.out) == 0 {
		err = t.ended
	}
	return n, t.wake, t.deadline, err
}

// SetReadDeadline is for Read alone: the session goes on without it.
func (t *conn3270) SetReadDeadline(at time.Time) error {
	t.update(func() { t.deadline = at })
	return nil
}

// SetDeadline is SetReadDeadline and SetWriteDeadline.
func (t *conn3270) SetDeadline(at time.Time) error {
	return errors.Join(t.SetReadDeadline(at), t.SetWriteDeadline(at))
}

// SetWindow implements [scheme.Terminal]. The screen keeps the size that the host
// gave it, and is drawn anew.
func (t *conn3270) SetWindow(columns, rows int) error {
	t.update(func() {
		t.columns, t.rows = columns, rows
		t.view.lost()
	})
	return nil
}

// Echoes implements [scheme.Terminal].
func (t *conn3270) Echoes() bool {
	t.mu.Lock()
	records := t.records
	t.mu.Unlock()
	// Behind t.mu nobody waits for a host that takes nothing.
	return records || t.Enabled(false, nvt.Echo)
}

// OnChange implements [scheme.Terminal].
func (t *conn3270) OnChange(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.onChange = f
}

// Commands implements [scheme.Terminal].
func (t *conn3270) Commands() []string { return []string{"attn", "sysreq", "brk", "ip", "ao", "ayt"} }

// Command implements [scheme.Terminal]. Attn and SysReq are commands of Telnet's
// (RFC 1576; RFC 2355 section 10).
func (t *conn3270) Command(name string) error {
	extended := t.Enabled(true, nvt.TN3270E)
	switch strings.ToLower(name) {
	case "attn":
		if extended {
			return t.Conn.Command(nvt.IP)
		}
		return t.Conn.Command(nvt.BRK)
	case "sysreq":
		if extended {
			return t.Conn.Command(nvt.AO)
		}
		return t.Conn.Command(nvt.IP)
	case "brk":
		return t.Conn.Command(nvt.BRK)
	case "ip":
		return t.Conn.Command(nvt.IP)
	case "ao":
		return t.Conn.Command(nvt.AO)
	case "ayt":
		return t.Conn.Command(nvt.AYT)
	}
	return fmt.Errorf("tn3270: %w: it has no such command", scheme.ErrUnsupported)
}

// Status implements [scheme.Terminal].
func (t *conn3270) Status() []scheme.Field {
	t.mu.Lock()
	protocol := "text: the host has not begun with 3270 data streams"
	if t.records {
		protocol = "tn3270"
	}
	device, rejected := t.extended.device, t.extended.rejected
	t.mu.Unlock()
	if t.Enabled(true, nvt.TN3270E) {
		protocol = "tn3270e"
	}
	rows, columns := t.screen.Size()
	list := []scheme.Field{
		{Name: "protocol", Value: protocol},
		{Name: "terminalType", Value: t.terminal.TerminalType()},
		{Name: "codePage", Value: cmp.Or(t.terminal.CodePage, "037")},
		{Name: "screen", Value: fmt.Sprintf("%dx%d", columns, rows)},
		{Name: "keyboard", Value: cmp.Or(t.screen.Status().Lock.String(), "unlocked")},
	}
	if device != "" {
		list = append(list, scheme.Field{Name: "device", Value: device})
	}
	if rejected != "" {
		list = append(list, scheme.Field{Name: "deviceRejected", Value: rejected})
	}
	return list
}

// view is what Read has drawn of the screen.
type view struct {
	shown   bool // the terminal shows the screen, and no text
	last    tn3270.Snapshot
	have    bool // last is what the terminal shows
	overlay bool // a line about the keyboard covers the last row
	status  string
}

// What makes room for drawings, and gives it back to text.
const (
	enterScreen = "\x1b[?1049h"
	leaveScreen = "\x1b[?1049l"
	eraseAll    = "\x1b[2J"
)

// lost notes that the terminal shows something else.
func (v *view) lost() { v.have = false }

// leave ends the drawings, because text follows.
func (v *view) leave(dst []byte) []byte {
	if v.shown {
		dst = append(dst, leaveScreen...)
	}
	*v = view{}
	return dst
}

// draw draws the screen on a terminal of that size, as far as it has changed.
func (v *view) draw(dst []byte, s tn3270.Snapshot, rows, columns int) []byte {
	overlay := rows <= s.Rows && s.Status.Lock > tn3270.LockedSystem
	status := s.StatusLine()
	screen := s.Clip(rows, columns)
	if v.have && same(v.last, screen) && v.overlay == overlay && v.status == status {
		return dst
	}
	if !v.shown {
		dst = append(dst, enterScreen...)
	}
	if !v.have || v.overlay && !overlay || v.last.Rows != screen.Rows || v.last.Columns != screen.Columns {
		dst = append(dst, eraseAll...)
		dst = tn3270.Draw(dst, screen)
	} else {
		dst = tn3270.DrawChanges(dst, v.last, screen)
	}
	if overlay || rows > s.Rows {
		dst = tn3270.DrawStatus(dst, screen, min(s.Rows+1, rows))
	}
	*v = view{shown: true, last: screen, have: true, overlay: overlay, status: status}
	return dst
}

// same reports whether two screens look the same.
func same(a, b tn3270.Snapshot) bool {
	return a.Rows == b.Rows && a.Columns == b.Columns && a.Row == b.Row && a.Column == b.Column && slices.Equal(a.Cells, b.Cells)
}

var _ Terminal3270 = (*conn3270)(nil)

// isDevice reports whether text can be the name of a device.
func isDevice(text string) bool {
	return len(text) <= maxDevice && strings.IndexFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
}

// maxDevice is more than any host has for a device's name.
const maxDevice = 64

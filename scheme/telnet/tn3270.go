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

// TN3270Options configure tn3270 sessions. The zero value selects the defaults.
type TN3270Options struct {
	Model      int    // terminal model, 2 to 5; 0 means 2, which has 24 rows of 80 columns
	CodePage   string // code page of the host; empty means "037"
	DeviceName string // name of the requested device or group; empty means any device
	Monochrome bool   // whether the terminal has no colors
	Basic      bool   // do not use TN3270E (RFC 2355), for hosts with a faulty implementation
}

// Terminal3270 is the connection of a tn3270 session. Its Read method returns drawings of the
// screen for an ECMA-48 terminal, and its Write method accepts the input of such a terminal. A
// program that does not display the session should use Screen instead. The session continues even
// if the caller does not call Read.
//
// Until the host starts to use 3270 data streams, it sends text. Read returns this text, but
// Screen does not contain it.
type Terminal3270 interface {
	scheme.Terminal
	// Screen returns the screen. The caller must not change the screen.
	Screen() *tn3270.Screen
	// Press presses a key and sends the resulting record. The error comes from the screen,
	// such as [tn3270.ErrLocked], or from the connection.
	Press(k tn3270.Key) error
	// Type types characters. It returns the same errors as [tn3270.Screen.Type].
	Type(text string) error
}

// maxText is the maximum number of text octets that the session buffers for Read. If there is more
// text, the session discards the oldest text.
const maxText = 1 << 20

func (op *opener) tn3270() (scheme.Terminal, error) {
	o := &op.client.o
	terminal := &tn3270.Options{Model: o.TN3270.Model, CodePage: o.TN3270.CodePage, Extended: !o.TN3270.Monochrome}
	if !isDevice(o.TN3270.DeviceName) {
		return nil, fmt.Errorf("%w: invalid device name %s", scheme.ErrUnsupported, locus.Quote(o.TN3270.DeviceName))
	}
	screen, err := tn3270.New(terminal)
	if err != nil {
		return nil, err
	}
	conn, err := op.dial(TN3270Port, op.req.Dial.DialContext)
	if err != nil {
		return nil, err
	}
	t := &conn3270{opener: op, terminal: terminal, screen: screen, columns: o.Columns, rows: o.Rows, wake: make(chan struct{})}
	t.extended.conn = t
	t.Conn = nvt.New(conn, &nvt.Options{Options: t.options(), Keyboard: true, Changed: func(bool, byte, bool) { t.optionChanged() }, Trace: op.trace})
	go t.receive()
	return t, nil
}

type conn3270 struct {
	*nvt.Conn
	observer
	opener   *opener
	terminal *tn3270.Options
	screen   *tn3270.Screen
	extended extended

	keys    sync.Mutex // locked while the session handles a key and its record, or a record and its reply
	decoder tn3270.Decoder

	mu            sync.Mutex // guards the fields below
	wake          chan struct{}
	columns, rows int
	out           []byte // output that Read has not returned
	records       bool   // the host sends data streams instead of text
	view          view
	ended         error
	deadline      time.Time
}

// options returns the options that a 3270 terminal accepts (RFC 1576).
func (t *conn3270) options() []nvt.Option {
	list := []nvt.Option{
		{Code: nvt.TerminalType, Us: true, Sub: t.terminalType},
		{Code: nvt.EndOfRecord, Us: true, Them: true},
		{Code: nvt.Binary, Us: true, Them: true},
		{Code: nvt.Echo, Them: true},
		{Code: nvt.SGA, Us: true, Them: true},
		t.opener.startTLS(t, func() {}),
	}
	if !t.opener.client.o.TN3270.Basic {
		list = append(list, nvt.Option{Code: nvt.TN3270E, Us: true, Sub: t.extended.sub})
	}
	return list
}

func (t *conn3270) terminalType(data []byte) {
	if len(data) == 0 || data[0] != nvt.Send {
		return
	}
	name := t.terminal.TerminalType()
	if device := t.opener.client.o.TN3270.DeviceName; device != "" {
		name += "@" + device
	}
	t.Sub(nvt.TerminalType, append([]byte{nvt.Is}, name...))
}

// optionChanged updates the state after an option has changed, which may mean that the host now
// sends data streams instead of text.
func (t *conn3270) optionChanged() {
	records := t.Enabled(true, nvt.TN3270E) || t.Enabled(false, nvt.EndOfRecord) && t.Enabled(false, nvt.Binary)
	t.update(func() { t.records = records })
	t.notify()
}

func (t *conn3270) hasRecords() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.records
}

// update calls change, which may change the state for which Read waits.
func (t *conn3270) update(change func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change()
	close(t.wake)
	t.wake = make(chan struct{})
}

func (t *conn3270) receive() {
	err := t.records3270()
	t.update(func() { t.ended = t.opener.asProtocol(err) })
}

func (t *conn3270) records3270() error {
	var record []byte
	piece := make([]byte, 16<<10)
	for {
		// Next returns the data before a command, so use the mode that was in effect
		// before the command.
		records := t.hasRecords()
		n, end, err := t.Next(piece)
		if err != nil {
			return err
		}
		if !records {
			t.appendText(piece[:n])
			continue
		}
		if record = append(record, piece[:n]...); len(record) > tn3270.MaxRecord+nvt.RecordHeader {
			return nvt.ErrRecord
		}
		if end {
			if err := t.handleRecord(record); err != nil {
				return err
			}
			record = record[:0]
		}
	}
}

// appendText appends text to the output for Read. If there is too much unread output, it discards
// the oldest output.
func (t *conn3270) appendText(text []byte) {
	if len(text) == 0 {
		return
	}
	t.update(func() {
		t.out = append(t.view.leave(t.out), text...)
		if len(t.out) > 2*maxText {
			t.out = append(t.out[:0], t.out[len(t.out)-maxText:]...)
		}
	})
}

// handleRecord handles a record from the host and sends the reply. It updates the screen before it
// sends the reply. If the user presses a key in the meantime, the session sends the record for the
// key after the reply.
func (t *conn3270) handleRecord(record []byte) error {
	t.keys.Lock()
	defer t.keys.Unlock()
	if t.Enabled(true, nvt.TN3270E) {
		return t.extended.record(record)
	}
	reply, _ := t.receiveStream(record)
	if reply == nil {
		return nil
	}
	return t.WriteRecord(reply)
}

// receiveStream passes a data stream to the screen. An error in the stream does not end the
// session, because the screen shows the part before the error.
func (t *conn3270) receiveStream(record []byte) (reply []byte, err error) {
	reply, err = t.screen.Receive(record)
	t.opener.req.Traced(false, fmt.Sprintf("record of %d bytes", len(record)))
	if err != nil {
		t.opener.req.Traced(false, err.Error())
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
	t.opener.req.Traced(true, fmt.Sprintf("%v, record of %d bytes", k, len(send)))
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

// Write implements [scheme.Terminal]. If the screen does not accept an input, Write returns no
// error. Instead, Write rings the terminal's bell, and the status line shows the reason.
func (t *conn3270) Write(p []byte) (int, error) {
	if !t.hasRecords() {
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

// SetReadDeadline affects only Read, not the session.
func (t *conn3270) SetReadDeadline(at time.Time) error {
	t.update(func() { t.deadline = at })
	return nil
}

// SetDeadline combines SetReadDeadline and SetWriteDeadline.
func (t *conn3270) SetDeadline(at time.Time) error {
	return errors.Join(t.SetReadDeadline(at), t.SetWriteDeadline(at))
}

// SetWindow implements [scheme.Terminal]. The host determines the screen size, so SetWindow only
// redraws the screen.
func (t *conn3270) SetWindow(columns, rows int) error {
	t.update(func() {
		t.columns, t.rows = columns, rows
		t.view.lost()
	})
	return nil
}

// Echoes implements [scheme.Terminal]. Echoes must not hold t.mu when it calls Enabled, because
// Enabled may wait for a host that does not read.
func (t *conn3270) Echoes() bool { return t.hasRecords() || t.Enabled(false, nvt.Echo) }

// Commands implements [scheme.Terminal].
func (t *conn3270) Commands() []string { return []string{"attn", "sysreq", "brk", "ip", "ao", "ayt"} }

// Command implements [scheme.Terminal]. Attn and SysReq are Telnet commands (RFC 1576; RFC
// 2355 section 10).
func (t *conn3270) Command(name string) error {
	codes := map[string]byte{"attn": nvt.BRK, "sysreq": nvt.IP, "brk": nvt.BRK, "ip": nvt.IP, "ao": nvt.AO, "ayt": nvt.AYT}
	if t.Enabled(true, nvt.TN3270E) {
		codes["attn"], codes["sysreq"] = nvt.IP, nvt.AO
	}
	if code, ok := codes[strings.ToLower(name)]; ok {
		return t.Conn.Command(code)
	}
	return fmt.Errorf("tn3270: %w: unknown command", scheme.ErrUnsupported)
}

// Status implements [scheme.Terminal].
func (t *conn3270) Status() []scheme.Field {
	t.mu.Lock()
	protocol := "text: the host has not started 3270 data streams"
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

// view is the state of the user's terminal, on which Read draws the screen.
type view struct {
	showsScreen bool // the terminal shows the screen instead of text
	drawing     tn3270.Snapshot
	isDrawn     bool // the terminal shows drawing
	hasOverlay  bool // a line about the keyboard covers the last row
	status      string
}

// These control sequences start and end the display of a screen.
const (
	enterScreen = "\x1b[?1049h"
	leaveScreen = "\x1b[?1049l"
	eraseAll    = "\x1b[2J"
)

func (v *view) lost() { v.isDrawn = false }

func (v *view) leave(dst []byte) []byte {
	if v.showsScreen {
		dst = append(dst, leaveScreen...)
	}
	*v = view{}
	return dst
}

func (v *view) draw(dst []byte, s tn3270.Snapshot, rows, columns int) []byte {
	overlay := rows <= s.Rows && s.Status.Lock > tn3270.LockedSystem
	status := s.StatusLine()
	screen := s.Clip(rows, columns)
	if v.isDrawn && same(v.drawing, screen) && v.hasOverlay == overlay && v.status == status {
		return dst
	}
	if !v.showsScreen {
		dst = append(dst, enterScreen...)
	}
	if !v.isDrawn || v.hasOverlay && !overlay || v.drawing.Rows != screen.Rows || v.drawing.Columns != screen.Columns {
		dst = append(dst, eraseAll...)
		dst = tn3270.Draw(dst, screen)
	} else {
		dst = tn3270.DrawChanges(dst, v.drawing, screen)
	}
	if overlay || rows > s.Rows {
		dst = tn3270.DrawStatus(dst, screen, min(s.Rows+1, rows))
	}
	*v = view{showsScreen: true, drawing: screen, isDrawn: true, hasOverlay: overlay, status: status}
	return dst
}

func same(a, b tn3270.Snapshot) bool {
	return a.Rows == b.Rows && a.Columns == b.Columns && a.Row == b.Row && a.Column == b.Column && slices.Equal(a.Cells, b.Cells)
}

var _ Terminal3270 = (*conn3270)(nil)

const maxDevice = 64

func isDevice(text string) bool {
	return len(text) <= maxDevice && strings.IndexFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
}

package open

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/term"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/cli/base"
	"github.com/locus-url/locus/internal/cli/show"
	safe "github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/telnet"
)

// talk is a session with a person at the terminal, which is in raw mode.
type talk struct {
	a       *base.App
	tty     *os.File
	session *scheme.Session
	conn    scheme.Terminal
	escape  byte // gives the keyboard to us; 0: nothing does
	key     string
	drawn   bool // what the host shows is our drawing of it
	before  *term.State
	guard   *guard

	show    sync.Mutex // held by who writes to the terminal
	display show.Display
	linesMu sync.Mutex
	lines   []byte // of errors and traces, for the terminal

	keys    chan []byte   // what is typed
	out     chan delivery // what is sent
	waiting []delivery    // for out, because the host takes its time
	size    int           // octets of waiting
	ended   chan error    // of the host
	sent    chan struct{} // closed when nothing is sent any more
	echoes  atomic.Bool   // the host shows what is typed
	turned  chan struct{} // that has changed
	mode    typing
	line    lineEditor  // where the host does not show what is typed
	ask     *lineEditor // of the person's own commands, and show is locked; nil: they go to the host
	said    bool        // something was said since the command
	away    bool        // the drawing is put aside for commands
	begins  bool        // what is typed next begins a line, for rlogin's "~"
	tilde   bool        // a "~" that began a line has been typed
}

// delivery is something for the host: octets, or a command of the service.
type delivery struct {
	octets  []byte
	command string
}

// maxWaiting is the most octets that are kept for a host that takes none.
const maxWaiting = 64 << 10

// typing is what becomes of what is typed.
type typing string

const (
	typingAuto       typing = ""          // as the host wants it
	typingLines      typing = "line"      // shown here, and sent line by line
	typingCharacters typing = "character" // sent as it is
)

func newTalk(o *opening, tty *os.File, s *scheme.Session) *talk {
	t := &talk{
		a: o.App, tty: tty, session: s, conn: s.Conn, escape: o.session.key, key: o.session.escape, begins: true,
		keys: make(chan []byte), out: make(chan delivery), ended: make(chan error, 1), sent: make(chan struct{}), turned: make(chan struct{}, 1),
	}
	_, t.drawn = s.Conn.(telnet.Terminal3270)
	// The drawings are our own, but until they begin a host of 3270 sends text.
	t.display = show.Display{Writer: tty, Safe: o.session.safe}
	return t
}

// run goes on until either side has had enough. The terminal is then as it was.
func (t *talk) run(ctx context.Context) (err error) {
	t.guard, err = newGuard(t.tty)
	if err != nil {
		t.a.Note("if locus is killed, the terminal has to be put in order by \"reset\": %s", err)
	}
	defer t.guard.dismiss()
	t.display.OnAlternate = t.guard.turned
	if t.before, err = term.MakeRaw(int(t.tty.Fd())); err != nil {
		return err
	}
	defer t.restore()
	defer t.overErrors()()
	if !t.a.Flags.Quiet {
		t.greet()
	}
	t.resize()
	defer onResize(t.resize)()
	return t.hold(ctx)
}

// hold has both sides talk until one has had enough.
func (t *talk) hold(ctx context.Context) error {
	t.conn.OnChange(t.changed)
	t.changed()
	done := make(chan struct{})
	defer close(done)
	go t.listen(done)
	go t.hear()
	go t.transmit()
	ended, err := t.exchange(ctx)
	t.hush()
	t.conn.Close()
	if !ended {
		<-t.ended
	}
	close(t.out)
	<-t.sent
	if ended && err == nil && !t.a.Flags.Quiet {
		t.display.Restore()
		t.say("the host has ended the session")
	}
	return err
}

// exchange hands on what is typed. ended: the host has ended the session.
func (t *talk) exchange(ctx context.Context) (ended bool, err error) {
	for {
		var out chan<- delivery
		var next delivery
		if len(t.waiting) > 0 {
			out, next = t.out, t.waiting[0]
		}
		select {
		case typed, ok := <-t.keys:
			if !ok {
				return false, errors.New("the terminal is gone")
			}
			if end, err := t.typed(typed); end || err != nil {
				return false, err
			}
		case out <- next:
			t.waiting = t.waiting[1:]
			t.size -= len(next.octets)
		case <-t.turned:
			// What was typed of a line is not kept for a later one.
			if !t.inLines() && t.line.Len() > 0 {
				t.sendTyped(nil)
			}
		case err := <-t.ended:
			return true, err
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
}

// greet tells how things stand.
func (t *talk) greet() {
	u := t.session.URL
	t.say("connected to %s", u.WithoutPassword().Redacted())
	if t.escape != 0 {
		t.say("%s gives the keyboard to locus; there, \"close\" ends the session, and \"help\" tells more", t.key)
	}
	switch _, hasPassword := u.Password(); {
	case hasPassword && t.session.User != "" && u.Scheme() != "rlogin":
		t.say("the URL suggests the user %s and a password: \"user\" and \"password\" type them", locus.Quote(t.session.User))
	case hasPassword:
		t.say("the URL suggests a password: \"password\" types it")
	case t.session.User != "" && u.Scheme() != "rlogin":
		t.say("the URL suggests the user %s: \"user\" types it", locus.Quote(t.session.User))
	}
}

// say writes a line of our own.
func (t *talk) say(format string, args ...any) {
	if t.ask == nil {
		t.lockShow()
		defer t.unlockShow()
	}
	t.said = true
	t.display.FreshLine()
	t.display.WriteOwn("locus: " + safe.Safe(fmt.Sprintf(format, args...)) + "\r\n")
}

// overErrors has errors and traces written in lines as a terminal in raw mode wants
// them, until stop is called.
func (t *talk) overErrors() (stop func()) {
	if !t.a.ErrTTY {
		return func() {}
	}
	return t.a.RedirectErrors(rawLines{t})
}

// rawLines writes lines to a terminal that is in raw mode. It waits for nobody: a
// trace is told by who sends something, while the person may be at a command.
type rawLines struct{ t *talk }

func (r rawLines) Write(p []byte) (int, error) {
	t := r.t
	t.linesMu.Lock()
	if len(t.lines) < maxWaiting {
		t.lines = append(t.lines, strings.ReplaceAll(string(p), "\n", "\r\n")...)
	}
	t.linesMu.Unlock()
	if t.show.TryLock() {
		t.unlockShow()
	}
	return len(p), nil
}

// lockShow takes the terminal, and shows the lines that wait for it.
func (t *talk) lockShow() {
	t.show.Lock()
	t.showLines()
}

// unlockShow leaves the terminal, with no lines waiting for it.
func (t *talk) unlockShow() {
	for more := true; more; {
		t.showLines()
		t.show.Unlock()
		t.linesMu.Lock()
		more = len(t.lines) > 0
		t.linesMu.Unlock()
		more = more && t.show.TryLock()
	}
}

// showLines shows the lines that wait. show is locked.
func (t *talk) showLines() {
	t.linesMu.Lock()
	lines := t.lines
	t.lines = nil
	t.linesMu.Unlock()
	if len(lines) > 0 {
		t.display.FreshLine()
		t.display.WriteOwn(string(lines))
	}
}

// restore leaves the terminal as it was.
func (t *talk) restore() {
	t.display.Restore()
	term.Restore(int(t.tty.Fd()), t.before)
}

// resize tells the host how large the window is.
func (t *talk) resize() {
	if columns, rows, err := term.GetSize(int(t.tty.Fd())); err == nil && columns > 0 && rows > 0 {
		// An error is one of the connection, which shows where it is read.
		t.conn.SetWindow(columns, rows)
	}
}

// changed notes whether the host shows what is typed. To ask when a key is pressed
// could mean to wait for a host that takes nothing.
func (t *talk) changed() {
	echoes := t.conn.Echoes()
	if t.echoes.Swap(echoes) == echoes {
		return
	}
	select {
	case t.turned <- struct{}{}:
	default:
	}
}

// listen hands on what is typed.
func (t *talk) listen(done chan struct{}) {
	defer close(t.keys)
	for {
		buf := make([]byte, 1024)
		n, err := t.tty.Read(buf)
		if n > 0 {
			select {
			case t.keys <- buf[:n]:
			case <-done:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// hear shows what the host says.
func (t *talk) hear() {
	buf := make([]byte, 32<<10)
	for {
		n, err := t.conn.Read(buf)
		if n > 0 {
			t.lockShow()
			_, writeErr := t.display.Write(buf[:n])
			t.unlockShow()
			if err == nil {
				err = writeErr
			}
		}
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			t.ended <- err
			return
		}
	}
}

// transmit sends what is typed. An error is one of the connection, which shows where
// it is read.
func (t *talk) transmit() {
	defer close(t.sent)
	for d := range t.out {
		if d.command != "" {
			t.conn.Command(d.command)
		} else {
			t.conn.Write(d.octets)
		}
	}
}

// send has something sent, unless the host has taken nothing for long.
func (t *talk) send(d delivery) {
	if t.size+len(d.octets) > maxWaiting {
		if t.ask == nil {
			t.lockShow()
			defer t.unlockShow()
		}
		t.display.WriteOwn("\a")
		return
	}
	t.size += len(d.octets)
	if n := len(t.waiting) - 1; n >= 0 && d.command == "" && t.waiting[n].command == "" {
		t.waiting[n].octets = append(t.waiting[n].octets, d.octets...)
		return
	}
	t.waiting = append(t.waiting, delivery{bytes.Clone(d.octets), d.command})
}

// typed does what the person typed, octet by octet where it is for us. end: it is
// the end of the session.
func (t *talk) typed(octets []byte) (end bool, err error) {
	for len(octets) > 0 && !end && err == nil {
		n := 1
		switch {
		case t.ask != nil:
			end, err = t.command(octets[0])
		case t.escape != 0 && octets[0] == t.escape:
			t.begin()
		case t.inLines():
			end = t.local(octets[0])
		default:
			if n = bytes.IndexByte(octets, t.escape); t.escape == 0 || n < 0 {
				n = len(octets)
			}
			end = t.remote(octets[:n])
		}
		octets = octets[n:]
	}
	return end, err
}

// inLines reports whether what is typed is shown here, and sent line by line.
func (t *talk) inLines() bool {
	return t.mode == typingLines || t.mode == typingAuto && !t.echoes.Load()
}

// local takes an octet of a line that is sent as a whole, and shows it.
func (t *talk) local(o byte) (end bool) {
	t.lockShow()
	state := t.line.take(o, &t.display)
	t.unlockShow()
	switch state {
	case lineDone:
		line := append([]byte(t.line.text()), '\n')
		if t.session.URL.Scheme() == "rlogin" {
			if line, end = t.tildes(line); end {
				return true
			}
		}
		t.send(delivery{octets: line})
		t.line.reset()
	case lineBreak, lineEnd:
		return true
	}
	return false
}

// remote sends what is typed as it is, behind what was typed of a line before the
// host showed what is typed. By rlogin "~." at the beginning of a line ends the
// session, as it does everywhere.
func (t *talk) remote(octets []byte) (end bool) {
	if t.session.URL.Scheme() == "rlogin" {
		if octets, end = t.tildes(octets); end {
			return true
		}
	}
	t.sendTyped(octets)
	return false
}

// sendTyped sends octets behind what was typed of a line.
func (t *talk) sendTyped(octets []byte) {
	t.send(delivery{octets: append([]byte(t.line.text()), octets...)})
	t.line.reset()
}

// tildes takes out "~" at the beginnings of lines, and reports whether one was
// followed by "." there.
func (t *talk) tildes(octets []byte) (out []byte, end bool) {
	for _, o := range octets {
		switch {
		case t.tilde && o == '.':
			return nil, true
		case t.tilde && o != '~':
			out = append(out, '~', o)
		case !t.tilde && t.begins && o == '~':
			t.tilde = true
			continue
		default:
			out = append(out, o)
		}
		t.tilde = false
		t.begins = o == '\r' || o == '\n'
	}
	return out, false
}

// begin asks for a command. The host is not shown until it is done.
func (t *talk) begin() {
	t.lockShow()
	if t.away = t.drawn && t.display.Alternate; t.away {
		t.display.WriteOwn(safe.LeaveAlternate)
	}
	t.prompt()
}

func (t *talk) prompt() {
	t.ask = new(lineEditor)
	t.display.FreshLine()
	t.display.WriteOwn("locus> ")
}

// hush lets what the host says be shown again, if it is held back for a command.
func (t *talk) hush() {
	if t.ask == nil {
		return
	}
	t.ask = nil
	away := t.away
	if t.away = false; away {
		t.display.WriteOwn(show.EnterAlternate)
	}
	t.unlockShow()
	if away {
		// To be told of the window is to draw everything.
		t.resize()
	}
}

// command takes an octet of a command, and does it at its end. What a command has
// told stays there to be read until an empty one, where the host's drawing would
// take its place.
func (t *talk) command(o byte) (end bool, err error) {
	state := t.ask.take(o, &t.display)
	if state == lineMore {
		return false, nil
	}
	words := strings.Fields(t.ask.text())
	if state != lineDone || len(words) == 0 {
		t.display.FreshLine()
		t.hush()
		return false, nil
	}
	t.said = false
	end, err = t.do(words[0], words[1:])
	if t.away && t.said && !end && err == nil {
		t.prompt()
		return false, nil
	}
	t.hush()
	return end, err
}

const sessionHelp = `close      end the session
status     how it stands
user       type the user that the URL suggests
password   type the password that the URL suggests
send NAME  send a command of the service: %s
mode MODE  "line": what you type is shown here and sent line by line;
           "character": it is sent as it is; "auto": as the host wants it
escape     type the key that brought you here
suspend    stop locus until the shell goes on with it
Nothing goes back to the session.`

// do does a command.
func (t *talk) do(name string, args []string) (end bool, err error) {
	switch name {
	case "close", "quit", "q":
		return true, nil
	case "status":
		t.status()
	case "user":
		t.typeFor(t.session.User, "user")
	case "password":
		t.typeFor(t.session.Password, "password")
	case "escape":
		t.sendTyped([]byte{t.escape})
	case "send":
		t.sendCommands(args)
	case "mode":
		t.setMode(strings.Join(args, " "))
	case "suspend", "z":
		return false, t.suspend()
	case "help", "?":
		for line := range strings.SplitSeq(fmt.Sprintf(sessionHelp, t.commands()), "\n") {
			t.say("%s", line)
		}
	default:
		t.say("%s is no command; \"help\" lists them", locus.Quote(name))
	}
	return false, nil
}

// commands are those of the service, in words.
func (t *talk) commands() string {
	if list := t.conn.Commands(); len(list) > 0 {
		return strings.Join(list, ", ")
	}
	return "it has none"
}

// typeFor types what the URL suggests, for it is the person who has asked for it.
func (t *talk) typeFor(text, what string) {
	if text == "" {
		t.say("the URL suggests no %s", what)
		return
	}
	t.sendTyped([]byte(text))
}

// sendCommands sends commands of the service.
func (t *talk) sendCommands(names []string) {
	if len(names) == 0 {
		t.say("send what? %s", t.commands())
	}
	for _, name := range names {
		if name = strings.ToLower(name); !slices.Contains(t.conn.Commands(), name) {
			t.say("%s is no command of the service: %s", locus.Quote(name), t.commands())
			continue
		}
		t.send(delivery{command: name})
	}
}

func (t *talk) setMode(name string) {
	switch name {
	case string(typingLines), string(typingCharacters):
		t.mode = typing(name)
	case "auto":
		t.mode = typingAuto
	default:
		t.say("the mode is \"line\", \"character\" or \"auto\"")
	}
}

// patience is how long a person waits for a word about the session.
const patience = time.Second

// status tells how the session stands.
func (t *talk) status() {
	t.say("%s, at %s", t.session.URL.WithoutPassword().Redacted(), t.conn.RemoteAddr())
	if t.inLines() {
		t.say("typing: shown here, and sent line by line")
	} else {
		t.say("typing: sent as it is")
	}
	status := make(chan []scheme.Field, 1)
	go func() { status <- t.conn.Status() }()
	select {
	case fields := <-status:
		for _, f := range fields {
			t.say("%s: %v", f.Name, f.Value)
		}
	case <-time.After(patience):
		t.say("the host takes nothing of what is typed")
	}
}

// suspend stops the program, as ^Z does, with the terminal in order.
func (t *talk) suspend() error {
	second := t.display.Alternate && !t.away
	t.display.WriteOwn(show.ResetTerminal)
	if second {
		t.display.WriteOwn(safe.LeaveAlternate)
	}
	term.Restore(int(t.tty.Fd()), t.before)
	suspendSelf()
	if _, err := term.MakeRaw(int(t.tty.Fd())); err != nil {
		return err
	}
	if second {
		t.display.WriteOwn(show.EnterAlternate)
	}
	t.resize()
	return nil
}

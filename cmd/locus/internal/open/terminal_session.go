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
	"github.com/locus-url/locus/cmd/locus/internal/show"
	"github.com/locus-url/locus/internal/command/base"
	safe "github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/telnet"
)

// terminalSession is a session at a terminal in raw mode.
type terminalSession struct {
	a       *base.App
	tty     *os.File
	session *scheme.Session
	conn    scheme.Terminal
	escape  byte // key that begins a command to locus; 0 if there is no such key
	key     string
	drawn   bool // locus draws the screen (tn3270)
	before  *term.State
	guard   *guard

	show    sync.Mutex // held during writes to the terminal
	display show.Display
	linesMu sync.Mutex
	lines   []byte // errors and traces that wait for the terminal

	keys    chan []byte   // typed bytes
	out     chan delivery // bytes to send to the host
	waiting []delivery    // deliveries that wait until the host can receive them
	size    int           // number of bytes in the field waiting
	ended   chan error    // receives the error at the end of the host's output
	sent    chan struct{} // closed after the last byte has been sent
	echoes  atomic.Bool   // the host echoes typed text
	asking  sync.Mutex    // held by the method changed, so that echoes has the latest state
	turned  chan struct{} // signals that echoes has changed
	mode    typing
	line    lineEditor  // line editor for hosts that do not echo
	ask     *lineEditor // line editor while the user types a command to locus; nil if typed text goes to the host
	said    bool        // locus has shown a message since the last command
	away    bool        // the screen of the host is hidden while the user types a command
	begins  bool        // the next byte starts a line, for rlogin's "~"
	tilde   bool        // the user typed a "~" at the start of a line
}

type delivery struct {
	octets  []byte
	command string
}

// maxWaiting is the maximum number of bytes that the session buffers for a host that does not
// read.
const maxWaiting = 64 << 10

// typing selects how the session sends typed text.
type typing string

const (
	typingAuto       typing = "auto"      // the host decides
	typingLines      typing = "line"      // locus echoes and sends lines
	typingCharacters typing = "character" // locus sends each character immediately
)

func newTerminalSession(o *opener, tty *os.File, s *scheme.Session) *terminalSession {
	t := &terminalSession{
		a: o.App, tty: tty, session: s, conn: s.Conn, escape: o.session.key, key: o.session.escape, begins: true, mode: typingAuto,
		keys: make(chan []byte), out: make(chan delivery), ended: make(chan error, 1), sent: make(chan struct{}), turned: make(chan struct{}, 1),
	}
	_, t.drawn = s.Conn.(telnet.Terminal3270)
	// Locus itself draws the 3270 screen, but the host may send plain text before the first
	// screen.
	t.display = show.Display{Writer: tty, Level: o.session.level(true)}
	return t
}

// run runs the session until either side ends it. It restores the terminal.
func (t *terminalSession) run(ctx context.Context) (err error) {
	t.guard, err = newGuard(t.a.OpenTerminal)
	if err != nil {
		t.a.Note("if locus is killed, run \"reset\" to restore the terminal: %s", err)
	}
	defer t.guard.dismiss()
	t.display.OnAlternate = func(alternate bool) {
		if alternate {
			t.guard.tell(guardSecond)
		} else {
			t.guard.tell(guardFirst)
		}
	}
	if t.before, err = term.MakeRaw(base.Descriptor(t.tty)); err != nil {
		return err
	}
	defer func() {
		t.display.Restore()
		term.Restore(base.Descriptor(t.tty), t.before)
	}()
	if t.a.ErrTTY {
		// In raw mode, errors and traces must end lines with CR LF.
		defer t.a.RedirectErrors(rawLines{t})()
	}
	if !t.a.Flags.Quiet {
		t.greet()
	}
	t.resize()
	defer onResize(t.resize)()
	return t.hold(ctx)
}

// hold starts a goroutine for each direction, and waits for the end of the session.
func (t *terminalSession) hold(ctx context.Context) error {
	t.conn.OnChange(t.changed)
	t.changed()
	done := make(chan struct{})
	defer close(done)
	go t.listen(done)
	go t.hear()
	go t.transmit()
	ended, err := t.exchange(ctx)
	t.endCommand()
	t.conn.Close()
	if !ended {
		<-t.ended
	}
	close(t.out)
	<-t.sent
	if ended && err == nil && !t.a.Flags.Quiet {
		t.display.Restore()
		t.say("the host ended the session")
	}
	return err
}

// exchange sends the typed text to the host. The result ended reports whether the host has ended
// the session.
func (t *terminalSession) exchange(ctx context.Context) (ended bool, err error) {
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
			// Send the unfinished line now, not together with later text.
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

func (t *terminalSession) greet() {
	u := t.session.URL
	t.say("connected to %s", u.WithoutPassword().Shown())
	if t.escape != 0 {
		t.say("press %s for locus commands: \"close\" ends the session, \"help\" lists more", t.key)
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

func (t *terminalSession) say(format string, args ...any) {
	defer t.lockUnlessAsking()()
	t.said = true
	t.display.FreshLine()
	t.display.WriteOwn("locus: " + safe.Safe(fmt.Sprintf(format, args...)) + "\r\n")
}

// rawLines writes lines to a terminal in raw mode. A write must not block, because a trace may
// arrive while the user types a command.
type rawLines struct{ t *terminalSession }

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

// lockUnlessAsking locks the terminal, unless the user is typing a command. The code that reads
// the command already holds the lock.
func (t *terminalSession) lockUnlessAsking() (unlock func()) {
	if t.ask != nil {
		return func() {}
	}
	t.lockShow()
	return t.unlockShow
}

// lockShow locks the terminal and writes the buffered errors and traces.
func (t *terminalSession) lockShow() {
	t.show.Lock()
	t.showLines()
}

// unlockShow writes all buffered errors and traces, and unlocks the terminal.
func (t *terminalSession) unlockShow() {
	for more := true; more; {
		t.showLines()
		t.show.Unlock()
		t.linesMu.Lock()
		more = len(t.lines) > 0
		t.linesMu.Unlock()
		more = more && t.show.TryLock()
	}
}

// showLines writes the buffered errors and traces. The caller must hold the mutex t.show.
func (t *terminalSession) showLines() {
	t.linesMu.Lock()
	lines := t.lines
	t.lines = nil
	t.linesMu.Unlock()
	if len(lines) > 0 {
		t.display.FreshLine()
		t.display.WriteOwn(string(lines))
	}
}

func (t *terminalSession) resize() {
	if columns, rows, err := term.GetSize(base.Descriptor(t.tty)); err == nil && columns > 0 && rows > 0 {
		// Ignore an error, because the next read from the connection returns it.
		t.conn.SetWindow(columns, rows)
	}
}

// changed sets t.echoes to report whether the host echoes typed text, and signals a change. Other
// methods read t.echoes, because calling the method Echoes for each key could block.
func (t *terminalSession) changed() {
	t.asking.Lock()
	defer t.asking.Unlock()
	echoes := t.conn.Echoes()
	if t.echoes.Swap(echoes) == echoes {
		return
	}
	select {
	case t.turned <- struct{}{}:
	default:
	}
}

func (t *terminalSession) listen(done chan struct{}) {
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

func (t *terminalSession) hear() {
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

// transmit sends the queued text to the host. It ignores a write error, because the next read from
// the connection returns the error.
func (t *terminalSession) transmit() {
	defer close(t.sent)
	for d := range t.out {
		if d.command != "" {
			t.conn.Command(d.command)
		} else {
			t.conn.Write(d.octets)
		}
	}
}

// send queues text for the host, unless the queue is full.
func (t *terminalSession) send(d delivery) {
	if t.size+len(d.octets) > maxWaiting {
		defer t.lockUnlessAsking()()
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

// typed processes typed bytes. The result end reports whether the session must end.
func (t *terminalSession) typed(octets []byte) (end bool, err error) {
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

// inLines reports whether locus echoes typed text and sends it line by line.
func (t *terminalSession) inLines() bool {
	return t.mode == typingLines || t.mode == typingAuto && !t.echoes.Load()
}

// local processes a byte of a line that locus itself echoes. Locus sends the line when it is
// complete.
func (t *terminalSession) local(o byte) (end bool) {
	t.lockShow()
	done, left := t.line.take(o, &t.display)
	t.unlockShow()
	if !done {
		return left
	}
	line := append([]byte(t.line.Text()), '\n')
	if t.session.URL.Scheme() == "rlogin" {
		if line, end = t.tildes(line); end {
			return true
		}
	}
	t.send(delivery{octets: line})
	t.line.Reset()
	return false
}

// remote sends typed bytes. If the user began a line before the host started to echo, it first
// sends the unfinished line. In rlogin, "~." at the start of a line ends the session.
func (t *terminalSession) remote(octets []byte) (end bool) {
	if t.session.URL.Scheme() == "rlogin" {
		if octets, end = t.tildes(octets); end {
			return true
		}
	}
	t.sendTyped(octets)
	return false
}

// sendTyped sends the unfinished line, followed by the given bytes.
func (t *terminalSession) sendTyped(octets []byte) {
	t.send(delivery{octets: append([]byte(t.line.Text()), octets...)})
	t.line.Reset()
}

// tildes handles "~" at the start of a line of rlogin input. It reports whether the user typed
// "~." there, and otherwise returns the bytes to send.
func (t *terminalSession) tildes(octets []byte) (out []byte, end bool) {
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

// begin prompts for a command. Output from the host waits until the command is done.
func (t *terminalSession) begin() {
	t.lockShow()
	if t.away = t.drawn && t.display.Alternate; t.away {
		t.display.WriteOwn(safe.LeaveAlternate)
	}
	t.prompt()
}

func (t *terminalSession) prompt() {
	t.ask = new(lineEditor)
	t.display.FreshLine()
	t.display.WriteOwn("locus> ")
}

// endCommand shows the output from the host again after a command.
func (t *terminalSession) endCommand() {
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
		// Setting the window size redraws the whole screen.
		t.resize()
	}
}

// command processes the next byte of a command, and runs the command after its last byte. If the
// screen of the host would overwrite the output of the command, the output remains visible until
// the user enters an empty command.
func (t *terminalSession) command(o byte) (end bool, err error) {
	done, left := t.ask.take(o, &t.display)
	if !done && !left {
		return false, nil
	}
	words := strings.Fields(t.ask.Text())
	if left || len(words) == 0 {
		t.display.FreshLine()
		t.endCommand()
		return false, nil
	}
	t.said = false
	end, err = t.do(words[0], words[1:])
	if t.away && t.said && !end && err == nil {
		t.prompt()
		return false, nil
	}
	t.endCommand()
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
suspend    stop locus until the shell continues it
Nothing goes back to the session.`

func (t *terminalSession) do(name string, args []string) (end bool, err error) {
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
		t.say("unknown command %s; type \"help\" for a list", locus.Quote(name))
	}
	return false, nil
}

func (t *terminalSession) commands() string {
	if list := t.conn.Commands(); len(list) > 0 {
		return strings.Join(list, ", ")
	}
	return "it has none"
}

// typeFor sends a text from the URL to the host, such as the user name. The user requests it with
// a command.
func (t *terminalSession) typeFor(text, what string) {
	if text == "" {
		t.say("the URL suggests no %s", what)
		return
	}
	t.sendTyped([]byte(text))
}

func (t *terminalSession) sendCommands(names []string) {
	if len(names) == 0 {
		t.say("send what? %s", t.commands())
	}
	for _, name := range names {
		if name = strings.ToLower(name); !slices.Contains(t.conn.Commands(), name) {
			t.say("unknown command %s; the service has %s", locus.Quote(name), t.commands())
			continue
		}
		t.send(delivery{command: name})
	}
}

func (t *terminalSession) setMode(name string) {
	switch mode := typing(name); mode {
	case typingLines, typingCharacters, typingAuto:
		t.mode = mode
	default:
		t.say("choose mode \"line\", \"character\" or \"auto\"")
	}
}

const readTimeout = time.Second

func (t *terminalSession) status() {
	t.say("%s, at %s", t.session.URL.WithoutPassword().Shown(), t.conn.RemoteAddr())
	if t.inLines() {
		t.say("typing: echoed here, sent line by line")
	} else {
		t.say("typing: sent at once")
	}
	status := make(chan []scheme.Field, 1)
	go func() { status <- t.conn.Status() }()
	select {
	case fields := <-status:
		for _, f := range fields {
			t.say("%s: %v", f.Name, f.Value)
		}
	case <-time.After(readTimeout):
		t.say("the host does not accept input")
	}
}

// suspend restores the terminal, and then stops the program like Ctrl-Z.
func (t *terminalSession) suspend() error {
	second := t.display.Alternate && !t.away
	t.display.WriteOwn(show.ResetTerminal)
	if second {
		t.display.WriteOwn(safe.LeaveAlternate)
	}
	term.Restore(base.Descriptor(t.tty), t.before)
	suspendSelf()
	if _, err := term.MakeRaw(base.Descriptor(t.tty)); err != nil {
		return err
	}
	if second {
		t.display.WriteOwn(show.EnterAlternate)
	}
	t.resize()
	return nil
}

// lineEditor reads and echoes a line at a terminal in raw mode.
type lineEditor struct{ safe.Line }

// take handles a key. The result done reports whether the key was Enter. The result left reports
// whether the key cancels the line. Ctrl-C cancels any line, and Ctrl-D cancels an empty line.
func (l *lineEditor) take(o byte, d *show.Display) (done, left bool) {
	shown, event := l.Type(o)
	if shown != "" {
		d.WriteOwn(shown)
	}
	if event == safe.LineControl && o == 'C'&0x1F {
		d.WriteOwn("^C\r\n")
		return false, true
	}
	return event == safe.LineEnter, event == safe.LineControl && o == 'D'&0x1F && l.Len() == 0
}

package browser

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// line is a telnet server whose output the test writes.
type line struct {
	t testing.TB
	l net.Listener
	c net.Conn
}

func newLine(t testing.TB) *line {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &line{t: t, l: l}
	t.Cleanup(func() {
		l.Close()
		if s.c != nil {
			s.c.Close()
		}
	})
	return s
}

func (s *line) accept() {
	s.t.Helper()
	s.l.(*net.TCPListener).SetDeadline(time.Now().Add(testTimeout))
	c, err := s.l.Accept()
	if err != nil {
		s.t.Fatal(err)
	}
	c.SetDeadline(time.Now().Add(testTimeout))
	s.c = c
}

func (s *line) say(text string) {
	s.t.Helper()
	if _, err := io.WriteString(s.c, text); err != nil {
		s.t.Fatal(err)
	}
}

func (s *line) expect(want string) {
	s.t.Helper()
	buf := make([]byte, len(want))
	if n, err := io.ReadFull(s.c, buf); err != nil || string(buf) != want {
		s.t.Fatalf("read %.200q, %v; want %.200q", buf[:n], err, want)
	}
}

// row waits until a row of the terminal contains exactly the text.
func (b *tab) row(t testing.TB, text string) {
	t.Helper()
	b.await(t, fmt.Sprintf("[...document.querySelectorAll('.xterm-rows > div')].some((row) => row.textContent.replaceAll('\\u00a0', ' ').trimEnd() === %q)", text))
}

// paste pastes the value of a JavaScript expression into the terminal.
func (b *tab) paste(t testing.TB, script string) {
	t.Helper()
	eval[bool](t, b, `(() => {
		const data = new DataTransfer();
		data.setData("text/plain", `+script+`);
		document.querySelector(".xterm-helper-textarea").dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
		return true;
	})()`)
}

// The page echoes typed characters if the server does not. Editing keys and wide characters also
// work.
func TestTerminalEditing(t *testing.T) {
	w := newFixture(t)
	s := newLine(t)
	b := newTab(t, w.base)
	b.open(t, "telnet://"+s.l.Addr().String()+"/")
	s.accept()
	s.say("hello\r\n")
	b.row(t, "hello")
	b.run(t, chromedp.KeyEvent("acd"+kb.ArrowLeft+kb.ArrowLeft+"b"))
	b.row(t, "abcd")
	b.run(t, chromedp.KeyEvent(kb.Delete+kb.Home+"x"+kb.End+"y"+kb.Backspace+"z"+kb.ArrowUp+kb.F5))
	b.row(t, "xabdz")
	b.run(t, chromedp.KeyEvent(kb.Enter))
	s.expect("xabdz\r\n")
	for _, text := range []string{"日本", "a😀☺", "e\u0301ü"} {
		b.paste(t, fmt.Sprintf("%q", "> "+text+"!"))
		b.row(t, "> "+text+"!")
		b.run(t, chromedp.KeyEvent(strings.Repeat(kb.Backspace, 8)+"end"))
		b.row(t, "end")
		b.run(t, chromedp.KeyEvent(kb.Enter))
		s.expect("end\r\n")
		// The gateway echoes the next input, possibly before this text arrives.
		s.say("\x1b[2J\x1b[H")
		b.await(t, "document.querySelector('.xterm-rows').textContent.trim() === ''")
	}
	// A wrapped line is erased completely.
	b.paste(t, `"x".repeat(200)`)
	b.await(t, "document.querySelector('.xterm-rows').textContent.includes('x'.repeat(40))")
	b.paste(t, `"\x15done"`)
	b.row(t, "done")
	b.checkClean(t)
}

// The page does not send unfinished text together with a later command.
func TestTerminalEcho(t *testing.T) {
	w := newFixture(t)
	s := newLine(t)
	b := newTab(t, w.base)
	b.open(t, "telnet://"+s.l.Addr().String()+"/")
	s.accept()
	s.say("$ ")
	b.row(t, "$")
	b.run(t, chromedp.KeyEvent("abc"))
	b.row(t, "$ abc")
	s.say("\xff\xfb\x01\r\nPassword:")
	s.expect("\xff\xfd\x01abc")
	b.row(t, "Password:")
	b.run(t, chromedp.KeyEvent("secret"+kb.Enter))
	s.expect("secret\r\n")
	s.say("\xff\xfc\x01\r\n% ")
	s.expect("\xff\xfe\x01")
	b.row(t, "%")
	b.run(t, chromedp.KeyEvent("ls"+kb.Enter))
	s.expect("ls\r\n")
	if eval[bool](t, b, "document.querySelector('.xterm-rows').textContent.includes('secret')") {
		t.Error("the password is shown")
	}
	b.checkClean(t)
}

// A large paste reaches a slow server completely, and the session continues.
func TestTerminalPaste(t *testing.T) {
	w := newFixture(t)
	s := newLine(t)
	b := newTab(t, w.base)
	b.open(t, "telnet://"+s.l.Addr().String()+"/")
	s.accept()
	s.say("\xff\xfb\x01hello")
	s.expect("\xff\xfd\x01")
	b.row(t, "hello")
	b.paste(t, `"0123456789abcde\n".repeat(20000)`)
	s.say("\r\nyet")
	b.row(t, "yet")
	s.expect(strings.Repeat("0123456789abcde\r\n", 20000))
	b.run(t, chromedp.KeyEvent("more"+kb.Enter))
	s.expect("more\r\n")
	b.checkClean(t)
}

// The page shows why a session ended, and ignores later input.
func TestTerminalEnds(t *testing.T) {
	w := newFixture(t)
	s := newLine(t)
	b := newTab(t, w.base)
	ended := func(text string) {
		t.Helper()
		b.await(t, "document.querySelector('.session').dataset.state === 'ended'")
		if got := b.text(t, ".session .state"); got != text {
			t.Errorf("it says %q, want %q", got, text)
		}
	}
	press := func() {
		eval[bool](t, b, "document.querySelector('.session .connect').click() === undefined")
	}
	b.open(t, "telnet://"+s.l.Addr().String()+"/")
	s.accept()
	s.say("bye\r\n")
	b.row(t, "bye")
	s.c.Close()
	ended("Session ended: the service ended the session")
	b.run(t, chromedp.Focus(".xterm-helper-textarea"), chromedp.KeyEvent("typed after the end"))
	if eval[bool](t, b, "document.querySelector('.xterm-rows').textContent.includes('typed')") {
		t.Error("what is typed after the end is shown")
	}
	press()
	s.accept()
	s.say("again\r\n")
	b.row(t, "again")
	press()
	ended("Session ended: you disconnected")
	// The server sees the end of the connection.
	if _, err := s.c.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the server reads %v", err)
	}
	s.l.Close()
	press()
	b.await(t, "document.querySelector('.session .state').textContent.startsWith('Connection failed: ')")
	if got := b.text(t, ".session .state"); !strings.Contains(got, "refused") {
		t.Errorf("it says %q", got)
	}
	b.checkClean(t)
}

package gateway_test

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/locus-url/locus/scheme/telnet/telnettest"
)

// screen is the page's end of a terminal connection.
type screen struct {
	t     *testing.T
	conn  *websocket.Conn
	shown strings.Builder
	told  []map[string]json.RawMessage
	err   error // of read
}

func (w *fixture) dial(t *testing.T, u, origin string) (*screen, *http.Response, error) {
	t.Helper()
	header := http.Header{}
	if origin != "" {
		header.Set("Origin", origin)
	}
	conn, resp, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(w.base, "http")+"/-/terminal?url="+query(u), &websocket.DialOptions{
		HTTPClient: w.http, HTTPHeader: header, Subprotocols: []string{"locus.terminal.2"},
	})
	if err != nil {
		return nil, resp, err
	}
	t.Cleanup(func() { conn.CloseNow() })
	return &screen{t: t, conn: conn}, resp, nil
}

// readMessage reads a message. At the end, ok is false.
func (s *screen) readMessage() (ok bool) {
	kind, data, err := s.conn.Read(s.t.Context())
	if err != nil {
		s.err = err
		return false
	}
	if kind == websocket.MessageBinary {
		s.shown.Write(data)
		return true
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(data, &m); err != nil {
		s.t.Errorf("%q: %v", data, err)
	}
	s.told = append(s.told, m)
	return true
}

// await reads until the screen shows text.
func (s *screen) await(text string) {
	s.t.Helper()
	for !strings.Contains(s.shown.String(), text) {
		if !s.readMessage() {
			s.t.Fatalf("no %q in %q, told %s", text, s.shown.String(), s.all())
		}
	}
}

// toEnd reads to the end and returns the close frame.
func (s *screen) toEnd() websocket.CloseError {
	s.t.Helper()
	for s.readMessage() {
	}
	var end websocket.CloseError
	if _, _, err := s.conn.Read(s.t.Context()); !errors.As(err, &end) && !errors.As(s.err, &end) {
		s.t.Errorf("it ends without a close: %v", s.err)
	}
	return end
}

// logs waits until the log contains text.
func (w *fixture) logs(t *testing.T, text string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !strings.Contains(w.log.String(), text); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the log has no %q: %s", text, w.log.String())
		}
	}
}

// value returns the last value that was sent with a key.
func (s *screen) value(key string) string {
	value := ""
	for _, m := range s.told {
		if v, ok := m[key]; ok {
			value = string(v)
		}
	}
	return value
}

func (s *screen) all() string {
	text, _ := json.Marshal(s.told)
	return string(text)
}

func (s *screen) send(kind websocket.MessageType, text string) {
	s.t.Helper()
	if err := s.conn.Write(s.t.Context(), kind, []byte(text)); err != nil {
		s.t.Fatal(err)
	}
}

func TestTerminal(t *testing.T) {
	server, err := telnettest.StartTelnet(&telnettest.TelnetOptions{Users: map[string]string{"guest": "word"}, Banner: "Welcome"})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	w := start(t, loopbackSetup)
	s, resp, err := w.dial(t, "telnet://guest@"+server.Addr()+"/", w.base)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != 101 || s.conn.Subprotocol() != "locus.terminal.2" {
		t.Errorf("%s %q", resp.Status, s.conn.Subprotocol())
	}
	s.send(websocket.MessageText, `{"window":[100,30]}`)
	s.send(websocket.MessageText, `{"unknown":1}`)
	s.send(websocket.MessageText, `no JSON`)
	s.send(websocket.MessageText, `{"command":"no such command"}`)
	s.await("login:")
	if advice := s.value("advice"); !strings.Contains(advice, `"user":"guest"`) {
		t.Errorf("%s", s.all())
	}
	if !strings.Contains(s.value("keys"), `{"label":"Esc","input":"\u001b"}`) {
		t.Errorf("no keys: %s", s.all())
	}
	if !strings.Contains(s.value("commands"), "brk") || s.value("echo") == "" || s.value("status") == "" {
		t.Errorf("%s", s.all())
	}
	s.send(websocket.MessageBinary, "guest\r")
	s.await("assword")
	s.send(websocket.MessageBinary, "word\r")
	if err := server.Wait(t.Context(), "window 100x30"); err != nil {
		t.Error(err)
	}
	s.send(websocket.MessageText, `{"command":"brk"}`)
	s.send(websocket.MessageBinary, "bye\r")
	for s.readMessage() {
	}
	if s.value("end") == "" {
		t.Errorf("%q, %s", s.shown.String(), s.all())
	}
	if strings.Contains(w.log.String(), "word") {
		t.Errorf("%s", w.log.String())
	}
}

// The output of a service can't control the terminal, and invalid requests open no session.
func TestTerminalSafe(t *testing.T) {
	server, err := telnettest.StartTelnet(&telnettest.TelnetOptions{Plain: true, Handle: func(c io.ReadWriter) {
		io.WriteString(c, "a\x1b]0;title\x07b\x1b[6nc\x1b]52;c;aGk=\x07d\x1b[31me.\r\n")
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	w := start(t, loopbackSetup)
	s, _, err := w.dial(t, "telnet://"+server.Addr()+"/", w.base)
	if err != nil {
		t.Fatal(err)
	}
	s.await("e.")
	if got := s.shown.String(); got != "abcd\x1b[31me.\r\n" && got != "abcd\x1b[31me.\r" && got != "abcd\x1b[31me." {
		t.Errorf("%q", got)
	}
	for s.readMessage() {
	}
	for name, origin := range map[string]string{"none": "", "another": "http://evil.example", "null": "null", "another port": "http://127.0.0.1:1",
		"userinfo": strings.Replace(w.base, "://", "://evil@", 1), "a file": strings.Replace(w.base, "http:", "file:", 1), "a path": w.base + "/",
	} {
		if _, resp, err := w.dial(t, "telnet://"+server.Addr()+"/", origin); err == nil || resp == nil || resp.StatusCode != 403 {
			t.Errorf("the origin is %s: %v %v", name, resp, err)
		}
	}
	for _, u := range []string{"http://h/", "gopher://h/", "no url"} {
		if _, resp, err := w.dial(t, u, w.base); err == nil || resp == nil || resp.StatusCode != 400 {
			t.Errorf("%s: %v %v", u, resp, err)
		}
	}
	// The page shows why a session is denied.
	s, _, err = w.dial(t, "telnet://127.0.0.1:25/", w.base)
	if err != nil {
		t.Fatal(err)
	}
	for s.readMessage() {
	}
	if !strings.Contains(s.value("error"), `"denied"`) {
		t.Errorf("%s", s.all())
	}
	limited := loopbackSetup
	limited.gateway.Limits.Sessions = 1
	w = start(t, limited)
	hang, err := telnettest.StartTelnet(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer hang.Close()
	if s, _, err = w.dial(t, "telnet://"+hang.Addr()+"/", w.base); err != nil {
		t.Fatal(err)
	}
	s.readMessage()
	// A browser hides the HTTP status from the page, so the reason is a message.
	s, _, err = w.dial(t, "telnet://"+hang.Addr()+"/", w.base)
	if err != nil {
		t.Fatalf("one too many: %v", err)
	}
	if end := s.toEnd(); end.Code != websocket.StatusTryAgainLater || !strings.Contains(end.Reason, "too many open terminals") || !strings.Contains(s.value("error"), `"busy"`) {
		t.Errorf("one too many: %v, %s", end, s.all())
	}
	w.logs(t, `ended="too many open terminals`)
}

// A terminal ends when its page or the gateway ends.
func TestTerminalEnds(t *testing.T) {
	left := make(chan struct{})
	server, err := telnettest.StartTelnet(&telnettest.TelnetOptions{Plain: true, Handle: func(c io.ReadWriter) {
		io.WriteString(c, "here")
		io.Copy(io.Discard, c)
		left <- struct{}{}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	t.Run("page", func(t *testing.T) {
		w := start(t, loopbackSetup)
		s, _, err := w.dial(t, "telnet://"+server.Addr()+"/", w.base)
		if err != nil {
			t.Fatal(err)
		}
		s.await("here")
		s.conn.CloseNow()
		<-left
	})
	t.Run("gateway", func(t *testing.T) {
		w := start(t, loopbackSetup)
		s, _, err := w.dial(t, "telnet://"+server.Addr()+"/", w.base)
		if err != nil {
			t.Fatal(err)
		}
		s.await("here")
	})
	<-left
}

// wire is a service that records each received byte and sends what the test requests.
type wire struct {
	t    *testing.T
	addr string
	conn chan *net.TCPConn
	c    *net.TCPConn
}

func startWire(t *testing.T) *wire {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{t: t, addr: l.Addr().String(), conn: make(chan *net.TCPConn, 1)}
	go func() {
		defer l.Close()
		if c, err := l.Accept(); err == nil {
			c.SetDeadline(time.Now().Add(time.Minute))
			w.conn <- c.(*net.TCPConn)
		}
	}()
	t.Cleanup(func() {
		l.Close()
		if w.c != nil {
			w.c.Close()
		}
	})
	return w
}

func (w *wire) say(text string) {
	w.t.Helper()
	if w.c == nil {
		w.c = <-w.conn
	}
	if _, err := io.WriteString(w.c, text); err != nil {
		w.t.Fatal(err)
	}
}

// hears fails the test unless the service receives exactly the given text.
func (w *wire) hears(want string) {
	w.t.Helper()
	buf := make([]byte, len(want))
	if n, err := io.ReadFull(w.c, buf); err != nil || string(buf) != want {
		w.t.Fatalf("heard %q, %v; want %q", buf[:n], err, want)
	}
}

// onWire opens a terminal whose service is a wire that has sent a greeting.
func onWire(t *testing.T) (*fixture, *screen, *wire) {
	t.Helper()
	line := startWire(t)
	w := start(t, loopbackSetup)
	s, _, err := w.dial(t, "telnet://"+line.addr+"/", w.base)
	if err != nil {
		t.Fatal(err)
	}
	line.say("hello")
	s.await("hello")
	return w, s, line
}

// awaitEcho reads until the page receives the echo state.
func (s *screen) awaitEcho(want string) {
	s.t.Helper()
	for s.value("echo") != want {
		if !s.readMessage() {
			s.t.Fatalf("echo is %s, want %s: %s", s.value("echo"), want, s.all())
		}
	}
}

const willEcho, wontEcho, doEcho, dontEcho = "\xff\xfb\x01", "\xff\xfc\x01", "\xff\xfd\x01", "\xff\xfe\x01"

// Input without Enter is not sent with a later command when the service turns echo on and
// off.
func TestTerminalEcho(t *testing.T) {
	_, s, line := onWire(t)
	s.send(websocket.MessageBinary, "abc")
	s.await("abc")
	line.say(willEcho + "Password:")
	line.hears(doEcho + "abc")
	s.awaitEcho("true")
	s.await("Password:")
	s.send(websocket.MessageBinary, "secret\r")
	line.hears("secret\r\n")
	line.say(wontEcho + "$ ")
	line.hears(dontEcho)
	s.awaitEcho("false")
	s.await("$ ")
	s.send(websocket.MessageBinary, "ls\r")
	line.hears("ls\r\n")
	if strings.Contains(s.shown.String(), "secret") {
		t.Errorf("shown: %q", s.shown.String())
	}
}

// Editing keys are not sent as text.
func TestTerminalEditing(t *testing.T) {
	_, s, line := onWire(t)
	for _, test := range []struct{ typed, sent string }{
		{"acd\x1b[D\x1b[Db\r", "abcd\r\n"},
		{"\x1b[A\x1b[Bls\x1b[15~\x1bOP\r", "ls\r\n"},
		{"axb\x1b[D\x1b[D\x1b[3~\r", "ab\r\n"},
		{"日本\x7f語\r", "日語\r\n"},
		{"world\x1b[Hhello \x1b[F!\r", "hello world!\r\n"},
		{"one two\x17three\r", "one three\r\n"},
		{"gone\x15stays\r", "stays\r\n"},
		{"one\rtwo\r\nthree\n", "one\r\ntwo\r\nthree\r\n"},
		{"ab\x03cd\r", "\x03cd\r\n"},
		{"ab\x04", "ab"},
		{"\x04\r", "\x04\r\n"},
		{"ab\x1a\r", "ab\x1a\r\n"},
	} {
		s.send(websocket.MessageBinary, test.typed)
		line.hears(test.sent)
	}
	line.say("\r\nthat is all")
	s.await("that is all")
	if text := s.shown.String(); !strings.Contains(text, "acd\b\bbcd\b\b") && !strings.Contains(text, "acd\b\b") || !strings.Contains(text, "日本\b \b\b \b語\r\n") {
		t.Errorf("%q", text)
	}
}

// Pasted text of any size reaches a service that reads slowly, in one message or several
// messages, and the session continues.
func TestTerminalPaste(t *testing.T) {
	_, s, line := onWire(t)
	line.say(willEcho)
	line.hears(doEcho)
	s.awaitEcho("true")
	text := strings.Repeat("0123456789abcdef\r\n", 100_000)
	sent := make(chan error, 1)
	go func() {
		err := s.conn.Write(t.Context(), websocket.MessageBinary, []byte(text))
		if err == nil {
			err = s.conn.Write(t.Context(), websocket.MessageBinary, []byte("end\r"))
		}
		sent <- err
	}()
	line.hears(text + "end\r\n")
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
	line.say("continues")
	s.await("continues")
}

// The reason for every end of a session appears in the page, in the close frame and in the
// log.
func TestTerminalReasons(t *testing.T) {
	t.Run("service", func(t *testing.T) {
		w, s, line := onWire(t)
		line.c.Close()
		end := s.toEnd()
		if want := "the service ended the session"; s.value("end") != `"`+want+`"` || end.Reason != want || end.Code != websocket.StatusNormalClosure {
			t.Errorf("%v, %s", end, s.all())
		}
		w.logs(t, `ended="the service ended the session"`)
	})
	t.Run("service breaks off", func(t *testing.T) {
		w, s, line := onWire(t)
		line.c.SetLinger(0)
		line.c.Close()
		end := s.toEnd()
		if !strings.Contains(s.value("end"), "reset") || !strings.Contains(end.Reason, "reset") || end.Code != websocket.StatusInternalError {
			t.Errorf("%v, %s", end, s.all())
		}
		w.logs(t, "reset")
	})
	t.Run("page hangs up", func(t *testing.T) {
		w, s, _ := onWire(t)
		s.conn.Close(websocket.StatusNormalClosure, "hung up")
		w.logs(t, `ended="the page disconnected"`)
	})
	t.Run("page is lost", func(t *testing.T) {
		w, s, _ := onWire(t)
		s.conn.CloseNow()
		w.logs(t, `ended="lost the connection to the page"`)
	})
	t.Run("page is wrong", func(t *testing.T) {
		w, s, _ := onWire(t)
		s.conn.Close(websocket.StatusUnsupportedData, "")
		w.logs(t, `ended="the page closed the connection with status 1003"`)
	})
	t.Run("control message too long", func(t *testing.T) {
		w, s, line := onWire(t)
		const command = `{"command":"brk"}`
		s.send(websocket.MessageText, strings.Repeat(" ", 64<<10-len(command))+command)
		line.hears("\xFF\xF3")
		s.send(websocket.MessageText, strings.Repeat(" ", 64<<10-len(command)+1)+command)
		if end := s.toEnd(); !strings.Contains(end.Reason, "control message") || !strings.Contains(s.value("end"), "control message") {
			t.Errorf("%v, %s", end, s.all())
		}
		w.logs(t, "control message")
	})
	t.Run("gateway shuts down", func(t *testing.T) {
		w, s, _ := onWire(t)
		closed := make(chan error, 1)
		go func() { closed <- w.end() }()
		end := s.toEnd()
		if !strings.Contains(s.value("end"), "shutting down") || !strings.Contains(end.Reason, "shutting down") {
			t.Errorf("%v, %s", end, s.all())
		}
		if err := <-closed; err != nil {
			t.Error(err)
		}
		w.logs(t, `ended="the gateway is shutting down"`)
	})
	t.Run("no service", func(t *testing.T) {
		w := start(t, loopbackSetup)
		s, _, err := w.dial(t, "telnet://127.0.0.1:25/", w.base)
		if err != nil {
			t.Fatal(err)
		}
		if end := s.toEnd(); !strings.Contains(end.Reason, "25") {
			t.Errorf("%v, %s", end, s.all())
		}
		w.logs(t, "ended=")
	})
}

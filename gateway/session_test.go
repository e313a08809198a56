package gateway_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/locus-url/locus/scheme/telnet/telnettest"
)

// screen is a page's end of a terminal.
type screen struct {
	t     *testing.T
	conn  *websocket.Conn
	shown strings.Builder
	told  []map[string]json.RawMessage
}

func (w *world) dial(t *testing.T, u, origin string) (*screen, *http.Response, error) {
	t.Helper()
	header := http.Header{}
	if origin != "" {
		header.Set("Origin", origin)
	}
	conn, resp, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(w.base, "http")+"/-/terminal?url="+query(u), &websocket.DialOptions{
		HTTPClient: w.http, HTTPHeader: header, Subprotocols: []string{"locus.terminal"},
	})
	if err != nil {
		return nil, resp, err
	}
	t.Cleanup(func() { conn.CloseNow() })
	return &screen{t: t, conn: conn}, resp, nil
}

// read reads a message. ok is false at the end.
func (s *screen) read() (ok bool) {
	kind, data, err := s.conn.Read(s.t.Context())
	if err != nil {
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

// await reads until text is shown.
func (s *screen) await(text string) {
	s.t.Helper()
	for !strings.Contains(s.shown.String(), text) {
		if !s.read() {
			s.t.Fatalf("no %q in %q, told %s", text, s.shown.String(), s.all())
		}
	}
}

// value returns the last that was told under a key.
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
	w := start(t, open)
	s, resp, err := w.dial(t, "telnet://guest@"+server.Addr()+"/", w.base)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != 101 || s.conn.Subprotocol() != "locus.terminal" {
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
	for s.read() {
	}
	if s.value("end") == "" {
		t.Errorf("%q, %s", s.shown.String(), s.all())
	}
	if strings.Contains(w.log.String(), "word") {
		t.Errorf("%s", w.log.String())
	}
}

// What a service shows can't steer the terminal, and what is not for it is not
// opened.
func TestTerminalSafe(t *testing.T) {
	server, err := telnettest.StartTelnet(&telnettest.TelnetOptions{Plain: true, Talk: func(c io.ReadWriter) {
		io.WriteString(c, "a\x1b]0;title\x07b\x1b[6nc\x1b]52;c;aGk=\x07d\x1b[31me.\r\n")
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	w := start(t, open)
	s, _, err := w.dial(t, "telnet://"+server.Addr()+"/", w.base)
	if err != nil {
		t.Fatal(err)
	}
	s.await("e.")
	if got := s.shown.String(); got != "abcd\x1b[31me.\r\n" && got != "abcd\x1b[31me.\r" && got != "abcd\x1b[31me." {
		t.Errorf("%q", got)
	}
	for s.read() {
	}
	for name, origin := range map[string]string{"none": "", "another": "http://evil.example", "null": "null", "another port": "http://127.0.0.1:1"} {
		if _, resp, err := w.dial(t, "telnet://"+server.Addr()+"/", origin); err == nil || resp == nil || resp.StatusCode != 403 {
			t.Errorf("the origin is %s: %v %v", name, resp, err)
		}
	}
	for _, u := range []string{"http://h/", "gopher://h/", "no url"} {
		if _, resp, err := w.dial(t, u, w.base); err == nil || resp == nil || resp.StatusCode != 400 {
			t.Errorf("%s: %v %v", u, resp, err)
		}
	}
	// What is denied is told in the page.
	s, _, err = w.dial(t, "telnet://127.0.0.1:25/", w.base)
	if err != nil {
		t.Fatal(err)
	}
	for s.read() {
	}
	if !strings.Contains(s.value("error"), `"denied"`) {
		t.Errorf("%s", s.all())
	}
	limited := open
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
	s.read()
	if _, resp, err := w.dial(t, "telnet://"+hang.Addr()+"/", w.base); err == nil || resp.StatusCode != 503 {
		t.Errorf("one too many: %v", err)
	}
}

// A terminal ends with its page, and with the gateway.
func TestTerminalEnds(t *testing.T) {
	left := make(chan struct{})
	server, err := telnettest.StartTelnet(&telnettest.TelnetOptions{Plain: true, Talk: func(c io.ReadWriter) {
		io.WriteString(c, "here")
		io.Copy(io.Discard, c)
		left <- struct{}{}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	t.Run("page", func(t *testing.T) {
		w := start(t, open)
		s, _, err := w.dial(t, "telnet://"+server.Addr()+"/", w.base)
		if err != nil {
			t.Fatal(err)
		}
		s.await("here")
		s.conn.CloseNow()
		<-left
	})
	t.Run("gateway", func(t *testing.T) {
		w := start(t, open)
		s, _, err := w.dial(t, "telnet://"+server.Addr()+"/", w.base)
		if err != nil {
			t.Fatal(err)
		}
		s.await("here")
	})
	<-left
}

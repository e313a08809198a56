package telnet_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/certtest"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/telnet"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// host is a Dialer that calls itself as the host for each connection.
type host func(c net.Conn)

func (h host) DialContext(ctx context.Context, _, _ string) (net.Conn, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer l.Close()
	near, err := new(net.Dialer).DialContext(ctx, "tcp", l.Addr().String())
	if err != nil {
		return nil, err
	}
	far, err := l.Accept()
	if err != nil {
		return nil, err
	}
	go func() {
		defer far.Close()
		h(far)
	}()
	return near, nil
}

// scriptedHost is a host that sends text, reads input, and closes the connection after the expected
// number of input octets.
type scriptedHost struct {
	text string
	wait int

	mu   sync.Mutex
	got  bytes.Buffer
	done chan struct{}
}

func newSays(text string, wait int) *scriptedHost {
	return &scriptedHost{text: text, wait: wait, done: make(chan struct{})}
}

func (s *scriptedHost) handle(c net.Conn) {
	go func() {
		defer close(s.done)
		buf := make([]byte, 1000)
		for {
			n, err := c.Read(buf)
			s.mu.Lock()
			s.got.Write(buf[:n])
			enough := s.got.Len() >= s.wait
			s.mu.Unlock()
			if err != nil || enough && s.wait > 0 {
				return
			}
		}
	}()
	io.WriteString(c, s.text)
	if s.wait == 0 {
		c.(*net.TCPConn).CloseWrite()
	}
	<-s.done
}

func (s *scriptedHost) received() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.got.String()
}

func open(t *testing.T, c *telnet.Client, text string, d scheme.Dialer) (*scheme.Session, error) {
	t.Helper()
	if c == nil {
		c = telnet.New(nil)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	res, err := c.Open(ctx, &scheme.Request{URL: locus.MustParse(text), Dial: d})
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { res.Close() })
	return res.(*scheme.Session), nil
}

func session(t *testing.T, c *telnet.Client, text string, d scheme.Dialer) *scheme.Session {
	t.Helper()
	s, err := open(t, c, text, d)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// conversation opens a session with a host that sends text. It returns the output that the user
// sees, and the client's answers to the host.
func conversation(t *testing.T, c *telnet.Client, text string, wait int) (seen, answered string) {
	t.Helper()
	h := newSays(text, wait)
	s := session(t, c, "telnet://h/", host(h.handle))
	b, err := io.ReadAll(s.Conn)
	if err != nil {
		t.Errorf("%q: %v", text, err)
	}
	s.Close()
	<-h.done
	return string(b), h.received()
}

func capture(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/wire/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// In a recorded telnetd session, the client must answer each option once, and the user must see
// the output.
func TestReplayTelnetd(t *testing.T) {
	first := "\xff\xfe%\xff\xfe&\xff\xfb\x18\xff\xfc \xff\xfc#\xff\xfc'\xff\xfc$"
	for name, want := range map[string]struct{ seen, answered string }{
		"telnetd-login-prompt": {"\x00\x00\r\nLinux 6.18.44-fc-v657 (localhost) (pts/0)\r\n\r\nvm login: alice\r\nPassword: \r\nLinux vm",
			first + "\xff\xfa\x18\x00VT100\xff\xf0\xff\xfd\x03\xff\xfc\x01\xff\xfc\"\xff\xfb\x1f\xff\xfa\x1f\x00\x50\x00\x18\xff\xf0\xff\xfe\x05\xff\xfc!\xff\xfd\x01\xff\xfb\x00"},
		"telnetd-refuse-all": {"HELLO args: \r\nTERM=network",
			first + "\xff\xfd\x03\xff\xfc\x01\xff\xfc\"\xff\xfb\x1f\xff\xfa\x1f\x00\x50\x00\x18\xff\xf0\xff\xfe\x05\xff\xfc!\xff\xfd\x01\xff\xfc\x06\xff\xfb\x00"},
		"telnetd-inetutils-client": {"\x00\x00HELLO args: \r\nTERM=dumb", ""},
		"telnetd-curl":             {"HELLO args: \r\nTERM=network", ""},
	} {
		seen, answered := conversation(t, nil, capture(t, name+".s2c.bin"), len(want.answered))
		if !strings.HasPrefix(seen, want.seen) {
			t.Errorf("%s: seen %q", name, seen)
		}
		if want.answered != "" && answered != want.answered {
			t.Errorf("%s: answered\n%q, want\n%q", name, answered, want.answered)
		}
	}
}

func TestTerminalTypes(t *testing.T) {
	c := telnet.New(&telnet.Options{TerminalTypes: []string{"XTERM-256COLOR", "VT100"}})
	send, is := "\xff\xfa\x18\x01\xff\xf0", func(name string) string { return "\xff\xfa\x18\x00" + name + "\xff\xf0" }
	// The client must send the last type twice and then start again with the first type.
	want := "\xff\xfb\x18" + is("XTERM-256COLOR") + is("VT100") + is("VT100") + is("XTERM-256COLOR")
	if _, answered := conversation(t, c, "\xff\xfd\x18"+strings.Repeat(send, 4), len(want)); answered != want {
		t.Errorf("%q, want %q", answered, want)
	}
}

func TestCharset(t *testing.T) {
	for list, want := range map[string]string{
		";ISO-8859-1;utf-8":                  "\x02utf-8",
		" US-ASCII UTF-8":                    "\x02UTF-8",
		";KOI8-R":                            "\x03",
		"[TTABLE]\x01;UTF-8":                 "\x02UTF-8",
		";" + strings.Repeat("X;", 100) + "": "\x03",
	} {
		want := "\xff\xfb\x2a\xff\xfa\x2a" + want + "\xff\xf0"
		if _, answered := conversation(t, nil, "\xff\xfd\x2a\xff\xfa\x2a\x01"+list+"\xff\xf0", len(want)); answered != want {
			t.Errorf("%q: %q, want %q", list, answered, want)
		}
	}
}

// The client must send the requested environment variables, but never a user name.
func TestEnvironment(t *testing.T) {
	c := telnet.New(&telnet.Options{Environment: []string{"LANG=de_DE.UTF-8", "USER=root", "user=-f root", "LogName=x", "DISPLAY=:0", "ODD=\x01\x02", "none"}})
	for asked, want := range map[string]string{
		"":                        "\x03LANG\x01de_DE.UTF-8\x00DISPLAY\x01:0\x03ODD\x01\x02\x01\x02\x02",
		"\x00\x03":                "\x03LANG\x01de_DE.UTF-8\x00DISPLAY\x01:0\x03ODD\x01\x02\x01\x02\x02",
		"\x03LANG":                "\x03LANG\x01de_DE.UTF-8",
		"\x00USER\x03LANG\x00x":   "\x03LANG\x01de_DE.UTF-8",
		"\x00USER":                "",
		"\x03LA\x02NG\x03DISPLAY": "\x03LANG\x01de_DE.UTF-8\x00DISPLAY\x01:0",
	} {
		want := "\xff\xfb\x27\xff\xfa\x27\x00" + want + "\xff\xf0"
		if _, answered := conversation(t, c, "\xff\xfd\x27\xff\xfa\x27\x01"+asked+"\xff\xf0", len(want)); answered != want {
			t.Errorf("%q: %q, want %q", asked, answered, want)
		}
	}
	if _, answered := conversation(t, nil, "\xff\xfd\x27", 3); answered != "\xff\xfc\x27" {
		t.Errorf("without an environment: %q", answered)
	}
}

// The client must ignore malformed subnegotiations.
func TestMalformed(t *testing.T) {
	text := "\xff\xfd\x18\xff\xfd\x2a\xff\xfd\x1f"
	want := "\xff\xfb\x18\xff\xfb\x2a\xff\xfb\x1f\xff\xfa\x1f\x00\x50\x00\x18\xff\xf0"
	for _, sub := range []string{"\x18", "\x18\x00VT220", "\x2a", "\x2a\x01", "\x2a\x01;", "\x2a\x02x", "\x2a\x01[TTABLE]\x01", "\x27\x01", "\x2e\x01", "\x1f\x00", "\x63abc"} {
		text += "\xff\xfa" + sub + "\xff\xf0"
	}
	seen, answered := conversation(t, nil, text+"end", len(want))
	if seen != "end" || answered != want {
		t.Errorf("%q, %q, want %q", seen, answered, want)
	}
}

// The client must pass the data unchanged if the host does not use Telnet.
func TestPlainService(t *testing.T) {
	typed := make(chan string, 1)
	s := session(t, nil, "telnet://h:25/", host(func(c net.Conn) {
		io.WriteString(c, "220 ready\r\n")
		buf := make([]byte, 100)
		n, _ := io.ReadAtLeast(c, buf, len("QUIT\r\n"))
		typed <- string(buf[:n])
		io.WriteString(c, "221 bye\r\n")
	}))
	if s.Conn.Echoes() {
		t.Error("it echoes")
	}
	if status := s.Conn.Status(); !strings.HasPrefix(status[0].Value.(string), "none") {
		t.Error(status)
	}
	if _, err := s.Conn.Write([]byte("QUIT\n")); err != nil {
		t.Error(err)
	}
	if b, err := io.ReadAll(s.Conn); string(b) != "220 ready\r\n221 bye\r\n" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	if text := <-typed; text != "QUIT\r\n" {
		t.Errorf("%q", text)
	}
}

// The client must handle window sizes, commands and echoing during a session.
func TestSession(t *testing.T) {
	read := func(c net.Conn, want string) {
		buf := make([]byte, len(want))
		if _, err := io.ReadFull(c, buf); err != nil || string(buf) != want {
			t.Errorf("%q, %v; want %q", buf, err, want)
		}
	}
	s := session(t, telnet.New(&telnet.Options{Columns: 132, Rows: 43}), "telnet://guest:welcome@h/", host(func(c net.Conn) {
		io.WriteString(c, "\xff\xfd\x1f")
		read(c, "\xff\xfb\x1f\xff\xfa\x1f\x00\x84\x00\x2b\xff\xf0")
		io.WriteString(c, "\xff\xfb\x01on")
		read(c, "\xff\xfd\x01\xff\xfa\x1f\x00\xff\xff\x00\x00\xff\xf0\xff\xf3\xff\xf6")
		io.WriteString(c, "\xff\xfc\x01off")
		read(c, "\xff\xfe\x01a\r\n")
	}))
	if s.User != "guest" || s.Password != "welcome" || s.URL.String() != "telnet://guest:welcome@h/" {
		t.Errorf("%+v", s)
	}
	changes := make(chan bool, 100)
	s.Conn.OnChange(func() { changes <- s.Conn.Echoes() })
	buf := make([]byte, 100)
	if n, err := s.Conn.Read(buf); string(buf[:n]) != "on" || err != nil || !s.Conn.Echoes() {
		t.Errorf("%q, %v", buf[:n], err)
	}
	if err := errors.Join(s.Conn.SetWindow(255, -1), s.Conn.Command("brk"), s.Conn.Command("AYT")); err != nil {
		t.Error(err)
	}
	if err := s.Conn.Command("shutdown"); !errors.Is(err, scheme.ErrUnsupported) {
		t.Error(err)
	}
	if n, err := s.Conn.Read(buf); string(buf[:n]) != "off" || err != nil || s.Conn.Echoes() {
		t.Errorf("%q, %v", buf[:n], err)
	}
	if _, err := s.Conn.Write([]byte("a\r")); err != nil {
		t.Error(err)
	}
	if n, err := s.Conn.Read(buf); n != 0 || err != io.EOF {
		t.Errorf("%q, %v", buf[:n], err)
	}
	var echo []bool
	for len(changes) > 0 {
		echo = append(echo, <-changes)
	}
	if !slices.Contains(echo, true) || echo[len(echo)-1] {
		t.Error(echo)
	}
}

// The client must send the Enter key as CR LF (RFC 1123 section 3.3.1), unless the host accepts
// binary mode or the user selects CR NUL. The options ECHO and SGA must not change this.
func TestEnter(t *testing.T) {
	for _, test := range []struct {
		name, host, answered string
		commands             []string
		in, sent, status     string
	}{
		{"no Telnet", "", "", nil, "ls\r", "ls\r\n", "CR LF"},
		{"echo", "\xff\xfb\x01", "\xff\xfd\x01", nil, "ls\r", "ls\r\n", "CR LF"},
		{"echo and suppress go ahead", "\xff\xfb\x01\xff\xfb\x03", "\xff\xfd\x01\xff\xfd\x03", nil, "ls\r", "ls\r\n", "CR LF"},
		{"suppress go ahead", "\xff\xfb\x03\xff\xfd\x03", "\xff\xfd\x03\xff\xfb\x03", nil, "ls\r", "ls\r\n", "CR LF"},
		{"line mode refused", "\xff\xfd\x22", "\xff\xfc\x22", nil, "ls\r", "ls\r\n", "CR LF"},
		{"host sends binary", "\xff\xfb\x00", "\xff\xfd\x00", nil, "ls\r", "ls\r\n", "CR LF"},
		{"host accepts binary", "\xff\xfd\x00", "\xff\xfb\x00", nil, "ls\r", "ls\r", "CR"},
		{"binary both ways, with echo", "\xff\xfd\x00\xff\xfb\x00\xff\xfb\x01", "\xff\xfb\x00\xff\xfd\x00\xff\xfd\x01", nil, "ls\r", "ls\r", "CR"},
		{"binary is over", "\xff\xfd\x00\xff\xfe\x00", "\xff\xfb\x00\xff\xfc\x00", nil, "ls\r", "ls\r\n", "CR LF"},
		{"CR NUL chosen", "\xff\xfb\x01", "\xff\xfd\x01", []string{"crnul"}, "ls\r", "ls\r\x00", "CR NUL"},
		{"CR LF chosen again", "\xff\xfb\x01", "\xff\xfd\x01", []string{"CRNUL", "crlf"}, "ls\r", "ls\r\n", "CR LF"},
		{"LF alone", "\xff\xfb\x01", "\xff\xfd\x01", []string{"lf"}, "\r", "\n\r\n", "CR LF"},
		{"CR NUL written", "", "", nil, "a\r\x00", "a\r\x00", "CR LF"},
	} {
		h := newSays(test.host+"!", len(test.answered)+len(test.sent))
		s := session(t, nil, "telnet://h/", host(h.handle))
		if _, err := io.ReadFull(s.Conn, make([]byte, 1)); err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		for _, name := range test.commands {
			if err := s.Conn.Command(name); err != nil {
				t.Errorf("%s: %v", test.name, err)
			}
		}
		if i := slices.IndexFunc(s.Conn.Status(), func(f scheme.Field) bool { return f.Name == "enter" && f.Value == test.status }); i < 0 {
			t.Errorf("%s: status is %v", test.name, s.Conn.Status())
		}
		if _, err := io.WriteString(s.Conn, test.in); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		<-h.done
		if got := h.received(); got != test.answered+test.sent {
			t.Errorf("%s: sent %q, want %q", test.name, got, test.answered+test.sent)
		}
	}
}

func TestStartTLS(t *testing.T) {
	theirs, ours, err := certtest.Pair()
	if err != nil {
		t.Fatal(err)
	}
	agreed, goOn := make(chan bool, 2), make(chan bool)
	begin := func(c net.Conn) (net.Conn, error) {
		io.WriteString(c, "\xff\xfd\x2e")
		want := "\xff\xfb\x2e\xff\xfa\x2e\x01\xff\xf0"
		buf := make([]byte, len(want))
		if _, err := io.ReadFull(c, buf); err != nil || string(buf) != want {
			t.Errorf("%q, %v", buf, err)
		}
		agreed <- true
		<-goOn
		io.WriteString(c, "\xff\xfa\x2e\x01\xff\xf0")
		over := tls.Server(c, theirs)
		return over, over.Handshake()
	}
	s := session(t, telnet.New(&telnet.Options{TLSConfig: ours}), "telnet://localhost/", host(func(c net.Conn) {
		over, err := begin(c)
		if err != nil {
			t.Error(err)
			return
		}
		// The client must send input that the user types before TLS starts over TLS.
		line := make([]byte, len("s3cret\r\n"))
		if _, err := io.ReadFull(over, line); err != nil || string(line) != "s3cret\r\n" {
			t.Errorf("%q, %v", line, err)
		}
		io.WriteString(over, "safe")
		over.Close()
	}))
	go func() {
		<-agreed
		if _, err := io.WriteString(s.Conn, "s3cret\n"); err != nil {
			t.Error(err)
		}
		close(goOn)
	}()
	if b, err := io.ReadAll(s.Conn); string(b) != "safe" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	if !slices.Contains(s.Conn.Status(), scheme.Field{Name: "tls", Value: true}) {
		t.Error(s.Conn.Status())
	}
	// The client must reject the certificate of another host.
	s = session(t, telnet.New(&telnet.Options{TLSConfig: ours}), "telnet://other.example/", host(func(c net.Conn) {
		if _, err := begin(c); err == nil {
			t.Error("the certificate is taken")
		}
	}))
	if b, err := io.ReadAll(s.Conn); len(b) > 0 || !errors.Is(err, scheme.ErrProtocol) {
		t.Errorf("%q, %v", b, err)
	}
}

func TestRefused(t *testing.T) {
	never := host(func(net.Conn) { t.Error("it connected") })
	for _, text := range []string{"telnet://-froot@h/", "telnet://%2Dfroot@h/", "rlogin://-froot@h/", "tn3270://a%0Db@h/", "telnet://a%1Bb@h/", "telnet://a:b%0D@h/", "telnet://a:%7F@h/", "rlogin://h/"} {
		_, err := open(t, nil, text, never)
		var e *locus.SyntaxError
		if !errors.As(err, &e) || err.Error() != e.Error() || e.Part == "password" && e.Input[e.Offset-1] != ':' {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := open(t, nil, "telnet://h/", nil); !errors.Is(err, scheme.ErrUnsupported) {
		t.Error(err)
	}
	if _, err := open(t, nil, "http://h/", never); err == nil {
		t.Error("an http URL")
	}
}

// unreachable is a Dialer that always fails.
type unreachable struct{}

func (unreachable) DialContext(context.Context, string, string) (net.Conn, error) {
	return nil, errors.New("connection refused")
}

func TestSessionErrors(t *testing.T) {
	for _, text := range []string{"telnet://h/", "rlogin://u@h/", "tn3270://h/"} {
		if _, err := open(t, nil, text, unreachable{}); !errors.Is(err, scheme.ErrUnreachable) {
			t.Errorf("%s: %v", text, err)
		}
	}
	// When the context is canceled, the session must end.
	silent := host(func(c net.Conn) { io.Copy(io.Discard, c) })
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	res, err := telnet.New(nil).Open(ctx, &scheme.Request{URL: locus.MustParse("telnet://h/"), Dial: silent})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	time.AfterFunc(time.Millisecond, func() { cancel(why) })
	if _, err := res.(*scheme.Session).Conn.Read(make([]byte, 1)); !errors.Is(err, why) {
		t.Error(err)
	}
	if _, err := telnet.New(nil).Open(ctx, &scheme.Request{URL: locus.MustParse("rlogin://u@h/"), Dial: silent}); !errors.Is(err, why) {
		t.Error(err)
	}
	// This host only negotiates options.
	s := session(t, nil, "telnet://h/", host(func(c net.Conn) {
		go io.Copy(io.Discard, c)
		io.WriteString(c, strings.Repeat("\xff\xfd\x03\xff\xfe\x03", 1<<14))
	}))
	if b, err := io.ReadAll(s.Conn); len(b) > 0 || !errors.Is(err, scheme.ErrProtocol) {
		t.Errorf("%q, %v", b, err)
	}
}

// If the connection breaks during the TLS handshake, the client must report one error. The error
// must not blame the server if the caller has closed the session.
func TestBrokenTLS(t *testing.T) {
	for _, here := range []bool{false, true} {
		agreed := make(chan bool)
		s := session(t, nil, "telnet://h/", host(func(c net.Conn) {
			io.WriteString(c, "\xff\xfd\x2e\xff\xfa\x2e\x01\xff\xf0")
			io.ReadFull(c, make([]byte, len("\xff\xfb\x2e\xff\xfa\x2e\x01\xff\xf0")+1)) // and the first octet of the handshake
			if close(agreed); here {
				io.Copy(io.Discard, c)
			} else {
				c.Close()
			}
		}))
		go func() {
			<-agreed
			if here {
				s.Conn.Close()
			}
		}()
		_, err := s.Conn.Read(make([]byte, 1))
		if errors.Is(err, net.ErrClosed) != here || errors.Is(err, scheme.ErrProtocol) == here || strings.Count(fmt.Sprint(err), "telnet: ") != 1 {
			t.Errorf("closed here %v: %v", here, err)
		}
	}
}

// If the caller closes a session, the error must not blame the server.
func TestCloseIsNoServerFault(t *testing.T) {
	for text, dial := range map[string]scheme.Dialer{
		"telnet://h/": host(func(c net.Conn) { io.Copy(io.Discard, c) }),
		"tn3270://h/": host(func(c net.Conn) { io.Copy(io.Discard, c) }),
		"rlogin://u@h/": rlogind{func(c net.Conn) {
			go io.Copy(io.Discard, c)
			c.Write([]byte{0})
			<-t.Context().Done()
		}},
	} {
		s := session(t, nil, text, dial)
		read := make(chan error)
		go func() {
			_, err := s.Conn.Read(make([]byte, 1))
			read <- err
		}()
		s.Conn.Close()
		err := <-read
		if !errors.Is(err, net.ErrClosed) || errors.Is(err, scheme.ErrProtocol) || strings.Count(err.Error(), "closed") != 1 {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// The trace must never contain the user's input.
func TestTrace(t *testing.T) {
	var mu sync.Mutex
	var lines []string
	res, err := telnet.New(nil).Open(t.Context(), &scheme.Request{URL: locus.MustParse("telnet://h/"), Dial: host(func(c net.Conn) {
		go io.Copy(io.Discard, c)
		io.WriteString(c, "\xff\xfb\x01Password: ")
	}), Trace: func(sent bool, line string) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, line)
	}})
	if err != nil {
		t.Fatal(err)
	}
	s := res.(*scheme.Session)
	buf := make([]byte, 100)
	if _, err := s.Conn.Read(buf); err != nil {
		t.Error(err)
	}
	s.Conn.Write([]byte("secret\r"))
	s.Close()
	mu.Lock()
	defer mu.Unlock()
	if want := []string{"WILL ECHO", "DO ECHO"}; !slices.Equal(lines, want) {
		t.Errorf("%q, want %q", lines, want)
	}
}

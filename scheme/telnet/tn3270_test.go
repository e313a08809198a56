package telnet_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/nvt"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/telnet"
	"github.com/locus-url/locus/tn3270"
)

func options3270(o telnet.TN3270Options) *telnet.Client {
	return telnet.New(&telnet.Options{TN3270: o})
}

func session3270(t *testing.T, c *telnet.Client, h host) telnet.Terminal3270 {
	t.Helper()
	return session(t, c, "tn3270://h/", h).Conn.(telnet.Terminal3270)
}

// await waits until the function ok returns true for the screen.
func await(t *testing.T, c telnet.Terminal3270, what string, ok func(*tn3270.Screen) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := c.Screen().Wait(ctx, ok); err != nil {
		t.Fatalf("%s: %v; the screen has\n%s", what, err, c.Screen().Text())
	}
}

func shows(text string) func(*tn3270.Screen) bool {
	return func(s *tn3270.Screen) bool { return strings.Contains(s.Text(), text) }
}

// The client must negotiate with the Hercules console in the same way as s3270, and must show the
// same screen.
func TestReplayHercules(t *testing.T) {
	for name, c := range map[string]*telnet.Client{
		"hercules-s3270-first-screen": options3270(telnet.TN3270Options{Basic: true}),
		"hercules-s3270-clear":        options3270(telnet.TN3270Options{Monochrome: true}),
	} {
		c2s := capture(t, name+".c2s.bin")
		h := newSays(capture(t, name+".s2c.bin"), len(c2s))
		s := session3270(t, c, h.handle)
		await(t, s, name, shows("Hercules Version  :"))
		for _, want := range []string{"Host name         :", "Subchannel        : 000", "My PC thinks it's a MAINFRAME"} {
			if !shows(want)(s.Screen()) {
				t.Errorf("%s: %q is not in\n%s", name, want, s.Screen().Text())
			}
		}
		if name == "hercules-s3270-clear" {
			await(t, s, "unlocked", func(s *tn3270.Screen) bool { return s.Status().Lock == tn3270.Unlocked })
			if err := s.Press(tn3270.Clear); err != nil {
				t.Error(err)
			}
		}
		<-h.done
		if got := h.received(); got != c2s {
			t.Errorf("%s: sent %q, s3270 sent %q", name, got, c2s)
		}
	}
}

// If a host does not use 3270 data streams, the terminal must show its output as text, and Enter
// must send a line end.
func TestTextHost(t *testing.T) {
	typed := make(chan string, 1)
	s := session3270(t, nil, func(c net.Conn) {
		io.WriteString(c, "\xff\xfb\x01login: ")
		buf := make([]byte, len("\xff\xfd\x01guest\r\x00"))
		io.ReadFull(c, buf)
		typed <- string(buf)
	})
	buf := make([]byte, 100)
	if n, err := s.Read(buf); string(buf[:n]) != "login: " || err != nil {
		t.Errorf("%q, %v", buf[:n], err)
	}
	if !s.Echoes() || s.Status()[0].Value.(string) == "tn3270" {
		t.Error(s.Status())
	}
	if _, err := s.Write([]byte("guest\r")); err != nil {
		t.Error(err)
	}
	if n, err := s.Read(buf); n != 0 || err != io.EOF {
		t.Errorf("%q, %v", buf[:n], err)
	}
	if got := <-typed; got != "\xff\xfd\x01guest\r\n" {
		t.Errorf("%q", got)
	}
}

// logon returns the record of a screen with fields for a name and a password.
func logon(t *testing.T, codePage string) []byte {
	b, err := tn3270.NewBuilder(&tn3270.Options{CodePage: codePage})
	if err != nil {
		t.Fatal(err)
	}
	record, err := b.EraseWrite(tn3270.KeyboardRestore).At(2, 1).Field(tn3270.Skip).Text("USER").Field(0).InsertCursor().At(2, 20).Field(tn3270.Skip).
		At(3, 1).Field(tn3270.Skip).Text("PASSWORD").Field(tn3270.Hidden).At(3, 20).Field(tn3270.Skip).Record()
	if err != nil {
		t.Fatal(err)
	}
	return record
}

// host3270 returns a host that negotiates 3270 records and then calls serve.
func host3270(t *testing.T, serve func(*nvt.Conn)) host {
	return func(c net.Conn) {
		both := func(code byte) nvt.Option { return nvt.Option{Code: code, Us: true, Them: true} }
		h := nvt.New(c, &nvt.Options{Options: []nvt.Option{both(nvt.EndOfRecord), both(nvt.Binary)}})
		for _, code := range []byte{nvt.EndOfRecord, nvt.Binary} {
			if err := errors.Join(h.Ask(true, code, true), h.Ask(false, code, true)); err != nil {
				t.Error(err)
			}
		}
		serve(h)
	}
}

func received3270(t *testing.T, h *nvt.Conn, codePage string) tn3270.Inbound {
	var record []byte
	for end := false; !end; {
		buf := make([]byte, 1<<10)
		var n int
		var err error
		if n, end, err = h.Next(buf); err != nil {
			t.Error(err)
			return tn3270.Inbound{}
		}
		record = append(record, buf[:n]...)
	}
	in, err := tn3270.ParseInbound(record, codePage)
	if err != nil {
		t.Error(err)
	}
	return in
}

// Read must return drawings of the screen, and Write must accept the user's keys.
func TestTerminal3270(t *testing.T) {
	done := make(chan tn3270.Inbound, 2)
	s := session3270(t, options3270(telnet.TN3270Options{CodePage: "1047"}), host3270(t, func(h *nvt.Conn) {
		if err := h.WriteRecord(logon(t, "1047")); err != nil {
			t.Error(err)
		}
		done <- received3270(t, h, "1047")
		b, _ := tn3270.NewBuilder(&tn3270.Options{CodePage: "1047"})
		record, _ := b.EraseWrite(tn3270.KeyboardRestore).At(1, 1).Text("WELCOME").Record()
		h.WriteRecord(record)
		done <- received3270(t, h, "1047")
	}))
	read := func(want string) (seen string) {
		buf := make([]byte, 1<<16)
		if err := s.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Error(err)
		}
		for !strings.Contains(seen, want) {
			n, err := s.Read(buf)
			if err != nil {
				t.Fatalf("%q is not in %q: %v", want, seen, err)
			}
			seen += string(buf[:n])
		}
		return seen
	}
	if seen := read("PASSWORD"); !strings.HasPrefix(seen, "\x1b[?1049h\x1b[2J") || !strings.Contains(seen, "USER") {
		t.Errorf("%q", seen)
	}
	if !s.Echoes() {
		t.Error("it does not echo")
	}
	// The user types the name, Tab and the hidden password. Then the user types at a protected
	// position, which rings the bell, and presses Reset.
	if _, err := s.Write([]byte("fred[1]\ts3cret")); err != nil {
		t.Error(err)
	}
	if seen := read("fred[1]"); strings.Contains(seen, "s3cret") {
		t.Errorf("the password shows: %q", seen)
	}
	if _, err := s.Write([]byte("\x1b[A\x1b[A\x1b[Ax")); err != nil {
		t.Error(err)
	}
	read("\a")
	if lock := s.Screen().Status().Lock; lock != tn3270.LockedProtected {
		t.Error(lock)
	}
	if err := s.SetWindow(80, 30); err != nil {
		t.Error(err)
	}
	if seen := read("X PROTECTED"); !strings.Contains(seen, "\x1b[2J") || !strings.Contains(seen, "USER") {
		t.Errorf("%q", seen)
	}
	if _, err := s.Write([]byte("\x12\r")); err != nil {
		t.Error(err)
	}
	read("WELCOME")
	in := <-done
	want := []tn3270.ModifiedField{{Address: 86, Value: "fred[1]"}, {Address: 170, Value: "s3cret"}}
	if in.Key != tn3270.Enter || !slices.Equal(in.Fields, want) {
		t.Errorf("%+v", in)
	}
	if err := s.Press(tn3270.PF3); err != nil {
		t.Error(err)
	}
	if in := <-done; in.Key != tn3270.PF3 {
		t.Errorf("%+v", in)
	}
	if err := s.Press(tn3270.PF3); !errors.Is(err, tn3270.ErrLocked) && !errors.Is(err, scheme.ErrProtocol) {
		t.Error(err)
	}
	if err := s.Command("nonsense"); !errors.Is(err, scheme.ErrUnsupported) {
		t.Error(err)
	}
}

func TestReadDeadline(t *testing.T) {
	s := session3270(t, nil, func(c net.Conn) { io.Copy(io.Discard, c) })
	if err := s.SetDeadline(time.Now().Add(time.Millisecond)); err != nil {
		t.Error(err)
	}
	if _, err := s.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error(err)
	}
}

// exchangeScript returns a host that follows a script. Each pair of lines contains the data that
// the host sends and the data that it then expects.
func exchangeScript(t *testing.T, lines []string, then func(c net.Conn)) host {
	return func(c net.Conn) {
		for i, line := range lines {
			if i%2 == 0 {
				io.WriteString(c, line)
				continue
			}
			buf := make([]byte, len(line))
			if n, err := io.ReadFull(c, buf); err != nil || string(buf) != line {
				t.Errorf("line %d: %q, %v; want %q", i, buf[:n], err, line)
				return
			}
		}
		if then != nil {
			then(c)
		}
	}
}

func sub(text string) string { return "\xff\xfa\x28" + text + "\xff\xf0" }

// The client must negotiate a device and functions, handle record headers, and send responses (RFC
// 2355 section 7).
func TestTN3270E(t *testing.T) {
	screen := string(logon(t, ""))
	enter, ready := make(chan string, 1), make(chan struct{})
	s := session3270(t, options3270(telnet.TN3270Options{DeviceName: "LU42", Model: 4}), exchangeScript(t, []string{
		"\xff\xfd\x28", "\xff\xfb\x28",
		sub("\x08\x02"), sub("\x02\x07IBM-3278-4-E\x01LU42"),
		sub("\x02\x04IBM-3278-4-E\x01LU42"), sub("\x03\x07\x00\x02\x04"),
		// The host rejects SYSREQ, and requests functions that the client does not
		// support.
		sub("\x03\x07\x00\x02\x03"), sub("\x03\x07\x00\x02"),
		sub("\x03\x04\x00\x02"), "",
		"\x03\x00\x00\x00\x00BIND\xff\xef" + "\x00\x00\x02\x00\x07" + screen + "\xff\xef", "\x02\x00\x00\x00\x07\x00\xff\xef",
		// The host sends an invalid record and a record of an unknown type.
		"\x00\x00\x01\x00\x08\xf5\xc3\x11\x7f\xff\xff\xff\xef", "\x02\x00\x01\x00\x08\x02\xff\xef",
		"\x01\x00\x02\x00\x09SCS\xff\xef", "\x02\x00\x01\x00\x09\x00\xff\xef",
		// The host sends a truncated record, which the client must not answer, and a
		// response.
		"\x00\x00\xff\xef" + "\x00\x00\x01\x00\x0a" + screen + "\xff\xef" + "\x02\x00\x00\x00\x00\x00\xff\xef" + "\x04\x00\x00\x00\x00\xff\xef", "",
	}, func(c net.Conn) {
		close(ready)
		buf := make([]byte, 100)
		n, _ := io.ReadAtLeast(c, buf, 15)
		enter <- string(buf[:n])
		io.Copy(io.Discard, c)
	}))
	await(t, s, "logon", shows("PASSWORD"))
	await(t, s, "unlocked", func(s *tn3270.Screen) bool { return s.Status().Lock == tn3270.Unlocked })
	<-ready
	if !slices.Contains(s.Status(), scheme.Field{Name: "device", Value: "LU42"}) {
		t.Error(s.Status())
	}
	// The host's last record may still be in transit.
	await(t, s, "the second logon", func(s *tn3270.Screen) bool { return s.Status().Lock == tn3270.Unlocked && shows("PASSWORD")(s) })
	if err := errors.Join(s.Type("ab"), s.Press(tn3270.Enter)); err != nil {
		t.Error(err)
	}
	if got := <-enter; !strings.HasPrefix(got, "\x00\x00\x00\x00\x00\x7d") || !strings.HasSuffix(got, "\x81\x82\xff\xef") {
		t.Errorf("%q", got)
	}
}

// If the host rejects a device, the session must continue without TN3270E.
func TestTN3270ERejected(t *testing.T) {
	s := session3270(t, options3270(telnet.TN3270Options{DeviceName: "LU42"}), exchangeScript(t, []string{
		"\xff\xfd\x28", "\xff\xfb\x28",
		sub("\x08\x02"), sub("\x02\x07IBM-3278-2-E\x01LU42"),
		sub("\x02\x06\x05\x01"), "\xff\xfc\x28",
		"\xff\xfe\x28\xff\xfd\x18\xff\xfa\x18\x01\xff\xf0", "\xff\xfb\x18\xff\xfa\x18\x00IBM-3279-2-E@LU42\xff\xf0",
		"\xff\xfd\x19\xff\xfb\x19\xff\xfd\x00\xff\xfb\x00", "\xff\xfb\x19\xff\xfd\x19\xff\xfb\x00\xff\xfd\x00",
		string(logon(t, "")) + "\xff\xef", "",
	}, func(c net.Conn) { io.Copy(io.Discard, c) }))
	await(t, s, "logon", shows("PASSWORD"))
	if !slices.Contains(s.Status(), scheme.Field{Name: "deviceRejected", Value: "it is in use"}) {
		t.Error(s.Status())
	}
}

// The client must show text before the first record, SSCP-LU-DATA and NVT-DATA, and must send
// input as SSCP-LU-DATA.
func TestTN3270EText(t *testing.T) {
	typed := make(chan string, 1)
	s := session3270(t, nil, exchangeScript(t, []string{
		"hello\r\n\xff\xfd\x28", "\xff\xfb\x28",
		sub("\x08\x02"), sub("\x02\x07IBM-3278-2-E"),
		sub("\x02\x04IBM-3278-2-E"), sub("\x03\x07\x00\x02\x04"),
		sub("\x03\x04"), "",
		"\x07\x00\x00\x00\x00\xd3\xd6\xc7\xd6\xd5\x40\xff\xef", "",
	}, func(c net.Conn) {
		buf := make([]byte, len("\x07\x00\x00\x00\x00\x81\x82\xff\xef"))
		io.ReadFull(c, buf)
		typed <- string(buf)
		io.WriteString(c, "\x05\x00\x00\x00\x00bye\r\n\xff\xef")
	}))
	await(t, s, "SSCP-LU-DATA", shows("LOGON"))
	if err := errors.Join(s.Type("ab"), s.Press(tn3270.Enter)); err != nil {
		t.Error(err)
	}
	if got := <-typed; got != "\x07\x00\x00\x00\x00\x81\x82\xff\xef" {
		t.Errorf("%q", got)
	}
	seen, err := io.ReadAll(s)
	if err != nil || !strings.HasPrefix(string(seen), "hello\r\n") || !strings.Contains(string(seen), "bye\r\n") {
		t.Errorf("%q, %v", seen, err)
	}
}

func TestCommands3270(t *testing.T) {
	for extended, want := range map[bool]string{
		false: "\xff\xf3\xff\xf4\xff\xf3\xff\xf4\xff\xf5\xff\xf6\xff\xf3\xff\xf4",
		true:  "\xff\xf4\xff\xf5\xff\xf3\xff\xf4\xff\xf5\xff\xf6\xff\xf4\xff\xf5",
	} {
		lines := []string{"", ""}
		if extended {
			lines = []string{"\xff\xfd\x28", "\xff\xfb\x28"}
		}
		got := make(chan string, 1)
		s := session3270(t, nil, exchangeScript(t, lines, func(c net.Conn) {
			buf := make([]byte, len(want))
			io.ReadFull(c, buf)
			got <- string(buf)
		}))
		for extended && !slices.Contains(s.Status(), scheme.Field{Name: "protocol", Value: "tn3270e"}) {
			time.Sleep(time.Millisecond)
		}
		for _, name := range s.Commands() {
			if err := s.Command(name); err != nil {
				t.Error(err)
			}
		}
		if err := errors.Join(s.Press(tn3270.Attn), s.Press(tn3270.SysReq)); err != nil {
			t.Error(err)
		}
		if sent := <-got; sent != want {
			t.Errorf("extended %v: %q, want %q", extended, sent, want)
		}
	}
}

func TestBad3270(t *testing.T) {
	never := host(func(net.Conn) { t.Error("it connected") })
	for _, o := range []telnet.TN3270Options{{Model: 6}, {CodePage: "none"}, {DeviceName: "A B"}, {DeviceName: "A\xff\xf0"}} {
		if _, err := open(t, options3270(o), "tn3270://h/", never); err == nil {
			t.Errorf("%+v", o)
		}
	}
	// The host sends an endless record.
	s := session3270(t, nil, host3270(t, func(h *nvt.Conn) {
		go io.Copy(io.Discard, h.Conn)
		for range 20 {
			h.Write(make([]byte, 1<<14))
		}
	}))
	if _, err := io.Copy(io.Discard, s); !errors.Is(err, scheme.ErrProtocol) {
		t.Error(err)
	}
	// Unread text must not block the session, and the session must discard the oldest text.
	written := make(chan struct{})
	s = session3270(t, nil, func(c net.Conn) {
		defer close(written)
		for range 1000 {
			c.Write(make([]byte, 1<<14))
		}
		io.WriteString(c, "the end")
	})
	<-written
	if b, err := io.ReadAll(s); !strings.HasSuffix(string(b), "the end") || err != nil {
		t.Errorf("%d octets, %v", len(b), err)
	}
}

func FuzzTN3270E(f *testing.F) {
	for _, name := range []string{"hercules-s3270-clear", "hercules-plain-telnet"} {
		b, err := os.ReadFile("testdata/wire/" + name + ".s2c.bin")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte("\xff\xfd\x28" + sub("\x08\x02") + sub("\x02\x04IBM-3278-2-E\x01LU") + sub("\x03\x07\x00\x02\x03") + "\x00\x00\x02\x00\x07\xf5\xc3\xff\xef\x07\x00\x00\x00\x00\xd3\xff\xef\x05\x00\x00\x00\x00x\xff\xef"))
	f.Add([]byte("\xff\xfd\x28" + sub("\x02\x06\x05\x09") + sub("\x02\x06\x05") + sub("\x03") + "\xff\xef\x00\xff\xef"))
	c := telnet.New(nil)
	f.Fuzz(func(t *testing.T, stream []byte) {
		if len(stream) > 16<<10 {
			return // the size of a few screens
		}
		res, err := c.Open(t.Context(), &scheme.Request{URL: locus.MustParse("tn3270://h/"), Dial: fixedDialer{&canned{left: bytes.NewReader(stream)}}})
		if err != nil {
			t.Fatal(err)
		}
		defer res.Close()
		s := res.(*scheme.Session).Conn.(telnet.Terminal3270)
		if n, err := io.Copy(io.Discard, s); err != nil && !errors.Is(err, scheme.ErrProtocol) || n > 1<<22 {
			t.Errorf("%d octets, %v", n, err)
		}
		s.Status()
	})
}

// canned is a connection whose peer has already sent all its data and accepts all input.
type canned struct {
	net.Conn // always nil
	left     *bytes.Reader
}

func (c *canned) Read(p []byte) (int, error)       { return c.left.Read(p) }
func (c *canned) Write(p []byte) (int, error)      { return len(p), nil }
func (c *canned) Close() error                     { return nil }
func (c *canned) SetDeadline(time.Time) error      { return nil }
func (c *canned) SetReadDeadline(time.Time) error  { return nil }
func (c *canned) SetWriteDeadline(time.Time) error { return nil }

// fixedDialer is a Dialer that returns its connection.
type fixedDialer struct{ net.Conn }

func (g fixedDialer) DialContext(context.Context, string, string) (net.Conn, error) {
	return g.Conn, nil
}

// The session must recognize the key sequences that Keys returns.
func TestKeys3270(t *testing.T) {
	s := session3270(t, nil, func(c net.Conn) { io.Copy(io.Discard, c) })
	keys := s.(scheme.KeyTerminal).Keys()
	seen := map[tn3270.Key]bool{}
	for _, k := range keys {
		want, ok := tn3270.ParseKey(k.Label)
		if !ok {
			t.Errorf("no key %s", k.Label)
		}
		var d tn3270.Decoder
		if got := d.Decode(nil, []byte(k.Input)); len(got) != 1 || got[0].Key != want || seen[want] {
			t.Errorf("%s: %q is %v", k.Label, k.Input, got)
		}
		seen[want] = true
	}
	if len(keys) != 4+24+3 || !seen[tn3270.Enter] || !seen[tn3270.Clear] || !seen[tn3270.PF1] || !seen[tn3270.PF24] || !seen[tn3270.PA3] {
		t.Errorf("%v", keys)
	}
}

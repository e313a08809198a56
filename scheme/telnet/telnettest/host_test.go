package telnettest_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/telnet"
	"github.com/locus-url/locus/scheme/telnet/telnettest"
	"github.com/locus-url/locus/tn3270"
)

// screen is a client's tn3270 session with the test host.
type screen struct {
	t *testing.T
	telnet.Terminal3270
}

func open3270(t *testing.T, s *telnettest.Server, o telnet.Options) *screen {
	t.Helper()
	return &screen{t, open(t, s, "tn3270://", &o).Terminal.(telnet.Terminal3270)}
}

// shows waits until the screen contains text and accepts input.
func (k *screen) shows(text string) {
	k.t.Helper()
	err := k.Screen().Wait(testContext(k.t), func(s *tn3270.Screen) bool {
		return strings.Contains(s.Text(), text) && s.Status().Lock == tn3270.Unlocked
	})
	if err != nil {
		k.t.Fatalf("waiting for %q: %v; the screen has\n%s", text, err, k.Screen().Text())
	}
}

// press presses a key and waits until the screen shows the expected text.
func (k *screen) press(key tn3270.Key, shows string) {
	k.t.Helper()
	if err := k.Press(key); err != nil {
		k.t.Fatalf("%v: %v", key, err)
	}
	k.shows(shows)
}

func (k *screen) types(text string) {
	k.t.Helper()
	if err := k.Type(text); err != nil {
		k.t.Fatal(err)
	}
}

// ends presses a key that ends the session, and waits for the end of the session.
func (k *screen) ends(key tn3270.Key) {
	k.t.Helper()
	if err := k.Press(key); err != nil {
		k.t.Fatal(err)
	}
	if _, err := io.ReadAll(k); err != nil {
		k.t.Error(err)
	}
	if got := k.Screen().Text(); !strings.HasPrefix(got, "Goodbye.") {
		k.t.Error(got)
	}
}

// All built-in screens must work in sessions by RFC 1576 and by RFC 2355.
func TestPages(t *testing.T) {
	for _, extended := range []bool{false, true} {
		s := running(t)(telnettest.StartTN3270(&telnettest.HostOptions{Extended: extended, Users: map[string]string{"ALICE": "S3CRET"}}))
		k := open3270(t, s, telnet.Options{TN3270: telnet.TN3270Options{Model: 5}})
		k.shows("THE MUSEUM OF THE NETWORK")
		k.press(tn3270.Enter, "Who are you?")
		k.press(tn3270.PF7, "PF7 does nothing here")
		k.types("ALICE\tWRONG")
		k.press(tn3270.Enter, "That is not the password")
		if err := k.Type("ALICE\tS3CRET\tx"); !errors.Is(err, tn3270.ErrNumeric) {
			t.Error(err)
		}
		if err := k.Press(tn3270.Reset); err != nil {
			t.Error(err)
		}
		if strings.Contains(k.Screen().Text(), "S3CRET") {
			t.Error("the password shows")
		}
		k.types("12")
		k.press(tn3270.Enter, "Room 12 is this way.")
		k.shows("Welcome, ALICE.")
		k.press(tn3270.PF9, "PF9 does nothing here")
		k.press(tn3270.PF1, "underscore")
		cells := k.Screen().Cells()
		if at := 3*80 + 3; cells[at].Rune != 'r' || cells[at].Color != tn3270.Red {
			t.Errorf("%+v", cells[at])
		}
		k.press(tn3270.Enter, "PF2")
		k.press(tn3270.PF2, "Type anything")
		if len(k.Screen().Fields()) != 0 {
			t.Error(k.Screen().Fields())
		}
		k.types("abc")
		k.press(tn3270.Enter, "You typed ")
		k.press(tn3270.PF4, "27 rows of 132 columns")
		if rows, columns := k.Screen().Size(); rows != 27 || columns != 132 || !strings.HasSuffix(k.Screen().Text(), "lower right") {
			t.Errorf("%d by %d\n%s", rows, columns, k.Screen().Text())
		}
		k.press(tn3270.Clear, "PF5")
		k.press(tn3270.PF5, "query replies  80 81 ")
		for _, text := range []string{"functions      00 02 04", "device         LU0001", "type           IBM-3278-5-E"} {
			if strings.Contains(k.Screen().Text(), text) != extended {
				t.Errorf("%q:\n%s", text, k.Screen().Text())
			}
		}
		k.press(tn3270.Enter, "PF5")
		k.press(tn3270.Attn, "Attn does nothing here")
		if extended {
			k.press(tn3270.SysReq, "SYSTEM: ")
			k.press(tn3270.SysReq, "PF5")
			k.press(tn3270.SysReq, "SYSTEM: ")
			k.types("what")
			k.press(tn3270.Enter, "whatSYSTEM: ")
			k.types("logoff")
			k.ends(tn3270.Enter)
		} else {
			k.press(tn3270.SysReq, "SysReq does nothing here")
			k.ends(tn3270.PF3)
		}
		log := s.Log()[0]
		for _, want := range []string{"typed ALICE", "typed S3CRET", "typed 12", "key PF1", "key Clear", "key Attn", "key SysReq"} {
			if !slices.Contains(log, want) {
				t.Errorf("%q is not in %q", want, log)
			}
		}
		if got := slices.Contains(log, "response 1: 0 00"); got != extended {
			t.Errorf("responses: %q", log)
		}
	}
}

func TestDevices(t *testing.T) {
	s := running(t)(telnettest.StartTN3270(&telnettest.HostOptions{Extended: true, Devices: []string{"POOL", "MINE"}, Functions: []byte{}}))
	for device, want := range map[string]string{"": "POOL", "MINE": "MINE"} {
		k := open3270(t, s, telnet.Options{TN3270: telnet.TN3270Options{DeviceName: device}})
		k.shows("User")
		if status := k.Status(); !slices.ContainsFunc(status, func(f scheme.Field) bool { return f.Name == "device" && f.Value == want }) {
			t.Errorf("%q: %v", device, status)
		}
	}
	// If the host has no such device, the client must continue without TN3270E and send the
	// device name in the terminal type.
	k := open3270(t, s, telnet.Options{TN3270: telnet.TN3270Options{DeviceName: "OTHER", Monochrome: true}})
	k.shows("User")
	k.types("BOB")
	k.press(tn3270.Enter, "Welcome, BOB.")
	k.press(tn3270.PF5, "type           IBM-3278-2-E@OTHER")
	if err := s.Wait(testContext(t), "type IBM-3278-2-E@OTHER"); err != nil {
		t.Error(err)
	}
}

func TestCodePage(t *testing.T) {
	s := running(t)(telnettest.StartTN3270(&telnettest.HostOptions{CodePage: "1047"}))
	k := open3270(t, s, telnet.Options{TN3270: telnet.TN3270Options{CodePage: "1047"}})
	k.shows("User")
	k.ends(tn3270.PF3)
	if _, err := telnettest.StartTN3270(&telnettest.HostOptions{CodePage: "none"}); !errors.Is(err, tn3270.ErrOption) {
		t.Error(err)
	}
}

// If a client rejects the option TERMINAL-TYPE, or its terminal has another type, the host must
// send an error message.
func TestNoTerminal(t *testing.T) {
	s := running(t)(telnettest.StartTN3270(nil))
	k := open(t, s, "telnet://", nil)
	k.expect("this host is for 3270 terminals, and yours is not one\r\n")
	k.end()
	c := dial(t, s)
	c.Write(wire(t, "hercules-plain-telnet.c2s.bin"))
	real := string(wire(t, "hercules-plain-telnet.s2c.bin"))
	if b, err := io.ReadAll(c); !strings.HasPrefix(string(b), real+"this host is") || err != nil {
		t.Errorf("%q, %v", b, err)
	}
}

// The host must negotiate options in the same order as a real host.
func TestHerculesOrder(t *testing.T) {
	s := running(t)(telnettest.StartTN3270(nil))
	c := dial(t, s)
	if _, err := c.Write(wire(t, "hercules-s3270-first-screen.c2s.bin")); err != nil {
		t.Fatal(err)
	}
	real := wire(t, "hercules-s3270-first-screen.s2c.bin")
	got := make([]byte, strings.IndexByte(string(real), 0xF5))
	if _, err := io.ReadFull(c, got); err != nil || string(got) != string(real[:len(got)]) {
		t.Errorf("%q, %v; a real one has %q", got, err, real[:len(got)])
	}
}

// The function Run may send invalid data.
func TestRun(t *testing.T) {
	s := running(t)(telnettest.StartTN3270(&telnettest.HostOptions{Extended: true, Run: func(h *telnettest.Host) error {
		if rows, columns := h.Size(); rows != 24 || columns != 80 || !h.Extended() || h.Device() != "LU0001" || h.Terminal() != "IBM-3278-2-E" {
			t.Errorf("%d by %d, %q %q", rows, columns, h.Device(), h.Terminal())
		}
		if err := h.Show(h.Builder().EraseWrite(tn3270.KeyboardRestore).At(25, 1)); err == nil {
			t.Error("there is no row 25")
		}
		if err := h.Send([]byte{0xF5, 0x02, 0x11, 0xFF}); err != nil {
			return err
		}
		if err := h.SendKind(200, []byte("no such kind")); err != nil {
			return err
		}
		if err := h.Show(h.Builder().EraseWrite(tn3270.KeyboardRestore).Text("done")); err != nil {
			return err
		}
		if in, err := h.Receive(); err != nil || in.Key != tn3270.PA1 {
			t.Errorf("%+v, %v", in, err)
		}
		return errors.New("enough")
	}}))
	k := open3270(t, s, telnet.Options{})
	k.shows("done")
	if err := k.Press(tn3270.PA1); err != nil {
		t.Error(err)
	}
	if err := s.Wait(testContext(t), "error enough"); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"response 1: 1 02", "response 3: 0 00"} {
		if log := s.Log()[0]; !slices.Contains(log, want) {
			t.Errorf("%q is not in %q", want, log)
		}
	}
}

// Invalid input from a terminal must end the session.
func TestHostileTerminals(t *testing.T) {
	negotiated := "\xff\xfb\x18\xff\xfa\x18\x00IBM-3278-2\xff\xf0\xff\xfb\x19\xff\xfd\x19\xff\xfb\x00\xff\xfd\x00"
	extended := "\xff\xfb\x28\xff\xfa\x28\x02\x07IBM-3278-2-E\xff\xf0\xff\xfa\x28\x03\x07\xff\xf0"
	for _, c := range []struct {
		sent     string
		extended bool
		want     string
	}{
		{negotiated + "\x7d\x40\xff\xef", false, "error tn3270: "},
		{negotiated + "\xff\xef", false, "error tn3270: "},
		{negotiated + strings.Repeat("x", tn3270.MaxRecord+1), false, "error the record is too long"},
		{negotiated + "\x01\x6c\x61\x02\x03\xff\xef", false, "key SysReq"},
		{extended + "\x00\x00\xff\xef", true, "error a record of 2 octets has no header"},
		{extended + "\x07\x00\x00\x00\x00\xff\xef\x02\x00\x01\x00\x00\xff\xef\x00\x00\x00\x00\x00\x6d\xff\xef\xff\xf6", true, "key Clear"},
	} {
		s := running(t)(telnettest.StartTN3270(&telnettest.HostOptions{Extended: c.extended}))
		conn := dial(t, s)
		if _, err := io.WriteString(conn, c.sent); err != nil {
			t.Error(err)
		}
		conn.(interface{ CloseWrite() error }).CloseWrite()
		io.ReadAll(conn)
		if log := s.Log()[0]; !slices.ContainsFunc(log, func(entry string) bool { return strings.HasPrefix(entry, c.want) }) {
			t.Errorf("%.40q: %q, want %q", c.sent, log, c.want)
		}
	}
}

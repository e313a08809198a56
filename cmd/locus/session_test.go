package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/servetest"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/telnet/telnettest"
	"github.com/locus-url/locus/tn3270"
)

// deadAddress is host and port that refuse connections as long as the test runs.
func deadAddress(t *testing.T) string {
	t.Helper()
	dead, err := servetest.Refusing("tcp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dead.Close() })
	return dead.LocalAddr().String()
}

func TestUnescape(t *testing.T) {
	for text, want := range map[string]string{
		"":             "",
		"plain ü":      "plain ü",
		`\r\n\t\e\\`:   "\r\n\t\x1b\\",
		`a\x41\xfFb`:   "aA\xffb",
		`\\x41`:        `\x41`,
		`\x00guest\r`:  "\x00guest\r",
		`ends in one\`: "",
		`\q`:           "",
		`\x`:           "",
		`\x4`:          "",
		`\x4g`:         "",
		`\x+4`:         "",
		`\`:            "",
	} {
		got, err := unescape(text)
		if got != want || (err != nil) != (want == "" && text != "") {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestScriptFlags(t *testing.T) {
	var s script
	f := pflag.NewFlagSet("get", pflag.ContinueOnError)
	s.addFlags(f)
	if err := f.Parse([]string{"--send", `a\r`, "--expect=b+", "--press", "pf12", "--send", "c"}); err != nil {
		t.Fatal(err)
	}
	if len(s.steps) != 4 || s.settle != 2*time.Second {
		t.Fatalf("%+v", s)
	}
	if s.steps[0].send != "a\r" || s.steps[1].expect.String() != "b+" || s.steps[2].press != tn3270.PF12 || s.steps[3].send != "c" {
		t.Errorf("%+v", s.steps)
	}
	for _, args := range [][]string{{"tn3270://h/"}, {"http://h/", "tn3270://h/"}, {"-"}} {
		if err := s.settleFlags(args); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
	if s.settleFlags([]string{"telnet://h/"}) == nil || s.settleFlags([]string{"http://h/"}) == nil {
		t.Error("a key is pressed where there are none")
	}
}

func TestEscapeFlag(t *testing.T) {
	for text, want := range map[string]byte{
		"^]": 0x1D, "^a": 1, "^A": 1, "^_": 0x1F, "^^": 0x1E, `^\`: 0x1C, "^z": 0x1A, "none": 0,
	} {
		s := sessionFlags{escape: text}
		if err := s.settle(new(pflag.FlagSet)); err != nil || s.key != want {
			t.Errorf("%q: %#x, %v", text, s.key, err)
		}
	}
	for _, text := range []string{"", "]", "^", "^]]", "^1", "^@", "^?", "^}", "^\xff", "^ü", "^C", "^m", "^J", "^i", "^h", "^["} {
		s := sessionFlags{escape: text}
		if err := s.settle(new(pflag.FlagSet)); err == nil {
			t.Errorf("%q is %#x", text, s.key)
		}
	}
}

func TestLineEditor(t *testing.T) {
	for _, test := range []struct {
		name, typed, line, shown string
		state                    lineState
	}{
		{"line", "ab\r", "ab", "ab\r\n", lineDone},
		{"new line", "a\n", "a", "a\r\n", lineDone},
		{"nothing", "\r", "", "\r\n", lineDone},
		{"erased", "ab\x7f\bc", "c", "ab\b \b\b \bc", lineMore},
		{"nothing to erase", "\x7fa", "a", "a", lineMore},
		{"a character", "ü\x7f", "", "ü\b \b", lineMore},
		{"a wide one", "日\x7f", "", "日\b \b\b \b", lineMore},
		{"no character", "\xff\x7f", "", "\xff\b \b", lineMore},
		{"all", "abü\x15c", "c", "abü\b \b\b \b\b \bc", lineMore},
		{"a tab", "a\tb\x7f\x7f", "a", "a b\b \b\b \b", lineMore},
		{"Ctrl-C", "a\x03", "a", "a^C\r\n", lineBreak},
		{"Ctrl-D", "\x04", "", "", lineEnd},
		{"Ctrl-D in a line", "a\x04b", "ab", "ab", lineMore},
		{"other controls", "a\x00\x01\x1c\x1fb", "ab", "ab", lineMore},
		{"arrows", "a\x1b[A\x1b[1;5Db\x1bOCc", "abc", "abc", lineMore},
		{"function keys", "\x1b[15~\x1bOPa", "a", "a", lineMore},
		{"with Alt", "\x1bxa", "a", "a", lineMore},
		{"Escape, then a line", "a\x1b\r", "a", "a\r\n", lineDone},
		{"Escape twice", "\x1b\x1b[Aa", "a", "a", lineMore},
		{"a sequence that is cut", "\x1b[1\r", "", "\r\n", lineDone},
	} {
		t.Run(test.name, func(t *testing.T) {
			var l lineEditor
			var shown bytes.Buffer
			state := lineMore
			for i := range len(test.typed) {
				if state != lineMore {
					t.Fatalf("it ends at %d", i)
				}
				state = l.take(test.typed[i], &display{w: &shown})
			}
			if l.text() != test.line || shown.String() != test.shown || state != test.state {
				t.Errorf("%q, shown %q, %d", l.text(), shown.String(), state)
			}
		})
	}
	var l lineEditor
	var shown bytes.Buffer
	for range term.MaxLine + 5 {
		l.take('x', &display{w: &shown})
	}
	if len(l.text()) != term.MaxLine || !strings.HasSuffix(shown.String(), "x\a\a\a\a\a") {
		t.Errorf("%d octets", len(l.text()))
	}
}

func TestTildes(t *testing.T) {
	for _, test := range []struct {
		typed []string
		sent  string
		end   bool
	}{
		{[]string{"~."}, "", true},
		{[]string{"~", "."}, "", true},
		{[]string{"a~.b"}, "a~.b", false},
		{[]string{"a\r~."}, "", true},
		{[]string{"a\n", "~", "."}, "a\n", true},
		{[]string{"~~."}, "~.", false},
		{[]string{"~", "~", "~."}, "~~.", false},
		{[]string{"~a~."}, "~a~.", false},
		{[]string{"~\r~x"}, "~\r~x", false},
	} {
		k := talk{begins: true}
		var sent strings.Builder
		end := false
		for _, typed := range test.typed {
			var out []byte
			out, end = k.tildes([]byte(typed))
			sent.Write(out)
		}
		if sent.String() != test.sent || end != test.end {
			t.Errorf("%q: %q, %t", test.typed, sent.String(), end)
		}
	}
}

func TestDisplaySecondScreen(t *testing.T) {
	for text, second := range map[string]bool{
		"":                           false,
		"\x1b[?1049h":                true,
		"\x1b[?47h":                  true,
		"a\x1b[?25;1047;7hb":         true,
		"\x1b[?1049h\x1b[?1049l":     false,
		"\x1b[?1049h\x1b[?1047l":     false,
		"\x1b[?1049l\x1b[?1049h":     true,
		"\x1b[?1049":                 false,
		"\x1b[?10490h":               false,
		"\x1b[1049h":                 false,
		"\x1b[?1\x1b[?1049h":         true,
		"\x1b[?1049$h":               false,
		"\x1b[?\x1b\x1b[?1049h":      true,
		"[?1049h":                    false,
		"\x1b[?1049h\x1b[?25l\x1b[m": true,
		"\x1b[?" + strings.Repeat("1;", 1000) + "1049h": false,
	} {
		d := display{w: io.Discard}
		d.Write([]byte(text))
		if d.second != second {
			t.Errorf("%q: %t", text, d.second)
		}
	}
}

func TestDisplayRestore(t *testing.T) {
	var out bytes.Buffer
	var turned []bool
	d := display{w: &out, turn: func(second bool) { turned = append(turned, second) }}
	d.Write([]byte("x"))
	d.fresh()
	d.Write([]byte("\x1b[?1049h"))
	d.own("y\r\n")
	d.fresh()
	d.restore()
	d.restore()
	const sane = cancel + term.Quiet + term.Sane
	if got, want := out.String(), "x\r\n\x1b[?1049hy\r\n"+sane+term.LeaveAlternate+sane; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if !slices.Equal(turned, []bool{true, false}) {
		t.Error(turned)
	}
}

// What a host may not tell a terminal is left out, and so is its second screen, in
// which the person would lose sight of what was there before.
func TestDisplaySafe(t *testing.T) {
	for _, host := range []string{
		"a\x1b[?1049hb\x1b[?1049lc", "a\x1b[?47hb\x1b[?47lc", "a\x1b[?1047hb\x1b[?1047lc", "a\x1b[?10", "a\x1b]0;title\abc", "a\x1b[?1049;1047;47h\x1b[?047h\x1b[?01049hbc",
	} {
		var out bytes.Buffer
		d := display{w: &out, safe: true, turn: func(bool) { t.Errorf("%q turns", host) }}
		for _, o := range []byte(host) {
			d.Write([]byte{o})
		}
		if got := out.String(); d.second || got != "abc" && host != "a\x1b[?10" {
			t.Errorf("%q: %q", host, got)
		}
	}
	// Other modes of the same sequence pass.
	var out bytes.Buffer
	d := display{w: &out, safe: true}
	d.Write([]byte("\x1b[?25;1049;7h"))
	if got := out.String(); got != "\x1b[?25;7h" || d.second {
		t.Errorf("%q", got)
	}
}

// lastTurn is a readable twin of what a display sees, of text in one piece.
var lastTurn = regexp.MustCompile(`\x1b\[\?[0-9;]*[hl]`)

func FuzzDisplay(f *testing.F) {
	f.Add([]byte("a\x1b[?1049hb\x1b[?25;47lc\x1b[?1;2"), uint8(3))
	f.Add([]byte("\x1b\x1b[?1049h"), uint8(1))
	f.Fuzz(func(t *testing.T, text []byte, size uint8) {
		second := false
		for _, set := range lastTurn.FindAllString(string(text), -1) {
			modes := strings.Split(set[len(setsMode):len(set)-1], ";")
			if len(set) <= maxSetsMode && slices.ContainsFunc(modes, func(m string) bool { return m == "47" || m == "1047" || m == "1049" }) {
				second = strings.HasSuffix(set, "h")
			}
		}
		d := display{w: io.Discard}
		for piece := range slices.Chunk(text, int(size)%16+1) {
			d.Write(piece)
		}
		if d.second != second || len(d.sequence) > maxSetsMode {
			t.Errorf("%q: %t, %d octets kept", text, d.second, len(d.sequence))
		}
	})
}

// A character that comes in pieces is whole in the event that ends it.
func TestSessionEvents(t *testing.T) {
	var out bytes.Buffer
	a := newApp(t.Context(), nil, &out, io.Discard, noEnv)
	tell := (&getter{viewer: viewer{a: a}}).sessionEvents(found{asked: locus.MustParse("telnet://u:p@h/")})
	for _, event := range []struct{ name, octets string }{
		{"received", "a\xc3"}, {"sent", "x"}, {"received", "\xbcb\xe6"}, {"received", "\x97"}, {"received", "\xa5\xff"}, {"received", "\xf0\x9f"}, {"closed", ""},
	} {
		if err := tell(event.name, []byte(event.octets)); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for line := range strings.Lines(out.String()) {
		line = strings.TrimPrefix(line, `{"url":"telnet://u:***@h/","event":`)
		got = append(got, strings.TrimSuffix(line, "}\n"))
	}
	want := []string{
		`"received","text":"a"`, `"sent","text":"x"`, `"received","text":"üb"`, `"received","text":"æ\u0097¥ÿ"`,
		`"received","text":"ð\u009f"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// host is a terminal of which a test has the other end.
func host(t *testing.T) (scheme.Terminal, net.Conn) {
	near, far := net.Pipe()
	t.Cleanup(func() {
		near.Close()
		far.Close()
	})
	return scheme.PlainTerminal(near), far
}

func newTestPlayer(t *testing.T, conn scheme.Terminal) *player {
	p := newPlayer(t.Context(), conn, func(string, []byte) error { return nil })
	p.stepTime = 100 * time.Millisecond
	t.Cleanup(p.close)
	return p
}

func expectStep(text string) step { return step{kind: stepExpect, expect: regexp.MustCompile(text)} }

// What never ends is heard as long as a step may take, and not kept.
func TestPlayerFlood(t *testing.T) {
	conn, far := host(t)
	go func() {
		piece := bytes.Repeat([]byte("x"), 1000)
		for {
			if _, err := far.Write(piece); err != nil {
				return
			}
		}
	}()
	p := newTestPlayer(t, conn)
	err := p.play(&script{steps: []step{expectStep("y")}, settle: time.Hour})
	if access.KindOf(err) != access.Timeout || len(err.Error()) > 500 {
		t.Error(err)
	}
	for p.got < expectWindow { // a step is short where others have the processor
		if err := p.play(&script{steps: []step{expectStep("y")}, settle: time.Hour}); access.KindOf(err) != access.Timeout {
			t.Fatal(err)
		}
	}
	if len(p.window) > expectWindow || cap(p.window) > 4*expectWindow || p.got < expectWindow {
		t.Errorf("%d octets came, %d are kept in %d", p.got, len(p.window), cap(p.window))
	}
	p.limit = p.got + 10_000
	if err := p.play(&script{settle: time.Hour}); access.KindOf(err) != access.TooLarge {
		t.Error(err)
	}
}

// A match may come in pieces, and is looked for in what came last.
func TestPlayerExpect(t *testing.T) {
	conn, far := host(t)
	go func() {
		for _, piece := range []string{"sesa", "me", strings.Repeat("x", 2*expectWindow), "open ses", "ame"} {
			io.WriteString(far, piece)
		}
		far.Close()
	}()
	p := newTestPlayer(t, conn)
	p.stepTime = maxStep
	err := p.play(&script{steps: []step{expectStep("^sesame"), expectStep("x open|xopen"), expectStep("sesame$"), expectStep("sesame")}, settle: time.Hour})
	if access.KindOf(err) != access.Protocol || !strings.Contains(err.Error(), "the host ended the session before anything matched \"sesame\"") {
		t.Error(err)
	}
	// There is nobody to send to.
	if err := p.send("x"); access.KindOf(err) != access.Protocol || strings.Contains(err.Error(), "x ") {
		t.Error(err)
	}
}

// maxStep is longer than anything takes here.
const maxStep = 2 * time.Minute

// A host that takes nothing, and one that ends because of what it got.
func TestPlayerSend(t *testing.T) {
	conn, far := host(t)
	p := newTestPlayer(t, conn)
	if err := p.send("x"); access.KindOf(err) != access.Timeout {
		t.Error(err)
	}
	far.Close()

	conn, far = host(t)
	go func() {
		io.ReadFull(far, make([]byte, 3))
		far.Close()
	}()
	p = newTestPlayer(t, conn)
	p.stepTime = maxStep
	if err := p.play(&script{steps: []step{{send: "bye"}}, settle: time.Hour}); err != nil {
		t.Error(err)
	}
}

func TestPlayerInterrupted(t *testing.T) {
	for _, st := range []step{{send: "x"}, expectStep("x"), {kind: stepPress}} {
		conn, _ := host(t)
		ctx, cancel := context.WithCancelCause(t.Context())
		p := newPlayer(ctx, conn, func(string, []byte) error { return nil })
		p.stepTime = maxStep
		because := errors.New("because")
		cancel(because)
		if err := p.play(&script{steps: []step{st}, settle: time.Hour}); !errors.Is(err, because) {
			t.Error(err)
		}
		p.close()
	}
}

// Where nobody reads what came, there is no sense in going on.
func TestPlayerBroken(t *testing.T) {
	conn, far := host(t)
	go io.WriteString(far, "x")
	p := newPlayer(t.Context(), conn, func(string, []byte) error { return io.ErrClosedPipe })
	defer p.close()
	p.stepTime = maxStep
	if err := p.play(&script{steps: []step{expectStep("y")}, settle: time.Hour}); !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
}

// talks starts a host that does as f has it.
func talks(t *testing.T, f func(io.ReadWriter)) string {
	t.Helper()
	server, err := telnettest.StartTelnet(&telnettest.TelnetOptions{Plain: true, Talk: f})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return server.Addr()
}

// Hosts that negotiate for ever, or never say a word.
func TestGetSessionHostile(t *testing.T) {
	t.Parallel()
	ever := func(begin, text string) func(io.ReadWriter) {
		return func(c io.ReadWriter) {
			go io.Copy(io.Discard, c)
			io.WriteString(c, begin)
			for {
				if _, err := io.WriteString(c, text); err != nil {
					return
				}
			}
		}
	}
	silent := func(c io.ReadWriter) { io.Copy(io.Discard, c) }
	storm := strings.Repeat("\xff\xfd\x18\xff\xfe\x18\xff\xfb\x01\xff\xfc\x01", 100)
	for _, test := range []struct {
		name, scheme string
		talk         func(io.ReadWriter)
		timeout      string
		want         string
	}{
		{"options", "telnet", ever("", storm), "60s", `"kind":"protocol","message":".*endless negotiation`},
		{"a subnegotiation", "telnet", ever("\xff\xfa\x18", strings.Repeat("x", 1000)), "60s", `"kind":"protocol","message":".*endless negotiation`},
		{"options", "tn3270", ever("", storm), "60s", `"kind":"protocol","message":".*endless negotiation`},
		{"silence", "telnet", silent, "10s", `"kind":"timeout"`},
		{"silence", "tn3270", silent, "10s", `"kind":"protocol","message":".*the host shows no 3270 screen"`},
		{"text", "tn3270", ever("", "\x1b[2Jtext "), "10s", `shows no 3270 screen, but says \\".*text`},
		{"nothing", "tn3270", func(io.ReadWriter) {}, "60s", `"kind":"protocol","message":".*the host shows no 3270 screen"`},
		{"records of nothing", "tn3270", ever("", "\xff\xfd\x19\xff\xfb\x19\xff\xfd\x00\xff\xfb\x00\xff\xef\xff\xef"), "10s", `"kind":"(protocol|timeout)"`},
	} {
		t.Run(test.scheme+", "+test.name, func(t *testing.T) {
			t.Parallel()
			got := get(t, nil, "--json", "--timeout", test.timeout, "--expect", "sesame", test.scheme+"://"+talks(t, test.talk)+"/")
			if got.status != statusAccess || got.err != "" || !regexp.MustCompile(test.want).MatchString(got.out) {
				t.Errorf("status %d, %s, %.500q", got.status, got.err, got.out[max(0, len(got.out)-500):])
			}
		})
	}
}

func startHost(t *testing.T, run func(*telnettest.Host) error) string {
	t.Helper()
	server, err := telnettest.StartTN3270(&telnettest.HostOptions{Run: run})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return server.Addr()
}

// A host that locks the keyboard for good, one that ends behind its screen, and one
// that takes its time to write it.
func TestGetScreens(t *testing.T) {
	t.Parallel()
	locked := startHost(t, func(h *telnettest.Host) error {
		err := h.Show(h.Builder().EraseWrite(0).At(1, 1).Text("wait"))
		h.Receive()
		return err
	})
	url := "tn3270://" + locked + "/"
	// Each waits out its time, which is long enough for a machine that is busy.
	const patience = "10s"
	t.Run("a screen", func(t *testing.T) {
		t.Parallel()
		if got := get(t, nil, "--timeout", patience, url); got.status != 0 || !strings.HasPrefix(got.out, "wait\n") {
			t.Errorf("%+v", got)
		}
	})
	t.Run("JSON", func(t *testing.T) {
		t.Parallel()
		if got := get(t, nil, "--timeout", patience, "--json", url); got.status != 0 || !strings.Contains(got.out, `"locked":"X SYSTEM"`) {
			t.Errorf("%+v", got)
		}
	})
	t.Run("a key", func(t *testing.T) {
		t.Parallel()
		if got := get(t, nil, "--timeout", patience, "--send", "x", url); got.status != statusAccess || !strings.Contains(got.err, "keeps the keyboard locked") {
			t.Errorf("%+v", got)
		}
	})
	ends := startHost(t, func(h *telnettest.Host) error {
		return h.Show(h.Builder().EraseWrite(0).At(1, 1).Text("Goodbye"))
	})
	if got := get(t, nil, "tn3270://"+ends+"/"); got.status != 0 || !strings.HasPrefix(got.out, "Goodbye\n") {
		t.Errorf("%+v", got)
	}
	pieces := startHost(t, func(h *telnettest.Host) error {
		err := h.Show(h.Builder().EraseWrite(tn3270.KeyboardRestore).At(1, 1).Text("one"))
		for i := range 3 {
			err = errors.Join(err, h.Show(h.Builder().Write(tn3270.KeyboardRestore).At(2+i, 1).Text(fmt.Sprint(i))))
		}
		h.Receive()
		return err
	})
	if got := get(t, nil, "--settle", "2s", "tn3270://"+pieces+"/"); got.status != 0 || !strings.HasPrefix(got.out, "one\n0\n1\n2\n") {
		t.Errorf("%+v", got)
	}
}

// What the terminal of tn3270 is: by flags, by the configuration, and without colours
// for who wants none.
func TestGetScreenTerminal(t *testing.T) {
	t.Parallel()
	server, err := telnettest.StartTN3270(&telnettest.HostOptions{CodePage: "500", Extended: true, Run: func(h *telnettest.Host) error {
		return h.Show(h.Builder().EraseWriteAlternate(tn3270.KeyboardRestore).At(1, 1).Text("[!]^"))
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	url := "tn3270://" + server.Addr() + "/"
	variables := func(list map[string]string) func(*app) {
		return func(a *app) {
			a.outTTY = true
			a.env = func(name string) string { return list[name] }
		}
	}
	for i, test := range []struct {
		change     func(*app)
		args       []string
		rows       int
		text, told string
	}{
		{nil, nil, 24, "¢|!¬", "device LU0001"},
		{nil, []string{"--model", "5", "--code-page", "500", "--device", "LU7"}, 27, "[!]^", "device LU7"},
		{variables(map[string]string{"LOCUS_TN3270_MODEL": "4", "LOCUS_TN3270_CODE_PAGE": "273"}), []string{"--code-page", "500"}, 43, "[!]^", "type IBM-3278-4-E"},
		{variables(map[string]string{"LOCUS_TN3270_BASIC": "true"}), nil, 24, "¢|!¬", "type IBM-3279-2-E"},
		{variables(map[string]string{"LOCUS_TN3270_BASIC": "true", "NO_COLOR": "1"}), nil, 24, "¢|!¬", "type IBM-3278-2-E"},
	} {
		got := get(t, test.change, append(test.args, url)...)
		if text, _, _ := strings.Cut(got.out, "\n"); got.status != 0 || text != test.text || strings.Count(got.out, "\n") != test.rows {
			t.Errorf("%d: %+v, want %d rows that begin with %q", i, got, test.rows, test.text)
		}
		if log := server.Log()[i]; !slices.Contains(log, test.told) {
			t.Errorf("%d: the host heard %q, and no %q", i, log, test.told)
		}
	}
	for flag, value := range map[string]string{"--model": "6", "--code-page": "437"} {
		for _, command := range []string{"get", "open"} {
			if got := run(t, nil, command, flag, value, url); got.status != statusUsage || !strings.Contains(got.err, flag+": ") {
				t.Errorf("%s %s: %+v", command, flag, got)
			}
		}
	}
}

func TestLastWords(t *testing.T) {
	var l lastWords
	for _, piece := range []string{"a", strings.Repeat("b", maxLastWords-1), "c", strings.Repeat("d", 3*maxLastWords)} {
		if n, err := l.Write([]byte(piece)); n != len(piece) || err != nil {
			t.Error(n, err)
		}
		if len(l) > maxLastWords || !bytes.HasSuffix([]byte(piece), l[max(0, len(l)-len(piece)):]) {
			t.Errorf("%q", l)
		}
	}
}

// badInput is a standard input that breaks.
type badInput struct{}

func (badInput) Read([]byte) (int, error) { return 0, os.ErrPermission }

// What goes wrong between pipes.
func TestOpenPipe(t *testing.T) {
	t.Parallel()
	url := "telnet://" + talks(t, func(c io.ReadWriter) {
		io.WriteString(c, "hello\r\n")
		io.Copy(io.Discard, c)
	}) + "/"
	got := run(t, func(a *app) { a.in = badInput{} }, "open", url)
	if got.status != statusAccess || !strings.Contains(got.err, "permission denied") || got.out != "hello\r\n" {
		t.Errorf("%+v", got)
	}
	// A host that ends does not care for the rest of the input.
	url = "telnet://" + talks(t, func(c io.ReadWriter) { io.WriteString(c, "bye\r\n") }) + "/"
	got = run(t, func(a *app) { a.in = manyLines{} }, "open", url)
	if got.status != 0 && !strings.Contains(got.err, "reset") || got.out != "bye\r\n" {
		t.Errorf("%+v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	url = "telnet://" + talks(t, func(c io.ReadWriter) {
		io.WriteString(c, "hello\r\n")
		cancel()
		io.Copy(io.Discard, c)
	}) + "/"
	got = run(t, func(a *app) {
		a.ctx = ctx
		a.in, _ = io.Pipe()
	}, "open", url)
	if got.status != statusInterrupted {
		t.Errorf("%+v", got)
	}
}

// manyLines is an input that never ends.
type manyLines struct{}

func (manyLines) Read(p []byte) (int, error) { return copy(p, "line\n"), nil }

// deaf is a host that takes nothing.
type deaf struct {
	scheme.Terminal
	closed chan struct{}
}

func newDeaf() *deaf {
	near, _ := net.Pipe()
	return &deaf{scheme.PlainTerminal(near), make(chan struct{})}
}

func (d *deaf) Write([]byte) (int, error) {
	<-d.closed
	return 0, net.ErrClosed
}

func (d *deaf) Status() []scheme.Field {
	<-d.closed
	return nil
}

func (d *deaf) Close() error {
	close(d.closed)
	return d.Terminal.Close()
}

// A host that takes nothing does not keep the person from leaving.
func TestTalkDeaf(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	tty, keys, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	defer keys.Close()
	o := &opening{viewer: viewer{a: &app{flags: globalFlags{quiet: true}}}}
	o.session.key = 0x1D
	k := newTalk(o, tty, &scheme.Session{URL: locus.MustParse("telnet://h/"), Conn: newDeaf()})
	k.display.w, k.mode = &out, typingCharacters
	go func() {
		for range 2 * maxWaiting / 1024 {
			keys.Write(bytes.Repeat([]byte("x"), 1024))
		}
		io.WriteString(keys, "\x1dstatus\r\x1dclose\r")
	}()
	if err := k.hold(t.Context()); err != nil {
		t.Error(err)
	}
	if !strings.Contains(out.String(), "\a") || !strings.Contains(out.String(), "the host takes nothing of what is typed") || k.size > maxWaiting {
		t.Errorf("%q, %d octets wait", out.String(), k.size)
	}
}

package get

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/cli/base"
	"github.com/locus-url/locus/internal/cli/clitest"
	"github.com/locus-url/locus/internal/cli/show"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/tn3270"
)

func newPlayer(ctx context.Context, conn scheme.Terminal, tell func(event string, octets []byte) error) *player {
	p := &player{ctx: ctx, conn: conn, tell: tell, pieces: make(chan []byte), done: make(chan struct{})}
	go p.read()
	return p
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
	a := base.New(t.Context(), strings.NewReader(""), io.Discard, io.Discard, clitest.NoEnv)
	var err error
	if a.Registry, err = a.NewRegistry(); err != nil {
		t.Fatal(err)
	}
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
		if err := s.settleFlags(a, args); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
	if s.settleFlags(a, []string{"telnet://h/"}) == nil || s.settleFlags(a, []string{"http://h/"}) == nil {
		t.Error("a key is pressed where there are none")
	}
}

// A character that comes in pieces is whole in the event that ends it.
func TestSessionEvents(t *testing.T) {
	var out bytes.Buffer
	a := base.New(t.Context(), nil, &out, io.Discard, clitest.NoEnv)
	tell := (&getter{Viewer: show.Viewer{App: a}}).sessionEvents(show.Found{Asked: locus.MustParse("telnet://u:p@h/")})
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

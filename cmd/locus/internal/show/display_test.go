package show

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/internal/term"
)

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
		d := Display{Writer: io.Discard, Level: term.Unfiltered}
		d.Write([]byte(text))
		if d.Alternate != second {
			t.Errorf("%q: %t, want d.Alternate %v", text, d.Alternate, second)
		}
	}
}

func TestDisplayRestore(t *testing.T) {
	var out bytes.Buffer
	var turned []bool
	d := Display{Writer: &out, Level: term.BothScreens, OnAlternate: func(second bool) { turned = append(turned, second) }}
	d.Write([]byte("x"))
	d.FreshLine()
	d.Write([]byte("\x1b[?1049h"))
	d.WriteOwn("y\r\n")
	d.FreshLine()
	d.Restore()
	d.Restore()
	const sane = cancel + term.Quiet + term.Sane
	if got, want := out.String(), "x\r\n\x1b[?1049hy\r\n"+sane+term.LeaveAlternate+sane; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if !slices.Equal(turned, []bool{true, false}) {
		t.Errorf("%v, want turned %v", turned, []bool{true, false})
	}
}

// Sequences that a host must not send are dropped. So are switches to the alternate screen,
// which would hide earlier output.
func TestDisplaySafe(t *testing.T) {
	for _, host := range []string{
		"a\x1b[?1049hb\x1b[?1049lc", "a\x1b[?47hb\x1b[?47lc", "a\x1b[?1047hb\x1b[?1047lc", "a\x1b[?10", "a\x1b]0;title\abc", "a\x1b[?1049;1047;47h\x1b[?047h\x1b[?01049hbc",
	} {
		var out bytes.Buffer
		d := Display{Writer: &out, OnAlternate: func(bool) { t.Errorf("%q turns", host) }}
		for _, o := range []byte(host) {
			d.Write([]byte{o})
		}
		if got := out.String(); d.Alternate || got != "abc" && host != "a\x1b[?10" {
			t.Errorf("%q: %q, want %q on the first screen", host, got, "abc")
		}
	}
	// The other modes in the same sequence reach the terminal.
	var out bytes.Buffer
	d := Display{Writer: &out}
	d.Write([]byte("\x1b[?25;1049;7h"))
	if got := out.String(); got != "\x1b[?25;7h" || d.Alternate {
		t.Errorf("%q, want %q", got, "\x1b[?25;7h")
	}
}

// lastTurn is a simple reference for the detection of screen switches in an unsplit text.
var lastTurn = regexp.MustCompile(`\x1b\[\?[0-9;]*[hl]`)

func FuzzDisplay(f *testing.F) {
	f.Add([]byte("a\x1b[?1049hb\x1b[?25;47lc\x1b[?1;2"), uint8(3))
	f.Add([]byte("\x1b\x1b[?1049h"), uint8(1))
	f.Fuzz(func(t *testing.T, text []byte, size uint8) {
		second := false
		for _, set := range lastTurn.FindAllString(string(text), -1) {
			modes := strings.Split(set[len("\x1b[?"):len(set)-1], ";")
			if len(set) <= maxModeChange && slices.ContainsFunc(modes, func(m string) bool { return m == "47" || m == "1047" || m == "1049" }) {
				second = strings.HasSuffix(set, "h")
			}
		}
		d := Display{Writer: io.Discard, Level: term.Unfiltered}
		for piece := range slices.Chunk(text, int(size)%16+1) {
			d.Write(piece)
		}
		if d.Alternate != second || len(d.sequence) > maxModeChange {
			t.Errorf("%q: %t, %d octets kept", text, d.Alternate, len(d.sequence))
		}
	})
}

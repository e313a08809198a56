package term

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func filtered(level Level, src string, piece int) string {
	f := Filter{Level: level}
	var out []byte
	for len(src) > 0 {
		n := min(piece, len(src))
		out = f.Append(out, []byte(src[:n]))
		src = src[n:]
	}
	return string(out)
}

// filterTable holds the output of the level WithMouse.
var filterTable = []struct{ src, want string }{
	{"plain text\r\n\tand\b\a more", "plain text\r\n\tand\b\a more"},
	{"\x00\x01\x05\x11\x13\x7f|", "|"},
	{"é ü € 𝄞", "é ü € 𝄞"},
	{"\u202eevil\u2066", "evil"},
	{"a\xe9b\xc3", "a\uFFFDb"},
	{"\xc3\x28|\xe2\x82|", "\uFFFD(|\uFFFD|"},
	{"\x9b31m\x90x\x9c", "31mx"},
	{"\u009b31m", "31m"},
	// Sequences for colors, cursor movement and erasing.
	{"\x1b[1;31mred\x1b[0m\x1b[38:2::1:2:3m\x1b[m", "\x1b[1;31mred\x1b[0m\x1b[38:2::1:2:3m\x1b[m"},
	{"\x1b[2J\x1b[H\x1b[10;20H\x1b[5A\x1b[K\x1b[?K\x1b[3J\x1b[?3J\x1b[1J", "\x1b[2J\x1b[H\x1b[10;20H\x1b[5A\x1b[K\x1b[?K\x1b[1J"},
	{"\x1b[1;5r\x1b[2L\x1b[3P\x1b[4@\x1b[2S\x1b[2T\x1b[1;2;3;4;5T\x1b[5b\x1b[99999b", "\x1b[1;5r\x1b[2L\x1b[3P\x1b[4@\x1b[2S\x1b[2T\x1b[5b"},
	{"\x1b7\x1b8\x1bD\x1bM\x1b=\x1b>\x1b(0lqk\x1b(B\x1b)A", "\x1b7\x1b8\x1bD\x1bM\x1b=\x1b>\x1b(0lqk\x1b(B\x1b)A"},
	{"\x1b[s\x1b[u\x1b[1;2s\x1b[>1u\x1b[!p\x1b[?!p", "\x1b[s\x1b[u\x1b[!p"},
	// Modes.
	{"\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[4h\x1b[20h\x1b[?1003h\x1b[?1004h\x1b[?1001h", "\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[4h"},
	{"\x1b[?1000;1003;1049;1006;25;9h", "\x1b[?1000;1049;1006;25h"},
	// Sequences that make the terminal send a response or change more than the display.
	{"\x1b[c\x1b[>c\x1b[0c\x1b[6n\x1b[?6n\x1b[5n\x1b[?1$p\x1bZ\x1b[x\x1b[21t\x1b[5i\x1b[4i\x1b[?5i\x1bc\x1b#8\x1b%G|", "|"},
	{"\x1b]0;title\a1\x1b]2;title\x1b\\2\x1b]52;c;aGk=\a3\x1b]8;;http://x/\alink\x1b]8;;\a", "123link"},
	{"\x1bPq#0\x1b\\1\x1b_Gf=1\x1b\\2\x1b^pm\x1b\\3\x1bXsos\a\x1b\\4", "1234"},
	{"\x1bP$q\"p\x1b\\|\x1b]4;1;?\a|\x1b[=1c|", "|||"},
	{"\x1bktitle\x1b\\1\x1bP1;1|17/6f\x1b\\2\x1b]4;1;?\x1b\\3\x1bZ\x1b[?6n\x1b[>q\x1b[?u4", "1234"},
	// The same sequences with C1 control characters, both as single octets and in UTF-8.
	{"\x9bc|\x9b6n|\x90$qm\x9c|\x9d0;t\a|\x9a|\x98s\x9c|\x9ep\x9c|\x9fa\x9c|", "c|6n|$qm|0;t\a||s|p|a|"},
	{"\u009bc|\u009b6n|\u0090$qm\u009c|\u009d0;t\a|\u009a|\u0098s\u009c|\u009ep\u009c|\u009fa\u009c|", "c|6n|$qm|0;t\a||s|p|a|"},
	// The Linux console's palette.
	{"\x1b]R|\x1b]P1ff0000|\x1b]P1ff\x1b[1m|", "||\x1b[1m|"},
	{"\x1b[>4;2m\x1b[?4m\x1b[2 q\x1b[1'z|", "|"},
	// Incomplete and malformed sequences, and sequences that contain control characters.
	{"\x1b[3\r1m|", "\x1b[31m|"},
	{"\x1b[31\x18m|\x1b\x1am|\x1b\x1b[1m", "m|m|\x1b[1m"},
	{"\x1b]0;title\x1b[1mtext", "\x1b[1mtext"},
	{"\x1b[" + strings.Repeat("1;", 40) + "m|", "|"},
	{"\x1b[3\xc3\xa9m|\x1b\xc3\xa9|", "ém|é|"},
	{"\x1b[12<m\x1b[:m\x1b[:A|", "\x1b[:m|"},
	{"\x1b( B\x1b$B|", "|"},
	{"\x1b]0;" + strings.Repeat("x", maxString-2) + "yz", "z"},
	{"\x1b", ""}, {"\x1b[", ""}, {"\x1b[1", ""},
}

func TestFilter(t *testing.T) {
	for _, test := range filterTable {
		for _, piece := range []int{1, 2, 3, 1 << 20} {
			if got := filtered(WithMouse, test.src, piece); got != test.want {
				t.Errorf("%.80q in pieces of %d: %.80q, want %.80q", test.src, piece, got, test.want)
			}
		}
	}
	if got := filtered(OneScreen, Sane, 1); got != Sane {
		t.Errorf("Sane does not pass: %q", got)
	}
}

// Each level must pass its modes, and Quiet must end all mouse and focus reports.
func TestFilterLevels(t *testing.T) {
	const screens, clicks, other = "47 1047 1049", "1000 1002 1005 1006 1015", "9 1001 1003 1004"
	for _, test := range []struct {
		modes string
		from  Level
	}{{"1 6 7 12 25 1048 2004", OneScreen}, {screens, BothScreens}, {clicks, WithMouse}, {other, Unfiltered}} {
		for mode := range strings.FieldsSeq(test.modes) {
			for level := OneScreen; level <= Unfiltered; level++ {
				src, want := "\x1b[?"+mode+"h", ""
				if level >= test.from {
					want = src
				}
				if got := filtered(level, src, 1); got != want {
					t.Errorf("level %d, mode %s: %q", level, mode, got)
				}
			}
		}
	}
	quiet := strings.Split(strings.Trim(Quiet, "\x1b[?l"), ";")
	for mode := range strings.FieldsSeq(clicks + " " + other) {
		if !slices.Contains(quiet, mode) {
			t.Errorf("Quiet leaves mode %s", mode)
		}
	}
	for _, test := range filterTable {
		if got := filtered(Unfiltered, test.src, 1); got != test.src {
			t.Errorf("Unfiltered: %.80q is %.80q", test.src, got)
		}
	}
}

// The filter must pass the start-up output of full-screen programs, except the queries that make
// the terminal respond.
func TestFilterPrograms(t *testing.T) {
	for _, test := range []struct{ name, src, want string }{
		{"vim", "\x1b[?1049h\x1b[22;0;0t\x1b[>4;2m\x1b[?1h\x1b=\x1b[?2004h\x1b[?1004h\x1b[1;24r\x1b[?12h\x1b[?12l\x1b[22;2t\x1b[22;1t\x1b[27m\x1b[m\x1b[H\x1b[2J" +
			"\x1b[2;1H▽\x1b[6n\x1b[2;1H  \x1b[3;1H\x1bPzz\x1b\\\x1b[0%m\x1b[6n\x1b[3;1H           \x1b[1;1H\x1b[>c\x1b]10;?\a\x1b]11;?\a\x1b[1;1Htext\x1b[?25h\x1b[?1000h\x1b[?1006h",
			"\x1b[?1049h\x1b[?1h\x1b=\x1b[?2004h\x1b[1;24r\x1b[?12h\x1b[?12l\x1b[27m\x1b[m\x1b[H\x1b[2J" +
				"\x1b[2;1H▽\x1b[2;1H  \x1b[3;1H\x1b[3;1H           \x1b[1;1H\x1b[1;1Htext\x1b[?25h\x1b[?1000h\x1b[?1006h"},
		{"less", "\x1b[?1049h\x1b[22;0;0t\x1b[?1h\x1b=\rline\x1b[m\r\n\x1b[7m(END)\x1b[27m\x1b[K\r\x1b[K\x1b[?1l\x1b>\x1b[?1049l\x1b[23;0;0t",
			"\x1b[?1049h\x1b[?1h\x1b=\rline\x1b[m\r\n\x1b[7m(END)\x1b[27m\x1b[K\r\x1b[K\x1b[?1l\x1b>\x1b[?1049l"},
		{"top", "\x1b[?1h\x1b=\x1b[?25l\x1b[H\x1b[2J\x1b(B\x1b[mtop\x1b(B\x1b[m\x1b[39;49m\x1b(B\x1b[m\x1b[K\x1b[7m  PID\x1b[J\x1b[?12l\x1b[?25h",
			"\x1b[?1h\x1b=\x1b[?25l\x1b[H\x1b[2J\x1b(B\x1b[mtop\x1b(B\x1b[m\x1b[39;49m\x1b(B\x1b[m\x1b[K\x1b[7m  PID\x1b[J\x1b[?12l\x1b[?25h"},
		{"a shell's prompt", "\x1b]0;me@host: ~\a\x1b[?2004h\x1b[01;32mme\x1b[00m$ ", "\x1b[?2004h\x1b[01;32mme\x1b[00m$ "},
	} {
		for _, piece := range []int{1, 7, 1 << 20} {
			if got := filtered(WithMouse, test.src, piece); got != test.want {
				t.Errorf("%s in pieces of %d: %q", test.name, piece, got)
			}
		}
	}
}

// harmless matches everything that a filter may pass.
var harmless = regexp.MustCompile(`^(?:[ -~\x07-\x0f]|\x1b[78DEHM=>]|\x1b[(-+][0-~]|` +
	`\x1b\[[0-9;]*[@ABCDEFGHILMPSXZ` + "`" + `abdefgr]|\x1b\[[0-9;:]*m|\x1b\[\??[012]?J|\x1b\[\??[0-9;]*K|\x1b\[[0-9]*T|\x1b\[[su]|\x1b\[!p|` +
	`\x1b\[4(?:;4)*[hl]|\x1b\[\?(?:1|6|7|12|25|47|1047|1048|1049|2004|1000|1002|1005|1006|1015)(?:;(?:1|6|7|12|25|47|1047|1048|1049|2004|1000|1002|1005|1006|1015))*[hl]|[^\x00-\x9f])*$`)

// aboveOneScreen matches modes that the level OneScreen drops.
var aboveOneScreen = regexp.MustCompile(`\x1b\[\?[0-9;]*\b(?:47|1047|1049|1000|1002|1005|1006|1015)\b[0-9;]*[hl]`)

func FuzzFilter(f *testing.F) {
	for _, test := range filterTable {
		for level := range Unfiltered {
			f.Add([]byte(test.src), uint64(level))
		}
	}
	f.Fuzz(func(t *testing.T, src []byte, seed uint64) {
		level := Level(seed % uint64(Unfiltered))
		whole := filtered(level, string(src), len(src)+1)
		r := rand.New(rand.NewPCG(seed, 0))
		filter := Filter{Level: level}
		var out []byte
		for rest := src; len(rest) > 0; {
			n := 1 + r.IntN(len(rest))
			out = filter.Append(out, rest[:n])
			rest = rest[n:]
			if len(filter.sequence) > maxSequence {
				t.Fatalf("%q: %d octets are kept", src, len(filter.sequence))
			}
		}
		if string(out) != whole {
			t.Errorf("%q: %q in pieces, %q as a whole", src, out, whole)
		}
		if !utf8.ValidString(whole) || !harmless.MatchString(whole) {
			t.Errorf("%q: %q", src, whole)
		}
		if level == OneScreen && aboveOneScreen.MatchString(whole) {
			t.Errorf("%q at the level OneScreen: %q", src, whole)
		}
		// The output of each level passes the next level unchanged.
		if again := filtered(level+1, whole, len(whole)+1); again != whole {
			t.Errorf("%q: %q, and then %q", src, whole, again)
		}
		if again := filtered(level, whole, len(whole)+1); again != whole {
			t.Errorf("%q: %q, and then %q", src, whole, again)
		}
	})
}

func BenchmarkFilter(b *testing.B) {
	for name, line := range map[string]string{
		"plain":  strings.Repeat("The quick brown fox. ", 3) + "\r\n",
		"colors": strings.Repeat("\x1b[1;32mfox\x1b[0m jumps ", 4) + "\r\n",
		"UTF-8":  strings.Repeat("schöner Übermut ", 4) + "\r\n",
	} {
		b.Run(name, func(b *testing.B) {
			src := bytes.Repeat([]byte(line), 500)
			dst := make([]byte, 0, 2*len(src))
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				f := Filter{Level: WithMouse}
				f.Append(dst, src)
			}
		})
	}
}

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

func filtered(src string, piece int) string {
	var f Filter
	var out []byte
	for len(src) > 0 {
		n := min(piece, len(src))
		out = f.Append(out, []byte(src[:n]))
		src = src[n:]
	}
	return string(out)
}

var filterTable = []struct{ src, want string }{
	{"plain text\r\n\tand\b\a more", "plain text\r\n\tand\b\a more"},
	{"\x00\x01\x05\x11\x13\x7f|", "|"},
	{"é ü € 𝄞", "é ü € 𝄞"},
	{"\u202eevil\u2066", "evil"},
	{"a\xe9b\xc3", "a\uFFFDb"},
	{"\xc3\x28|\xe2\x82|", "\uFFFD(|\uFFFD|"},
	{"\x9b31m\x90x\x9c", "31mx"},
	{"\u009b31m", "31m"},
	// Colours, moves, erasing.
	{"\x1b[1;31mred\x1b[0m\x1b[38:2::1:2:3m\x1b[m", "\x1b[1;31mred\x1b[0m\x1b[38:2::1:2:3m\x1b[m"},
	{"\x1b[2J\x1b[H\x1b[10;20H\x1b[5A\x1b[K\x1b[?K\x1b[3J\x1b[?3J\x1b[1J", "\x1b[2J\x1b[H\x1b[10;20H\x1b[5A\x1b[K\x1b[?K\x1b[1J"},
	{"\x1b[1;5r\x1b[2L\x1b[3P\x1b[4@\x1b[2S\x1b[2T\x1b[1;2;3;4;5T\x1b[5b\x1b[99999b", "\x1b[1;5r\x1b[2L\x1b[3P\x1b[4@\x1b[2S\x1b[2T\x1b[5b"},
	{"\x1b7\x1b8\x1bD\x1bM\x1b=\x1b>\x1b(0lqk\x1b(B\x1b)A", "\x1b7\x1b8\x1bD\x1bM\x1b=\x1b>\x1b(0lqk\x1b(B\x1b)A"},
	{"\x1b[s\x1b[u\x1b[1;2s\x1b[>1u\x1b[!p\x1b[?!p", "\x1b[s\x1b[u\x1b[!p"},
	// Modes.
	{"\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[4h\x1b[20h\x1b[?1000h", "\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[4h"},
	{"\x1b[?1000;1049;1006;25h", "\x1b[?1049;25h"},
	// Sequences that make the terminal answer, or do more than show.
	{"\x1b[c\x1b[>c\x1b[0c\x1b[6n\x1b[?6n\x1b[5n\x1b[?1$p\x1bZ\x1b[x\x1b[21t\x1b[5i\x1b[4i\x1b[?5i\x1bc\x1b#8\x1b%G|", "|"},
	{"\x1b]0;title\a1\x1b]2;title\x1b\\2\x1b]52;c;aGk=\a3\x1b]8;;http://x/\alink\x1b]8;;\a", "123link"},
	{"\x1bPq#0\x1b\\1\x1b_Gf=1\x1b\\2\x1b^pm\x1b\\3\x1bXsos\a\x1b\\4", "1234"},
	{"\x1bP$q\"p\x1b\\|\x1b]4;1;?\a|\x1b[=1c|", "|||"},
	{"\x1b[>4;2m\x1b[?4m\x1b[2 q\x1b[1'z|", "|"},
	// Incomplete and broken sequences, and those with controls inside.
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
			if got := filtered(test.src, piece); got != test.want {
				t.Errorf("%.80q in pieces of %d: %.80q, want %.80q", test.src, piece, got, test.want)
			}
		}
	}
	if got := filtered(Sane, 1); got != Sane {
		t.Errorf("Sane does not pass: %q", got)
	}
	// All reports of the mouse and the focus end.
	for _, mode := range []string{"9", "1000", "1001", "1002", "1003", "1004", "1005", "1006", "1015"} {
		if !slices.Contains(strings.Split(strings.Trim(Quiet, "\x1b[?l"), ";"), mode) || filtered("\x1b[?"+mode+"h", 1) != "" {
			t.Errorf("mode %s passes, or is left", mode)
		}
	}
}

// harmless matches everything that a filter may pass.
var harmless = regexp.MustCompile(`^(?:[ -~\x07-\x0f]|\x1b[78DEHM=>]|\x1b[(-+][0-~]|` +
	`\x1b\[[0-9;]*[@ABCDEFGHILMPSXZ` + "`" + `abdefgr]|\x1b\[[0-9;:]*m|\x1b\[\??[012]?J|\x1b\[\??[0-9;]*K|\x1b\[[0-9]*T|\x1b\[[su]|\x1b\[!p|` +
	`\x1b\[4(?:;4)*[hl]|\x1b\[\?(?:1|6|7|12|25|47|1047|1048|1049|2004)(?:;(?:1|6|7|12|25|47|1047|1048|1049|2004))*[hl]|[^\x00-\x9f])*$`)

func FuzzFilter(f *testing.F) {
	for _, test := range filterTable {
		f.Add([]byte(test.src), uint64(1))
	}
	f.Fuzz(func(t *testing.T, src []byte, seed uint64) {
		whole := filtered(string(src), len(src)+1)
		r := rand.New(rand.NewPCG(seed, 0))
		var filter Filter
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
		if again := filtered(whole, len(whole)+1); again != whole {
			t.Errorf("%q: %q, and then %q", src, whole, again)
		}
	})
}

func BenchmarkFilter(b *testing.B) {
	for name, line := range map[string]string{
		"plain":   strings.Repeat("The quick brown fox. ", 3) + "\r\n",
		"colours": strings.Repeat("\x1b[1;32mfox\x1b[0m jumps ", 4) + "\r\n",
		"UTF-8":   strings.Repeat("schöner Übermut ", 4) + "\r\n",
	} {
		b.Run(name, func(b *testing.B) {
			src := bytes.Repeat([]byte(line), 500)
			dst := make([]byte, 0, 2*len(src))
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				var f Filter
				f.Append(dst, src)
			}
		})
	}
}

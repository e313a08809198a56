package tn3270_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/tn3270"
)

func TestKeyNames(t *testing.T) {
	seen := map[string]bool{}
	for k := tn3270.Enter; k <= tn3270.Redraw; k++ {
		name := k.String()
		if seen[name] || strings.HasPrefix(name, "Key(") {
			t.Errorf("%d is %s", int(k), name)
		}
		seen[name] = true
		for _, spelt := range []string{name, strings.ToLower(name), strings.ToUpper(name)} {
			if got, ok := tn3270.ParseKey(spelt); !ok || got != k {
				t.Errorf("%s is %v, %v", spelt, got, ok)
			}
		}
	}
	for _, name := range []string{"", "PF0", "PF25", "PA4", "Key(0)", "Key(1)", "PF", "F1"} {
		if got, ok := tn3270.ParseKey(name); ok || got != 0 {
			t.Errorf("%q is %v", name, got)
		}
	}
	if got := (tn3270.PF24).String() + " " + tn3270.Key(0).String(); got != "PF24 Key(0)" {
		t.Error(got)
	}
	if send, err := form(t).Press(0); send != nil || err != nil {
		t.Errorf("%q, %v", send, err)
	}
}

// The test cases are input from real terminals.
func TestDecoder(t *testing.T) {
	for sent, want := range map[string]string{
		"ab c~é€日": `"ab c~é€日"`,
		"\r\n\t":   "Enter Newline Tab", "\x08\x7f": "Backspace Backspace",
		"\x03\x04\x05\x06\x0c\x12\x15":                     "Clear Dup EraseEOF FieldMark Redraw Reset EraseInput",
		"\x00\x02\x07\x0b\x0e\x1a\x1c\x1d\x1f":             "",
		"\x1b[A\x1b[B\x1b[C\x1b[D":                         "Up Down Right Left",
		"\x1bOA\x1bOB\x1bOC\x1bOD\x1bOH\x1bOF\x1bOM":       "Up Down Right Left Home EraseEOF Enter",
		"\x1b[H\x1b[F\x1b[Z\x1b[1;5C":                      "Home EraseEOF Backtab Right",
		"\x1b[1~\x1b[2~\x1b[3~\x1b[4~\x1b[5~\x1b[6~":       "Home Insert Delete EraseEOF PF7 PF8",
		"\x1b[7~\x1b[8~\x1b[9~\x1b[0~\x1b[~\x1b[99999999~": "Home EraseEOF",
		"\x1bOP\x1bOQ\x1bOR\x1bOS":                         "PF1 PF2 PF3 PF4",
		"\x1b[11~\x1b[12~\x1b[13~\x1b[14~\x1b[15~":         "PF1 PF2 PF3 PF4 PF5",
		"\x1b[[A\x1b[[B\x1b[[C\x1b[[D\x1b[[E\x1b[[F":       "PF1 PF2 PF3 PF4 PF5",
		"\x1b[17~\x1b[18~\x1b[19~\x1b[20~\x1b[21~":         "PF6 PF7 PF8 PF9 PF10",
		"\x1b[23~\x1b[24~\x1b[25~\x1b[26~\x1b[28~":         "PF11 PF12 PF13 PF14 PF15",
		"\x1b[29~\x1b[31~\x1b[32~\x1b[33~\x1b[34~":         "PF16 PF17 PF18 PF19 PF20",
		"\x1b[1;2P\x1b[1;2S\x1b[15;2~\x1b[24;2~":           "PF13 PF16 PF17 PF24",
		"\x1b[1;5P\x1b[1;6P\x1b[25;2~\x1b[5;2~":            "PF1 PF13 PF13 PF19",
		"\x1b1\x1b2\x1b3\x011\x012\x013":                   "PA1 PA2 PA3 PA1 PA2 PA3",
		"\x1ba\x1bc\x1bi\x1bp\x1br\x1bs\x1b\t":             "Attn Clear Insert CursorSelect Reset SysReq Backtab",
		"\x1bz\x1b \x1bé":                                  "\"\ufffd\"",
		"\x1b\x1b[A\x1b\x01c":                              "Up Clear",
		"\x1b[200~pasted\x1b[201~":                         `"pasted"`,
		"\x1b[1\x1b[Ax":                                    `Up "x"`,
		"\x1b[1\x03":                                       "Clear",
		"\x1bO\x03\x1b[M\x1b[I":                            "Clear",
		"\x1b[" + strings.Repeat("1", 100) + "Ax":          `"x"`,
		"\x1b[" + strings.Repeat(";", 40) + "\rx":          `Enter "x"`,
		"a\xffb\xc3":   "\"a\ufffdb\"",
		"\u0085\u009b": "",
		"\x1b":         "", "\x1b[": "", "\x1bO": "", "\x1b[1;2": "", "\xe2\x82": "",
	} {
		var d tn3270.Decoder
		var got []string
		for _, in := range d.Decode(nil, []byte(sent)) {
			if in.Key == 0 {
				got = append(got, `"`+in.Text+`"`)
			} else {
				got = append(got, in.Key.String())
			}
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%q is %s, not %s", sent, got, want)
		}
	}
}

// The decoder must buffer incomplete input until the rest arrives.
func TestDecoderCut(t *testing.T) {
	var d tn3270.Decoder
	var got []tn3270.Input
	for _, part := range []string{"a\x1b", "[1", "5;", "2~b", "\xe2", "\x82", "\xacc", "\x1b", "1"} {
		got = d.Decode(got, []byte(part))
	}
	want := []tn3270.Input{{Text: "a"}, {Key: tn3270.PF17}, {Text: "b€c"}, {Key: tn3270.PA1}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

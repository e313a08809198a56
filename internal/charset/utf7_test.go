package charset

import (
	"encoding/base64"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"
	"unicode/utf8"
)

// slowUTF7 is a simple decoder that follows RFC 2152.
func slowUTF7(text string) string {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	var b strings.Builder
	for text != "" {
		if text[0] != '+' {
			if text[0] < utf8.RuneSelf {
				b.WriteByte(text[0])
			} else {
				b.WriteRune(utf8.RuneError)
			}
			text = text[1:]
			continue
		}
		rest := strings.TrimLeft(text[1:], digits)
		encoded := text[1 : len(text)-len(rest)]
		text = strings.TrimPrefix(rest, "-")
		switch {
		case encoded == "" && rest != text:
			b.WriteByte('+')
			continue
		case encoded == "":
			b.WriteRune(utf8.RuneError)
			continue
		}
		// The padding consists of fewer than six zero bits.
		padded := encoded + strings.Repeat("A", (4-len(encoded)%4)%4)
		octets, err := base64.StdEncoding.DecodeString(padded)
		if err != nil {
			panic(err)
		}
		whole := len(encoded) * 6 / 16
		var units []uint16
		for i := range whole {
			units = append(units, uint16(octets[2*i])<<8|uint16(octets[2*i+1]))
		}
		cutPair := whole > 0 && units[whole-1] >= 0xD800 && units[whole-1] < 0xDC00
		b.WriteString(string(utf16.Decode(units)))
		left := strings.Trim(string(octets[2*whole:]), "\x00") != "" || len(encoded)*6%16 >= 6
		if left && !cutPair {
			b.WriteRune(utf8.RuneError)
		}
	}
	return b.String()
}

var utf7Texts = map[string]string{
	// RFC 2152, "UTF-7 Definition" and "Examples".
	"A+ImIDkQ.":                            "A≢Α.",
	"Hi Mom -+Jjo--!":                      "Hi Mom -☺-!",
	"+ZeVnLIqe-":                           "日本語",
	"Item 3 is +AKM-1.":                    "Item 3 is £1.",
	"1 +- 1 = 2":                           "1 + 1 = 2",
	"+2D3cqQ-":                             "💩",
	"+AOk":                                 "é",
	"+AOk b":                               "é b",
	"+AOk.":                                "é.",
	"+AOk--":                               "é-",
	"+ADw-script+AD4-":                     "<script>",
	"a\\b~":                                "a\\b~",
	"":                                     "",
	"+":                                    "\uFFFD",
	"+ ":                                   "\uFFFD ",
	"\xE9":                                 "\uFFFD",
	"+AO":                                  "\uFFFD",  // an incomplete code unit
	"+AOl-":                                "é\uFFFD", // nonzero padding bits
	"+AOkA-":                               "é\uFFFD", // a superfluous digit
	"+2D0-":                                "\uFFFD",  // half of a surrogate pair
	"+3Kk-":                                "\uFFFD",
	"+2D0AQQ-":                             "\uFFFDA",
	"+AOk\xE9":                             "é\uFFFD",
	"+AOk-+AOk-":                           "éé",
	"+AOkA6Q-":                             "éé",
	strings.Repeat("+AOk-", 5000):          strings.Repeat("é", 5000),
	"+" + strings.Repeat("AOkA6QDp", 3000): strings.Repeat("ééé", 3000),
}

func TestUTF7(t *testing.T) {
	for text, want := range utf7Texts {
		for _, name := range []string{"utf-7", "UTF-7", "unicode-1-1-utf-7"} {
			if got, ok := Decode(name, text); got != want || !ok {
				t.Errorf("%.60q: %.60q, %v; want %.60q", text, got, ok, want)
			}
		}
		if got := slowUTF7(text); got != want {
			t.Errorf("%.60q: slowly %.60q, want %.60q", text, got, want)
		}
		for _, size := range []int64{0, 1 << 20} {
			if got, err := io.ReadAll(NewReader("utf-7", iotest.OneByteReader(strings.NewReader(text)), size)); string(got) != want || err != nil {
				t.Errorf("%.60q: in pieces %.60q, %v; want %.60q", text, got, err, want)
			}
		}
	}
}

func FuzzUTF7(f *testing.F) {
	for text := range utf7Texts {
		f.Add(text[:min(len(text), 100)])
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := Decode("utf-7", text)
		if want := slowUTF7(text); got != want || !ok {
			t.Fatalf("%q: %q, %v; slowly %q", text, got, ok, want)
		}
		if !utf8.ValidString(got) {
			t.Fatalf("%q: %q", text, got)
		}
	})
}

package charset

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// All functions decode a text in the same way.
func TestCharsets(t *testing.T) {
	for _, test := range []struct {
		name, octets, want string
		known, utf8        bool
	}{
		{"", "plain caf\u00e9", "plain caf\u00e9", true, true},
		{"utf-8", "\u00e9\xff", "\u00e9\ufffd", true, true},
		{"US-ASCII", "\u00e9", "\u00e9", true, true},
		{" KOI8-R ", "\xf0\xd2", "\u041f\u0440", true, false},
		{"koi8-u", "\xa4", "\u0454", true, false},
		{"iso-8859-1", "caf\xe9 \x80", "caf\u00e9 \u20ac", true, false},
		{"cp437", "\x81", "\u00fc", true, false}, // the name is only an IANA name
		{"iso-2022-jp", "\x1b$BF|K\\\x1b(B", "\u65e5\u672c", true, false},
		{"utf-16", "\x00a", "a", true, false},
		{"utf-16", "\xff\xfea\x00", "a", true, false},
		{"utf-7", "+AOk-", "\u00e9", true, false},
		{"martian", "\u00e9", "\u00e9", false, false},
		{"martian", "\xe9", "\u00e9", false, false},
		{"replacement", "\xe9", "\u00e9", false, false},
	} {
		if IsKnown(test.name) != test.known || IsUTF8(test.name) != test.utf8 {
			t.Errorf("%q: known: %v, UTF-8: %v", test.name, IsKnown(test.name), IsUTF8(test.name))
		}
		if got, ok := Decode(test.name, test.octets); got != test.want || ok != test.known {
			t.Errorf("%q %q: %q, %v; want %q", test.name, test.octets, got, ok, test.want)
		}
		for _, size := range []int64{-1, 1} {
			r := NewReader(test.name, iotest.OneByteReader(strings.NewReader(test.octets)), size)
			if got, err := io.ReadAll(r); string(got) != test.want || err != nil {
				t.Errorf("%q %q: read as %q, %v; want %q", test.name, test.octets, got, err, test.want)
			}
		}
		var b strings.Builder
		w := NewWriter(test.name, &b)
		for i := range len(test.octets) {
			if _, err := w.Write([]byte{test.octets[i]}); err != nil {
				t.Error(err)
			}
		}
		if err := w.Close(); b.String() != test.want || err != nil {
			t.Errorf("%q %q: written as %q, %v; want %q", test.name, test.octets, b.String(), err, test.want)
		}
	}
}

// Without a charset, each character of a stream is decoded separately, but a text in memory is
// decoded as a whole.
func TestNoCharset(t *testing.T) {
	const octets = "\xc3\xa9\xe9"
	if got := Text(octets); got != "\u00c3\u00a9\u00e9" {
		t.Errorf("%q", got)
	}
	if got, err := io.ReadAll(NewReader("", strings.NewReader(octets), -1)); string(got) != "\u00e9\u00e9" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestReadFails(t *testing.T) {
	for _, size := range []int64{-1, 1} {
		got, err := io.ReadAll(NewReader("koi8-r", io.MultiReader(strings.NewReader("\xf0"), iotest.ErrReader(iotest.ErrTimeout)), size))
		if string(got) != "\u041f" || err != iotest.ErrTimeout {
			t.Errorf("size %d: %q, %v", size, got, err)
		}
	}
}

func TestOfType(t *testing.T) {
	for mediaType, want := range map[string]string{`text/plain; Charset="KOI8-R"`: "KOI8-R", "text/plain": "", "nonsense; charset": "", "": ""} {
		if got := OfType(mediaType); got != want {
			t.Errorf("%q: %q, want %q", mediaType, got, want)
		}
	}
}

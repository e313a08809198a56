package ardp

import (
	"bytes"
	"encoding/hex"
	"net/netip"
	"reflect"
	"testing"
	"time"
)

// The test cases are captured headers.
func TestParseHeader(t *testing.T) {
	for _, c := range []struct {
		datagram string
		want     Header
		data     string
		number   int
		total    int
	}{
		{"01 56", Header{Fields: FieldNone}, "V", 1, 1},
		{"03aa2b 56", Header{Fields: FieldID, ID: 0xaa2b}, "V", 1, 1},
		{"07aa2c 0001 0000", Header{Fields: FieldTotal, ID: 0xaa2c, Number: 1}, "", 1, 0},
		{"07cf51 0004 0004", Header{Fields: FieldTotal, ID: 0xcf51, Number: 4, Total: 4}, "", 4, 4},
		{"09aa2c 0011 001f 0001 56", Header{Fields: FieldThrough, ID: 0xaa2c, Number: 17, Total: 31, Through: 1}, "V", 17, 31},
		{"0bb0b3 0000 0000 0000 00b4", Header{Fields: FieldWait, ID: 0xb0b3, Wait: 180}, "", 0, 0},
		{"0caa2c 0010 0000 0001 0000 80", Header{Fields: FieldFlags, ID: 0xaa2c, Number: 16, Through: 1, Flags: FlagAcknowledge}, "", 16, 0},
		{"0dd802 0000 0000 0000 0000 00 01", Header{Fields: FieldOption, ID: 0xd802, Option: OptionRefused, Extra: []byte{}}, "", 0, 0},
		{"0fe337 0001 0001 0000 0000 02 00 0005 56", Header{Fields: FieldOption, ID: 0xe337, Number: 1, Total: 1, Flags: FlagPriority, Extra: []byte{0, 5}}, "V", 1, 1},
		{"13838e 0000 0000 0000 0000 00 04 7f000001 2d06", Header{Fields: FieldOption, ID: 0x838e, Option: OptionRedirect, Extra: []byte{127, 0, 0, 1, 0x2d, 6}}, "", 0, 0},
		// This header ends inside a field.
		{"02ff 56", Header{Fields: FieldNone}, "V", 1, 1},
		{"04123400 56", Header{Fields: FieldID, ID: 0x1234}, "V", 1, 1},
		{"0a1234 0001 0001 0001 ff 56", Header{Fields: FieldThrough, ID: 0x1234, Number: 1, Total: 1, Through: 1}, "V", 1, 1},
	} {
		h, data, err := ParseHeader(unhex(t, c.datagram))
		if err != nil || !reflect.DeepEqual(h, c.want) || string(data) != c.data {
			t.Errorf("%s is %+v %q %v", c.datagram, h, data, err)
		}
		if number, total := h.Position(); number != c.number || total != c.total {
			t.Errorf("%s is packet %d of %d", c.datagram, number, total)
		}
	}
	for datagram, want := range map[string]error{
		"": errEmpty, "00": errNone, "02": errLength, "3f12": errLength, "43aa2b": errVersion, "8101000012": errVersion, "c0": errVersion,
	} {
		if _, _, err := ParseHeader(unhex(t, datagram)); err != want {
			t.Errorf("%q: %v, not %v", datagram, err, want)
		}
	}
}

func unhex(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(string(bytes.ReplaceAll([]byte(text), []byte(" "), nil)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestOptionFields(t *testing.T) {
	for _, c := range []struct {
		flags       byte
		extra, want string
		ok          bool
	}{
		{0, "", "", true},
		{0, "01", "01", true},
		{FlagPriority, "fffb", "", true},
		{FlagWindow, "000200", "00", true},
		{0x0f, "01047f000001 0003 0004 0010 aa", "aa", true},
		{0xf0, "aa", "aa", true}, // flags without fields
		{FlagAddress, "0100", "", true},
		{FlagAddress, "01", "", false},
		{FlagAddress, "010200", "", false},
		{FlagPriority, "00", "", false},
		{FlagPriority | FlagWindow, "0001 00", "", false},
	} {
		h := Header{Flags: c.flags, Extra: unhex(t, c.extra)}
		if got, ok := h.OptionFields(); ok != c.ok || !bytes.Equal(got, unhex(t, c.want)) {
			t.Errorf("%02x %s: %x %v", c.flags, c.extra, got, ok)
		}
	}
}

func TestParseOption(t *testing.T) {
	redirect := netip.MustParseAddrPort("127.0.0.1:11526")
	for _, c := range []struct {
		number byte
		extra  string
		want   option
		ok     bool
	}{
		{OptionRedirect, "7f000001 2d06", option{redirect: redirect}, true},
		{OptionRedirectAll, "7f000001 2d06 ff", option{redirect: redirect}, true},
		{OptionRedirect, "7f000001 2d", option{}, false},
		{OptionQueue, "03 0004 0000004d", option{queue: Progress{Position: 4, Expected: 77 * time.Second}}, true},
		{OptionQueue, "01 0004", option{queue: Progress{Position: 4}}, true},
		{OptionQueue, "02 ffffffff", option{queue: Progress{Expected: (1<<32 - 1) * time.Second}}, true},
		{OptionQueue, "00", option{}, true},
		{OptionQueue, "", option{}, false},
		{OptionQueue, "01 00", option{}, false},
		{OptionQueue, "02 000000", option{}, false},
		{OptionThrough, "", option{}, true},
		{200, "", option{}, true},
	} {
		h := Header{Fields: FieldOption, Option: c.number, Extra: unhex(t, c.extra)}
		if o, ok := parseOption(&h); ok != c.ok || ok && o != c.want {
			t.Errorf("%d %s: %+v %v", c.number, c.extra, o, ok)
		}
	}
	// The field of a flag precedes the fields of the option, unless Extra is truncated.
	h := Header{Fields: FieldOption, Flags: FlagWindow, Option: OptionRedirect, Extra: unhex(t, "0010 7f000001 2d06")}
	if o, ok := parseOption(&h); !ok || o.redirect != redirect {
		t.Errorf("%+v %v", o, ok)
	}
	h.Extra = h.Extra[:1]
	if _, ok := parseOption(&h); ok {
		t.Error("half a field")
	}
}

// slowHeader parses a header in the simplest way, one field after the other.
func slowHeader(datagram []byte) (h Header, data []byte, ok bool) {
	if len(datagram) == 0 || datagram[0] == 0 || datagram[0] >= 64 || int(datagram[0]) > len(datagram) {
		return h, nil, false
	}
	rest := datagram[1:datagram[0]]
	h.Fields = FieldNone
	two := func(f Field) uint16 {
		if len(rest) < 2 {
			rest = nil
			return 0
		}
		n := 256*uint16(rest[0]) + uint16(rest[1])
		rest = rest[2:]
		h.Fields = f
		return n
	}
	one := func(f Field) byte {
		if len(rest) < 1 {
			return 0
		}
		b := rest[0]
		rest = rest[1:]
		h.Fields = f
		return b
	}
	h.ID = two(FieldID)
	h.Number = two(FieldNumber)
	h.Total = two(FieldTotal)
	h.Through = two(FieldThrough)
	h.Wait = two(FieldWait)
	if h.Fields == FieldWait {
		h.Flags = one(FieldFlags)
		h.Option = one(FieldOption)
	}
	if h.Fields == FieldOption {
		h.Extra = rest
	}
	return h, datagram[datagram[0]:], true
}

func FuzzParseHeader(f *testing.F) {
	for _, name := range []string{"queue-position", "redirect", "ok-flags-extra-fields", "bad-even-header", "bad-version-bits", "priority", "wait"} {
		for _, d := range ReadCapture(f, name).Datagrams {
			f.Add(d.Octets)
		}
	}
	f.Fuzz(func(t *testing.T, datagram []byte) {
		h, data, err := ParseHeader(datagram)
		slow, slowData, ok := slowHeader(datagram)
		if ok != (err == nil) || !bytes.Equal(data, slowData) {
			t.Fatalf("%x: %q %v, slowly %q %v", datagram, data, err, slowData, ok)
		}
		if err != nil {
			return
		}
		if !bytes.Equal(h.Extra, slow.Extra) {
			t.Fatalf("%x: extra %x, slowly %x", datagram, h.Extra, slow.Extra)
		}
		slow.Extra = h.Extra
		if !reflect.DeepEqual(h, slow) {
			t.Fatalf("%x: %+v, slowly %+v", datagram, h, slow)
		}
		h.OptionFields()
		describe(&h, len(data), "")
		again, rest, err := ParseHeader(append(h.Append(nil), data...))
		if err != nil || !reflect.DeepEqual(again, h) || !bytes.Equal(rest, data) {
			t.Fatalf("%x: %+v, again %+v %v", datagram, h, again, err)
		}
	})
}

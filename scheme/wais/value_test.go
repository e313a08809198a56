package wais

import (
	"bytes"
	"math"
	"testing"
)

func TestAppendCompressed(t *testing.T) {
	for n, want := range map[int]string{
		0: "\x00", 5: "\x05", 127: "\x7f", 128: "\x81\x00", 194: "\x81\x42", 335: "\x82\x4f", 16383: "\xff\x7f",
		16384: "\x81\x80\x00", 20000: "\x81\x9c\x20", 1<<28 - 1: "\xff\xff\xff\x7f", 1 << 28: "\x81\x80\x80\x80\x00",
		math.MaxInt32: "\x87\xff\xff\xff\x7f",
	} {
		got := appendCompressed(nil, n)
		if string(got) != want {
			t.Errorf("%d: %q; want %q", n, got, want)
		}
		e := elements{apdu: got, end: len(got)}
		if m := e.readCompressed(); m != int64(n) || e.err != nil || e.at != len(got) {
			t.Errorf("%q: %d, %v", got, m, e.err)
		}
	}
}

// An integer may be padded with octets 80 hexadecimal, up to five octets in total.
func TestCompressed(t *testing.T) {
	for octets, want := range map[string]int64{"\x80\x80\x05": 5, "\x80\x80\x80\x80\x05": 5, "\x80\x81\x42": 194, "\xff\xff\xff\xff\x7f": 1<<35 - 1} {
		e := elements{apdu: []byte(octets), end: len(octets)}
		if n := e.readCompressed(); n != want || e.err != nil {
			t.Errorf("%q: %d, %v", octets, n, e.err)
		}
	}
}

func TestAppendNumber(t *testing.T) {
	for n, want := range map[int64]string{
		0: "\x76\x01\x00", 1: "\x76\x01\x01", 200: "\x76\x01\xc8", 255: "\x76\x01\xff", 256: "\x76\x02\x01\x00", 586: "\x76\x02\x02\x4a",
		1<<24 - 1: "\x76\x03\xff\xff\xff", 1 << 24: "\x76\x04\x01\x00\x00\x00", maxNumber: "\x76\x04\x7f\xff\xff\xff",
	} {
		got := appendNumber(nil, tagScore, n)
		e := elements{apdu: got, end: len(got)}
		if !bytes.Equal(got, []byte(want)) || !e.readElement() || e.number() != n {
			t.Errorf("%d: %q; want %q", n, got, want)
		}
	}
}

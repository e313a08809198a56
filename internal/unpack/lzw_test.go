package unpack

import (
	"bytes"
	"io"
	"os"
	"testing"
	"testing/iotest"
)

// lzwText compresses text in the format of compress(1) with a simple algorithm.
func lzwText(text []byte, maxBits uint, block bool, clearAt int) []byte {
	flags := byte(maxBits)
	first := lzwClear
	if block {
		flags |= 0x80
		first++
	}
	out := []byte{0x1F, 0x9D, flags}
	codes := map[string]int{}
	next, bits := first, uint(lzwFirstBits)
	var group []byte
	var used uint
	end := func(whole bool) {
		n := (used + 7) / 8
		if whole && used > 0 {
			n = bits
		}
		out = append(out, group[:n]...)
		group, used = nil, 0
	}
	put := func(code int) {
		if group == nil {
			group = make([]byte, bits)
		}
		for i := range bits {
			group[(used+i)/8] |= byte(code>>i&1) << ((used + i) % 8)
		}
		if used += bits; used == bits*8 {
			end(true)
		}
	}
	codeOf := func(s string) int {
		if len(s) == 1 {
			return int(s[0])
		}
		return codes[s]
	}
	run, written := "", 0
	for _, c := range text {
		longer := run + string([]byte{c})
		if _, ok := codes[longer]; ok || len(longer) == 1 {
			run = longer
			continue
		}
		put(codeOf(run))
		written++
		// The decoder defines each code one step later.
		if block && clearAt > 0 && written%clearAt == 0 {
			put(lzwClear)
			end(true)
			codes, next, bits = map[string]int{}, first, lzwFirstBits
		} else if next < 1<<maxBits {
			codes[longer] = next
			if next++; next == 1<<bits+1 && bits < maxBits {
				end(true)
				bits++
			}
		}
		run = string([]byte{c})
	}
	if run != "" {
		put(codeOf(run))
	}
	end(false)
	return out
}

func TestUncompress(t *testing.T) {
	var text []byte
	for i := range 30_000 {
		text = append(text, byte('a'+i%7*i%11), byte(i>>8), byte(i))
	}
	for _, row := range []struct {
		bits  uint
		block bool
		clear int
	}{{16, true, 0}, {16, true, 5000}, {12, true, 0}, {12, false, 0}, {9, true, 100}, {16, true, 1}} {
		packed := lzwText(text, row.bits, row.block, row.clear)
		for name, r := range map[string]io.Reader{"whole": bytes.NewReader(packed), "octet by octet": iotest.OneByteReader(bytes.NewReader(packed))} {
			got, err := io.ReadAll(newUncompress(r))
			if err != nil || !bytes.Equal(got, text) {
				t.Errorf("%v, %s: %d octets, want %d; %v", row, name, len(got), len(text), err)
			}
		}
	}
	// The file is output of the program compress.
	packed, err := os.ReadFile("../../document/testdata/links.txt.Z")
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("../../document/testdata/links.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(newUncompress(bytes.NewReader(packed))); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
}

// FuzzUncompress executes only tens of inputs per second, because decompressors allocate windows
// of up to several MiB before the first byte.
func FuzzUncompress(f *testing.F) {
	f.Add([]byte("abcabcabcabc"), uint8(16), true)
	f.Add([]byte("\x1F\x9D\x90a\x00\x01"), uint8(9), false)
	f.Fuzz(func(t *testing.T, data []byte, bits uint8, block bool) {
		// No input causes a panic, and compressed data is restored.
		io.Copy(io.Discard, io.LimitReader(newUncompress(bytes.NewReader(data)), 1<<20))
		got, err := io.ReadAll(newUncompress(bytes.NewReader(lzwText(data, 9+uint(bits%8), block, int(bits)))))
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("%q, %v; want %q", got, err, data)
		}
	})
}

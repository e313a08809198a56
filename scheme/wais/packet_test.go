package wais

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/locus-url/locus/scheme"
)

const most = 200000

// testHeader returns the packet header for an APDU of n octets.
func testHeader(n int) string { return fmt.Sprintf("%010dz2wais        0", n) }

// TestReadPacketCaptured reads all captured responses, split into pieces of various sizes.
func TestReadPacketCaptured(t *testing.T) {
	for _, name := range wireNames(t, ".s2c") {
		if strings.HasPrefix(name, "made-") {
			continue
		}
		octets := readWire(t, name+".s2c")
		for _, r := range []io.Reader{bytes.NewReader(octets), iotest.OneByteReader(bytes.NewReader(octets)), iotest.DataErrReader(bytes.NewReader(octets))} {
			var buf []byte
			for i, want := range slowPackets(t, octets) {
				apdu, err := readPacket(r, buf, most)
				if len(want) == headerSize && err == ErrEmpty {
					continue
				}
				if err != nil || !bytes.Equal(apdu, want[headerSize:]) {
					t.Fatalf("%s: packet %d: %d octets, %v", name, i, len(apdu), err)
				}
				buf = apdu
			}
			if _, err := readPacket(r, buf, most); !errors.Is(err, io.EOF) {
				t.Errorf("%s: %v at the end", name, err)
			}
		}
	}
}

func TestReadPacketHandmade(t *testing.T) {
	for name, want := range map[string]error{
		"made-empty-packet":        ErrEmpty,
		"made-huge-length":         scheme.ErrTooLarge,
		"made-length-not-a-number": scheme.ErrProtocol,
		"made-truncated-packet":    io.ErrUnexpectedEOF,
		"made-noise-before-packet": nil,
		"made-padded-integers":     nil,
	} {
		if _, err := readPacket(bytes.NewReader(readWire(t, name+".s2c")), nil, most); !errors.Is(err, want) {
			t.Errorf("%s: %v; want %v", name, err, want)
		}
	}
}

func TestReadPacket(t *testing.T) {
	for _, c := range []struct {
		octets, apdu string
		err          error
		text         string // text that the error must contain
	}{
		{testHeader(3) + "abc", "abc", nil, ""},
		{testHeader(3) + "abcdef", "abc", nil, ""},
		{"0000000003Z0SOMETHING-  \xffabc", "abc", nil, ""},
		{strings.Repeat("\x00\r\n ", 4) + testHeader(3) + "abc", "abc", nil, ""},
		{strings.Repeat("\x00\r\n ", 4) + "\n" + testHeader(3) + "abc", "", scheme.ErrProtocol, "more than 16 bytes before"},
		{strings.Repeat(" ", 100), "", scheme.ErrProtocol, "more than 16 bytes before"},
		{"", "", io.EOF, "after 0 bytes in the header of a packet"},
		{"\r\n", "", io.ErrUnexpectedEOF, "after 2 bytes in the header"},
		{"\r\n" + testHeader(3)[:24], "", io.ErrUnexpectedEOF, "after 26 bytes in the header"},
		{testHeader(3), "", io.ErrUnexpectedEOF, "after 25 bytes in a packet of 28"},
		{testHeader(3) + "ab", "", io.ErrUnexpectedEOF, "after 27 bytes in a packet of 28"},
		{testHeader(0), "", ErrEmpty, "the server could not respond"},
		{testHeader(most + 1), "", scheme.ErrTooLarge, "200001 bytes, and the limit is 200000"},
		{"HTTP/1.0 400 Bad Request\r\n", "", scheme.ErrProtocol, `not with "HTTP/1.0 4"`},
		{"-000000003" + testHeader(3)[10:] + "abc", "", scheme.ErrProtocol, "ten digits"},
		{"0000000003z2wais      u 0abc", "", scheme.ErrProtocol, `compressed or encoded as "u "`},
		{"0000000003z2wais       h0abc", "", scheme.ErrProtocol, `compressed or encoded as " h"`},
	} {
		for _, r := range []io.Reader{strings.NewReader(c.octets), iotest.HalfReader(strings.NewReader(c.octets))} {
			apdu, err := readPacket(r, nil, most)
			if string(apdu) != c.apdu || !errors.Is(err, c.err) || err != nil && !strings.Contains(err.Error(), c.text) {
				t.Errorf("%.40q: %q, %v", c.octets, apdu, err)
			}
			if err != nil && !strings.HasPrefix(err.Error(), "wais: ") {
				t.Errorf("%.40q: %v", c.octets, err)
			}
			if err != nil && c.err != scheme.ErrTooLarge && !errors.Is(err, scheme.ErrProtocol) {
				t.Errorf("%.40q: %v is not a protocol error", c.octets, err)
			}
		}
	}
}

// readPacket must not read the data after a packet.
func TestReadPacketReadsNoMore(t *testing.T) {
	r := strings.NewReader("\r\n" + testHeader(3) + "abcrest")
	readPacket(r, nil, most)
	if rest, _ := io.ReadAll(r); string(rest) != "rest" {
		t.Errorf("%q is left", rest)
	}
}

// A timeout must not be a protocol error.
func TestReadPacketTimeout(t *testing.T) {
	for _, before := range []string{"", testHeader(3)[:5], testHeader(3) + "a"} {
		r := io.MultiReader(strings.NewReader(before), iotest.ErrReader(os.ErrDeadlineExceeded))
		if _, err := readPacket(r, nil, most); !errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, scheme.ErrProtocol) {
			t.Errorf("%q: %v", before, err)
		}
	}
}

// The memory must grow with the amount of received data, and not with the announced length.
func TestReadPacketMemory(t *testing.T) {
	const said = 1 << 28
	packet := testHeader(said) + strings.Repeat("a", 100<<10)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := readPacket(strings.NewReader(packet), nil, said)
	runtime.ReadMemStats(&after)
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatal(err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
		t.Errorf("%d octets taken for %d that came", used, len(packet))
	}
}

func TestReadPacketNoAllocations(t *testing.T) {
	octets := []byte(testHeader(50000) + strings.Repeat("a", 50000))
	r := bytes.NewReader(octets)
	var buf []byte
	if n := testing.AllocsPerRun(20, func() {
		r.Reset(octets)
		var err error
		if buf, err = readPacket(r, buf, most); err != nil {
			t.Error(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzReadPacket checks that readPacket returns the data after the header, and reads only one
// packet.
func FuzzReadPacket(f *testing.F) {
	for _, name := range wireNames(f, ".s2c") {
		if octets := readWire(f, name+".s2c"); len(octets) < 2000 {
			f.Add(octets, uint8(len(octets)))
		}
	}
	f.Fuzz(func(t *testing.T, octets []byte, room uint8) {
		const most = 1000
		whole := bytes.NewReader(octets)
		apdu, err := readPacket(whole, make([]byte, room), most)
		pieces := iotest.OneByteReader(bytes.NewReader(octets))
		if again, againErr := readPacket(pieces, nil, most); !bytes.Equal(apdu, again) || fmt.Sprint(err) != fmt.Sprint(againErr) {
			t.Fatalf("%q, %v; in pieces %q, %v", apdu, err, again, againErr)
		}
		packet := bytes.TrimLeft(octets, "\r\n \x00")
		stray := len(octets) - len(packet)
		switch {
		case err != nil:
			if !errors.Is(err, scheme.ErrProtocol) && !errors.Is(err, scheme.ErrTooLarge) {
				t.Errorf("%q: %v", octets, err)
			}
		case stray > maxStray, len(apdu) == 0, fmt.Sprintf("%010d", len(apdu)) != string(packet[:lengthSize]), !bytes.HasPrefix(packet[headerSize:], apdu):
			t.Errorf("%q: %q", octets, apdu)
		case whole.Len() != len(octets)-stray-headerSize-len(apdu):
			t.Errorf("%q: %d octets are left", octets, whole.Len())
		}
	})
}

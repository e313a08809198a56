package wais

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// readWire returns a file of a capture with freeWAIS-sf 2.2.10, or of a handmade conversation.
// The extension of the file name is .c2s for the client's data, .s2c for the server's data,
// and .doc for the document.
func readWire(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "wire", name+".bin"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// wireNames returns the names of captures with the given suffix.
func wireNames(t testing.TB, suffix string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", "wire", "*"+suffix+".bin"))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for i, name := range names {
		names[i] = strings.TrimSuffix(filepath.Base(name), suffix+".bin")
	}
	return names
}

// slowPackets splits a capture into packets. It is simpler than readPacket.
func slowPackets(t testing.TB, octets []byte) (list [][]byte) {
	t.Helper()
	for len(octets) > 0 {
		n, err := strconv.Atoi(string(octets[:10]))
		if err != nil || len(octets) < 25+n {
			t.Fatalf("packet %d: %v", len(list), err)
		}
		list = append(list, octets[:25+n])
		octets = octets[25+n:]
	}
	return list
}

// capturedPackets returns the packets in the named capture.
func capturedPackets(t testing.TB, name string) [][]byte { return slowPackets(t, readWire(t, name)) }

// slowElement is an element that slowElements returns.
type slowElement struct {
	tag   int64
	value []byte
}

// slowInteger parses a compressed integer.
func slowInteger(b []byte) (n int64, rest []byte, ok bool) {
	end := slices.IndexFunc(b, func(o byte) bool { return o < 128 })
	if end < 0 || end > 4 {
		return 0, nil, false
	}
	for _, o := range b[:end] {
		n = n*128 + int64(o) - 128
	}
	return n*128 + int64(b[end]), b[end+1:], true
}

// slowElements parses all elements in b. If records is true, tag 28 is a diagnostic record.
func slowElements(b []byte, records bool) (list []slowElement, ok bool) {
	for len(b) > 0 {
		var x slowElement
		if x.tag, b, ok = slowInteger(b); !ok {
			return nil, false
		}
		size, trailer := int64(0), int64(0)
		if records && x.tag == 28 {
			if len(b) < 2 {
				return nil, false
			}
			size, trailer = int64(b[0])*256+int64(b[1]), 1
			if b = b[2:]; size < 3 {
				return nil, false
			}
		} else if size, b, ok = slowInteger(b); !ok {
			return nil, false
		}
		if size+trailer > int64(len(b)) {
			return nil, false
		}
		x.value, b = b[:size], b[size+trailer:]
		list = append(list, x)
	}
	return list, true
}

// slowAPDU splits an APDU of the given type. The size of the fixed fields is fixedSize, in
// octets.
func slowAPDU(apdu []byte, kind byte, fixedSize int) (fields []byte, header, information []slowElement, ok bool) {
	if len(apdu) < 3 {
		return
	}
	end := 2 + int(apdu[0])*256 + int(apdu[1])
	if apdu[2] != kind || end > len(apdu) || end < 3+fixedSize {
		return
	}
	if header, ok = slowElements(apdu[3+fixedSize:end], false); !ok {
		return
	}
	information, ok = slowElements(apdu[end:], false)
	return apdu[3 : 3+fixedSize], header, information, ok
}

// slowNumber parses a number.
func slowNumber(b []byte) (n int64, ok bool) {
	if len(b) > 4 {
		return 0, false
	}
	for _, o := range b {
		n = n*256 + int64(o)
	}
	if len(b) == 4 && b[0] >= 128 {
		return -1, true
	}
	return n, true
}

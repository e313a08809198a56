package waistest

import (
	"bufio"
	"bytes"
	"net"
	"os"
	"path/filepath"
	"testing"
)

// recorder is a connection that stores the data written to it.
type recorder struct {
	net.Conn
	written []byte
}

func (r *recorder) Write(p []byte) (int, error) {
	r.written = append(r.written, p...)
	return len(p), nil
}

// FuzzSession checks that a session ends for any input, that the responses are whole packets
// of the agreed size, and that the server records requests unchanged.
func FuzzSession(f *testing.F) {
	sent, err := filepath.Glob("../testdata/wire/*.c2s.bin")
	if err != nil || len(sent) == 0 {
		f.Fatal("no captures", err)
	}
	for _, name := range sent {
		octets, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for len(octets) > headerSize { // add each packet as a seed
			n, _ := readDecimal(octets[:10])
			f.Add(octets[:headerSize+n], uint16(1000))
			octets = octets[headerSize+n:]
		}
	}
	f.Add(examplePacket("shore", "(s* or a) not b", []byte(localID("shore", "0 30 /two")), 100, 1, unitBytes, 108, 1, 9, 109, 1, 3), uint16(300))
	f.Add(rangePacket("shore", "0 29 /w/shore/1", "WAIS_PREV", 7, 9), uint16(10))
	s := newTestServer(f, Options{}, shore...)
	f.Fuzz(func(t *testing.T, octets []byte, size uint16) {
		s := &Server{o: s.o, databases: s.databases}
		s.o.Buffer = int(size)
		c := &recorder{}
		x := s.newSession(c)
		x.r = bufio.NewReader(bytes.NewReader(octets))
		x.serve()
		for rest := c.written; len(rest) > 0; {
			if len(rest) < headerSize {
				t.Fatalf("%q is not a packet", rest)
			}
			n, ok := readDecimal(rest[:10])
			if !ok || n > int64(size) || n > int64(len(rest)-headerSize) {
				t.Fatalf("%q is not a packet of at most %d octets", rest, size)
			}
			describeRecords(t, rest[:headerSize+n])
			rest = rest[headerSize+n:]
		}
		var kept []byte
		for _, r := range s.Requests() {
			kept = append(kept, r.Packet...)
		}
		if !bytes.HasPrefix(octets, kept) || len(c.written) > 0 && len(kept) == 0 {
			t.Errorf("%q is kept of %q", kept, octets)
		}
	})
}

// FuzzWords checks that parentheses around a query do not change its meaning, and that no
// count is negative.
func FuzzWords(f *testing.F) {
	for _, words := range []string{"", "sand", "sand and shells", "(sand or crabs) not light*", "a not (b or c", "caf\xe9*", "((", "* ?"} {
		f.Add(words)
	}
	documents := newTestServer(f, Options{}, shore...).databases["shore"].documents
	f.Fuzz(func(t *testing.T, words string) {
		plain, ok := parseWords(words)
		within, okWithin := parseWords("(" + words + ")")
		if ok && !okWithin && len(words) < maxDepth {
			t.Fatalf("%q means something, and nothing in parentheses", words)
		}
		if !ok || !okWithin {
			return
		}
		for _, d := range documents {
			if n, m := plain(d.words()), within(d.words()); n != m || n < 0 {
				t.Errorf("%q: %d, in parentheses %d", words, n, m)
			}
		}
	})
}

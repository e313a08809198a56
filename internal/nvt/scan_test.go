package nvt

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// scanEvents returns a description of the data and events in a stream. It passes the stream to the
// scanner in pieces of the given size, with an output buffer of room octets.
func scanEvents(stream []byte, binary bool, room, piece int) string {
	var b strings.Builder
	s := scanner{binary: binary}
	data := make([]byte, room)
	for len(stream) > 0 {
		src := stream[:min(piece, len(stream))]
		stream = stream[len(src):]
		for len(src) > 0 {
			n, used, e := s.scan(data, src)
			src = src[used:]
			for _, o := range data[:n] {
				fmt.Fprintf(&b, "%02x", o)
			}
			switch e {
			case commandEvent:
				fmt.Fprintf(&b, " %s ", CommandName(s.verb))
			case optionEvent:
				fmt.Fprintf(&b, " %s-%d ", CommandName(s.verb), s.option)
			case subEvent:
				fmt.Fprintf(&b, " SB-%d-%x ", s.option, s.sub)
			case endlessEvent:
				return b.String() + " endless"
			}
		}
	}
	return b.String()
}

// referenceEvents computes the expected result of scanEvents in a simple way, one octet at a time.
func referenceEvents(stream []byte, binary bool) string {
	var b strings.Builder
	next := func() (byte, bool) {
		if len(stream) == 0 {
			return 0, false
		}
		o := stream[0]
		stream = stream[1:]
		return o, true
	}
	wasCR := false
	for {
		o, ok := next()
		if !ok {
			return b.String()
		}
		if o != IAC {
			if binary || o != 0 || !wasCR {
				fmt.Fprintf(&b, "%02x", o)
			}
			wasCR = o == '\r'
			continue
		}
		o, ok = next()
	command:
		if !ok {
			return b.String()
		}
		switch {
		case o == IAC:
			fmt.Fprintf(&b, "ff")
			wasCR = false
		case o >= WILL:
			option, ok := next()
			if !ok {
				return b.String()
			}
			fmt.Fprintf(&b, " %s-%d ", CommandName(o), option)
		case o == SB:
			option, ok := next()
			if !ok {
				return b.String()
			}
			var sub []byte
			for {
				if o, ok = next(); !ok {
					return b.String()
				}
				if o != IAC {
					sub = append(sub, o)
					continue
				}
				if o, ok = next(); !ok {
					return b.String()
				}
				if o == IAC {
					sub = append(sub, o)
					continue
				}
				if o != SE {
					goto command
				}
				if len(sub) > MaxSub {
					fmt.Fprintf(&b, " NOP ")
				} else {
					fmt.Fprintf(&b, " SB-%d-%x ", option, sub)
				}
				break
			}
		default:
			fmt.Fprintf(&b, " %s ", CommandName(o))
		}
	}
}

var streams = []string{
	"", "plain text\r\nof two lines", "\r\x00\r\n\r\r\x00\x00", "\xff\xff", "a\xff\xffb\xff\xf1c\xff\xfb\x01d", "\xff", "\xff\xfd", "\xff\xfa", "\xff\xfa\x18",
	"\xff\xfa\x18\x01\xff\xf0", "\xff\xfa\x18\x00a\xff\xffb\xff\xf0c", "\xff\xfa\x18abc\xff\xfb\x01d\xff\xf0e", "\xff\xfa\x18abc\xff\xfa\x19\xff\xf0",
	"\r\xff\xf1\x00", "\r\xff\xff\x00", "x\xff\x00y", "\xff\xef\xff\xf0",
	"\xff\xfa\x18" + strings.Repeat("a", MaxSub) + "\xff\xf0b", "\xff\xfa\x18" + strings.Repeat("a", MaxSub+1) + "\xff\xf0b",
}

func TestScan(t *testing.T) {
	for _, stream := range streams {
		for _, binary := range []bool{false, true} {
			want := referenceEvents([]byte(stream), binary)
			for _, room := range []int{1, 2, 3, 1 << 16} {
				for _, piece := range []int{1, 2, 3, 1 << 16} {
					if got := scanEvents([]byte(stream), binary, room, piece); got != want {
						t.Errorf("%.40q, binary %v, room %d, pieces of %d: %.80s, want %.80s", stream, binary, room, piece, got, want)
					}
				}
			}
		}
	}
}

// The test cases follow from the rules about CR in RFC 854 and about IAC in RFC 855.
func TestScanWords(t *testing.T) {
	for stream, want := range map[string]string{
		"a\r\x00b\r\nc":                    "610d620d0a63",
		"\xff\xfb\x01\xff\xfe\x03":         " WILL-1  DONT-3 ",
		"\xff\xfa\x18\x01\xff\xf0":         " SB-24-01 ",
		"x\xff\xf9y":                       "78 GA 79",
		"\xff\xfa\x2a\x01\xff\xff\xff\xf0": " SB-42-01ff ",
	} {
		if got := scanEvents([]byte(stream), false, 100, 100); got != want {
			t.Errorf("%q: %s, want %s", stream, got, want)
		}
	}
}

func TestScanEndless(t *testing.T) {
	if got := scanEvents(append([]byte("\xff\xfa\x18"), bytes.Repeat([]byte{'a'}, maxEndless+10)...), false, 100, 1000); got != " endless" {
		t.Error(got)
	}
}

func FuzzScan(f *testing.F) {
	for _, stream := range streams {
		f.Add([]byte(stream), false, uint64(1))
	}
	f.Fuzz(func(t *testing.T, stream []byte, binary bool, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 0))
		if want, got := referenceEvents(stream, binary), scanEvents(stream, binary, 1+r.IntN(100), 1+r.IntN(100)); got != want {
			t.Errorf("%q: %s, want %s", stream, got, want)
		}
	})
}

func BenchmarkScan(b *testing.B) {
	lines := bytes.Repeat([]byte(strings.Repeat("x", 78)+"\r\n"), 400)
	for name, src := range map[string][]byte{
		"plain":         lines,
		"IAC each line": bytes.ReplaceAll(lines, []byte("x\r\n"), []byte("\xff\xf9\r\n")),
		"CR NUL":        bytes.ReplaceAll(lines, []byte("\r\n"), []byte("\r\x00")),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			dst := make([]byte, len(src))
			for b.Loop() {
				var s scanner
				for in := src; len(in) > 0; {
					_, used, _ := s.scan(dst, in)
					in = in[used:]
				}
			}
		})
	}
}

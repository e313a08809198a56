package message_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/locus-url/locus/message"
)

// generated is a message of any size that is not in memory: head, then fill repeatedly, then
// tail.
type generated struct {
	head, fill, tail string
	times            int64
}

func (g generated) size() int64 {
	return int64(len(g.head)) + g.times*int64(len(g.fill)) + int64(len(g.tail))
}

func (g generated) ReadAt(p []byte, offset int64) (int, error) {
	n := 0
	for n < len(p) {
		text := g.from(offset + int64(n))
		if text == "" {
			return n, io.EOF
		}
		n += copy(p[n:], text)
	}
	return n, nil
}

func (g generated) from(offset int64) string {
	if offset < int64(len(g.head)) {
		return g.head[offset:]
	}
	offset -= int64(len(g.head))
	if offset < g.times*int64(len(g.fill)) {
		return g.fill[offset%int64(len(g.fill)):]
	}
	return g.tail[min(offset-g.times*int64(len(g.fill)), int64(len(g.tail))):]
}

// counted counts the octets read.
type counted struct {
	io.ReaderAt
	octets int64
}

func (c *counted) ReadAt(p []byte, offset int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, offset)
	c.octets += int64(n)
	return n, err
}

func (g generated) reader() *io.SectionReader { return io.NewSectionReader(g, 0, g.size()) }

// peak runs f and returns the maximum heap, as far as it can be measured, and the total
// allocation.
func peak(f func(sample func())) (heap, allocated uint64) {
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	sample := func() {
		runtime.GC()
		runtime.ReadMemStats(&now)
		if now.HeapAlloc > before.HeapAlloc {
			heap = max(heap, now.HeapAlloc-before.HeapAlloc)
		}
	}
	f(sample)
	sample()
	return heap, now.TotalAlloc - before.TotalAlloc
}

const mib = 1 << 20

// base64Lines is a MiB of base64.
var base64Lines = strings.Repeat(strings.Repeat("QUJD", 19)+"\r\n", mib/78)

// A message of 100 MB must be parsed and read without holding it in memory.
func TestMemory(t *testing.T) {
	g := generated{
		head:  crlf("Subject: large\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\nsee the file\n--x\nContent-Type: image/png; name=large.png\nContent-Transfer-Encoding: base64\n\n"),
		fill:  base64Lines,
		tail:  crlf("--x--\n"),
		times: 100,
	}
	var m *message.Message
	heap, allocated := peak(func(sample func()) {
		var err error
		if m, err = message.Parse(g, g.size(), nil); err != nil {
			t.Fatal(err)
		}
		p, ok := m.Part("2")
		if !ok || p.Name != "large.png" || p.Size < 99*mib {
			t.Fatalf("%+v", m.Parts())
		}
		r := p.Open()
		head := make([]byte, 3*mib)
		if _, err := io.ReadFull(r, head); err != nil || !bytes.Equal(head[:6], []byte("ABCABC")) {
			t.Fatalf("%q, %v", head[:6], err)
		}
		sample()
		n, err := io.Copy(io.Discard, r)
		if want := g.times * int64(strings.Count(base64Lines, "\r\n")) * 57; err != nil || n+3*mib != want {
			t.Fatalf("%d octets, want %d: %v", n+3*mib, want, err)
		}
		var b strings.Builder
		if err := m.WriteText(&b, nil); err != nil || !strings.Contains(b.String(), "see the file\n\nParts:\n[2] image/png large.png 73 MiB\n") {
			t.Fatalf("%v\n%s", err, &b)
		}
	})
	if heap > 5*mib || allocated > 10*mib {
		t.Errorf("the heap grew by %d octets, of %d allocated octets", heap, allocated)
	}
	runtime.KeepAlive(m)
}

// Hostile messages must cost little: memory is bounded, and nothing is read repeatedly.
// Quadratic time would not end here.
func TestHostile(t *testing.T) {
	for _, row := range []struct {
		name  string
		g     generated
		rule  string // of the first fault; empty if none
		parts int
		limit bool // Parse returns ErrLimit
	}{
		{"one header line of 100 MB", generated{"Subject: x\nX: ", "yyyyyyyyyyyyyyyy", "\n\nbody", 6 << 20}, message.RuleLimit, 1, true},
		{"a header of 100 MB", generated{"Subject: x\n", "A: b\n", "\nbody", 20 << 20}, message.RuleLimit, 1, true},
		{"folded for 100 MB", generated{"Subject: x\n", " y\n", "\nbody", 33 << 20}, message.RuleLimit, 1, true},
		{"a header line of 100 MB in a part", generated{"Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\nX: ", "yyyyyyyyyyyyyyyy", "\n\nbody\n--b\n\ntwo\n--b--", 6 << 20}, message.RuleLimit, 2, false},
		{"10,001 parts", generated{"Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n", "--b\n\nx\n", "--b--", 10_001}, message.RuleLimit, 10_000, false},
		{"1,000,000 empty parts", generated{"Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n", "--b\n", "--b--", 1_000_000}, message.RuleLimit, 10_000, false},
		{"10,000 large headers", generated{"Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n", "--b\nX: " + strings.Repeat("y", 10_000) + "\n\n\n", "--b--", 10_000}, message.RuleLimit, 10_000, false},
		{"messages in messages", generated{"Subject: x\n", "Content-Type: message/rfc822\n\n", "A: b\n\nx", 10_000}, message.RuleLimit, 50, false},
		{"boundaries of nothing", generated{"Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\n", "--\n--c\n", "--b--", 1 << 20}, "", 1, false},
		{"line ends", generated{"Subject: x\n\n", "\n", "", 4 << 20}, "", 1, false},
		{"one line", generated{"Subject: x\n\n", "xxxxxxxxxxxxxxxx", "", 1 << 20}, "", 1, false},
		{"NULs", generated{"Subject: x\n\n", "\x00\x00\x00\x00\x00\x00\x00\r", "", 1 << 20}, message.RuleBareCR, 1, false},
		{"junk for base64", generated{"Subject: x\nContent-Transfer-Encoding: base64\n\n", "*******\n", "", 1 << 20}, message.RuleBase64, 1, false},
		{"paddings", generated{"Subject: x\nContent-Transfer-Encoding: base64\n\n", "===============\n", "", 1 << 20}, "", 1, false},
		{"equal signs", generated{"Subject: x\nContent-Transfer-Encoding: quoted-printable\n\n", "=", "", 4 << 20}, "", 1, false},
		{"quotes", generated{"Subject: x\nContent-Type: text/plain; format=flowed\n\n", ">", "", 4 << 20}, "", 1, false},
		{"tags", generated{"Subject: x\nContent-Type: text/html\n\n", "<a href='b'><blockquote>", "", 200_000}, "", 1, false},
		{"an open tag", generated{"Subject: x\nContent-Type: text/html\n\n", "<a href='b", "", 1 << 20}, "", 1, false},
		{"files", generated{"Subject: x\n\n", "begin 644 x\nend\n", "", 100_000}, "", 10_000, false},
		{"files without lines", generated{"Subject: x\n\n", "begin 644 x\n", "", 200_000}, "", 1, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			read := &counted{ReaderAt: row.g}
			var m *message.Message
			heap, _ := peak(func(sample func()) {
				var err error
				m, err = message.Parse(read, row.g.size(), nil)
				if m == nil || errors.Is(err, message.ErrLimit) != row.limit || !row.limit && err != nil {
					t.Fatal(m, err)
				}
				sample()
				if err := m.WriteText(io.Discard, nil); err != nil {
					t.Fatal(err)
				}
			})
			if m.Subject() != "x" && row.name != "folded for 100 MB" {
				t.Errorf("subject %.20q", m.Subject())
			}
			parts := len(m.Parts())
			if diff := parts - row.parts; diff < 0 || diff > 1 {
				t.Errorf("%d parts, want %d", parts, row.parts)
			}
			switch {
			case row.rule == "" && len(m.Faults) > 0 || row.rule != "" && (len(m.Faults) == 0 || m.Faults[0].Rule != row.rule):
				t.Errorf("faults %.200v, want %s", m.Faults, row.rule)
			case heap > 40*mib:
				t.Errorf("the heap grew by %d octets", heap)
			case read.octets > 3*row.g.size():
				t.Errorf("%d octets were read, of %d", read.octets, row.g.size())
			}
		})
	}
}

// Parse must read a message with 10,000 nested parts down to the limit, and WriteText must not
// fail.
func TestDepthLimit(t *testing.T) {
	var b strings.Builder
	b.WriteString("Subject: x\n")
	for i := range 10_000 {
		fmt.Fprintf(&b, "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i)
	}
	b.WriteString("\nthe end\n")
	m := parse(t, b.String())
	if n := len(m.Parts()); n != 50 || m.Faults[0].Rule != message.RuleLimit {
		t.Errorf("%d parts, %v", n, m.Faults)
	}
	var text strings.Builder
	if err := m.WriteText(&text, nil); err != nil {
		t.Fatal(err)
	}
	m, err := message.Parse(strings.NewReader(b.String()), int64(b.Len()), &message.Limits{Depth: 20_000, Parts: 20_000})
	if err != nil || len(m.Parts()) != 10_000 {
		t.Errorf("%d parts, %v", len(m.Parts()), err)
	}
}

// Reading an endless header must end at the limit.
func TestReadStops(t *testing.T) {
	r := generated{"Subject: x\nX: ", "yyyyyyyyyyyyyyyy", "", 1 << 30}.reader()
	m, err := message.Read(r, nil)
	if !errors.Is(err, message.ErrLimit) || m == nil || m.Subject() != "x" {
		t.Errorf("%v, %v", m, err)
	}
	if at, _ := r.Seek(0, io.SeekCurrent); at > 2*mib {
		t.Errorf("%d octets were read", at)
	}
}

func BenchmarkParse(b *testing.B) {
	for _, bench := range []struct {
		name string
		g    generated
	}{
		{"base64", generated{"A: b\r\nContent-Transfer-Encoding: base64\r\n\r\n", base64Lines, "", 16}},
		{"text", generated{"A: b\r\n\r\n", strings.Repeat(strings.Repeat("text ", 14)+"\r\n", mib/72), "", 16}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			octets, err := io.ReadAll(bench.g.reader())
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(octets)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := message.Parse(bytes.NewReader(octets), int64(len(octets)), nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("small", func(b *testing.B) {
		b.SetBytes(int64(len(simple)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := message.Parse(strings.NewReader(simple), int64(len(simple)), nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkReadHeader(b *testing.B) {
	b.SetBytes(int64(len(simple)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := message.ReadHeader(strings.NewReader(simple), nil); err != nil {
			b.Fatal(err)
		}
	}
}

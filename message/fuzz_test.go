package message_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/locus-url/locus/message"
	"github.com/locus-url/locus/scheme/news"
)

// checkMessage checks the invariants of every message.
func checkMessage(t *testing.T, octets []byte) {
	limits := &message.Limits{Header: 4 << 10, Parts: 40, Depth: 6, Part: 1 << 20}
	m, err := message.Parse(bytes.NewReader(octets), int64(len(octets)), limits)
	if errors.Is(err, message.ErrNoMessage) {
		return
	}
	if err != nil && !errors.Is(err, message.ErrLimit) {
		t.Fatal(err)
	}
	if len(m.Parts()) > 40+1 || len(m.Faults) > 101 {
		t.Fatalf("%d parts, %d faults", len(m.Parts()), len(m.Faults))
	}
	for f := range m.Fields() {
		if got := octets[f.Offset : f.Offset+int64(len(f.Raw))]; string(got) != f.Raw {
			t.Fatalf("%q is not at %d", f.Raw, f.Offset)
		}
	}
	_, _ = m.Date()
	_, _ = m.To(), m.Subject()
	for _, u := range message.Links("news", append(m.References(), m.MessageID())...) {
		if _, err := news.Parse(u); err != nil {
			t.Fatal(err)
		}
	}
	parts := m.Parts()
	decoded := make([]bool, len(parts)) // in a message that had to be decoded
	for i, p := range parts {
		checkPart(t, m, p, octets)
		for j, q := range parts[:i] {
			if _, ok := q.Enclosed(); ok && (q.Encoding != "" || decoded[j]) && strings.HasPrefix(p.Path, q.Path+".") {
				decoded[i] = true
			}
		}
		for j, q := range parts[:i] {
			if decoded[i] || decoded[j] {
				continue // their offsets refer to other octets
			}
			within := strings.HasPrefix(p.Path, q.Path+".")
			if within && (p.Offset() < q.Offset() || p.Offset()+p.Size > q.Offset()+q.Size) || !within && p.Offset() < q.Offset()+q.Size {
				t.Fatalf("%s is at %d, %d octets; %s at %d, %d octets", q.Path, q.Offset(), q.Size, p.Path, p.Offset(), p.Size)
			}
		}
	}
	var text, again strings.Builder
	if err := m.WriteText(&text, nil); err != nil {
		t.Fatal(err)
	}
	if !utf8.ValidString(text.String()) {
		t.Fatalf("%q is no UTF-8", &text)
	}
	if len(text.String()) > 100*len(octets)+100_000 {
		t.Fatalf("%d octets of %d", text.Len(), len(octets))
	}
	same, err := message.Read(bytes.NewReader(octets), limits)
	if err != nil && !errors.Is(err, message.ErrLimit) {
		t.Fatal(err)
	}
	if err := same.WriteText(&again, nil); err == nil && tree(same) != tree(m) {
		t.Fatalf("read again:\n%s%s", tree(m), tree(same))
	}
}

func checkPart(t *testing.T, m *message.Message, p message.Part, octets []byte) {
	if p.Offset() < 0 || p.Size < 0 || p.Offset()+p.Size > int64(len(octets)) {
		t.Fatalf("part %s is at %d, %d octets", p.Path, p.Offset(), p.Size)
	}
	if q, ok := m.Part(p.Path); !ok || q != p {
		t.Fatalf("part %s is another: %s", p.Path, q.Path)
	}
	if q, ok := m.Find(p.ContentID); p.ContentID != "" && len(p.ContentID) > 2 && p.ContentID[0] != '<' && (!ok || q.ContentID != p.ContentID) {
		t.Fatalf("%q is not found", p.ContentID)
	}
	if strings.ContainsAny(p.Name, "/\\\r\n\x00") || len(p.Name) > 255 || !utf8.ValidString(p.Name) {
		t.Fatalf("%q is not a label", p.Name)
	}
	n, err := io.Copy(io.Discard, p.Open())
	if err != nil || n > max(p.Size, 0) && p.Encoding != "x-uuencode" {
		t.Fatalf("part %s: %d octets of %d, %v", p.Path, n, p.Size, err)
	}
	text, err := io.ReadAll(p.Text())
	if err != nil || !utf8.Valid(text) {
		t.Fatalf("part %s: %q, %v", p.Path, text, err)
	}
}

// FuzzParse runs only a few hundred inputs per second. For each input, it parses a message
// twice, reads every part as octets and as text, and writes the message as text twice.
func FuzzParse(f *testing.F) {
	names, _ := filepath.Glob("testdata/*.eml")
	for _, name := range names {
		octets, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(octets)
		f.Add([]byte(crlf(string(octets))))
	}
	f.Add([]byte(simple))
	f.Add([]byte(crlf(digest)))
	f.Add([]byte(inBase64(inBase64("Subject: a\n\n" + simple))))
	f.Fuzz(checkMessage)
}

func FuzzDecodeWords(f *testing.F) {
	for _, text := range []string{"=?utf-8?Q?=C3?= =?utf-8?Q?=A9?=", "=?iso-2022-jp?B?GyRCRnxLXBsoQg==?= b", "=?martian?q?a?=", "\xff=?=?", `"=?us-ascii*en?Q?a_b?="`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := message.DecodeWords(text)
		if !utf8.ValidString(got) || strings.ContainsAny(got, "\r\n") {
			t.Errorf("%q: %q", text, got)
		}
		if !strings.Contains(text, "=?") && utf8.ValidString(text) && !strings.ContainsAny(text, "\r\n\v\f\u0085\u2028\u2029") && got != text {
			t.Errorf("%q: %q", text, got)
		}
	})
}

package message_test

import (
	"encoding/base64"
	"io"
	"strings"
	"testing"

	"github.com/locus-url/locus/message"
)

// inBase64 returns the header and body of a part with text in base64.
func inBase64(text string) string {
	return "Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n" + base64.StdEncoding.EncodeToString([]byte(text)) + "\n"
}

// An encoded enclosed message must be split into parts like any other.
func TestEncodedMessage(t *testing.T) {
	within := "Subject: within\nMessage-ID: <in@x>\nContent-Type: multipart/mixed; boundary=y\n\n" +
		"--y\n\ntext within\n--y\nContent-Type: text/html\nContent-ID: <html@x>\nContent-Transfer-Encoding: quoted-printable\n\n<b>h=C3=A9</b>\n" +
		"--y\n" + inBase64("Subject: innermost\n\ndeep\n") + "--y--\n"
	head := "Subject: outer\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\ntext\n--x\n"
	tail := "--x\nContent-Type: image/png\n\npng\n--x--\n"
	encoded := parse(t, head+inBase64(within)+tail)
	plain := parse(t, head+"Content-Type: message/rfc822\n\n"+within+tail)
	want := "1 text/plain\n2 message/rfc822 base64\n2.1 text/plain\n2.2 text/html quoted-printable html@x\n2.3 message/rfc822 base64\n2.3.1 text/plain\n3 image/png\n"
	if got := tree(encoded); got != want {
		t.Errorf("parts\n%swant\n%s", got, want)
	}
	if got := strings.Replace(want, "2 message/rfc822 base64", "2 message/rfc822", 1); tree(plain) != got {
		t.Errorf("not encoded, parts\n%swant\n%s", tree(plain), got)
	}
	if got, want := faults(encoded), "2:encoding@72 2.3:encoding@136"; got != want {
		t.Errorf("faults %s, want %s", got, want)
	}
	for _, p := range encoded.Parts() {
		q, ok := plain.Part(p.Path)
		if !ok {
			t.Errorf("%s is not in the message that is not encoded", p.Path)
			continue
		}
		got, err := io.ReadAll(p.Open())
		want, _ := io.ReadAll(q.Open())
		// The line end before a boundary is not part of a content that is not encoded.
		if strings.TrimSuffix(string(got), "\n") != strings.TrimSuffix(string(want), "\n") || err != nil {
			t.Errorf("%s is %q, %v; want %q", p.Path, got, err, want)
		}
		if h, ok := p.Enclosed(); ok {
			if same, _ := q.Enclosed(); h.Subject() != same.Subject() || h.Subject() == "" {
				t.Errorf("%s has the subject %q, want %q", p.Path, h.Subject(), same.Subject())
			}
		}
	}
	if p, ok := encoded.Find("html@x"); !ok || p.Path != "2.2" {
		t.Errorf("Find gives %s, %v", p.Path, ok)
	}
	var text strings.Builder
	if err := encoded.WriteText(&text, nil); err != nil || !strings.Contains(text.String(), "text within") || !strings.Contains(text.String(), "deep") {
		t.Errorf("as text: %s, %v", text.String(), err)
	}
}

// Decoded messages must count against the limits of the whole message.
func TestEncodedMessageLimits(t *testing.T) {
	nested := "Subject: last\n\nbody\n"
	for range 20 {
		nested = inBase64(nested)
	}
	parts := "Content-Type: multipart/mixed; boundary=x\n\n"
	for range 10 {
		parts += "--x\n" + inBase64("Content-Type: multipart/mixed; boundary=y\n\n"+strings.Repeat("--y\n\npart\n", 10)+"--y--\n")
	}
	parts += "--x--\n"
	for _, test := range []struct {
		name, text string
		limits     message.Limits
		parts      int
		fault      string
	}{
		{"depth", nested, message.Limits{Depth: 5}, 6, "nested"},
		{"default depth", nested, message.Limits{}, 21, ""},
		{"parts", parts, message.Limits{Parts: 30}, 28, "more than 30 parts"},
		{"held", parts, message.Limits{Buffered: 500}, 40, "more than"},
		{"held exactly", inBase64("A: b\n\n" + strings.Repeat("x", 94)), message.Limits{Buffered: 100}, 2, ""},
		{"held but one", inBase64("A: b\n\n" + strings.Repeat("x", 95)), message.Limits{Buffered: 100}, 1, "more than 100 bytes"},
		{"nothing left to hold", inBase64(inBase64("A: b\n\nc")), message.Limits{Buffered: int64(len(inBase64("A: b\n\nc")))}, 2, "too large for memory"},
	} {
		m, err := message.Parse(strings.NewReader(test.text), int64(len(test.text)), &test.limits)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got := len(m.Parts()); got != test.parts {
			t.Errorf("%s: %d parts, want %d", test.name, got, test.parts)
		}
		limit := ""
		for _, f := range m.Faults {
			if f.Rule == message.RuleLimit {
				limit = f.Text
			}
		}
		if test.fault == "" && limit != "" || !strings.Contains(limit, test.fault) {
			t.Errorf("%s: %q, want %q", test.name, limit, test.fault)
		}
	}
}

// If reading fails, Parse must return the error and the message so far.
func TestEncodedMessageUnreadable(t *testing.T) {
	text := "Content-Type: multipart/mixed; boundary=x\n\n--x\n" + inBase64("A: b\n\nc") + "--x\n" + inBase64("A: b\n\nd") + "--x--\n"
	second := strings.LastIndex(text, "QTog")
	r := &failsOnce{strings.NewReader(text), int64(second)}
	m, err := message.Parse(r, int64(len(text)), nil)
	if err == nil || m == nil || len(m.Parts()) != 2 {
		t.Errorf("%v, %v", m, err)
	}
}

// failsOnce fails when it reads at an offset.
type failsOnce struct {
	io.ReaderAt
	offset int64
}

func (f *failsOnce) ReadAt(p []byte, offset int64) (int, error) {
	if offset == f.offset {
		return 0, io.ErrUnexpectedEOF
	}
	return f.ReaderAt.ReadAt(p, offset)
}

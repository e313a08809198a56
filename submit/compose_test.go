package submit_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/mail"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus/message"
	"github.com/locus-url/locus/submit"
)

// composeFixed returns the same message each time.
func composeFixed(d submit.Draft) (*submit.Message, error) {
	date := time.Date(1994, time.December, 1, 12, 30, 0, 0, time.FixedZone("", -5*60*60))
	return submit.ComposeWith(d, date, strings.NewReader(strings.Repeat("no random at all", 2)))
}

func box(address string) submit.Mailbox { return submit.Mailbox{Address: address} }

// messageText is a complete and valid draft.
func messageText() submit.Draft {
	return submit.Draft{From: box("me@example.org"), To: []submit.Mailbox{box("joe@host.dom")}, Subject: "hi", Body: "Hello.\n"}
}

func compose(t *testing.T, d submit.Draft) *submit.Message {
	t.Helper()
	m, err := composeFixed(d)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func text(t *testing.T, m *submit.Message) string {
	t.Helper()
	var b strings.Builder
	if n, err := m.WriteTo(&b); err != nil || n != m.Size() {
		t.Fatal(n, m.Size(), err)
	}
	return b.String()
}

func TestComposeExactly(t *testing.T) {
	d := submit.Draft{
		From:      submit.Mailbox{Name: "Café Müller", Address: "me@example.org"},
		To:        []submit.Mailbox{box("joe@host.dom"), {Name: "Doe, Jane", Address: "jane@host.dom"}},
		Cc:        []submit.Mailbox{{Name: "日本", Address: "jp@host.dom"}},
		Bcc:       []submit.Mailbox{box("secret@host.dom"), box("joe@HOST.dom")},
		Subject:   "Menü",
		InReplyTo: "<3469A91.D10AF4C@example.com>",
		Keywords:  "food, drink",
		Body:      "Grüße\n.\n",
		Attachments: []submit.Attachment{
			{Name: "naïve plan.txt", Type: "text/plain", Content: []byte("one\n")},
			{Name: "old.eml", Content: []byte("Subject: x\r\n\r\n")},
		},
	}
	want := strings.ReplaceAll(`From: =?utf-8?q?Caf=C3=A9_M=C3=BCller?= <me@example.org>
To: joe@host.dom, "Doe, Jane" <jane@host.dom>
Cc: =?utf-8?b?5pel5pys?= <jp@host.dom>
Subject: =?utf-8?b?TWVuw7w=?=
Date: Thu, 01 Dec 1994 12:30:00 -0500
Message-ID: <NZXSA4TBNZSG63JAMF2CAYLMNQ@example.org>
In-Reply-To: <3469A91.D10AF4C@example.com>
Keywords: food, drink
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="=_NZXSA4TBNZSG63JAMF2CAYLMNQ"

--=_NZXSA4TBNZSG63JAMF2CAYLMNQ
Content-Transfer-Encoding: quoted-printable
Content-Type: text/plain; charset=utf-8

Gr=C3=BC=C3=9Fe
.

--=_NZXSA4TBNZSG63JAMF2CAYLMNQ
Content-Disposition: attachment; filename*=utf-8''na%C3%AFve%20plan.txt
Content-Transfer-Encoding: base64
Content-Type: text/plain

b25lCg==

--=_NZXSA4TBNZSG63JAMF2CAYLMNQ
Content-Disposition: attachment; filename=old.eml
Content-Transfer-Encoding: base64
Content-Type: application/octet-stream

U3ViamVjdDogeA0KDQo=

--=_NZXSA4TBNZSG63JAMF2CAYLMNQ--
`, "\n", "\r\n")
	m := compose(t, d)
	if got := text(t, m); got != want {
		t.Errorf("got\n%s", got)
	}
	if want := []string{"joe@host.dom", "jane@host.dom", "jp@host.dom", "secret@host.dom"}; !slices.Equal(m.Recipients(), want) {
		t.Errorf("recipients %q", m.Recipients())
	}
	if want := []string{"secret@host.dom"}; !slices.Equal(m.Hidden(), want) || m.From() != "me@example.org" || m.IsUTF8() {
		t.Errorf("hidden %q, from %s, UTF8 %v", m.Hidden(), m.From(), m.IsUTF8())
	}
}

const wantPreview = `From: Café <me@example.org>
To: "Boss <boss@host.dom>" <joe@host.dom>
Subject: =?utf-8?q?x?=
Date: Thu, 01 Dec 1994 12:30:00 -0500
Message-ID: <NZXSA4TBNZSG63JAMF2CAYLMNQ@example.org>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="=_NZXSA4TBNZSG63JAMF2CAYLMNQ"

| To: nobody
|
| Grüße

File: ü.bin
  application/octet-stream, 4 bytes

Sent from me@example.org
Sent to   joe@host.dom
Sent to   secret@host.dom (Bcc: hidden from the others)
`

func TestPreview(t *testing.T) {
	d := messageText()
	d.From.Name = "Café"
	d.To[0].Name = "Boss <boss@host.dom>"
	d.Subject = "=?utf-8?q?x?="
	d.Bcc = []submit.Mailbox{box("secret@host.dom")}
	d.Body = "To: nobody\n\nGrüße"
	d.Attachments = []submit.Attachment{{Name: "ü.bin", Content: []byte{0, 1, 2, 0xFF}}}
	m := compose(t, d)
	got, err := m.Preview()
	if want := wantPreview + fmt.Sprintf("Size      %d bytes\n", m.Size()); err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
	d = messageText()
	d.Body = ""
	if got, err := compose(t, d).Preview(); err != nil || !strings.Contains(got, "\n\nNo text.\n\nSent from") {
		t.Errorf("%v\n%s", err, got)
	}
	// A uuencoded file in the text is text.
	d.Body = "begin 644 x\n#86)C\n`\nend\n"
	if got, err := compose(t, d).Preview(); err != nil || !strings.Contains(got, "| #86)C\n") || strings.Contains(got, "File:") {
		t.Errorf("%v\n%s", err, got)
	}
}

// readBack parses a composed message with two other parsers, and compares the results with the
// draft.
func readBack(t *testing.T, d submit.Draft, octets string) {
	t.Helper()
	byMessage(t, d, octets)
	byStandardLibrary(t, d, octets)
}

// bodyLines returns the body with CR LF line ends.
func bodyLines(body string) string {
	body = strings.ReplaceAll(strings.ReplaceAll(body, "\r\n", "\n"), "\r", "\n")
	if body != "" && !strings.HasSuffix(body, "\n") {
		body += "\n"
	}
	return strings.ReplaceAll(body, "\n", "\r\n")
}

func byMessage(t *testing.T, d submit.Draft, octets string) {
	t.Helper()
	m, err := message.Read(strings.NewReader(octets), nil)
	if err != nil || len(m.Faults) > 0 {
		t.Fatalf("%v, %v\n%q", err, m.Faults, octets)
	}
	var got []submit.Mailbox
	for _, name := range []string{"From", "To", "Cc"} {
		for _, a := range m.Addresses(name) {
			got = append(got, submit.Mailbox{Name: a.Name, Address: a.Addr})
		}
	}
	if want := slices.Concat([]submit.Mailbox{d.From}, d.To, d.Cc); !slices.Equal(got, want) {
		t.Errorf("message: mailboxes %q, want %q\n%s", got, want, octets)
	}
	if m.Subject() != d.Subject || m.Text("Keywords") != d.Keywords || m.Text("Comments") != d.Comments {
		t.Errorf("message: subject %q, want %q", m.Subject(), d.Subject)
	}
	if _, ok := m.Lookup("Bcc"); ok {
		t.Error("message: there is a Bcc")
	}
	// Ignore parts within a text, which Compose did not create.
	parts := slices.DeleteFunc(m.Parts(), func(p message.Part) bool { return strings.Contains(p.Path, ".") })
	if len(parts) != 1+len(d.Attachments) {
		t.Fatalf("message: %d parts\n%s", len(parts), octets)
	}
	for i, part := range parts {
		content, err := io.ReadAll(part.Open())
		if err != nil {
			t.Fatal(err)
		}
		if want := bodyLines(d.Body); i == 0 && string(content) != want {
			t.Errorf("message: the text is %q, want %q", content, want)
		}
		if i > 0 && !bytes.Equal(content, d.Attachments[i-1].Content) {
			t.Errorf("message: attachment %d is %q", i, content)
		}
	}
}

func byStandardLibrary(t *testing.T, d submit.Draft, octets string) {
	t.Helper()
	m, err := mail.ReadMessage(strings.NewReader(octets))
	if err != nil {
		t.Fatalf("net/mail: %v\n%q", err, octets)
	}
	for name, want := range map[string][]submit.Mailbox{"From": {d.From}, "To": d.To, "Cc": d.Cc} {
		list, err := m.Header.AddressList(name)
		if err != nil && len(want) > 0 {
			t.Fatalf("net/mail: %s: %v\n%s", name, err, octets)
		}
		var got []submit.Mailbox
		for _, a := range list {
			spec := (&mail.Address{Address: a.Address}).String()
			got = append(got, submit.Mailbox{Name: a.Name, Address: spec[1 : len(spec)-1]})
		}
		if !slices.Equal(got, want) {
			t.Errorf("net/mail: %s: %q, want %q\n%s", name, got, want, octets)
		}
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject"))
	if err != nil || subject != d.Subject {
		t.Errorf("net/mail: subject %q, want %q: %v", subject, d.Subject, err)
	}
	if _, err := m.Header.Date(); err != nil {
		t.Error(err)
	}
	kind, parameters, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	if kind != "multipart/mixed" {
		if len(d.Attachments) > 0 {
			t.Errorf("net/mail: %s", kind)
		}
		return
	}
	r := multipart.NewReader(m.Body, parameters["boundary"])
	for i := -1; i < len(d.Attachments); i++ {
		part, err := r.NextPart()
		if err != nil {
			t.Fatal(err)
		}
		if i >= 0 && part.FileName() != d.Attachments[i].Name {
			t.Errorf("mime: name %q, want %q", part.FileName(), d.Attachments[i].Name)
		}
	}
	if _, err := r.NextPart(); err != io.EOF {
		t.Errorf("mime: one part too many: %v", err)
	}
}

func TestReadBack(t *testing.T) {
	long := strings.Repeat("word ", 200) + "end"
	var many []submit.Mailbox
	for i := range 300 {
		many = append(many, submit.Mailbox{Name: fmt.Sprintf("Näme %d", i), Address: fmt.Sprintf("a%d@host.dom", i)})
	}
	rows := map[string]func(*submit.Draft){
		"plain":             func(d *submit.Draft) {},
		"no subject":        func(d *submit.Draft) { d.Subject = "" },
		"long subject":      func(d *submit.Draft) { d.Subject = long },
		"long word":         func(d *submit.Draft) { d.Subject = strings.Repeat("a", 3000) },
		"long non-ASCII":    func(d *submit.Draft) { d.Subject = strings.Repeat("日本語", 300) },
		"blanks":            func(d *submit.Draft) { d.Subject = "  a   b  " },
		"encoded already":   func(d *submit.Draft) { d.Subject = "=?utf-8?q?x?= is a word" },
		"emoji":             func(d *submit.Draft) { d.Subject = strings.Repeat("👩‍👩‍👧", 40) },
		"mixed":             func(d *submit.Draft) { d.Subject = "Grüße aus dem Süden und viele andere Wörter dazu " + long },
		"name with quotes":  func(d *submit.Draft) { d.From.Name = `a "b" \c\` },
		"name like address": func(d *submit.Draft) { d.From.Name = "a <b@c>, d@e" },
		"name with words":   func(d *submit.Draft) { d.From.Name = "=?utf-8?q?x?=" },
		"long name":         func(d *submit.Draft) { d.To[0].Name = strings.Repeat("ü,", 200) },
		"quoted local part": func(d *submit.Draft) { d.To[0].Address = `"George, Ted"@Shared.Group` },
		"literals":          func(d *submit.Draft) { d.To = []submit.Mailbox{box("a@[192.0.2.1]"), box("b@host.dom")} },
		"many":              func(d *submit.Draft) { d.Cc = many },
		"UTF-8 addresses": func(d *submit.Draft) {
			d.To = []submit.Mailbox{{Name: "Jöe", Address: "jöe@bücher.example"}}
			d.From.Address = "用户@例子.广告"
		},
		"keywords":   func(d *submit.Draft) { d.Keywords, d.Comments = "ä, ö", long },
		"no body":    func(d *submit.Draft) { d.Body = "" },
		"line ends":  func(d *submit.Draft) { d.Body = "a\rb\nc\r\nd\n\n" },
		"long line":  func(d *submit.Draft) { d.Body = strings.Repeat("a", 5000) },
		"dots":       func(d *submit.Draft) { d.Body = ".\n..\n.x\n" },
		"From":       func(d *submit.Draft) { d.Body = "From here on\n" },
		"controls":   func(d *submit.Draft) { d.Body = "\x00\x1b[2J\x7f\t \n" },
		"blanks end": func(d *submit.Draft) { d.Body = "ü \nb\t\n" },
		"attachments": func(d *submit.Draft) {
			d.Body = "ü\n--=_NZXSA4TBNZSG63JAMF2CAYLMNQ x\n"
			d.Attachments = []submit.Attachment{
				{Name: "empty"}, {Name: `q"uo\te;.txt`, Content: []byte("x")}, {Name: strings.Repeat("ü", 127), Content: bytes.Repeat([]byte{0xFF}, 1000)},
				{Name: "m.eml", Type: "message/rfc822", Content: []byte("A: b\n\nc")},
			}
		},
	}
	for name, change := range rows {
		t.Run(name, func(t *testing.T) {
			d := messageText()
			change(&d)
			octets := text(t, compose(t, d))
			readBack(t, d, octets)
			checkLines(t, octets)
		})
	}
}

// Package net/mail does not accept addresses with an IPv6 address, so this test uses only
// package message.
func TestReadBackIPv6(t *testing.T) {
	d := messageText()
	d.To = []submit.Mailbox{box("a@[IPv6:2001:db8::1]"), {Name: "B", Address: "b@[IPv6:::1]"}}
	byMessage(t, d, text(t, compose(t, d)))
}

// checkLines checks the lines of a message (RFC 5322 section 2.1.1).
func checkLines(t *testing.T, octets string) {
	t.Helper()
	for line := range strings.SplitSeq(octets, "\r\n") {
		if len(line) > 998 || strings.ContainsAny(line, "\r\n\x00") {
			t.Fatalf("a line with %d octets: %.100q", len(line), line)
		}
	}
}

// No text of a header field can start another field.
func TestInjection(t *testing.T) {
	fields := map[string]func(*submit.Draft, string){
		"From":         func(d *submit.Draft, s string) { d.From.Address = "me@example.org" + s },
		"From, local":  func(d *submit.Draft, s string) { d.From.Address = s + "me@example.org" },
		"From, quoted": func(d *submit.Draft, s string) { d.From.Address = `"me` + s + `"@example.org` },
		"From, name":   func(d *submit.Draft, s string) { d.From.Name = "me" + s },
		"To":           func(d *submit.Draft, s string) { d.To[0].Address += s },
		"To, name":     func(d *submit.Draft, s string) { d.To[0].Name = "joe" + s },
		"Cc":           func(d *submit.Draft, s string) { d.Cc = []submit.Mailbox{{Name: s, Address: "a@b"}} },
		"Bcc":          func(d *submit.Draft, s string) { d.Bcc = []submit.Mailbox{{Name: s, Address: "a@b"}} },
		"Subject":      func(d *submit.Draft, s string) { d.Subject = "x" + s },
		"In-Reply-To":  func(d *submit.Draft, s string) { d.InReplyTo = "<a@b>" + s },
		"References":   func(d *submit.Draft, s string) { d.References = "<a" + s + "@b>" },
		"Keywords":     func(d *submit.Draft, s string) { d.Keywords = s },
		"Comments":     func(d *submit.Draft, s string) { d.Comments = s },
		"attachment":   func(d *submit.Draft, s string) { d.Attachments = []submit.Attachment{{Name: "x" + s}} },
		"media type":   func(d *submit.Draft, s string) { d.Attachments = []submit.Attachment{{Name: "x", Type: "a/b" + s}} },
		"type, front":  func(d *submit.Draft, s string) { d.Attachments = []submit.Attachment{{Name: "x", Type: s + "a/b"}} },
	}
	for name, set := range fields {
		for _, s := range []string{"\r\nBcc: x@y", "\nX: y", "\rX: y", "\x00", "\r\n\r\nbody", "\r\n", "\x85", "\u0085", "\x1b[2J", "\x7f"} {
			d := messageText()
			set(&d, s)
			m, err := submit.Compose(d)
			if err == nil {
				t.Errorf("%s with %q: %q", name, s, text(t, m))
				continue
			}
			if !strings.HasPrefix(err.Error(), "submit: ") || strings.ContainsAny(err.Error(), "\r\n\x00\x1b\x7f") {
				t.Errorf("%s with %q: %q", name, s, err)
			}
			if !errors.Is(err, submit.ErrField) && !errors.Is(err, submit.ErrAddress) {
				t.Errorf("%s with %q: %v", name, s, err)
			}
		}
	}
}

func TestComposeRefuses(t *testing.T) {
	for name, row := range map[string]struct {
		change func(*submit.Draft)
		text   string
	}{
		"no sender":      {func(d *submit.Draft) { d.From = submit.Mailbox{} }, "the sender is missing"},
		"no recipient":   {func(d *submit.Draft) { d.To = nil }, "the recipient is missing"},
		"no message-id":  {func(d *submit.Draft) { d.InReplyTo = "see above" }, `invalid message-id "see"`},
		"half a one":     {func(d *submit.Draft) { d.References = "<a@b> <c@>" }, `invalid message-id "<c@>"`},
		"Latin 1":        {func(d *submit.Draft) { d.Body = "caf\xe9" }, "not valid UTF-8"},
		"subject":        {func(d *submit.Draft) { d.Subject = "caf\xe9" }, "is not UTF-8"},
		"folder":         {func(d *submit.Draft) { d.Attachments = []submit.Attachment{{Name: "a/b"}} }, "without a directory"},
		"no name":        {func(d *submit.Draft) { d.Attachments = []submit.Attachment{{}} }, "invalid attachment name"},
		"no media type":  {func(d *submit.Draft) { d.Attachments = []submit.Attachment{{Name: "x", Type: "a b"}} }, "invalid media type"},
		"name too long":  {func(d *submit.Draft) { d.Attachments = []submit.Attachment{{Name: strings.Repeat("x", 256)}} }, "invalid attachment name"},
		"Bcc is checked": {func(d *submit.Draft) { d.Bcc = []submit.Mailbox{box("x")} }, "not an address"},
	} {
		d := messageText()
		row.change(&d)
		if _, err := submit.Compose(d); err == nil || !strings.Contains(err.Error(), row.text) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := submit.ComposeWith(messageText(), time.Now(), strings.NewReader("x")); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("without random octets: %v", err)
	}
}

// Two messages must have different message-ids.
func TestMessageIDs(t *testing.T) {
	seen := map[string]bool{}
	for range 10 {
		m, err := submit.Compose(messageText())
		if err != nil {
			t.Fatal(err)
		}
		read, err := message.Read(strings.NewReader(text(t, m)), nil)
		if err != nil {
			t.Fatal(err)
		}
		if date, ok := read.Date(); !ok || time.Since(date).Abs() > time.Minute {
			t.Errorf("date %v", date)
		}
		seen[read.MessageID()] = true
	}
	if len(seen) != 10 {
		t.Errorf("%d ids", len(seen))
	}
}

func TestPropose(t *testing.T) {
	d := messageText()
	d.Subject = ""
	ignored, err := d.Propose([]submit.Field{
		{"Subject", "Grüße"}, {"BODY", "one\r\ntwo"}, {"body", "three"}, {"cc", "a@b, Joe <c@d>"}, {"Cc", ""}, {"to", "x@y"},
		{"In-Reply-To", "<3469A91.D10AF4C@example.com>"}, {"keywords", "k"}, {"comments", "c"}, {"references", "<a@b>"},
		{"Bcc", "spy@evil.example"}, {"From", "boss@host.dom"}, {"Content-Type", "text/html"}, {"Received", "x"}, {"Message-ID", "<x@y>"},
		{"DKIM-Signature", "v=1"}, {"Reply-To", "spy@evil.example"}, {"Sender", "x@y"}, {"Attach", "/etc/passwd"}, {"Date", "now"},
		{"Return-Path", "x@y"}, {"X-Anything", "1"}, {"Resent-To", "x@y"}, {"List-Unsubscribe", "<http://h/>"}, {"Attachment", "/etc/passwd"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range ignored {
		names = append(names, f.Name)
	}
	if want := "Bcc From Content-Type Received Message-ID DKIM-Signature Reply-To Sender Attach Date Return-Path X-Anything Resent-To List-Unsubscribe Attachment"; strings.Join(names, " ") != want {
		t.Errorf("ignored %q", names)
	}
	if d.Subject != "Grüße" || d.Body != "Hello.\n\none\r\ntwo\nthree" || len(d.Cc) != 2 || d.Cc[1] != (submit.Mailbox{Name: "Joe", Address: "c@d"}) ||
		len(d.To) != 2 || d.InReplyTo != "<3469A91.D10AF4C@example.com>" || d.Keywords != "k" || d.Comments != "c" || d.References != "<a@b>" ||
		len(d.Bcc) != 0 || d.From != box("me@example.org") || d.Attachments != nil {
		t.Errorf("%+v", d)
	}
	octets := text(t, compose(t, d))
	if strings.Contains(octets, "evil") || strings.Contains(octets, "html") {
		t.Error(octets)
	}

	// RFC 6068 section 6.3 allows percent-encoding or an encoded-word.
	var cafe submit.Draft
	if _, err := cafe.Propose([]submit.Field{{"subject", "=?utf-8?Q?caf=C3=A9?="}, {"comments", "=?iso-8859-1?Q?caf=E9?="}}); err != nil || cafe.Subject != "café" || cafe.Comments != "café" {
		t.Errorf("%+v, %v", cafe, err)
	}
	// An encoded-word does not evade the check.
	cafe = messageText()
	if _, err := cafe.Propose([]submit.Field{{"subject", "=?utf-8?Q?a=0D=0AX:_y?="}}); err == nil {
		if m, err := submit.Compose(cafe); err == nil && strings.Contains(text(t, m), "\nX:") {
			t.Errorf("%q", text(t, m))
		}
	}

	// An invalid field leaves the draft unchanged, even after valid ones.
	before := fmt.Sprintf("%+v", d)
	for _, f := range []submit.Field{{"subject", "a\r\nBcc: x@y"}, {"x-other", "a\nb"}, {"cc", "nobody"}, {"cc", "a@b\r\nx: y"}} {
		if ignored, err := d.Propose([]submit.Field{{"subject", "new"}, {"cc", "new@host.dom"}, f}); err == nil || ignored != nil {
			t.Errorf("%q: %v", f, err)
		}
	}
	if after := fmt.Sprintf("%+v", d); after != before {
		t.Errorf("%s\nwas %s", after, before)
	}
}

// The message of any draft has exactly the expected fields.
func FuzzCompose(f *testing.F) {
	f.Add("me@example.org", "Me", "joe@host.dom", "hi", "<a@b>", "text\n", "a.txt", "")
	f.Add("jöe@bücher.example", "Jöe, \"x\"", `"a b"@[192.0.2.1]`, "=?utf-8?q?x?=", "", ".\r\n\r", "ü", "text/html")
	f.Add("a@b\r\nX: y", "\x00", "a@b", strings.Repeat("ü", 500), "<a@b> <c@d>", "\xff", "a\"b", "message/rfc822")
	f.Fuzz(func(t *testing.T, from, name, to, subject, id, body, file, kind string) {
		d := submit.Draft{
			From: submit.Mailbox{Name: name, Address: from}, To: []submit.Mailbox{{Name: name, Address: to}}, Bcc: []submit.Mailbox{box("hidden@host.dom")},
			Subject: subject, InReplyTo: id, Comments: subject, Body: body,
		}
		if file != "" {
			d.Attachments = []submit.Attachment{{Name: file, Type: kind, Content: []byte(body)}}
		}
		m, err := composeFixed(d)
		if err != nil {
			return
		}
		octets := text(t, m)
		checkLines(t, octets)
		read, err := message.Read(strings.NewReader(octets), nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for field := range read.Fields() {
			names = append(names, field.Name)
		}
		for _, optional := range []string{"Subject", "In-Reply-To", "Comments", "Content-Transfer-Encoding"} {
			names = slices.DeleteFunc(names, func(n string) bool { return n == optional })
		}
		if want := []string{"From", "To", "Date", "Message-ID", "MIME-Version", "Content-Type"}; !slices.Equal(names, want) {
			t.Fatalf("fields %q\n%s", names, octets)
		}
		if len(m.Recipients()) > 2 || strings.Contains(octets, "hidden@host.dom") && !strings.Contains(from+name+to+subject+id+body+file+kind, "hidden") {
			t.Fatalf("recipients %q\n%s", m.Recipients(), octets)
		}
		if _, err := m.Preview(); err != nil {
			t.Fatal(err)
		}
		decoded, err := new(mime.WordDecoder).DecodeHeader(read.Get("Subject"))
		if err != nil || decoded != subject {
			t.Fatalf("subject %q, want %q\n%s", decoded, subject, octets)
		}
		if got := read.From(); len(got) != 1 || got[0].Addr != from || got[0].Name != strings.TrimSpace(name) {
			t.Fatalf("from %q, want %q <%s>\n%s", got, name, from, octets)
		}
	})
}

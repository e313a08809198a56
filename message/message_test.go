package message_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/locus-url/locus/message"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// parse parses text, which must be a message.
func parse(t testing.TB, text string) *message.Message {
	t.Helper()
	m, err := message.Parse(strings.NewReader(text), int64(len(text)), nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func readAll(t testing.TB, r io.Reader) string {
	t.Helper()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// crlf returns text with CR LF line ends.
func crlf(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }

// tree returns the parts of m, one per line.
func tree(m *message.Message) string {
	var b strings.Builder
	for _, p := range m.Parts() {
		fmt.Fprintf(&b, "%s %s", p.Path, p.Type)
		for _, word := range []string{p.Charset, p.Encoding, p.Name, p.Disposition, p.ContentID} {
			if word != "" {
				fmt.Fprintf(&b, " %s", word)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// faults returns the faults of m as path:rule@offset.
func faults(m *message.Message) string {
	var list []string
	for _, f := range m.Faults {
		list = append(list, strings.TrimPrefix(fmt.Sprintf("%s:%s@%d", f.Path, f.Rule, f.Offset), ":"))
	}
	return strings.Join(list, " ")
}

// The messages in testdata look like messages of the programs in their names. Each must have
// the same text and parts with either line end.
func TestPrograms(t *testing.T) {
	names, err := filepath.Glob("testdata/*.eml")
	if err != nil || len(names) < 9 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			octets, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			m := parse(t, string(octets))
			wire := parse(t, crlf(string(octets)))
			var b strings.Builder
			if err := m.WriteText(&b, nil); err != nil {
				t.Fatal(err)
			}
			golden(t, strings.TrimSuffix(name, ".eml")+".txt", tree(m)+"\n"+b.String())
			if tree(wire) != tree(m) {
				t.Errorf("with CR LF the parts are\n%s", tree(wire))
			}
			for i, p := range m.Parts() {
				other := wire.Parts()[i]
				if got, want := readAll(t, other.Text()), readAll(t, p.Text()); got != want {
					t.Errorf("part %s: with CR LF %q, without %q", p.Path, got, want)
				}
				if p.Encoding == "base64" && readAll(t, other.Open()) != readAll(t, p.Open()) {
					t.Errorf("part %s differs with CR LF", p.Path)
				}
			}
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
	}
}

// RFC 2046 section 5.1.1.
const simple = `From: Nathaniel Borenstein <nsb@bellcore.com>
To: Ned Freed <ned@innosoft.com>
Date: Sun, 21 Mar 1993 23:56:48 -0800 (PST)
Subject: Sample message
MIME-Version: 1.0
Content-type: multipart/mixed; boundary="simple boundary"

This is the preamble.  It is to be ignored, though it
is a handy place for composition agents to include an
explanatory note to non-MIME conformant readers.

--simple boundary

This is implicitly typed plain US-ASCII text.
It does NOT end with a linebreak.
--simple boundary
Content-type: text/plain; charset=us-ascii

This is explicitly typed plain US-ASCII text.
It DOES end with a linebreak.

--simple boundary--

This is the epilogue.  It is also to be ignored.
`

func TestSimple(t *testing.T) {
	for _, text := range []string{simple, crlf(simple)} {
		m := parse(t, text)
		if got, want := tree(m), "1 text/plain\n2 text/plain us-ascii\n"; got != want {
			t.Errorf("parts\n%swant\n%s", got, want)
		}
		for path, want := range map[string]string{
			"1": "This is implicitly typed plain US-ASCII text.\nIt does NOT end with a linebreak.",
			"2": "This is explicitly typed plain US-ASCII text.\nIt DOES end with a linebreak.\n",
		} {
			p, ok := m.Part(path)
			if !ok || readAll(t, p.Text()) != want {
				t.Errorf("part %s: %v, %q", path, ok, readAll(t, p.Text()))
			}
			if octets := text[p.Offset() : p.Offset()+p.Size]; octets != readAll(t, p.Open()) || octets != readAll(t, p.Raw()) {
				t.Errorf("part %s is not at %d", path, p.Offset())
			}
		}
		if len(m.Faults) > 0 {
			t.Error(m.Faults)
		}
		if at, ok := m.Date(); !ok || !at.Equal(time.Date(1993, 3, 22, 7, 56, 48, 0, time.UTC)) {
			t.Error(at, ok)
		}
		if from := m.From(); len(from) != 1 || from[0] != (message.Address{Name: "Nathaniel Borenstein", Addr: "nsb@bellcore.com"}) {
			t.Error(from)
		}
	}
}

// RFC 2046 section 5.1.5.
const digest = `From: Moderator-Address
To: Recipient-List
Date: Mon, 22 Mar 1994 13:34:51 +0000
Subject: Internet Digest, volume 42
MIME-Version: 1.0
Content-Type: multipart/mixed;
              boundary="---- main boundary ----"

------ main boundary ----

  ...Introductory text or table of contents...

------ main boundary ----
Content-Type: multipart/digest;
              boundary="---- next message ----"

------ next message ----

From: someone-else
Date: Fri, 26 Mar 1993 11:13:32 +0200
Subject: my opinion

  ...body goes here ...

------ next message ----

From: someone-else-again
Date: Fri, 26 Mar 1993 10:07:13 -0500
Subject: my different opinion

  ... another body goes here ...

------ next message ------

------ main boundary ------
`

func TestDigest(t *testing.T) {
	m := parse(t, digest)
	want := `1 text/plain
2 multipart/digest
2.1 message/rfc822
2.1.1 text/plain
2.2 message/rfc822
2.2.1 text/plain
`
	if got := tree(m); got != want || len(m.Faults) > 0 {
		t.Errorf("parts\n%swant\n%s%v", got, want, m.Faults)
	}
	p, _ := m.Part("2.2")
	h, ok := p.Enclosed()
	if !ok || h.Subject() != "my different opinion" {
		t.Errorf("%q, %v", h.Subject(), ok)
	}
	// An enclosed message can be parsed.
	inner, err := message.Read(p.Open(), nil)
	if err != nil || inner.Subject() != h.Subject() {
		t.Error(inner, err)
	}
	if p, _ := m.Part("2"); !p.Multipart() {
		t.Error("2 is a multipart")
	}
	if _, ok := m.Part("3"); ok {
		t.Error("there is a part 3")
	}
}

func TestFind(t *testing.T) {
	m := parse(t, `A: b
Content-Type: multipart/related; boundary=x

--x
Content-Type: message/rfc822

Subject: within
Content-ID: <one@h>

--x
Content-ID: <One@h>

--x
Content-ID: one@h

--x
Content-ID: <"a b"@h>

--x
Content-ID:

--x--
`)
	for id, want := range map[string]string{
		"one@h": "3", "<one@h>": "3", "One@h": "2", "ONE@h": "", `<"a b"@h>`: "4", "": "", "<>": "", "none@h": "",
	} {
		p, ok := m.Find(id)
		if p.Path != want || ok != (want != "") {
			t.Errorf("%q: %q, %v, want %q", id, p.Path, ok, want)
		}
	}
	// A part of an enclosed message must count if no other has the identifier.
	m = parse(t, "Content-Type: message/rfc822\n\nContent-ID: <a@b>\n\nx")
	if p, ok := m.Find("a@b"); !ok || p.Path != "1.1" {
		t.Error(p.Path, ok)
	}
}

// Damaged messages must have the listed parts and faults.
func TestDamage(t *testing.T) {
	for _, row := range []struct{ name, text, parts, faults string }{
		{"no end boundary", "A: b\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\none\n--x\n\ntwo", "1 text/plain\n2 text/plain\n", "end-boundary@65"},
		{"no boundary parameter", "Content-Type: multipart/mixed\n\n--x\n\none\n", "1 multipart/mixed\n", "1:boundary@0"},
		{"boundary nowhere", "Content-Type: multipart/mixed; boundary=x\n\none\n", "1 multipart/mixed\n", "1:boundary@43"},
		{"inner without end", "Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: multipart/mixed; boundary=y\n\n--y\n\none\n--x\n\ntwo\n--x--\n",
			"1 multipart/mixed\n1.1 text/plain\n2 text/plain\n", "1:end-boundary@98"},
		{"the same boundary twice", "Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\none\n--x--\n--x\n\ntwo\n--x--\n",
			"1 multipart/mixed\n1.1 text/plain\n2 text/plain\n", ""},
		{"base64", "Content-Transfer-Encoding: base64\n\nQUJD\n**\nREVG\n", "1 text/plain base64\n", "1:base64@40"},
		{"quoted-printable", "Content-Transfer-Encoding: quoted-printable\n\n=41=\n=4x\n", "1 text/plain quoted-printable\n", "1:quoted-printable@50"},
		{"encoding", "Content-Type: text/plain\nContent-Transfer-Encoding: x-zip\n\nabc", "1 application/octet-stream\n", "1:encoding@0"},
		{"charset", "Content-Type: text/plain; charset=martian\n\nabc", "1 text/plain martian\n", "1:charset@0"},
		{"type", "Content-Type: a/b/c\n\nabc", "1 application/octet-stream\n", "1:content-type@0"},
		{"old type", "Content-Type: text\n\nabc", "1 text/plain\n", ""},
		{"multipart in base64", "Content-Type: multipart/mixed; boundary=x\nContent-Transfer-Encoding: base64\n\n--x\n\none\n--x--\n", "1 text/plain\n", "encoding@0"},
		{"message in base64", "Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\nQTogYgo=\n", "1 message/rfc822 base64\n1.1 text/plain\n", "1:encoding@0"},
		{"message/global in base64", "Content-Type: message/global\nContent-Transfer-Encoding: base64\n\nQTogYgo=\n", "1 message/global base64\n1.1 text/plain\n", ""},
		{"no message in base64", "Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\nYWJj\n", "1 message/rfc822 base64\n", "1:encoding@0 1:header-line@64"},
		{"line without colon", "A: b\njunk\n more junk\nC: d\n\nx", "1 text/plain\n", "1:header-line@5"},
		{"no empty line", "A: b\nContent-Type: multipart/mixed; boundary=x\n\n--x\nthe text at once\n--x--\n", "1 text/plain\n", "1:header-line@52"},
		{"part ends in its header", "Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/html\n--x--\n", "1 text/html\n", ""},
		{"message ends in its header", "A: b\nContent-Type: multipart/mixed; boundary=x", "1 multipart/mixed\n", "1:boundary@46"},
		{"message within ends at once", "Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: message/rfc822\n--x--\n", "1 message/rfc822\n1.1 text/plain\n", ""},
		{"NUL", "A: b\n\nx\x00\x00y\n\x00", "1 text/plain\n", "1:nul@7"},
		{"bare CR", "A: b\r\n\r\nx\ry\r\n", "1 text/plain\n", "1:bare-cr@9"},
		{"bare LF", "A: b\r\n\r\nx\ny\nz\r\n", "1 text/plain\n", "1:line-end@9"},
		{"CR LF among LF", "A: b\n\nx\r\ny\r\n", "1 text/plain\n", "1:line-end@7"},
		{"LF only", "A: b\n\nx\ny\n", "1 text/plain\n", ""},
		{"binary", "Content-Type: image/png\nContent-Transfer-Encoding: binary\n\nx\x00\ry\r\n", "1 image/png\n", ""},
		{"mbox", "From a@b Thu Jan  1 00:00:00 1970\n>From x\nA: b\n\nx\n", "1 text/plain\n", ""},
		{"after the end", "Content-Type: multipart/mixed; boundary=x\n\n--x\n\none\n--x--\n--x\n\ntwo\n--x--\n", "1 text/plain\n", ""},
		{"boundary with blanks", "Content-Type: multipart/mixed; boundary=x\n\n--x \t\n\none\n--xy\n--x--  \n", "1 text/plain\n", ""},
		{"uuencode cut", "A: b\n\nbegin 644 f.txt\n#0V%T\n", "1 text/plain\n1.1 text/plain x-uuencode f.txt attachment\n", "1.1:uuencode@28"},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := parse(t, row.text)
			if got := tree(m); got != row.parts {
				t.Errorf("parts\n%swant\n%s", got, row.parts)
			}
			if got := faults(m); got != row.faults {
				t.Errorf("faults %s, want %s\n%v", got, row.faults, m.Faults)
			}
		})
	}
}

func TestNoMessage(t *testing.T) {
	for _, text := range []string{"", "\n", "\r\n\r\nbody", "just a text\nof lines\n", "\x89PNG\r\n\x1a\n", "From a@b\n\nx", " A: b\n", ":\n"} {
		if m, err := message.Parse(strings.NewReader(text), int64(len(text)), nil); !errors.Is(err, message.ErrNoMessage) || m != nil {
			t.Errorf("%q: %v, %v", text, m, err)
		}
		if _, err := message.ReadHeader(strings.NewReader(text), nil); !errors.Is(err, message.ErrNoMessage) {
			t.Errorf("%q: header: %v", text, err)
		}
	}
}

func TestReader(t *testing.T) {
	// If reading fails, the message so far must be returned.
	broken := errors.New("the disk is gone")
	m, err := message.Read(io.MultiReader(strings.NewReader(simple[:400]), iotest.ErrReader(broken)), nil)
	if !errors.Is(err, broken) || m == nil || m.Subject() != "Sample message" {
		t.Error(m, err)
	}
	m, err = message.Parse(brokenAt{strings.NewReader(simple), 600, broken}, int64(len(simple)), nil)
	if !errors.Is(err, broken) || m == nil || len(m.Parts()) == 0 {
		t.Error(m, err)
	}
	// The message is shorter than the size passed to Parse.
	m, err = message.Parse(strings.NewReader(simple), int64(len(simple))+10, nil)
	if err != nil || faults(m) != fmt.Sprintf("size@%d", len(simple)) {
		t.Error(m.Faults, err)
	}
	m, err = message.Read(iotest.OneByteReader(strings.NewReader(simple)), nil)
	if err != nil || tree(m) != tree(parse(t, simple)) {
		t.Error(m, err)
	}
}

// brokenAt fails after its first n octets.
type brokenAt struct {
	r   io.ReaderAt
	n   int64
	err error
}

func (b brokenAt) ReadAt(p []byte, offset int64) (int, error) {
	if offset >= b.n {
		return 0, b.err
	}
	n, err := b.r.ReadAt(p[:min(int64(len(p)), b.n-offset)], offset)
	if err == nil && n < len(p) {
		err = b.err
	}
	return n, err
}

func TestReadHeader(t *testing.T) {
	h, err := message.ReadHeader(strings.NewReader(simple), nil)
	if err != nil || h.Subject() != "Sample message" {
		t.Error(h.Lines(), err)
	}
	if h.Lines() != simple[:strings.Index(simple, "\n\n")+1] {
		t.Errorf("%q", h.Lines())
	}
	if h, err := message.ReadHeader(strings.NewReader("A: b"), nil); err != nil || h.Get("a") != "b" {
		t.Error(h.Lines(), err)
	}
	_, err = message.ReadHeader(strings.NewReader("A: b\nC: "+strings.Repeat("d", 200)+"\n\n"), &message.Limits{Header: 100})
	if !errors.Is(err, message.ErrLimit) {
		t.Error(err)
	}
	broken := errors.New("the disk is gone")
	if _, err = message.ReadHeader(io.MultiReader(strings.NewReader("A: b\n"), iotest.ErrReader(broken)), nil); !errors.Is(err, broken) {
		t.Error(err)
	}
}

func TestHeader(t *testing.T) {
	text := "Subject: one\n two\r\n\tthree \nX-A:  first \nx-a:second\nEmpty:\nno field\nOld : space\n\nbody"
	m := parse(t, text)
	var names []string
	for f := range m.Fields() {
		names = append(names, f.Name+"="+f.Value)
		if text[f.Offset:f.Offset+int64(len(f.Raw))] != f.Raw {
			t.Errorf("%s: %q is not at %d", f.Name, f.Raw, f.Offset)
		}
	}
	if want := []string{"Subject=one two\tthree", "X-A=first", "x-a=second", "Empty=", "Old=space"}; !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
	if got := m.Values("X-a"); !slices.Equal(got, []string{"first", "second"}) {
		t.Errorf("%q", got)
	}
	if _, ok := m.Lookup("empty"); !ok {
		t.Error("Empty is there")
	}
	if _, ok := m.Lookup("none"); ok {
		t.Error("none is there")
	}
	if m.Header.Lines() != text[:strings.Index(text, "\n\n")+1] {
		t.Errorf("%q", m.Header.Lines())
	}
}

func TestAddresses(t *testing.T) {
	for text, want := range map[string]string{
		// RFC 5322 appendix A.
		`John Doe <jdoe@machine.example>`:                                              `John Doe|jdoe@machine.example`,
		`"Joe Q. Public" <john.q.public@example.com>`:                                  `Joe Q. Public|john.q.public@example.com`,
		`Mary Smith <mary@x.test>, jdoe@example.org, Who? <one@y.test>`:                `Mary Smith|mary@x.test, |jdoe@example.org, Who?|one@y.test`,
		`<boss@nil.test>, "Giant; \"Big\" Box" <sysservices@example.net>`:              `|boss@nil.test, Giant; "Big" Box|sysservices@example.net`,
		`A Group:Ed Jones <c@a.test>,joe@where.test,John <jdoe@one.test>;`:             `Ed Jones|c@a.test, |joe@where.test, John|jdoe@one.test`,
		`Undisclosed recipients:;`:                                                     ``,
		`Pete(A nice \) chap) <pete(his account)@silly.test(his host)>`:                `Pete|pete@silly.test`,
		`Mary Smith <@node.test,@node2.test:mary@example.net>, , jdoe@test  . example`: `Mary Smith|mary@example.net, |jdoe@test.example`,
		`=?ISO-8859-1?Q?Andr=E9?= Pirard <PIRARD@vm1.ulg.ac.be>`:                       `André Pirard|PIRARD@vm1.ulg.ac.be`,
		`jerry@eagle.uucp (Jerry Schwarz)`:                                             `Jerry Schwarz|jerry@eagle.uucp`,
		`"a b"@example.com`:                                                            `|"a b"@example.com`,
		`Jösé <jösé@exämple.com>`:                                                      `Jösé|jösé@exämple.com`,
		`'Anna' <anna@corp.example>; bob@corp.example`:                                 `'Anna'|anna@corp.example, |bob@corp.example`,
		`"broken <a@b>`:     `|"broken <a@b>`,
		`Name <a@b`:         `Name|a@b`,
		`Moderator-Address`: `|Moderator-Address`,
		`((((`:              `(((|`,
		``:                  ``,
	} {
		m := parse(t, "From: "+text+"\n\n")
		var list []string
		for _, a := range m.From() {
			list = append(list, a.Name+"|"+a.Addr)
		}
		if got := strings.Join(list, ", "); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if got := (message.Address{Name: "A", Addr: "b@c"}).String() + (message.Address{Addr: "b@c"}).String(); got != "A <b@c>b@c" {
		t.Error(got)
	}
}

func TestDate(t *testing.T) {
	for text, want := range map[string]string{
		// RFC 5322 appendix A.
		"Fri, 21 Nov 1997 09:55:06 -0600":                                  "1997-11-21T09:55:06-06:00",
		"Tue, 1 Jul 2003 10:52:37 +0200":                                   "2003-07-01T10:52:37+02:00",
		"Thu, 13 Feb 1969 23:32:54 -0330":                                  "1969-02-13T23:32:54-03:30",
		"Mon, 24 Nov 1997 14:22:01 -0800":                                  "1997-11-24T14:22:01-08:00",
		"Thu,\t13\t  Feb\t    1969\t  23:32\t   -0330 (Newfoundland Time)": "1969-02-13T23:32:00-03:30",
		"21 Nov 97 09:55:06 GMT":                                           "1997-11-21T09:55:06Z",
		// Its section 4.3.
		"1 Jan 49 00:00:00 EST":                "2049-01-01T00:00:00-05:00",
		"1 Jan 50 00:00:00 PDT":                "1950-01-01T00:00:00-07:00",
		"1 Jan 103 00:00:00 Z":                 "2003-01-01T00:00:00Z",
		"1 Jan 2003 00:00:00 A":                "2003-01-01T00:00:00Z",
		"1 Jan 2003 00:00:00 XYZT":             "2003-01-01T00:00:00Z",
		"Sat, 1 Jun 2024 12:00:00 -0000 (UTC)": "2024-06-01T12:00:00Z",
		// RFC 850, and the C library.
		"Fri, 19-Nov-82 16:14:55 EST":  "1982-11-19T16:14:55-05:00",
		"Fri Nov 19 16:14:55 1982":     "1982-11-19T16:14:55Z",
		"Fri Nov 19 16:14:55 EST 1982": "1982-11-19T16:14:55-05:00",
		"19 August 1999 10:01 +0100":   "1999-08-19T10:01:00+01:00",
		"1 Jan 2003 10:01:02+0100":     "2003-01-01T10:01:02+01:00",
		"2003-01-02T03:04:05Z":         "2003-01-02T03:04:05Z",
		"31 Dec 2016 23:59:60 +0000":   "2017-01-01T00:00:00Z",
		"1 Jan 2003 00:00 +9999":       "2003-01-01T00:00:00Z",
		"31 Feb 2003 00:00:00 +0000":   "",
		"1 Jan 2003":                   "",
		"1 Jan 2003 25:00:00":          "",
		"1 Jan 2003 1:2:3:4":           "",
		"1 Jan 2003 -1:00":             "",
		"1 2 3 4 5 6 Jan 10:00":        "",
		"Jan 2003 10:00":               "",
		"yesterday":                    "",
		"":                             "",
		strings.Repeat("1", 300):       "",
	} {
		at, ok := parse(t, "Date: "+text+"\n\n").Date()
		got := ""
		if ok {
			got = at.Format(time.RFC3339)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestLimits(t *testing.T) {
	many := "Content-Type: multipart/mixed; boundary=x\n\n" + strings.Repeat("--x\n\ntext\n", 50) + "--x--\n"
	m, err := message.Parse(strings.NewReader(many), int64(len(many)), &message.Limits{Parts: 20})
	if err != nil || len(m.Parts()) != 20 || len(m.Faults) != 1 || m.Faults[0].Rule != message.RuleLimit || !errors.Is(m.Faults[0], message.ErrLimit) {
		t.Errorf("%d parts, %v, %v", len(m.Parts()), m.Faults, err)
	}
	if last := m.Parts()[19]; readAll(t, last.Open()) != "text" {
		t.Errorf("the last part is %q", readAll(t, last.Open()))
	}

	m, err = message.Parse(strings.NewReader(simple), int64(len(simple)), &message.Limits{Part: 10})
	if err != nil {
		t.Fatal(err)
	}
	p, _ := m.Part("1")
	b, err := io.ReadAll(p.Open())
	if string(b) != "This is im" || !errors.Is(err, message.ErrLimit) {
		t.Errorf("%q, %v", b, err)
	}
	if n, err := p.DecodedSize(); n != 10 || !errors.Is(err, message.ErrLimit) {
		t.Error(n, err)
	}
	var text bytes.Buffer
	if err := m.WriteText(&text, nil); err != nil || !strings.Contains(text.String(), "more than 10 bytes") {
		t.Errorf("%v:\n%s", err, &text)
	}
	m, _ = message.Parse(strings.NewReader(simple), int64(len(simple)), &message.Limits{Part: p.Size})
	if p, _ = m.Part("1"); len(readAll(t, p.Open())) != int(p.Size) {
		t.Error("a part that is as long as it may be is cut")
	}

	m, err = message.Read(strings.NewReader(simple), &message.Limits{Octets: 400})
	if !errors.Is(err, message.ErrLimit) || m == nil || m.Size() != 400 || m.Subject() != "Sample message" {
		t.Error(m, err)
	}
	if m, err = message.Read(strings.NewReader(simple), &message.Limits{Octets: int64(len(simple))}); err != nil || len(m.Parts()) != 2 {
		t.Error(m, err)
	}

	// The header of a part is too large. Parse must read the header's start and the next part.
	large := "A: b\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/html\nB: " + strings.Repeat("b", 300) + "\nC: d\n\n<p>x\n--x\n\ntwo\n--x--\n"
	m, err = message.Parse(strings.NewReader(large), int64(len(large)), &message.Limits{Header: 100})
	if err != nil || tree(m) != "1 text/html\n2 text/plain\n" || faults(m) != "1:limit@76" {
		t.Errorf("%s%s %v", tree(m), faults(m), err)
	}
	if p, _ := m.Part("1"); readAll(t, p.Open()) != "<p>x" {
		t.Errorf("%q", readAll(t, p.Open()))
	}
}

// failing is a writer that accepts n octets.
type failing struct{ n int }

var errFull = errors.New("the disk is full")

func (w *failing) Write(p []byte) (int, error) {
	if w.n -= len(p); w.n < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestErrors(t *testing.T) {
	m := parse(t, "Content-Type: text/html\n\n"+strings.Repeat("<p>text", 5000))
	for _, n := range []int{0, 5000, 10_000} {
		if err := m.WriteText(&failing{n}, nil); !errors.Is(err, errFull) {
			t.Errorf("%d octets: %v", n, err)
		}
	}
	f := message.Fault{Rule: message.RuleBase64, Offset: 7, Text: "junk"}
	if got := f.Error(); got != "message: byte 7: junk" || errors.Is(f, message.ErrLimit) {
		t.Error(got)
	}
	f.Path = "1.2"
	if got := f.String(); got != "part 1.2, byte 7: junk" {
		t.Error(got)
	}
	// A reader that fails while parts are read is not a fault of the message.
	broken := errors.New("the disk is gone")
	r := &brokenAt{strings.NewReader(simple), int64(len(simple)), broken}
	m, err := message.Parse(r, int64(len(simple)), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.n = 0
	if err := m.WriteText(io.Discard, nil); !errors.Is(err, broken) {
		t.Error(err)
	}
	if _, ok := m.Parts()[0].Enclosed(); ok {
		t.Error("a text encloses a message")
	}
	r.n = int64(len(simple))
	if got := readAll(t, m.Raw()); got != simple {
		t.Errorf("%q", got)
	}
}

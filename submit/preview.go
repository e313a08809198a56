package submit

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"slices"
	"strings"

	"github.com/locus-url/locus/message"
)

// Preview returns the message as text that the caller should show to the user before sending.
// Preview decodes the encoded message. The result contains the header fields, the text with
// "|" before each line, the type and size of each file, and the envelope. Lines end with LF.
// The result may contain control characters, which callers must remove before writing it to a
// terminal.
func (m *Message) Preview() (string, error) {
	var p previewer
	if err := p.message(m); err != nil {
		return "", fmt.Errorf("submit: can't decode the message: %w", err)
	}
	p.writeEnvelope(m)
	return p.b.String(), nil
}

type previewer struct{ b strings.Builder }

func (p *previewer) message(m *Message) error {
	limits := message.Limits{Header: len(m.octets), Part: int64(len(m.octets))}
	read, err := message.Parse(bytes.NewReader(m.octets), m.Size(), &limits)
	if err != nil {
		return err
	}
	for f := range read.Fields() {
		p.field(read, f)
	}
	for i, part := range read.Parts() {
		// The preview already contains a part within a text, such as a uuencoded file.
		if strings.Contains(part.Path, ".") {
			continue
		}
		content, err := io.ReadAll(part.Open())
		if err != nil {
			return err
		}
		if i == 0 {
			p.text(string(content))
		} else if err := p.file(part, len(content)); err != nil {
			return err
		}
	}
	return nil
}

func (p *previewer) field(m *message.Message, f message.Field) {
	text := message.DecodeWords(f.Value)
	switch f.Name {
	case "From", "To", "Cc":
		// A name that looks like an address must be quoted.
		var list []string
		for _, a := range m.Addresses(f.Name) {
			list = append(list, Mailbox{a.Name, a.Addr}.String())
		}
		text = strings.Join(list, ", ")
	}
	p.line("%s: %s", f.Name, text)
}

func (p *previewer) text(content string) {
	p.line("")
	if content == "" {
		p.line("No text.")
	}
	for line := range strings.Lines(strings.ReplaceAll(content, "\r\n", "\n")) {
		p.line("%s", strings.TrimRight("| "+strings.TrimSuffix(line, "\n"), " "))
	}
}

func (p *previewer) file(part message.Part, size int) error {
	_, parameters, err := mime.ParseMediaType(part.Header().Get("Content-Disposition"))
	p.line("\nFile: %s\n  %s, %d bytes", parameters["filename"], part.Header().Get("Content-Type"), size)
	return err
}

// writeEnvelope writes the sender and recipients of the envelope, which can differ from the
// header.
func (p *previewer) writeEnvelope(m *Message) {
	p.line("\nSent from %s", m.from)
	for _, r := range m.recipients {
		if slices.Contains(m.hidden, r) {
			p.line("Sent to   %s (Bcc: hidden from the others)", r)
		} else {
			p.line("Sent to   %s", r)
		}
	}
	p.line("Size      %d bytes", len(m.octets))
}

func (p *previewer) line(format string, args ...any) { fmt.Fprintf(&p.b, format+"\n", args...) }

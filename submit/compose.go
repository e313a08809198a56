package submit

import (
	"bytes"
	"crypto/rand"
	"encoding/base32"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/textproto"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Message is an encoded message with its envelope. A Message is immutable.
type Message struct {
	from       string
	recipients []string
	hidden     []string // recipients that are not in the header
	octets     []byte
	isUTF8     bool
}

// From returns the sender's address in the envelope.
func (m *Message) From() string { return m.from }

// Recipients returns the addresses of all recipients without duplicates.
func (m *Message) Recipients() []string { return slices.Clone(m.recipients) }

// Hidden returns the recipients that the header does not name (Bcc).
func (m *Message) Hidden() []string { return slices.Clone(m.hidden) }

// IsUTF8 reports whether an address contains characters outside US-ASCII. A message with such
// an address requires the SMTP extension SMTPUTF8 (RFC 6531).
func (m *Message) IsUTF8() bool { return m.isUTF8 }

// Size returns the size of the message in bytes.
func (m *Message) Size() int64 { return int64(len(m.octets)) }

// WriteTo writes the message with CR LF line ends. The written message contains no Bcc field.
func (m *Message) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(m.octets)
	return int64(n), err
}

// Compose encodes d as a message with the current date. If d is invalid, Compose returns an
// error, which may wrap [ErrAddress] or [ErrField].
func Compose(d Draft) (*Message, error) { return compose(d, time.Now(), rand.Reader) }

// compose implements Compose for a message with a given date. The message-id and the boundary
// come from the reader random.
func compose(d Draft, date time.Time, random io.Reader) (*Message, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	c := composer{draft: &d, date: date, random: random}
	if err := c.compose(); err != nil {
		return nil, fmt.Errorf("submit: %w", err)
	}
	named := envelope(d.To, d.Cc)
	all := envelope(d.To, d.Cc, d.Bcc)
	return &Message{
		from:       d.From.Address,
		recipients: all,
		hidden:     all[len(named):],
		octets:     c.octets.Bytes(),
		isUTF8:     strings.ContainsFunc(strings.Join(all, "")+d.From.Address, func(r rune) bool { return r >= utf8.RuneSelf }),
	}, nil
}

type composer struct {
	draft  *Draft
	date   time.Time
	random io.Reader
	octets bytes.Buffer
}

func (c *composer) compose() error {
	d := c.draft
	_, host := split(d.From.Address)
	id, err := c.token()
	if err != nil {
		return err
	}
	c.mailboxes("From", []Mailbox{d.From})
	c.mailboxes("To", d.To)
	c.mailboxes("Cc", d.Cc)
	c.field("Subject", encodeWords(d.Subject))
	c.field("Date", c.date.Format("Mon, 02 Jan 2006 15:04:05 -0700"))
	c.field("Message-ID", "<"+id+"@"+host+">")
	for _, f := range d.identifiers() {
		c.field(f.Name, strings.Join(strings.Fields(f.Value), " "))
	}
	for _, f := range d.texts()[1:] {
		c.field(f.Name, encodeWords(f.Value))
	}
	c.field("MIME-Version", "1.0")
	text := lines(d.Body)
	if len(d.Attachments) > 0 {
		return c.writeParts(text)
	}
	encoding := textEncoding(text)
	c.field("Content-Type", textType)
	c.field("Content-Transfer-Encoding", encoding)
	c.octets.WriteString("\r\n")
	return writeText(&c.octets, text, encoding)
}

const textType = "text/plain; charset=utf-8"

func (c *composer) token() (string, error) {
	octets := make([]byte, 16)
	if _, err := io.ReadFull(c.random, octets); err != nil {
		return "", err
	}
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(octets), nil
}

func (c *composer) field(name, value string) {
	if value != "" {
		c.octets.WriteString(fold(name, value))
	}
}

func (c *composer) mailboxes(name string, list []Mailbox) {
	texts := make([]string, len(list))
	for i, m := range list {
		texts[i] = m.Address
		switch {
		case m.name() != "":
			name := quoteName(m.name())
			if !isPlain(m.name()) {
				name = encodedWords(m.name())
			}
			texts[i] = name + " <" + m.Address + ">"
		case strings.Contains(m.Address, ":"):
			// Write "<" and ">" around an IPv6 address, because many parsers read its colon as the
			// colon of a group.
			texts[i] = "<" + m.Address + ">"
		}
	}
	c.field(name, strings.Join(texts, ", "))
}

// writeParts writes a multipart body with the given text and the attachments.
func (c *composer) writeParts(text string) error {
	boundary, err := c.token()
	if err != nil {
		return err
	}
	w := multipart.NewWriter(&c.octets)
	// The text "=_" never occurs in quoted-printable or base64, and rarely in other text.
	if err := w.SetBoundary("=_" + boundary); err != nil {
		return err
	}
	c.field("Content-Type", mime.FormatMediaType("multipart/mixed", map[string]string{"boundary": w.Boundary()}))
	c.octets.WriteString("\r\n")
	encoding := textEncoding(text)
	part, err := w.CreatePart(textproto.MIMEHeader{"Content-Type": {textType}, "Content-Transfer-Encoding": {encoding}})
	if err != nil {
		return err
	}
	if err := writeText(part, text, encoding); err != nil {
		return err
	}
	for _, a := range c.draft.Attachments {
		part, err := w.CreatePart(textproto.MIMEHeader{
			"Content-Type":              {a.mediaType()},
			"Content-Disposition":       {mime.FormatMediaType("attachment", map[string]string{"filename": a.Name})},
			"Content-Transfer-Encoding": {"base64"},
		})
		if err != nil {
			return err
		}
		if err := writeBase64(part, a.Content); err != nil {
			return err
		}
	}
	return w.Close()
}

package submit

import (
	"fmt"
	"mime"
	"strings"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/media"
	"github.com/locus-url/locus/message"
)

// Draft is a message that the user writes. All text is UTF-8.
type Draft struct {
	From        Mailbox
	To, Cc, Bcc []Mailbox
	Subject     string
	InReplyTo   string // message-ids with "<" and ">", separated by spaces
	References  string // message-ids, in the same format as InReplyTo
	Keywords    string
	Comments    string
	Body        string // text of the message; lines may end with LF, CR LF or CR
	Attachments []Attachment
}

// Attachment is a file that is attached to a message.
type Attachment struct {
	Name    string // file name without directories
	Type    string // media type; if empty, Compose guesses the type
	Content []byte
}

// Field is a decoded header field that a URL proposes.
type Field struct {
	Name  string // case-insensitive name of the field
	Value string
}

// Propose adds the fields that a mailto URL may propose to d: "body", "subject", "to", "cc",
// "in-reply-to", "references", "keywords" and "comments". Propose returns all other fields,
// such as "from", "bcc" and "reply-to", which only the user may set (RFC 6068 sections 4 and
// 7). Propose appends addresses and texts to those in d, and decodes encoded-words in texts
// (RFC 6068 section 2). Propose returns an error that wraps [ErrField] or [ErrAddress] if a
// field is invalid. After an error, d is unchanged.
func (d *Draft) Propose(fields []Field) (ignored []Field, err error) {
	proposal := *d
	for _, f := range fields {
		if !strings.EqualFold(f.Name, "body") {
			if err := checkText(fmt.Sprintf("the field %s of the URL", locus.Quote(f.Name)), f.Value); err != nil {
				return nil, err
			}
		}
		known, err := proposal.propose(f)
		if err != nil {
			return nil, err
		}
		if !known {
			ignored = append(ignored, f)
		}
	}
	*d = proposal
	return ignored, nil
}

func (d *Draft) propose(f Field) (known bool, err error) {
	switch strings.ToLower(f.Name) {
	case "to":
		d.To, err = addMailboxes(d.To, f.Value)
	case "cc":
		d.Cc, err = addMailboxes(d.Cc, f.Value)
	case "subject":
		d.Subject = joined(d.Subject, " ", message.DecodeWords(f.Value))
	case "body":
		d.Body = joined(d.Body, "\n", f.Value)
	case "in-reply-to":
		d.InReplyTo = joined(d.InReplyTo, " ", f.Value)
	case "references":
		d.References = joined(d.References, " ", f.Value)
	case "keywords":
		d.Keywords = joined(d.Keywords, ", ", message.DecodeWords(f.Value))
	case "comments":
		d.Comments = joined(d.Comments, " ", message.DecodeWords(f.Value))
	default:
		return false, nil
	}
	return true, err
}

// addMailboxes parses text as mailboxes, and returns a copy of list with these mailboxes
// appended.
func addMailboxes(list []Mailbox, text string) ([]Mailbox, error) {
	if strings.TrimSpace(text) == "" {
		return list, nil
	}
	more, err := ParseMailboxes(text)
	return append(list[:len(list):len(list)], more...), err
}

func joined(a, separator, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + separator + b
}

func (d *Draft) check() error {
	if d.From.Address == "" {
		return fmt.Errorf("submit: %w: the sender is missing", ErrAddress)
	}
	if len(d.To)+len(d.Cc)+len(d.Bcc) == 0 {
		return fmt.Errorf("submit: %w: the recipient is missing", ErrAddress)
	}
	for _, list := range [][]Mailbox{{d.From}, d.To, d.Cc, d.Bcc} {
		for _, m := range list {
			if err := m.check(); err != nil {
				return err
			}
		}
	}
	for _, f := range d.texts() {
		if err := checkText(f.Name, f.Value); err != nil {
			return err
		}
	}
	for _, f := range d.identifiers() {
		if err := checkIdentifiers(f.Name, f.Value); err != nil {
			return err
		}
	}
	if !utf8.ValidString(d.Body) {
		return fmt.Errorf("submit: the text is not valid UTF-8: convert it or attach it as a file")
	}
	for _, a := range d.Attachments {
		if err := a.check(); err != nil {
			return err
		}
	}
	return nil
}

func (d *Draft) texts() []Field {
	return []Field{{"Subject", d.Subject}, {"Keywords", d.Keywords}, {"Comments", d.Comments}}
}

func (d *Draft) identifiers() []Field {
	return []Field{{"In-Reply-To", d.InReplyTo}, {"References", d.References}}
}

// checkIdentifiers returns an error about the first invalid msg-id in text (RFC 5322 section
// 3.6.4).
func checkIdentifiers(name, text string) error {
	if err := checkText(name, text); err != nil {
		return err
	}
	for id := range strings.FieldsSeq(text) {
		inner, ok := strings.CutPrefix(id, "<")
		inner, ok2 := strings.CutSuffix(inner, ">")
		left, right, at := strings.Cut(inner, "@")
		invalid := strings.IndexFunc(inner, func(r rune) bool { return r <= ' ' || r >= 0x7F || r == '<' || r == '>' }) >= 0
		if !ok || !ok2 || !at || left == "" || right == "" || invalid || len(id) > maxWord {
			return fmt.Errorf("submit: %w: %s has the invalid message-id %s: write <left@right>", ErrField, name, locus.Quote(id))
		}
	}
	return nil
}

func (a Attachment) check() error {
	const longest = 255 // maximum bytes of a file name on nearly every system
	if err := checkText("the name of an attachment", a.Name); err != nil {
		return err
	}
	if err := checkText("the media type of an attachment", a.Type); err != nil {
		return err
	}
	if a.Name == "" || len(a.Name) > longest || strings.Contains(a.Name, "/") {
		return fmt.Errorf("submit: invalid attachment name %s: write 1 to %d bytes, without a directory", locus.Quote(a.Name), longest)
	}
	if _, _, err := mime.ParseMediaType(a.mediaType()); err != nil {
		return fmt.Errorf("submit: attachment %s: invalid media type %s", locus.Quote(a.Name), locus.Quote(a.Type))
	}
	return nil
}

// mediaType returns the media type of the attachment a for the message. An attached message or
// multipart gets the type application/octet-stream, because its own type does not allow base64
// (RFC 2046 section 5).
func (a Attachment) mediaType() string {
	t := a.Type
	if t == "" {
		t = media.Guess(a.Name, a.Content)
	}
	if top, _, _ := strings.Cut(strings.ToLower(t), "/"); top == "message" || top == "multipart" {
		return "application/octet-stream"
	}
	return t
}

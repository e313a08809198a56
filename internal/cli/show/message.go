package show

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/message"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/transfer"
)

// IsMessage reports whether a media type is a message of mail or news.
func IsMessage(mediaType string) bool {
	name, _, _ := strings.Cut(mediaType, ";")
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "message/rfc822", "message/news", "message/global":
		return true
	}
	return false
}

// letter is an object that was read as a message.
type letter struct {
	object  scheme.Object    // with its body rewound
	message *message.Message // nil: not a message, despite its media type
	held    spool
	isNews  bool  // it was found at a URL of news
	broken  error // why it is incomplete
}

// read reads an object as a message. The caller closes the letter.
func (v *Viewer) read(ctx context.Context, f Found, o *scheme.Object, free bool) *letter {
	l := &letter{object: *o, isNews: v.App.Registry.Scheme(o.URL).Traits.Has(scheme.News)}
	progress := v.NewProgress(free, []string{f.Asked.Redacted()})
	_, l.broken = transfer.Copy(ctx, &l.held, o, progress.Report)
	progress.Close()
	var err error
	l.message, err = message.Parse(&l.held, l.held.size, nil)
	switch {
	case errors.Is(err, message.ErrNoMessage):
		l.message = nil
	case errors.Is(err, message.ErrLimit):
		err = fmt.Errorf("%w: %w", scheme.ErrTooLarge, err)
		fallthrough
	default:
		if l.broken == nil {
			l.broken = err
		}
	}
	l.object.Body = io.NopCloser(io.NewSectionReader(&l.held, 0, l.held.size))
	return l
}

// Close removes the data.
func (l *letter) Close() error { return l.held.Close() }

// writeText writes the message for people.
func (l *letter) writeText(w io.Writer) error {
	safe := &safeWriter{w: w}
	return errors.Join(l.message.WriteText(safe, &message.TextOptions{IsArticle: l.isNews}), safe.Close())
}

// mostInMemory is the size of a message that is kept in memory, in octets.
const mostInMemory = 8 << 20

// spool keeps data in memory, or in a temporary file if it is large. The zero value is
// empty.
type spool struct {
	octets []byte
	file   *os.File
	size   int64
}

func (h *spool) Write(p []byte) (n int, err error) {
	if h.file == nil && h.size+int64(len(p)) > mostInMemory {
		if err := h.spill(); err != nil {
			return 0, fmt.Errorf("%w: %w", transfer.ErrFile, err)
		}
	}
	if h.file == nil {
		h.octets = append(h.octets, p...)
		n = len(p)
	} else if n, err = h.file.Write(p); err != nil {
		err = fmt.Errorf("%w: %w", transfer.ErrFile, err)
	}
	h.size += int64(n)
	return n, err
}

// spill moves the data to a file.
func (h *spool) spill() (err error) {
	if h.file, err = os.CreateTemp("", "locus-"); err != nil {
		return err
	}
	_, err = h.file.Write(h.octets)
	h.octets = nil
	return err
}

func (h *spool) ReadAt(p []byte, at int64) (n int, err error) {
	switch {
	case h.file != nil:
		return h.file.ReadAt(p, at)
	case at < h.size:
		n = copy(p, h.octets[at:])
	}
	if n < len(p) {
		err = io.EOF
	}
	return n, err
}

// Close removes the file.
func (h *spool) Close() error {
	if h.file == nil {
		return nil
	}
	return errors.Join(h.file.Close(), os.Remove(h.file.Name()))
}

// messageJSON describes a message. Missing fields are null.
type messageJSON struct {
	Subject    *shape.Text  `json:"subject"`
	From       *shape.Text  `json:"from"`
	Date       *time.Time   `json:"date"`
	MessageID  *shape.Text  `json:"messageId"`
	References []shape.Text `json:"references"` // URLs, oldest first
	Parts      []partJSON   `json:"parts"`
}

// partJSON describes a part of a message.
type partJSON struct {
	Part      string      `json:"part"` // for --part
	MediaType shape.Text  `json:"mediaType"`
	Name      *shape.Text `json:"name"`
	Size      *int64      `json:"size"` // decoded
	ContentID *shape.Text `json:"contentId"`
}

// DescribeStored describes the message in a file; nil if it can't be read.
func DescribeStored(isNews bool, path string) *messageJSON {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	m, err := message.Parse(f, info.Size(), nil)
	if err != nil {
		return nil
	}
	return describeMessage(isNews, m)
}

// describeMessage describes a message; nil for nil. isNews: it was found at a URL of news.
func describeMessage(isNews bool, m *message.Message) *messageJSON {
	if m == nil {
		return nil
	}
	addresses := make([]string, 0, 1)
	for _, address := range m.From() {
		addresses = append(addresses, address.String())
	}
	from, id := strings.Join(addresses, ", "), m.MessageID()
	d := &messageJSON{From: shape.Present(from, from != ""), MessageID: shape.Present(id, id != ""), References: []shape.Text{}, Parts: []partJSON{}}
	if _, ok := m.Lookup("Subject"); ok {
		d.Subject = shape.Present(m.Subject(), true)
	}
	if date, ok := m.Date(); ok {
		d.Date = shape.At(date)
	}
	for _, u := range m.Thread(isNews) {
		d.References = append(d.References, shape.Text(u.String()))
	}
	for _, p := range m.Parts() {
		size, err := p.DecodedSize()
		if err != nil {
			size = -1
		}
		d.Parts = append(d.Parts, partJSON{
			Part: p.Path, MediaType: shape.Text(p.Type), Name: shape.Present(p.Name, p.Name != ""),
			Size: shape.Known(size), ContentID: shape.Present(p.ContentID, p.ContentID != ""),
		})
	}
	return d
}

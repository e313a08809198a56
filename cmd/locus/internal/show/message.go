package show

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/locus-url/locus/internal/human"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/internal/wholefile"
	"github.com/locus-url/locus/message"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/mid"
	"github.com/locus-url/locus/transfer"
)

// IsMessage reports whether a media type denotes a mail or news message.
func IsMessage(mediaType string) bool {
	name, _, _ := strings.Cut(mediaType, ";")
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "message/rfc822", "message/news", "message/global":
		return true
	}
	return false
}

// openedMessage is an object that the viewer has read as a message.
type openedMessage struct {
	object  scheme.Object    // object with its body rewound
	message *message.Message // nil if the object is not a message, despite its media type
	held    spool
	isNews  bool  // the object has a news URL
	broken  error // reason why the message is incomplete
}

// read reads an object as a message. The caller must close the result.
func (v *Viewer) read(ctx context.Context, f Found, o *scheme.Object, free bool) *openedMessage {
	l := &openedMessage{object: *o, isNews: v.App.Registry.Scheme(o.URL).Traits.Has(scheme.News)}
	l.held.most = cmp.Or(v.App.Flags.MaxSize, maxMessage)
	progress := v.NewProgress(free, f.Asked.Shown())
	_, l.broken = transfer.Copy(ctx, &l.held, o, progress.Report)
	progress.Close()
	var err error
	l.message, err = message.Parse(untilDone{ctx, &l.held}, l.held.size, nil)
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

func (l *openedMessage) Close() error { return l.held.Close() }

func (l *openedMessage) writeText(w io.Writer) error {
	safe := &safeWriter{w: w}
	return errors.Join(l.message.WriteText(safe, &message.TextOptions{IsArticle: l.isNews}), safe.Close())
}

const (
	maxInMemory = 8 << 20
	maxMessage  = 64 << 20 // maximum message size in bytes, unless --max-size sets another limit
)

// untilDone reads from r until ctx is cancelled. The viewer parses and decodes messages from this
// reader, so that Ctrl-C stops the parser.
type untilDone struct {
	ctx context.Context
	r   io.ReaderAt
}

func (u untilDone) ReadAt(p []byte, at int64) (int, error) {
	if u.ctx.Err() != nil {
		return 0, context.Cause(u.ctx)
	}
	return u.r.ReadAt(p, at)
}

// spool stores data in memory. If the data is large, it uses a temporary file.
type spool struct {
	octets []byte
	file   *wholefile.Temporary
	size   int64
	most   int64
}

func (h *spool) Write(p []byte) (n int, err error) {
	if h.size+int64(len(p)) > h.most {
		return 0, fmt.Errorf("%w: the message exceeds %s; use --max-size to allow more", scheme.ErrTooLarge, human.Size(h.most))
	}
	if h.file == nil && h.size+int64(len(p)) > maxInMemory {
		if h.file, err = wholefile.CreateTemporary("", "locus-"); err == nil {
			_, err = h.file.Write(h.octets)
			h.octets = nil
		}
	}
	switch {
	case err != nil:
	case h.file != nil:
		n, err = h.file.Write(p)
	default:
		h.octets, n = append(h.octets, p...), len(p)
	}
	h.size += int64(n)
	if err != nil {
		err = fmt.Errorf("%w: %w", transfer.ErrFile, err)
	}
	return n, err
}

func (h *spool) ReadAt(p []byte, at int64) (n int, err error) {
	if h.file != nil {
		return h.file.ReadAt(p, at)
	}
	return bytes.NewReader(h.octets).ReadAt(p, at)
}

func (h *spool) Close() error {
	if h.file == nil {
		return nil
	}
	return h.file.Close()
}

type messageJSON struct {
	Subject    *shape.Text  `json:"subject"`
	From       *shape.Text  `json:"from"`
	Date       *time.Time   `json:"date"`
	MessageID  *shape.Text  `json:"messageId"`
	References []shape.Text `json:"references"` // URLs, oldest first
	Parts      []partJSON   `json:"parts"`
}

type partJSON struct {
	Part      string      `json:"part"` // value of --part that selects this part
	MediaType shape.Text  `json:"mediaType"`
	Name      *shape.Text `json:"name"`
	Size      *int64      `json:"size"` // size in bytes after decoding
	ContentID *shape.Text `json:"contentId"`
}

// DescribeStored describes the message in a file. It returns nil if it can't read the file.
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

// describeMessage describes a message. If m is nil, it returns nil. The parameter isNews reports
// whether the URL of the message is a news URL.
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

func isPartPath(text string) bool {
	for number := range strings.SplitSeq(text, ".") {
		if number == "" || strings.Trim(number, "0123456789") != "" {
			return false
		}
	}
	return true
}

// ReadPart reads a message and finds the part that the flag --part selects. The caller must close
// the result.
func (v *Viewer) ReadPart(ctx context.Context, f Found, resource scheme.Resource, free bool) (*openedMessage, message.Part, error) {
	o, ok := resource.(*scheme.Object)
	if !ok || !IsMessage(o.Type) {
		return nil, message.Part{}, noMessage(f, resource)
	}
	l := v.read(ctx, f, o, free)
	err := l.broken
	if err == nil && l.message == nil {
		err = noMessage(f, resource)
	}
	if err == nil {
		if part, ok := l.message.Part(v.Part); ok {
			return l, part, nil
		}
		err = fmt.Errorf("%s: %w: the message has no part %s; %s", f.Asked.Shown(), scheme.ErrNotFound, v.Part, listParts(l.message))
	}
	l.Close()
	return nil, message.Part{}, err
}

func noMessage(f Found, resource scheme.Resource) error {
	what := "this kind of resource"
	if o, ok := resource.(*scheme.Object); ok && o.Type != "" {
		what = o.Type
	} else if ok {
		what = "an object of unknown type"
	}
	return fmt.Errorf("%s: %w: --part needs a message, not %s", f.Asked.Shown(), scheme.ErrUnsupported, what)
}

const maxParts = 20

func listParts(m *message.Message) string {
	parts := m.Parts()
	var list []string
	for _, p := range parts[:min(len(parts), maxParts)] {
		list = append(list, strings.TrimSpace(p.Path+" "+p.Type+" "+p.Name))
	}
	if more := len(parts) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return "there are " + strings.Join(list, ", ")
}

// showPart writes the part of a message that --part selects. It writes the part in the same way as
// an object. On a terminal, showPart decodes text.
func (v *Viewer) showPart(ctx context.Context, f Found, resource scheme.Resource, to Stream) error {
	l, part, err := v.ReadPart(ctx, f, resource, !to.ForPeople)
	if err != nil {
		return err
	}
	defer l.Close()
	o, err := v.PartObject(ctx, l, part, &scheme.Request{})
	if err != nil {
		return fmt.Errorf("%s: %w", f.Asked.Shown(), err)
	}
	if to.ForPeople && !v.Raw && !v.App.Flags.JSON && strings.HasPrefix(part.Type, "text/") {
		o.Type, o.Size, o.Body = "text/plain; charset=utf-8", -1, io.NopCloser(part.Text())
	}
	return v.object(ctx, f, o, to)
}

// PartObject returns a message part as an object, in response to the request req.
func (v *Viewer) PartObject(ctx context.Context, l *openedMessage, part message.Part, req *scheme.Request) (*scheme.Object, error) {
	asked := *req
	asked.URL, asked.Limit = l.object.URL, v.App.Flags.MaxSize
	return mid.Part(ctx, &asked, l.message, part, io.NopCloser(nil))
}

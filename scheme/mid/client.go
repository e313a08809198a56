package mid

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bodypart"
	"github.com/locus-url/locus/message"
	"github.com/locus-url/locus/scheme"
)

// Store is mail that has been received.
type Store interface {
	// Messages opens the messages that have this Message-Id, without "<" and ">",
	// one after the other and in an order that stays. Each is an [io.ReaderAt] too,
	// and is closed by who gets it. One that may have lost its end has a method
	// Incomplete() bool that says so. An error ends them.
	Messages(ctx context.Context, messageID string) iter.Seq2[fs.File, error]
}

// Options are what a [Client] can be told. The zero value is fine.
type Options struct {
	// Store is where messages are looked for. nil: nothing can be opened.
	Store Store
}

// Client opens messages that have been received. It may be used from many
// goroutines at once, if its store may.
type Client struct{ store Store }

var _ scheme.Opener = (*Client)(nil)

// New returns a client. o may be nil.
func New(o *Options) *Client {
	if o == nil {
		o = &Options{}
	}
	return &Client{o.Store}
}

// Get opens what m locates: [Client.Open] without a limit, from the start.
func (c *Client) Get(ctx context.Context, m URL) (*scheme.Object, error) {
	return c.open(ctx, &scheme.Request{URL: m.URL()}, m)
}

// Open opens what req.URL locates: a [*scheme.Object] of the message, its octets as
// they are stored, or of a part of it, decoded and with the media type that the
// message says. If several messages have the identifier it is the first; when they
// differ, or it is not complete, the object's Note says so. req.Dial is not used: nothing here reaches a network.
//
// The error is a [*locus.SyntaxError], or wraps one of scheme's: ErrNotFound, ErrTooLarge,
// ErrUnsupported (there is no store), or are those of the store.
func (c *Client) Open(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	m, err := Parse(req.URL)
	if err != nil {
		return nil, err
	}
	object, err := c.open(ctx, req, m)
	if err != nil {
		return nil, err
	}
	return object, nil
}

func (c *Client) open(ctx context.Context, req *scheme.Request, m URL) (*scheme.Object, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("mid: %w", err)
	}
	if c.store == nil {
		err := fmt.Errorf("mid: %w: there is no mail to look for %s in", scheme.ErrUnsupported, locus.Quote(m.messageID))
		return nil, scheme.Hint(err, "name the folders and files that mail is in: mail.stores in the configuration")
	}
	file, err := c.first(ctx, m.messageID)
	if err != nil {
		return nil, fmt.Errorf("mid: %w", err)
	}
	var object *scheme.Object
	if id, ok := m.ContentID(); ok {
		object, err = part(ctx, req, file, id)
	} else {
		object, err = whole(ctx, req, file, m.messageID)
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("mid: %s: %w", locus.Quote(m.messageID), err)
	}
	object.Note = strings.Join(file.notes, "; ")
	return object, nil
}

// stored is a message that is open.
type stored struct {
	io.ReaderAt
	io.Closer
	size  int64
	name  string
	notes []string
}

func open(file fs.File) (*stored, error) {
	info, err := file.Stat()
	r, ok := file.(io.ReaderAt)
	if err == nil && !ok {
		err = fmt.Errorf("%w: %s can't be read from the middle", scheme.ErrUnsupported, locus.Quote(info.Name()))
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	m := &stored{ReaderAt: r, Closer: file, size: info.Size(), name: info.Name()}
	if f, ok := file.(interface{ Incomplete() bool }); ok && f.Incomplete() {
		m.notes = append(m.notes, "the mailbox ends in the middle of this message")
	}
	return m, nil
}

// first opens the first of the messages.
func (c *Client) first(ctx context.Context, id string) (*stored, error) {
	next, stop := iter.Pull2(c.store.Messages(ctx, id))
	defer stop()
	file, err, ok := next()
	if !ok {
		return nil, fmt.Errorf("%w: no message that was received has the message-id %s", scheme.ErrNotFound, locus.Quote(id))
	}
	if err != nil {
		return nil, err
	}
	first, err := open(file)
	if err == nil {
		first.noteOthers(next)
	}
	return first, err
}

// mostOthers is how many more messages with the same identifier are looked at.
const mostOthers = 10

// noteOthers notes which other messages have the identifier too, and are not the
// same.
func (m *stored) noteOthers(next func() (fs.File, error, bool)) {
	for range mostOthers {
		file, err, ok := next()
		if !ok || err != nil {
			return
		}
		other, err := open(file)
		if err != nil {
			return
		}
		same := isSame(m, other)
		other.Close()
		if !same {
			m.notes = append(m.notes, fmt.Sprintf("another message, in %s, has this message-id and is not the same", locus.Quote(other.name)))
		}
	}
}

func isSame(a, b *stored) bool {
	if a.size != b.size {
		return false
	}
	const piece = 64 << 10
	x, y := make([]byte, piece), make([]byte, piece)
	for at := int64(0); at < a.size; at += piece {
		n := min(piece, a.size-at)
		if _, err := a.ReadAt(x[:n], at); err != nil && err != io.EOF {
			return false
		}
		if _, err := b.ReadAt(y[:n], at); err != nil && err != io.EOF {
			return false
		}
		if !bytes.Equal(x[:n], y[:n]) {
			return false
		}
	}
	return true
}

// whole makes an object of a message.
func whole(ctx context.Context, req *scheme.Request, m *stored, id string) (*scheme.Object, error) {
	if req.Limit > 0 && m.size > req.Limit {
		return nil, fmt.Errorf("%w: %d octets, and %d are the limit", scheme.ErrTooLarge, m.size, req.Limit)
	}
	o := &scheme.Object{URL: req.URL, Name: id, Type: "message/rfc822", Size: m.size, Resumable: true}
	if req.Offset > 0 && req.Offset <= m.size {
		o.Start = req.Offset
	}
	// A header that is too large, or none, has no date.
	if header, err := message.ReadHeader(io.NewSectionReader(m, 0, m.size), nil); err == nil {
		o.ModTime, _ = header.Date()
	}
	o.Body = scheme.Limit(bodypart.Body(ctx, io.NewSectionReader(m, o.Start, m.size-o.Start), m), req.Limit)
	return o, nil
}

// part makes an object of a part of a message.
func part(ctx context.Context, req *scheme.Request, m *stored, contentID string) (*scheme.Object, error) {
	parsed, err := message.Parse(m, m.size, nil)
	if errors.Is(err, message.ErrLimit) {
		err = fmt.Errorf("%w: %w", scheme.ErrTooLarge, err)
	}
	if err != nil {
		return nil, err
	}
	o, err := bodypart.Open(ctx, req, parsed, contentID, m)
	if err == nil {
		o.Body = scheme.Limit(o.Body, req.Limit)
	}
	return o, err
}

package mid

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/message"
	"github.com/locus-url/locus/scheme"
)

// Store provides received mail.
type Store interface {
	// Messages opens the messages with the given Message-ID one after the other, in a fixed
	// order. The argument messageID is written without "<" and ">". Each file must implement
	// [io.ReaderAt]. The caller must close each file. If the message may be truncated, the
	// file has a method Incomplete() bool that returns true. An error ends the sequence.
	Messages(ctx context.Context, messageID string) iter.Seq2[fs.File, error]
}

// Options configure a [Client].
type Options struct {
	// Store opens the messages of mid URLs. If nil, the client cannot open mid URLs.
	Store Store
	// Limits applies to the message that contains a cid URL. The client reads that message
	// into memory.
	Limits message.Limits
}

// Reasons why Open fails if a setting is missing.
const (
	// ReasonNoStore means that Options.Store is missing.
	ReasonNoStore scheme.Reason = "no-store"
	// ReasonNoMessage means that Request.Within is missing or did not open a message. This
	// function must open the message that contains a cid URL.
	ReasonNoMessage scheme.Reason = "no-message"
)

// Client opens received messages and their parts. A Client may be used concurrently if its store
// may be used concurrently.
type Client struct{ o Options }

var _ scheme.Opener = (*Client)(nil)

// New returns a client. The options o may be nil.
func New(o *Options) *Client {
	c := new(Client)
	if o != nil {
		c.o = *o
	}
	return c
}

// Get opens the URL m with the default request options.
func (c *Client) Get(ctx context.Context, m URL) (*scheme.Object, error) {
	return c.open(ctx, &scheme.Request{URL: m.URL()}, m)
}

// Open implements [scheme.Opener] without a network. It returns a [*scheme.Object], which contains
// either the stored octets of a message, or a decoded message part with its own media type. For a
// mid URL, Open searches the store. If several messages have the same Message-ID, Open returns the
// first message. Object.Note reports whether other messages differ from the first, and whether the
// first message may be truncated. For a cid URL, Open searches the message that req.Within opens.
//
// The error is a [*locus.SyntaxError], an error of the store or of req.Within, or an error that
// wraps scheme.ErrNotFound, ErrTooLarge or ErrUnsupported. ErrUnsupported means that there is no
// store or no message.
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
	open := c.openMID
	if isCID(m.url) {
		open = c.openCID
	}
	err := ctx.Err()
	if err == nil {
		var object *scheme.Object
		if object, err = open(ctx, req, m); err == nil {
			return object, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", m.url.Scheme(), err)
}

func (c *Client) openMID(ctx context.Context, req *scheme.Request, m URL) (*scheme.Object, error) {
	if c.o.Store == nil {
		return nil, scheme.HintFor(fmt.Errorf("%w: no mail store to search for %s", scheme.ErrUnsupported, locus.Quote(m.messageID)),
			ReasonNoStore, "name the directories and files that contain mail")
	}
	file, err := c.first(ctx, m.messageID)
	if err != nil {
		return nil, err
	}
	var object *scheme.Object
	if id, ok := m.ContentID(); ok {
		object, err = file.part(ctx, req, id)
	} else {
		object, err = file.whole(ctx, req, m.messageID)
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", locus.Quote(m.messageID), err)
	}
	object.Note = strings.Join(file.notes, "; ")
	return object, nil
}

func (c *Client) openCID(ctx context.Context, req *scheme.Request, u URL) (*scheme.Object, error) {
	if req.Within == nil {
		return nil, scheme.HintFor(fmt.Errorf("%w: %s is a part of the message that contains the URL, and that message is unknown", scheme.ErrUnsupported, locus.Quote(u.contentID)),
			ReasonNoMessage, "name the message")
	}
	m, err := c.within(ctx, req)
	if err != nil {
		return nil, err
	}
	return findPart(ctx, req, m, u.contentID, io.NopCloser(nil))
}

func (c *Client) within(ctx context.Context, req *scheme.Request) (*message.Message, error) {
	within, err := req.Within(ctx)
	if err != nil {
		return nil, err
	}
	defer within.Close()
	object, ok := within.(*scheme.Object)
	if !ok {
		return nil, notMessage("the resource that contains the URL")
	}
	m, err := message.Read(object.Body, &c.o.Limits)
	switch {
	case errors.Is(err, message.ErrNoMessage):
		return nil, notMessage(locus.Quote(object.URL.Shown()))
	case errors.Is(err, message.ErrLimit):
		return nil, scheme.Hint(fmt.Errorf("%w: %w", scheme.ErrTooLarge, err), "mid:<message-id>/<content-id> opens a part of a message of any size, if it is in a mail store")
	}
	return m, err
}

func notMessage(what string) error {
	return scheme.HintFor(fmt.Errorf("%w: %s is not a message", scheme.ErrUnsupported, what), ReasonNoMessage, "name a message")
}

// storedMessage is an open message.
type storedMessage struct {
	io.ReaderAt
	io.Closer
	size  int64
	name  string
	notes []string
}

func openStored(file fs.File) (*storedMessage, error) {
	info, err := file.Stat()
	r, ok := file.(io.ReaderAt)
	if err == nil && !ok {
		err = fmt.Errorf("%w: %s does not allow random access", scheme.ErrUnsupported, locus.Quote(info.Name()))
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	m := &storedMessage{ReaderAt: r, Closer: file, size: info.Size(), name: info.Name()}
	if f, ok := file.(interface{ Incomplete() bool }); ok && f.Incomplete() {
		m.notes = append(m.notes, "the mailbox ends in the middle of this message")
	}
	return m, nil
}

func (c *Client) first(ctx context.Context, id string) (*storedMessage, error) {
	next, stop := iter.Pull2(c.o.Store.Messages(ctx, id))
	defer stop()
	file, err, ok := next()
	if !ok {
		return nil, fmt.Errorf("%w: no received message has the message-id %s", scheme.ErrNotFound, locus.Quote(id))
	}
	if err != nil {
		return nil, err
	}
	first, err := openStored(file)
	if err == nil {
		first.noteOthers(next)
	}
	return first, err
}

// maxOthers is the maximum number of messages with the same Message-ID with which the client
// compares the opened message.
const maxOthers = 10

// noteOthers adds a note for each other message that differs from the message m.
func (m *storedMessage) noteOthers(next func() (fs.File, error, bool)) {
	for range maxOthers {
		file, err, ok := next()
		if !ok || err != nil {
			return
		}
		other, err := openStored(file)
		if err != nil {
			return
		}
		same := isSame(m, other)
		other.Close()
		if !same {
			m.notes = append(m.notes, fmt.Sprintf("another message with this message-id, in %s, differs", locus.Quote(other.name)))
		}
	}
}

func isSame(a, b *storedMessage) bool {
	if a.size != b.size {
		return false
	}
	x, err := a.sum()
	y, otherErr := b.sum()
	return err == nil && otherErr == nil && x == y
}

func (m *storedMessage) sum() (sum [sha256.Size]byte, err error) {
	h := sha256.New()
	_, err = io.Copy(h, io.NewSectionReader(m, 0, m.size))
	return [sha256.Size]byte(h.Sum(nil)), err
}

func (m *storedMessage) whole(ctx context.Context, req *scheme.Request, id string) (*scheme.Object, error) {
	if req.Limit > 0 && m.size > req.Limit {
		return nil, fmt.Errorf("%w: %d bytes, and the limit is %d", scheme.ErrTooLarge, m.size, req.Limit)
	}
	o := &scheme.Object{URL: req.URL, Name: id, Type: "message/rfc822", Size: m.size, Resumable: true}
	if req.Offset > 0 && req.Offset <= m.size {
		o.Start = req.Offset
	}
	// If the header is missing or too large, the date is unknown.
	if header, err := message.ReadHeader(io.NewSectionReader(m, 0, m.size), nil); err == nil {
		o.ModTime, _ = header.Date()
	}
	o.Body = scheme.Limit(&body{ctx, io.NewSectionReader(m, o.Start, m.size-o.Start), m}, req.Limit)
	return o, nil
}

func (m *storedMessage) part(ctx context.Context, req *scheme.Request, contentID string) (*scheme.Object, error) {
	parsed, err := message.Parse(m, m.size, nil)
	if errors.Is(err, message.ErrLimit) {
		err = fmt.Errorf("%w: %w", scheme.ErrTooLarge, err)
	}
	if err != nil {
		return nil, err
	}
	return findPart(ctx, req, parsed, contentID, m)
}

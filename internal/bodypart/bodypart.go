// Package bodypart makes objects of the parts of messages, for the schemes that
// locate them by their Content-Id: cid, and mid with a second identifier.
package bodypart

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/message"
	"github.com/locus-url/locus/scheme"
)

// Open returns the part of m that has this Content-Id, decoded, as what req asks
// for. Closing it closes from, which m is read from; with an error from stays open.
// Errors wrap scheme.ErrNotFound or scheme.ErrTooLarge, or are those of reading m,
// and have no package's name.
func Open(ctx context.Context, req *scheme.Request, m *message.Message, contentID string, from io.Closer) (*scheme.Object, error) {
	part, ok := m.Find(contentID)
	if !ok {
		return nil, fmt.Errorf("%w: no part of the message has the content-id %s", scheme.ErrNotFound, locus.Quote(contentID))
	}
	return Object(ctx, req, m, part, from)
}

// Object returns a part of m as Open does.
func Object(ctx context.Context, req *scheme.Request, m *message.Message, part message.Part, from io.Closer) (*scheme.Object, error) {
	size, err := part.DecodedSize()
	if errors.Is(err, message.ErrLimit) || err == nil && req.Limit > 0 && size > req.Limit {
		return nil, fmt.Errorf("%w: the part %s has %d octets or more", scheme.ErrTooLarge, part.Path, size)
	}
	if err != nil {
		return nil, err
	}
	o := &scheme.Object{URL: req.URL, Name: part.Name, Type: mediaType(part), Size: size}
	o.ModTime, _ = m.Date()
	r := part.Open()
	if req.Offset > 0 && req.Offset <= size {
		if _, err := io.CopyN(io.Discard, r, req.Offset); err != nil {
			return nil, err
		}
		o.Start = req.Offset
	}
	o.Body = Body(ctx, r, from)
	return o, nil
}

// mediaType returns the media type of a part with its parameters, if they can be
// written.
func mediaType(p message.Part) string {
	if text := mime.FormatMediaType(p.Type, p.Params()); text != "" {
		return text
	}
	return p.Type
}

// Body returns a body that is read from r until ctx ends, and closes from.
func Body(ctx context.Context, r io.Reader, from io.Closer) io.ReadCloser {
	return &body{ctx, r, from}
}

type body struct {
	ctx context.Context
	io.Reader
	io.Closer
}

func (b *body) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	return b.Reader.Read(p)
}

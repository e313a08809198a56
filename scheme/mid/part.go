package mid

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

// findPart returns the part of the message m with the given Content-ID. Its results are like the
// results of Part.
func findPart(ctx context.Context, req *scheme.Request, m *message.Message, contentID string, closer io.Closer) (*scheme.Object, error) {
	part, ok := m.Find(contentID)
	if !ok {
		return nil, fmt.Errorf("%w: no part of the message has the content-id %s", scheme.ErrNotFound, locus.Quote(contentID))
	}
	o, err := Part(ctx, req, m, part, closer)
	if err == nil {
		o.Body = scheme.Limit(o.Body, req.Limit)
	}
	return o, err
}

// Part returns a part of the message m as a decoded object. The object starts at
// req.Offset, unless the part is shorter. Closing the object closes closer. If Part fails,
// the caller must close closer. The error wraps scheme.ErrTooLarge if the part exceeds
// req.Limit. Otherwise the error comes from reading m, without a package prefix.
func Part(ctx context.Context, req *scheme.Request, m *message.Message, part message.Part, closer io.Closer) (*scheme.Object, error) {
	size, err := part.DecodedSize()
	if errors.Is(err, message.ErrLimit) || err == nil && req.Limit > 0 && size > req.Limit {
		return nil, fmt.Errorf("%w: part %s has at least %d bytes", scheme.ErrTooLarge, part.Path, size)
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
	o.Body = &body{ctx, r, closer}
	return o, nil
}

func mediaType(p message.Part) string {
	if text := mime.FormatMediaType(p.Type, p.Params()); text != "" {
		return text
	}
	return p.Type
}

// body is the body of a part. Reading fails after ctx has been canceled.
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

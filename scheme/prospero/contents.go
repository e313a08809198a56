package prospero

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/locus-url/locus/internal/media"
	"github.com/locus-url/locus/scheme"
)

// contents gets the object from its own server.
func (f *fetcher) contents(info *Reply) (scheme.Resource, error) {
	r, err := f.info(attrContents)
	if err != nil {
		return nil, err
	}
	if r.Forwarded != nil {
		return f.refer(r.Forwarded)
	}
	octets, ok := r.Contents()
	if !ok && Size(info.Attributes) != 0 {
		return nil, fmt.Errorf("%w: the server has no contents of the object", scheme.ErrNotFound)
	}
	if limit := f.req.Limit; limit > 0 && int64(len(octets)) > limit {
		return nil, fmt.Errorf("%w: %d octets, the limit is %d", scheme.ErrTooLarge, len(octets), limit)
	}
	o := f.newObject(info)
	o.Type = media.Guess(o.Name, octets[:min(len(octets), media.Head)])
	o.Size, o.Resumable = int64(len(octets)), true
	if resumes(f.req, o) {
		o.Start = f.req.Offset
	}
	o.Body = &body{f.ctx, bytes.NewReader(octets[o.Start:])}
	return o, nil
}

// newObject returns the object with its attributes and an empty body.
func (f *fetcher) newObject(info *Reply) *scheme.Object {
	name := f.at.hsoname[strings.LastIndexByte(f.at.hsoname, '/')+1:]
	return &scheme.Object{
		URL:     f.url.url,
		Name:    name,
		Type:    media.ByName(name),
		Size:    Size(info.Attributes),
		ModTime: ModTime(info.Attributes),
		Note:    strings.Join(info.Warnings, "; "),
		Body:    &body{f.ctx, bytes.NewReader(nil)},
	}
}

// resumes reports whether the part of an object that the caller has belongs to o.
// Servers keep times in seconds.
func resumes(req *scheme.Request, o *scheme.Object) bool {
	return 0 < req.Offset && req.Offset <= o.Size &&
		(req.ModTime.IsZero() || req.ModTime.Truncate(time.Second).Equal(o.ModTime))
}

// body reads octets from memory until ctx ends.
type body struct {
	ctx context.Context
	*bytes.Reader
}

func (b *body) Read(p []byte) (int, error) {
	if b.ctx.Err() != nil {
		return 0, fmt.Errorf("prospero: %w", context.Cause(b.ctx))
	}
	return b.Reader.Read(p)
}

// Close does nothing.
func (b *body) Close() error { return nil }

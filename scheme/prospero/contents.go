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
func (j *job) contents(info *Reply) (scheme.Resource, error) {
	r, err := j.info(attrContents)
	if err != nil {
		return nil, err
	}
	if r.Forwarded != nil {
		return j.refer(r.Forwarded)
	}
	octets, ok := r.Contents()
	if !ok && Size(info.Attributes) != 0 {
		return nil, fmt.Errorf("%w: the server has no contents of the object", scheme.ErrNotFound)
	}
	return j.object(info, octets)
}

// object makes an object of its octets, which are all here.
func (j *job) object(info *Reply, octets []byte) (scheme.Resource, error) {
	if limit := j.req.Limit; limit > 0 && int64(len(octets)) > limit {
		return nil, fmt.Errorf("%w: %d octets, and %d are the limit", scheme.ErrTooLarge, len(octets), limit)
	}
	o := j.described(info)
	o.Type = media.Guess(o.Name, octets[:min(len(octets), media.Head)])
	o.Size, o.Resumable = int64(len(octets)), true
	if goesOn(j.req, o) {
		o.Start = j.req.Offset
	}
	o.Body = &body{j.ctx, bytes.NewReader(octets[o.Start:])}
	return o, nil
}

// described is what the server says of an object, without its octets.
func (j *job) described(info *Reply) *scheme.Object {
	name := j.at.hsoname[strings.LastIndexByte(j.at.hsoname, '/')+1:]
	return &scheme.Object{
		URL:     j.url.url,
		Name:    name,
		Type:    media.ByName(name),
		Size:    Size(info.Attributes),
		ModTime: ModTime(info.Attributes),
		Note:    strings.Join(info.Warnings, "; "),
		Body:    &body{j.ctx, bytes.NewReader(nil)},
	}
}

// goesOn reports whether the part of an object that is there already is of o. A
// server keeps times in seconds.
func goesOn(req *scheme.Request, o *scheme.Object) bool {
	return 0 < req.Offset && req.Offset <= o.Size &&
		(req.ModTime.IsZero() || req.ModTime.Truncate(time.Second).Equal(o.ModTime))
}

// body is octets that are here, until the end of ctx.
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

// Close does nothing: nothing is open.
func (b *body) Close() error { return nil }

// Package robots reads the robots.txt of a host (RFC 9309).
package robots

import (
	"context"
	"errors"
	"io"
	"net/textproto"
	"strings"
	"time"

	"github.com/temoto/robotstxt"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/scheme"
)

const (
	agent = "locus"
	// maxSize is the most bytes that are read (RFC 9309 section 2.5: at least 500 KiB).
	maxSize = 512 << 10
	// maxDelay is the longest pause between two requests that a robots.txt may ask for.
	maxDelay = 30 * time.Second
)

// Rules are those of a robots.txt. nil: everything is allowed.
type Rules struct{ data *robotstxt.RobotsData }

// Allows reports whether u may be requested.
func (r *Rules) Allows(u locus.URL) bool {
	text, _ := u.Path()
	return r == nil || r.data.TestAgent("/"+text, agent)
}

// Delay returns the pause between two requests that the host wants; 0: none.
func (r *Rules) Delay() time.Duration {
	if r == nil {
		return 0
	}
	return min(max(r.data.FindGroup(agent).CrawlDelay, 0), maxDelay)
}

// Sitemaps returns the sitemaps that the host names.
func (r *Rules) Sitemaps() []string {
	if r == nil {
		return nil
	}
	return r.data.Sitemaps
}

// Fetch gets the robots.txt of the host of u (RFC 9309 section 2.3) with do. from is as in
// [access.Request]. A missing one allows everything. If the server can't deliver it,
// nothing is allowed, which is the error.
func Fetch(ctx context.Context, do func(context.Context, access.Request) (*access.Result, error), u locus.URL, from *access.Result) (*Rules, error) {
	text := u.String()[:u.PathOffset()]
	at, err := locus.Parse(strings.TrimSuffix(text, "/") + "/robots.txt")
	if err != nil {
		return nil, nil
	}
	res, err := do(ctx, access.Request{URL: at.WithoutPassword(), From: from})
	if err != nil {
		return nil, unknown(err)
	}
	defer res.Resource.Close()
	o, ok := res.Resource.(*scheme.Object)
	if !ok {
		return nil, nil
	}
	octets, err := io.ReadAll(io.LimitReader(o.Body, maxSize))
	if err != nil && len(octets) == 0 {
		return nil, err
	}
	data, err := robotstxt.FromBytes(octets)
	if err != nil {
		// Nothing of it can be parsed (RFC 9309 section 2.2).
		return nil, nil
	}
	return &Rules{data}, nil
}

// unknown returns err if it leaves open what the robots.txt says.
func unknown(err error) error {
	status := 0
	if answer := (*textproto.Error)(nil); errors.As(err, &answer) {
		status = answer.Code
	}
	switch access.KindOf(err) {
	case access.Timeout, access.Interrupted, access.Unreachable:
		return err
	case access.Protocol:
		if status == 0 && !errors.Is(err, access.ErrCircle) || status >= 500 || status == 429 {
			return err
		}
	}
	return nil
}

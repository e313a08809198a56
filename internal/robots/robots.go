// Package robots reads the robots.txt of a host (RFC 9309).
package robots

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/textproto"
	"strings"
	"time"

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
type Rules struct {
	group    *group
	sitemaps []string
}

// Allows reports whether u may be requested. The robots.txt itself always may (RFC 9309
// section 2.2.2).
func (r *Rules) Allows(u locus.URL) bool {
	text, _ := u.Path()
	return r == nil || text == "robots.txt" || r.group.allows("/"+text)
}

// Delay returns the pause between two requests that the host wants; 0: none.
func (r *Rules) Delay() time.Duration {
	if r == nil {
		return 0
	}
	return r.group.delay
}

// Sitemaps returns the sitemaps that the host names.
func (r *Rules) Sitemaps() []string {
	if r == nil {
		return nil
	}
	return r.sitemaps
}

// Fetch is [Get] and [Parse] for the host of u.
func Fetch(ctx context.Context, do DoFunc, u locus.URL, from *access.Result) (*Rules, error) {
	root, ok := Root(u)
	if !ok {
		return nil, nil
	}
	octets, err := Get(ctx, do, root, from)
	return Parse(octets), err
}

// Root returns the URL that stands for the host of u, without a password.
func Root(u locus.URL) (root locus.URL, ok bool) {
	root, err := locus.Parse(strings.TrimSuffix(u.String()[:u.PathOffset()], "/") + "/")
	return root.WithoutPassword(), err == nil
}

// DoFunc is the method Do of [access.Client].
type DoFunc func(context.Context, access.Request) (*access.Result, error)

// Get gets the robots.txt of a host (RFC 9309 section 2.3) with do. from is as in
// [access.Request]. A missing one, which allows everything, has no octets. If the server
// can't deliver all of it, nothing is allowed, which is the error.
func Get(ctx context.Context, do DoFunc, root locus.URL, from *access.Result) ([]byte, error) {
	at, err := locus.Parse(root.String() + "robots.txt")
	if err != nil {
		return nil, nil
	}
	res, err := do(ctx, access.Request{URL: at, From: from})
	if err != nil {
		return nil, unknown(err)
	}
	defer res.Resource.Close()
	o, ok := res.Resource.(*scheme.Object)
	if !ok {
		return nil, nil
	}
	octets, err := io.ReadAll(io.LimitReader(o.Body, maxSize))
	if err != nil {
		return nil, err // what disallows may be in the rest
	}
	return octets, nil
}

// Parse parses a robots.txt. One without octets, and one of which nothing can be parsed (RFC
// 9309 section 2.2), allow everything.
func Parse(octets []byte) *Rules {
	if len(octets) == 0 {
		return nil
	}
	if len(octets) >= maxSize {
		// Half of a line says something else: "Allow: /" of "Allow: /a".
		octets = octets[:bytes.LastIndexAny(octets[:maxSize], "\r\n")+1]
	}
	f := parseFile(string(octets))
	return &Rules{f.group(), f.sitemaps}
}

// unknown returns err if it leaves open what the robots.txt says: it is temporary, no
// answer came, or the server failed (RFC 9309 section 2.3.1.4).
func unknown(err error) error {
	again, _ := access.Retry(err)
	kind, answer := access.KindOf(err), (*textproto.Error)(nil)
	if again || kind == access.Unreachable || kind == access.Interrupted || errors.As(err, &answer) && answer.Code >= 500 {
		return err
	}
	return nil
}

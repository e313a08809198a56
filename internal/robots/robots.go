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
	// maxSize is the maximum number of bytes that are read from a robots.txt. RFC 9309 section 2.5
	// requires at least 500 KiB.
	maxSize = 512 << 10
	// maxDelay is the maximum Crawl-delay.
	maxDelay = 30 * time.Second
)

// Rules holds the rules in a robots.txt. A nil Rules allows all requests.
type Rules struct {
	group    *group
	sitemaps []string
}

// Allows reports whether the rules allow a request for the URL u. The robots.txt itself is always
// allowed (RFC 9309 section 2.2.2).
func (r *Rules) Allows(u locus.URL) bool {
	text, _ := u.Path()
	return r == nil || text == "robots.txt" || r.group.isAllowed("/"+text)
}

// Delay returns the Crawl-delay, which is the minimum time between two requests. Without a
// Crawl-delay, it returns zero.
func (r *Rules) Delay() time.Duration {
	if r == nil {
		return 0
	}
	return r.group.delay
}

// Sitemaps returns the sitemap URLs in the robots.txt.
func (r *Rules) Sitemaps() []string {
	if r == nil {
		return nil
	}
	return r.sitemaps
}

// Fetch requests and parses the robots.txt for the host in the URL u. See [Get] and [Parse].
func Fetch(ctx context.Context, send DoFunc, u locus.URL, source *access.Result) (*Rules, error) {
	root, ok := Root(u)
	if !ok {
		return nil, nil
	}
	octets, err := Get(ctx, send, root, source)
	return Parse(octets), err
}

// Root returns the root URL of the host in the URL u, without a password.
func Root(u locus.URL) (root locus.URL, ok bool) {
	root, err := locus.Parse(strings.TrimSuffix(u.String()[:u.PathOffset()], "/") + "/")
	return root.WithoutPassword(), err == nil
}

// DoFunc sends a request, like [access.Client.Do].
type DoFunc func(context.Context, access.Request) (*access.Result, error)

// Get calls send to request the robots.txt of a host (RFC 9309 section 2.3). The source has the
// same meaning as [access.Request].From. If the file is missing, Get returns nil, which allows all
// requests. If the server can't deliver the whole file, Get returns an error, and the caller must
// not request pages.
func Get(ctx context.Context, send DoFunc, root locus.URL, source *access.Result) ([]byte, error) {
	at, err := locus.Parse(root.String() + "robots.txt")
	if err != nil {
		return nil, nil
	}
	res, err := send(ctx, access.Request{URL: at, From: source})
	if err != nil {
		return nil, temporaryError(err)
	}
	defer res.Resource.Close()
	o, ok := res.Resource.(*scheme.Object)
	if !ok {
		return nil, nil
	}
	octets, err := io.ReadAll(io.LimitReader(o.Body, maxSize))
	if err != nil {
		return nil, err // the unread part may contain more Disallow rules
	}
	return octets, nil
}

// Parse parses a robots.txt. A file that is empty or contains no valid line allows all requests
// (RFC 9309 section 2.2).
func Parse(octets []byte) *Rules {
	if len(octets) == 0 {
		return nil
	}
	if len(octets) >= maxSize {
		// Ignore a truncated line, which may have another meaning, such as "Allow: /" instead of
		// "Allow: /a".
		octets = octets[:bytes.LastIndexAny(octets[:maxSize], "\r\n")+1]
	}
	f := parseFile(string(octets))
	return &Rules{f.group(), f.sitemaps}
}

// temporaryError returns err if the failed request leaves the host's rules unknown, because the
// failure is temporary, there was no response, or the server failed (RFC 9309 section 2.3.1.4).
// Otherwise it returns nil.
func temporaryError(err error) error {
	again, _ := access.Retry(err)
	kind, answer := access.KindOf(err), (*textproto.Error)(nil)
	if again || kind == access.Unreachable || kind == access.Interrupted || errors.As(err, &answer) && answer.Code >= 500 {
		return err
	}
	return nil
}

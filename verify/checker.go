package verify

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/document"
	"github.com/locus-url/locus/internal/crawl"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// Checker reads documents and checks one link at a time. A Checker has no queue: a [Verifier] adds
// a queue for one run, and other programs may use queues on many machines. A Checker caches
// robots.txt files and the result of each mail domain check. It also caches which hosts return a
// page for every path. The methods of a Checker may be called concurrently.
type Checker struct {
	client   *access.Client
	registry *scheme.Registry
	fsys     fs.FS // file system that Files verifies; nil in other runs
	o        Options
	mail     mailChecker
	github   github
	soft     softHosts
	robots   RobotsFunc    // returns a robots.txt; if nil, the field rules reads it
	rules    *crawl.Robots // robots.txt rules by host
}

// RobotsFunc returns the robots.txt of a site. The parameter root is the site's URL without a
// path. The function may return a cached file, or call fetch and return its result. An empty
// robots.txt allows all requests.
type RobotsFunc func(ctx context.Context, root locus.URL, fetch func(context.Context) ([]byte, error)) ([]byte, error)

// NewChecker returns a Checker that opens URLs through client. The options o may be nil. The
// options Parallel, Retry, MaxPages, Store, Archive and Sitemaps concern a whole run, so a Checker
// ignores them. The function robots returns robots.txt files that several Checkers share. If
// robots is nil, the Checker reads the robots.txt of each host once.
func NewChecker(client *access.Client, o *Options, robots RobotsFunc) *Checker {
	c := &Checker{client: client, o: o.orDefault(), robots: robots}
	c.rules = crawl.NewRobots(c.openURL, c.o.Politeness)
	if client != nil {
		c.registry, c.mail = client.Registry(), mailChecker{lookup: c.o.Mail, checkName: client.CheckName}
		if c.o.Document.Extract.Schemes == nil {
			c.o.Document.Extract.Schemes = c.registry.InText()
		}
	}
	return c
}

// Target is a URL to request for a link, with the document that contains the link.
type Target struct {
	// URL is the URL as first written, without its fragment. Canonical is its canonical form.
	URL, Canonical locus.URL
	// From is the URL of the document that contains the link, or zero for a typed URL. Origin
	// selects the permissions of the links in that document.
	From   locus.URL
	Origin policy.Origin
	// First is the first page of the site to which URL belongs, in canonical form. Depth is the
	// number of links from the first page to URL. If First is zero, a check does not return the
	// links in the target.
	First locus.URL
	Depth int
}

func (c *Checker) checkedURL(t *Target) *checkedURL {
	a := &checkedURL{url: t.URL}
	if !t.From.IsZero() {
		a.from = &access.Result{URL: t.From, LinkOrigin: t.Origin}
	}
	a.key = targetKey{t.Canonical, c.originOf(t.URL, a.from)}
	return a
}

// Found is a link that a [Checker] found in a document.
type Found struct {
	// Result holds the position and the text of the link. If Target.URL is zero, the link needs no
	// request, and Result also holds the outcome.
	Result Result
	Target Target
	// Fragment is the fragment to look for in the target, or "" if there is none.
	Fragment string
	// Alternative is the URL without the hyphen, for a link that continues after a hyphen at the
	// end of a line. For other links, Alternative is zero. See [Checker.Other].
	Alternative locus.URL
	// Joined reports whether the link itself is the Alternative of another link.
	Joined bool
	// Note is a problem with the link. If the resource exists, the link gets a [Warning] with this
	// reason. An empty Note causes no warning.
	Note string
	// Cause classifies the problem in Note. Cause is zero if the cause is unknown.
	Cause Cause
}

// Typed returns the link for a typed URL.
func (c *Checker) Typed(u locus.URL) Found {
	f := c.newFound(&link{url: u}, nil)
	if f.Target.URL.IsZero() {
		return f
	}
	f.Target.First = f.Target.Canonical
	return f
}

// Read returns the links in a document, and an error for each part that can't be read.
func (c *Checker) Read(ctx context.Context, s Source) (list []Found, failures []error) {
	for f, err := range c.Links(ctx, s) {
		if err != nil {
			failures = append(failures, err)
		} else {
			list = append(list, f)
		}
	}
	return list, failures
}

// Links reads a document and yields its links one at a time. Links yields an error for each part
// that can't be read. Links does not retain the links. Links ends early if ctx is cancelled.
func (c *Checker) Links(ctx context.Context, s Source) iter.Seq2[Found, error] {
	return func(yield func(Found, error) bool) {
		r, err := s.Open(ctx)
		if err != nil {
			yield(Found{}, err)
			return
		}
		defer r.Close()
		at := originsOf(&s)
		for l, err := range c.eachLink(ctx, r, &s) {
			if errors.Is(err, document.ErrBinary) || err == nil && s.Lines != nil && l.member == "" && !s.Lines(l.line) {
				continue
			}
			var f Found
			if err == nil {
				f = c.newFound(&l, at)
				f.Result.Document = s.Name
			}
			if !yield(f, err) {
				return
			}
		}
	}
}

// Other returns the alternative URL of f ([Found].Alternative) as a link in the same document. If
// the link f is dead and the alternative exists, the caller should use the alternative's result.
func (c *Checker) Other(f *Found) (other Found, ok bool) {
	if f.Alternative.IsZero() {
		return other, false
	}
	from := &access.Result{URL: f.Target.From, LinkOrigin: f.Target.Origin}
	other = c.newFound(&link{
		url: f.Alternative, member: f.Result.Member, context: f.Result.Context, line: f.Result.Line, column: f.Result.Column,
	}, &origins{files: from, others: from})
	other.Result.Document, other.Joined = f.Result.Document, true
	return other, true
}

// newFound converts the link l to a Found. The parameter docOrigins holds the origins of the
// document that contains the link, or nil for a typed URL.
func (c *Checker) newFound(l *link, docOrigins *origins) Found {
	f := Found{
		Result:      Result{Line: l.line, Column: l.column, Member: l.member, Context: l.context, Written: l.written, URL: l.url},
		Alternative: l.alternative, Note: l.note,
	}
	if l.note != "" {
		f.Cause = l.cause
	}
	t, _, fixed := c.urlToCheck(l, docOrigins)
	if fixed != nil {
		f.Result.Outcome = *fixed
		return f
	}
	f.Target = Target{URL: t.url, Canonical: t.key.url}
	if t.from != nil {
		f.Target.From, f.Target.Origin = t.from.URL, t.from.LinkOrigin
	}
	if fragment, _ := l.url.Fragment(); c.wantsFragment(l.url, fragment) {
		f.Fragment = fragment
	}
	return f
}

// Key returns a hash of the URL of the target t and the permissions of the document that contains
// the link. If several targets have the same key, one check is enough. The hash does not reveal
// the URL.
func (c *Checker) Key(t *Target) [16]byte {
	return c.checkedURL(t).key.key()
}

// Host returns the request limits for the URL u, which must be in canonical form. The limits are
// the maximum number of concurrent requests and the minimum time between two requests. A zero
// limit means no limit. All URLs with the same host name share the limits. The name is empty for a
// local URL.
func (c *Checker) Host(u locus.URL) (name string, atOnce int, interval time.Duration) {
	name, limits := c.hostOf(u)
	return name, limits.AtOnce, limits.Interval
}

// Keeps reports whether the outcome of the target t may be stored, and whether t may be checked on
// another machine. The result is true if the URL is not local and contains no password.
func (c *Checker) Keeps(t *Target) bool { return c.isRemembered(t.URL) }

// Page reports whether a link in the given page leads to a page of the same site. The parameter
// link is the target of the link. If the target belongs to the site, Page returns a copy with
// First and Depth set.
func (c *Checker) Page(page *Target, link Target) (Target, bool) {
	if page.First.IsZero() || c.o.Depth != 0 && page.Depth+1 > max(c.o.Depth, 0) {
		return link, false
	}
	if !c.newSite(page.First).mayContain(link.Canonical) {
		return link, false
	}
	link.First, link.Depth = page.First, page.Depth+1
	return link, true
}

// Response is the current result of a check, after one or more requests.
type Response struct {
	// Next is the next request of the check, for example after a redirect. If Next is not nil, the
	// other fields are not valid yet. If Next is nil, the response is final.
	Next *Request

	Outcome Outcome
	// Temporary reports whether another check may return a different outcome. Busy reports whether
	// the host is overloaded. RetryAfter is the pause that the host requests, or zero.
	Temporary, Busy bool
	RetryAfter      time.Duration
	// Slower is the Crawl-delay in the robots.txt of the host, or zero.
	Slower time.Duration
	// When is the time of the response.
	When time.Time
	// Public reports whether the outcome is the same for all documents that contain the URL.
	Public bool
	// Fragments reports for each requested fragment whether it exists. Scripted reports whether
	// scripts create the content of the page. The fragments of such a page are unknown.
	Fragments map[string]bool
	Scripted  bool
	// IsPage reports whether the response is a page of the site. IsPage is false if a redirect
	// points outside the site.
	IsPage bool
	// First is the first page of the site. A redirect may have changed it.
	First locus.URL
	// Links holds the links in the page.
	Links []Found
	// Failures holds an error for each part of the page that can't be read.
	Failures []error
}

// Check sends all requests for the target t, and looks for the fragments in the resource. If ctx
// ends before Check returns, the caller must ignore the outcome.
//
// If the host name does not exist, the target is [Dead]. A Checker never returns the cause
// [NoNames], because only a [Verifier] knows all host names of a run.
func (c *Checker) Check(ctx context.Context, t *Target, fragments []string) Response {
	answer := c.Do(ctx, c.Begin(t, fragments))
	for answer.Next != nil {
		answer = c.Do(ctx, answer.Next)
	}
	return answer
}

// Begin returns the first request for a check of the target t. The check looks for the given
// fragments. The caller must pass the request to [Checker.Do]. The caller may wait between two
// requests, for example to respect a per-host request limit.
func (c *Checker) Begin(t *Target, fragments []string) *Request {
	var page *sitePage
	if !t.First.IsZero() {
		page = &sitePage{name: withoutPassword(t.URL), site: c.newSite(t.First), depth: t.Depth}
	}
	return c.begin(c.checkedURL(t), page, fragments)
}

// Do sends one request of a check. If the field Next of the Response is not nil, the caller must
// pass that request to Do. See [Checker.Check].
func (c *Checker) Do(ctx context.Context, r *Request) Response {
	got := c.send(ctx, r)
	got.outcome.Tries = 1
	if got.outcome.Cause == NoNames {
		got.outcome.Cause = 0
	}
	answer := Response{
		Next: got.followUp, Outcome: got.outcome, When: time.Now(), Temporary: got.temporary, Busy: got.busy, RetryAfter: got.retryAfter,
		Public: got.public, Fragments: got.found, Scripted: got.scripted, Failures: got.failures,
	}
	if r.page == nil {
		return answer
	}
	answer.Slower, answer.First, answer.IsPage = r.page.site.delay(), r.page.site.firstURL(), got.origins != nil
	for i := range got.links {
		f := c.newFound(&got.links[i], got.origins)
		f.Result.Document = r.page.name
		answer.Links = append(answer.Links, f)
	}
	return answer
}

// Result returns the result for the link f. The response is the result of a check of the link's
// target. If the target was checked several times, the fields Fragments and Scripted of the
// response must combine all checks.
func (c *Checker) Result(f *Found, response *Response) Result {
	res := f.Result
	if !f.Target.URL.IsZero() {
		fragment, _ := f.Result.URL.Fragment()
		res.Outcome = c.linkOutcome(f.Target.URL, response.Outcome, &fragments{found: response.Fragments, scripted: response.Scripted}, fragment, f.Note, f.Cause)
	}
	if f.Joined && res.Detail == "" {
		res.Detail = joined
	}
	res.isFile = c.isFile(res.URL)
	c.accept(&res)
	return res
}

// linkOutcome returns the outcome of a link to a fragment of the URL u. The parameter o is the
// outcome for the URL without the fragment. If note is not empty and the resource exists,
// linkOutcome returns a warning with the given note and cause.
func (c *Checker) linkOutcome(u locus.URL, o Outcome, known *fragments, fragment, note string, cause Cause) Outcome {
	known.apply(&o, fragment)
	c.o.HTTP.judge(u, &o, time.Now())
	if note != "" && isFound(&o) {
		o.Verdict, o.Cause, o.Detail = Warning, cause, note
	}
	return o
}

// accept sets Accepted, Reason and Known in the result res.
func (c *Checker) accept(res *Result) {
	if res.Verdict != Alive {
		res.Reason, res.Accepted = c.o.Rules.accepts(res.URL, &res.Outcome, c.registry)
		res.Known = res.Verdict.IsBad() && c.o.Baseline.has(res.Key())
	}
}

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

// Checker reads documents and checks one link at a time. It has no queue, no documents and no
// targets: a [Verifier] has those for one run, and other programs keep them on many machines. What
// a Checker remembers only saves requests: the domains of mail addresses, and which hosts show a
// page for any path. Its methods may be called concurrently.
type Checker struct {
	client   *access.Client
	registry *scheme.Registry
	fsys     fs.FS // of Files; nil without it
	o        Options
	mail     mailChecker
	github   github
	soft     softHosts
	robots   RobotsFunc    // nil: rules has each host's
	rules    *crawl.Robots // of hosts
}

// RobotsFunc returns the robots.txt of the site whose root is a URL without a path: one
// that is known, or what fetch returns. Without an error, no octets allow everything.
type RobotsFunc func(ctx context.Context, root locus.URL, fetch func(context.Context) ([]byte, error)) ([]byte, error)

// NewChecker returns a Checker that opens URLs through client. Of o, which may be nil, what is about
// a whole run has no effect: Parallel, Retry, MaxPages, the Store, Archive and Sitemaps.
// robots shares what sites allow. If it is nil, the Checker reads the robots.txt of each host once.
func NewChecker(client *access.Client, o *Options, robots RobotsFunc) *Checker {
	c := &Checker{client: client, o: o.orDefault(), robots: robots}
	c.rules = crawl.NewRobots(c.do, c.o.Politeness)
	if client != nil {
		c.registry, c.mail = client.Registry(), mailChecker{lookup: c.o.Mail, checkName: client.CheckName}
		if c.o.Document.Extract.Schemes == nil {
			c.o.Document.Extract.Schemes = c.registry.InText()
		}
	}
	return c
}

// Target is what is requested for the links to a URL. Targets with the same Key are the
// same, whatever else they say.
type Target struct {
	// URL is the URL as it was first written, without its fragment, and Canonical is its
	// canonical form.
	URL, Canonical locus.URL
	// From is the document that has the link, and Origin where a link in it may lead. A
	// zero From: the URL was typed.
	From   locus.URL
	Origin policy.Origin
	// First is the first page of the site that the URL is a page of, in canonical form;
	// Depth is how many links it is away from that. A zero First: the links of the target
	// are not wanted.
	First locus.URL
	Depth int
}

// asked returns what is requested for t.
func (c *Checker) asked(t *Target) *asked {
	a := &asked{url: t.URL}
	if !t.From.IsZero() {
		a.from = &access.Result{URL: t.From, LinkOrigin: t.Origin}
	}
	a.key = targetKey{t.Canonical, c.originOf(t.URL, a.from)}
	return a
}

// Found is a link that a [Checker] read.
type Found struct {
	// Result has the place and the texts of the link. If Target has no URL, it also has the
	// outcome.
	Result Result
	Target Target
	// Fragment is the fragment to look for in the target; empty: none.
	Fragment string
	// Alternative is the other reading of a link that is broken after a hyphen: see
	// [Checker.Other]. The zero URL: there is none.
	Alternative locus.URL
	// Joined reports that the link is such a reading, without the hyphen.
	Joined bool
	// Note is why the link gets a [Warning] although it is found; empty: it does not.
	Note string
	// Cause is that of the Note, if that has one.
	Cause Cause
}

// Typed returns the link of a URL that was typed.
func (c *Checker) Typed(u locus.URL) Found {
	f := c.found(&link{url: u}, nil)
	if f.Target.URL.IsZero() {
		return f
	}
	f.Target.First = f.Target.Canonical
	return f
}

// Read returns the links of a document, and what of it can't be read.
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

// Links yields the links of a document while it reads it, and an error for each part that can't
// be read. The links yielded before are not kept in memory. It ends early with ctx.
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
				f = c.found(&l, at)
				f.Result.Document = s.Name
			}
			if !yield(f, err) {
				return
			}
		}
	}
}

// Other returns the other reading of f, as a link of the same document. If f is dead and
// this one is found, its result is that of the link.
func (c *Checker) Other(f *Found) (other Found, ok bool) {
	if f.Alternative.IsZero() {
		return other, false
	}
	from := &access.Result{URL: f.Target.From, LinkOrigin: f.Target.Origin}
	other = c.found(&link{
		url: f.Alternative, member: f.Result.Member, context: f.Result.Context, line: f.Result.Line, column: f.Result.Column,
	}, &origins{files: from, others: from})
	other.Result.Document, other.Joined = f.Result.Document, true
	return other, true
}

// found returns l as a link of a document at those origins. nil: it was typed.
func (c *Checker) found(l *link, at *origins) Found {
	f := Found{
		Result:      Result{Line: l.line, Column: l.column, Member: l.member, Context: l.context, Written: l.written, URL: l.url},
		Alternative: l.alternative, Note: l.note,
	}
	if l.note != "" {
		f.Cause = l.cause
	}
	t, _, fixed := c.toAsk(l, at)
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

// Key identifies what is requested for t: its URL, and where the policy lets the document
// with the link lead. It is safe to keep, because the URL can't be found from it.
func (c *Checker) Key(t *Target) [16]byte {
	return c.asked(t).key.key()
}

// Host returns the name by which a URL in canonical form shares limits with others, and the most
// requests at once and the least time between two of them; 0: no limit. An empty name means that
// the URL leads to this machine.
func (c *Checker) Host(u locus.URL) (name string, atOnce int, interval time.Duration) {
	name, limits := c.hostOf(u)
	return name, limits.AtOnce, limits.Interval
}

// Keeps reports whether the outcome of t may be kept, and t be asked for elsewhere: it is not on
// this machine, and has no password.
func (c *Checker) Keeps(t *Target) bool { return c.isRemembered(t.URL) }

// Page reports whether a link of a page is a page of the same site, and returns its target
// as one.
func (c *Checker) Page(page *Target, link Target) (Target, bool) {
	if page.First.IsZero() || c.o.Depth != 0 && page.Depth+1 > max(c.o.Depth, 0) {
		return link, false
	}
	if !c.newSite(page.First).has(link.Canonical) {
		return link, false
	}
	link.First, link.Depth = page.First, page.Depth+1
	return link, true
}

// Answer is what the requests for a target told so far.
type Response struct {
	// Next is the request that the check continues with, after a redirect for example. Until then
	// nothing else is known. nil: the answer is final.
	Next *Request

	Outcome Outcome
	// Temporary reports that another check may have another outcome, Busy that the host
	// is overloaded, and RetryAfter is the pause that it asks for; 0: none.
	Temporary, Busy bool
	RetryAfter      time.Duration
	// Slower is the least time between two requests that the host's robots.txt asks for; 0:
	// none.
	Slower time.Duration
	// When is the time of the answer.
	When time.Time
	// Public reports that the outcome is the same wherever the URL was found.
	Public bool
	// Fragments has for each fragment that was looked for whether it exists. Scripted
	// reports that the page is made by scripts, so that its fragments are not known.
	Fragments map[string]bool
	Scripted  bool
	// Of a page: its links, what of it can't be read, and the first page of its site, which
	// may have moved. IsPage is false if referrals led out of the site.
	IsPage   bool
	First    locus.URL
	Links    []Found
	Failures []error
}

// Check makes all requests of a check of t, which looks for fragments. When ctx ends first, the
// outcome says nothing about t.
//
// A host name that does not exist makes t [Dead]. Only a [Verifier] sees all names of a run,
// so no outcome of a Checker has the cause [NoNames].
func (c *Checker) Check(ctx context.Context, t *Target, fragments []string) Response {
	answer := c.Do(ctx, c.Begin(t, fragments))
	for answer.Next != nil {
		answer = c.Do(ctx, answer.Next)
	}
	return answer
}

// Begin returns the first request of a check of t, which looks for fragments. [Checker.Do] makes
// it. So a program can wait between two requests, as for a turn at the host of the next one.
func (c *Checker) Begin(t *Target, fragments []string) *Request {
	var page *sitePage
	if !t.First.IsZero() {
		page = &sitePage{name: withoutPassword(t.URL), site: c.newSite(t.First), depth: t.Depth}
	}
	return c.begin(c.asked(t), page, fragments)
}

// Do makes a request of a check. See [Checker.Check].
func (c *Checker) Do(ctx context.Context, r *Request) Response {
	got := c.send(ctx, r)
	got.outcome.Tries = 1
	if got.outcome.Cause == NoNames {
		got.outcome.Cause = 0
	}
	answer := Response{
		Next: got.next, Outcome: got.outcome, When: time.Now(), Temporary: got.temporary, Busy: got.busy, RetryAfter: got.retryAfter,
		Public: got.public, Fragments: got.found, Scripted: got.scripted, Failures: got.failures,
	}
	if r.page == nil {
		return answer
	}
	answer.Slower, answer.First, answer.IsPage = r.page.site.delay(), r.page.site.start(), got.at != nil
	for i := range got.links {
		f := c.found(&got.links[i], got.at)
		f.Result.Document = r.page.name
		answer.Links = append(answer.Links, f)
	}
	return answer
}

// Result returns the result of a link whose target has that outcome. The maps and Scripted of
// the answer are those of all checks of the target.
func (c *Checker) Result(f *Found, answer *Response) Result {
	res := f.Result
	if !f.Target.URL.IsZero() {
		fragment, _ := f.Result.URL.Fragment()
		res.Outcome = c.linkOutcome(f.Target.URL, answer.Outcome, &fragments{found: answer.Fragments, scripted: answer.Scripted}, fragment, f.Note, f.Cause)
	}
	if f.Joined && res.Detail == "" {
		res.Detail = joined
	}
	res.isFile = c.isFile(res.URL)
	c.accept(&res)
	return res
}

// linkOutcome returns the outcome of a link to a fragment of u, for whose target the outcome is o.
// With a note, and a cause, the link gets a warning although it is found.
func (c *Checker) linkOutcome(u locus.URL, o Outcome, known *fragments, fragment, note string, cause Cause) Outcome {
	known.apply(&o, fragment)
	c.o.HTTP.judge(u, &o, time.Now())
	if note != "" && isFound(&o) {
		o.Verdict, o.Cause, o.Detail = Warning, cause, note
	}
	return o
}

// accept tells whether a rule accepts the outcome of a link, and whether it is in the baseline.
func (c *Checker) accept(res *Result) {
	if res.Verdict != Alive {
		res.Reason, res.Accepted = c.o.Rules.accepts(res.URL, &res.Outcome, c.registry)
		res.Known = res.Verdict.IsBad() && c.o.Baseline.has(res.Key())
	}
}

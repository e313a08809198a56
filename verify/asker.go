package verify

import (
	"context"
	"iter"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
)

// Asker reads documents and asks for links one at a time, for a program that keeps the
// queue, the limits of hosts and the outcomes itself: on many machines, say. Its methods
// may be called concurrently.
type Asker struct{ e *Verifier }

// RobotsFunc returns the robots.txt of the site whose root is a URL without a path: one
// that is known, or what fetch returns. Without an error, no octets allow everything.
type RobotsFunc func(ctx context.Context, root locus.URL, fetch func(context.Context) ([]byte, error)) ([]byte, error)

// NewAsker returns an Asker that opens URLs through c. Of o, which may be nil, what is about
// a whole run has no effect: Parallel, Retry, MaxPages, the Store, Archive and Sitemaps.
// robots shares what sites allow. If it is nil, the Asker reads the robots.txt of each host once.
func NewAsker(c *access.Client, o *Options, robots RobotsFunc) *Asker {
	e := New(c, o)
	e.robots = robots
	return &Asker{e}
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

// from is where t was found, as package access wants to know it.
func (t *Target) from() *access.Result {
	if t.From.IsZero() {
		return nil
	}
	return &access.Result{URL: t.From, LinkOrigin: t.Origin}
}

// Found is a link that an [Asker] read.
type Found struct {
	// Result has the place and the texts of the link. If Target has no URL, it also has the
	// outcome.
	Result Result
	Target Target
	// Fragment is the fragment to look for in the target; empty: none.
	Fragment string
	// Alternative is the other reading of a link that is broken after a hyphen: see
	// [Asker.Other]. The zero URL: there is none.
	Alternative locus.URL
	// Joined reports that the link is such a reading, without the hyphen.
	Joined bool
	// Note is why the link gets a [Warning] although it is found; empty: it does not.
	Note string
	// Cause is that of the Note, if that has one.
	Cause Cause
}

// Typed returns the link of a URL that was typed.
func (a *Asker) Typed(u locus.URL) Found {
	f := a.found(&link{url: u}, nil)
	if f.Target.URL.IsZero() {
		return f
	}
	f.Target.First = f.Target.Canonical
	return f
}

// Read returns the links of a document, and what of it can't be read.
func (a *Asker) Read(ctx context.Context, s Source) (list []Found, troubles []error) {
	for f, err := range a.Links(ctx, s) {
		if err != nil {
			troubles = append(troubles, err)
		} else {
			list = append(list, f)
		}
	}
	return list, troubles
}

// Links yields the links of a document while it reads it, and an error for each part that can't
// be read. The links yielded before are not kept in memory. It ends early with ctx.
func (a *Asker) Links(ctx context.Context, s Source) iter.Seq2[Found, error] {
	return func(yield func(Found, error) bool) {
		r, err := s.Open(ctx)
		if err != nil {
			yield(Found{}, err)
			return
		}
		defer r.Close()
		at := originsOf(&s)
		for l, err := range a.e.eachLink(ctx, r, &s) {
			if err == nil && s.Lines != nil && l.member == "" && !s.Lines(l.line) {
				continue
			}
			var f Found
			if err == nil {
				f = a.found(&l, at)
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
func (a *Asker) Other(f *Found) (other Found, ok bool) {
	if f.Alternative.IsZero() {
		return other, false
	}
	from := &access.Result{URL: f.Target.From, LinkOrigin: f.Target.Origin}
	other = a.found(&link{
		url: f.Alternative, member: f.Result.Member, context: f.Result.Context, line: f.Result.Line, column: f.Result.Column,
	}, &origins{files: from, others: from})
	other.Result.Document, other.Joined = f.Result.Document, true
	return other, true
}

// found returns l as a link of a document at those origins. nil: it was typed.
func (a *Asker) found(l *link, at *origins) Found {
	f := Found{
		Result:      Result{Line: l.line, Column: l.column, Member: l.member, Context: l.context, Written: l.written, URL: l.url},
		Alternative: l.alternative, Note: l.note,
	}
	if l.note != "" {
		f.Cause = l.cause
	}
	asked, canonical, _, fixed := a.e.toAsk(l, at)
	if fixed != nil {
		f.Result.Outcome = *fixed
		return f
	}
	f.Target = Target{URL: asked, Canonical: canonical}
	if at != nil {
		from := at.others
		if a.e.isFile(asked) {
			from = at.files
		}
		f.Target.From, f.Target.Origin = from.URL, from.LinkOrigin
	}
	if fragment, _ := l.url.Fragment(); a.e.wantsFragment(l.url, fragment) {
		f.Fragment = fragment
	}
	return f
}

// Key identifies what is requested for t: its URL, and where the policy lets the document
// with the link lead. It is safe to keep: nobody can get the URL from it.
func (a *Asker) Key(t *Target) [16]byte {
	return targetKey{t.Canonical, a.e.originOf(t.URL, t.from())}.key()
}

// Host returns the name by which t shares limits with other targets, and the most requests
// at once and the least time between two of them; 0: no limit. An empty name: the target is
// on this machine.
func (a *Asker) Host(t *Target) (name string, atOnce int, interval time.Duration) {
	name, limits := a.e.hostOf(t.Canonical)
	return name, limits.AtOnce, limits.Interval
}

// Keeps reports whether the outcome of t may be kept, and t be asked for elsewhere: it is not on
// this machine, and has no password.
func (a *Asker) Keeps(t *Target) bool { return a.e.isRemembered(t.URL) }

// Page reports whether a link of a page is a page of the same site, and returns its target
// as one.
func (a *Asker) Page(page *Target, link Target) (Target, bool) {
	if page.First.IsZero() || a.e.o.Depth != 0 && page.Depth+1 > max(a.e.o.Depth, 0) {
		return link, false
	}
	s := site{row: a.e.registry.Scheme(page.First), first: page.First}
	if !s.has(link.Canonical) {
		return link, false
	}
	link.First, link.Depth = page.First, page.Depth+1
	return link, true
}

// Answer is what one request told about a target.
type Answer struct {
	Outcome Outcome
	// Temporary reports that another request may have another outcome, Busy that the host
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
	Troubles []error
}

// Ask requests t once, and looks for fragments. When ctx ends first, the outcome says
// nothing about t.
//
// A host name that does not exist makes t [Dead]. Only a [Verifier] sees all names of a run,
// so no outcome of an Asker has the cause [NoNames].
func (a *Asker) Ask(ctx context.Context, t *Target, fragments []string) Answer {
	asked := &target{url: t.URL, from: t.from(), wants: fragments}
	asked.key = targetKey{t.Canonical, a.e.originOf(t.URL, asked.from)}
	var page *doc
	if !t.First.IsZero() {
		row := a.e.registry.Scheme(t.First)
		page = &doc{name: withoutPassword(t.URL), site: &site{row: row, first: t.First, pages: map[locus.URL]bool{}}, depth: t.Depth}
		asked.page = page
	}
	got := a.e.attempt(ctx, asked, nil)
	got.outcome.Tries = 1
	if got.outcome.Cause == NoNames {
		got.outcome.Cause = 0
	}
	answer := Answer{
		Outcome: got.outcome, When: time.Now(), Temporary: got.temporary, Busy: got.busy, RetryAfter: got.retryAfter,
		Public: got.public, Fragments: got.fragments, Scripted: got.scripted, Troubles: got.troubles,
	}
	if page == nil {
		return answer
	}
	answer.Slower, answer.First, answer.IsPage = page.site.robots.Delay(), page.site.first, got.at != nil
	for i := range got.links {
		f := a.found(&got.links[i], got.at)
		f.Result.Document = page.name
		answer.Links = append(answer.Links, f)
	}
	return answer
}

// Result returns the result of a link whose target has that outcome. The maps and Scripted of
// the answer are those of all requests for the target.
func (a *Asker) Result(f *Found, answer *Answer) Result {
	res := f.Result
	if !f.Target.URL.IsZero() {
		res.Outcome = answer.Outcome
		t := &target{found: answer.Fragments, scripted: answer.Scripted}
		fragment, _ := f.Result.URL.Fragment()
		t.applyFragment(&res.Outcome, fragment)
		a.e.o.Ask.judge(f.Target.URL, &res.Outcome, time.Now())
		if f.Note != "" && isFound(&res.Outcome) {
			res.Verdict, res.Cause, res.Detail = Warning, f.Cause, f.Note
		}
	}
	if f.Joined && res.Detail == "" {
		res.Detail = joined
	}
	res.isFile = a.e.isFile(res.URL)
	a.e.accept(&res)
	return res
}

package verify

import (
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/document"
	"github.com/locus-url/locus/internal/crawl"
	"github.com/locus-url/locus/internal/octet"
	"github.com/locus-url/locus/policy"
)

// Source is a document whose links are verified.
type Source struct {
	// Name is the document's name in results.
	Name string
	// URL is the base of partial forms. The zero URL: they can't be resolved.
	URL locus.URL
	// Type is the media type; empty: unknown.
	Type string
	// Open opens the document. nil: URL is verified like a link that was typed, and so
	// are the documents below it that it links to: a site.
	Open func(context.Context) (io.ReadCloser, error)
	// Root is the folder that a leading "/" in a partial form of a file means, as a URL that
	// ends in "/". The zero URL selects Top.
	Root locus.URL
	// RootGuessed reports that Root may be another folder than the root of the site, so that
	// a missing file proves nothing there. Top is never the root of a site for certain.
	RootGuessed bool
	// Top is the top of the repository that the document is a file of, as a URL that ends in
	// "/". A link that leads above the top is [Ignored]. The zero URL means no repository:
	// then a zero Root selects the root of the file system.
	Top locus.URL
	// Layout is the site that the document is a part of; nil: none.
	Layout *Layout
	// Lines reports whether the links of a line are verified; nil: those of all lines are.
	// It is called concurrently with that of other sources.
	Lines func(line int64) bool
}

// Options configure a [Verifier]. The zero value, and nil, select the defaults.
type Options struct {
	// Politeness limits the requests. A host that asks for a longer pause than MaxWait gets no
	// more requests in this run.
	access.Politeness
	// Timeout bounds one attempt, from the name lookup to the last byte of a page, without
	// the time that redirects wait in the queues of their hosts; 0: 90 s.
	Timeout time.Duration
	// MaxPage is the most bytes of a page that are read for its fragments and links; 0:
	// 16 MiB.
	MaxPage int64

	// Depth is how many links a page of a site may be away from the first one; 0: any
	// number, [FirstPage]: only the first page.
	Depth int
	// MaxPages is the most pages of one site; 0: 10,000.
	MaxPages int
	// NoRobots ignores robots.txt.
	NoRobots bool

	// Document is how documents are read. Its Type is replaced by that of the [Source].
	Document document.Options
	// Offline requests nothing but files: all other links are [Ignored].
	Offline bool
	// NoFragments skips fragments.
	NoFragments bool

	// Include and Exclude describe the URLs that are verified: those of Include, nil: all,
	// but those of Exclude. The others are [Ignored].
	Include, Exclude []policy.Pattern
	// Reserved verifies links to hosts that are reserved for examples
	// ([policy.IsReserved]), too. Without it, those of documents are [Ignored], unless the
	// document came from such a host.
	Reserved bool
	// Schemes are the names of the schemes whose links are verified; nil: all.
	Schemes []string
	// List requests nothing: what would be requested is [Unknown].
	List bool
	// Remap replaces parts of URLs, by the first that describes one.
	Remap []Remap
	// FallbackExtensions are tried for a file that does not exist: "html" also finds a.html
	// for a. One replaces another one of them: "md" after "html" finds a.md for a.html.
	FallbackExtensions []string
	// IndexFiles are the files that are shown for a folder, in order of preference. One
	// without any is [Dead]. nil: a folder needs none; for its fragments, as the package says.
	IndexFiles []string

	Rules    *Rules    // nil: none
	Baseline *Baseline // nil: none

	// Ask is how URLs are requested over HTTP, and Site what is looked at in sites.
	HTTP HTTP
	Site Site

	// Store keeps outcomes between runs. nil: none does.
	Store *Store
	// MaxAge is how long a stored outcome is used, and MaxAgeBad how long if it is bad;
	// 0: a day and an hour, [None]: not at all, it is only written.
	MaxAge, MaxAgeBad time.Duration

	// Mail looks up domains. nil: [net.DefaultResolver].
	Mail Mail
	// Archive returns the URL of an archived copy of a dead link, which is then
	// verified, or the zero URL. nil: no archive is asked.
	Archive func(locus.URL) locus.URL
}

const (
	// None is an [Options].MaxAge or MaxAgeBad of 0.
	None time.Duration = -1
	// FirstPage is an [Options].Depth of 0: a site's first page only.
	FirstPage = -1
)

func (o *Options) orDefault() Options {
	var r Options
	if o != nil {
		r = *o
	}
	if r.Rules != nil {
		r.Include = slices.Concat(r.Include, r.Rules.Include)
		r.Remap = slices.Concat(r.Remap, r.Rules.Remap)
	}
	r.Politeness = crawl.Settle(r.Politeness)
	r.Timeout = cmp.Or(max(r.Timeout, 0), 90*time.Second)
	r.MaxPage = cmp.Or(max(r.MaxPage, 0), 16<<20)
	r.MaxPages = cmp.Or(max(r.MaxPages, 0), 10_000)
	r.MaxAge = durationOr(r.MaxAge, 24*time.Hour)
	r.MaxAgeBad = durationOr(r.MaxAgeBad, time.Hour)
	if r.Mail == nil {
		r.Mail = net.DefaultResolver
	}
	return r
}

// durationOr returns d, the default for 0, or 0 for None.
func durationOr(d, usual time.Duration) time.Duration { return max(cmp.Or(d, usual), 0) }

// Result is the outcome of a link in a document.
type Result struct {
	// Document is the name of the document; empty: the URL was typed.
	Document string
	// Member is the part of a container that has the link, as in [document.Link].
	Member string
	// Line and Column are the position; 0 for a typed URL. In a menu, the line is the
	// number of the item.
	Line, Column int64
	// Context is the line, if [document.Options] asks for it, or the title of the menu
	// item.
	Context string
	// Written is the partial form or malformed text in the document; empty: URL is.
	Written string
	// URL is the link's URL with its fragment. Zero: the link is malformed.
	URL locus.URL
	Outcome
	// Accepted reports that a rule accepts the outcome, because of Reason.
	Accepted bool
	Reason   string
	// Known reports that the link is in the baseline.
	Known  bool
	isFile bool // URL is that of a file
	// Err is why the document, or a part of it, can't be read. Then there is no link.
	Err error
}

// Link is the link on one line, without a password: the URL, or the written text if
// that is malformed or leads to another file.
func (r *Result) Link() string {
	if r.isLocal() {
		return locus.Mask(r.Written)
	}
	return withoutPassword(r.URL)
}

// withoutPassword returns u without a password. The URL still works unless the password
// is where the grammar has none, or some programs find another host in u.
func withoutPassword(u locus.URL) string {
	if _, disputed := octet.HostEnd(u.String()); disputed {
		return u.Shown()
	}
	return u.WithoutPassword().Shown()
}

func (r *Result) isLocal() bool {
	return r.Written != "" && (r.URL.IsZero() || r.isFile)
}

// Key identifies the link in a [Baseline]: the URL, or the document and the written
// text, which does not depend on the folder of the documents.
func (r *Result) Key() string {
	if r.isLocal() {
		return r.Document + ": " + r.Link()
	}
	return r.Link()
}

// IsBad reports whether the link is broken, and neither accepted nor known.
func (r *Result) IsBad() bool {
	return r.Err == nil && r.Verdict.IsBad() && !r.Accepted && !r.Known
}

// Progress is the progress of a run.
type Progress struct {
	Documents int // documents read
	Binary    int // of them, binary files, which have no links
	Links     int // links in them
	Found     int // different URLs to verify
	Done      int // of them, verified
	Dead      int // of those, bad
	Waiting   int // in the queue
	Requests  int // attempts so far
}

// HostTime is how fast a host answered.
type HostTime struct {
	Host     string
	Requests int
	Mean     time.Duration
	Slowest  time.Duration
}

// New returns a Verifier that opens URLs through c. o may be nil.
func New(c *access.Client, o *Options) *Verifier {
	checker := NewChecker(c, o, nil)
	e := &Verifier{
		checker: checker, o: &checker.o, queue: crawl.New[*target](),
		targets: map[locus.URL]*target{}, includes: map[locus.URL][]locus.URL{}, interned: map[Outcome]*Outcome{},
	}
	e.changed.L = &e.mu
	return e
}

// Run verifies the links of sources and yields their results, in the order of the
// sources, of the pages of a site as they are found, and of the links in them. When ctx
// is cancelled, it yields what is known for all documents that were read, and [Unknown]
// for the rest.
//
// Documents are read first and their links verified then, so that each URL is requested
// once whatever its fragments. Two kinds of links do not wait: those to files, which are
// opened again for a late fragment, and the pages of a site, which are verified while they
// are read: another page is requested again if one of its fragments turns up late.
//
// A Verifier runs once. A second run, and a second loop over the results of the first,
// yield one Result whose Err is [ErrUsed].
func (e *Verifier) Run(ctx context.Context, sources iter.Seq[Source]) iter.Seq[Result] {
	return func(yield func(Result) bool) {
		if e.used.Swap(true) {
			yield(Result{Err: ErrUsed})
			return
		}
		ctx, cancel := context.WithCancel(ctx)
		stop := context.AfterFunc(ctx, func() {
			e.queue.Close()
			e.mu.Lock()
			defer e.mu.Unlock()
			e.changed.Broadcast()
		})
		var workers sync.WaitGroup
		workers.Go(func() { e.readAll(ctx, sources) })
		for range e.o.Parallel {
			workers.Go(func() { e.work(ctx) })
		}
		e.yieldAll(ctx, yield)
		stop()
		cancel()
		e.queue.Close()
		workers.Wait()
	}
}

// ErrUsed is the error of a second run of a [Verifier].
var ErrUsed = errors.New("verify: a Verifier runs once; create another with New")

// Progress returns the progress of the run. It may be called at any time.
func (e *Verifier) Progress() Progress {
	waiting, requests, _ := e.queue.Stats()
	e.mu.Lock()
	defer e.mu.Unlock()
	p := e.progress
	p.Waiting, p.Requests = waiting, requests
	return p
}

// Slowest returns the hosts with the longest mean time, at most n of them.
func (e *Verifier) Slowest(n int) []HostTime {
	_, _, hosts := e.queue.Stats()
	var list []HostTime
	for _, h := range hosts {
		if h.Requests > 0 {
			list = append(list, HostTime{h.Host, h.Requests, h.Took / time.Duration(h.Requests), h.Slowest})
		}
	}
	slices.SortFunc(list, func(a, b HostTime) int {
		return cmp.Or(cmp.Compare(b.Mean, a.Mean), cmp.Compare(a.Host, b.Host))
	})
	return list[:min(n, len(list))]
}

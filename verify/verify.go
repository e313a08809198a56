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

// Source is a document with links to verify.
type Source struct {
	// Name is the document's name in results.
	Name string
	// URL is the base URL of relative references. If it is zero, they can't be resolved.
	URL locus.URL
	// Type is the media type. If empty, it is guessed from the name and the content.
	Type string
	// Open opens the document. If nil, the Source is a site. The Verifier then verifies URL
	// like a typed link, and the links in the page at URL and in the pages below that page.
	Open func(context.Context) (io.ReadCloser, error)
	// Root is the directory for relative references that begin with "/" in a local file. It
	// must end in "/". The zero URL selects Top.
	Root locus.URL
	// RootGuessed reports that Root may not be the site root. If a link that begins with "/"
	// leads to a missing file below Root, the link is not reported as dead. If Root is zero and
	// Top is not, links are treated as if RootGuessed were set.
	RootGuessed bool
	// Top is the top directory of the repository that contains the document. It must end in
	// "/". A link that points above Top is [Ignored]. The zero URL means that there is no
	// repository; then a zero Root selects the root of the file system.
	Top locus.URL
	// Layout is the layout of the site that contains the document. If nil, there is none.
	Layout *Layout
	// Lines reports whether the Verifier verifies the links on a line. If nil, it verifies all
	// links. The Verifier may call the Lines functions of different sources concurrently.
	Lines func(line int64) bool
}

// Options configures a [Verifier]. The zero value and nil select the defaults.
type Options struct {
	// Politeness limits the requests. If a host requests a longer pause than MaxWait, the
	// Verifier sends it no more requests in this run.
	access.Politeness
	// Timeout limits one attempt, from the name lookup to the last byte of a page. It does
	// not include the time that redirects wait in the queues of their hosts. Zero means 90
	// seconds.
	Timeout time.Duration
	// MaxPage is the maximum number of bytes of a page that the Verifier reads for fragments
	// and links. Zero means 16 MiB.
	MaxPage int64

	// Depth is the maximum number of links between the first page of a site and another page.
	// Zero means no limit; [FirstPage] limits the run to the first page.
	Depth int
	// MaxPages is the maximum number of pages of one site. Zero means 10,000.
	MaxPages int
	// NoRobots ignores robots.txt.
	NoRobots bool

	// Document selects how documents are read. The Type of the [Source], if it is not empty,
	// replaces Document.Type.
	Document document.Options
	// Offline opens only files; all other links are [Ignored].
	Offline bool
	// NoFragments skips fragments.
	NoFragments bool

	// Include restricts the run to matching URLs; if nil, all URLs match. Exclude applies
	// after Include. Excluded links are [Ignored].
	Include, Exclude []policy.Pattern
	// Reserved also verifies links to hosts that are reserved for examples
	// ([policy.IsReserved]). Without Reserved, links to these hosts are [Ignored], unless
	// the document came from a reserved host.
	Reserved bool
	// Schemes restricts the run to links with these schemes. If nil, all schemes match.
	Schemes []string
	// List sends no requests. Links that would need a request are [Unknown].
	List bool
	// Remap replaces parts of URLs. The first Remap that matches a URL applies.
	Remap []Remap
	// FallbackExtensions lists file extensions to try for a missing file, without the dot:
	// with "html", the link a also finds a.html. If the missing file has an extension in
	// the list, the Verifier also tries the other extensions: with "html" and "md", the
	// link a.html also finds a.md.
	FallbackExtensions []string
	// IndexFiles lists the names of index files, in order of preference. A directory
	// without any of them is [Dead]. If nil, a directory needs no index file, and the package
	// comment lists the index files for its fragments.
	IndexFiles []string

	Rules    *Rules    // optional
	Baseline *Baseline // optional

	// HTTP holds the settings for HTTP requests.
	HTTP HTTP
	// Site holds the settings for crawling a site.
	Site Site

	// Store saves outcomes between runs. If nil, they are not saved.
	Store *Store
	// MaxAge is the maximum age of a stored outcome, and MaxAgeBad the maximum age of a
	// stored bad outcome. Zero means a day and an hour, respectively. With [None], the
	// Verifier writes outcomes to Store but does not use them.
	MaxAge, MaxAgeBad time.Duration

	// Mail looks up mail domains. If nil, the Verifier uses [net.DefaultResolver].
	Mail Mail
	// Archive returns the URL of an archived copy of a dead link, or the zero URL if there is
	// none. The Verifier then verifies that URL. If nil, the Verifier uses no archive.
	Archive func(locus.URL) locus.URL
}

const (
	// None disables stored outcomes, as the value of [Options].MaxAge or MaxAgeBad.
	None time.Duration = -1
	// FirstPage limits a site to its first page, as the value of [Options].Depth.
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

// durationOr returns d, or usual if d is zero, or zero if d is None.
func durationOr(d, usual time.Duration) time.Duration { return max(cmp.Or(d, usual), 0) }

// Result is the outcome of a link in a document.
type Result struct {
	// Document is the name of the document. It is empty for a typed URL.
	Document string
	// Member is the part of a container with the link, as in [document.Link].
	Member string
	// Line and Column are the position of the link. They are zero for a typed URL. In a menu,
	// Line is the number of the item.
	Line, Column int64
	// Context is the text of the line, if [document.Options] requests it, or the title of the
	// menu item.
	Context string
	// Written is the text of the link in the document, if it is not the text of URL: a
	// relative reference, malformed text, or text that was repaired or remapped.
	Written string
	// URL is the URL of the link with its fragment. It is zero if the link is malformed.
	URL locus.URL
	Outcome
	// Accepted reports whether a rule accepts the outcome. Reason is the reason in the rule.
	Accepted bool
	Reason   string
	// Known reports whether the link is in the baseline.
	Known  bool
	isFile bool // set if URL names a file
	// Err is the error of a document, or a part of a document, that can't be read. If Err is
	// not nil, the Result describes no link.
	Err error
}

// Link returns the link on one line, without a password: the URL, or the text in the
// document if it is malformed or names another file.
func (r *Result) Link() string {
	if r.isLocal() {
		return locus.Mask(r.Written)
	}
	return withoutPassword(r.URL)
}

// withoutPassword returns u without a password. The result is usually a working URL. It is not if
// the grammar allows no password where the password is, or if some programs find another host in u.
func withoutPassword(u locus.URL) string {
	if _, disputed := octet.HostEnd(u.String()); disputed {
		return u.Shown()
	}
	return u.WithoutPassword().Shown()
}

func (r *Result) isLocal() bool {
	return r.Written != "" && (r.URL.IsZero() || r.isFile)
}

// Key returns the text that identifies the link in a [Baseline]: the URL, or for a local
// link the document and the text in it. The text of a local link does not depend on the
// directory of the documents.
func (r *Result) Key() string {
	if r.isLocal() {
		return r.Document + ": " + r.Link()
	}
	return r.Link()
}

// IsBad reports whether the link is broken, no rule accepts the outcome, and the baseline does
// not list the link.
func (r *Result) IsBad() bool {
	return r.Err == nil && r.Verdict.IsBad() && !r.Accepted && !r.Known
}

// Progress holds the counts of a run.
type Progress struct {
	Documents int // documents read
	Binary    int // documents that are binary files, which have no links
	Links     int // links in the documents
	Found     int // distinct URLs to verify
	Done      int // verified URLs
	Dead      int // verified URLs that are bad
	Waiting   int // URLs in the queue
	Requests  int // attempts so far
}

// HostTime holds the response times of a host.
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

// Run verifies the links of sources and yields their results. The results are in the order
// of the sources. Within a site, they are in the order in which Run finds the pages. Within
// a document or page, they are in the order of the links. If ctx is cancelled, Run yields
// the results that are known for the documents that were read, and [Unknown] for their
// other links.
//
// Run first reads all documents, then verifies their links. So it requests each URL once, even
// if links contain different fragments. But Run verifies local files and the pages of a site
// before it has read all documents. If a fragment in a file or page is found later, Run opens
// the file or page again.
//
// A Verifier runs once. A second run, and a second loop over the results of the first, yield
// one Result with Err set to [ErrUsed].
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

// Slowest returns at most n hosts with the longest mean response time, slowest first.
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

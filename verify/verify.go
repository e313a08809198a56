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
	// URL is the base URL for relative references. If URL is zero, relative references can't be
	// resolved.
	URL locus.URL
	// Type is the media type. If Type is empty, the Verifier determines the type from the name and
	// the content.
	Type string
	// Open opens the document. If Open is nil, the Source is a site: the Verifier opens URL as a
	// typed URL, and verifies the links in that page and in the pages below it.
	Open func(context.Context) (io.ReadCloser, error)
	// Root is the directory that the "/" at the beginning of a relative reference means. The
	// Verifier uses Root only for references in local files. Root must end in "/". If Root is
	// zero, the Verifier uses Top.
	Root locus.URL
	// RootGuessed means that Root may not be the site root. If a link that begins with "/" points
	// to a missing file below Root, the Verifier does not report the link as dead. If Root is zero
	// and Top is not zero, the Verifier assumes that RootGuessed is true.
	RootGuessed bool
	// Top is the top directory of the repository that contains the document. Top must end in "/".
	// A link that points above Top is [Ignored]. If Top is zero, there is no repository. If Top
	// and Root are both zero, "/" is the root of the file system.
	Top locus.URL
	// Layout is the layout of the site that contains the document, or nil if there is no site.
	Layout *Layout
	// Lines reports whether to verify the links on a line. If Lines is nil, the Verifier verifies
	// all links. The Verifier may call the Lines functions of different sources concurrently.
	Lines func(line int64) bool
}

// Options configures a [Verifier]. The zero value and nil select the defaults.
type Options struct {
	// Politeness limits the requests of the run. If a host requests a longer pause than MaxWait,
	// the Verifier sends no more requests to that host in this run.
	access.Politeness
	// Timeout limits the duration of one attempt, from the name lookup to the last byte of a page.
	// The time that a redirect waits in a host's queue does not count. Zero means 90 seconds.
	Timeout time.Duration
	// MaxPage is the maximum number of bytes of a page that the Verifier reads for fragments
	// and links. Zero means 16 MiB.
	MaxPage int64

	// Depth is the maximum number of links from the first page of a site to another page. Zero
	// means no limit. The value [FirstPage] limits the run to the first page.
	Depth int
	// MaxPages is the maximum number of pages per site. Zero means 10,000.
	MaxPages int
	// NoRobots makes the Verifier ignore robots.txt files.
	NoRobots bool

	// Document holds the options for reading documents. If the Type of a [Source] is not empty, it
	// replaces Document.Type.
	Document document.Options
	// Offline restricts the run to links to files. All other links are [Ignored].
	Offline bool
	// NoFragments disables the check of fragments.
	NoFragments bool

	// Include restricts the run to matching URLs. If Include is nil, all URLs match. Exclude
	// applies after Include. Excluded links are [Ignored].
	Include, Exclude []policy.Pattern
	// Reserved enables the verification of links to hosts that are reserved for examples
	// ([policy.IsReserved]). If Reserved is false, such links are [Ignored], unless the document
	// came from a reserved host.
	Reserved bool
	// Schemes restricts the run to links with these schemes. If nil, all schemes match.
	Schemes []string
	// List makes the Verifier list links without sending requests. Links that would need a request
	// are [Unknown].
	List bool
	// Remap replaces parts of URLs. The first Remap that matches a URL applies.
	Remap []Remap
	// FallbackExtensions lists file extensions, without the dot, to try if a file is missing. For
	// example, "html" makes a link to "a" match the file a.html. If the missing file has an
	// extension in the list, the Verifier also replaces that extension: with "html" and "md", a
	// link to a.html also matches the file a.md.
	FallbackExtensions []string
	// IndexFiles lists the names of index files in order of preference. A link to a directory that
	// contains none of these files is [Dead]. If IndexFiles is nil, a directory needs no index
	// file, and the Verifier uses the default names in the package comment to find fragments.
	IndexFiles []string

	Rules    *Rules    // optional
	Baseline *Baseline // optional

	// HTTP holds the settings for HTTP requests.
	HTTP HTTP
	// Site holds the settings for crawling a site.
	Site Site

	// Store saves outcomes for later runs. If Store is nil, the Verifier does not save outcomes.
	Store *Store
	// MaxAge is the maximum age of a stored outcome; zero means one day. MaxAgeBad is the maximum
	// age of a stored bad outcome; zero means one hour. The value [None] means that the Verifier
	// does not use stored outcomes, but still writes outcomes to Store.
	MaxAge, MaxAgeBad time.Duration

	// Mail looks up mail domains. If Mail is nil, the Verifier uses [net.DefaultResolver].
	Mail Mail
	// Archive returns the URL of an archived copy of a dead link, or the zero URL if there is no
	// copy. The Verifier then verifies the returned URL. If Archive is nil, the Verifier does not
	// look for archived copies.
	Archive func(locus.URL) locus.URL
}

const (
	// None disables the use of stored outcomes. None is a value for [Options].MaxAge and
	// [Options].MaxAgeBad.
	None time.Duration = -1
	// FirstPage limits a run to the first page of each site. FirstPage is a value for
	// [Options].Depth.
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

// durationOr returns the duration d. durationOr returns the default (the parameter usual) if d is
// zero, and zero if d is None.
func durationOr(d, usual time.Duration) time.Duration { return max(cmp.Or(d, usual), 0) }

// Result is the result for one link in a document.
type Result struct {
	// Document is the name of the document. Document is empty for a typed URL.
	Document string
	// Member is the part of a container that contains the link, as in [document.Link].
	Member string
	// Line and Column are the position of the link, or zero for a typed URL. In a menu, Line is
	// the number of the item.
	Line, Column int64
	// Context is the text of the line, if [document.Options] requests it, or the title of the
	// menu item.
	Context string
	// Written is the text of the link in the document, if it differs from the text of URL. Written
	// is a relative reference, malformed text, or text that the Verifier repaired or remapped.
	Written string
	// URL is the target URL of the link with its fragment, or zero if the link is malformed.
	URL locus.URL
	Outcome
	// Accepted reports whether a rule accepts the outcome. Reason is the reason that the rule
	// states.
	Accepted bool
	Reason   string
	// Known reports whether the link is in the baseline.
	Known  bool
	isFile bool // whether URL names a file
	// Err means that a document or a part of a document can't be read. If Err is not nil, the
	// Result does not describe a link.
	Err error
}

// Link returns the link as one line of text without a password. The text is the URL. For a
// malformed link or a link to a file, it is the text in the document.
func (r *Result) Link() string {
	if r.isLocal() {
		return locus.Mask(r.Written)
	}
	return withoutPassword(r.URL)
}

// withoutPassword returns the text of the URL u without a password. The result is usually a
// working URL. The exceptions are a password in a part where the grammar does not allow one, and a
// URL in which some programs find another host.
func withoutPassword(u locus.URL) string {
	if _, disputed := octet.HostEnd(u.String()); disputed {
		return u.Shown()
	}
	return u.WithoutPassword().Shown()
}

func (r *Result) isLocal() bool {
	return r.Written != "" && (r.URL.IsZero() || r.isFile)
}

// Key returns a text that identifies the link in a [Baseline]. For a link to a file and for a
// malformed link, the key consists of the document's name and the text of the link. Such a key
// does not depend on the directory of the documents. For other links, the key is the URL.
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
	Binary    int // binary files, which contain no links
	Links     int // links in the documents
	Found     int // distinct URLs to verify
	Done      int // verified URLs
	Dead      int // verified URLs that are bad
	Waiting   int // URLs in the queue
	Requests  int // attempts until now
}

// HostTime contains the response times of one host.
type HostTime struct {
	Host     string
	Requests int
	Mean     time.Duration
	Slowest  time.Duration
}

// New returns a Verifier that opens URLs through the client c. The options o may be nil.
func New(c *access.Client, o *Options) *Verifier {
	checker := NewChecker(c, o, nil)
	e := &Verifier{
		checker: checker, o: &checker.o, queue: crawl.New[*target](),
		targets: map[locus.URL]*target{}, includes: map[locus.URL][]locus.URL{}, interned: map[Outcome]*Outcome{},
	}
	e.changed.L = &e.mu
	return e
}

// Run verifies the links in the sources and yields their results. The results are in the order of
// the sources. Within a site, the results are in the order in which Run finds the pages. Within a
// document or page, the results are in the order of the links. If ctx is cancelled, Run yields the
// known results for the documents that were read, and [Unknown] for the other links in these
// documents.
//
// Run reads all documents before it verifies their links, so that it requests each URL only once,
// even if the links contain different fragments. Local files and the pages of a site are an
// exception: Run verifies them while it reads documents. If another document then contains a link
// with a new fragment, Run opens the file or page again.
//
// A Verifier runs only once. A second run yields one Result with Err set to [ErrUsed]. So does a
// second loop over the results of the first run.
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

// ErrUsed means that a [Verifier] was run a second time.
var ErrUsed = errors.New("verify: a Verifier runs once; create another with New")

// Progress returns the progress of the run. Progress may be called at any time.
func (e *Verifier) Progress() Progress {
	waiting, requests, _ := e.queue.Stats()
	e.mu.Lock()
	defer e.mu.Unlock()
	p := e.progress
	p.Waiting, p.Requests = waiting, requests
	return p
}

// Slowest returns the n hosts with the longest mean response times, slowest first. Slowest returns
// fewer hosts if the run contacted fewer than n.
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

package verify

import (
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"net"
	"slices"
	"sync/atomic"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/document"
)

// Source is a document whose links are verified.
type Source struct {
	// Name is what people call it.
	Name string
	// URL is what its partial forms are relative to. The zero URL: it has no place,
	// and they lead nowhere.
	URL locus.URL
	// Type is its media type, if that is known.
	Type string
	// Open opens it. nil: URL is dereferenced, by itself a link that was typed, and so
	// are the documents that it leads to, as long as they are below it: a site.
	Open func(context.Context) (io.ReadCloser, error)
}

// Options say how links are verified. The zero Options, and nil, are sensible.
type Options struct {
	Parallel int // dereferenced at once, and at most [MaxParallel]; 0: 32
	PerHost  int // of them, from one host; 0: 2
	// Interval is the least time from one request to a host to the next; 0: 100 ms;
	// less: none.
	Interval time.Duration
	// Retry is how often more something is asked for after a failure that may pass; 0:
	// 2; less: never.
	Retry int
	// Wait is the pause before the first of those, and doubled for each after it, more
	// or less; 0: 1 s.
	Wait time.Duration
	// MaxWait is the longest that a server may ask us to wait. One that asks for more is
	// asked nothing else in this run; 0: 1 min.
	MaxWait time.Duration
	// Timeout is the most time for one try, from the name look-up to the last octet of
	// a page; 0: 90 s.
	Timeout time.Duration
	// MaxPage is the most octets that are read of a page to find its fragments and its
	// links; 0: 16 MiB.
	MaxPage int64

	// Depth is how many links a page of a site may be away from its first one; 0: any
	// number; less: the first page alone.
	Depth int
	// MaxPages is the most pages of one site; 0: 10,000.
	MaxPages int
	// NoRobots goes also where a site's robots.txt says that programs should not.
	NoRobots bool

	// Document is how documents are read. Its Type is that of the [Source].
	Document document.Options
	// Root is the folder that "/" at the beginning of a partial form in a file means, as
	// a URL that ends in "/". The zero URL: that of the file system.
	Root locus.URL
	// NoFragments leaves fragments alone.
	NoFragments bool

	Rules    *Rules    // nil: none
	Baseline *Baseline // nil: none

	// Store has what was found out before. nil: nothing was.
	Store *Store
	// MaxAge is how long what is in Store is good, and MaxAgeBad how long, if it is
	// bad; 0: a day, and an hour; less: it is not, and is only written.
	MaxAge, MaxAgeBad time.Duration

	// Mail looks up domains. nil: [net.DefaultResolver].
	Mail Mail
	// Archive returns where an archive would have what is dead, or the zero URL. It is
	// asked whether it has. nil: no archive is asked.
	Archive func(locus.URL) locus.URL
}

// MaxParallel is the most URLs that are dereferenced at once: each has a goroutine,
// and when its turn comes a connection.
const MaxParallel = 4096

func (o *Options) orDefault() Options {
	var r Options
	if o != nil {
		r = *o
	}
	r.Parallel = min(cmp.Or(max(r.Parallel, 0), 32), MaxParallel)
	r.PerHost = cmp.Or(max(r.PerHost, 0), 2)
	r.Interval = orNone(r.Interval, 100*time.Millisecond)
	r.Retry = max(cmp.Or(r.Retry, 2), 0)
	r.Wait = cmp.Or(max(r.Wait, 0), time.Second)
	r.MaxWait = cmp.Or(max(r.MaxWait, 0), time.Minute)
	r.Timeout = cmp.Or(max(r.Timeout, 0), 90*time.Second)
	r.MaxPage = cmp.Or(max(r.MaxPage, 0), 16<<20)
	r.MaxPages = cmp.Or(max(r.MaxPages, 0), 10_000)
	r.MaxAge = orNone(r.MaxAge, 24*time.Hour)
	r.MaxAgeBad = orNone(r.MaxAgeBad, time.Hour)
	if r.Mail == nil {
		r.Mail = net.DefaultResolver
	}
	return r
}

// orNone is d, or what stands for it: 0 for the usual, less for none.
func orNone(d, usual time.Duration) time.Duration { return max(cmp.Or(d, usual), 0) }

// Result is what became of one link, where it stands.
type Result struct {
	// Document is the name of what it stands in; empty: it was typed.
	Document string
	// Member is the part of a container that it stands in, as in [document.Link].
	Member string
	// Line and Column are where; 0 in a typed one. In a menu, the line is the number of
	// the item.
	Line, Column int64
	// Context is the line, if [document.Options] asks for it, or the title of the item.
	Context string
	// Written is the partial form that stands there, or what is no URL; empty: URL does.
	Written string
	// URL is where it leads, fragment included. Zero: it is no URL.
	URL locus.URL
	Outcome
	// Accepted: a rule takes the outcome as good, for Reason.
	Accepted bool
	Reason   string
	// Known: the baseline has it.
	Known bool
	isFile bool // URL is that of a file
	// Err is set if the document, or a part of it, can't be read. Then there is no link.
	Err error
}

// Link is the link in a line, without a password: the URL, or what is written if that
// is none, or leads to another file.
func (r *Result) Link() string {
	if r.isNear() {
		return locus.Mask(r.Written)
	}
	return shown(r.URL)
}

// shown is u without a password: it can still be used, unless the password is where
// the grammar knows of none.
func shown(u locus.URL) string { return u.WithoutPassword().Redacted() }

func (r *Result) isNear() bool {
	return r.Written != "" && (r.URL.IsZero() || r.isFile)
}

// Key is what a [Baseline] knows the link by: the URL, or the document and what is
// written there, which is the same wherever the documents are.
func (r *Result) Key() string {
	if r.isNear() {
		return r.Document + ": " + r.Link()
	}
	return r.Link()
}

// IsBad reports whether the link leads nowhere, and that is news.
func (r *Result) IsBad() bool {
	return r.Err == nil && r.Verdict.IsBad() && !r.Accepted && !r.Known
}

// Progress is how far a run is.
type Progress struct {
	Documents int // that were read
	Links     int // in them
	Found     int // different URLs, of those that can be asked for
	Done      int // of them
	Dead      int // of those
	Waiting   int // for their turn
	Requests  int // tries so far
}

// HostTime is how a host answered.
type HostTime struct {
	Host     string
	Requests int
	Mean     time.Duration
	Slowest  time.Duration
}

// Verifier verifies the links of documents, in one run.
type Verifier struct {
	e    *engine
	used atomic.Bool
}

// New returns a Verifier that dereferences through c. o may be nil.
func New(c *access.Client, o *Options) *Verifier {
	return &Verifier{e: newEngine(c, o.orDefault())}
}

// Run verifies the links of sources, and yields what became of each, in the order
// of the sources, of the pages of a site as they come up, and of the links in them.
// A document's links come when the last one before it is known. When ctx ends, what
// is known by then is yielded for all documents that were read, with [Unknown] for
// the rest.
//
// Documents are read first and their links dereferenced then, so that each URL is
// asked for once whatever fragments of it are wanted. A site is asked while its
// pages come in: a page elsewhere is asked for once more if a fragment of it turns
// up late.
//
// A Verifier runs once. A second run, and a second loop over the results of the
// first, yield one Result whose Err is [ErrUsed], and verify nothing.
func (v *Verifier) Run(ctx context.Context, sources iter.Seq[Source]) iter.Seq[Result] {
	return func(yield func(Result) bool) {
		if v.used.Swap(true) {
			yield(Result{Err: ErrUsed})
			return
		}
		v.e.run(ctx, sources, yield)
	}
}

// ErrUsed is the error of a [Verifier] that is run a second time.
var ErrUsed = errors.New("verify: a Verifier runs once; make another one with New")

// Progress tells how far the run is. It may be called at any time.
func (v *Verifier) Progress() Progress {
	e := v.e
	waiting, requests, _ := e.queue.Stats()
	e.mu.Lock()
	defer e.mu.Unlock()
	p := e.progress
	p.Waiting, p.Requests = waiting, requests
	return p
}

// Slowest returns the hosts that took longest to answer, in the mean, and at most n
// of them.
func (v *Verifier) Slowest(n int) []HostTime {
	_, _, hosts := v.e.queue.Stats()
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

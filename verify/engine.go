package verify

import (
	"context"
	"errors"
	"iter"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/crawl"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// target is a URL to open in a run. The Verifier's mutex guards all fields that change after the
// target is created.
type target struct {
	checkedURL
	host      *crawl.Host[*target] // host of the next request; nil if the target is not in the queue
	firstHost *crawl.Host[*target] // host of the original URL
	due       *Request             // request to send after a redirect; nil for the first request

	wants     []string // fragments to look for
	fragments          // results of the search for fragments
	anchors   *anchors // all fragments, if the target is a page of a site
	page      *doc     // not nil if the target is a page of a site
	next      *target  // target with the same URL and another origin, which waits for this target
	archive   *target  // target for the archived copy of the URL
	archived  *target  // original target, if this target is its archived copy
	tries     int
	state     state
	public    bool // the outcome applies to every origin of the URL
	unstored  bool // the outcome must not be stored, because it depends on more than the URL
	outcome   *Outcome
}

type state uint8

const (
	waiting state = iota // waits until all documents are read or another target is done
	queued
	held // waits until any host name is found or no other targets are left
	done
)

// doc is a document in a run, or a page of a site.
type doc struct {
	sitePage          // outside a site, only the field name is set
	ready    bool     // the field contents is set
	contents          // valid until its links are added to the run
	refs     []ref    // the links, after they are added to the run
	origins  *origins // origins for the links
	typed    bool     // the doc represents a typed URL
}

// contents holds the links in a document.
type contents struct {
	links    []link
	failures []error     // errors of unreadable parts
	includes []locus.URL // URLs of the documents that this document includes
	binary   bool        // the document is a binary file, which has no links
}

// ref is a link in a document. It contains a target, or the outcome of a link that needs no
// request.
type ref struct {
	target       *target
	fixed        *Outcome
	written      string
	fragment     string // fragment in the link; empty if there is none or if extra.url is set
	line, column int64
	extra        *linkExtra
}

// linkExtra holds fields that few links need, to save memory.
type linkExtra struct {
	url             locus.URL // URL of the link, if it is not the target's URL with the fragment
	alternative     locus.URL // URL without a hyphen at the end of a line
	member, context string
	note, doubt     string // as in the type link
	cause           Cause  // explains note
	antora          *antoraPlace
}

// extraFields returns the extra fields of the link, or zero values if there are none.
func (r *ref) extraFields() linkExtra {
	if r.extra == nil {
		return linkExtra{}
	}
	return *r.extra
}

// Verifier verifies the links of documents in one run. [New] creates a Verifier, and
// [Verifier.Run] runs it. A Verifier reads documents and sends requests through a [Checker]. The
// queue of a Verifier applies the per-host limits.
type Verifier struct {
	checker *Checker
	o       *Options // the Checker's options
	queue   *crawl.Queue[*target]
	used    atomic.Bool

	mu       sync.Mutex
	changed  sync.Cond
	docs     []*doc
	pages    []*doc                    // pages to append to docs after all sources are read
	added    int                       // number of elements at the start of docs whose links are in the run
	allRead  bool                      // all sources are read
	targets  map[locus.URL]*target     // the first target for each URL
	includes map[locus.URL][]locus.URL // the documents that include a document
	antora   map[locus.URL]*antoraTree // keys are repository roots
	waiting  []*target                 // targets that wait until all documents are read
	interned map[Outcome]*Outcome      // outcomes that targets share
	lookups  lookups
	progress Progress
}

// readAll reads the sources concurrently, and then starts the waiting targets.
func (e *Verifier) readAll(ctx context.Context, sources iter.Seq[Source]) {
	var readers sync.WaitGroup
	room := make(chan struct{}, runtime.GOMAXPROCS(0))
	for s := range sources {
		if ctx.Err() != nil {
			break
		}
		d := &doc{sitePage: sitePage{name: s.Name}}
		e.mu.Lock()
		e.docs = append(e.docs, d)
		e.mu.Unlock()
		if s.Open == nil {
			d.name, d.typed = "", true
			e.deliver(d, contents{links: []link{{url: s.URL}}})
			continue
		}
		room <- struct{}{}
		readers.Go(func() {
			defer func() { <-room }()
			e.readSource(ctx, d, s)
		})
	}
	readers.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.allRead = true
	e.docs = append(e.docs, e.pages...)
	e.pages = nil
	for _, t := range e.waiting {
		e.enqueue(t)
	}
	e.waiting = nil
	e.settle()
	e.changed.Broadcast()
}

// deliver sets the contents of the document d. It adds the links of all documents in document
// order, so that the choice of a site's first page does not depend on timing.
func (e *Verifier) deliver(d *doc, read contents) {
	e.mu.Lock()
	defer e.mu.Unlock()
	d.contents, d.ready = read, true
	for e.added < len(e.docs) && e.docs[e.added].ready {
		d := e.docs[e.added]
		e.added++
		e.addLinks(d)
	}
	e.settle()
	e.changed.Broadcast()
}

func (e *Verifier) addLinks(d *doc) {
	if !d.typed {
		e.progress.Documents++
	}
	e.progress.Links += len(d.links)
	d.refs = make([]ref, len(d.links))
	for i := range d.links {
		d.refs[i] = e.addLink(d, &d.links[i])
	}
	for _, part := range d.includes {
		e.includes[part] = append(e.includes[part], d.origins.base)
	}
	if d.binary {
		e.progress.Binary++
	}
	d.links, d.includes = nil, nil
}

func (e *Verifier) addLink(d *doc, l *link) (r ref) {
	r = ref{written: l.written, line: l.line, column: l.column}
	extra := linkExtra{alternative: l.alternative, member: l.member, context: l.context, note: l.note, doubt: l.doubt, antora: l.antora}
	if l.note != "" {
		extra.cause = l.cause
	}
	defer func() {
		if extra != (linkExtra{}) {
			r.extra = new(extra)
		}
	}()
	asked, change, fixed := e.checker.urlToCheck(l, d.origins)
	if fixed != nil {
		r.fixed, extra.url = e.intern(*fixed), l.url
		return r
	}
	t := e.findTarget(asked)
	r.target = t
	if t.url != asked.url || change&locus.DotSegments != 0 {
		extra.url = l.url
	}
	fragment, hasFragment := l.url.Fragment()
	if r.fragment = fragmentIn(l.written, fragment); hasFragment && fragment == "" {
		extra.url = l.url
	}
	if e.checker.wantsFragment(l.url, fragment) {
		e.addFragment(t, r.fragment)
	}
	e.followInSite(d, t)
	return r
}

// fragmentIn returns a copy of fragment that does not retain the memory of the whole URL. The copy
// may share memory with the text in written.
func fragmentIn(written, fragment string) string {
	if strings.HasSuffix(written, fragment) {
		return written[len(written)-len(fragment):]
	}
	return strings.Clone(fragment)
}

// findTarget returns the target for the requested URL. If there is none, it creates and starts a
// target. After this call, the caller must hold the mutex to change the target.
func (e *Verifier) findTarget(requested checkedURL) *target {
	var last *target
	for t := e.targets[requested.key.url]; t != nil; t = t.next {
		if t.key.origin == requested.key.origin || t.state == done && t.public {
			return t
		}
		last = t
	}
	t := &target{checkedURL: requested}
	e.progress.Found++
	if last == nil {
		e.targets[requested.key.url] = t
		e.startTarget(t)
		return t
	}
	last.next = t
	if last.state == done || last.state == held {
		e.startTarget(t)
	}
	return t
}

// startTarget queues the target t, either now or after all documents are read. The target need not
// wait if it is a file, because a file can be opened again if another link needs a fragment.
func (e *Verifier) startTarget(t *target) {
	if !e.allRead && !e.checker.isHere(t.key.url) {
		e.waiting = append(e.waiting, t)
		return
	}
	e.enqueue(t)
}

// enqueue queues the target t, unless the store contains a recent outcome.
func (e *Verifier) enqueue(t *target) {
	if e.loadStored(t) {
		e.finish(t)
		return
	}
	t.state = queued
	name, limits := e.checker.hostOf(t.key.url)
	e.queue.Add(t, name, limits)
}

func (e *Verifier) loadStored(t *target) bool {
	if e.o.Store == nil || t.page != nil || !e.checker.isRemembered(t.url) {
		return false
	}
	if _, err := e.checker.client.DialerFor(t.url, t.from); errors.Is(err, policy.ErrDenied) {
		// An earlier run, whose policy allowed the URL, stored the outcome.
		return false
	}
	r, ok := e.o.Store.get(t.key.key())
	if !ok || !r.isFresh(time.Now(), e.o.MaxAge, e.o.MaxAgeBad) {
		return false
	}
	for _, fragment := range t.wants {
		if _, known := r.Fragments[fragment]; !known && isFound(&Outcome{Verdict: r.Verdict}) {
			return false
		}
	}
	t.found, t.outcome = r.Fragments, e.intern(r.outcome())
	return true
}

func (e *Verifier) addFragment(t *target, fragment string) {
	if slices.Contains(t.wants, fragment) || t.state == done && !isFound(t.outcome) {
		return
	}
	if e.lookUp(t, fragment); t.state == done && len(t.wants) > 0 {
		// The Verifier opened the target before it found a link with this fragment.
		e.progress.Done--
		t.tries = 0
		t.state = waiting
		e.startTarget(t)
	}
}

// lookUp looks for a fragment in the known fragments of the target t. If they are not known yet,
// lookUp adds the fragment to t.wants.
func (e *Verifier) lookUp(t *target, fragment string) {
	if _, known := t.found[fragment]; known {
		return
	}
	if t.anchors == nil || wantsText(fragment) {
		t.wants = append(t.wants, fragment)
		return
	}
	if t.found == nil {
		t.found = map[string]bool{}
	}
	found := t.anchors.find(fragment)
	if !found && t.anchors.isBuilt(fragment) {
		found = true
		t.built = addName(t.built, fragment)
	}
	t.found[fragment] = found
}

// addName adds name to names and returns the result. The map may be nil.
func addName(names map[string]bool, name string) map[string]bool {
	if names == nil {
		names = map[string]bool{}
	}
	names[name] = true
	return names
}

func (e *Verifier) work(ctx context.Context) {
	for {
		t, host, ok := e.queue.Take()
		if !ok {
			return
		}
		if t.host = host; t.due == nil {
			t.firstHost = host
		}
		e.try(ctx, t)
	}
}

func (e *Verifier) try(ctx context.Context, t *target) {
	h, due := t.host, t.due
	t.due = nil
	if why := e.queue.IsShut(h); why != "" {
		e.queue.Skip(h)
		out := Outcome{Verdict: Warning, Detail: why, Tries: t.tries}
		if to := due.followedURL(); !to.IsZero() {
			out.To = cloneURL(to.WithoutFragment().WithoutPassword())
		}
		e.handle(t, &attempt{outcome: out})
		return
	}
	if due == nil {
		due = e.firstRequest(t)
	} else if due.redirect == nil {
		due.page, due.fragments = e.wanted(t)
	}
	begin := time.Now()
	a := e.attempt(ctx, t, due)
	took := time.Since(begin)
	if ctx.Err() != nil {
		// The result is invalid, because the context was cancelled.
		e.queue.Done(h, took)
		return
	}
	if a.followUp != nil {
		e.queue.Done(h, took)
		e.enqueueRequest(t, a.followUp)
		return
	}
	t.tries++
	a.outcome.Tries = t.tries
	at, again := e.retryAt(t, a)
	e.queue.Done(h, took)
	if again {
		e.queue.AddAt(t, t.firstHost, at)
		return
	}
	e.handle(t, a)
}

// firstRequest returns the first request of an attempt to open the target t. Over HTTP, only the
// first attempt may begin with HEAD.
func (e *Verifier) firstRequest(t *target) *Request {
	page, fragments := e.wanted(t)
	r := e.checker.begin(&t.checkedURL, page, fragments)
	r.probe = t.tries == 0 || !e.checker.traits(t.url).Has(scheme.Web)
	host := t.host
	r.slow = func(interval time.Duration) { e.queue.Slow(host, interval) }
	return r
}

// wanted returns the page and the fragments to look for in the next request for the target t.
// During a redirect, other documents may add fragments.
func (e *Verifier) wanted(t *target) (page *sitePage, fragments []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if t.page != nil && !t.page.ready {
		page = &t.page.sitePage
	}
	return page, slices.Clone(t.wants)
}

// attempt sends the request r and the requests that follow, up to a redirect. All these requests
// go to the same host, so they are one job in the queue.
func (e *Verifier) attempt(ctx context.Context, t *target, r *Request) *attempt {
	a := e.checker.send(ctx, r)
	for ctx.Err() == nil && r.redirect == nil && a.followUp != nil && a.followUp.redirect == nil {
		r = a.followUp
		r.page, r.fragments = e.wanted(t)
		a = e.checker.send(ctx, r)
	}
	return a
}

// enqueueRequest adds the target t to the queue of the host that the request needs.
func (e *Verifier) enqueueRequest(t *target, request *Request) {
	t.due = request
	at := t.key.url
	if to := request.followedURL(); !to.IsZero() {
		at = to.WithoutFragment()
		if canonical, _, err := e.checker.registry.Canonical(at); err == nil {
			at = canonical
		}
	}
	name, limits := e.checker.hostOf(at)
	e.queue.Add(t, name, limits)
}

// retryAt reports whether to retry the target t after the attempt a, and when. If the server
// requested a pause, retryAt applies it to all URLs of the server.
func (e *Verifier) retryAt(t *target, a *attempt) (at time.Time, again bool) {
	if !a.temporary {
		return at, false
	}
	now := time.Now()
	if a.retryAfter > e.o.MaxWait {
		e.queue.Shut(t.host, "skipped: the server requested a pause of "+a.retryAfter.String())
		return at, false
	}
	pause, again := crawl.Backoff(e.o.Politeness, t.tries, a.retryAfter)
	if a.busy && pause > 0 {
		e.queue.Pause(t.host, now.Add(pause))
	}
	return now.Add(pause), again
}

// handle sets the outcome of the target t from the attempt a.
func (e *Verifier) handle(t *target, a *attempt) {
	e.mu.Lock()
	t.outcome = e.intern(a.outcome)
	t.public, t.unstored, t.scripted = a.public, a.unstored, a.scripted
	for fragment := range a.built {
		t.built = addName(t.built, fragment)
	}
	e.lookups.recordHost(e.checker.hostsOf(t.url), a)
	if a.anchors != nil {
		t.anchors = a.anchors
	}
	if isFound(t.outcome) && len(a.found) > 0 {
		if t.found == nil {
			t.found = map[string]bool{}
		}
		maps.Copy(t.found, a.found)
	}
	wants := t.wants
	t.wants = nil
	if isFound(t.outcome) {
		for _, fragment := range wants {
			e.lookUp(t, fragment)
		}
	}
	page := t.page
	isNew := page != nil && !page.ready
	// The target became a page of a site during the attempt.
	late := isNew && a.page == nil && isFound(t.outcome)
	isNew = isNew && !late
	var robots *doc
	var sitemaps []link
	if isNew {
		page.origins = a.origins
		if a.listsSitemaps {
			page.sitemap = listsSitemaps
		}
		robots, sitemaps = e.addSitemaps(page, a.origins)
	}
	switch {
	case late || len(t.wants) > 0:
		t.tries = 0
		e.enqueue(t)
	case a.outcome.Cause == NoNames:
		e.holdTarget(t)
	default:
		e.finish(t)
	}
	e.settle()
	e.mu.Unlock()
	if isNew {
		e.deliver(page, a.contents)
	}
	if robots != nil {
		e.deliver(robots, contents{links: sitemaps})
	}
}

const maxInterned = 4096

// intern returns a pointer to an outcome equal to o, which several targets may share.
func (e *Verifier) intern(o Outcome) *Outcome {
	if same := e.interned[o]; same != nil {
		return same
	}
	if len(e.interned) < maxInterned {
		e.interned[o] = &o
	}
	return &o
}

// finish marks the target t as done and wakes the waiting goroutines.
func (e *Verifier) finish(t *target) {
	if asked := t.archived; asked != nil {
		if t.outcome.Verdict == Alive || t.outcome.Verdict == Moved {
			out := *asked.outcome
			out.Archive = t.url.WithoutPassword()
			asked.outcome = &out
		}
		t = asked
	} else if e.askArchive(t) {
		return
	}
	t.state = done
	e.progress.Done++
	if e.checker.isBad(t.outcome) {
		e.progress.Dead++
	}
	e.store(t)
	e.startNext(t)
	e.settle()
	e.changed.Broadcast()
}

// startNext starts the target in t.next, which has the same URL as t. If the outcome of t also
// applies to the next target, startNext finishes that target without a request.
func (e *Verifier) startNext(t *target) {
	next := t.next
	if next == nil || next.state != waiting {
		return
	}
	if t.public && next.page == nil {
		next.outcome, next.fragments, next.anchors, next.public = t.outcome, t.fragments, t.anchors, true
		next.found = maps.Clone(t.found)
		if missing := slices.ContainsFunc(next.wants, func(fragment string) bool { _, known := t.found[fragment]; return !known }); !missing || !isFound(t.outcome) {
			e.finish(next)
			return
		}
	}
	e.startTarget(next)
}

func isFound(o *Outcome) bool { return o.Verdict == Alive || o.Verdict == Moved }

// askArchive requests an archived copy of the target t if t is dead. askArchive requests the copy
// only once.
func (e *Verifier) askArchive(t *target) bool {
	if e.o.Archive == nil || e.o.Offline || t.outcome.Verdict != Dead || e.o.HTTP.accepts(t.outcome.Status) || t.archive != nil || t.archived != nil || t.outcome.Cached && !t.outcome.Archive.IsZero() {
		return false
	}
	dead := t.url.WithoutPassword()
	if hasSecret(dead) {
		return false
	}
	u := e.o.Archive(dead)
	if u.IsZero() {
		return false
	}
	t.archive = &target{checkedURL: checkedURL{url: u, key: targetKey{u, fromTyped}}, archived: t}
	e.enqueue(t.archive)
	return true
}

func (e *Verifier) store(t *target) {
	o := t.outcome
	// The policy and the options may change before the next run, so outcomes that depend on them
	// are not stored.
	fromServer := o.Tries > 0 && slices.Contains([]Verdict{Alive, Moved, Warning, Fragment, Dead, TLS}, o.Verdict)
	if e.o.Store == nil || o.Cached || t.unstored || t.archived != nil || !e.checker.isRemembered(t.url) || !fromServer {
		return
	}
	found := maps.Clone(t.found)
	maps.DeleteFunc(found, func(fragment string, found bool) bool {
		return t.scripted && !found || locus.Mask(fragment) != fragment || locus.MaskText("#"+fragment) != "#"+fragment
	})
	r := newRecord(o, time.Now(), found)
	key := t.key.key()
	if !isFound(o) {
		if last, ok := e.o.Store.get(key); ok && last.lastAlive() > 0 {
			r.Alive = last.lastAlive()
			out := *o
			out.LastAlive = unixTime(r.Alive)
			t.outcome = e.intern(out)
		}
	}
	e.o.Store.put(key, r)
}

func (e *Verifier) yieldAll(ctx context.Context, yield func(Result) bool) {
	for i := 0; ; i++ {
		d := e.awaitDoc(ctx, i)
		if d == nil {
			return
		}
		for _, err := range d.failures {
			if !yield(Result{Document: d.name, Err: err}) {
				return
			}
		}
		for j := range d.refs {
			if !yield(e.awaitResult(ctx, d, &d.refs[j])) {
				return
			}
		}
		d.refs = nil
	}
}

// awaitDoc waits until the links of the document with index i are in the run, and returns the
// document. If there is no such document, it returns nil.
func (e *Verifier) awaitDoc(ctx context.Context, i int) *doc {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i >= e.added {
		if e.allRead && e.added == len(e.docs) || ctx.Err() != nil {
			return nil
		}
		e.changed.Wait()
	}
	return e.docs[i]
}

func (e *Verifier) awaitResult(ctx context.Context, d *doc, r *ref) Result {
	extra := r.extraFields()
	res := Result{
		Document: d.name, Line: r.line, Column: r.column,
		Written: r.written, Member: extra.member, Context: extra.context, URL: extra.url,
	}
	if r.fixed != nil {
		res.Outcome = *r.fixed
	} else {
		e.mu.Lock()
		for r.target.state != done && ctx.Err() == nil {
			e.changed.Wait()
		}
		if r.target.state == done {
			res.Outcome = e.checker.linkOutcome(r.target.url, *r.target.outcome, &r.target.fragments, r.fragment, extra.note, extra.cause)
		}
		e.mu.Unlock()
		if res.URL.IsZero() {
			res.URL = r.target.url
			if r.fragment != "" {
				if u, err := res.URL.WithFragment(r.fragment); err == nil {
					res.URL = u
				}
			}
		}
	}
	res.isFile = e.checker.isFile(res.URL)
	if res.Verdict == Dead && !extra.alternative.IsZero() {
		if other := e.tryAlternative(ctx, d, r, extra.alternative); isFound(&other.Outcome) || res.isFile && other.isDocument() {
			return other
		}
	}
	if res.Verdict == Dead && e.isOfPart(ctx, d, r, res.URL) {
		res.Verdict, res.Cause, res.Detail = Ignored, NeedsBuild, "documents in other directories include this document"
	} else if res.Verdict == Dead && extra.antora != nil {
		res = e.settleAntora(ctx, d, r, res)
	} else if res.Verdict == Dead && extra.doubt != "" {
		res.Verdict, res.Detail = Warning, extra.doubt
		if extra.doubt == rootUnknown {
			res.Verdict, res.Cause = Ignored, AboveRoot
		}
	}
	if res.Verdict == Fragment && extra.doubt == needsBuild {
		res.Verdict, res.Cause, res.Detail = Ignored, NeedsBuild, needsBuild
	}
	e.checker.accept(&res)
	return res
}

const joined = "read without the hyphen at the end of the line"

// isDocument reports whether the outcome means that the document exists, but the fragment is
// missing or unknown.
func (o *Outcome) isDocument() bool {
	return o.Verdict == Fragment || o.Verdict == Ignored && o.Cause == NeedsBuild
}

// tryAlternative verifies the URL u, an alternative for the link r, and waits for its result.
func (e *Verifier) tryAlternative(ctx context.Context, d *doc, r *ref, u locus.URL) Result {
	e.mu.Lock()
	extra := r.extraFields()
	other := e.addLink(d, &link{url: u, written: r.written, member: extra.member, context: extra.context, line: r.line, column: r.column})
	e.mu.Unlock()
	res := e.awaitResult(ctx, d, &other)
	if res.Detail == "" && !e.checker.isFile(res.URL) {
		res.Detail = joined
	}
	return res
}

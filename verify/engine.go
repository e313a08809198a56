package verify

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/queue"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// origin is where a URL was found, as far as that matters for where it may lead.
type origin uint8

const (
	near   origin = iota // it was typed, or so far nothing public was dialled
	far                  // something public led there, or a file, whose text may be anybody's
	inFile               // of a file's URL: it was typed, or in a file
)

// traits returns what the scheme of u is like.
func (e *engine) traits(u locus.URL) scheme.Traits { return e.client.Registry().Scheme(u).Traits }

func (e *engine) isFile(u locus.URL) bool { return e.traits(u).Has(scheme.Files) }

// originOf returns the origin of u, which was found in from. nil: it was typed.
func (e *engine) originOf(u locus.URL, from *access.Result) origin {
	switch {
	case e.isFile(u) && (from == nil || e.isFile(from.URL)):
		return inFile
	case from == nil, from.Zone == policy.Near:
		return near
	}
	return far
}

// targetKey tells targets apart: a URL in canonical form, without its fragment.
type targetKey struct {
	url    locus.URL
	origin origin
}

// target is a URL to be dereferenced. Its fields are the engine's to guard, but for
// those that are set once.
type target struct {
	url  locus.URL // as it was written first, without its fragment
	key  targetKey
	from *access.Result
	host *queue.Host[*target]

	wants   []string        // fragments
	found   map[string]bool // those of them that are known
	anchors *anchors        // all that it has, if it is a page of a site
	page    *doc            // that it is, of a site
	next    *target         // the same URL from another place, which waits for this one
	archive *target         // that asks an archive for it
	of      *target         // what this one asks an archive for
	tries   int
	state   state
	public  bool // what became of it would become of it wherever it was found
	unasked bool // what became of it is that of the robots.txt
	out     *Outcome
}

type state uint8

const (
	held state = iota // until all documents are read, or another has been asked
	queued
	done
)

// doc is a document and its links.
type doc struct {
	name  string
	ready bool     // its links are there
	raw   []link   // as they were read, until they are taken in
	refs  []ref    // then
	err   []error  // what of it can't be read
	site  *site    // that it is a page of
	depth int      // in the site
	at    *pageAt  // of a page: where it was found
	typed *typedAt // it is no document: a URL that was typed
}

// typedAt is a URL that was typed, and is the first page of a site.
type typedAt struct{ url locus.URL }

// pageAt is what links of a document are relative to.
type pageAt struct {
	base locus.URL
	from *access.Result // for files
	away *access.Result // for all else
}

// found says where u was found, as access wants to know it.
func (p *pageAt) found(isFile bool) *access.Result {
	switch {
	case p == nil:
		return nil
	case isFile:
		return p.from
	}
	return p.away
}

// ref is a link of a document: a target, or an outcome that nobody was asked for.
type ref struct {
	target       *target
	fixed        *Outcome
	fragment     string
	hasFragment  bool
	line, column int64
	more         *more
}

// more is what few links have, or nobody else has.
type more struct {
	url                      locus.URL // if there is no target, or it is spelt otherwise there
	alternative              locus.URL // the other reading of it
	written, member, context string
}

// engine is a run.
type engine struct {
	client *access.Client
	o      Options
	queue  *queue.Queue[*target]
	mail   mailer

	mu       sync.Mutex
	changed  sync.Cond
	docs     []*doc
	pages    []*doc                // that come behind those of the sources
	taken    int                   // how many of docs have been taken in
	read     bool                  // no documents come from the sources any more
	started  bool                  // targets go to the queue at once
	targets  map[locus.URL]*target // the first of each URL
	waiting  []*target             // until all documents are read
	same     map[Outcome]*Outcome  // of many targets
	progress Progress
}

func newEngine(c *access.Client, o Options) *engine {
	e := &engine{
		client:  c,
		o:       o,
		queue:   queue.New[*target](),
		mail:    mailer{lookup: o.Mail, check: c.CheckName, known: map[string]Outcome{}},
		targets: map[locus.URL]*target{},
		same:    map[Outcome]*Outcome{},
	}
	e.changed.L = &e.mu
	return e
}

func (e *engine) run(ctx context.Context, sources iter.Seq[Source], yield func(Result) bool) {
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

// readAll reads the sources, several at once, and then lets the targets go.
func (e *engine) readAll(ctx context.Context, sources iter.Seq[Source]) {
	var readers sync.WaitGroup
	room := make(chan struct{}, runtime.GOMAXPROCS(0))
	for s := range sources {
		if ctx.Err() != nil {
			break
		}
		d := &doc{name: s.Name}
		e.mu.Lock()
		e.docs = append(e.docs, d)
		e.mu.Unlock()
		if s.Open == nil {
			d.name = ""
			d.typed = &typedAt{s.URL}
			e.hand(d, []link{{url: s.URL}}, nil)
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
	e.read, e.started = true, true
	e.docs = append(e.docs, e.pages...)
	e.pages = nil
	for _, t := range e.waiting {
		e.enqueue(t)
	}
	e.waiting = nil
	e.changed.Broadcast()
}

// hand gives a document its links. Documents are taken in in their order, so that
// which page of a site comes first does not depend on which came in first.
func (e *engine) hand(d *doc, links []link, troubles []error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	d.raw, d.err, d.ready = links, troubles, true
	for e.taken < len(e.docs) && e.docs[e.taken].ready {
		d := e.docs[e.taken]
		e.taken++
		e.take(d)
	}
	e.changed.Broadcast()
}

// take takes in the links of a document.
func (e *engine) take(d *doc) {
	if d.typed == nil {
		e.progress.Documents++
	}
	e.progress.Links += len(d.raw)
	d.refs = make([]ref, 0, len(d.raw))
	for i := range d.raw {
		d.refs = append(d.refs, e.ref(d, &d.raw[i]))
	}
	d.raw = nil
}

// ref makes a ref of a link.
func (e *engine) ref(d *doc, l *link) ref {
	r := ref{line: l.line, column: l.column}
	if l.written != "" || l.member != "" || l.context != "" || !l.alternative.IsZero() {
		r.more = &more{alternative: l.alternative, written: l.written, member: l.member, context: l.context}
	}
	fix := func(v Verdict, detail string) ref {
		r.fixed = e.fix(v, detail)
		if r.more == nil {
			r.more = new(more)
		}
		r.more.url = l.url
		return r
	}
	if l.url.IsZero() || l.detail != "" {
		return fix(l.verdict, l.detail)
	}
	if pattern, ok := e.o.Rules.ignores(l.url); ok {
		return fix(Ignored, "by the rule "+locus.Quote(pattern))
	}
	if v, why := e.unsupported(l.url); why != "" {
		return fix(v, why)
	}
	asked := l.url.WithoutFragment()
	canonical, _, err := e.client.Registry().Canonical(asked)
	if err != nil {
		return fix(Malformed, plainError(err))
	}
	if canonical == asked {
		canonical = asked // the same text, kept once
	}
	from := d.at.found(e.isFile(asked))
	t := e.target(targetKey{canonical, e.originOf(asked, from)}, asked, from)
	r.target = t
	if t.url != asked {
		if r.more == nil {
			r.more = new(more)
		}
		r.more.url = l.url
	}
	if r.fragment, r.hasFragment = l.url.Fragment(); r.hasFragment && e.wantsFragment(l.url, r.fragment) {
		e.want(t, r.fragment)
	}
	e.follow(d, t)
	return r
}

// fix returns an outcome that nobody is asked for.
func (e *engine) fix(v Verdict, detail string) *Outcome {
	return e.shared(Outcome{Verdict: v, Detail: detail})
}

// maxSame is how many outcomes are kept once for all who have them.
const maxSame = 4096

// unsupported says why nothing here can verify u, if that is so before its form
// matters, and what the verdict is.
func (e *engine) unsupported(u locus.URL) (Verdict, string) {
	s, ok := e.client.Registry().Lookup(u.Scheme())
	switch {
	case !ok:
		verdict, why := unknownScheme(u.Scheme())
		if _, suggestion := e.client.Registry().Suggest(u); suggestion != "" {
			why += " (" + suggestion + ")"
		}
		return verdict, why
	case s.Traits.Has(scheme.Composes):
	case s.Traits.Has(scheme.Contained):
		return Unsupported, "a " + u.Scheme() + " URL has a meaning only within its message"
	case s.Opener == nil:
		return Unsupported, "URLs of " + u.Scheme() + " are not accessed here"
	}
	return 0, ""
}

// target returns the target of a key, which is made if there is none.
func (e *engine) target(key targetKey, asked locus.URL, from *access.Result) *target {
	var last *target
	for t := e.targets[key.url]; t != nil; t = t.next {
		if t.key.origin == key.origin || t.state == done && t.public {
			return t
		}
		last = t
	}
	t := &target{url: asked, key: key, from: from}
	e.progress.Found++
	if last == nil {
		e.targets[key.url] = t
		e.start(t)
		return t
	}
	last.next = t
	if last.state == done {
		e.start(t)
	}
	return t
}

// start has t asked for, now or when all documents are read.
func (e *engine) start(t *target) {
	if !e.started {
		e.waiting = append(e.waiting, t)
		return
	}
	e.enqueue(t)
}

// enqueue has t asked for, unless what is known of it is enough.
func (e *engine) enqueue(t *target) {
	if e.remembered(t) {
		e.finish(t)
		return
	}
	t.state = queued
	name, limits := e.hostOf(t.key.url)
	e.queue.Add(t, name, limits)
}

// remembered looks t up in the store.
func (e *engine) remembered(t *target) bool {
	if e.o.Store == nil || t.page != nil || !e.isRemembered(t.url) {
		return false
	}
	if _, err := e.client.Way(t.url, t.from); errors.Is(err, policy.ErrDenied) {
		// It was allowed to the run that found it out.
		return false
	}
	r, ok := e.o.Store.get(t.key.key())
	if !ok || !r.fresh(time.Now(), e.o.MaxAge, e.o.MaxAgeBad) {
		return false
	}
	for _, fragment := range t.wants {
		if _, known := r.Fragments[fragment]; !known && isThere(&Outcome{Verdict: r.Verdict}) {
			return false
		}
	}
	out := r.outcome()
	t.found = r.Fragments
	t.out = e.shared(out)
	return true
}

// isRemembered reports whether the outcome of u may be in the store: files are cheap
// to open again, and a password must not get there.
func (e *engine) isRemembered(u locus.URL) bool { return !e.isFile(u) && !hasSecret(u) }

// hasSecret reports whether u has a password, perhaps where the grammar knows of none.
func hasSecret(u locus.URL) bool { return u.Redacted() != u.String() }

// hostOf returns the name that a URL in canonical form shares limits by, and these.
func (e *engine) hostOf(u locus.URL) (name string, limits queue.Limits) {
	switch traits := e.traits(u); {
	case traits.Has(scheme.Files):
		return "", queue.Limits{}
	case traits.Has(scheme.Composes):
		// One after the other, so a domain is looked up once.
		text, _, _ := strings.Cut(u.SchemePart(), "?")
		return "mail " + strings.ToLower(text[strings.LastIndexByte(text, '@')+1:]), queue.Limits{AtOnce: 1}
	}
	name = strings.ToLower(u.Host())
	if port, ok := u.PortText(); ok && port != "" {
		name += ":" + port
	}
	return cmp.Or(name, u.Scheme()), queue.Limits{AtOnce: e.o.PerHost, Interval: e.o.Interval}
}

// wantsFragment reports whether a fragment is looked for.
func (e *engine) wantsFragment(u locus.URL, fragment string) bool {
	return !e.o.NoFragments && fragment != "" && !isProgram(u, fragment) && e.traits(u).Has(scheme.Fragments)
}

// want has a fragment of t looked for.
func (e *engine) want(t *target, fragment string) {
	if slices.Contains(t.wants, fragment) || t.state == done && !isThere(t.out) {
		return
	}
	if e.look(t, fragment); t.state == done && len(t.wants) > 0 {
		// It was asked for before anybody wanted this.
		e.progress.Done--
		t.tries = 0
		t.state = held
		e.start(t)
	}
}

// look looks for a fragment among what is known of t, or else has it wanted.
func (e *engine) look(t *target, fragment string) {
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
	t.found[fragment] = t.anchors.find(fragment)
}

// work dereferences targets.
func (e *engine) work(ctx context.Context) {
	for {
		t, host, ok := e.queue.Take()
		if !ok {
			return
		}
		t.host = host
		e.do(ctx, t)
	}
}

// do makes one try at t.
func (e *engine) do(ctx context.Context, t *target) {
	h := t.host
	if why := e.queue.IsShut(h); why != "" {
		e.queue.Skip(h)
		e.end(t, &attempt{out: Outcome{Verdict: Warning, Detail: why, Tries: t.tries}})
		return
	}
	begin := time.Now()
	a := e.attempt(ctx, t)
	took := time.Since(begin)
	if ctx.Err() != nil {
		// What came of it came of that.
		e.queue.Done(h, took)
		return
	}
	t.tries++
	a.out.Tries = t.tries
	at, again := e.again(t, a)
	e.queue.Done(h, took)
	if again {
		e.queue.AddAt(t, h, at)
		return
	}
	e.end(t, a)
}

// again reports whether t is tried again after a, and when. A server that asks for
// time gets it for all that is asked of it.
func (e *engine) again(t *target, a *attempt) (at time.Time, again bool) {
	if !a.passes {
		return at, false
	}
	now := time.Now()
	if a.later > e.o.MaxWait {
		e.queue.Shut(t.host, "not asked any more: the server wanted to be left alone for "+a.later.String())
		return at, false
	}
	if t.tries > e.o.Retry {
		if a.busy && a.later > 0 {
			e.queue.Pause(t.host, now.Add(a.later))
		}
		return at, false
	}
	wait := e.o.Wait << min(t.tries-1, 16)
	wait = min(wait/2+rand.N(wait/2+1), e.o.MaxWait)
	wait = max(wait, a.later)
	if a.busy {
		e.queue.Pause(t.host, now.Add(wait))
	}
	return now.Add(wait), true
}

// end makes a what became of t.
func (e *engine) end(t *target, a *attempt) {
	e.mu.Lock()
	t.out = e.shared(a.out)
	t.public, t.unasked = a.public, a.unasked
	if a.anchors != nil {
		t.anchors = a.anchors
	}
	if len(a.looked) > 0 && t.found == nil {
		t.found = map[string]bool{}
	}
	maps.Copy(t.found, a.looked)
	wants := t.wants
	t.wants = nil
	if isThere(t.out) {
		for _, fragment := range wants {
			e.look(t, fragment)
		}
	}
	page := t.page
	isNew := page != nil && !page.ready
	// It has become a page of a site in the meantime.
	late := isNew && a.page == nil && isThere(t.out)
	isNew = isNew && !late
	if isNew {
		page.at = a.at
	}
	if late || len(t.wants) > 0 {
		t.tries = 0
		e.enqueue(t)
	} else {
		e.finish(t)
	}
	e.mu.Unlock()
	if isNew {
		e.hand(page, a.links, a.troubles)
	}
}

// shared returns an outcome that is kept once for all targets that have it.
func (e *engine) shared(o Outcome) *Outcome {
	if same := e.same[o]; same != nil {
		return same
	}
	if len(e.same) < maxSame {
		e.same[o] = &o
	}
	return &o
}

// finish tells everybody that t is done.
func (e *engine) finish(t *target) {
	if asked := t.of; asked != nil {
		if t.out.Verdict == Alive || t.out.Verdict == Moved {
			out := *asked.out
			out.Archive = t.url
			asked.out = &out
		}
		t = asked
	} else if e.asksArchive(t) {
		return
	}
	t.state = done
	e.progress.Done++
	if t.out.Verdict.IsBad() {
		e.progress.Dead++
	}
	e.remember(t)
	e.goOn(t)
	e.changed.Broadcast()
}

// goOn has the next target asked for that has the URL of t, which is done. If what
// became of t would become of it too, nobody is asked again.
func (e *engine) goOn(t *target) {
	next := t.next
	if next == nil || next.state != held {
		return
	}
	if t.public && next.page == nil {
		next.out, next.found, next.anchors, next.public = t.out, maps.Clone(t.found), t.anchors, true
		if missing := slices.ContainsFunc(next.wants, func(fragment string) bool { _, known := t.found[fragment]; return !known }); !missing || !isThere(t.out) {
			e.finish(next)
			return
		}
	}
	e.start(next)
}

// isThere reports whether something was found.
func isThere(o *Outcome) bool { return o.Verdict == Alive || o.Verdict == Moved }

// asksArchive has an archive asked for t if it is dead, and was not asked.
func (e *engine) asksArchive(t *target) bool {
	if e.o.Archive == nil || t.out.Verdict != Dead || t.archive != nil || t.of != nil || t.out.Cached && !t.out.Archive.IsZero() {
		return false
	}
	asked := t.url.WithoutPassword()
	if hasSecret(asked) {
		return false
	}
	u := e.o.Archive(asked)
	if u.IsZero() {
		return false
	}
	t.archive = &target{url: u, key: targetKey{u, near}, of: t}
	e.enqueue(t.archive)
	return true
}

// remember puts what became of t into the store.
func (e *engine) remember(t *target) {
	if e.o.Store == nil || t.out.Cached || t.unasked || t.of != nil || !e.isRemembered(t.url) || !t.out.isKept() {
		return
	}
	o := t.out
	found := maps.Clone(t.found)
	maps.DeleteFunc(found, func(fragment string, _ bool) bool {
		return locus.Mask(fragment) != fragment || locus.MaskText("#"+fragment) != "#"+fragment
	})
	e.o.Store.put(t.key.key(), record{
		Verdict: o.Verdict, When: time.Now().Unix(), Status: o.Status, Detail: o.Detail,
		To: shown(o.To), Permanent: o.Permanent, Tries: o.Tries, Fragments: found,
	})
}

// yieldAll yields what became of the links, document by document.
func (e *engine) yieldAll(ctx context.Context, yield func(Result) bool) {
	for i := 0; ; i++ {
		d := e.next(ctx, i)
		if d == nil {
			return
		}
		for _, err := range d.err {
			if !yield(Result{Document: d.name, Err: err}) {
				return
			}
		}
		for j := range d.refs {
			if !yield(e.result(ctx, d, &d.refs[j])) {
				return
			}
		}
		d.refs = nil
	}
}

// next waits for the document number i to be taken in. nil: there is none.
func (e *engine) next(ctx context.Context, i int) *doc {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i >= e.taken {
		if e.read && e.taken == len(e.docs) || ctx.Err() != nil {
			return nil
		}
		e.changed.Wait()
	}
	return e.docs[i]
}

// result waits for what becomes of r.
func (e *engine) result(ctx context.Context, d *doc, r *ref) Result {
	res := Result{Document: d.name, Line: r.line, Column: r.column}
	if r.more != nil {
		res.Written, res.Member, res.Context, res.URL = r.more.written, r.more.member, r.more.context, r.more.url
	}
	if r.fixed != nil {
		res.Outcome = *r.fixed
	} else {
		e.mu.Lock()
		for r.target.state != done && ctx.Err() == nil {
			e.changed.Wait()
		}
		if r.target.state == done {
			res.Outcome = *r.target.out
			r.overlay(&res.Outcome)
		}
		e.mu.Unlock()
		if res.URL.IsZero() {
			res.URL = r.target.url
			if r.hasFragment {
				if u, err := res.URL.WithFragment(r.fragment); err == nil {
					res.URL = u
				}
			}
		}
	}
	res.isFile = e.isFile(res.URL)
	if res.Verdict == Dead && r.more != nil && !r.more.alternative.IsZero() {
		if other := e.otherwise(ctx, d, r); isThere(&other.Outcome) {
			return other
		}
	}
	if res.Verdict != Alive {
		res.Reason, res.Accepted = e.o.Rules.accepts(res.URL, &res.Outcome)
		res.Known = res.Verdict.IsBad() && e.o.Baseline.has(res.Key())
	}
	return res
}

// otherwise waits for what becomes of the other reading of r: one that is there is what
// was meant.
func (e *engine) otherwise(ctx context.Context, d *doc, r *ref) Result {
	e.mu.Lock()
	other := e.ref(d, &link{url: r.more.alternative, member: r.more.member, context: r.more.context, line: r.line, column: r.column})
	e.mu.Unlock()
	res := e.result(ctx, d, &other)
	if res.Detail == "" {
		res.Detail = "without the hyphen at the end of the line"
	}
	return res
}

// overlay has the outcome of a target be that of a link with a fragment.
func (r *ref) overlay(o *Outcome) {
	if !r.hasFragment || !isThere(o) {
		return
	}
	if found, known := r.target.found[r.fragment]; known && !found {
		o.Verdict = Fragment
		o.Detail = "the document has no such fragment"
		if wantsText(r.fragment) {
			o.Detail = "the document has no such fragment, or not that text"
		}
	}
}

package mirror

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/crawl"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/relative"
	"github.com/locus-url/locus/scheme"
)

// crawler holds the state of one run.
type crawler struct {
	client   *access.Client
	registry *scheme.Registry
	o        Options
	starts   []locus.URL // starting URLs in canonical form, without passwords
	logins   []locus.URL // starting URLs with passwords
	tree     *tree
	queue    *crawl.Queue[*job]
	robots   *crawl.Robots

	mu     sync.Mutex
	ledger *ledger
	placer *placer
	sum    Summary
	fatal  error // error that ends the run, such as a full disk
	cancel context.CancelFunc
	active int // number of jobs in the queue or in progress
	files  int // number of fetched files
	bytes  int64
	ended  bool // whether all jobs were added

	// Links are added in the order of the jobs, so that file names do not depend on timing.
	ordered int           // number of jobs whose links were added
	held    map[int][]job // links of later jobs, by job number
	heldAll int           // number of links in held
	late    map[int]*job  // later jobs with too many links for the map held
}

const (
	// maxAhead is the maximum number of jobs that may begin before the first unfinished job
	// ends.
	maxAhead = 4096
	// maxHeld is the maximum number of links that wait for the links of an earlier job. If a
	// job's links exceed the limit, the job is repeated later.
	maxHeld = 1 << 17
	// maxHops is the maximum number of consecutive redirects.
	maxHops = 10
)

// begin adds jobs for the starting URLs.
func (c *crawler) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, u := range c.starts {
		c.add(&job{URL: u.String(), Start: u.String()})
	}
	c.feed()
}

// add adds a job, unless a job with the same URL exists. The caller must hold c.mu.
func (c *crawler) add(j *job) {
	if c.ledger.isFound(j.URL) || c.keepListed(j) {
		return
	}
	if j.From != "" && c.ledger.index[keyOf(j.URL)].manifest == 0 {
		if u, err := locus.Parse(j.URL); err == nil && c.o.Layout != LayoutType {
			at := c.placer.place(u, j.Kind == scheme.KindMenu, "")
			j.File, j.Page = at.file, at.page
		}
	}
	c.ledger.add(j)
}

// keepListed keeps the existing file, without a job, if j's menu shows that the file is current.
// Otherwise it returns false. The caller must hold c.mu.
func (c *crawler) keepListed(j *job) bool {
	if j.Listed == nil {
		return false
	}
	p := c.priorOf(c.ledger.records(j.URL))
	if !p.isListed(j) || p.now || p.Document || !p.describes(j) {
		return false
	}
	if u, err := locus.Parse(j.URL); err != nil || c.registry.Scheme(u).Traits.Has(scheme.Web) {
		return false // robots.txt may exclude the object now
	}
	c.ledger.same(j.URL)
	c.count(Same)
	c.report(Event{URL: j.URL, File: p.File, Status: Same, Size: p.Size, Digest: p.Digest})
	return true
}

// feed moves jobs to the queue. The caller must hold c.mu.
func (c *crawler) feed() {
	for c.fatal == nil && c.ledger.seq < c.ordered+maxAhead && c.heldAll < maxHeld {
		j, err := c.ledger.nextJob()
		if err != nil {
			c.stop(err)
			return
		}
		if j == nil {
			if c.active == 0 && !c.ended {
				c.ended = true
				c.queue.End()
			}
			return
		}
		if c.isDone(j) {
			c.order(j.seq, nil)
			continue
		}
		c.active++
		if j.url, err = locus.Parse(j.URL); err == nil {
			j.start, err = locus.Parse(j.Start)
		}
		if err != nil {
			c.stop(fmt.Errorf("%s: %w: %w", journalFile, ErrManifest, err))
			return
		}
		name, limits := c.hostOf(j.url)
		c.queue.Add(j, name, limits)
	}
}

// stop ends the run with err. The caller must hold c.mu.
func (c *crawler) stop(err error) {
	if c.fatal == nil {
		c.fatal = err
		c.cancel()
		c.queue.Close()
	}
}

// isDone reports whether an earlier, interrupted run completed j. The caller must hold c.mu.
func (c *crawler) isDone(j *job) bool {
	if !c.ledger.hasResult(j.URL) {
		return false
	}
	_, now := c.ledger.records(j.URL)
	return now != nil && (j.seq < c.ledger.resumed || !now.Menu && !now.Document)
}

// hostOf returns the name of the host whose limits apply to u, and these limits.
func (c *crawler) hostOf(u locus.URL) (name string, limits crawl.Limits) {
	s := c.registry.Scheme(u)
	if s.Traits&(scheme.Local|scheme.Files) != 0 && u.Host() == "" {
		return "", crawl.Limits{}
	}
	return crawl.HostName(u), crawl.Limits{AtOnce: c.o.PerHost, Interval: c.o.Interval}
}

// order adds the links of job number seq, after the links of all earlier jobs. The caller must
// hold c.mu.
func (c *crawler) order(seq int, links []job) {
	if seq < c.ordered {
		return
	}
	c.held[seq] = links
	c.heldAll += len(links)
	added := false
	for {
		links, ok := c.held[c.ordered]
		if !ok {
			break
		}
		delete(c.held, c.ordered)
		c.heldAll -= len(links)
		c.ordered++
		for i := range links {
			c.add(&links[i])
		}
		added = added || len(links) > 0
	}
	if added {
		c.ledger.append(line{Links: c.ordered})
	}
	if j := c.late[c.ordered]; j != nil {
		delete(c.late, c.ordered)
		c.active++
		name, limits := c.hostOf(j.url)
		c.queue.Add(j, name, limits)
	}
}

// noLinks records that j has no links. noLinks may be called before the resource is completely
// read.
func (c *crawler) noLinks(j *job) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.order(j.seq, nil)
	c.feed()
}

// work handles jobs from the queue until the queue ends.
func (c *crawler) work(ctx context.Context) {
	for {
		j, host, ok := c.queue.Take()
		if !ok {
			return
		}
		c.try(ctx, j, host)
	}
}

func (c *crawler) try(ctx context.Context, j *job, host *crawl.Host[*job]) {
	if why := c.queue.IsShut(host); why != "" {
		c.queue.Skip(host)
		c.finish(j, &outcome{err: errors.New(why)})
		return
	}
	if c.isFull() {
		c.queue.Skip(host)
		c.finish(j, &outcome{cut: true})
		return
	}
	began := time.Now()
	// The next job for the host may begin when the server has sent the whole response.
	o := &outcome{release: sync.OnceFunc(func() { c.queue.Done(host, time.Since(began)) })}
	c.attempt(ctx, j, host, o)
	again := time.Duration(-1)
	if o.err != nil && ctx.Err() == nil {
		again = c.pause(j, host, o.err)
	}
	o.release()
	if again >= 0 {
		c.queue.AddAt(j, host, time.Now().Add(again))
		return
	}
	if ctx.Err() != nil {
		return // the next run repeats the job
	}
	c.finish(j, o)
}

// isFull reports whether the run has reached MaxBytes or MaxFiles.
func (c *crawler) isFull() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.o.MaxFiles > 0 && c.files >= c.o.MaxFiles || c.o.MaxBytes > 0 && c.bytes >= c.o.MaxBytes
}

// pause returns the time to wait before retrying j after the error err. If j must not be
// retried, pause returns a negative time.
func (c *crawler) pause(j *job, host *crawl.Host[*job], err error) time.Duration {
	again, asked := access.Retry(err)
	if !again || errors.As(err, new(*FileError)) {
		return -1
	}
	if asked > c.o.MaxWait {
		c.queue.Shut(host, "the server requested a pause of "+asked.String())
		return -1
	}
	j.tries++
	wait, again := crawl.Backoff(c.o.Politeness, j.tries, asked)
	if asked > 0 {
		c.queue.Pause(host, time.Now().Add(asked))
	}
	if !again {
		return -1
	}
	return wait
}

func (c *crawler) finish(j *job, o *outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.active--
	if isDiskFull(o.err) {
		c.stop(o.err) // Writing any other file would also fail. The next run will retry j.
		return
	}
	switch {
	case j.again: // An earlier attempt already reported everything except the links.
		c.sum.Complete = c.sum.Complete && o.err == nil
		if o.result != nil && o.result.Status != Same {
			c.ledger.done(o.result)
		}
	case o.err != nil:
		c.fail(j, o)
	case o.result != nil:
		if o.unchanged {
			c.ledger.same(j.URL)
		} else {
			c.ledger.done(o.result)
		}
		c.count(o.result.Status)
		c.report(Event{URL: j.URL, File: o.result.File, Status: o.result.Status, Size: o.result.Size, Digest: o.result.Digest})
	}
	if o.robots {
		c.sum.Robots++
	}
	if o.loop {
		c.sum.Loops++
	}
	if o.cut || o.partial {
		c.sum.Complete = false
	}
	if j.seq > c.ordered && c.heldAll+len(o.links) > maxHeld {
		j.again, c.late[j.seq] = true, j
	} else {
		c.order(j.seq, o.links)
	}
	c.feed()
}

// fail records that j failed. The caller must hold c.mu.
func (c *crawler) fail(j *job, o *outcome) {
	// A resource that a menu lists does not count as missing.
	missing := access.KindOf(o.err) == access.NotFound && !j.InMenu && j.From != "" && !o.partial
	before, _ := c.ledger.records(j.URL)
	isFile := before != nil && !before.Menu && !before.Document || j.InMenu && j.Kind == scheme.KindObject
	if !missing && (!isFile || o.partial) {
		c.sum.Complete = false // the links of this resource are unknown
	}
	c.ledger.done(&result{Status: Failed, Record: Record{URL: j.URL}, Missing: missing})
	if missing && before != nil {
		return // At the end of the run, settle reports that the resource is gone.
	}
	c.count(Failed)
	c.report(Event{URL: j.URL, Status: Failed, Err: o.err})
}

func (c *crawler) count(s Status) {
	switch s {
	case Added:
		c.sum.Added++
	case Changed:
		c.sum.Changed++
	case Same:
		c.sum.Same++
	case Gone:
		c.sum.Gone++
	case Failed:
		c.sum.Failed++
	}
}

func (c *crawler) report(e Event) {
	if c.o.Report != nil {
		c.o.Report(e)
	}
}

// withLogin adds a password to u if a starting URL contains a password for the same user and
// server.
func (c *crawler) withLogin(u locus.URL) locus.URL {
	for _, login := range c.logins {
		without := login.WithoutPassword()
		if rest, ok := strings.CutPrefix(u.String(), without.String()[:without.PathOffset()]); ok {
			if with, err := locus.Parse(login.String()[:login.PathOffset()] + rest); err == nil {
				return with
			}
		}
	}
	return u
}

// link returns the job for a link in j's resource. ok is false if Run must not mirror the
// target of the link.
func (c *crawler) link(j *job, u locus.URL, kind scheme.ItemKind, origin policy.Origin, needed bool) (l job, ok bool) {
	u = u.WithoutFragment().WithoutPassword()
	s := c.registry.Scheme(u)
	if s.Access.Opener == nil || s.Traits&(scheme.Interactive|scheme.Composes|scheme.Contained) != 0 || u.Shown() != u.String() {
		return l, false
	}
	if s.Traits.Has(scheme.Local) && s.Traits&scheme.Files == 0 && s.Traits&scheme.Messages == 0 {
		return l, false // no redirect is left to follow
	}
	canonical, _, err := c.registry.Canonical(u)
	if err != nil || !c.isWanted(j, canonical, kind, needed) {
		return l, false
	}
	return job{URL: canonical.String(), From: j.URL, Origin: origin, Start: j.Start, Depth: j.Depth + 1, Kind: kind, Needed: needed}, true
}

// isWanted reports whether the options select u, the target of a link in j. The URL u must be
// in canonical form.
func (c *crawler) isWanted(j *job, u locus.URL, kind scheme.ItemKind, needed bool) bool {
	if c.o.Depth != 0 && j.Depth >= max(c.o.Depth, 0) && !needed {
		return false
	}
	port := c.registry.Port(u)
	if matches(c.o.Exclude, u, port) || isEndless(u) {
		return false
	}
	if !(needed && c.o.PageRequisites) && !c.isBelow(j, u, kind) && !matches(c.o.Hosts, u, port) {
		return false
	}
	return c.o.Include == nil || matches(c.o.Include, u, port) || kind == scheme.KindMenu || mayHaveLinks(u)
}

func matches(list []policy.Pattern, u locus.URL, port uint16) bool {
	return slices.ContainsFunc(list, func(p policy.Pattern) bool { return p.Matches(u, port) })
}

// isBelow reports whether u is below a starting URL. If the scheme has no hierarchical paths,
// isBelow returns true for each menu item on the same server.
func (c *crawler) isBelow(j *job, u locus.URL, kind scheme.ItemKind) bool {
	return c.isBelowStart(j.start, u, kind) || slices.ContainsFunc(c.starts, func(s locus.URL) bool { return c.isBelowStart(s, u, kind) })
}

func (c *crawler) isBelowStart(start, u locus.URL, kind scheme.ItemKind) bool {
	if u == start {
		return true
	}
	if u.Scheme() != start.Scheme() {
		return false
	}
	s := c.registry.Scheme(start)
	switch {
	case s.Crawl.Below != nil && s.Crawl.Below(start, u):
		return true
	case s.Crawl.Below != nil && s.Syntax.Hierarchy == relative.Path:
		return false
	case kind == scheme.KindMenu || c.registry.Hierarchy(start) == relative.Path:
		return scheme.BelowPath(start, u)
	}
	// In this scheme, "/" has no meaning. The menu items on the same server therefore count as
	// below the menu.
	return kind != "" && strings.EqualFold(u.Host(), start.Host()) && c.registry.Port(u) == c.registry.Port(start)
}

const (
	// maxPath is the maximum number of names in a path, and maxRepeats is the maximum number
	// of consecutive equal names. Longer paths and more repetitions indicate a loop of
	// relative links.
	maxPath    = 64
	maxRepeats = 8
)

// isEndless reports whether the path of u seems to come from a loop of relative links.
func isEndless(u locus.URL) bool {
	text, _, _ := strings.Cut(u.SchemePart(), "?")
	if strings.Count(text, "/") > maxPath {
		return true
	}
	last, repeats := "", 0
	for name := range strings.SplitSeq(strings.TrimRight(text, "/"), "/") {
		if name != last || name == "" {
			last, repeats = name, 0
		}
		if repeats++; repeats > maxRepeats {
			return true
		}
	}
	return false
}

// mayHaveLinks reports whether a URL may name a page. mayHaveLinks returns false if the file
// extension belongs to another type.
func mayHaveLinks(u locus.URL) bool {
	text, _, _ := strings.Cut(u.SchemePart(), "?")
	t := typeOf("", path.Base(text))
	return strings.HasSuffix(text, "/") || t == "" || documentType(t) != "" || strings.Contains(t, "httpd") || strings.HasPrefix(t, "text/html")
}

var errHops = fmt.Errorf("%w: more than %d redirects", access.ErrRedirectLoop, maxHops)

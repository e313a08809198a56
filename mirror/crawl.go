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
	starts   []locus.URL // in canonical form, without passwords
	logins   []locus.URL // the given URLs with passwords
	tree     *tree
	queue    *crawl.Queue[*job]
	robots   *crawl.Robots

	mu     sync.Mutex
	ledger *ledger
	placer *placer
	sum    Summary
	fatal  error // error that ends the run: the directory can't be written
	cancel context.CancelFunc
	active int // number of jobs in the queue or in progress
	files  int // number of fetched files
	bytes  int64
	ended  bool // no more jobs will be added

	// Links are added in the order of the jobs, so that names do not depend on timing.
	ordered int           // number of jobs with added links
	held    map[int][]job // links of jobs whose turn has not come, by job number
	heldAll int           // number of links in held
	late    map[int]*job  // jobs with too many links for the map held
}

const (
	// maxAhead limits how far jobs may begin ahead of the first unfinished job.
	maxAhead = 4096
	// maxHeld limits the links that wait for the links of an earlier job. If a job has links beyond
	// the limit, its resource is read again when its turn comes.
	maxHeld = 1 << 17
	// maxHops limits consecutive redirects.
	maxHops = 10
)

// begin adds jobs for the URLs that the caller gave.
func (c *crawler) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, u := range c.starts {
		c.add(&job{URL: u.String(), Start: u.String()})
	}
	c.feed()
}

// add adds a job, unless its URL was found before. The caller must hold c.mu.
func (c *crawler) add(j *job) {
	if c.ledger.isFound(j.URL) {
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

// hostOf returns the host name under which URLs share limits, and the limits.
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

// noLinks records that j has no links. The caller may call it before j is completely read.
func (c *crawler) noLinks(j *job) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.order(j.seq, nil)
	c.feed()
}

// work takes jobs from the queue until there are no more.
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
	// The next job for the host may begin once the server has sent everything.
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

// isFull reports whether the run has reached a limit in the options.
func (c *crawler) isFull() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.o.MaxFiles > 0 && c.files >= c.o.MaxFiles || c.o.MaxBytes > 0 && c.bytes >= c.o.MaxBytes
}

// pause returns the time to wait before a retry of j after the error err. If j must not be retried,
// pause returns a negative time.
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
		c.stop(o.err) // The run can't write any other file either. The next run will retry j.
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
	// The resource does not count as missing if a menu lists it.
	missing := access.KindOf(o.err) == access.NotFound && !j.InMenu && j.From != "" && !o.partial
	before, _ := c.ledger.records(j.URL)
	isFile := before != nil && !before.Menu && !before.Document || j.InMenu && j.Kind == scheme.KindObject
	if !missing && (!isFile || o.partial) {
		c.sum.Complete = false // the links of the resource are unknown
	}
	c.ledger.done(&result{Status: Failed, Record: Record{URL: j.URL}, Missing: missing})
	if missing && before != nil {
		return // The resource is gone. The method settle reports this at the end.
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

// withLogin returns u with a password. The password comes from a URL that the caller gave for the
// same user and server.
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

// link returns the job for a link in j's resource. ok is false if the link's target is not
// mirrored.
func (c *crawler) link(j *job, u locus.URL, kind scheme.ItemKind, origin policy.Origin, needed bool) (l job, ok bool) {
	u = u.WithoutFragment().WithoutPassword()
	s := c.registry.Scheme(u)
	if s.Access.Opener == nil || s.Traits&(scheme.Interactive|scheme.Composes|scheme.Contained) != 0 || u.Shown() != u.String() {
		return l, false
	}
	if s.Traits.Has(scheme.Local) && s.Traits&scheme.Files == 0 && s.Traits&scheme.Messages == 0 {
		return l, false // the target is already the final URL
	}
	canonical, _, err := c.registry.Canonical(u)
	if err != nil || !c.isWanted(j, canonical, kind, needed) {
		return l, false
	}
	return job{URL: canonical.String(), From: j.URL, Origin: origin, Start: j.Start, Depth: j.Depth + 1, Kind: kind, Needed: needed}, true
}

// isWanted reports whether the target of a link in j is mirrored. u must be in canonical form.
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

// isBelow reports whether u is below a URL from the caller. In a scheme without hierarchical paths,
// the menu items on the same server count as below.
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
	// In this scheme "/" has no meaning, so the items of a menu count as below the menu if they are
	// on the same server.
	return kind != "" && strings.EqualFold(u.Host(), start.Host()) && c.registry.Port(u) == c.registry.Port(start)
}

const (
	// maxPath limits the names in a path, and maxRepeats limits how often a name may repeat
	// consecutively. Longer paths and more repetitions indicate a loop of relative links.
	maxPath    = 64
	maxRepeats = 8
)

// isEndless reports whether the path of u looks like a loop.
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

// mayHaveLinks reports whether a URL may name a page. It returns false if the last name has the
// file extension of another type.
func mayHaveLinks(u locus.URL) bool {
	text, _, _ := strings.Cut(u.SchemePart(), "?")
	t := typeOf("", path.Base(text))
	return strings.HasSuffix(text, "/") || t == "" || documentType(t) != "" || strings.Contains(t, "httpd") || strings.HasPrefix(t, "text/html")
}

var errHops = fmt.Errorf("%w: more than %d redirects", access.ErrRedirectLoop, maxHops)

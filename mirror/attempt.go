package mirror

import (
	"context"
	"errors"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/crawl"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// outcome is the outcome of one attempt at a job.
type outcome struct {
	result  *result // nil if the attempt has no result
	links   []job
	err     error
	release func() // allows the next job for the host to begin
	// unchanged means that the manifest's record for the job is still correct.
	unchanged bool
	partial   bool // whether links of the resource may be missing
	cut       bool // whether a limit in the options excluded the resource
	robots    bool // whether robots.txt excludes the resource
	loop      bool // whether the links repeat the links of parent directories
}

// prior is the state of a URL from earlier runs.
type prior struct {
	*Record      // nil if earlier runs did not store the URL
	now     bool // whether this run already stored the resource
	intact  bool // whether the file is unchanged since the mirror wrote it
}

func (c *crawler) attempt(ctx context.Context, j *job, host *crawl.Host[*job], o *outcome) {
	u := c.withLogin(j.url)
	var from *access.Result
	if j.From != "" {
		at, err := locus.Parse(j.From)
		if err != nil {
			o.err = err
			return
		}
		from = &access.Result{URL: c.withLogin(at), LinkOrigin: j.Origin}
	}
	if !c.o.NoRobots && c.registry.Scheme(u).Traits.Has(scheme.Web) {
		rules, _, err := c.robots.Rules(ctx, u, from)
		if err != nil {
			o.err = &robotsError{err}
			return
		}
		c.queue.Slow(host, rules.Delay())
		if o.robots = !rules.Allows(u); o.robots {
			return
		}
	}
	p := c.prior(j)
	req := access.Request{URL: u, From: from, NoFollow: true, Source: true, More: j.InMenu}
	if j.Listed != nil && j.tries == 0 { // The directory listing may be outdated.
		req.Listed = &scheme.Item{URL: j.url, Kind: scheme.KindObject, Size: j.Listed.Size, ModTime: j.Listed.Time}
	}
	if c.isUnchanged(ctx, j, p, req, o) {
		c.keep(j, p, o)
	}
	if o.result == nil && o.err == nil {
		c.fetch(ctx, j, p, req, o)
	}
}

// prior returns the state of j from earlier runs.
func (c *crawler) prior(j *job) prior {
	c.mu.Lock()
	before, now := c.ledger.records(j.URL)
	c.mu.Unlock()
	return c.priorOf(before, now)
}

// priorOf returns the state of the resource with the given records.
func (c *crawler) priorOf(before *Record, now *result) prior {
	p := prior{Record: before}
	if now != nil {
		p.Record, p.now = &now.Record, true
	}
	if p.Record != nil && p.Stored != nil {
		p.intact = p.Stored.equal(c.tree.stamp(p.File))
		if p.Original != "" {
			p.intact = p.intact && c.tree.stamp(p.Original) != nil
		}
	}
	return p
}

// isListed reports whether the file is intact, and whether the entry in the menu for the object of
// j equals the entry of the earlier run.
func (p prior) isListed(j *job) bool {
	return p.Record != nil && p.intact && !p.Menu && !p.Gone && j.Listed != nil && !j.Listed.Time.IsZero() && j.Listed.equal(p.Listed)
}

// describes reports whether the method describe would leave r unchanged for the job j.
func (r *Record) describes(j *job) bool {
	return r.From == j.From && r.Start == j.Start && r.Depth == j.Depth && (r.Listed == j.Listed || r.Listed.equal(j.Listed))
}

// isUnchanged reports whether the file for j is known to be current. isUnchanged compares the
// file with the entry in the parent menu, or with the result of a probe. For a menu,
// isUnchanged returns false, because Run always reads menus.
func (c *crawler) isUnchanged(ctx context.Context, j *job, p prior, req access.Request, o *outcome) bool {
	switch {
	case p.Record == nil || !p.intact || p.Menu || p.Gone:
		return false
	case p.now, p.isListed(j):
		return true
	case p.Tag == "" && p.Modified.IsZero():
		return false
	}
	req.Probe = true
	res, err := c.client.Do(ctx, req)
	if err != nil {
		o.err = err
		return false
	}
	defer res.Close()
	object, ok := res.Resource.(*scheme.Object)
	if ok {
		p.Private = res.LinkOrigin == policy.FromPrivate
	}
	return ok && p.isVersion(object)
}

// isVersion reports whether the record r describes this version of the object o.
func (r *Record) isVersion(o *scheme.Object) bool {
	if o.Size >= 0 && o.Size != r.Size && o.Encoding == "" {
		return false
	}
	if r.Tag != "" && o.Tag != "" {
		return r.Tag == o.Tag
	}
	return !r.Modified.IsZero() && r.Modified.Equal(o.ModTime)
}

// keep makes the existing file the result for j.
func (c *crawler) keep(j *job, p prior, o *outcome) {
	r := *p.Record
	c.describe(&r, j)
	o.result, o.unchanged = &result{Status: Same, Record: r}, !p.now && p.describes(j)
	if !r.Document {
		return
	}
	f, err := c.tree.read(original(&r))
	if err != nil {
		o.result, o.err = nil, err
		return
	}
	defer f.Close()
	text, err := readPage(f, c.o.MaxPage)
	if err != nil {
		o.result, o.err = nil, err
		return
	}
	origin := policy.FromPublic
	if r.Private {
		origin = policy.FromPrivate
	}
	o.links = c.pageLinks(j, text, documentType(typeOf(r.Type, r.File)), j.url, origin)
}

// original returns the name of the file with the original bytes of the resource.
func original(r *Record) string {
	if r.Original != "" {
		return r.Original
	}
	return r.File
}

// describe copies the job's fields to the record r.
func (c *crawler) describe(r *Record, j *job) {
	r.URL, r.From, r.Start, r.Depth, r.Listed, r.Gone = j.URL, j.From, j.Start, j.Depth, j.Listed, false
}

// fetch opens the URL of j and stores the resource.
func (c *crawler) fetch(ctx context.Context, j *job, p prior, req access.Request, o *outcome) {
	part := c.openPart(j)
	defer part.close()
	if offset := part.offset(); offset > 0 {
		req.Offset, req.Tag, req.ModTime = offset, part.Tag, part.ModTime
	}
	res, err := c.client.Do(ctx, req)
	if err != nil {
		if l, ok := c.asFolder(j, err); ok {
			o.links = []job{l}
			return
		}
		o.err = err
		return
	}
	if r, ok := res.Resource.(*scheme.Redirect); ok {
		r.Close()
		if c.addRedirect(j, r, res.LinkOrigin, o) {
			return
		}
		// If the client followed the redirect, other URLs with the same target would become copies,
		// or the object would be stored under another scheme.
		req.NoFollow = false
		if res, err = c.client.Do(ctx, req); err != nil {
			o.err = err
			return
		}
	}
	defer res.Close()
	switch r := res.Resource.(type) {
	case *scheme.Menu:
		c.menu(j, p, res, r, o)
	case *scheme.Object:
		c.object(ctx, j, p, part, res, r, o)
	default:
		o.err = errors.Join(scheme.ErrUnsupported, errors.New("the resource is neither a menu nor an object"))
	}
}

// asFolder returns a job that reads the resource of j as a directory. If the kind of the
// resource is known, or the server sends the resource as a file, ok is false. A resource of
// unknown kind may be a link to a directory.
func (c *crawler) asFolder(j *job, err error) (l job, ok bool) {
	text := j.url.String()
	if j.Kind != scheme.KindUnknown || !j.InMenu || access.KindOf(err) != access.NotFound || strings.HasSuffix(text, "/") ||
		!c.registry.Scheme(j.url).Traits.Has(scheme.Directories) {
		return l, false
	}
	u, err := locus.Parse(text + "/")
	if err != nil {
		return l, false
	}
	from := *j
	from.Depth--
	if l, ok = c.link(&from, u, scheme.KindMenu, j.Origin, false); ok {
		l.From, l.InMenu, l.Above = j.From, true, j.Above
	}
	return l, ok
}

// addRedirect makes the target of a redirect a separate job. If addRedirect returns false, the
// caller must follow the redirect for j.
func (c *crawler) addRedirect(j *job, r *scheme.Redirect, origin policy.Origin, o *outcome) bool {
	isWeb := c.registry.Scheme(j.url).Traits.Has(scheme.Web)
	if len(r.To) != 1 && !isWeb {
		return false
	}
	if j.Hops >= maxHops {
		o.err = errHops
		return true
	}
	for _, to := range r.To {
		// If a starting URL has moved, Run mirrors the resources below the new URL.
		moved := *j
		if j.Depth == 0 {
			if canonical, _, err := c.registry.Canonical(to.WithoutFragment().WithoutPassword()); err == nil {
				moved.Start, moved.start = canonical.String(), canonical
			}
		}
		moved.Depth--
		if l, ok := c.link(&moved, to, j.Kind, origin, j.Needed); ok {
			l.Hops = j.Hops + 1
			o.links = append(o.links, l)
			return true
		}
	}
	return isWeb
}

type robotsError struct{ err error }

func (e *robotsError) Error() string { return "can't read robots.txt: " + e.err.Error() }
func (e *robotsError) Unwrap() error { return e.err }

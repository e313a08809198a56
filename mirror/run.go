package mirror

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/crawl"
	"github.com/locus-url/locus/scheme"
)

// Run mirrors the resources at and below the starting URLs to the directory dir. If the
// directory is missing, Run creates it. The options may be nil. If another run is using the
// directory, Run returns an error that wraps [ErrBusy].
//
// Run returns an error if it can't mirror a starting URL, if it can't write to the directory,
// or if ctx ends. Run reports an error of a single resource in an [Event]. After an error, the
// next run with the same URLs and options continues the run.
func Run(ctx context.Context, client *access.Client, dir string, starts []locus.URL, o *Options) (Summary, error) {
	options, err := o.orDefault()
	if err != nil {
		return Summary{}, err
	}
	c := &crawler{
		client: client, registry: client.Registry(), o: options, queue: crawl.New[*job](), robots: crawl.NewRobots(client.Do, options.Politeness),
		held: map[int][]job{}, late: map[int]*job{},
	}
	c.sum.Complete = true
	if err := c.setStarts(starts); err != nil {
		return Summary{}, err
	}
	if c.tree, err = openTree(dir); err != nil {
		return Summary{}, inFolder(dir, err)
	}
	defer c.tree.close()
	c.placer = newPlacer(c.registry, options.Layout)
	names := make([]string, len(c.starts))
	for i, u := range c.starts {
		names[i] = u.String()
	}
	b := begin{Layout: options.Layout, Options: options.hash(names), Time: time.Now().UTC().Truncate(time.Second)}
	if c.ledger, err = openLedger(c.tree.root, b, c.placer.take); err != nil {
		return Summary{}, inFolder(dir, err)
	}
	defer c.ledger.close()
	sum, err := c.run(ctx)
	return sum, inFolder(dir, err)
}

// setStarts checks and stores the starting URLs.
func (c *crawler) setStarts(starts []locus.URL) error {
	if len(starts) == 0 {
		return errors.New("mirror: no URL")
	}
	for _, u := range starts {
		s, ok := c.registry.Lookup(u.Scheme())
		if !ok || s.Access.Opener == nil || s.Traits&(scheme.Interactive|scheme.Composes|scheme.Contained) != 0 {
			return fmt.Errorf("mirror: %s: %w: its scheme has no menus or pages", locus.Quote(u.Shown()), scheme.ErrUnsupported)
		}
		canonical, _, err := c.registry.Canonical(u.WithoutFragment().WithoutPassword())
		if err != nil {
			return err
		}
		if canonical.Shown() != canonical.String() {
			return fmt.Errorf("mirror: %s: %w: the path contains a password", locus.Quote(u.Shown()), scheme.ErrUnsupported)
		}
		if _, ok := u.Password(); ok {
			c.logins = append(c.logins, u)
		}
		if !slices.Contains(c.starts, canonical) {
			c.starts = append(c.starts, canonical)
		}
	}
	return nil
}

func (c *crawler) run(ctx context.Context) (Summary, error) {
	ctx, c.cancel = context.WithCancel(ctx)
	defer c.cancel()
	for status, n := range c.ledger.counts {
		for range n {
			if status != Failed { // this run retries a failed resource
				c.count(status)
			}
		}
	}
	stop := context.AfterFunc(ctx, c.queue.Close)
	defer stop()
	c.begin()
	var workers sync.WaitGroup
	for range c.o.Parallel {
		workers.Go(func() { c.work(ctx) })
	}
	workers.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sum.Bytes = c.bytes
	err := c.fatal
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = c.pages()
	}
	if err == nil {
		err = c.settle()
	}
	if err != nil {
		c.sum.Complete = false
		if flushed := c.ledger.flush(); flushed != nil && !errors.Is(err, errors.Unwrap(flushed)) {
			err = errors.Join(err, flushed)
		}
		return c.sum, err
	}
	return c.sum, nil
}

// inFolder adds the name of the directory, and advice, to errors about the directory and its
// files.
func inFolder(dir string, err error) error {
	switch {
	case errors.Is(err, ErrManifest):
		return scheme.Hint(fmt.Errorf("mirror: %s: %w", dir, err), "restore the file, or mirror to another directory")
	case errors.As(err, new(*FileError)), errors.Is(err, ErrBusy):
		return fmt.Errorf("mirror: %s: %w", dir, err)
	}
	return err
}

// ManyGoneError means that a run deleted no files, because more resources are gone than
// [Options].MaxDelete allows. Apart from that, the run is complete.
type ManyGoneError struct {
	Gone int
	Max  int // Options.MaxDelete; 0 if all resources below a starting URL are gone
}

func (e *ManyGoneError) Error() string {
	if e.Max > 0 {
		return fmt.Sprintf("mirror: %d resources are gone, more than %d: nothing was deleted", e.Gone, e.Max)
	}
	return fmt.Sprintf("mirror: all %d resources below a URL are gone: nothing was deleted", e.Gone)
}

// mayDelete returns a *ManyGoneError if too many resources are gone, so that Run must not delete
// their files.
func (c *crawler) mayDelete(whole map[string]bool) error {
	all, gone, stays := 0, map[string]int{}, map[string]bool{} // keys are starting URLs
	for url, text := range c.ledger.all() {
		r := decode(text)
		if r == nil || r.From == "" {
			continue
		}
		if e := c.ledger.index[keyOf(url)]; e.found && !e.missing || !c.isGone(r, whole) {
			stays[r.Start] = stays[r.Start] || !r.Menu
			continue
		}
		all++
		gone[r.Start]++
	}
	switch {
	case c.o.MaxDelete > 0 && all > c.o.MaxDelete:
		return &ManyGoneError{all, c.o.MaxDelete}
	case c.o.MaxDelete > 0:
		return nil
	}
	for start, n := range gone {
		if !stays[start] {
			return &ManyGoneError{Gone: n}
		}
	}
	return nil
}

// settle finds the resources that are gone, and ends the run.
func (c *crawler) settle() error {
	var trouble, refused error
	whole := map[string]bool{} // for each directory URL, whether the listing was complete
	if c.o.Delete {
		refused = c.mayDelete(whole)
	}
	err := c.ledger.finish(func(r *Record) (stays bool) {
		if !c.isGone(r, whole) {
			return true
		}
		r.Gone = true
		c.count(Gone)
		c.report(Event{URL: r.URL, File: r.File, Status: Gone, Size: r.Size, Digest: r.Digest})
		if !c.o.Delete || refused != nil || trouble != nil {
			return true
		}
		deleted, err := c.delete(r)
		trouble = err
		return !deleted
	})
	return cmp.Or(err, trouble, refused)
}

// isGone reports whether a resource is gone. The caller must pass only resources that this run
// did not find, or that the server reported as missing. The map whole caches whether a menu
// was read completely.
func (c *crawler) isGone(r *Record, whole map[string]bool) bool {
	u, err := locus.Parse(r.URL)
	if err != nil || !slices.ContainsFunc(c.starts, func(s locus.URL) bool { return s.String() == r.Start }) {
		return false
	}
	if c.ledger.index[keyOf(r.URL)].missing {
		return true
	}
	kind := scheme.ItemKind("")
	if r.From != "" {
		kind = scheme.KindUnknown
	}
	start, _ := locus.Parse(r.Start)
	from := &job{Depth: r.Depth - 1, start: start}
	if !c.isWanted(from, u, kind, false) && !c.o.PageRequisites || !r.Modified.IsZero() && r.Modified.Before(c.o.Newer) {
		return false // this run did not look for the resource
	}
	return c.sum.Complete || c.registry.Scheme(u).Traits.Has(scheme.Directories) && c.isListed(r, whole)
}

// isListed reports whether this run completely read the directory that listed r. If that
// directory is also gone, isListed checks the directory above it.
func (c *crawler) isListed(r *Record, whole map[string]bool) bool {
	const most = 1000
	url := r.From
	for range most {
		if known, ok := whole[url]; ok {
			return known
		}
		before, now := c.ledger.records(url)
		e := c.ledger.index[keyOf(url)]
		switch {
		case now != nil && now.Menu:
			whole[url] = true
			return true
		case before == nil || !before.Menu || e.found || before.From == "":
			whole[url] = false
			return false
		}
		url = before.From // this run did not find the directory, so check its parent
	}
	return false
}

// delete removes the files of r, unless the files were altered.
func (c *crawler) delete(r *Record) (deleted bool, err error) {
	if stamp := c.tree.stamp(r.File); stamp != nil && !r.Stored.equal(stamp) {
		return false, nil
	}
	for _, name := range []string{r.Page, r.Original, r.File} {
		if name == "" {
			continue
		}
		if err := c.tree.remove(name); err != nil {
			return false, err
		}
	}
	c.sum.Deleted++
	return true, nil
}

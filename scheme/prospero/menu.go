package prospero

import (
	"context"
	"errors"
	"fmt"

	"github.com/locus-url/locus/scheme"
)

// maxDepth is how deep the union links of union links are followed.
const maxDepth = 8

// menu is a directory whose links are being given.
type menu struct {
	*job
	visited  map[place]bool  // the directories whose links are in the menu; none has a version
	dead     map[place]error // the servers that were not there
	left     int             // requests yet
	warnings []string
}

// menu gives the links of the directory.
func (j *job) menu(r *Reply) scheme.Resource {
	ctx, cancel := context.WithCancel(j.ctx)
	within := *j
	within.ctx = ctx
	items := func(yield func(scheme.Item, error) bool) {
		m := &menu{job: &within, visited: map[place]bool{j.at.current(): true}, dead: map[place]error{}, left: j.client.o.Referrals}
		m.all(r, yield)
	}
	return &scheme.Menu{URL: j.url.url, Title: j.at.hsoname, Items: items, Closer: closer(cancel)}
}

// closer ends what is still being asked.
type closer context.CancelFunc

func (c closer) Close() error {
	c()
	return nil
}

// all gives everything: the links, and then what the servers had to say besides.
func (m *menu) all(r *Reply, yield func(scheme.Item, error) bool) {
	if !m.links(r, 0, yield) {
		return
	}
	for _, text := range m.warnings {
		if !yield(scheme.Item{Title: text, Kind: scheme.KindInfo, Size: -1}, nil) {
			return
		}
	}
}

// links gives the links of a directory that is so deep in unions. It reports
// whether to go on.
func (m *menu) links(r *Reply, depth int, yield func(scheme.Item, error) bool) bool {
	m.warnings = append(m.warnings, r.Warnings...)
	for i := range r.Links {
		l := &r.Links[i]
		more := true
		switch {
		case m.ctx.Err() != nil:
			yield(scheme.Item{}, m.failed(nil))
			return false
		case l.Kind == KindInvisible:
		case l.isUnion():
			more = m.union(l, depth, yield)
		default:
			more = yield(l.item(), nil)
		}
		if !more {
			return false
		}
	}
	return true
}

// isUnion reports whether the links of another directory belong in the place of l.
// Those that a filter would have to choose are left where they are.
func (l *Link) isUnion() bool {
	return l.Kind == KindUnion && l.Err == nil && l.isObject() && !l.isFiltered()
}

// union gives the links of the directory that a union link leads to, in its place.
// If they can't be had the link itself is there, and says why.
func (m *menu) union(l *Link, depth int, yield func(scheme.Item, error) bool) bool {
	at, err := l.where().place()
	if err == nil && m.visited[at.current()] {
		return true
	}
	var r *Reply
	if err == nil {
		r, err = m.fetch(at, depth)
	}
	switch {
	case m.ctx.Err() != nil:
		yield(scheme.Item{}, m.failed(err))
		return false
	case err != nil:
		item := l.item()
		addNote(&item, "its links belong here, and could not be had: "+err.Error())
		return yield(item, nil)
	}
	return m.links(r, depth+1, yield)
}

var (
	errDepth  = fmt.Errorf("%w: more than %d unions within each other", scheme.ErrTooLarge, maxDepth)
	errCircle = fmt.Errorf("%w: servers forward to each other in a circle", scheme.ErrProtocol)
)

// fetch lists the directory at a place, or where that has moved to.
func (m *menu) fetch(at place, depth int) (*Reply, error) {
	if depth >= maxDepth {
		return nil, errDepth
	}
	for {
		if m.visited[at.current()] {
			return nil, errCircle
		}
		m.visited[at.current()] = true
		r, err := m.listAt(at)
		if err != nil {
			return nil, err
		}
		if r.Forwarded == nil {
			return r, nil
		}
		if at, err = r.Forwarded.place(); err != nil {
			return nil, err
		}
	}
}

// listAt lists the directory at a place that a server has named. One that was not
// there is not waited for again.
func (m *menu) listAt(at place) (*Reply, error) {
	if err := m.dead[at.server()]; err != nil {
		return nil, err
	}
	if m.left == 0 {
		return nil, fmt.Errorf("%w: more than %d requests for one directory", scheme.ErrTooLarge, m.client.o.Referrals)
	}
	m.left--
	u, err := at.locator(nil)
	if err != nil {
		return nil, err
	}
	d, err := m.req.Referred(u)
	if err != nil {
		return nil, err
	}
	r, err := m.list(d, at)
	if errors.Is(err, scheme.ErrUnreachable) {
		m.dead[at.server()] = err
	}
	return r, err
}

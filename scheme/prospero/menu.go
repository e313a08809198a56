package prospero

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/locus-url/locus/scheme"
)

// maxDepth is the maximum depth to which union links may be nested.
const maxDepth = 8

// menu is the state of listing one directory. Each iteration over the items uses a new menu.
type menu struct {
	*fetcher
	visited      map[location]bool // locations, without versions, of the directories already listed
	unreachable  map[string]error  // errors of unreachable servers, by server address
	requestsLeft int               // number of remaining requests
	warnings     []string
}

// maxReferrals is the maximum number of requests for the union links of one directory.
const maxReferrals = 16

func (f *fetcher) menu(r *reply) scheme.Resource {
	inner := *f
	ctx, cancel := context.WithCancelCause(f.ctx)
	inner.ctx = ctx
	items := func(yield func(scheme.Item, error) bool) {
		m := &menu{fetcher: &inner, visited: map[location]bool{f.location.current(): true}, unreachable: map[string]error{}, requestsLeft: maxReferrals}
		if !m.links(r, 0, yield) {
			return
		}
		for _, text := range m.warnings {
			if !yield(scheme.Item{Title: text, Kind: scheme.KindInfo, Size: -1}, nil) {
				return
			}
		}
	}
	listed := &scheme.Menu{URL: f.url.url, Title: f.location.hsoname, Items: items, Closer: canceler(cancel)}
	f.source.Attach(listed, "")
	return listed
}

// canceler cancels the pending requests of a menu.
type canceler context.CancelCauseFunc

func (c canceler) Close() error {
	c(fs.ErrClosed)
	return nil
}

// links yields the items for the links in r, which is the listing of a directory. The argument
// depth is the number of union links that lead to this directory. The result reports whether to
// continue.
func (m *menu) links(r *reply, depth int, yield func(scheme.Item, error) bool) bool {
	m.warnings = append(m.warnings, r.Warnings...)
	for i := range r.Links {
		l := &r.Links[i]
		more := true
		switch {
		case m.ctx.Err() != nil:
			yield(scheme.Item{}, m.wrapError(nil))
			return false
		case l.Kind == kindInvisible:
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

// isUnion reports whether the client must replace the link with the links of its target directory.
// The client does not replace a union link that has a filter, because it does not apply filters.
func (l *link) isUnion() bool {
	return l.Kind == kindUnion && l.Err == nil && l.isObject() && !l.isFiltered()
}

// union yields the links of the directory to which the union link l points. If the client cannot
// list the directory, union yields an item for l itself, with the reason.
func (m *menu) union(l *link, depth int, yield func(scheme.Item, error) bool) bool {
	at, err := l.currentTarget().location()
	if err == nil && m.visited[at.current()] {
		return true
	}
	var r *reply
	if err == nil {
		r, err = m.fetch(at, depth)
	}
	switch {
	case m.ctx.Err() != nil:
		yield(scheme.Item{}, m.wrapError(err))
		return false
	case err != nil:
		item := l.item()
		addNote(&item, "a union whose directory could not be listed: "+err.Error())
		return yield(item, nil)
	}
	return m.links(r, depth+1, yield)
}

var (
	errDepth  = fmt.Errorf("%w: unions nested more than %d deep", scheme.ErrTooLarge, maxDepth)
	errCircle = fmt.Errorf("%w: servers forward to each other in a loop", scheme.ErrProtocol)
)

// fetch lists the directory at the location l. If the directory has moved, fetch lists the
// directory at its new location.
func (m *menu) fetch(l location, depth int) (*reply, error) {
	if depth >= maxDepth {
		return nil, errDepth
	}
	for {
		if m.visited[l.current()] {
			return nil, errCircle
		}
		m.visited[l.current()] = true
		r, err := m.listAt(l)
		if err != nil {
			return nil, err
		}
		if r.Forwarded == nil {
			return r, nil
		}
		if l, err = r.Forwarded.location(); err != nil {
			return nil, err
		}
	}
}

// listAt lists the directory at a location l that a server supplied. It sends no request to a
// server that was already unreachable.
func (m *menu) listAt(l location) (*reply, error) {
	if err := m.unreachable[l.address()]; err != nil {
		return nil, err
	}
	if m.requestsLeft <= 0 {
		return nil, fmt.Errorf("%w: more than %d requests for one directory", scheme.ErrTooLarge, maxReferrals)
	}
	m.requestsLeft--
	d, err := m.dialerFor(l)
	if err != nil {
		m.archiveReply(nil, err)
		return nil, err
	}
	r, err := m.list(d, l)
	if errors.Is(err, scheme.ErrUnreachable) {
		m.unreachable[l.address()] = err
	}
	return r, err
}

package nntp

import "github.com/locus-url/locus/scheme"

// place tells connections apart: what is kept for one of these is no good for
// another.
type place struct {
	dial               scheme.Dialer
	host               string
	port               uint16
	secure             bool // TLS from the first octet on
	user, password     string
	hasUser, hasSecret bool
}

// Key implements [pool.Conn].
func (c *conn) Key() place { return c.place }

// kept returns a kept connection, one that has the newsgroup selected if there is
// one, or nil.
func (c *Client) kept(at place, newsgroup string) *conn {
	kept, ok := c.pool.Take(at, func(c *conn) int {
		if c.group.name == newsgroup {
			return 1
		}
		return 0
	})
	if !ok {
		return nil
	}
	kept.reused, kept.answered = true, false
	return kept
}

// keep keeps a connection for later.
func (c *Client) keep(kept *conn) {
	kept.trace = nil
	c.pool.Put(kept)
}

package ftp

import "github.com/locus-url/locus/scheme"

// login tells control connections apart: what is kept for one of these is no good
// for another.
type login struct {
	dial               scheme.Dialer
	host               string
	port               uint16
	secure             bool
	user, password     string
	hasUser, hasSecret bool
}

// Key implements [pool.Conn].
func (c *control) Key() login { return c.login }

// fits returns how near to cwd the connection is, from which cwd can be reached by
// going on, or -1.
func (c *control) fits(cwd []string) int {
	if !c.extends(cwd) {
		return -1
	}
	return len(c.cwd)
}

// kept returns a kept connection that goes on to cwd, or nil.
func (c *Client) kept(l login, cwd []string) *control {
	ctl, ok := c.pool.Take(l, func(ctl *control) int { return ctl.fits(cwd) })
	if !ok {
		return nil
	}
	ctl.reused, ctl.answered = true, false
	return ctl
}

// keep keeps a connection for later.
func (c *Client) keep(ctl *control) {
	ctl.trace = nil
	c.pool.Put(ctl)
}

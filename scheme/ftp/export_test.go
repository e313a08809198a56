package ftp

import "time"

// KeepIdle makes c keep at most n idle connections for one login on one server, each for that
// time.
func (c *Client) KeepIdle(n int, each time.Duration) { c.pool.PerKey, c.pool.IdleTime = n, each }

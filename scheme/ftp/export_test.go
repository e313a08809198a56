package ftp

import "time"

// KeepIdle makes c store at most n idle connections for one login on one server, each for the
// given time.
func (c *Client) KeepIdle(n int, each time.Duration) { c.pool.PerKey, c.pool.IdleTime = n, each }

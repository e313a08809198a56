package ftp

import "time"

// KeepIdle sets the maximum number of idle connections per login and server to n, and their
// idle timeout to each.
func (c *Client) KeepIdle(n int, each time.Duration) { c.pool.PerKey, c.pool.IdleTime = n, each }

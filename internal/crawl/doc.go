// Package crawl schedules requests to many hosts within per-host limits.
//
// A program sets its limits in an [access.Politeness], and [Settle] adds the defaults. A [Queue]
// delays requests until the per-host limits allow them. [HostName] returns the host name for a
// URL. [Backoff] decides whether to retry after a temporary failure, and [Robots] caches the
// robots.txt of each host.
package crawl

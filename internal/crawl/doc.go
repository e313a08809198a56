// Package crawl schedules requests to many hosts within per-host limits.
//
// A program sets its limits in an [access.Politeness]; [Settle] adds the defaults. A [Queue]
// holds requests until the limits of their hosts allow them. [HostName] returns the name of
// the host for a URL. [Backoff] decides about retries after temporary failures, and [Robots]
// caches the robots.txt of each host.
package crawl

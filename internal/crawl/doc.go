// Package crawl asks many hosts for resources without being a burden to any of them.
//
// The limits of a program are an [access.Politeness], which [Settle] gives its defaults. A
// [Queue] holds the requests until the limits of their hosts, named by [HostName], let them
// begin. [Backoff] decides about another try after a temporary failure, and [Robots]
// remembers what each host's robots.txt allows.
package crawl

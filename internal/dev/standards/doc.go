// Package standards contains only tests. The tests parse the same texts by RFC 1738, RFC 3986 and
// the URL Standard, compare the results, and write the tables in docs/dev/standards.md.
package standards

// Package standards contains only tests. They compare the results of RFC 1738, RFC 3986 and the
// URL Standard for the same texts, and write the tables in docs/dev/standards.md.
package standards

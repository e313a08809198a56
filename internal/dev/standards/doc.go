// Package standards has only tests. They compare what RFC 1738, RFC 3986 and the URL
// Standard make of the same texts, and write the tables of docs/dev/standards.md.
package standards

// Package archive keeps what was opened in web archives, and opens it again from them.
//
// # Reading
//
// A [Store] is a set of WARC and ARC files, of this program or of others, compressed or not.
// It is a [scheme.Opener] for URLs of every scheme, and dials nothing: see
// access.Options.Kept. A URL may have been kept more than once: each time is a [Memento]
// (RFC 7089).
//
// URLs are compared in the canonical form of their scheme, without password and fragment,
// and http like https, as archives do. A URL that its scheme refuses is compared as it was
// written.
//
// Records of the types response, resource and revisit are read. A revisit is read with the
// record that it refers to, by URL and date or by the digest of the payload. Menus of gopher,
// FTP, news, WAIS and Prospero are read from their octets: see scheme.Scheme.Kept.
//
// The index of a Store is a sorted file, in [Options.Cache] or temporary. It is made from
// CDXJ files that are beside the archives and not older, or else by reading the archives.
// Memory does not grow with the archives.
package archive

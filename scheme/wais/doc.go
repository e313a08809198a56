// Package wais is the wais scheme of RFC 1738 section 3.9: databases of Wide
// Area Information Servers (RFC 1625), searches in them, and their documents.
//
//	wais://<host>:<port>/<database>
//	wais://<host>:<port>/<database>?<search>
//	wais://<host>:<port>/<database>/<wtype>/<wpath>
//
// The port is 210 when left out. wtype is the type that the server gave for the
// document, and wpath its document-id.
//
// # Words
//
// The URI draft writes a blank in a search as "+", and programs do so still:
// [URL.Words] reads it like that, [URL.Search] as it stands.
//
// # Document-ids
//
// RFC 1738 has the document-id "encoded as necessary" and says that only its
// server may decompose it. The URI draft wants "encoded fields of the WAIS
// identifier, in the same order as in the WAIS identifier", each its number, "=",
// its contents, and ";". Programs of the time wrote those, with the document's
// length and "/" before them, which neither text has. The first of these
// readings that fits is taken, and [URL.Form] tells which:
//
//	LengthForm    206/1=host;2=db;3=id;      as programs wrote it
//	FieldsForm    1=host;2=db;3=id;          as the URI draft has it
//	EscapedForm   1%3Dhost%3B2%3Ddb%3B       the same as RFC 1738 must spell it
//	OpaqueForm    %01%04host...              the octets of the document-id
//
// The last ";" may be missing. Contents are decoded once in each form. A digit
// is a digit also when it is escaped. The length is a hint, never to be trusted.
//
// # Where this differs from RFC 1738
//
// In section 5 database, wtype and wpath have no "/", ";" and "=": each of them
// in a wpath is a violation of RFC 1738, and right by the rules of RFC 1630. Such
// URLs are what there is, so they parse, and [Parts] makes them.
//
// # What is refused
//
// A URL without the "/" before the database; a wtype without a wpath; a document
// with a search behind it. In a list of fields that is written as one: a field
// number that is not 1 to 127, more than 16 fields, a length of 63 bits or
// more. User and password are violations, and never sent.
package wais

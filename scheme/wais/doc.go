// Package wais opens wais URLs (RFC 1738 section 3.9): databases of Wide Area
// Information Servers (RFC 1625), searches in them, and their documents.
//
//	wais://<host>:<port>/<database>
//	wais://<host>:<port>/<database>?<search>
//	wais://<host>:<port>/<database>/<wtype>/<wpath>
//
// The default port is 210. wtype is the server's type of the document, and wpath the
// document-id.
//
// # Words
//
// The URI draft writes a space in a search as "+", and programs still do:
// [URL.Words] reads "+" as a space, and [URL.Search] leaves it unchanged.
//
// # Document-ids
//
// In RFC 1738 the document-id is "encoded as necessary", and only its server may
// decompose it. The URI draft requires "encoded fields of the WAIS identifier, in the
// same order as in the WAIS identifier": for each field its number, "=", its contents,
// and ";". Programs of the time wrote such fields after the document's length and "/",
// but neither text allows this form. Parse selects the first matching form, and
// [URL.Form] returns it:
//
//	LengthForm    206/1=host;2=db;3=id;      as programs wrote it
//	FieldsForm    1=host;2=db;3=id;          by the URI draft
//	EscapedForm   1%3Dhost%3B2%3Ddb%3B       the same, spelled by RFC 1738
//	OpaqueForm    %01%04host...              the octets of the document-id
//
// The last ";" may be missing. Each form decodes contents once. Digits may be
// escaped. The length may be wrong, and clients must not trust it. [Parts] writes
// the third form, or the fourth if a field contains ";".
//
// Some servers and programs escaped a wpath twice. If the server does not know the
// document, the client decodes the wpath once more. If the result is a different list of
// fields, the client requests the document with those fields.
//
// [URL.DocumentID] returns the document-id in the server's form: an element for each
// field in the order of the URL, or the octets of an opaque document-id.
//
// # Protocol
//
// The client implements the "WAIS Interface Protocol Prototype Functional
// Specification", version 1.5 (1990), on which RFC 1625 is based: APDUs of
// Z39.50-1988 with additions, each in a packet, with one request and one response at
// a time. Where servers and the texts differ, the client sends the octets of
// freeWAIS-sf 2.2.10 and the programs of its time. It sends no Init, because servers
// answer without it.
//
// The client ignores unknown parts of a response. It checks lengths before it reads or
// allocates anything. It ignores counts, status and positions, because servers fill
// them in arbitrarily.
//
// # Access
//
// [Client] uses the protocol over TCP. Servers are stateless, so a client can use a
// connection for many URLs, one request at a time.
//
// A search is a menu of documents, with an item for each type of a document. After a hit
// that is a source description, the menu has a link to the database that the description
// names. For these links, the client fetches at most 40 descriptions for each menu. A
// search without hits but with a diagnostic is an error. A database without a search is
// its description, and a form for a search. The client reads a document in ranges of
// octets until the server reports its end, and ignores the length in a URL or a hit. It
// does not change the octets. Relevance feedback finds documents that resemble others:
// see [scheme.Request.Like].
//
// The client connects only to the server of the URL, whatever hosts a document-id, a
// source description or a document of type URL names. It sends no information about the
// user and the program.
//
// # Differences from RFC 1738
//
// By section 5, database, wtype and wpath cannot contain "/", ";" and "=": each of
// them in a wpath is a violation of RFC 1738, but valid in RFC 1630. Most URLs of the
// time contain them, so Parse accepts them. This package escapes them when it writes
// URLs.
//
// # Refused input
//
// [Parse] rejects a URL without the "/" before the database, a wtype without a wpath,
// and a document with a search. In a list of fields it rejects a field number outside
// 1 to 127, more than 16 fields, and a length of 63 bits or more. User and password
// are violations, and never sent.
//
// The client rejects a database whose name contains a separator of names, or "@",
// with which servers forward a search to another host. It rejects a type that is
// empty or contains anything but visible ASCII characters. It rejects the types
// WAIS_NEXT and WAIS_PREV, for which a server returns the document-id of another
// document. It rejects a range that begins before the document or ends before its
// start, which crashes servers.
package wais

// Package wais is the wais scheme of RFC 1738 section 3.9: databases of Wide
// Area Information Servers (RFC 1625), searches in them, and their documents.
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
// The URI draft writes a blank in a search as "+", and programs still do:
// [URL.Words] reads "+" as a blank, [URL.Search] as it is.
//
// # Document-ids
//
// In RFC 1738 the document-id is "encoded as necessary", and only its server may
// decompose it. The URI draft wants "encoded fields of the WAIS identifier, in the
// same order as in the WAIS identifier", each its number, "=", its contents, and ";".
// Programs of the time wrote those, preceded by the document's length and "/", which
// neither text allows. The first matching form counts, and [URL.Form] returns it:
//
//	LengthForm    206/1=host;2=db;3=id;      as programs wrote it
//	FieldsForm    1=host;2=db;3=id;          by the URI draft
//	EscapedForm   1%3Dhost%3B2%3Ddb%3B       the same, spelled by RFC 1738
//	OpaqueForm    %01%04host...              the octets of the document-id
//
// The last ";" may be missing. Contents are decoded once in each form. Digits may be
// escaped. The length may be wrong and is never trusted. [Parts] writes the third
// form, or the fourth if a field contains ";".
//
// Some servers and programs escaped twice. If the server does not know a document, and
// its wpath is another list of fields when decoded once more, the client requests
// that one.
//
// [URL.DocumentID] returns the document-id in the server's form: an element for each
// field in the order of the URL, or the octets of an opaque one.
//
// # Protocol
//
// The protocol is that of the "WAIS Interface Protocol Prototype Functional
// Specification", version 1.5 (1990), on which RFC 1625 rests: APDUs of Z39.50-1988
// with additions, each in a packet, with one request and one answer at a time. Where
// servers and the texts differ, the octets are those of freeWAIS-sf 2.2.10 and the
// programs of its time. The client sends no Init: servers answer without it.
//
// Unknown parts of an answer are ignored. Lengths are checked before anything is read
// or allocated. Counts, status and positions are ignored, because servers fill them in
// arbitrarily.
//
// # Access
//
// [Client] runs the protocol over TCP. Servers keep no state, so a connection serves
// many URLs, one request at a time.
//
// A search is a menu of documents, with an item for each type of a document. The hit
// of a source description is followed by a link to its database; a menu fetches at
// most 40 descriptions for that. A search without hits but with a diagnostic is an
// error. A database without a search is its description, and a form for a search. A
// document is read in ranges of octets until the server reports its end; the length
// in a URL or a hit is ignored. Its octets are not changed. Relevance feedback finds
// documents like others: see [scheme.Request.Like].
//
// The server is that of the URL, whatever hosts a document-id, a source description or
// a document of the type URL name. Nothing about the user and the program is sent.
//
// # Differences from RFC 1738
//
// By section 5 database, wtype and wpath can't contain "/", ";" and "=": each of them
// in a wpath is a violation of RFC 1738, and valid by RFC 1630. Most URLs of the time
// contain them, so they parse. This package escapes them when it writes URLs.
//
// # Refusals
//
// [Parse] refuses a URL without the "/" before the database; a wtype without a wpath;
// a document with a search. In a list of fields it refuses a field number that is not
// 1 to 127, more than 16 fields, and a length of 63 bits or more. User and password
// are violations, and never sent.
//
// Requests refuse a database whose name contains "@", with which servers forward a
// search to another host, or a separator of names; a type that is empty or contains
// anything but visible ASCII characters; WAIS_NEXT and WAIS_PREV as a type, for which
// a server returns the document-id of another document; and a range that begins
// before the document or ends before its start, which crashes servers.
package wais

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
// [Parts] writes the third, or the fourth where a field has ";" in it.
//
// Some servers and programs escaped twice. A document that its server does not know,
// and whose wpath is another list of fields when it is decoded once more, is asked for
// a second time by that.
//
// [URL.DocumentID] gives the document-id as its server has it: each field an
// element, in the order of the URL, or the octets of an opaque one.
//
// # Protocol
//
// It is that of the "WAIS Interface Protocol Prototype Functional Specification",
// version 1.5 (1990), on which RFC 1625 rests: APDUs of Z39.50-1988 with additions,
// each in a packet, a request and its answer in turn. [AppendInit], [AppendSearch]
// and [AppendRetrieval] write requests, and [ReadPacket], [ParseInitReply] and
// [SearchReply.Parse] read answers; none of them has anything to do with
// connections. Where servers and the texts differ, it is done as freeWAIS-sf 2.2.10
// and the programs of its time do it, octet for octet.
//
// What is not known in an answer is passed over. Lengths are held against what is
// there before anything is read or memory taken, and counts, status and positions,
// which servers fill in as they like, are not looked at.
//
// # Access
//
// [Client] does it over TCP. Servers keep no state, so a connection serves for many
// URLs, one request at a time.
//
// A search is a menu of documents, with an item for each type that a document has.
// The hit of a source description is followed by a link to the database that it
// describes; at most 40 descriptions of a menu are fetched for that. A search without
// a hit that has a diagnostic is an error. A database without a search is what it says
// of itself, and a form for a search.
// A document is asked for in ranges of octets as it is read, until the server says
// that there is no more: the length in a URL or in a hit decides nothing. Its octets
// are not changed. Relevance feedback asks for what is like documents
// ([scheme.Request.Like]), or like parts of them ([Client.Search]).
//
// The server is that of the URL, whatever hosts a document-id, a source description
// ([ParseSource]) or a document of the type URL name. Nothing about the user and the
// program is sent.
//
// # Where this differs from RFC 1738
//
// In section 5 database, wtype and wpath have no "/", ";" and "=": each of them
// in a wpath is a violation of RFC 1738, and right by the rules of RFC 1630. Most
// URLs of the time have them, so they parse. What is written here has them escaped.
//
// # What is refused
//
// A URL without the "/" before the database; a wtype without a wpath; a document
// with a search behind it. In a list of fields that is written as one: a field
// number that is not 1 to 127, more than 16 fields, a length of 63 bits or
// more. User and password are violations, and never sent.
//
// In a request: a database whose name has "@", by which servers pass a search on to
// another host, or an octet that separates names; a type that is empty or has
// anything but visible characters of ASCII; WAIS_NEXT and WAIS_PREV for a type, with
// which a server gives the document-id of another document; a range that begins
// before the document or ends before its start, at which servers break down.
package wais

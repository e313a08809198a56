// Package wais opens wais URLs (RFC 1738 section 3.9), which identify databases of Wide Area
// Information Servers (RFC 1625), searches in a database, and documents.
//
//	wais://<host>:<port>/<database>
//	wais://<host>:<port>/<database>?<search>
//	wais://<host>:<port>/<database>/<wtype>/<wpath>
//
// The default port is 210. The wtype is the server's name for the document type, and the wpath
// is the document-id.
//
// # Words
//
// In the URI draft, a "+" in a search represents a space. [URL.Words] decodes "+" as a space,
// and [URL.Search] leaves it unchanged.
//
// # Document-ids
//
// In RFC 1738 the document-id is "encoded as necessary", and only its server may decompose it.
// The URI draft requires "encoded fields of the WAIS identifier, in the same order as in the
// WAIS identifier". Each field consists of a number, "=", contents, and ";". Programs of the
// 1990s wrote the document's length and "/" before the fields, which neither document allows.
// Parse selects the first matching form, and [URL.Form] returns this form:
//
//	LengthForm    206/1=host;2=db;3=id;      as programs wrote it
//	FieldsForm    1=host;2=db;3=id;          by the URI draft
//	EscapedForm   1%3Dhost%3B2%3Ddb%3B       the same, spelled by RFC 1738
//	OpaqueForm    %01%04host...              the octets of the document-id
//
// The last ";" may be missing. Parse decodes the contents once, whatever the form. Digits may
// be escaped. The length may be wrong, so clients must not rely on it. [Parts.URL] writes
// EscapedForm, or OpaqueForm if a field contains ";".
//
// Some servers and programs escaped a wpath twice. If the server reports that the document
// does not exist, the client decodes the wpath a second time. If the result is a different
// list of fields, the client requests the document with the new fields.
//
// [URL.DocumentID] returns the document-id in the format of the protocol, which is either an
// element for each field, in the order of the URL, or the octets of an opaque document-id.
//
// # Protocol
//
// The client implements the "WAIS Interface Protocol Prototype Functional Specification",
// version 1.5 (1990), on which RFC 1625 is based. The protocol exchanges APDUs of Z39.50-1988
// with additions. Each APDU is in a packet of its own, and a client sends a request only after
// the previous response. Where servers deviate from the specification, the client sends the
// same bytes as freeWAIS-sf 2.2.10 and other programs of the 1990s. The client sends no Init,
// because servers do not require it.
//
// The client ignores unknown parts of a response. It checks every length before it reads data
// or allocates memory. It ignores counts, status and positions, because servers set them to
// arbitrary values.
//
// # Access
//
// [Client] uses the protocol over TCP. Servers are stateless, so a client can reuse a
// connection for many URLs, one request at a time.
//
// A search returns a menu of documents, with an item for each type of a document. After a hit
// that is a source description, the menu contains a link to the database that the description
// names. For these links, the client fetches at most 40 descriptions per menu. If a search has
// no hits but a diagnostic, Open returns an error. A URL that names only a database returns
// the database's description and a search form. The client requests a document in byte ranges
// until the server reports the end, and ignores the length in a URL or hit. It returns the
// bytes unchanged. Relevance feedback finds documents that resemble other documents (see
// [scheme.Request.Like]).
//
// The client connects only to the server in the URL, even if a document-id, a source
// description or a document of type URL names another host. It sends no information about the
// user or the program.
//
// # Differences from RFC 1738
//
// By RFC 1738 section 5, a wpath must not contain "/", ";" or "=", but RFC 1630 allows these
// characters. Most URLs of the 1990s contain them, so Parse accepts them. This package escapes
// them when it builds URLs.
//
// # Refused input
//
// [Parse] rejects a URL without the "/" before the database, a wtype without a wpath, and a
// document with a search. In a list of fields, it rejects a field number outside 1 to 127,
// more than 16 fields, and a length of 63 bits or more. A user and password are a violation,
// and the client never sends them.
//
// The client rejects a database name that contains a separator of names, and a name with "@",
// because a server may forward the search to another host. It rejects a type that is empty or
// contains anything but visible ASCII characters. It rejects the types WAIS_NEXT and
// WAIS_PREV, for which a server returns the document-id of another document. It rejects an
// invalid range, because some servers crash on it.
package wais

// Package urn parses urn URLs: names of resources that do not change with their
// location (RFC 8141; "URN" in the URI draft, which reserves the scheme's name).
//
//	namestring    = assigned-name
//	                [ rq-components ]
//	                [ "#" f-component ]
//	assigned-name = "urn" ":" NID ":" NSS
//	NID           = (alphanum) 0*30(ldh) (alphanum)
//	ldh           = alphanum / "-"
//	NSS           = pchar *(pchar / "/")
//	rq-components = [ "?+" r-component ]
//	                [ "?=" q-component ]
//	r-component   = pchar *( pchar / "/" / "?" )
//	q-component   = pchar *( pchar / "/" / "?" )
//	f-component   = fragment
//
// The NID names a namespace, and the NSS is a name in it. The r-component is for the service
// that resolves the URN, and the q-component for the resource. The f-component names a part
// of the resource. A URN names no server, so a client cannot open it.
//
// # RFC 1738
//
// RFC 1738 and the URI draft only reserve the name. By their rules any text is a URN, in the
// form of otherurl (section 5). A text without ":" has no NID. The example of the draft is
// "urn:/iana/dns/ch/cern/cn/techdoc/94/1642-3".
//
// # Equivalence
//
// Two URNs are equivalent if their NIDs are equal, ignoring case, and their NSS are equal
// octet by octet, ignoring the case of the digits of escapes (RFC 8141 section 3.1).
// Comparison ignores the other components, so the normal form omits them.
//
// RFC 3986 section 6.2.2.2 also decodes escapes of unreserved characters. RFC 8141 section
// 3.1 forbids that for comparison, and this package follows it: "urn:example:%61" is not
// "urn:example:a". Equivalent names may then compare as different, which RFC 3986 section
// 6.1 allows, but different names never compare as equal.
package urn

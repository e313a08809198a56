// Package urn is the urn scheme: names of resources that do not change with their place
// (RFC 8141; "URN" in the URI draft, which reserves the scheme's name).
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
// that resolves the URN, the q-component for the resource, and the f-component names a
// place in it. A URN names no server, so it can't be opened.
//
// # RFC 1738
//
// RFC 1738 and the URI draft only reserve the name. By their rules any text is a URN, in the
// form of otherurl (section 5), and one without ":" has no NID. The example of the draft is
// "urn:/iana/dns/ch/cern/cn/techdoc/94/1642-3".
//
// # Equivalence
//
// Two URNs are equivalent if their NIDs are equal in any case, and their NSS octet by octet
// but for the case of the digits of escapes (RFC 8141 section 3.1). Other components count
// as little as a comment: the normal form is without them.
//
// RFC 3986 section 6.2.2.2 also decodes escapes of unreserved characters. RFC 8141 section
// 3.1 forbids that for comparison, and is the rule here: "urn:example:%61" is not
// "urn:example:a". A false difference is allowed (RFC 3986 section 6.1), and no false
// equality can come of it.
package urn

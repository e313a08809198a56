// Package urn parses urn URLs, which are resource names that do not depend on the location of the
// resource (RFC 8141). The section "URN" of the URI draft reserves the scheme name.
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
// The NID identifies a namespace, and the NSS is a name in this namespace. The r-component is a
// parameter for the service that resolves the URN, and the q-component is a parameter for the
// resource. The f-component names a part of the resource. A URN names no server, so a client
// cannot open it.
//
// # RFC 1738
//
// RFC 1738 and the URI draft only reserve the name. By their rules, any text after "urn:" is
// valid, because the syntax is otherurl (section 5). A text without ":" contains no NID. The
// example in the draft is "urn:/iana/dns/ch/cern/cn/techdoc/94/1642-3".
//
// # Equivalence
//
// Two URNs are equivalent if both their NIDs and their NSSs are equal (RFC 8141 section 3.1). The
// comparison ignores the case of the NIDs and of the hexadecimal digits in escapes. It also
// ignores the other components, so the normal form omits them.
//
// RFC 3986 section 6.2.2.2 also decodes escapes of unreserved characters. This package follows RFC
// 8141 section 3.1, which forbids such decoding before a comparison: "urn:example:%61" does not
// equal "urn:example:a". Therefore equivalent names may compare as different, which RFC 3986
// section 6.1 allows, but different names never compare as equal.
package urn

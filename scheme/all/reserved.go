package all

import "github.com/locus-url/locus/scheme"

// reserved returns the names that RFC 1738 and the URI draft reserve. Clients cannot open URLs
// with these names. Their syntax is otherurl (section 5). For each name, Syntax quotes its purpose
// from the document that reserves it, and names the document that later defined its syntax.
//
// The list does not contain names that begin with "x-", which are "reserved for experimental
// purposes" (section 4). A registry treats such names as unknown schemes. The draft also reserves
// the name urn, which has its own package.
func reserved() []scheme.Scheme {
	const (
		rfc1738 = "RFC 1738 4"
		study   = `URI draft, "Schemes for Further Study"`
	)
	rows := []struct{ name, section, syntax string }{
		{"afs", rfc1738, "Andrew File System global file names; afs://<cellname>/<path>, which the URI draft keeps as history"},
		{"mailserver", rfc1738, "access to data available from mail servers; syntax only in an expired draft (draft-ietf-uri-url-mailserver)"},
		{"whois", study, "whois++ handles and queries; a host, then a path that is one or the other"},
		{"x500", study, "x.500 names, distinguished or user friendly; no syntax"},
		{"z39.50", rfc1738 + "; RFC 2056", "access to ANSI Z39.50 services; RFC 2056 defines z39.50r and z39.50s, but not this name"},
	}
	list := make([]scheme.Scheme, len(rows))
	for i, row := range rows {
		list[i] = scheme.Generic(row.name, scheme.Reserved)
		list[i].Section = row.section
		list[i].Syntax.Form = row.syntax
	}
	return list
}

package all

import "github.com/locus-url/locus/scheme"

// reserved returns the names that RFC 1738 and the URI draft reserve. Clients cannot
// open their URLs, which have the form of otherurl in section 5. Syntax states the
// purpose of each name in the words of the text that reserves it, and the text that
// has defined its syntax since.
//
// Names that begin with "x-" are not listed: they are "reserved for experimental
// purposes" (section 4). To a registry they are unknown schemes. The draft also reserves
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

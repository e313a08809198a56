package standards

import (
	"slices"
	"strings"

	"github.com/locus-url/locus/profile/rfc3986"
)

// rule explains differences. It applies to a difference only if the case contains the evidence.
// The evidence is a finding and usually a second test. The second test checks that the result of
// the URL Standard is the same for the text that the rule names as the interpretation.
type rule struct {
	name                     string
	sections                 string
	whatwg, rfc3986, rfc1738 string
	applies                  func(d difference) bool
}

// rules lists the rules in the order of docs/dev/standards.md.
var rules = slices.Concat(browserRules, originalRules)

var browserRules = []rule{
	{
		"Blanks around a URL", "URL 4.4; RFC 3986 2, C; RFC 1738 2.2, appendix",
		"removes spaces and control characters at both ends", "no component has them; they delimit a URI in a text", "as RFC 3986",
		func(d difference) bool {
			text := d.trimmed()
			start := strings.Index(d.Input, text)
			outside := d.fault.Offset < start || d.fault.Offset >= start+len(text)
			return d.kind == browserAccepts && !d.inBase && text != d.Input && d.hrefOf(text) == d.href &&
				(outside || d.fault.Rule == "path-noscheme" && start > 0)
		},
	},
	{
		"Tabs and line breaks", "URL 4.4; RFC 3986 2, C; RFC 1738 appendix",
		"removes them anywhere, even in the scheme and in \"//\"", "not characters of a URI", "removed only from a URL in the wrapper `<URL:...>`",
		func(d difference) bool {
			text := d.joined()
			return d.kind == browserAccepts && text != d.Input && d.hrefOf(text) == d.href &&
				(strings.Contains("\t\n\r", d.fault.Text) && d.fault.Text != "" || d.fault.Rule == "path-noscheme" && !hasFault(text, "path-noscheme"))
		},
	},
	{
		"Backslash", "URL 4.4; RFC 3986 2, 3.3; RFC 1738 2.2",
		"a \"/\" if the scheme is special", "not a character of a URI", "unsafe; refused before the path",
		func(d difference) bool {
			return d.kind == browserAccepts && d.fault.Text == `\` && isSpecial(d.schemeName()) && d.becomes("/") &&
				(d.hasNote("invalid-reverse-solidus") || d.hasNote("special-scheme-missing-following-solidus"))
		},
	},
	{
		"Domains in other scripts", "URL 3.3, 3.5; RFC 3986 3.2.2; RFC 1738 5",
		"converts a domain by UTS 46: case, width, Punycode", "a name in UTF-8 is written as escapes", "letters, digits and \"-\" of US-ASCII",
		func(d difference) bool {
			return d.kind == browserAccepts && d.fault.Rule == "character" && d.fault.Text >= "\x80" && isSpecial(d.schemeName()) && d.becomes(d.escape()) && !strings.Contains(d.href, d.escape()) && d.inAuthority()
		},
	},
	{
		"Other characters outside US-ASCII", "URL 1.3; RFC 3986 2.1, 2.5; RFC 1738 2.2",
		"writes them as escapes of UTF-8", "not characters of a URI: escapes are written", "as RFC 3986, in no named character set",
		func(d difference) bool { return d.kind == browserAccepts && d.fault.Text >= "\x80" && d.isEscaped() },
	},
	{
		"Space", "URL 1.3, 4.4; RFC 3986 2; RFC 1738 2.2",
		"writes %20; keeps it in an opaque path, but at its end", "not a character of a URI", "unsafe; refused",
		func(d difference) bool {
			return d.kind == browserAccepts && d.fault.Text == " " && (d.isEscaped() || d.isKept())
		},
	},
	{
		"Control characters", "URL 1.3; RFC 3986 2; RFC 1738 2.2",
		"writes them as escapes", "not characters of a URI", "refused",
		func(d difference) bool {
			return d.kind == browserAccepts && isControl(d.fault.Text) && d.isEscaped()
		},
	},
	{
		"Delimiters of texts that are escaped", "URL 1.3; RFC 3986 2; RFC 1738 2.2",
		"writes ``\" < > ^ ` { | } [ ] \\ @`` as escapes, by component", "not characters of that component", "unsafe",
		func(d difference) bool {
			return d.kind == browserAccepts && len(d.fault.Text) == 1 && strings.Contains("\"<>^`{|}[]\\@", d.fault.Text) && d.isEscaped()
		},
	},
	{
		"Delimiters of texts that are kept", "URL 1.3, 4.3; RFC 3986 3.3, 3.4, 3.5; RFC 1738 2.2",
		"keeps some, by component: `|` in a query, `[` in a path, `#` in a fragment", "not characters of that component", "unsafe",
		func(d difference) bool {
			return d.kind == browserAccepts && len(d.fault.Text) == 1 && strings.Contains("\"<>^`{|}[]\\@#'", d.fault.Text) && d.isKept()
		},
	},
	{
		"\"%\" without two digits", "URL 4.3; RFC 3986 2.1; RFC 1738 2.2",
		"keeps it", "refuses it: %25", "refuses it",
		func(d difference) bool {
			return d.kind == browserAccepts && d.fault.Rule == "escape" && hasFault(d.href, "escape") && d.isKept()
		},
	},
	{
		"Drive letters of Windows", "URL 4.2, 4.4; RFC 3986 3.2, 5.2.4; RFC 8089 E.2",
		"`C:` or `C|` in a file URL is a path even after \"//\", and \"..\" stops at it", "`C:` is a host, or a segment as any other", "a file URL's host has no port",
		func(d difference) bool {
			if d.schemeName() != "file" || !drive.MatchString(d.href) {
				return false
			}
			switch d.kind {
			case browserAccepts:
				i := d.fault.Offset
				return d.fault.Text == "|" && (d.becomes(":") || d.hrefOf("/"+d.Input[:i]+":"+d.Input[i+1:]) == d.href)
			case browserMeans:
				return d.part == "path" && drive.MatchString(d.theirs) || d.part == "host" && strings.TrimPrefix(d.ours, "//") == strings.ToLower(drive.FindStringSubmatch(d.href)[1]) ||
					d.part == "host" && strings.Contains(d.Input, "/C:")
			}
			return false
		},
	},
	{
		"Port 0", "URL 4.1; RFC 3986 3.2.3; RFC 1738 3.1",
		"a port", "*DIGIT, but no such TCP or UDP port", "not checked for a scheme that is not registered",
		func(d difference) bool {
			zero := d.fault.Rule == "port" && strings.Trim(d.fault.Text, "0") == ""
			return zero && (d.kind == browserAccepts && components(d.href)[3] == ":0" || d.kind == originalAccepts)
		},
	},
	{
		"\":\" in the first segment", "URL 4.4; RFC 3986 3.1, 4.2; RFC 1738 2.1",
		"a path, if no letter begins the text before it", "neither a URI nor a reference: write \"./\" first", "a digit may begin a scheme",
		func(d difference) bool {
			return d.fault.Rule == "path-noscheme" && (d.kind == browserAccepts && d.hrefOf("./"+d.Input) == d.href || d.kind == originalAccepts)
		},
	},

	{
		"A host is missing", "URL 4.4; RFC 3986 3.2.2; RFC 1738 3.3, 5",
		"fails for special schemes except file, and for userinfo or port without host", "the host may be empty", "a host is required; file may leave it out",
		func(d difference) bool {
			switch d.kind {
			case browserFails:
				return d.failure == "host-missing" && strings.TrimPrefix(components(d.target.String())[2], "//") == ""
			case originalRefuses:
				return d.fault.Rule == "empty-host" && components(d.Input)[2] == "//"
			}
			return false
		},
	},
	{
		"Characters that no domain has", "URL 3.2, 3.5; RFC 3986 3.2.2; RFC 1738 5",
		"decodes the host; a forbidden code point is a failure", "any octet may be an escape in a host", "no escape in a host",
		func(d difference) bool {
			host := components(d.target.String())[2]
			return d.kind == browserFails && (d.failure == "domain-invalid-code-point" || d.failure == "domain-to-ASCII") && strings.Contains(host, "%") &&
				hostname(strings.TrimPrefix(host, "//")) == ""
		},
	},
	{
		"Port in a file URL", "URL 4.4; RFC 3986 3.2.3; RFC 1738 3.10",
		"\":\" is forbidden in its host", "any URI with an authority may have a port", "fileurl has no port",
		func(d difference) bool {
			port := components(d.target.String())[3] + components(d.Input)[3]
			return d.schemeName() == "file" && port != "" && (d.kind == browserFails && d.failure == "domain-invalid-code-point" || d.kind == originalRefuses && d.fault.Rule == "no-port")
		},
	},
	{
		"Numbers as IPv4 addresses", "URL 3.5; RFC 3986 3.2.2, 7.4; RFC 1738 3.1, 5",
		"a host whose last label is a number is an IPv4 address: octal, hexadecimal, fewer parts; else a failure", "a name, unless it is four decimal numbers to 255", "four decimal numbers; other numbers are invalid",
		func(d difference) bool {
			host := strings.TrimPrefix(components(d.target.String())[2], "//")
			switch d.kind {
			case browserFails:
				return strings.HasPrefix(d.failure, "IPv4-") && hostname(host) == ""
			case browserMeans:
				return d.part == "host" && isIPv4(d.theirs) && !isIPv4(d.ours) && "//"+hostname(host) == d.theirs
			case originalRefuses:
				return (d.fault.Rule == "host" || d.fault.Rule == "address-octet") && number.MatchString(d.fault.Text) && strings.Contains(components(d.Input)[2], d.fault.Text)
			case originalMeans:
				return d.part == "host" && isIPv4(d.theirs) && strings.Trim(d.ours, "/0123456789.") == ""
			}
			return false
		},
	},
	{
		"Relative reference in an opaque path", "URL 4.4; RFC 3986 5.2; RFC 1738 1",
		"fails: the base has no hierarchy", "resolves: each base has a path", "no partial forms",
		func(d difference) bool {
			return d.kind == browserFails && d.failure == "missing-scheme-non-relative-URL" && d.isRelative() && d.Base != nil && !strings.Contains(*d.Base, ":/")
		},
	},
	{
		"\"//\" after the scheme", "URL 4.4; RFC 3986 3, 5.2.2; RFC 1738 3.1",
		"optional in special schemes: `http:h` is `http://h`, and relative on a base of that scheme; more slashes than two are ignored", "without it the path follows, and the URL has no authority; `///` is an empty host", "required, and then a host",
		func(d difference) bool {
			switch d.kind {
			case browserMeans:
				return isSpecial(d.schemeName()) && d.withSlashes()
			case originalRefuses:
				_, slashless := d.slashless()
				return d.fault.Rule == "form" && slashless
			}
			return false
		},
	},
	{
		"Empty password and empty userinfo", "URL 4.5; RFC 3986 3.2.1; RFC 1738 3.1",
		"leaves out \":\" before an empty password, and \"@\" after nothing", "keeps them", "an empty user is not an absent one",
		func(d difference) bool {
			return d.kind == browserMeans && d.part == "userinfo" && strings.TrimSuffix(d.ours, ":") == d.theirs+strings.Repeat("@", strings.Count(d.ours, "@")-strings.Count(d.theirs, "@"))
		},
	},
	{
		"Hosts of other schemes", "URL 3.5; RFC 3986 3.2.2, 6.2.2; RFC 1738 5",
		"opaque: kept as written", "without regard to case, in any scheme", "in lower case, escapes too",
		func(d difference) bool {
			return (d.kind == browserMeans || d.kind == originalMeans) && d.part == "host" && !isSpecial(d.schemeName()) && strings.Contains(d.Input, "%") &&
				strings.EqualFold(rfc3986.Parse(d.theirs).Normalize(nil).String(), d.ours)
		},
	},
	{
		"Case of escapes, and escapes that are not needed", "URL 4.5; RFC 3986 6.2.2.1, 6.2.2.2; RFC 1738 2.2",
		"keeps %2f and %7E as written", "%2F and \"~\" are their one form", "%2F; which characters need an escape differs: \"(\" does not, \"~\" does",
		func(d difference) bool {
			normalized := rfc3986.Parse(d.theirs).Normalize(nil).String()
			switch d.kind {
			case browserMeans:
				return strings.Contains(d.theirs, "%") && normalized == d.ours
			case originalMeans:
				return strings.Contains(d.Input, "%") && extraDecoded(normalized) == extraDecoded(d.ours)
			}
			return false
		},
	},
	{
		"\"'\" in a query", "URL 1.3, 4.4; RFC 3986 2.2; RFC 1738 2.2",
		"writes %27 if the scheme is special", "a sub-delim", "a character that needs no escape",
		func(d difference) bool {
			return d.kind == browserMeans && d.part == "query" && strings.ReplaceAll(d.ours, "'", "%27") == d.theirs && isSpecial(d.schemeName())
		},
	},
	{
		"Escapes in a domain", "URL 3.5; RFC 3986 3.2.2; RFC 1738 5",
		"decodes them, and converts the domain by UTS 46", "keeps them but for letters, digits and \"-._~\"", "none",
		func(d difference) bool {
			host := strings.TrimPrefix(d.ours, "//")
			return d.kind == browserMeans && d.part == "host" && isSpecial(d.schemeName()) && strings.Contains(host, "%") && "//"+hostname(host) == d.theirs ||
				d.kind == originalRefuses && d.fault.Rule == "host" && strings.Contains(d.fault.Text, "%")
		},
	},
	{
		"localhost in a file URL", "URL 4.4; RFC 3986 3.2.2; RFC 1738 3.10",
		"the empty host", "a name: an empty host is the default of a scheme", "the empty host",
		func(d difference) bool {
			return (d.kind == browserMeans || d.kind == originalMeans) && d.part == "host" && d.ours == "//localhost" && d.theirs == "//" && d.schemeName() == "file"
		},
	},
	{
		"Empty path", "URL 4.4; RFC 3986 6.2.3; RFC 1738 3.1, 3.10",
		"\"/\" in special schemes", "\"/\" in http, by that scheme's rules; else empty", "file requires \"/\"",
		func(d difference) bool {
			return d.kind == browserMeans && d.part == "path" && d.theirs == "/" && d.ours == "" && isSpecial(d.schemeName()) ||
				d.kind == originalRefuses && d.fault.Rule == "missing-slash" && components(d.Input)[4] == ""
		},
	},
}

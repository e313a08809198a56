package standards

import (
	"strconv"
	"strings"

	"github.com/locus-url/locus/profile/rfc3986"
)

var originalRules = []rule{
	{
		"Relative references", "URL 4.4; RFC 3986 4.2, 5; RFC 1738 1",
		"resolved on the base", "resolved on the base", "not URLs: RFC 1630 and RFC 1808 have partial forms",
		func(d difference) bool { return d.kind == originalRefuses && d.isRelative() },
	},
	{
		"Names of hosts", "URL 3.5; RFC 3986 3.2.2; RFC 1738 5, RFC 1034 3.1",
		"any domain that UTS 46 lets through", "any reg-name", "labels that begin and end with a letter or digit; the last begins with a letter",
		func(d difference) bool {
			return d.kind == originalRefuses && d.fault.Rule == "host" && !strings.Contains(d.fault.Text, "%") && (d.fault.Text == "" || strings.Contains(components(d.Input)[2], d.fault.Text))
		},
	},
	{
		"IPv6 addresses", "URL 3.5; RFC 3986 3.2.2; RFC 1738 5",
		"in brackets", "in brackets", "none: hosts are names and IPv4 addresses",
		func(d difference) bool {
			return d.kind == originalRefuses && d.fault.Rule == "ipv6-address" && components(d.Input)[2] == "//"+d.fault.Text
		},
	},
	{
		"User in http", "URL 4.4; RFC 3986 3.2.1; RFC 1738 3.3",
		"allowed", "allowed", "\"No user name or password is allowed\"",
		func(d difference) bool {
			return d.kind == originalRefuses && d.fault.Rule == "no-user" && components(d.Input)[1] != ""
		},
	},
	{
		"Unsafe and reserved characters", "URL 4.3; RFC 3986 2.2, 3.2; RFC 1738 2.2",
		"by component", "by component: brackets around an address, \"?\" in a query", "brackets and \"~\" are unsafe; each scheme has its reserved characters",
		func(d difference) bool {
			return d.kind == originalRefuses && (d.fault.Rule == "unsafe-character" || d.fault.Rule == "reserved-character") && strings.Contains(d.Input, d.fault.Text) && len(d.fault.Text) == 1
		},
	},
	{
		"Syntax of the scheme", "URL 4.4; RFC 3986 1.1.1, 3; RFC 1738 3",
		"one for special schemes, one for all others", "one for all schemes: each may restrict it", "each has its own: one address in mailto",
		func(d difference) bool {
			return d.kind == originalRefuses && d.registered && !strings.HasPrefix(d.fault.Section, "RFC 1738") && strings.HasPrefix(d.Input[d.fault.Offset:], d.fault.Text)
		},
	},
	{
		"Empty port", "URL 4.5; RFC 3986 3.2.3, 6.2.3; RFC 1738 3.1, 5",
		"left out", "allowed; left out when normalized", "digits follow \":\"",
		func(d difference) bool {
			return d.kind == originalRefuses && d.fault.Rule == "empty-port" && components(d.Input)[3] == ":"
		},
	},
	{
		"Empty fragment", "URL 4.5; RFC 3986 6.2.3; RFC 1630 \"Fragment-id\"",
		"kept", "kept", "means the whole object, and is left out",
		func(d difference) bool {
			return d.kind == originalMeans && d.part == "fragment" && d.ours == "#" && d.theirs == ""
		},
	},
	{
		"Default ports", "URL 4.2; RFC 3986 6.2.3; RFC 1738 3.1",
		"left out in special schemes", "left out by the rules of the scheme", "left out in the schemes that it defines",
		func(d difference) bool {
			ours, theirs := strings.TrimPrefix(d.ours, ":"), strings.TrimPrefix(d.theirs, ":")
			return d.kind == originalMeans && d.part == "port" && (theirs == "" && ours == d.defaultPort || ours == "" && theirs == strconv.Itoa(int(schemeRules(d.schemeName()).Port)))
		},
	},
	{
		"Default type of gopher", "URL 4.2; RFC 3986 6.2.3; RFC 1738 3.4.1",
		"nothing known of that scheme", "left to the scheme", "type 1 is written",
		func(d difference) bool {
			return d.kind == originalMeans && d.schemeName() == "gopher" && d.part == "path" && d.theirs == "/1" && d.ours == "/"
		},
	},
	{
		"Dot segments", "URL 4.4; RFC 3986 5.2.4, 6.2.2.3; RFC 1738 3.1, 3.10",
		"resolved, also %2e", "resolved", "names as any other, but in http",
		func(d difference) bool {
			return d.kind == originalMeans && d.part == "path" && dotSegment.MatchString(d.theirs) && rfc3986.Parse("x://h"+d.theirs).Normalize(nil).Path() == strings.TrimPrefix(d.ours, "/.")
		},
	},
}

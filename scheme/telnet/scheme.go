package telnet

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/relative"
	"github.com/locus-url/locus/scheme"
)

// Schemes returns the descriptions of the telnet, rlogin and tn3270 schemes, whose opener is the
// client c. If c is nil, the opener is a client with default options.
func Schemes(c *Client) []scheme.Scheme {
	if c == nil {
		c = New(nil)
	}
	const draft = `URI draft, "Telnet, rlogin, tn3270"`
	rows := []scheme.Scheme{
		{Name: "telnet", Port: TelnetPort, Status: scheme.Standard, Section: section, Syntax: scheme.Syntax{Current: telnetInForce}, Access: scheme.Access{Protocol: "Telnet (RFC 854), or whatever octets a service has"}},
		{Name: "rlogin", Port: RloginPort, Status: scheme.Draft, Section: draft, Access: scheme.Access{Protocol: "rlogin (RFC 1282)"}},
		{Name: "tn3270", Port: TN3270Port, Status: scheme.Draft, Section: draft + "; RFC 1738 4; RFC 6270", Syntax: scheme.Syntax{Current: tn3270InForce}, Access: scheme.Access{Protocol: "Telnet with 3270 data streams (RFC 1576, RFC 2355)"}},
	}
	for i := range rows {
		s := &rows[i]
		s.Access.Opener, s.Syntax.Fields, s.Syntax.Check = c, fields, check
		s.Syntax.Form = s.Name + "://<user>:<password>@<host>:<port>/"
		s.Syntax.Canonical = func(u locus.URL) (locus.URL, locus.Change, error) { return canonical(u, s.Port) }
		s.Traits, s.Syntax.Hierarchy = scheme.Interactive, relative.None
		s.Display.Icon, s.Display.Title = "terminal", locus.URL.Host
	}
	return rows
}

func fields(u locus.URL) ([]scheme.Field, error) {
	t, err := Parse(u)
	if err != nil {
		return nil, err
	}
	list := []scheme.Field{{Name: "user"}, {Name: "password"}}
	if user, ok := t.User(); ok {
		list[0].Value = user
	}
	if password, ok := t.Password(); ok {
		list[1].Value = password
	}
	return list, nil
}

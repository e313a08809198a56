package telnet

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/relative"
	"github.com/locus-url/locus/scheme"
)

// Telnet returns the registry's entry for telnet.
func Telnet(c *Client) scheme.Scheme {
	s := entry("telnet", TelnetPort, c)
	s.Access = "Telnet (RFC 854), or whatever octets a service has"
	s.Status, s.Section = scheme.Standard, section
	return s
}

// Rlogin returns the registry's entry for rlogin, which only the URI draft has.
func Rlogin(c *Client) scheme.Scheme {
	s := entry("rlogin", RloginPort, c)
	s.Access = "rlogin (RFC 1282)"
	s.Status, s.Section = scheme.Draft, `URI draft, "Telnet, rlogin, tn3270"`
	return s
}

// TN3270 returns the registry's entry for tn3270, a name that RFC 1738 reserves.
func TN3270(c *Client) scheme.Scheme {
	s := entry("tn3270", TN3270Port, c)
	s.Access = "Telnet with 3270 data streams (RFC 1576, RFC 2355)"
	s.Status, s.Section = scheme.Draft, `URI draft, "Telnet, rlogin, tn3270"; RFC 1738 4; RFC 6270`
	return s
}

func entry(name string, port uint16, c *Client) scheme.Scheme {
	return scheme.Scheme{
		Name:   name,
		Port:   port,
		Opener: c,
		Syntax: name + "://<user>:<password>@<host>:<port>/",
		Fields: fields,
		Canonical: func(u locus.URL) (locus.URL, locus.Change, error) {
			return canonical(u, port)
		},
		Check:     check,
		Traits:    scheme.Interactive,
		Hierarchy: relative.None,
		Icon:      "terminal",
		Title:     title,
	}
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

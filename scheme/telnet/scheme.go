package telnet

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// Telnet returns the registry's entry for telnet.
func Telnet() scheme.Scheme {
	s := entry("telnet", TelnetPort)
	s.Status, s.Section = scheme.Standard, section
	return s
}

// Rlogin returns the registry's entry for rlogin, which only the URI draft has.
func Rlogin() scheme.Scheme {
	s := entry("rlogin", RloginPort)
	s.Status, s.Section = scheme.Draft, `URI draft, "Telnet, rlogin, tn3270"`
	return s
}

// TN3270 returns the registry's entry for tn3270, a name that RFC 1738 reserves.
func TN3270() scheme.Scheme {
	s := entry("tn3270", TN3270Port)
	s.Status, s.Section = scheme.Draft, `URI draft, "Telnet, rlogin, tn3270"; RFC 1738 4; RFC 6270`
	return s
}

func entry(name string, port uint16) scheme.Scheme {
	return scheme.Scheme{
		Name:   name,
		Port:   port,
		Syntax: name + "://<user>:<password>@<host>:<port>/",
		Fields: fields,
		Canonical: func(u locus.URL) (locus.URL, locus.Change, error) {
			return canonical(u, port)
		},
		Check: check,
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

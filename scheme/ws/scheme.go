package ws

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/scheme"
)

// These constants are the default ports (section 3).
const (
	Port       = 80
	SecurePort = 443
)

// Schemes returns the descriptions of the ws and wss schemes.
func Schemes() []scheme.Scheme {
	rows := []scheme.Scheme{{Name: "ws", Port: Port}, {Name: "wss", Port: SecurePort, Traits: scheme.Secure}}
	for i := range rows {
		s := &rows[i]
		s.Status = scheme.Extension
		s.Section = "RFC 6455 3"
		s.Syntax.Form = s.Name + "://<host>:<port>/<path>?<query>"
		s.Syntax.Current = inForce
		s.Policy.Encoded = true
		s.Syntax.Fields = func(u locus.URL) ([]scheme.Field, error) { return fields(u, s.Name) }
		s.Syntax.Canonical = func(u locus.URL) (locus.URL, locus.Change, error) { return canonical(u, s.Name, s.Port) }
		s.Display.Icon = "terminal"
		s.Display.Split = split
		s.Display.Title = locus.URL.Host
	}
	return rows
}

// ResourceName returns the resource name that a client requests from the server (section 3). The
// name consists of the path, or "/" if the path is empty, and the query, as written. The URL u
// must be a ws or wss URL.
func ResourceName(u locus.URL) string {
	path, _ := u.Path()
	return "/" + path
}

// form returns an error if the scheme of the URL u is not the given name, or if u has no host.
func form(u locus.URL, name string) error {
	if err := bnf.Form(u, name, name+"-URI"); err != nil {
		return err
	}
	if u.Host() == "" {
		return u.Errorf(u.HostOffset(), "host", "%w: the host is missing", locus.ErrForm)
	}
	return nil
}

func fields(u locus.URL, name string) ([]scheme.Field, error) {
	if err := form(u, name); err != nil {
		return nil, err
	}
	return []scheme.Field{{Name: "resourceName", Value: bnf.Decode(ResourceName(u))}}, nil
}

func canonical(u locus.URL, name string, port uint16) (locus.URL, locus.Change, error) {
	if err := form(u, name); err != nil {
		return locus.URL{}, 0, err
	}
	if _, path := u.Path(); path && bnf.Spelled(u, port) {
		return u, 0, nil
	}
	var c bnf.Canon
	c.Internet(u, port)
	path, _ := u.Path()
	c.Path(path, escape.Unreserved())
	return c.End()
}

func split(s *scheme.Splitter) {
	s.UpTo("?", "path", scheme.RolePath)
	s.All("query", scheme.RoleSearch)
}

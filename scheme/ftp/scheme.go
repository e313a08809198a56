package ftp

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/octet"
	"github.com/locus-url/locus/scheme"
)

// These are the default ports of the control connection. RFC 1738 section 3.2 defines the port
// for ftp. The port for ftps is the registered port of FTP over TLS.
const (
	Port       = 21
	SecurePort = 990
)

// Scheme returns the description of the ftp scheme. The client c opens its URLs. If c is nil,
// a client with default options opens them.
func Scheme(c *Client) scheme.Scheme {
	s := entry("ftp", Port, c)
	s.Status, s.Section = scheme.Standard, section
	s.Access.Protocol = "FTP (RFC 959)"
	s.Policy.ProxyVars = []string{"ftp_proxy"}
	return s
}

// SecureScheme returns the description of the ftps scheme, in which the control connection
// uses TLS from the first byte. No RFC defines ftps. The parameter c has the same meaning as
// in [Scheme].
func SecureScheme(c *Client) scheme.Scheme {
	s := entry("ftps", SecurePort, c)
	s.Status, s.Section = scheme.Extension, "RFC 4217 (as ftp, over TLS)"
	s.Access.Protocol = "FTP over TLS (implicit)"
	s.Traits |= scheme.Secure
	return s
}

func entry(name string, port uint16, c *Client) scheme.Scheme {
	s := scheme.Scheme{
		Name:   name,
		Port:   port,
		Traits: scheme.Fragments | scheme.Directories,
		Syntax: scheme.Syntax{
			Form:    name + "://<user>:<password>@<host>:<port>/<cwd1>/<cwd2>/.../<cwdN>/<name>;type=<typecode>",
			Current: inForce,
			Fields:  fields,
			Check:   check,
			Clean:   bnf.CleanHostPort | locus.PathFsegment | locus.NoControl,
			Canonical: func(u locus.URL) (locus.URL, locus.Change, error) {
				return canonical(u, port)
			},
		},
		Display: scheme.Display{
			Icon:    "folder",
			Split:   splitPath,
			Title:   title,
			Parents: parents,
		},
		Crawl: scheme.Crawl{Freshness: freshness, Below: scheme.BelowPath},
	}
	if c == nil {
		c = New(nil)
	}
	s.Access.Opener, s.Access.Archived = c, c.readArchived
	return s
}

func fields(u locus.URL) ([]scheme.Field, error) {
	x, err := Parse(u)
	if err != nil {
		return nil, err
	}
	list := []scheme.Field{{Name: "cwd", Value: x.CWD()}, {Name: "name", Value: x.Name()}, {Name: "typecode"}}
	if code := x.Typecode(); code != 0 {
		list[2].Value = string(code)
	}
	if code := x.DraftTypecode(); code != "" {
		list = append(list, scheme.Field{Name: "draftTypecode", Value: code})
	}
	return list, nil
}

// canonical returns the canonical form of u, and the set of changes that were necessary. It
// adds a missing "/", changes the typecode to lower case, and escapes ";" in a segment, which
// "must be encoded" (RFC 1738 section 3.2.2). It preserves the segments ".", ".." and "",
// because segments are commands.
func canonical(u locus.URL, defaultPort uint16) (locus.URL, locus.Change, error) {
	isSpelled := u.Facts().Has(locus.Internet|locus.Slash) && bnf.Spelled(u, defaultPort)
	if isSpelled && u.Facts().Has(locus.PathFsegment) && isFTP(u) {
		return u, 0, nil
	}
	x, err := Parse(u)
	if err != nil {
		return locus.URL{}, 0, err
	}
	if isSpelled && octet.All(x.fpath())&octet.Fsegment != 0 && !octet.HasUpper(x.typeText()) {
		return u, 0, nil
	}
	var c bnf.Canon
	c.Internet(u, defaultPort)
	path, _ := u.Path()
	segments, semicolon, rest := "", false, path[:x.end]
	for {
		segments, rest, semicolon = strings.Cut(rest, ";")
		c.Path(segments, escape.Unreserved())
		if !semicolon {
			break
		}
		c.Change |= locus.MissingEscape
		c.Raw("%3B")
	}
	typecode := octet.ToLower(x.typeText())
	if typecode != x.typeText() {
		c.Change |= locus.Typecode
	}
	c.Raw(typecode)
	return c.End()
}

package telnet

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
)

const section = "RFC 1738 3.8"

func check(u locus.URL, p locus.Profile) []locus.Violation {
	path, slash := u.Path()
	user, _ := u.User()
	if p == locus.RFC1738 && path == "" && bnf.Sound(u) && (user == "" || !isOption(user) && nextImpossible(user, 0) == len(user)) {
		return nil
	}
	f := bnf.Findings{URL: u, Profile: p}
	f.Scheme()
	if !f.Internet(bnf.Login{Section: section, User: true}) {
		return f.List()
	}
	offset := len(u.Scheme()) + len("://")
	if isOption(user) {
		f.Note("user-option", "RFC 1738 6", offset, user, `a user name that begins with "-" is never given to a program, which would read it as an option`)
	}
	for i := nextImpossible(user, 0); i < len(user); {
		_, size := bnf.Octet(user, i)
		if size > 1 {
			// f.Internet reports unescaped octets.
			f.Impossible("user", section, offset+i, user[i:i+size], "a user name is printing characters")
		}
		i = nextImpossible(user, i+size)
	}
	switch {
	case u.MissingSlash():
		// f.Internet has reported the missing slash.
	case path != "":
		f.Add("path", section, u.PathOffset(), path, `nothing follows the "/": a telnet URL locates a service, not something in it`)
	case slash && p == locus.RFC1630:
		f.Add("path", "URI draft, telnetaddress", u.PathOffset()-1, "/", `leave out the "/"`)
	}
	return f.List()
}

func isOption(user string) bool {
	return strings.HasPrefix(user, "-") || strings.HasPrefix(user, "%2D") || strings.HasPrefix(user, "%2d")
}

// canonical returns the canonical form of the URL u and the changes that it made. The canonical
// form includes the final "/". canonical returns the same errors as Parse.
func canonical(u locus.URL, defaultPort uint16) (locus.URL, locus.Change, error) {
	if err := form(u); err != nil {
		return locus.URL{}, 0, err
	}
	path, slash := u.Path()
	if slash && bnf.Spelled(u, defaultPort) {
		return u, 0, nil
	}
	var c bnf.Canon
	c.Internet(u, defaultPort)
	c.Path(path, escape.Unreserved())
	return c.End()
}

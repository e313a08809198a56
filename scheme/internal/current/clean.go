package current

import "github.com/locus-url/locus/profile/rfc3986"

// Hosted reports whether the URI u has a host and no userinfo.
func Hosted(u rfc3986.URI) bool {
	host, _ := u.Host()
	_, login := u.Userinfo()
	return host != "" && !login
}

// HasQuery reports whether the URI u has a query.
func HasQuery(u rfc3986.URI) bool {
	_, ok := u.Query()
	return ok
}

// IsPath reports whether the URI u consists only of a scheme and a path, which may be empty.
func IsPath(u rfc3986.URI) bool {
	_, authority := u.Host()
	_, fragment := u.Fragment()
	return !authority && !fragment && !HasQuery(u)
}

package page

import "github.com/locus-url/locus"

// withoutPassword is u as pages show it and link to it: without its password, and with
// "***" for one where the grammar knows of none, as in a URL that was mistyped.
func withoutPassword(u locus.URL) locus.URL {
	u = u.WithoutPassword()
	if text := u.Redacted(); text != u.String() {
		// It parses as u does, but for its length. The zero URL shows nothing.
		u, _ = locus.Parse(text)
	}
	return u
}

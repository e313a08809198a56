package page

import "github.com/locus-url/locus"

// withoutPassword returns u for display and links: without its password, and with "***"
// for text that may be one in a mistyped URL.
func withoutPassword(u locus.URL) locus.URL {
	u = u.WithoutPassword()
	if text := u.Redacted(); text != u.String() {
		// It fails only if the text is too long; then the zero URL shows nothing.
		u, _ = locus.Parse(text)
	}
	return u
}

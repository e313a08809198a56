package octet

import "strings"

// HostEnd returns the offset of the "?" or "#" that ends the authority according to RFC 3986
// section 3.2. RFC 1738 requires a "/" at this offset. If no "?" or "#" ends the authority,
// HostEnd returns 0. The text must be a URL, or a relative reference that begins with "//".
// disputed reports whether an "@" follows a "?", because a parser that allows "?" in a user then
// finds another host.
func HostEnd(text string) (at int, disputed bool) {
	start, _ := SchemeEnd(text)
	if start > 0 && start < len(text) && text[start] == ':' {
		start++
	} else {
		start = 0
	}
	if !strings.HasPrefix(text[start:], "//") {
		return 0, false
	}
	start += len("//")
	n := strings.IndexAny(text[start:], "/?#")
	if n < 0 || text[start+n] == '/' {
		return 0, false
	}
	at = start + n
	if text[at] == '?' {
		n = strings.IndexAny(text[at:], "/#@")
		disputed = n >= 0 && text[at+n] == '@'
	}
	return at, disputed
}

// SlashHelp returns a clause that says where text needs a "/", if HostEnd finds an offset. The
// clause quotes text, unless text may contain a password.
func SlashHelp(text string) string {
	at, _ := HostEnd(text)
	_, rest, _ := strings.Cut(text, "//")
	if at == 0 || len(text) > 100 || All(text)&ASCII == 0 || strings.ContainsAny(rest, ":%") {
		return `write "/" before the "?"`
	}
	return "write " + text[:at] + "/" + text[at:]
}

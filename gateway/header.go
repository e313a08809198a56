package gateway

import (
	"net/http"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
)

// hopFields lists the hop-by-hop header fields (RFC 9110 section 7.6.1), and the header fields for
// proxies.
var hopFields = [...]string{
	"Connection", "Proxy-Connection", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Http2-Settings",
	"Proxy-Authenticate", "Proxy-Authorization", "Proxy-Authentication-Info",
}

// copyEndToEnd copies all header fields that are not hop-by-hop fields.
func copyEndToEnd(dst, src http.Header) {
	named := make(map[string]bool)
	for _, list := range src.Values("Connection") {
		for name := range strings.SplitSeq(list, ",") {
			named[textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name))] = true
		}
	}
	for name, values := range src {
		if !named[name] && !slices.Contains(hopFields[:], name) {
			dst[name] = slices.Clone(values)
		}
	}
}

// copyFields copies the named header fields.
func copyFields(dst, src http.Header, names []string) {
	for _, name := range names {
		if values := src.Values(name); len(values) > 0 {
			dst[name] = values
		}
	}
}

// addVia adds this gateway to the header Via (RFC 9110 section 7.6.3).
func (g *Gateway) addVia(h http.Header, major, minor int) {
	version := strconv.Itoa(major)
	if major == 1 {
		version += "." + strconv.Itoa(minor)
	}
	h.Add("Via", version+" "+g.name)
}

// wasHere reports whether the header Via contains the name of this gateway, which means that the
// request is in a loop.
func (g *Gateway) wasHere(h http.Header) bool {
	for _, list := range h.Values("Via") {
		for entry := range strings.SplitSeq(list, ",") {
			if words := strings.Fields(entry); len(words) >= 2 && words[1] == g.name {
				return true
			}
		}
	}
	return false
}

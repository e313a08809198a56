package gateway

import (
	"net/http"
	"net/textproto"
	"slices"
	"strings"
)

// hopFields are header fields that are about one connection, and end there (RFC
// 9110 section 7.6.1), and what goes with them.
var hopFields = [...]string{
	"Connection", "Proxy-Connection", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Http2-Settings",
	"Proxy-Authenticate", "Proxy-Authorization", "Proxy-Authentication-Info",
}

// passOn copies the fields of from that are for the other end.
func passOn(to, from http.Header) {
	named := make(map[string]bool)
	for _, list := range from.Values("Connection") {
		for name := range strings.SplitSeq(list, ",") {
			named[textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name))] = true
		}
	}
	for name, values := range from {
		if !named[name] && !slices.Contains(hopFields[:], name) {
			to[name] = slices.Clone(values)
		}
	}
}

// addVia notes that a message came by this gateway (RFC 9110 section 7.6.3).
func (g *Gateway) addVia(h http.Header, major, minor int) {
	by := "1." + string(rune('0'+minor))
	if major != 1 {
		by = string(rune('0' + major))
	}
	h.Add("Via", by+" "+g.name)
}

// wasHere reports whether a request has come by this gateway already.
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

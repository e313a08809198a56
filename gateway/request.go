package gateway

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// localAddr returns the address that the request came to; the zero AddrPort: unknown.
func localAddr(r *http.Request) netip.AddrPort {
	if a, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok {
		p := a.AddrPort()
		return netip.AddrPortFrom(p.Addr().Unmap(), p.Port())
	}
	return netip.AddrPort{}
}

// clientOf returns the address by which a client's requests are counted: of IPv6 its
// /64, all of which belongs to one client.
func clientOf(r *http.Request) netip.Addr {
	a, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	address := a.Addr().Unmap().WithZone("")
	if address.Is6() {
		if p, err := address.Prefix(64); err == nil {
			return p.Addr()
		}
	}
	return address
}

// splitHost splits a host with an optional port.
func splitHost(text string) (host, port string) {
	if host, port, err := net.SplitHostPort(text); err == nil {
		return host, port
	}
	return strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"), ""
}

// malformed returns why a request is refused though package net/http accepts it.
func malformed(r *http.Request) error {
	for _, name := range []string{"Content-Type", "Range", "Origin", "Authorization"} {
		if len(r.Header.Values(name)) > 1 {
			return &problem{http.StatusBadRequest, "syntax", "repeated header field " + name}
		}
	}
	return nil
}

package gateway

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// localAddr returns the local address of the connection. If the address is unknown, it returns the
// zero AddrPort.
func localAddr(r *http.Request) netip.AddrPort {
	if a, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok {
		p := a.AddrPort()
		return netip.AddrPortFrom(p.Addr().Unmap(), p.Port())
	}
	return netip.AddrPort{}
}

// clientOf returns the address under which the gateway counts a client's requests. For an IPv6
// client, this address is the client's /64 network. A client of a Unix socket is on this machine,
// and gets a loopback address.
func clientOf(r *http.Request) netip.Addr {
	if _, ok := r.Context().Value(http.LocalAddrContextKey).(*net.UnixAddr); ok {
		return netip.IPv6Loopback()
	}
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

// checkMalformed returns an error for an invalid request that package net/http accepts.
func checkMalformed(r *http.Request) error {
	for _, name := range []string{"Content-Type", "Range", "Origin", "Authorization"} {
		if len(r.Header.Values(name)) > 1 {
			return &problem{http.StatusBadRequest, "syntax", "repeated header field " + name}
		}
	}
	return nil
}

package gateway

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// localAddr is the address that the request came to; not valid if nobody told.
func localAddr(r *http.Request) netip.AddrPort {
	if a, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok {
		p := a.AddrPort()
		return netip.AddrPortFrom(p.Addr().Unmap(), p.Port())
	}
	return netip.AddrPort{}
}

// clientOf is the address of who asks, by which limits are counted: of IPv6 the
// network, since whoever has one address there has all of it.
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

// splitHost divides a host and perhaps a port.
func splitHost(text string) (host, port string) {
	if host, port, err := net.SplitHostPort(text); err == nil {
		return host, port
	}
	return strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"), ""
}

// malformed says what in a request can't be, though package net/http lets it pass;
// empty: nothing. What it does not let a handler see is for [Server]'s guard.
func malformed(r *http.Request) string {
	if len(r.TransferEncoding) > 0 && (len(r.TransferEncoding) > 1 || r.TransferEncoding[0] != "chunked") {
		return "the only transfer coding here is chunked"
	}
	if r.ProtoMajor == 1 && r.ProtoMinor == 0 && len(r.TransferEncoding) > 0 {
		return "HTTP/1.0 has no transfer codings"
	}
	for _, name := range []string{"Content-Length", "Content-Type", "Host", "Range", "Origin", "Authorization"} {
		if len(r.Header.Values(name)) > 1 {
			return "the header field " + name + " comes twice"
		}
	}
	return ""
}

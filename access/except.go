package access

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
)

// exception matches hosts that use no gateway. port 0 matches any.
type exception struct {
	all       bool         // everything
	addresses netip.Prefix // if it is valid
	name      string       // else: in lower case
	below     bool         // what ends in "." and name, and not name itself
	port      uint16
}

// parseExceptions reads exceptions with commas or blanks between them. The error is
// a [*locus.SyntaxError].
func parseExceptions(text string) (list []exception, err error) {
	isBreak := func(c byte) bool { return c == ',' || c == ' ' || c == '\t' }
	for start := 0; start < len(text); start++ {
		if isBreak(text[start]) {
			continue
		}
		end := start
		for end < len(text) && !isBreak(text[end]) {
			end++
		}
		e, ok := parseException(strings.ToLower(text[start:end]))
		if !ok {
			return nil, locus.NewSyntaxError(text, start, "exception", errException)
		}
		list = append(list, e)
		start = end
	}
	return list, nil
}

// errException says what an exception may be.
var errException = fmt.Errorf(`%w: it is "host", ".domain", an address, addresses as "10.0.0.0/8", each perhaps with ":port", or "*"`, locus.ErrValue)

func parseException(text string) (e exception, ok bool) {
	if text == "*" {
		return exception{all: true}, true
	}
	if p, err := netip.ParsePrefix(text); err == nil {
		return exception{addresses: p.Masked()}, true
	}
	if a, err := netip.ParseAddr(text); err == nil {
		return ofAddress(a, 0)
	}
	if i := strings.LastIndexByte(text, ':'); i >= 0 {
		n, err := strconv.ParseUint(text[i+1:], 10, 16)
		if err != nil || n == 0 {
			return e, false
		}
		text, e.port = text[:i], uint16(n)
	}
	if inner, bracketed := strings.CutPrefix(text, "["); bracketed {
		a, err := netip.ParseAddr(strings.TrimSuffix(inner, "]"))
		if err != nil || !a.Is6() || inner[len(inner)-1] != ']' {
			return e, false
		}
		return ofAddress(a, e.port)
	}
	if a, err := netip.ParseAddr(text); err == nil {
		return ofAddress(a, e.port)
	}
	e.name = strings.TrimPrefix(text, "*")
	e.name, e.below = strings.CutPrefix(e.name, ".")
	if e.name == "" || !e.below && e.name != text || !locus.IsHost(e.name) {
		return e, false
	}
	return e, true
}

// ofAddress is the exception of one address. One with a zone is in no URL.
func ofAddress(a netip.Addr, port uint16) (exception, bool) {
	p, err := a.Unmap().Prefix(a.Unmap().BitLen())
	return exception{addresses: p, port: port}, err == nil && a.Zone() == ""
}

// excepts reports whether host, in lower case and without brackets, uses
// no gateway at that port.
func (g *Gateways) excepts(host string, port uint16) bool {
	a, err := netip.ParseAddr(host)
	return slices.ContainsFunc(g.except, func(e exception) bool {
		switch {
		case e.port != 0 && e.port != port:
			return false
		case e.all:
			return true
		case err == nil || e.addresses.IsValid():
			return err == nil && e.addresses.IsValid() && e.addresses.Contains(a.Unmap())
		case strings.HasSuffix(host, "."+e.name):
			return true
		}
		return host == e.name && !e.below
	})
}

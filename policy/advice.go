package policy

import (
	"errors"

	"github.com/locus-url/locus"
)

// PortAdvice returns why the port in u is unwise, as a clause: it belongs to another
// service, or is within the reserved space (RFC 1738 section 6). own is the default port
// of the scheme. It returns "" for a port that is fine.
func PortAdvice(u locus.URL, own uint16) string {
	if n, ok := u.Port(); !ok || n == 0 || own == 0 {
		return ""
	}
	var zero Policy
	if denied := (*DeniedError)(nil); errors.As(zero.checkPort(Target{URL: u, Port: own}), &denied) {
		return denied.Reason
	}
	return ""
}

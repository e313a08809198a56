package policy

import (
	"errors"

	"github.com/locus-url/locus"
)

// PortAdvice says why the port that is written in u is unwise, in a clause: it is
// that of another service, or within the reserved space (RFC 1738 section 6). own
// is the default port of the scheme. It returns "" if there is nothing to say.
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

package access

import (
	"crypto/tls"
	"errors"
	"net"
	"net/textproto"
	"time"

	"github.com/locus-url/locus/scheme"
)

// Retry reports whether err is temporary, so that the same request may succeed later, and
// returns the pause that the server requests. Zero means that the server requests no pause.
//
// Timeouts, failed connections and broken connections are temporary, and so are failures
// that a server reports as temporary with a [*scheme.RetryAfterError]. Other error
// responses of a server are final, as are an unknown host, an untrusted certificate, a
// redirect loop and a denial.
func Retry(err error) (again bool, pause time.Duration) {
	later := (*scheme.RetryAfterError)(nil)
	asked := errors.As(err, &later)
	switch KindOf(err) {
	case Timeout:
		again = true
	case Unreachable:
		again = asked || !isFinal(err)
	case Auth:
		again = asked
	case Protocol:
		again = asked || !errors.Is(err, ErrRedirectLoop) && !errors.As(err, new(*textproto.Error))
	}
	if again && asked {
		pause = later.After
	}
	return again, pause
}

// isFinal reports whether another attempt to connect would fail for the same reason.
func isFinal(err error) bool {
	if errors.As(err, new(*tls.CertificateVerificationError)) || errors.As(err, new(tls.RecordHeaderError)) {
		return true
	}
	var dns *net.DNSError
	// The unknown host may be the proxy, and then the URL is not at fault.
	return errors.As(err, &dns) && dns.IsNotFound && !errors.As(err, new(*ProxyError))
}

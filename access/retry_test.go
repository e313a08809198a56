package access

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/netip"
	"net/textproto"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

func TestRetry(t *testing.T) {
	var p policy.Policy
	denied := p.CheckAddr(netip.MustParseAddrPort("10.0.0.1:80"), policy.Typed)
	_, syntax := locus.Parse("http")
	refused := &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	unknown := &net.DNSError{IsNotFound: true}
	answer := func(kind error) error { return fmt.Errorf("%w: %w", kind, &textproto.Error{Code: 418}) }
	later := func(err error) error { return &scheme.RetryAfterError{Err: err, After: time.Second} }
	tests := []struct {
		name  string
		err   error
		again bool
		pause time.Duration
	}{
		{"nil", nil, false, 0},
		{"timeout", os.ErrDeadlineExceeded, true, 0},
		{"no connection", scheme.ErrUnreachable, true, 0},
		{"refused", &dialError{"h:80", refused}, true, 0},
		{"unknown host", fmt.Errorf("%w: %w", scheme.ErrUnreachable, unknown), false, 0},
		{"no name server", &net.DNSError{IsTemporary: true}, true, 0},
		{"unknown gateway", &ProxyError{Err: unknown}, true, 0},
		{"certificate", fmt.Errorf("%w: %w", scheme.ErrUnreachable, &tls.CertificateVerificationError{Err: io.EOF}), false, 0},
		{"no TLS", fmt.Errorf("%w: %w", scheme.ErrUnreachable, tls.RecordHeaderError{}), false, 0},
		{"reset", &net.OpError{Op: "read", Err: syscall.ECONNRESET}, true, 0},
		{"broken", scheme.ErrProtocol, true, 0},
		{"cut", io.ErrUnexpectedEOF, true, 0},
		{"status", answer(scheme.ErrProtocol), false, 0},
		{"temporary status", &scheme.RetryAfterError{Err: answer(scheme.ErrProtocol)}, true, 0},
		{"status with a pause", later(answer(scheme.ErrProtocol)), true, time.Second},
		{"no connection, and a pause", later(scheme.ErrUnreachable), true, time.Second},
		{"login", scheme.ErrAuth, false, 0},
		{"login with a pause", later(answer(scheme.ErrAuth)), true, time.Second},
		{"not found", scheme.ErrNotFound, false, 0},
		{"not found with a pause", later(scheme.ErrNotFound), false, 0},
		{"no file", fs.ErrNotExist, false, 0},
		{"loop", fmt.Errorf("%w: %w", scheme.ErrProtocol, ErrRedirectLoop), false, 0},
		{"denied", denied, false, 0},
		{"denied by a dialer", fmt.Errorf("%w: %w", scheme.ErrUnreachable, denied), false, 0},
		{"denied with a pause", later(denied), false, 0},
		{"syntax", syntax, false, 0},
		{"syntax of a server", fmt.Errorf("%w: %w", scheme.ErrProtocol, syntax), false, 0},
		{"unsupported", scheme.ErrUnsupported, false, 0},
		{"too large", scheme.ErrTooLarge, false, 0},
		{"interrupted", context.Canceled, false, 0},
		{"closed", net.ErrClosed, false, 0},
	}
	for _, test := range tests {
		for _, err := range []error{test.err, NewError("open", locus.MustParse("http://h/"), test.err)} {
			if test.err == nil && err != nil {
				continue // NewError has a cause of its own
			}
			if again, pause := Retry(err); again != test.again || pause != test.pause {
				t.Errorf("%s: %v, %v", test.name, again, pause)
			}
		}
	}
}

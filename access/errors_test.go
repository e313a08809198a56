package access

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

func TestKindOf(t *testing.T) {
	var p policy.Policy
	denied := p.CheckAddr(netip.MustParseAddrPort("10.0.0.1:80"), policy.Typed)
	_, syntax := locus.Parse("http")
	refused := &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	forbidden := &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.EPERM)}
	for _, s := range []struct {
		err  error
		want Kind
	}{
		{nil, ""},
		{denied, Denied},
		{fmt.Errorf("%w: %w", scheme.ErrUnreachable, denied), Denied}, // as an opener may return it
		{syntax, Syntax},
		{scheme.ErrTooLarge, TooLarge},
		{scheme.ErrUnsupported, Unsupported},
		{scheme.ErrNoScheme, Unsupported},
		{scheme.ErrNotFound, NotFound},
		{scheme.ErrAuth, Auth},
		{scheme.ErrUnreachable, Unreachable},
		{scheme.ErrProtocol, Protocol},
		{context.Canceled, Interrupted},
		{context.DeadlineExceeded, Timeout},
		{os.ErrDeadlineExceeded, Timeout},
		{&timeoutError{"nothing", time.Second}, Timeout},
		{&net.DNSError{IsTimeout: true}, Timeout},
		{&net.DNSError{IsNotFound: true}, Unreachable},
		{refused, Unreachable},
		{forbidden, Unreachable},
		{&net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}, Timeout},
		{&net.OpError{Op: "read", Err: syscall.ECONNRESET}, Unreachable},
		{fmt.Errorf("%w: %w", scheme.ErrProtocol, &net.OpError{Op: "read", Err: syscall.ECONNRESET}), Protocol},
		{fmt.Errorf("%w: %w", scheme.ErrProtocol, os.ErrDeadlineExceeded), Timeout},
		{&fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}, NotFound},
		{&fs.PathError{Op: "open", Path: "x", Err: syscall.EACCES}, Auth},
		{&dialError{"h:80", refused}, Unreachable},
		{&dialError{"h:80", context.DeadlineExceeded}, Timeout},
		{io.ErrUnexpectedEOF, Protocol},
		{errors.New("whatever"), Protocol},
	} {
		if got := KindOf(s.err); got != s.want {
			t.Errorf("KindOf(%v) = %q, want %q", s.err, got, s.want)
		}
		if s.err == nil {
			continue
		}
		for _, err := range []error{&Error{Op: "open", Err: s.err}, scheme.Hint(s.err, "hint"), fmt.Errorf("a: %w", fmt.Errorf("b: %w", s.err))} {
			if got := KindOf(err); got != s.want {
				t.Errorf("KindOf(%v) = %q, want %q", err, got, s.want)
			}
		}
	}
}

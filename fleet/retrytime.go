package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// retryTime limits retries of an operation while the servers do not respond. A cluster needs
	// some seconds to elect a new leader.
	retryTime = 2 * time.Minute
	// quietTime is the time after which a note reports the retries.
	quietTime = 5 * time.Second
	// pauseBetween is the pause between two attempts of an operation.
	pauseBetween = time.Second / 2
)

// tryQuietly is like tryFor, but without notes.
func tryQuietly[T any](ctx context.Context, f func() (T, error)) (v T, err error) {
	return tryFor(ctx, nil, f)
}

// tryFor calls f until f succeeds, the error is not temporary, or retryTime has passed. The caller
// must ensure that f is safe to repeat. The error is the last error of f or the error of ctx. If
// the attempts take longer than quietTime and note is not nil, tryFor calls note once.
func tryFor[T any](ctx context.Context, note func(format string, args ...any), f func() (T, error)) (v T, err error) {
	for begin := time.Now(); ; {
		v, err = f()
		passed := time.Since(begin)
		if err == nil || !isTemporary(err) || passed > retryTime {
			return v, err
		}
		if note != nil && passed > quietTime && ctx.Err() == nil {
			note("the NATS server %s; retrying for %s", reasonFor(err), retryTime)
			note = nil
		}
		if sleep(SystemClock{}, pauseBetween, ctx.Done()) {
			return v, ctx.Err()
		}
	}
}

// isTemporary reports whether a retry may succeed, for example after the election of a leader.
func isTemporary(err error) bool {
	api := (*jetstream.APIError)(nil)
	switch {
	case errors.As(err, &api):
		return api.Code >= 500 && !isDuplicate(err)
	case errors.Is(err, nats.ErrConnectionClosed), errors.Is(err, context.Canceled):
		return false
	}
	for _, one := range []error{
		context.DeadlineExceeded, nats.ErrTimeout, nats.ErrNoResponders, nats.ErrDisconnected, nats.ErrConnectionReconnecting,
		jetstream.ErrNoStreamResponse, jetstream.ErrAsyncPublishTimeout, jetstream.ErrTooManyStalledMsgs,
	} {
		if errors.Is(err, one) {
			return true
		}
	}
	return false
}

// Error codes without a name in package jetstream.
var (
	codesLeaderless = []jetstream.ErrorCode{10004, 10007, 10008, 10009, 10118, 10163, 10194}
	codesFull       = []jetstream.ErrorCode{10023, 10028, 10047, 10077}
)

// Unavailable returns the reason why the NATS servers can't complete an operation now, as a
// predicate such as "does not respond". If waiting does not help, it returns "".
func Unavailable(err error) (reason string) {
	api := (*jetstream.APIError)(nil)
	switch {
	case errors.As(err, &api) && slices.Contains(codesLeaderless, api.ErrorCode):
		return "has no JetStream leader: check that most servers of its cluster are running"
	case errors.As(err, &api) && slices.Contains(codesFull, api.ErrorCode):
		return "has no space left: its disk is full, or a JetStream limit is reached"
	case api == nil && isTemporary(err) && !errors.Is(err, nats.ErrNoResponders):
		return "does not respond: check that JetStream is running and has a leader"
	}
	return ""
}

// reasonFor is like Unavailable, but for other errors it returns a predicate that contains the
// text of err.
func reasonFor(err error) string {
	if text := Unavailable(err); text != "" {
		return text
	}
	if errors.Is(err, nats.ErrConnectionClosed) {
		return "is no longer connected"
	}
	return fmt.Sprintf("reports: %v", err)
}

// withoutDeadline returns a context that has no deadline, but ends when ctx ends. Package
// jetstream sets its own time limit for a request only if the context has no deadline. Without
// that limit, a request to a killed server could wait until the deadline.
func withoutDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, cancel)
	return inner, func() {
		stop()
		cancel()
	}
}

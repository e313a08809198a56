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
	// patience is how long an operation is tried that the servers do not answer. A cluster
	// needs some seconds for a new leader.
	retryTime = 2 * time.Minute
	// quietTime is after how long a user is told that an operation is tried again.
	quietTime = 5 * time.Second
	// pauseBetween is the pause between two tries.
	pauseBetween = time.Second / 2
)

// patiently is tryFor without notes.
func tryQuietly[T any](ctx context.Context, f func() (T, error)) (v T, err error) {
	return tryFor(ctx, nil, f)
}

// tryFor calls f, which may be called again, until it succeeds, the servers refuse, or they
// did not answer for a long time. The error is the last one of f, or that of ctx. note, if it is
// not nil, is called once if that takes longer.
func tryFor[T any](ctx context.Context, note func(format string, args ...any), f func() (T, error)) (v T, err error) {
	for begin := time.Now(); ; {
		v, err = f()
		passed := time.Since(begin)
		if err == nil || !isTemporary(err) || passed > retryTime {
			return v, err
		}
		if note != nil && passed > quietTime && ctx.Err() == nil {
			note("the NATS server %s; retrying for %s", reason(err), retryTime)
			note = nil
		}
		if wait(SystemClock{}, pauseBetween, ctx.Done()) {
			return v, ctx.Err()
		}
	}
}

// isTemporary reports whether the servers may answer the next time: there is no leader, say.
func isTemporary(err error) bool {
	api := (*jetstream.APIError)(nil)
	switch {
	case errors.As(err, &api):
		return api.Code >= 500 && !isHave(err)
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

// Codes of errors that package jetstream has no names for.
var (
	codesLeaderless = []jetstream.ErrorCode{10004, 10007, 10008, 10009, 10118, 10163, 10194}
	codesFull       = []jetstream.ErrorCode{10023, 10028, 10047, 10077}
)

// Unavailable returns why the NATS servers can't do an operation now, as a predicate such as
// "does not answer". If waiting does not help against the cause of err, the reason is empty.
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

// reason is Unavailable, with the text of err for another cause.
func reason(err error) string {
	if text := Unavailable(err); text != "" {
		return text
	}
	if errors.Is(err, nats.ErrConnectionClosed) {
		return "is no longer connected"
	}
	return fmt.Sprintf("reports: %v", err)
}

// undated returns ctx without its deadline, at which it is cancelled: only then has each request
// to the servers the time limit of package jetstream. A request to a server that was killed is
// never answered.
func undated(ctx context.Context) (context.Context, context.CancelFunc) {
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, cancel)
	return inner, func() {
		stop()
		cancel()
	}
}

package fleet

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// patience is how long an operation is tried that the servers do not answer. A cluster
	// needs some seconds for a new leader.
	patience = 2 * time.Minute
	// pauseBetween is the pause between two tries.
	pauseBetween = time.Second / 2
)

// patiently calls f, which may be called again, until it succeeds, the servers refuse, or they
// did not answer for a long time. The error is the last one of f, or that of ctx.
func patiently[T any](ctx context.Context, f func() (T, error)) (v T, err error) {
	for end := time.Now().Add(patience); ; {
		v, err = f()
		if err == nil || !isTemporary(err) || time.Now().After(end) {
			return v, err
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

package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// startRetryTime limits how long a command waits at its start for unavailable NATS servers.
	// The wait of the subcommands worker and ui has no limit.
	startRetryTime = 2 * time.Minute
	// startPause is the pause between attempts.
	startPause = time.Second / 2
)

// temporaryError means that the NATS servers are unavailable, but may become available later.
type temporaryError struct{ error }

func (e temporaryError) Unwrap() error { return e.error }

// await calls attempt until the error is not a temporaryError, or the time limit is reached. The
// caller must ensure that attempt is safe to repeat. await writes a note about each different
// error, and another note when the servers respond.
func await[T any](ctx context.Context, c *command, attempt func() (T, error)) (v T, err error) {
	noted := map[string]bool{}
	for begin := time.Now(); ; {
		v, err = attempt()
		if err == nil && len(noted) > 0 {
			c.note("the NATS server responds")
		}
		if !errors.As(err, new(temporaryError)) || !c.forever && time.Since(begin) > startRetryTime {
			return v, err
		}
		if text := err.Error(); !noted[text] && ctx.Err() == nil {
			noted[text] = true
			c.note("%s; %s", text, c.retryTimeText())
		}
		select {
		case <-ctx.Done():
			return v, accessError{ctx.Err()}
		case <-time.After(startPause):
		}
	}
}

func (c *command) retryTimeText() string {
	if c.forever {
		return "retrying until it succeeds"
	}
	return fmt.Sprintf("retrying for %s", startRetryTime)
}

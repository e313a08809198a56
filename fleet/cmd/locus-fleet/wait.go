package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// startRetryTime is how long a command waits at its start for unavailable NATS servers. For a
	// worker and a page, the wait has no limit.
	startRetryTime = 2 * time.Minute
	// startPause is the pause between two attempts.
	startPause = time.Second / 2
)

// away is a temporary error, because the NATS servers may be available later.
type away struct{ error }

func (e away) Unwrap() error { return e.error }

// await calls do until the servers are available. The caller must ensure that do is safe to repeat.
// await writes a note about each different error, and a final note when the servers respond.
func await[T any](ctx context.Context, c *command, do func() (T, error)) (v T, err error) {
	told := map[string]bool{}
	for begin := time.Now(); ; {
		v, err = do()
		if err == nil && len(told) > 0 {
			c.note("the NATS server responds")
		}
		if !errors.As(err, new(away)) || !c.forever && time.Since(begin) > startRetryTime {
			return v, err
		}
		if text := err.Error(); !told[text] && ctx.Err() == nil {
			told[text] = true
			c.note("%s; %s", text, c.retryTimeText())
		}
		select {
		case <-ctx.Done():
			return v, failed{ctx.Err()}
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

package fleet

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"
)

// TestTryFor checks that requests to an unresponsive server are retried for two minutes, with one
// note.
func TestTryFor(t *testing.T) {
	for name, c := range map[string]struct {
		tries int // number of calls until one succeeds
		err   error
		want  error
		notes int
		least time.Duration
	}{
		"at once":          {0, nats.ErrTimeout, nil, 0, 0},
		"soon":             {4, nats.ErrNoResponders, nil, 0, 4 * pauseBetween},
		"later":            {60, context.DeadlineExceeded, nil, 1, 60 * pauseBetween},
		"never":            {1e9, nats.ErrDisconnected, nats.ErrDisconnected, 1, retryTime},
		"refused":          {1e9, nats.ErrPermissionViolation, nats.ErrPermissionViolation, 0, 0},
		"closed by itself": {1e9, nats.ErrConnectionClosed, nats.ErrConnectionClosed, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin, tries, notes := time.Now(), 0, 0
				got, err := tryFor(t.Context(), func(string, ...any) { notes++ }, func() (int, error) {
					if tries++; tries > c.tries {
						return 7, nil
					}
					return 0, fmt.Errorf("wrapped: %w", c.err)
				})
				passed := time.Since(begin)
				if !errors.Is(err, c.want) || (got == 7) != (c.want == nil) || notes != c.notes || passed < c.least || passed > c.least+time.Second {
					t.Errorf("%d, %v after %s, %d notes", got, err, passed, notes)
				}
			})
		})
	}
}

// TestTryForEnds checks that the end of the context immediately ends the retries without a note.
func TestTryForEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(quietTime-pauseBetween/2, cancel)
		begin := time.Now()
		_, err := tryFor(ctx, func(format string, args ...any) { t.Errorf(format, args...) }, func() (int, error) { return 0, nats.ErrTimeout })
		if !errors.Is(err, context.Canceled) || time.Since(begin) > quietTime {
			t.Error(err, time.Since(begin))
		}
	})
}

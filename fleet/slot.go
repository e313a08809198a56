package fleet

import (
	"cmp"
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/verify"
)

// Dial is the type of [access.Options].Dial.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// NewClient returns a client for sequential requests. The client must call the function check
// before it opens a URL, as it calls [access.Options].Check. It must connect only through the
// Dial that wrap returns for the client's own Dial. Each HTTP request must use its own
// connection. All time limits of the client except the idle timeout must be [TurnTime] longer
// than without a fleet. The caller must call the returned function to close the client.
type NewClient func(check func(locus.URL) error, wrap func(Dial) Dial) (c *access.Client, close func(), err error)

// TurnTime limits the time that a client waits in Dial until the per-host limits allow a
// connection. The client's time limits for a connection and a request must be longer by TurnTime.
const TurnTime = 2 * time.Minute

// slot checks one target at a time. Before the slot connects to a host, it waits for a turn,
// which is the right to send requests to that host.
type slot struct {
	worker  *Worker
	client  *access.Client
	checker *verify.Checker

	mu         sync.Mutex
	url        locus.URL // URL that the client opens
	isDialed   bool      // the client has made a connection for url
	isChecking bool      // a check is running
	ctx        context.Context
	cancel     context.CancelFunc // cancels the requests for the target
	turn       turn               // turn at the host of url, or nil
	stopCancel func() bool        // undoes the cancellation at the end of the turn
	lateErr    error              // reason why the slot got no turn; not the target's fault
	// mayPostpone reports whether the slot may postpone the request for url until the worker has
	// a turn at the host of url. This is allowed only before the first byte of the request is
	// sent. Otherwise the slot waits for the turn.
	mayPostpone bool
}

func (w *Worker) newSlot() (*slot, func(), error) {
	s := &slot{worker: w}
	c, closeClient, err := w.options.Client(s.check, s.wrap)
	if err != nil {
		return nil, nil, err
	}
	s.client = c
	o := w.options.Verify
	o.Timeout = cmp.Or(max(o.Timeout, 0), defaultTimeout) + TurnTime
	s.checker = verify.NewChecker(c, &o, s.robots)
	return s, closeClient, nil
}

const (
	// defaultTimeout is the default of [verify.Options].
	defaultTimeout = 90 * time.Second
	defaultConnect = 30 * time.Second
)

// robots is the [verify.RobotsFunc] of the slot.
func (s *slot) robots(ctx context.Context, root locus.URL, fetch func(context.Context) ([]byte, error)) ([]byte, error) {
	s.mu.Lock()
	held := s.mayPostpone
	s.mayPostpone = false // all targets of the site wait for the robots.txt, so its request must not be postponed
	s.mu.Unlock()
	octets, err := s.worker.robots(ctx, root, fetch)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mayPostpone = held
	if errors.Is(err, errLate) {
		s.setLate(err)
	}
	return octets, err
}

// check records u as the URL that the client opens next.
func (s *slot) check(u locus.URL) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.url, s.isDialed = u, false
	return nil
}

// wrap returns a Dial that waits for a turn, and then calls the function dial.
func (s *slot) wrap(dial Dial) Dial {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		start, isFirst, err := s.awaitStart(ctx)
		if err != nil {
			return nil, err
		}
		ctx, cancel := context.WithTimeout(ctx, cmp.Or(s.worker.options.DialTimeout, defaultConnect))
		defer cancel()
		c, err := dial(ctx, network, address)
		if !isFirst {
			return c, err
		}
		if err != nil {
			start.markBegun()
			return nil, err
		}
		return &requestConn{Conn: c, start: start, awaitStart: s.awaitNextStart}, nil
	}
}

// awaitStart waits until a connection to the host of s.url is allowed. The result isFirst reports
// whether a request begins with this connection. In that case, the caller must call
// start.markBegun when the request begins.
func (s *slot) awaitStart(ctx context.Context) (start requestStart, isFirst bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isChecking || s.lateErr != nil {
		return start, false, errLate // the request has been cancelled
	}
	if s.isDialed && !s.client.Registry().Scheme(s.url).Traits.Has(scheme.Web) {
		// A data connection, or a connection to the host's next IP address, is part of the same
		// request.
		return start, false, nil
	}
	hop, err := s.currentHop()
	if err != nil {
		return start, false, err
	}
	for range 3 {
		if err = s.switchTurn(ctx, hop); err == nil {
			start, err = s.turn.awaitStart(ctx)
		}
		if err == nil {
			s.isDialed, s.mayPostpone = true, false
			return start, true, nil
		}
		if !s.mayTryAgain(ctx, err) {
			break
		}
	}
	if errors.As(err, new(*pauseError)) && s.mayPostpone {
		err = hop
	}
	s.setLate(err)
	return start, false, err
}

// heldPause is the longest pause for which a slot waits between two requests of a check, such as
// HEAD and GET. After a longer pause, the slot repeats the first request.
const heldPause = 5 * time.Second

// mayTryAgain reports whether another attempt after err may get a turn. If the host requested a
// short pause, mayTryAgain waits for the end of the pause. The caller must hold s.mu.
func (s *slot) mayTryAgain(ctx context.Context, err error) bool {
	if rest := (*pauseError)(nil); errors.As(err, &rest) {
		return s.isDialed && rest.skipReason == "" && rest.remaining <= heldPause && !sleep(s.worker.clock, rest.remaining, ctx.Done())
	}
	had := s.turn != nil
	s.releaseTurn() // a new turn has a longer remaining validity
	return had
}

// setLate records err as the reason why the slot got no turn. The caller must hold s.mu.
func (s *slot) setLate(err error) {
	if s.lateErr == nil && (errors.Is(err, errLate) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, new(*pauseError)) || errors.As(err, new(*hopError))) {
		s.lateErr = err
		s.cancel() // stop the client, so that it sends no further requests
	}
}

// awaitNextStart waits again until a request may begin. The connection calls it if the previous
// permission expired while the client was connecting.
func (s *slot) awaitNextStart() (start requestStart, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isChecking || s.turn == nil {
		return start, errLate
	}
	start, err = s.turn.awaitStart(s.ctx)
	s.setLate(err)
	return start, err
}

// currentHop returns the host of s.url and the limits of this host.
func (s *slot) currentHop() (*hopError, error) {
	canonical, _, err := s.client.Registry().Canonical(s.url.WithoutFragment())
	if err != nil {
		return nil, err
	}
	name, atOnce, interval := s.checker.Host(canonical)
	return &hopError{s.worker.frontier.hostAddressOf(name), limits{atOnce: atOnce, interval: interval}}, nil
}

// switchTurn sets s.turn to a turn at the host of hop. It first releases the turn at the previous
// host, so that two slots never wait for each other. If the slot may postpone the request,
// switchTurn does not wait, and returns hop as the error. The request to the previous host must
// have ended. The caller must hold s.mu.
func (s *slot) switchTurn(ctx context.Context, hop *hopError) error {
	if s.turn != nil && s.turn.host() == hop.host.host {
		return nil
	}
	s.releaseTurn()
	if s.mayPostpone {
		return hop
	}
	t, err := s.worker.awaitTurnAt(ctx, hop.host, hop.limits)
	if err == nil {
		s.setTurn(t)
	}
	return err
}

// setTurn sets the turn of the slot to t. The caller must hold s.mu.
func (s *slot) setTurn(t turn) {
	s.turn, s.stopCancel = t, context.AfterFunc(t.context(), s.cancel)
}

// releaseTurn releases the turn of the slot. The caller must hold s.mu.
func (s *slot) releaseTurn() {
	if s.turn != nil {
		s.stopCancel()
		s.turn.release()
		s.turn = nil
	}
}

// runCheck makes the requests of a check, beginning with r. If firstTurn is not nil, the first
// request uses this turn. If the slot got no turn in time or a turn ended, the response is
// invalid, lateErr is the reason, and nextRequest is the request that was not made. If
// mayPostpone is true, lateErr may be a *hopError. In that case any slot can continue the check
// with nextRequest after the worker has got a turn at the other host. The slot holds its turn
// until the caller calls endCheck.
func (s *slot) runCheck(ctx context.Context, firstTurn turn, r *verify.Request, mayPostpone bool) (answer verify.Response, nextRequest *verify.Request, lateErr error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.mu.Lock()
	s.lateErr, s.isChecking = nil, true
	s.ctx, s.cancel = ctx, cancel
	if firstTurn != nil {
		s.setTurn(firstTurn)
	}
	s.mu.Unlock()
	for {
		s.mu.Lock()
		s.isDialed, s.mayPostpone = false, mayPostpone
		s.mu.Unlock()
		answer = s.checker.Do(ctx, r)
		if answer.Next == nil || ctx.Err() != nil {
			break
		}
		r = answer.Next
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isChecking = false
	if s.lateErr == nil && ctx.Err() != nil {
		s.lateErr = errLate
	}
	return answer, r, s.lateErr
}

// reportPause records that the host of the slot's turn requested a pause.
func (s *slot) reportPause(d time.Duration, skipReason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn != nil {
		s.turn.reportPause(d, skipReason)
	}
}

// endCheck releases the turn of the slot.
func (s *slot) endCheck() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.releaseTurn()
}

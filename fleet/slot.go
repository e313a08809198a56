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

// NewClient returns a client for sequential requests. The client must call the function check for
// each URL, as it calls [access.Options].Check. It must dial only through wrap(dial), where dial
// is the function that connects. Each HTTP request must use its own connection. All time limits
// of the client except the idle timeout must be [TurnTime] longer than without a fleet. The
// caller calls the returned function close to close the client.
type NewClient func(check func(locus.URL) error, wrap func(Dial) Dial) (c *access.Client, close func(), err error)

// TurnTime limits the time that a client waits in Dial because the host limits allow no connection
// yet. The client's time limits for a connection and a request must be longer by TurnTime.
const TurnTime = 2 * time.Minute

// slot checks one target at a time. Before the slot dials a host, it waits for a turn, which is the
// right to send requests to that host.
type slot struct {
	worker  *Worker
	client  *access.Client
	checker *verify.Checker

	mu     sync.Mutex
	at     locus.URL // URL that is being opened
	begun  bool      // a connection for the URL at was made
	isOpen bool      // a check is running
	ctx    context.Context
	cancel context.CancelFunc // cancels the requests for the target
	turn   turn               // turn at the host of the URL at, or nil
	unbind func() bool        // stops cancellation by the turn
	late   error              // reason why no turn came, which is not the target's fault
	// hops reports whether the request for the URL at may be postponed until the worker has a turn
	// at the host of this URL. The slot may postpone only a request of which it has sent nothing.
	// Otherwise the slot waits for the turn.
	hops bool
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
	held := s.hops
	s.hops = false // the robots.txt is shared by targets, and not part of the request
	s.mu.Unlock()
	octets, err := s.worker.robots(ctx, root, fetch)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hops = held
	if errors.Is(err, errLate) {
		s.fail(err)
	}
	return octets, err
}

// check stores u as the URL that the client opens next.
func (s *slot) check(u locus.URL) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at, s.begun = u, false
	return nil
}

// wrap returns a Dial that waits for a turn before it calls the function dial.
func (s *slot) wrap(dial Dial) Dial {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		begin, isFirst, err := s.wait(ctx)
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
			begin.began()
			return nil, err
		}
		return &firstConn{Conn: c, start: begin, again: s.again}, nil
	}
}

// wait waits until a connection to the host of the open URL is allowed. isFirst reports whether a
// request begins with this connection. In that case, the caller must call begin.began when the
// request begins.
func (s *slot) wait(ctx context.Context) (begin start, isFirst bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isOpen || s.late != nil {
		return begin, false, errLate // the client dials for a cancelled request
	}
	if s.begun && !s.client.Registry().Scheme(s.at).Traits.Has(scheme.Web) {
		// A data connection or the next address is part of the same request.
		return begin, false, nil
	}
	to, err := s.lead()
	if err != nil {
		return begin, false, err
	}
	for range 3 {
		if err = s.turnAt(ctx, to); err == nil {
			begin, err = s.turn.begin(ctx)
		}
		if err == nil {
			s.begun, s.hops = true, false
			return begin, true, nil
		}
		if !s.mayTryAgain(ctx, err) {
			break
		}
	}
	if errors.As(err, new(*restError)) && s.hops {
		err = to
	}
	s.fail(err)
	return begin, false, err
}

// heldPause is the longest pause for which a slot waits between two requests of a check, such as
// HEAD and GET. After a longer pause, the slot repeats the first request.
const heldPause = 5 * time.Second

// mayTryAgain reports whether another attempt may get a turn after err. The caller must hold s.mu.
func (s *slot) mayTryAgain(ctx context.Context, err error) bool {
	if rest := (*restError)(nil); errors.As(err, &rest) {
		return s.begun && rest.shut == "" && rest.left <= heldPause && !wait(s.worker.clock, rest.left, ctx.Done())
	}
	had := s.turn != nil
	s.giveBack() // a new turn may be valid for a longer time
	return had
}

// fail records err as the reason why no turn came. The caller must hold s.mu.
func (s *slot) fail(err error) {
	if s.late == nil && (errors.Is(err, errLate) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, new(*restError)) || errors.As(err, new(*hopError))) {
		s.late = err
		s.cancel() // stop the client, so that it sends no further requests
	}
}

// again waits until a request may begin. The connection calls it if connecting took longer than the
// turn allowed.
func (s *slot) again() (begin start, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isOpen || s.turn == nil {
		return begin, errLate
	}
	begin, err = s.turn.begin(s.ctx)
	s.fail(err)
	return begin, err
}

// lead returns the host of the URL that the client is opening, with the limits of this host.
func (s *slot) lead() (*hopError, error) {
	canonical, _, err := s.client.Registry().Canonical(s.at.WithoutFragment())
	if err != nil {
		return nil, err
	}
	name, atOnce, interval := s.checker.Host(canonical)
	return &hopError{s.worker.frontier.placeOf(name), limits{atOnce: atOnce, interval: interval}}, nil
}

// turnAt sets s.turn to a turn at the host of the hopError to. It first releases the turn at the
// previous host, so that two hosts never wait for each other. The request to the previous host has
// ended. If the slot may postpone the request, turnAt does not wait, and returns the hopError. The
// caller must hold s.mu.
func (s *slot) turnAt(ctx context.Context, to *hopError) error {
	if s.turn != nil && s.turn.host() == to.at.host {
		return nil
	}
	s.giveBack()
	if s.hops {
		return to
	}
	t, err := s.worker.turnAt(ctx, to.at, to.limits)
	if err == nil {
		s.use(t)
	}
	return err
}

// use sets the turn of the slot to t. The caller must hold s.mu.
func (s *slot) use(t turn) {
	s.turn, s.unbind = t, context.AfterFunc(t.context(), s.cancel)
}

// giveBack releases the turn. The caller must hold s.mu.
func (s *slot) giveBack() {
	if s.turn != nil {
		s.unbind()
		s.turn.release()
		s.turn = nil
	}
}

// ask makes the requests of a check, beginning with r. If first is not nil, ask uses this turn
// first. If no turn came in time or a turn ended, the response is invalid, late is the reason, and
// rest is the request that was not made. If hops is true, late may be a *hopError. In that case any
// slot can continue the check with rest, when there is a turn at the other host. The slot holds its
// turn until the caller calls end.
func (s *slot) ask(ctx context.Context, first turn, r *verify.Request, hops bool) (answer verify.Response, rest *verify.Request, late error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.mu.Lock()
	s.late, s.isOpen = nil, true
	s.ctx, s.cancel = ctx, cancel
	if first != nil {
		s.use(first)
	}
	s.mu.Unlock()
	for {
		s.mu.Lock()
		s.begun, s.hops = false, hops
		s.mu.Unlock()
		answer = s.checker.Do(ctx, r)
		if answer.Next == nil || ctx.Err() != nil {
			break
		}
		r = answer.Next
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isOpen = false
	if s.late == nil && ctx.Err() != nil {
		s.late = errLate
	}
	return answer, r, s.late
}

// rest records that the host of the slot's turn requested a pause.
func (s *slot) rest(d time.Duration, shut string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn != nil {
		s.turn.rest(d, shut)
	}
}

// end releases the turn.
func (s *slot) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.giveBack()
}

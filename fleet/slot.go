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

// slot checks one target at a time. Before it dials, it waits for a turn at the host.
type slot struct {
	worker  *Worker
	client  *access.Client
	checker *verify.Checker

	mu     sync.Mutex
	at     locus.URL // URL that is being opened
	begun  bool      // a connection was made for it
	isOpen bool      // a check is running
	ctx    context.Context
	cancel context.CancelFunc // cancels the requests for the target
	turn   turn               // turn at its host, or nil
	unbind func() bool        // detaches ctx from turn
	late   error              // why a turn did not come; not the target's fault
	// hops reports whether the request may be postponed until a turn at another host, because no
	// part of it was sent. Otherwise the slot waits for the turn.
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
	s.hops = false // the file is shared and not part of the request
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

// check remembers the URL that is opened next.
func (s *slot) check(u locus.URL) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at, s.begun = u, false
	return nil
}

// wrap returns a Dial that waits for a turn.
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
// request begins with the connection; the caller must then report the beginning to begin.
func (s *slot) wait(ctx context.Context) (begin start, isFirst bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isOpen || s.late != nil {
		return begin, false, errLate // a cancelled request dials
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

// heldPause is the longest pause that a slot waits between two parts of a request, such as HEAD and
// GET. After a longer pause it repeats the first part.
const heldPause = 5 * time.Second

// mayTryAgain reports whether a turn may still come after err. The caller must hold s.mu.
func (s *slot) mayTryAgain(ctx context.Context, err error) bool {
	if rest := (*restError)(nil); errors.As(err, &rest) {
		return s.begun && rest.shut == "" && rest.left <= heldPause && !wait(s.worker.clock, rest.left, ctx.Done())
	}
	had := s.turn != nil
	s.giveBack() // a new turn may be valid for longer
	return had
}

// fail records why a turn did not come. The caller must hold s.mu.
func (s *slot) fail(err error) {
	if s.late == nil && (errors.Is(err, errLate) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, new(*restError)) || errors.As(err, new(*hopError))) {
		s.late = err
		s.cancel() // no further requests
	}
}

// again waits until a request may begin after connecting took longer than its turn.
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

// lead returns the target of the URL that is being opened.
func (s *slot) lead() (*hopError, error) {
	canonical, _, err := s.client.Registry().Canonical(s.at.WithoutFragment())
	if err != nil {
		return nil, err
	}
	name, atOnce, interval := s.checker.Host(canonical)
	return &hopError{s.worker.frontier.placeOf(name), limits{atOnce: atOnce, interval: interval}}, nil
}

// turnAt sets s.turn to a turn at a host. The request to the previous host has ended. Its turn is
// released first, so that two hosts never wait for each other. If the request can be postponed, the
// slot does not wait and the error is to. The caller must hold s.mu.
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

// ask makes the requests of a check, beginning with r and, if it is not nil, the turn first. If a
// turn did not come in time or ended, the response is meaningless: late is the reason, and rest is
// the request that was not made. With hops, late may be a *hopError: the check continues at another
// host with rest, in any slot. Until end, the slot holds the turn at the host that responded.
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

// rest records that the host that responded requested a pause.
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

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

// NewClient returns a client for one request after another. It calls check for each URL, as
// [access.Options].Check, and dials only through wrap(dial), whose dial connects. Each request
// over HTTP must have its own connection. The time limits of the client, except the one for a
// silence, must be [TurnTime] longer than without a fleet. close closes the client.
type NewClient func(check func(locus.URL) error, wrap func(Dial) Dial) (c *access.Client, close func(), err error)

// TurnTime is the most time that a client waits in Dial, for turns at hosts: its limits for a
// connection and for a request must be so much longer.
const TurnTime = 2 * time.Minute

// slot asks for one target at a time. Before it dials, it waits for a turn at the host.
type slot struct {
	worker  *Worker
	client  *access.Client
	checker *verify.Checker

	mu     sync.Mutex
	at     locus.URL // the URL that is opened
	begun  bool      // a connection for it was made
	isOpen bool      // a target is asked for
	ctx    context.Context
	cancel context.CancelFunc // ends the requests for the target
	turn   turn               // at the host of it; nil: none
	unbind func() bool        // turn does not end ctx any more
	late   error              // why a turn did not come: it says nothing about the target
	// hops reports that the request may be made later, in a turn at another host: no part of it was
	// made. Otherwise the slot waits for the turn.
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
	// defaultTimeout is that of [verify.Options].
	defaultTimeout = 90 * time.Second
	defaultConnect = 30 * time.Second
)

// robots is the [verify.RobotsFunc] of the slot.
func (s *slot) robots(ctx context.Context, root locus.URL, fetch func(context.Context) ([]byte, error)) ([]byte, error) {
	s.mu.Lock()
	held := s.hops
	s.hops = false // the file is shared, and no part of the request
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

// wrap returns a dial that waits for a turn.
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

// wait waits until a connection to the host of the URL that is opened may be made. isFirst
// reports that a request begins with it, of which begin must be told.
func (s *slot) wait(ctx context.Context) (begin start, isFirst bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isOpen || s.late != nil {
		return begin, false, errLate // a request that was given up dials
	}
	if s.begun && !s.client.Registry().Scheme(s.at).Traits.Has(scheme.Web) {
		// A data connection, or the next address: a part of the same request.
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

// heldPause is the longest pause that a slot waits for between two parts of a request, such as
// HEAD and GET. After a longer one the first part is sent again.
const heldPause = 5 * time.Second

// mayTryAgain reports whether another turn may come after err. The caller must hold s.mu.
func (s *slot) mayTryAgain(ctx context.Context, err error) bool {
	if rest := (*restError)(nil); errors.As(err, &rest) {
		return s.begun && rest.shut == "" && rest.left <= heldPause && !wait(s.worker.clock, rest.left, ctx.Done())
	}
	had := s.turn != nil
	s.giveBack() // another one may be valid for longer
	return had
}

// fail records why a turn did not come. The caller must hold s.mu.
func (s *slot) fail(err error) {
	if s.late == nil && (errors.Is(err, errLate) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.As(err, new(*restError)) || errors.As(err, new(*hopError))) {
		s.late = err
		s.cancel() // nothing else is asked
	}
}

// again waits until the request may begin whose connection was made too late for its turn.
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

// lead returns where the URL leads that is opened.
func (s *slot) lead() (*hopError, error) {
	canonical, _, err := s.client.Registry().Canonical(s.at.WithoutFragment())
	if err != nil {
		return nil, err
	}
	name, atOnce, interval := s.checker.Host(canonical)
	return &hopError{s.worker.frontier.placeOf(name), limits{atOnce: atOnce, interval: interval}}, nil
}

// turnAt makes s.turn that of a host. The request to the host before has ended: its turn is
// given back first, so that no two hosts wait for each other. The error is to if the request can
// be made later: then the slot does not wait. The caller must hold s.mu.
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

// use makes t the turn of the slot. The caller must hold s.mu.
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

// ask makes the requests of a check from r on, with the first turn if it is not nil. late is why the
// answer says nothing: a turn did not come in time, or has ended. Then rest is the request that was
// not made. With hops, late may be a *hopError: the check continues there with rest, in any slot.
// Until end, the slot has the turn at the host that answered.
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

// rest tells the host that answered that it asked for a pause.
func (s *slot) rest(d time.Duration, shut string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn != nil {
		s.turn.rest(d, shut)
	}
}

// end gives the turn back.
func (s *slot) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.giveBack()
}

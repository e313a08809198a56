package fleet

import (
	"context"
	"errors"
	"net"
	"sync"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/verify"
)

// Dial is the type of [access.Options].Dial.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// NewClient returns a client for one request after another. It calls check for each URL, as
// [access.Options].Check, and dials only through wrap(dial), whose dial connects. Each request
// over HTTP must have its own connection. close closes the client; idle closes the connections
// that are idle.
type NewClient func(check func(locus.URL) error, wrap func(Dial) Dial) (c *access.Client, idle, close func(), err error)

// slot asks for one target at a time. Before it dials, it waits for a turn at the host.
type slot struct {
	worker *Worker
	client *access.Client
	asker  *verify.Asker
	idle   func()

	mu     sync.Mutex
	at     locus.URL // the URL that is opened
	begun  bool      // a connection for it was made
	isOpen bool      // a target is asked for
	turn   *turn     // at the host of it; nil: none
	isLate bool      // a turn did not come in time
}

func (w *Worker) newSlot() (*slot, func(), error) {
	s := &slot{worker: w}
	c, idle, closeClient, err := w.options.Client(s.check, s.wrap)
	if err != nil {
		return nil, nil, err
	}
	s.client, s.idle = c, idle
	s.asker = verify.NewAsker(c, &w.options.Verify, w.robots)
	return s, closeClient, nil
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
		began, err := s.wait(ctx)
		if err != nil {
			return nil, err
		}
		c, err := dial(ctx, network, address)
		began()
		return c, err
	}
}

// wait waits for the turn of a connection to the host of the URL that is opened. began must
// be called when it was dialled.
func (s *slot) wait(ctx context.Context) (began func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isOpen {
		return nil, errLate // a request that was given up dials
	}
	isWeb := s.client.Registry().Scheme(s.at).Traits.Has(scheme.Web)
	if s.begun && !isWeb {
		// A data connection, or the next address: a part of the same request.
		return func() {}, nil
	}
	for range 3 {
		if err = s.turnHere(ctx); err != nil {
			break
		}
		if err = s.turn.begin(ctx); err == nil {
			s.begun = true
			return s.turn.began, nil
		}
		// Another turn may be valid for longer.
		s.turn.release()
		s.turn = nil
	}
	s.isLate = s.isLate || errors.Is(err, errLate)
	return nil, err
}

// turnHere makes s.turn that of the host of the URL that is opened. The request to the host
// before has ended: its turn is given back first, so that no two hosts wait for each other.
func (s *slot) turnHere(ctx context.Context) error {
	canonical, _, err := s.client.Registry().Canonical(s.at.WithoutFragment())
	if err != nil {
		return err
	}
	name, atOnce, interval := s.asker.Host(&verify.Target{URL: canonical, Canonical: canonical})
	at := s.worker.frontier.placeOf(name)
	if s.turn != nil && s.turn.hash == at.host {
		return nil
	}
	s.giveBack()
	s.turn, err = s.worker.turnAt(ctx, at, atOnce, interval)
	return err
}

func (s *slot) giveBack() {
	if s.turn != nil {
		s.turn.release()
		s.turn = nil
	}
}

// ask asks for a target of h with the turn that it has got. late reports that a turn did not
// come in time: the answer says nothing.
func (s *slot) ask(ctx context.Context, first *turn, t *verify.Target, fragments []string) (answer verify.Answer, late bool) {
	s.mu.Lock()
	s.turn, s.isLate, s.begun, s.isOpen = first, false, false, true
	s.mu.Unlock()
	answer = s.asker.Ask(ctx, t, fragments)
	s.idle()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isOpen = false
	s.giveBack()
	return answer, s.isLate
}

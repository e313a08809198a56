package fleet

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// A redirect may lead to a host that another worker owns. In that case the worker requests a
// permit, which is a turn at the owner's host. The validity of a permit begins before the request
// for it was sent. It never exceeds the owner's lease, and the worker renews it during the request
// to the host. So the permit expires before a third worker can own the host.
const (
	// permitTime is how long a permit allows a request to begin. No other request to the host
	// begins until the request has begun, or until this time and a margin have passed.
	permitTime = 2 * time.Second
	// permitEnd is how long a permit is valid after the last message from its holder.
	permitEnd = leaseTime + leaseMargin
	// permitWait limits how long the owner of a host delays its reply to a request for a permit.
	permitWait = 15 * time.Second
	// turnWait limits the wait for a turn.
	turnWait = 45 * time.Second
)

// permitRecord is a request from one worker to another, and its reply.
type permitRecord struct {
	// Fields of a request for a permit.
	Host     string        `json:"host,omitempty"`
	AtOnce   int           `json:"atOnce,omitempty"`
	Interval time.Duration `json:"interval,omitempty"`
	// Fields of a message about a permit.
	ID     string        `json:"id,omitempty"`
	Event  permitEvent   `json:"event,omitempty"`
	Pause  time.Duration `json:"pause,omitempty"`
	Shut   string        `json:"shut,omitempty"`
	Waited time.Duration `json:"waited,omitempty"` // in a reply: time until the permit was granted
	Left   time.Duration `json:"left,omitempty"`   // in a reply: time for which the permit is valid after it was granted
	Error  string        `json:"error,omitempty"`  // in a reply: why the permit was denied
}

// permitEvent is the kind of a message about a permit.
type permitEvent string

const (
	permitBegun permitEvent = "begun" // the request has begun
	permitHeld  permitEvent = "held"  // the request continues; the reply contains the time limit
	permitRest  permitEvent = "rest"  // the host requested a pause
	permitEnded permitEvent = "ended" // the request has ended
)

const (
	maxPermit = 4096
	maxShut   = 200 // length of the reason for a pause, in bytes
)

// parsePermit parses a message about permits. The message is untrusted.
func parsePermit(data []byte) (r permitRecord, ok bool) {
	if len(data) > maxPermit || json.Unmarshal(data, &r) != nil {
		return r, false
	}
	for _, d := range []*time.Duration{&r.Interval, &r.Waited, &r.Left, &r.Pause} {
		*d = min(max(*d, 0), maxPause)
	}
	r.AtOnce = max(r.AtOnce, 0)
	r.Shut = r.Shut[:min(len(r.Shut), maxShut)]
	return r, r.Host == "" || isHostHash(r.Host)
}

// isHostHash reports whether text has the form of a host's hash.
func isHostHash(text string) bool {
	_, err := hex.DecodeString(text)
	return err == nil && len(text) == 16
}

// permit is a turn at a host of this worker that another worker holds.
type permit struct {
	host   *host
	ticket ticket
	timer  func() // stops the expiry timer
}

// servePermits responds to permit requests for a partition.
func (w *Worker) servePermits(p *partition) (*nats.Subscription, error) {
	return w.frontier.nc.Subscribe(w.frontier.permitSubject(p.number), func(m *nats.Msg) {
		r, ok := parsePermit(m.Data)
		switch {
		case !ok:
		case r.Host == "":
			if reply := w.hear(p, &r); m.Reply != "" {
				respond(m, reply)
			}
		case m.Reply != "":
			w.spawn(func() { respond(m, w.permit(p, &r)) })
		}
	})
}

func respond(m *nats.Msg, r permitRecord) {
	if text, err := json.Marshal(r); err == nil {
		// If the reply is lost, the other worker repeats its request, and the permit expires.
		_ = m.Respond(text)
	}
}

func (f *Frontier) permitSubject(partition int) string {
	return f.subject("permit", fmt.Sprint(partition))
}

// permit waits for a turn at a host of p, and grants it as a permit.
func (w *Worker) permit(p *partition, r *permitRecord) permitRecord {
	received := w.clock.Now()
	ctx, cancel := w.within(p.ctx, permitWait)
	defer cancel()
	h, err := w.turnIn(ctx, p, r.Host, limits{atOnce: r.AtOnce, interval: r.Interval})
	if err != nil {
		return permitRecord{Error: err.Error()}
	}
	t, err := w.queue.begin(ctx, h, permitTime+ticketMargin)
	if err != nil {
		w.queue.release(h, 0)
		rest := new(restError)
		errors.As(err, &rest)
		return permitRecord{Error: err.Error(), Pause: rest.left, Shut: rest.shut}
	}
	id := rand.Text()
	w.mu.Lock()
	w.permits[id] = &permit{host: h, ticket: t, timer: w.endLater(id)}
	w.mu.Unlock()
	return permitRecord{ID: id, Waited: w.clock.Now().Sub(received), Left: p.left(w.clock)}
}

func (w *Worker) endLater(id string) (stop func()) {
	return w.clock.AfterFunc(permitEnd, func() { w.endPermit(id) })
}

// hear handles a message about a permit.
func (w *Worker) hear(p *partition, r *permitRecord) permitRecord {
	w.mu.Lock()
	held := w.permits[r.ID]
	if held != nil && r.Event == permitHeld {
		held.timer()
		held.timer = w.endLater(r.ID)
	}
	w.mu.Unlock()
	switch {
	case held == nil:
		return permitRecord{Error: "the permit has expired"}
	case r.Event == permitBegun:
		w.queue.began(held.host, held.ticket)
	case r.Event == permitRest:
		w.queue.rest(held.host, r.Pause, r.Shut)
		w.keepHost(held.host)
	case r.Event == permitEnded:
		w.endPermit(r.ID)
	}
	return permitRecord{ID: r.ID, Left: p.left(w.clock)}
}

func (w *Worker) endPermit(id string) {
	w.mu.Lock()
	p := w.permits[id]
	delete(w.permits, id)
	w.mu.Unlock()
	if p != nil {
		p.timer()
		// A request may have begun without a message. In that case, its ticket expires.
		w.queue.release(p.host, 0)
	}
}

// turnIn waits for a turn at a host of p.
func (w *Worker) turnIn(ctx context.Context, p *partition, hash string, l limits) (*host, error) {
	if !w.queue.knows(p, hash) {
		var err error
		if l.hostRecord, err = w.knownHost(ctx, hash); err != nil {
			return nil, err
		}
	}
	return w.queue.turn(ctx, p, hash, l)
}

// turnAt waits for a turn at a host of this worker or of another worker. The error is errLate or a
// *restError.
func (w *Worker) turnAt(ctx context.Context, at place, l limits) (turn, error) {
	ctx, cancel := w.within(ctx, turnWait)
	defer cancel()
	ask, _ := json.Marshal(permitRecord{Host: at.host, AtOnce: l.atOnce, Interval: l.interval})
	subject := w.frontier.permitSubject(at.partition)
	for ctx.Err() == nil {
		if p := w.queue.partition(at.partition); p != nil {
			if h, err := w.turnIn(ctx, p, at.host, l); err == nil {
				return &ownTurn{worker: w, at: h}, nil
			}
		}
		sent := w.clock.Now()
		call, cancel := w.within(ctx, permitWait+callTime)
		m, err := w.frontier.nc.RequestWithContext(call, subject, ask)
		cancel()
		if err == nil {
			if r, ok := parsePermit(m.Data); ok && r.ID != "" {
				return w.newRemoteTurn(at, subject, &r, sent), nil
			} else if ok && r.Pause > 0 {
				return nil, &restError{r.Pause, r.Shut}
			}
		}
		// The partition has no owner now, or this worker has just taken it.
		wait(w.clock, time.Second/4, ctx.Done())
	}
	return nil, errLate
}

// remoteTurn is a turn at a host of another worker, which has granted a permit. It allows one
// request.
type remoteTurn struct {
	worker  *Worker
	at      place
	subject string
	id      string
	until   time.Time // the request must begin before this time

	ctx    context.Context
	cancel context.CancelFunc

	mu    sync.Mutex
	used  bool
	late  bool      // a request was attempted after the time until
	end   time.Time // the request must end before this time
	timer func()
}

func (w *Worker) newRemoteTurn(at place, subject string, r *permitRecord, sent time.Time) *remoteTurn {
	t := &remoteTurn{worker: w, at: at, subject: subject, id: r.ID}
	t.end = sent.Add(r.Waited + min(r.Left, leaseTime))
	t.until = sent.Add(r.Waited + min(r.Left, permitTime))
	t.ctx, t.cancel = context.WithCancel(context.Background())
	t.mu.Lock()
	defer t.mu.Unlock()
	t.timer = w.clock.AfterFunc(min(renewEvery, t.end.Sub(w.clock.Now())), t.hold)
	return t
}

func (t *remoteTurn) host() string             { return t.at.host }
func (t *remoteTurn) context() context.Context { return t.ctx }

func (t *remoteTurn) begin(context.Context) (s start, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	valid := func() bool { return t.worker.clock.Now().Before(t.until) && t.ctx.Err() == nil }
	if t.used || !valid() {
		t.late = !t.used
		return s, errLate
	}
	t.used = true
	return start{valid: valid, began: func() { t.tell(permitRecord{Event: permitBegun}) }}, nil
}

// isLate reports whether the turn expired because no slot was free in time.
func (t *remoteTurn) isLate() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.late
}

// tell sends a message about the permit to the owner of the host. If the message is lost, the host
// only waits longer.
func (t *remoteTurn) tell(r permitRecord) {
	r.ID = t.id
	text, _ := json.Marshal(r)
	_ = t.worker.frontier.nc.Publish(t.subject, text)
}

// hold renews the permit. If renewals fail for too long, it cancels the request.
func (t *remoteTurn) hold() {
	w := t.worker
	t.mu.Lock()
	left := t.end.Sub(w.clock.Now())
	t.mu.Unlock()
	if left <= 0 {
		t.cancel()
	}
	if t.ctx.Err() != nil {
		return
	}
	call, cancel := w.within(t.ctx, min(left, callTime))
	defer cancel()
	text, _ := json.Marshal(permitRecord{ID: t.id, Event: permitHeld})
	sent := w.clock.Now()
	m, err := w.frontier.nc.RequestWithContext(call, t.subject, text)
	t.mu.Lock()
	defer t.mu.Unlock()
	next := time.Second
	if err == nil {
		if r, ok := parsePermit(m.Data); ok && r.ID == t.id {
			t.end, next = sent.Add(min(r.Left, leaseTime)), renewEvery
		}
	}
	t.timer = w.clock.AfterFunc(max(min(next, t.end.Sub(w.clock.Now())), 0), t.hold)
}

func (t *remoteTurn) rest(d time.Duration, shut string) {
	t.tell(permitRecord{Event: permitRest, Pause: d, Shut: shut})
}

func (t *remoteTurn) release() {
	t.cancel()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.timer()
	t.tell(permitRecord{Event: permitEnded})
}

// within returns a copy of ctx that also ends after the duration d, by the worker's clock.
func (w *Worker) within(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := w.clock.AfterFunc(d, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

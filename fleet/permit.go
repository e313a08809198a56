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

// A redirect may lead to a host of another worker (the owner). In that case the worker requests a
// permit from the owner. A permit is a turn at the owner's host. The worker counts the validity
// of the permit from the time at which it sent the request. The validity never exceeds the
// owner's lease, and the worker renews the permit during the request to the host. So the permit
// expires before a third worker can own the host.
const (
	// permitTime is the time within which a request with a permit must begin. The owner starts no
	// other request to the host until that request has begun or the time and a margin have
	// passed.
	permitTime = 2 * time.Second
	// permitLifetime is the validity of a permit after the holder's last message.
	permitLifetime = leaseTime + leaseMargin
	// permitWait limits how long the owner of a host delays its reply to a permit request.
	permitWait = 15 * time.Second
	// turnWait limits the wait for a turn.
	turnWait = 45 * time.Second
)

// permitRecord is a message between workers about a permit. It is a request or a reply.
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
	Waited time.Duration `json:"waited,omitempty"` // in a reply, the time until the permit was granted
	Left   time.Duration `json:"left,omitempty"`   // in a reply, the validity of the permit after it was granted
	Error  string        `json:"error,omitempty"`  // in a reply, the reason why the permit was denied
}

// permitEvent is the kind of a message about a permit.
type permitEvent string

const (
	permitBegun  permitEvent = "begun" // the request has begun
	permitHeld   permitEvent = "held"  // the request continues; the reply contains the time limit
	permitPaused permitEvent = "rest"  // the host requested a pause
	permitEnded  permitEvent = "ended" // the request has ended
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

// isHostHash reports whether hash is a valid hash of a host name.
func isHostHash(hash string) bool {
	_, err := hex.DecodeString(hash)
	return err == nil && len(hash) == 16
}

// permit is a turn at a host of this worker. Another worker holds the turn.
type permit struct {
	host      *host
	ticket    ticket
	stopTimer func() // stops the expiry timer
}

// servePermits responds to permit requests for a partition.
func (w *Worker) servePermits(p *partition) (*nats.Subscription, error) {
	return w.frontier.nc.Subscribe(w.frontier.permitSubject(p.number), func(m *nats.Msg) {
		r, ok := parsePermit(m.Data)
		switch {
		case !ok:
		case r.Host == "":
			if reply := w.handleEvent(p, &r); m.Reply != "" {
				respond(m, reply)
			}
		case m.Reply != "":
			w.spawn(func() { respond(m, w.grantPermit(p, &r)) })
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

// grantPermit waits for a turn at a host of p, and grants the turn as a permit.
func (w *Worker) grantPermit(p *partition, r *permitRecord) permitRecord {
	received := w.clock.Now()
	ctx, cancel := w.withTimeout(p.ctx, permitWait)
	defer cancel()
	h, err := w.awaitOwnTurn(ctx, p, r.Host, limits{atOnce: r.AtOnce, interval: r.Interval})
	if err != nil {
		return permitRecord{Error: err.Error()}
	}
	t, err := w.queue.awaitTicket(ctx, h, permitTime+ticketMargin)
	if err != nil {
		w.queue.endRequest(h, 0)
		rest := new(pauseError)
		errors.As(err, &rest)
		return permitRecord{Error: err.Error(), Pause: rest.remaining, Shut: rest.skipReason}
	}
	id := rand.Text()
	w.mu.Lock()
	w.permits[id] = &permit{host: h, ticket: t, stopTimer: w.expireLater(id)}
	w.mu.Unlock()
	return permitRecord{ID: id, Waited: w.clock.Now().Sub(received), Left: p.remaining(w.clock)}
}

func (w *Worker) expireLater(id string) (stop func()) {
	return w.clock.AfterFunc(permitLifetime, func() { w.endPermit(id) })
}

// handleEvent handles a message about a permit, and returns the reply.
func (w *Worker) handleEvent(p *partition, r *permitRecord) permitRecord {
	w.mu.Lock()
	held := w.permits[r.ID]
	if held != nil && r.Event == permitHeld {
		held.stopTimer()
		held.stopTimer = w.expireLater(r.ID)
	}
	w.mu.Unlock()
	switch {
	case held == nil:
		return permitRecord{Error: "the permit has expired"}
	case r.Event == permitBegun:
		w.queue.useTicket(held.host, held.ticket)
	case r.Event == permitPaused:
		w.queue.startPause(held.host, r.Pause, r.Shut)
		w.storeHost(held.host)
	case r.Event == permitEnded:
		w.endPermit(r.ID)
	}
	return permitRecord{ID: r.ID, Left: p.remaining(w.clock)}
}

func (w *Worker) endPermit(id string) {
	w.mu.Lock()
	p := w.permits[id]
	delete(w.permits, id)
	w.mu.Unlock()
	if p != nil {
		p.stopTimer()
		// If the message that the request has begun was lost, the ticket expires.
		w.queue.endRequest(p.host, 0)
	}
}

// awaitOwnTurn waits for a turn at a host of p.
func (w *Worker) awaitOwnTurn(ctx context.Context, p *partition, hash string, l limits) (*host, error) {
	if !w.queue.hasHost(p, hash) {
		var err error
		if l.hostRecord, err = w.loadHost(ctx, hash); err != nil {
			return nil, err
		}
	}
	return w.queue.awaitTurn(ctx, p, hash, l)
}

// awaitTurnAt waits for a turn at a host of this worker or of another worker. The error is
// errLate or a *pauseError.
func (w *Worker) awaitTurnAt(ctx context.Context, address hostAddress, l limits) (turn, error) {
	ctx, cancel := w.withTimeout(ctx, turnWait)
	defer cancel()
	request, _ := json.Marshal(permitRecord{Host: address.host, AtOnce: l.atOnce, Interval: l.interval})
	subject := w.frontier.permitSubject(address.partition)
	for ctx.Err() == nil {
		if p := w.queue.partition(address.partition); p != nil {
			if h, err := w.awaitOwnTurn(ctx, p, address.host, l); err == nil {
				return &ownTurn{worker: w, turnHost: h}, nil
			}
		}
		sent := w.clock.Now()
		call, cancel := w.withTimeout(ctx, permitWait+callTime)
		m, err := w.frontier.nc.RequestWithContext(call, subject, request)
		cancel()
		if err == nil {
			if r, ok := parsePermit(m.Data); ok && r.ID != "" {
				return w.newRemoteTurn(address, subject, &r, sent), nil
			} else if ok && r.Pause > 0 {
				return nil, &pauseError{r.Pause, r.Shut}
			}
		}
		// The partition has no owner now, or this worker has just taken the partition.
		sleep(w.clock, time.Second/4, ctx.Done())
	}
	return nil, errLate
}

// remoteTurn is a turn at a host of another worker. That worker has granted a permit, which
// allows one request.
type remoteTurn struct {
	worker     *Worker
	address    hostAddress
	subject    string
	id         string
	startLimit time.Time // the request must begin before this time

	ctx    context.Context
	cancel context.CancelFunc

	mu        sync.Mutex
	used      bool
	isExpired bool      // a request was attempted after startLimit
	expiry    time.Time // the request must end before this time
	stopTimer func()
}

func (w *Worker) newRemoteTurn(address hostAddress, subject string, r *permitRecord, sent time.Time) *remoteTurn {
	t := &remoteTurn{worker: w, address: address, subject: subject, id: r.ID}
	t.expiry = sent.Add(r.Waited + min(r.Left, leaseTime))
	t.startLimit = sent.Add(r.Waited + min(r.Left, permitTime))
	t.ctx, t.cancel = context.WithCancel(context.Background())
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopTimer = w.clock.AfterFunc(min(renewEvery, t.expiry.Sub(w.clock.Now())), t.renew)
	return t
}

func (t *remoteTurn) host() string             { return t.address.host }
func (t *remoteTurn) context() context.Context { return t.ctx }

func (t *remoteTurn) awaitStart(context.Context) (s requestStart, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	valid := func() bool { return t.worker.clock.Now().Before(t.startLimit) && t.ctx.Err() == nil }
	if t.used || !valid() {
		t.isExpired = !t.used
		return s, errLate
	}
	t.used = true
	return requestStart{isValid: valid, markBegun: func() { t.sendEvent(permitRecord{Event: permitBegun}) }}, nil
}

// isLate reports whether the turn expired before its request could begin, because no slot was
// free.
func (t *remoteTurn) isLate() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.isExpired
}

// sendEvent sends a message about the permit to the owner of the host. If the message is lost,
// the next request to the host only waits longer.
func (t *remoteTurn) sendEvent(r permitRecord) {
	r.ID = t.id
	text, _ := json.Marshal(r)
	_ = t.worker.frontier.nc.Publish(t.subject, text)
}

// renew renews the permit. If the permit expires because renewals failed, renew cancels the
// request.
func (t *remoteTurn) renew() {
	w := t.worker
	t.mu.Lock()
	left := t.expiry.Sub(w.clock.Now())
	t.mu.Unlock()
	if left <= 0 {
		t.cancel()
	}
	if t.ctx.Err() != nil {
		return
	}
	call, cancel := w.withTimeout(t.ctx, min(left, callTime))
	defer cancel()
	text, _ := json.Marshal(permitRecord{ID: t.id, Event: permitHeld})
	sent := w.clock.Now()
	m, err := w.frontier.nc.RequestWithContext(call, t.subject, text)
	t.mu.Lock()
	defer t.mu.Unlock()
	next := time.Second
	if err == nil {
		if r, ok := parsePermit(m.Data); ok && r.ID == t.id {
			t.expiry, next = sent.Add(min(r.Left, leaseTime)), renewEvery
		}
	}
	t.stopTimer = w.clock.AfterFunc(max(min(next, t.expiry.Sub(w.clock.Now())), 0), t.renew)
}

func (t *remoteTurn) reportPause(d time.Duration, skipReason string) {
	t.sendEvent(permitRecord{Event: permitPaused, Pause: d, Shut: skipReason})
}

func (t *remoteTurn) release() {
	t.cancel()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopTimer()
	t.sendEvent(permitRecord{Event: permitEnded})
}

// withTimeout returns a copy of ctx that also ends after the duration d. The worker's clock
// measures the duration.
func (w *Worker) withTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := w.clock.AfterFunc(d, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

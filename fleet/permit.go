package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"
)

// A redirect may lead to a host of another worker. That worker is asked for a permit, which
// is a turn in its queue. It counts from before the request for it was sent, and for no longer
// than the lease of that worker.
const (
	// permitTime is how long a request may begin with a permit. The host gets no other one
	// until then, or until it has begun.
	permitTime = 2 * time.Second
	// permitEnd is when a permit ends of which nothing was heard.
	permitEnd = 5 * time.Minute
	// permitWait is how long the owner of a host keeps a request for a permit waiting.
	permitWait = 15 * time.Second
)

// permitRecord is a request of one worker to another, and the reply.
type permitRecord struct {
	// Of a request. An ID without a host is that of a permit: its request has begun, or
	// ended.
	Worker   string        `json:"worker,omitempty"`
	Host     string        `json:"host,omitempty"`
	AtOnce   int           `json:"atOnce,omitempty"`
	Interval time.Duration `json:"interval,omitempty"`
	Begun    bool          `json:"begun,omitempty"`
	ID       string        `json:"id,omitempty"`
	// Of a reply.
	Waited time.Duration `json:"waited,omitempty"` // until the permit was given
	Left   time.Duration `json:"left,omitempty"`   // for how long it is valid after that
	Error  string        `json:"error,omitempty"`
}

const maxPermit = 4096

// permit is a turn that another worker has.
type permit struct {
	worker string
	host   *host
	stop   func()
}

// serve answers the requests for permits of a partition.
func (w *Worker) servePermits(ctx context.Context, p *partition) (*nats.Subscription, error) {
	return w.frontier.nc.Subscribe(w.frontier.permitSubject(p.number), func(m *nats.Msg) {
		var r permitRecord
		if len(m.Data) > maxPermit || json.Unmarshal(m.Data, &r) != nil {
			return
		}
		if r.Host == "" {
			w.hearOf(r.ID, r.Begun)
			return
		}
		if len(r.Host) != 16 || r.AtOnce < 0 || r.Interval < 0 || m.Reply == "" {
			return
		}
		w.running.Go(func() {
			text, err := json.Marshal(w.permit(ctx, p, &r))
			if err == nil {
				// A worker that gets no answer asks again, and the permit ends by itself.
				_ = m.Respond(text)
			}
		})
	})
}

func (f *Frontier) permitSubject(partition int) string {
	return f.subject("permit", fmt.Sprint(partition))
}

// permit gives a permit for a host of p, when its turn has come.
func (w *Worker) permit(ctx context.Context, p *partition, r *permitRecord) permitRecord {
	received := w.clock.Now()
	ctx, cancel := w.within(ctx, permitWait)
	defer cancel()
	h, err := w.queue.turn(ctx, p.number, r.Host, r.AtOnce, r.Interval)
	if err != nil {
		return permitRecord{Error: err.Error()}
	}
	if err := w.queue.begin(ctx, h, permitTime); err != nil {
		w.queue.release(h)
		return permitRecord{Error: err.Error()}
	}
	id := nuid.Next()
	w.mu.Lock()
	w.permits[id] = &permit{worker: r.Worker, host: h, stop: w.clock.AfterFunc(permitEnd, func() { w.hearOf(id, false) })}
	w.mu.Unlock()
	return permitRecord{ID: id, Waited: w.clock.Now().Sub(received), Left: min(p.lease.left(w.clock), permitTime)}
}

// hearOf notes that the request of a permit has begun, or has ended.
func (w *Worker) hearOf(id string, begun bool) {
	w.mu.Lock()
	p := w.permits[id]
	if p != nil && !begun {
		delete(w.permits, id)
	}
	w.mu.Unlock()
	switch {
	case p == nil:
	case begun:
		w.queue.began(p.host)
	default:
		p.stop()
		w.queue.release(p.host)
	}
}

// endPermits ends the permits of workers that are gone.
func (w *Worker) endPermits(live map[string]bool) {
	w.mu.Lock()
	var gone []string
	for id, p := range w.permits {
		if !live[p.worker] {
			gone = append(gone, id)
		}
	}
	w.mu.Unlock()
	for _, id := range gone {
		w.hearOf(id, false)
	}
}

// turn is the right to send requests to a host.
type turn struct {
	hash    string
	begin   func(context.Context) error // waits until the next one may begin, and checks that
	began   func()
	release func()
}

// ownTurn returns a turn at a host of this worker that was given.
func (w *Worker) ownTurn(h *host) *turn {
	return &turn{
		hash: h.hash,
		begin: func(ctx context.Context) error {
			if err := w.queue.begin(ctx, h, 0); err != nil {
				return errLate
			}
			if h.part.lease.left(w.clock) <= 0 {
				return errLate
			}
			return nil
		},
		began:   func() {},
		release: func() { w.queue.release(h) },
	}
}

// errLate: a request did not get its turn in time. That says nothing about its host.
var errLate = errors.New("fleet: no turn at the host in time")

// turnAt waits for a turn at a host, of this worker or another one. The error is errLate.
func (w *Worker) turnAt(ctx context.Context, at place, atOnce int, interval time.Duration) (*turn, error) {
	h, err := w.queue.turn(ctx, at.partition, at.host, atOnce, interval)
	if err == nil {
		return w.ownTurn(h), nil
	}
	ask, _ := json.Marshal(permitRecord{Worker: w.name, Host: at.host, AtOnce: atOnce, Interval: interval})
	subject := w.frontier.permitSubject(at.partition)
	for ctx.Err() == nil {
		sent := w.clock.Now()
		m, err := w.frontier.nc.RequestWithContext(ctx, subject, ask)
		var r permitRecord
		if err == nil && len(m.Data) <= maxPermit && json.Unmarshal(m.Data, &r) == nil && r.ID != "" {
			return w.remoteTurn(at, subject, r, sent), nil
		}
		// There is no owner now, or the partition has come to this worker.
		if wait(w.clock, time.Second/4, ctx.Done()) {
			break
		}
		if h, err := w.queue.turn(ctx, at.partition, at.host, atOnce, interval); err == nil {
			return w.ownTurn(h), nil
		}
	}
	return nil, errLate
}

// remoteTurn returns the turn of a permit. It is for one request.
func (w *Worker) remoteTurn(at place, subject string, r permitRecord, sent time.Time) *turn {
	tell := func(begun bool) {
		text, _ := json.Marshal(permitRecord{ID: r.ID, Begun: begun})
		// Lost, it only makes the host wait.
		_ = w.frontier.nc.Publish(subject, text)
	}
	used := false
	return &turn{
		hash: at.host,
		begin: func(context.Context) error {
			if used || w.clock.Now().Sub(sent) >= r.Waited+min(r.Left, permitTime) {
				return errLate
			}
			used = true
			return nil
		},
		began:   func() { tell(true) },
		release: func() { tell(false) },
	}
}

// within returns ctx, which also ends after d by the clock of the worker.
func (w *Worker) within(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := w.clock.AfterFunc(d, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

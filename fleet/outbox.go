package fleet

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/locus-url/locus/verify"
)

const (
	// maxUnacked limits the unacknowledged verdicts of a worker. Above the limit, the worker makes
	// no requests. If a worker dies, other workers repeat the checks with unacknowledged verdicts.
	maxUnacked = 64
	// lastStore limits the time for storing a verdict after the lease has ended. After that time,
	// another worker has repeated the check.
	lastStore = 30 * time.Second
)

// outbox stores verdicts in the background, so that requests need not wait. A job is done when the
// server has acknowledged its verdict.
type outbox struct {
	frontier *Frontier
	clock    Clock
	sent     chan sentVerdict
	done     func(*sentVerdict) // called for each sent verdict after its acknowledgment or failure
	note     func(format string, args ...any)
}

type sentVerdict struct {
	host     *host
	job      *job
	response *verify.Response
	ack      jetstream.PubAckFuture
	err      error // errStored if another verdict is stored; after any other error, the server may lack this verdict
}

// last is the sequence number of the verdict that the verdict of j replaces, or 0.
func (j *job) last() uint64 {
	if j.before == nil {
		return 0
	}
	return j.before.sequence
}

// put publishes a verdict. The error is an error from the connection.
func (o *outbox) put(h *host, j *job, answer *verify.Response) error {
	ack, err := o.frontier.publishVerdict(j.at, answer, j.last())
	if err != nil {
		return err
	}
	small := *answer
	small.Links, small.Failures = nil, nil // the server has these already, and they may be large
	o.sent <- sentVerdict{host: h, job: j, response: &small, ack: ack}
	return nil
}

// settle waits for acknowledgments until sent is closed. It publishes an unacknowledged verdict
// again until ctx ends, because duplicates are harmless. The worker does not release the partition
// until then, unless the lease ends.
func (o *outbox) settle(ctx context.Context) {
	for v := range o.sent {
		v.err = acked(ctx, v.ack)
		for v.err != nil && !errors.Is(v.err, errStored) && v.host.part.lease.left(o.clock) > -lastStore && ctx.Err() == nil {
			if v.err = o.again(ctx, &v); v.err != nil && !errors.Is(v.err, errStored) {
				o.note("can't store verdicts yet, retrying: the NATS server %s", reason(v.err))
				wait(o.clock, pauseBetween, ctx.Done())
			}
		}
		o.done(&v)
	}
}

// again stores a verdict that the server may already have.
func (o *outbox) again(ctx context.Context, v *sentVerdict) error {
	ctx, cancel := context.WithTimeout(ctx, batchTime)
	defer cancel()
	err := o.frontier.storeVerdict(ctx, v.job.at, v.response, v.job.last())
	if !errors.Is(err, errStored) {
		return err
	}
	stored, getErr := o.frontier.verdictOf(ctx, v.job.at)
	if getErr != nil {
		return getErr
	}
	if stored != nil && stored.response.When.Unix() == v.response.When.Unix() {
		return nil // the acknowledgment of an earlier attempt was lost
	}
	return errStored
}

// acked waits for the acknowledgment of a message.
func acked(ctx context.Context, ack jetstream.PubAckFuture) error {
	select {
	case <-ack.Ok():
		return nil
	case err := <-ack.Err():
		if isConflict(err) {
			return errStored
		}
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

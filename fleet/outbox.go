package fleet

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/locus-url/locus/verify"
)

const (
	// maxUnacked limits the unacknowledged verdicts of a worker. At the limit, the worker makes
	// no requests. If a worker dies, other workers repeat the checks whose verdicts were not
	// acknowledged.
	maxUnacked = 64
	// storeGrace limits the time for storing a verdict after the lease has ended. After that
	// time, another worker has usually repeated the check.
	storeGrace = 30 * time.Second
)

// outbox stores verdicts in the background, so that requests need not wait for the server. A job
// is finished when the server has acknowledged its verdict.
type outbox struct {
	frontier *Frontier
	clock    Clock
	sent     chan sentVerdict
	onStored func(*sentVerdict) // called for each sent verdict after its acknowledgment or a permanent failure
	note     func(format string, args ...any)
}

type sentVerdict struct {
	host     *host
	job      *job
	response *verify.Response
	ack      jetstream.PubAckFuture
	err      error // errStored if another verdict is stored; after any other error, the server may lack this verdict
}

// previousSequence returns the sequence number of the target's previous verdict, or 0 if there is
// none.
func (j *job) previousSequence() uint64 {
	if j.previous == nil {
		return 0
	}
	return j.previous.sequence
}

// publishLater publishes a verdict without waiting for the acknowledgment. The error is an error
// from the connection.
func (o *outbox) publishLater(h *host, j *job, answer *verify.Response) error {
	ack, err := o.frontier.publishVerdict(j.at, answer, j.previousSequence())
	if err != nil {
		return err
	}
	small := *answer
	small.Links, small.Failures = nil, nil // the server already has the links, which may be large
	o.sent <- sentVerdict{host: h, job: j, response: &small, ack: ack}
	return nil
}

// awaitAcks waits for acknowledgments until the channel sent is closed. If an acknowledgment does
// not arrive, it publishes the verdict again until ctx ends, because duplicates are harmless.
// Unless the lease ends, the worker does not release the partition before the verdict is stored.
func (o *outbox) awaitAcks(ctx context.Context) {
	for v := range o.sent {
		v.err = awaitAck(ctx, v.ack)
		for v.err != nil && !errors.Is(v.err, errStored) && v.host.part.lease.remaining(o.clock) > -storeGrace && ctx.Err() == nil {
			if v.err = o.republish(ctx, &v); v.err != nil && !errors.Is(v.err, errStored) {
				o.note("can't store verdicts yet, retrying: the NATS server %s", reasonFor(v.err))
				sleep(o.clock, pauseBetween, ctx.Done())
			}
		}
		o.onStored(&v)
	}
}

// republish stores a verdict that the server may already have.
func (o *outbox) republish(ctx context.Context, v *sentVerdict) error {
	ctx, cancel := context.WithTimeout(ctx, batchTime)
	defer cancel()
	err := o.frontier.storeVerdict(ctx, v.job.at, v.response, v.job.previousSequence())
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

// awaitAck waits for the acknowledgment of a message.
func awaitAck(ctx context.Context, ack jetstream.PubAckFuture) error {
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

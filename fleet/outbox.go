package fleet

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/locus-url/locus/verify"
)

const (
	// maxUnacked is how many verdicts of a worker the server may have without an answer. Then
	// requests wait: if the worker ended now, other workers would ask again.
	maxUnacked = 64
	// lastStore is for how long a verdict is stored after the lease has ended. Then another
	// worker has asked.
	lastStore = 30 * time.Second
)

// outbox stores verdicts. A request need not wait until the verdict of the one before is
// stored: a job is done when the server has answered for it.
type outbox struct {
	frontier *Frontier
	clock    Clock
	sent     chan sentVerdict
	done     func(*sentVerdict) // called for each verdict that was sent
	note     func(format string, args ...any)
}

type sentVerdict struct {
	host     *host
	job      *job
	response *verify.Response
	ack      jetstream.PubAckFuture
	err      error // errStored: another verdict is stored; another error: this one may not be
}

// last is the sequence number of the verdict that the one of j replaces; 0: none.
func (j *job) last() uint64 {
	if j.before == nil {
		return 0
	}
	return j.before.sequence
}

// put publishes a verdict. The error is that of the connection.
func (o *outbox) put(h *host, j *job, answer *verify.Response) error {
	ack, err := o.frontier.publishVerdict(j.at, answer, j.last())
	if err != nil {
		return err
	}
	small := *answer
	small.Links, small.Failures = nil, nil // they are stored, and may be large
	o.sent <- sentVerdict{host: h, job: j, response: &small, ack: ack}
	return nil
}

// settle waits for the server's answers until sent is closed. A verdict that the server did
// not answer for is published again, until ctx ends: two of them are one. Its partition is
// held until then, unless the lease ends.
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

// again stores a verdict that the server may have.
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
		return nil // the server's answer to an earlier try was lost
	}
	return errStored
}

// acked waits for the answer for a message.
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

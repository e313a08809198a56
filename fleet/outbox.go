package fleet

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/locus-url/locus/verify"
)

// maxUnacked is how many verdicts of a worker the server may have without an answer. Then
// requests wait.
const maxUnacked = 1024

// outbox stores verdicts. A request need not wait until the verdict of the one before is
// stored: a job is done when the server has answered for it.
type outbox struct {
	frontier *Frontier
	clock    Clock
	sent     chan sentVerdict
	done     func(*sentVerdict) // the verdict is stored, or another one is
	note     func(format string, args ...any)
}

type sentVerdict struct {
	host   *host
	job    *job
	answer *verify.Answer
	ack    jetstream.PubAckFuture
	stored bool // this verdict, and not another one
}

// last is the sequence number of the verdict that the one of j replaces; 0: none.
func (j *job) last() uint64 {
	if j.before == nil {
		return 0
	}
	return j.before.sequence
}

// put publishes a verdict. The error is that of the connection.
func (o *outbox) put(ctx context.Context, h *host, j *job, answer *verify.Answer) error {
	ack, err := o.frontier.publishVerdict(j.at, answer, j.last())
	if err != nil {
		return err
	}
	select {
	case o.sent <- sentVerdict{host: h, job: j, answer: answer, ack: ack}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// settle waits for the server's answers until sent is closed, or ctx ends. A verdict that
// the server did not answer for is published again: two of them are one.
func (o *outbox) settle(ctx context.Context) {
	for one := range o.sent {
		err := acked(ctx, one.ack)
		for err != nil && !errors.Is(err, errStored) && ctx.Err() == nil {
			o.note("a verdict is not stored yet: %v", err)
			if wait(o.clock, time.Second, ctx.Done()) {
				break
			}
			call, cancel := context.WithTimeout(ctx, batchTime)
			err = o.frontier.storeVerdict(call, one.job.at, one.answer, one.job.last())
			cancel()
		}
		if one.stored = err == nil; one.stored || errors.Is(err, errStored) {
			o.done(&one)
		}
	}
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

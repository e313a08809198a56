package fleet

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/locus-url/locus/verify"
)

// TestLastOfLeader checks that the leader of a stream sends the same messages one by one as in a
// batch.
func TestLastOfLeader(t *testing.T) {
	f := openTestFrontier(t)
	publish := func(i byte, text string) {
		t.Helper()
		if _, err := f.js.Publish(t.Context(), f.subject(verdictStream, hostAddress{0, "h"}.words(key{i})...), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	var subjects []string
	for i := range byte(100) {
		if i%3 != 0 {
			publish(i, "old")
			publish(i, strings.Repeat("x", int(i)))
		}
		subjects = append(subjects, f.subject(verdictStream, hostAddress{0, "h"}.words(key{i})...))
	}
	values := func(list []*jetstream.RawStreamMsg, err error) map[string]string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]string{}
		for _, m := range list {
			all[m.Subject] = string(m.Data)
		}
		return all
	}
	name := f.stream(verdictStream)
	for _, subjects := range [][]string{subjects, {f.subject(verdictStream, "0", "h", "*")}, subjects[:1]} {
		batch, _, err := f.lastMessages(t.Context(), name, subjects, maxBatch)
		want := values(batch, err)
		got := values(f.lastFromLeader(t.Context(), name, subjects, maxBatch))
		if !maps.Equal(got, want) || len(subjects) > 1 && len(got) != 66 {
			t.Errorf("%d and %d of %d", len(got), len(want), len(subjects))
		}
	}
	// A pattern returns no more messages than requested.
	if list, err := f.lastFromLeader(t.Context(), name, []string{f.subject(verdictStream, "0", "h", "*")}, 7); err != nil || len(list) != 7 {
		t.Error(len(list), err)
	}
}

// TestOutboxAgain checks that a verdict is stored once, even if it is sent repeatedly, and that
// another verdict does not replace it.
func TestOutboxAgain(t *testing.T) {
	f := openTestFrontier(t)
	at := address{hostAddress{0, "0123456789abcdef"}, key{1}}
	mine := &verify.Response{Outcome: verify.Outcome{Verdict: verify.Alive}, When: time.Now()}
	other := &verify.Response{Outcome: verify.Outcome{Verdict: verify.Dead}, When: mine.When.Add(-time.Minute)}
	o := outbox{frontier: f, clock: SystemClock{}}
	for range 3 {
		if err := o.republish(t.Context(), &sentVerdict{job: &job{at: at}, response: mine}); err != nil {
			t.Error(err)
		}
	}
	if err := o.republish(t.Context(), &sentVerdict{job: &job{at: at}, response: other}); err != errStored {
		t.Error(err)
	}
	if v, err := f.verdictOf(t.Context(), at); err != nil || v.response.Outcome.Verdict != verify.Alive {
		t.Error(v, err)
	}
}

// TestLargeVerdict checks that a verdict that is too large for a message becomes Unknown, so that
// no reader waits for a verdict.
func TestLargeVerdict(t *testing.T) {
	f := openTestFrontier(t)
	at := address{hostAddress{0, "0123456789abcdef"}, key{1}}
	large := &verify.Response{Outcome: verify.Outcome{Verdict: verify.Alive}, When: time.Now(), Fragments: map[string]bool{strings.Repeat("f", maxMessage): true}}
	if err := f.storeVerdict(t.Context(), at, large, 0); err != nil {
		t.Fatal(err)
	}
	if v, err := f.verdictOf(t.Context(), at); err != nil || v == nil || v.decodeErr != nil || v.response.Outcome.Verdict != verify.Unknown {
		t.Error(v, err)
	}
}

// TestOutboxHoldsPartition checks that the worker does not release a partition until the server
// has stored the verdict. After the lease has ended and storeGrace has passed, the worker must
// give up.
func TestOutboxHoldsPartition(t *testing.T) {
	f := openTestFrontier(t)
	w := newFixture(t, func(string, string) (int, string) { return 200, "" })
	worker := w.worker(f, w.options())
	p := &partition{number: 0, lease: &lease{}, hosts: map[string]*host{}, draining: true}
	p.lease.set(worker.clock.Now(), leaseTime)
	worker.queue.parts[0] = p
	h := worker.queue.hostFor(p, "0123456789abcdef", limits{})
	answer := &verify.Response{Outcome: verify.Outcome{Verdict: verify.Alive}, When: time.Now(), Links: make([]verify.Found, 3)}
	send := func(i byte) {
		t.Helper()
		j := &job{at: address{hostAddress{0, h.hash}, key{i}}}
		h.unfinished[j] = true
		worker.queue.jobs++
		if err := worker.storeVerdicts(t.Context(), nil, slices.Repeat([]*job{j}, 2), h, answer); err != nil {
			t.Fatal(err)
		}
	}
	send(1)
	if len(worker.outbox.sent) != 1 || worker.queue.isIdle(p) {
		t.Error("it is not held")
	}
	// The server does not store the second verdict.
	lost := &sentVerdict{host: h, job: &job{at: address{hostAddress{0, h.hash}, key{2}}}, response: answer, ack: neverAcked{}}
	worker.queue.addHold(p)
	p.lease.set(worker.clock.Now().Add(-leaseTime-2*storeGrace), leaseTime)
	worker.outbox.sent <- *lost
	close(worker.outbox.sent)
	worker.outbox.awaitAcks(t.Context())
	if !worker.queue.isIdle(p) {
		t.Error("it is held for ever")
	}
	if c := worker.Counts(); c.Verdicts["alive"] != 1 || c.Waiting != 0 {
		t.Errorf("%+v", c)
	}
}

// neverAcked is the future of a message whose acknowledgment fails.
type neverAcked struct{ jetstream.PubAckFuture }

func (neverAcked) Ok() <-chan *jetstream.PubAck { return nil }
func (neverAcked) Err() <-chan error {
	c := make(chan error, 1)
	c <- jetstream.ErrNoStreamResponse
	return c
}

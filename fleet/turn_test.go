package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"testing"
	"time"
)

// TestTicketExpires checks that a ticket becomes invalid if it is not used in time. The next
// ticket must come an interval later, because the request of the first ticket may have begun just
// before the expiry.
func TestTicketExpires(t *testing.T) {
	s, p, c := testQueue()
	s.addJob(p, testJob("a", 1), limits{interval: time.Second})
	s.addJob(p, testJob("a", 2), limits{interval: time.Second})
	c.advance(time.Second)
	_, h, ticket, _ := s.takeJobs()
	c.advance(ticketTime - ticketMargin)
	if s.isTicketValid(h, ticket) {
		t.Error("valid within the margin")
	}
	c.advance(ticketMargin + time.Second - time.Millisecond)
	if s.hasDueJob() {
		t.Error("another request begins within an interval of the last moment")
	}
	if c.advance(time.Millisecond); !s.hasDueJob() {
		t.Error("a lost ticket blocks the host")
	}
	_, _, next, _ := s.takeJobs()
	s.useTicket(h, ticket)
	if !s.isTicketValid(h, next) {
		t.Error("a void ticket ends another one")
	}
}

// TestTicketUnused checks that the next request need not wait if the previous ticket was returned
// unused.
func TestTicketUnused(t *testing.T) {
	s, p, c := testQueue()
	for i := range 2 {
		s.addJob(p, testJob("a", i), limits{interval: time.Second})
	}
	c.advance(time.Second)
	jobs, h, ticket, _ := s.takeJobs()
	s.finishJobs(h, jobs...)
	s.endRequest(h, ticket)
	if !s.hasDueJob() {
		t.Error("the host waits for nothing")
	}
}

// TestBegin checks that awaitTicket waits for a request that is about to begin, but does not wait
// during a pause of the host.
func TestBegin(t *testing.T) {
	s, p, c := testQueue()
	h, err := s.awaitTurn(t.Context(), p, "a", limits{interval: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	c.advance(time.Second)
	first, err := s.awaitTicket(t.Context(), h, ticketTime)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan time.Time, 1)
	go func() {
		if _, err := s.awaitTicket(t.Context(), h, ticketTime); err != nil {
			t.Error(err)
		}
		got <- c.Now()
	}()
	await(t, func() bool { s.mu.Lock(); defer s.mu.Unlock(); return h.wake != nil })
	c.advance(time.Second / 2)
	s.useTicket(h, first)
	begun := c.Now()
	// The next call waits for the interval, not for the expiry of the ticket.
	await(t, func() bool { s.mu.Lock(); defer s.mu.Unlock(); return h.wake != nil })
	await(t, func() bool { c.mu.Lock(); defer c.mu.Unlock(); return len(c.timers) > 0 })
	select {
	case <-got:
		t.Error("two began at once")
	default:
	}
	for len(got) == 0 {
		c.advance(time.Second / 10)
		time.Sleep(time.Millisecond)
	}
	if d := (<-got).Sub(begun); d < time.Second {
		t.Errorf("the next began after %v", d)
	}
	s.startPause(h, time.Minute, "")
	rest := (*pauseError)(nil)
	if _, err := s.awaitTicket(t.Context(), h, ticketTime); !errors.As(err, &rest) || rest.remaining != time.Minute {
		t.Errorf("%v", err)
	}
	s.startPause(h, time.Hour, "it wants peace")
	if _, err := s.awaitTicket(t.Context(), h, ticketTime); !errors.As(err, &rest) || rest.skipReason != "it wants peace" {
		t.Errorf("%v", err)
	}
}

// await waits until condition returns true.
func await(t *testing.T, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !condition(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it never came")
		}
	}
}

// TestTurnEndsWithLease checks that the wait for a turn ends when the lease ends.
func TestTurnEndsWithLease(t *testing.T) {
	s, p, _ := testQueue()
	ctx, cancel := context.WithCancel(t.Context())
	p.ctx = ctx
	h, err := s.awaitTurn(t.Context(), p, "a", limits{atOnce: 1})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		_, err := s.awaitTurn(t.Context(), p, "a", limits{atOnce: 1})
		ended <- err
	}()
	await(t, func() bool { s.mu.Lock(); defer s.mu.Unlock(); return len(h.waitingTurns) == 1 })
	cancel()
	if err := <-ended; !errors.Is(err, errTaken) {
		t.Error(err)
	}
}

// memoryConn is a connection that stores the written bytes.
type memoryConn struct {
	net.Conn
	written bytes.Buffer
	closed  bool
}

func (c *memoryConn) Write(p []byte) (int, error) { return c.written.Write(p) }
func (c *memoryConn) Read(p []byte) (int, error)  { return copy(p, "220 ready"), nil }
func (c *memoryConn) Close() error                { c.closed = true; return nil }

// TestFirstConn checks that a request begins when the first byte is sent, if the permission is
// still valid at that time.
func TestFirstConn(t *testing.T) {
	begun, valid := 0, true
	one := requestStart{isValid: func() bool { return valid }, markBegun: func() { begun++ }}
	plain := &memoryConn{}
	c := &requestConn{Conn: plain, start: one}
	for range 2 {
		if _, err := c.Write([]byte("x")); err != nil {
			t.Error(err)
		}
	}
	if c.Close(); begun != 1 || plain.written.String() != "xx" {
		t.Errorf("begun %d times, %q", begun, &plain.written)
	}
	// The server speaks first.
	c = &requestConn{Conn: &memoryConn{}, start: one}
	if _, err := c.Read(make([]byte, 9)); err != nil || begun != 2 {
		t.Errorf("begun %d times, %v", begun, err)
	}
	// The connection is closed before any data is sent.
	if c = (&requestConn{Conn: &memoryConn{}, start: one}); c.Close() != nil || begun != 3 {
		t.Errorf("begun %d times", begun)
	}
	// The request is too late. It gets another permission, or an error.
	valid = false
	again := requestStart{isValid: func() bool { return true }, markBegun: func() { begun += 10 }}
	plain = &memoryConn{}
	c = &requestConn{Conn: plain, start: one, awaitStart: func() (requestStart, error) { return again, nil }}
	if _, err := c.Write([]byte("x")); err != nil || begun != 14 {
		t.Errorf("begun %d times, %v", begun, err)
	}
	plain = &memoryConn{}
	c = &requestConn{Conn: plain, start: one, awaitStart: func() (requestStart, error) { return requestStart{}, errLate }}
	if _, err := c.Write([]byte("x")); !errors.Is(err, errLate) || plain.written.Len() > 0 || !plain.closed {
		t.Errorf("%v, %q was sent", err, &plain.written)
	}
}

// TestPermit checks that a permit allows one request, which must begin in time. If the host's
// owner no longer responds, the permit must end. The owner must wait longer than the holder.
func TestPermit(t *testing.T) {
	e, err := Embed(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	f, _ := connected(t, e, Settings{Partitions: 1})
	other, _ := connected(t, e, Settings{})
	c := newFakeClock()
	w := newFixture(t, redirecting)
	owner, asker := w.workerAt(f, w.options(), c), w.workerAt(other, w.options(), c)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	defer owner.running.Wait()
	defer cancel()
	p := owner.holdPartition(ctx, t, 0)
	defer p.stop()
	at := f.hostAddressOf("h")
	ask := func() *remoteTurn {
		t.Helper()
		got := make(chan turn)
		go func() {
			one, err := asker.awaitTurnAt(t.Context(), at, limits{atOnce: 1, interval: time.Second})
			if err != nil {
				t.Error(err)
			}
			got <- one
		}()
		for {
			select {
			case one := <-got:
				return one.(*remoteTurn)
			case <-time.After(10 * time.Millisecond):
				c.advance(100 * time.Millisecond)
				if err := owner.leases.renew(t.Context(), p.lease); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	one := ask()
	s, err := one.awaitStart(t.Context())
	if err != nil || !s.isValid() {
		t.Fatal(err)
	}
	if c.advance(permitTime); s.isValid() {
		t.Error("it may begin too late")
	}
	if _, err := one.awaitStart(t.Context()); !errors.Is(err, errLate) {
		t.Errorf("it begins twice: %v", err)
	}
	one.release()
	await(t, func() bool { owner.mu.Lock(); defer owner.mu.Unlock(); return len(owner.permits) == 0 })

	// A renewed permit stays valid. If the owner stops, the permit ends with the owner's lease.
	one = ask()
	c.async = true
	for range 5 {
		if err := owner.leases.renew(t.Context(), p.lease); err != nil {
			t.Fatal(err)
		}
		one.mu.Lock()
		before := one.expiry
		one.mu.Unlock()
		c.advance(renewEvery)
		await(t, func() bool {
			one.mu.Lock()
			renewed := one.expiry.After(before)
			one.mu.Unlock()
			if !renewed {
				c.advance(time.Millisecond) // the worker repeats a failed renewal after a second
			}
			return renewed
		})
	}
	if one.ctx.Err() != nil {
		t.Error("it ended although it was held")
	}
	left := p.lease.remaining(c)
	p.stop()
	for range 20 {
		c.advance(left / 20)
		time.Sleep(time.Millisecond)
	}
	await(t, func() bool { c.advance(time.Second / 10); return one.ctx.Err() != nil })
	one.release()
}

// FuzzPermit checks that parsePermit limits the values of an untrusted message.
func FuzzPermit(f *testing.F) {
	for _, r := range []permitRecord{
		{Host: "0123456789abcdef", AtOnce: 2, Interval: time.Second}, {ID: "x", Event: permitPaused, Pause: time.Hour, Shut: "no"},
		{ID: "x", Waited: 1, Left: -1}, {Host: "<script>", AtOnce: -1, Interval: -1 << 62, Pause: 1 << 62},
	} {
		text, err := json.Marshal(r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("{"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, ok := parsePermit(text)
		if !ok {
			return
		}
		for _, d := range []time.Duration{r.Interval, r.Waited, r.Left, r.Pause} {
			if d < 0 || d > maxPause {
				t.Errorf("%v", d)
			}
		}
		if r.AtOnce < 0 || len(r.Shut) > maxShut || r.Host != "" && !isHostHash(r.Host) {
			t.Errorf("%+v", r)
		}
	})
}

// FuzzHostRecord checks that decodeHost limits the values of an untrusted record.
func FuzzHostRecord(f *testing.F) {
	f.Add([]byte(`{"pause":60000000000,"interval":5000000000}`), int64(0))
	f.Add([]byte(`{"pause":3600000000000,"shut":"it asked for a pause"}`), int64(time.Hour))
	f.Add([]byte(`{"pause":-1,"interval":-1}`), int64(-time.Hour))
	f.Add([]byte(`{"pause":9223372036854775807,"interval":9223372036854775807}`), int64(1)<<62)
	f.Fuzz(func(t *testing.T, text []byte, age int64) {
		r := decodeHost(text, time.Duration(age))
		if r.Pause < 0 || r.Pause > maxPause || r.Interval < 0 || r.Interval > time.Minute || len(r.Shut) > maxShut || r.Shut != "" && r.Pause == 0 {
			t.Errorf("%+v", r)
		}
	})
}

// TestReadHost checks that a pause is never shorter than the host requested, unless it has ended
// even with the maximum clock error.
func TestReadHost(t *testing.T) {
	text := []byte(`{"pause":86400000000000,"interval":5000000000,"shut":"it wants peace"}`)
	for age, want := range map[time.Duration]time.Duration{
		0: 24 * time.Hour, -time.Hour: 24 * time.Hour, maxSkew: 24 * time.Hour, 23 * time.Hour: 2 * time.Hour, 26 * time.Hour: 0,
	} {
		r := decodeHost(text, age)
		if r.Pause != want || (r.Shut != "") != (want > 0) || r.Interval != 5*time.Second {
			t.Errorf("%v: %+v", age, r)
		}
	}
}

// TestLeaseOverSleep checks that a lease expires while the machine sleeps. The monotonic clock
// stops during sleep, so the wall clock must end the lease.
func TestLeaseOverSleep(t *testing.T) {
	l := &lease{}
	begun := time.Now()
	l.set(begun, leaseTime)
	asleep := time.Hour
	// The monotonic time is the same, but the wall clock shows an hour later.
	woken := clockAt{begun.Round(0).Add(asleep)}
	if left := l.remaining(woken); left > 0 {
		t.Errorf("valid for %v", left)
	}
	if left := l.remaining(clockAt{begun.Add(time.Second)}); left != leaseTime-time.Second {
		t.Errorf("valid for %v", left)
	}
}

// clockAt is a clock that always shows the same time.
type clockAt struct{ at time.Time }

func (c clockAt) Now() time.Time                              { return c.at }
func (clockAt) AfterFunc(time.Duration, func()) (stop func()) { return func() {} }

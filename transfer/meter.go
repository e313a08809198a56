package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/locus-url/locus/scheme"
)

// State is how far a job is.
type State uint8

const (
	Started  State = iota // the object is there and its octets begin to come
	Moving                // octets have come
	Waiting               // it failed, and will be tried again
	Finished              // the file is whole
	Failed                // it is given up
	Busy                  // it waits for another process; Err is a [*BusyError]
)

func (s State) String() string {
	return [...]string{"started", "moving", "waiting", "finished", "failed", "busy"}[s]
}

// Event tells how a job goes.
type Event struct {
	Index int // of the job
	State State
	Done  int64         // octets that are there, those of an earlier part included
	Total int64         // octets of the whole object; -1: unknown
	Rate  float64       // octets a second, of late
	Left  time.Duration // at this rate; -1: unknown
	Err   error         // why it waits or failed
}

const (
	bufferSize = 256 << 10
	// eventPause is the shortest time between two events about moving: more often
	// nobody can read them.
	eventPause = 100 * time.Millisecond
	// rateMemory is how long the rate remembers: so short that a change shows, so
	// long that one burst is none.
	rateMemory = 3 * time.Second
)

// meter counts the octets of one job and tells of them.
type meter struct {
	report func(Event) // nil: nobody listens
	event  Event
	told   time.Time // of the last event
	before int64     // octets at that time
}

// start begins to count at done octets of total.
func (m *meter) start(done, total int64) {
	m.event.State, m.event.Err = Started, nil
	m.event.Done, m.event.Total = done, total
	m.event.Rate, m.event.Left = 0, -1
	m.told, m.before = time.Now(), done
	m.tell()
}

func (m *meter) add(n int) {
	m.event.Done += int64(n)
	if m.report == nil {
		return
	}
	now := time.Now()
	if pause := now.Sub(m.told); pause >= eventPause {
		m.measure(pause)
		m.told, m.before = now, m.event.Done
		m.event.State = Moving
		m.tell()
	}
}

// measure puts the rate of the last pause into the mean of the ones before, by
// its weight in time.
func (m *meter) measure(pause time.Duration) {
	e := &m.event
	rate := float64(e.Done-m.before) / pause.Seconds()
	if e.State == Started {
		e.Rate = rate
	} else {
		e.Rate += (rate - e.Rate) * (1 - math.Exp(-float64(pause)/float64(rateMemory)))
	}
	e.Left = -1
	if e.Total >= e.Done && e.Rate > 0 {
		if left := float64(e.Total-e.Done) / e.Rate; left < math.MaxInt64/float64(time.Second) {
			e.Left = time.Duration(left * float64(time.Second))
		}
	}
}

// end tells the last event, or one before the next start.
func (m *meter) end(state State, err error) {
	m.event.State, m.event.Err = state, err
	m.tell()
}

func (m *meter) tell() {
	if m.report != nil {
		m.report(m.event)
	}
}

// copy writes body to w through buf, in pieces as they come, until its end.
func (m *meter) copy(ctx context.Context, w io.Writer, body io.Reader, buf []byte) error {
	for {
		n, err := body.Read(buf)
		if ctx.Err() != nil && (err == nil || err == io.EOF) {
			err = ctx.Err()
		}
		if n > 0 {
			if _, err2 := w.Write(buf[:n]); err2 != nil {
				// A fault of the body is known by now, and tells more.
				if fault := m.fault(n, err); fault != nil {
					return errors.Join(fault, err2)
				}
				return err2
			}
			m.add(n)
		}
		switch {
		case err == io.EOF:
			return m.complete(0)
		case err != nil:
			return err
		}
	}
}

// fault returns what is wrong with the body if a read of n octets gave err.
func (m *meter) fault(n int, err error) error {
	if err != io.EOF {
		return err
	}
	return m.complete(n)
}

// complete makes sure that what came is what was announced. The last n octets are not
// counted yet.
func (m *meter) complete(n int) error {
	done, total := m.event.Done+int64(n), m.event.Total
	if total < 0 || done == total {
		return nil
	}
	return fmt.Errorf("%w: %d octets came and %d were announced", scheme.ErrProtocol, done, total)
}

// Copy writes the octets of o to w as they come, and tells report of it, which
// may be nil; the Index of its events is 0. An object that has not as many octets
// as it said is an error, [scheme.ErrProtocol]. Copy does not close o.
func Copy(ctx context.Context, w io.Writer, o *scheme.Object, report func(Event)) (n int64, err error) {
	m := meter{report: report}
	m.start(o.Start, o.Size)
	err = m.copy(ctx, w, o.Body, make([]byte, bufferSize))
	if err != nil {
		m.end(Failed, err)
	} else {
		m.end(Finished, nil)
	}
	return m.event.Done - o.Start, err
}

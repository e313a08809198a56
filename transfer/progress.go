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

// State is the state of a job.
type State uint8

const (
	Started  State = iota // the object is open, and its bytes will arrive
	Moving                // bytes have arrived
	Waiting               // an attempt failed, and another attempt will follow
	Finished              // the file is complete
	Failed                // the job failed, and no further attempt will follow
	Busy                  // the job waits for another process; Err is a [*BusyError]
)

func (s State) String() string {
	return [...]string{"started", "moving", "waiting", "finished", "failed", "busy"}[s]
}

// Event is the progress of a job.
type Event struct {
	Index int // index of the job
	State State
	Done  int64         // bytes received so far, including the bytes of an earlier part
	Total int64         // size of the whole object in bytes; -1 if unknown
	Rate  float64       // current speed in bytes per second
	Left  time.Duration // estimated remaining time at this rate; -1 if unknown
	Err   error         // reason why the job waits or failed
}

const (
	bufferSize = 256 << 10
	// eventPause is the minimum time between two Moving events.
	eventPause = 100 * time.Millisecond
	// rateWindow is the time over which the rate is measured. It is short enough to show
	// changes and long enough to smooth bursts.
	rateWindow = 3 * time.Second
)

type progress struct {
	report    func(Event) // called for each event; may be nil
	event     Event
	sentAt    time.Time // time of the last event
	sentBytes int64     // number of bytes at the last event
}

// startTransfer begins the measurement. The file already contains the number of bytes in received,
// and total is the size of the object.
func (m *progress) startTransfer(received, total int64) {
	m.event.State, m.event.Err = Started, nil
	m.event.Done, m.event.Total = received, total
	m.event.Rate, m.event.Left = 0, -1
	m.sentAt, m.sentBytes = time.Now(), received
	m.send()
}

func (m *progress) count(n int) {
	m.event.Done += int64(n)
	if m.report == nil {
		return
	}
	now := time.Now()
	if pause := now.Sub(m.sentAt); pause >= eventPause {
		m.measure(pause)
		m.sentAt, m.sentBytes = now, m.event.Done
		m.event.State = Moving
		m.send()
	}
}

func (m *progress) measure(pause time.Duration) {
	e := &m.event
	rate := float64(e.Done-m.sentBytes) / pause.Seconds()
	if e.State == Started {
		e.Rate = rate
	} else {
		e.Rate += (rate - e.Rate) * (1 - math.Exp(-float64(pause)/float64(rateWindow)))
	}
	e.Left = -1
	if e.Total >= e.Done && e.Rate > 0 {
		if left := float64(e.Total-e.Done) / e.Rate; left < math.MaxInt64/float64(time.Second) {
			e.Left = time.Duration(left * float64(time.Second))
		}
	}
}

func (m *progress) pause(state State, err error) {
	m.event.State, m.event.Err = state, err
	m.send()
}

func (m *progress) end(err error) {
	if err != nil {
		m.pause(Failed, err)
	} else {
		m.pause(Finished, nil)
	}
}

func (m *progress) send() {
	if m.report != nil {
		m.report(m.event)
	}
}

func (m *progress) copy(ctx context.Context, w io.Writer, body io.Reader, buf []byte) error {
	for {
		n, err := body.Read(buf)
		if ctx.Err() != nil && (err == nil || err == io.EOF) {
			err = ctx.Err()
		}
		if n > 0 {
			if _, err2 := w.Write(buf[:n]); err2 != nil {
				// The error of the body is more specific.
				if fault := m.bodyError(n, err); fault != nil {
					return errors.Join(fault, err2)
				}
				return err2
			}
			m.count(n)
		}
		if err != nil {
			return m.bodyError(0, err)
		}
	}
}

// bodyError returns the error of the body after a read that returned n bytes and err. The caller
// must not have counted the n bytes yet.
func (m *progress) bodyError(n int, err error) error {
	if err != io.EOF {
		return err
	}
	done, total := m.event.Done+int64(n), m.event.Total
	if total < 0 || done == total {
		return nil
	}
	return fmt.Errorf("%w: got %d bytes instead of %d", scheme.ErrProtocol, done, total)
}

// Copy writes the bytes of the object o to w. Copy calls report for its progress, and
// report may be nil. The Index of these events is 0. If the object's length differs from
// the announced length, the error wraps [scheme.ErrProtocol]. Copy does not close o.
func Copy(ctx context.Context, w io.Writer, o *scheme.Object, report func(Event)) (n int64, err error) {
	m := progress{report: report}
	m.startTransfer(o.Start, o.Size)
	err = m.copy(ctx, w, o.Body, make([]byte, bufferSize))
	m.end(err)
	return m.event.Done - o.Start, err
}

package fleet

import "time"

// Clock returns the time and starts timers. The fleet measures the validity of leases, the ages
// of verdicts and pauses only with this clock, so that tests need not wait. The time must not go
// backward; [time.Now] is safe because it includes a monotonic clock reading.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f in its own goroutine after the duration d, unless the caller calls the
	// returned function earlier.
	AfterFunc(d time.Duration, f func()) (stop func())
}

// SystemClock is the Clock that uses the clock of this machine.
type SystemClock struct{}

// Now returns [time.Now].
func (SystemClock) Now() time.Time { return time.Now() }

// AfterFunc calls [time.AfterFunc].
func (SystemClock) AfterFunc(d time.Duration, f func()) (stop func()) {
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}

// sleep waits for the duration d or until done is closed, and reports whether done was closed.
func sleep(c Clock, d time.Duration, done <-chan struct{}) (ended bool) {
	return sleepUntil(c, d, done, nil)
}

// sleepUntil is like sleep, but also returns when the channel wake is closed.
func sleepUntil(c Clock, d time.Duration, done, wake <-chan struct{}) (ended bool) {
	woken := make(chan struct{})
	stop := c.AfterFunc(d, func() { close(woken) })
	defer stop()
	select {
	case <-woken:
		return false
	case <-wake:
		return false
	case <-done:
		return true
	}
}

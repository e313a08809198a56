package fleet

import "time"

// Clock returns the time and starts timers. The fleet measures leases of partitions, ages of
// verdicts and pauses only by this clock, so that tests need not wait. Its time must not go
// backward; [time.Now] is safe because it has a monotonic reading.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f in its own goroutine after d, unless the caller calls the returned
	// function stop before.
	AfterFunc(d time.Duration, f func()) (stop func())
}

// SystemClock is the Clock of this machine.
type SystemClock struct{}

// Now returns the time.
func (SystemClock) Now() time.Time { return time.Now() }

// AfterFunc is [time.AfterFunc].
func (SystemClock) AfterFunc(d time.Duration, f func()) (stop func()) {
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}

// wait waits for the duration d or until done is closed. It reports whether done was closed.
func wait(c Clock, d time.Duration, done <-chan struct{}) (ended bool) {
	return wait2(c, d, done, nil)
}

// wait2 is like wait, but it also returns when wake is closed.
func wait2(c Clock, d time.Duration, done, wake <-chan struct{}) (ended bool) {
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

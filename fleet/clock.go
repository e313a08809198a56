package fleet

import "time"

// Clock tells the time and wakes up. Leases, ages and pauses use no other one, so that tests
// need not wait. It must not be set back: time.Now has a monotonic part.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f in its own goroutine after d, unless stop is called before.
	AfterFunc(d time.Duration, f func()) (stop func())
}

// SystemClock is the clock of this machine.
type SystemClock struct{}

// Now returns the time.
func (SystemClock) Now() time.Time { return time.Now() }

// AfterFunc is [time.AfterFunc].
func (SystemClock) AfterFunc(d time.Duration, f func()) (stop func()) {
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}

// wait waits for d, or until done is closed, which it reports.
func wait(c Clock, d time.Duration, done <-chan struct{}) (ended bool) {
	return wait2(c, d, done, nil)
}

// wait2 is wait, but ends also when wake is closed.
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

package fleet

import (
	"slices"
	"sync"
	"testing"
	"time"
)

// fakeClock is a clock whose time changes only if a test calls advance.
type fakeClock struct {
	mu     sync.Mutex
	now    time.Time
	timers []*fakeTimer
	async  bool // callbacks run in separate goroutines, as with a real clock
}

type fakeTimer struct {
	at time.Time
	f  func()
}

func newFakeClock() *fakeClock { return &fakeClock{now: time.Unix(1e9, 0)} }

func (c *fakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *fakeClock) AfterFunc(d time.Duration, f func()) (stop func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &fakeTimer{c.now.Add(d), f}
	c.timers = append(c.timers, t)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.timers = slices.DeleteFunc(c.timers, func(o *fakeTimer) bool { return o == t })
	}
}

// advance moves the clock and calls the due callbacks in order before it returns.
func (c *fakeClock) advance(d time.Duration) {
	c.mu.Lock()
	end := c.now.Add(d)
	for {
		due := -1
		for i, t := range c.timers {
			if !t.at.After(end) && (due < 0 || t.at.Before(c.timers[due].at)) {
				due = i
			}
		}
		if due < 0 {
			break
		}
		t := c.timers[due]
		c.timers = slices.Delete(c.timers, due, due+1)
		if t.at.After(c.now) {
			c.now = t.at
		}
		c.mu.Unlock()
		if c.async {
			go t.f()
		} else {
			t.f()
		}
		c.mu.Lock()
	}
	c.now = end
	c.mu.Unlock()
}

// advanceRepeatedly advances the clock by d every millisecond until the test ends.
func (c *fakeClock) advanceRepeatedly(t *testing.T, d time.Duration) {
	c.async = true
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
				c.advance(d)
			}
		}
	}()
	t.Cleanup(func() { close(done); <-ended })
}

func TestWait(t *testing.T) {
	c := newFakeClock()
	done := make(chan struct{})
	ended := make(chan bool)
	go func() { ended <- sleep(c, time.Hour, done) }()
	for {
		c.mu.Lock()
		n := len(c.timers)
		c.mu.Unlock()
		if n == 1 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	c.advance(time.Hour)
	if <-ended {
		t.Error("it was ended, and did not wait")
	}
	close(done)
	if !sleep(c, time.Hour, done) {
		t.Error("it waited, although it was ended")
	}
}

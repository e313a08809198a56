package gateway

import (
	runtimemetrics "runtime/metrics"
	"sync/atomic"
	"time"
)

// memory tells whether the program holds more than it may.
type memory struct {
	held func() int64 // what it holds
	free func()       // lets go of what nothing uses

	asked   time.Time
	over    bool
	freeing atomic.Bool
}

// memoryTime is how long an answer about memory is good.
const memoryTime = 20 * time.Millisecond

// isOver reports whether more than most is held; 0: there is no limit. If it is, what
// nothing uses is let go of: nobody else may do that as long as no request is
// answered. It is called by one goroutine at a time.
func (m *memory) isOver(most int64) bool {
	if most <= 0 {
		return false
	}
	now := time.Now()
	if now.Sub(m.asked) < memoryTime {
		return m.over
	}
	m.asked, m.over = now, m.held() > most
	if m.over && m.freeing.CompareAndSwap(false, true) {
		go func() {
			defer m.freeing.Store(false)
			m.free()
		}()
	}
	return m.over
}

// heldMemory is what package runtime has from the system and has not given back:
// what debug.SetMemoryLimit is about.
func heldMemory() int64 {
	s := []runtimemetrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	runtimemetrics.Read(s)
	return int64(s[0].Value.Uint64() - s[1].Value.Uint64())
}

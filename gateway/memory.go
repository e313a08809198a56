package gateway

import (
	runtimemetrics "runtime/metrics"
	"sync/atomic"
	"time"
)

// memory measures the memory of the program.
type memory struct {
	used    func() int64 // returns the memory in use, in bytes
	release func()       // returns unused memory to the system

	asked   time.Time
	over    bool
	freeing atomic.Bool
}

// memoryTime is how long a measurement is valid.
const memoryTime = 20 * time.Millisecond

// isOver reports whether the program uses more memory than limit, in bytes. If limit is zero,
// isOver returns false. Above the limit, isOver frees unused memory, because the garbage collector
// might not run while the gateway rejects all requests. Calls must not be concurrent.
func (m *memory) isOver(limit int64) bool {
	if limit <= 0 {
		return false
	}
	now := time.Now()
	if now.Sub(m.asked) < memoryTime {
		return m.over
	}
	m.asked, m.over = now, m.used() > limit
	if m.over && m.freeing.CompareAndSwap(false, true) {
		go func() {
			defer m.freeing.Store(false)
			m.release()
		}()
	}
	return m.over
}

// heldMemory returns the number of bytes that the runtime uses. It counts memory as
// debug.SetMemoryLimit does.
func heldMemory() int64 {
	s := []runtimemetrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	runtimemetrics.Read(s)
	return int64(s[0].Value.Uint64() - s[1].Value.Uint64())
}

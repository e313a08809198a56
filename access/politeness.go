package access

import "time"

// Politeness limits what a program with many URLs asks of their hosts. The zero value, like
// a zero field, selects the default, which is the same in all packages of this module. A
// negative field, such as [None], turns its limit, pause or repetition off.
type Politeness struct {
	// Parallel is the number of requests at once; 0: 32. It is at most [MaxParallel], which
	// a negative value selects.
	Parallel int
	// PerHost is the number of requests at once to one host; 0: 2. A negative value means no
	// limit.
	PerHost int
	// Interval is the least time between the beginnings of two requests to one host; 0: 100
	// ms. A negative value means no pause.
	Interval time.Duration
	// Retry is how often a request is repeated after a temporary failure, as the function
	// [Retry] reports it; 0: 2. A negative value means never.
	Retry int
	// Wait is the pause before the first repetition, roughly doubled for each one after it;
	// 0: 1 s. A negative value means no pause.
	Wait time.Duration
	// MaxWait limits each pause before a repetition; 0: 1 min. If a server asks for a longer
	// pause, the request is not repeated. If MaxWait is negative, any pause is too long.
	MaxWait time.Duration
}

const (
	// None is the value of a [Politeness] field that turns its limit, pause or repetition off.
	None = -1
	// MaxParallel is the limit of Politeness.Parallel. Each request takes a goroutine and a
	// connection.
	MaxParallel = 4096
)

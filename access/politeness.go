package access

import "time"

// Politeness limits the requests that a program with many URLs sends to each host. A zero
// field selects the default, which is the same in all packages of this module. A negative
// value, such as [None], turns off the limit, pause or retry.
type Politeness struct {
	// Parallel is the number of concurrent requests. Zero means 32. A negative value
	// selects the maximum, [MaxParallel].
	Parallel int
	// PerHost is the number of concurrent requests to one host. Zero means 2. A negative
	// value means no limit.
	PerHost int
	// Interval is the minimum time between the starts of two requests to one host. Zero
	// means 100 ms. A negative value means no pause.
	Interval time.Duration
	// Retry is the maximum number of times that a request is repeated after temporary
	// failures. The function [Retry] reports whether a failure is temporary. Zero means 2.
	// A negative value means never.
	Retry int
	// Wait is the pause before the first retry. The pause roughly doubles for each further
	// retry. Zero means 1 second. A negative value means no pause.
	Wait time.Duration
	// MaxWait limits each pause before a retry. Zero means 1 minute. If a server requests a
	// longer pause, the request is not repeated. If MaxWait is negative, any pause is too
	// long.
	MaxWait time.Duration
}

const (
	// None is the value of a [Politeness] field that turns off a limit, pause or retry.
	None = -1
	// MaxParallel is the limit of Politeness.Parallel. Each request takes a goroutine and a
	// connection.
	MaxParallel = 4096
)

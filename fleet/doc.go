// Package fleet verifies links on many machines. NATS JetStream stores the frontier (the targets to
// check) and the verdicts. Any number of workers share the targets, and each host belongs to one
// worker at a time.
package fleet

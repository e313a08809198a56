// Package fleet verifies links on many machines. The frontier, which is what is to be asked,
// and the verdicts live in NATS JetStream; any number of workers ask, and no host is asked by
// two of them.
package fleet

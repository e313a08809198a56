// Package ardptest provides an ARDP server for tests. It cuts replies into packets and
// sends them in windows, announces waits, redirects and rejects clients, and stores
// replies for clients that repeat a request. Its headers match measured headers of the
// original server of 1994. Unlike the original server, it never repeats a packet by
// itself, not even after a wait.
//
// [Faulty] is a network that loses, duplicates and reorders datagrams. [Network] is an
// in-memory network for tests with a fake clock.
package ardptest

// Package ardptest provides an ARDP server for tests. The server splits replies into packets and
// sends the packets in windows. It can announce waits, and redirect or reject clients. It stores
// replies for clients that repeat a request. Its headers match the recorded headers of the
// original server of 1994. Unlike the original server, the test server never repeats a packet by
// itself, not even after a wait.
//
// [Faulty] simulates a network that loses, duplicates and reorders datagrams. [Network] is an
// in-memory network for tests with a fake clock.
package ardptest

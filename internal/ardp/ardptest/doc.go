// Package ardptest is the server's side of ARDP inside the process, for tests: it
// cuts replies into packets and sends them in windows, tells clients to wait, to go
// elsewhere or to go away, and answers who asks again from its store. Its headers
// are those of the original server of 1994, as measured. It does less than that one
// in one thing: it never repeats by itself, not even after a wait.
//
// There are networks for it too: one that loses, doubles and reorders datagrams,
// and one in memory, for tests whose clock is not the real one.
package ardptest

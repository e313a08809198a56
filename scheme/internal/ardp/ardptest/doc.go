// Package ardptest is an ARDP server for tests. It cuts replies into packets and sends
// them in windows, announces waits, redirects and refuses clients, and stores replies
// for clients that repeat a request. Its headers are those of the original server of
// 1994, as measured. Unlike that one it never repeats by itself, not even after a wait.
//
// [Faulty] is a network that loses, duplicates and reorders datagrams; [Network] is one
// in memory, for tests with a fake clock.
package ardptest

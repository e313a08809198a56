// Package ardp is the client's side of ARDP, the Asynchronous Reliable Delivery
// Protocol of Neuman and Augart: one message goes to a server over UDP and one comes
// back, each in as many packets as it takes, and what is lost is asked for again. It
// is what Prospero runs on, but nothing of Prospero is in it.
//
// A header of 1 to 63 octets begins each datagram ([Header]). The client sends the
// packets of its request, and sends them again after 4, 8 and 16 seconds as long as
// the server does not say that it has them. The server sends its reply in windows of
// 16 packets, each of which ends with one that asks for an acknowledgement; it never
// repeats by itself. It may tell the client to wait, refuse the request, or send the
// client on to another server. While a wait is in force the client repeats the request
// after 4, 8 and 16 seconds and then every 30 seconds, because a reply that was lost
// does not come again by itself.
//
// Nothing that a server says is trusted: datagrams that are malformed, that have
// another connection id, or that contradict earlier ones are dropped, and too many
// of them end the exchange. Memory grows with what has come, never with what is
// announced. Waits have a bound in all, and redirects lead neither in circles nor
// where the first server could not be: to multicast, to nowhere, or from public
// addresses to private ones.
//
// Version 0 of ARDP alone is spoken; datagrams of version 1 are dropped.
package ardp

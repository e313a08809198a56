// Package ardp is the client of ARDP, the Asynchronous Reliable Delivery Protocol of
// Neuman and Augart, which carries Prospero's messages over UDP. A client sends one
// message and receives one. Each is cut into packets, and lost packets are repeated.
// Nothing here depends on Prospero.
//
// A header of 1 to 63 octets begins each datagram ([Header]). The client sends the
// packets of its request, and repeats them after 4, 8 and 16 seconds unless the server
// acknowledges them. The server sends its reply in windows of 16 packets, the last of
// which asks for an acknowledgement; it never repeats packets by itself. It may tell the
// client to wait, refuse the request, or redirect the client to another server. While a
// wait is in force the client repeats the request after 4, 8 and 16 seconds and then
// every 30 seconds, because the server does not resend a lost reply by itself.
//
// The server is not trusted. Datagrams that are malformed, have another connection id,
// or contradict earlier ones are dropped; too many of them end the exchange. Memory
// grows with received data, never with announced sizes. The total of all waits is
// bounded. Redirects are refused if they are circular or lead to multicast, to invalid
// addresses, or from public to private ones.
//
// Only version 0 of ARDP is implemented; datagrams of version 1 are dropped.
package ardp

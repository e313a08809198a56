// Package ardp implements the client of ARDP, the Asynchronous Reliable Delivery
// Protocol of Neuman and Augart, which carries Prospero's messages over UDP. A
// client sends one message and receives one. The sender cuts each message into
// packets, and lost packets are repeated. The package does not depend on Prospero.
//
// Each datagram begins with a header of 1 to 63 octets ([Header]). The client sends the
// packets of its request, and repeats them after 4, 8 and 16 seconds unless the server
// acknowledges them. The server sends its reply in windows of 16 packets. The last
// packet of a window requests an acknowledgement. The server never repeats packets by
// itself. It may announce a wait, reject the request, or redirect the client to another
// server. During a wait the client repeats the request after 4, 8 and 16 seconds and
// then every 30 seconds, because the server does not resend a lost reply by itself.
//
// The client does not trust the server. It drops datagrams that are malformed, have
// another connection id, or contradict earlier ones; too many of them end the call.
// Memory grows with received data, never with announced sizes. The total of all waits
// is bounded. The client rejects circular redirects, and redirects to multicast, to
// invalid addresses, or from public to private addresses.
//
// Only version 0 of ARDP is implemented. The client drops datagrams of version 1.
package ardp

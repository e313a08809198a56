// Package ardp implements the client of ARDP, the Asynchronous Reliable Delivery Protocol of
// Neuman and Augart, which carries Prospero's messages over UDP. A client sends one message and
// receives one message. The sender splits each message into packets and repeats lost packets. The
// package does not depend on Prospero.
//
// Each datagram begins with a header of 1 to 63 octets ([Header]). The client sends the packets of
// its request, and repeats these packets after 4, 8 and 16 seconds unless the server acknowledges
// them. The server sends its reply in windows of 16 packets. The last packet of a window requests
// an acknowledgement. The server never repeats packets by itself. It may announce a wait, reject
// the request, or redirect the client to another server. During a wait, the client repeats the
// request after 4, 8 and 16 seconds, and then every 30 seconds, because the server does not resend
// a lost reply by itself.
//
// The client does not trust the server. It drops datagrams that are malformed, have another
// connection id, or contradict earlier datagrams. Too many dropped datagrams end the call. The
// client allocates memory for received data only, never for announced sizes. The total wait is
// bounded. The client rejects redirect loops, redirects to multicast or invalid addresses, and
// redirects from public to private addresses.
//
// Only version 0 of ARDP is implemented. The client drops datagrams of version 1.
package ardp

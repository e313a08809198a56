package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"time"

	"github.com/locus-url/locus/internal/servetest"
)

// hostile are servers that no client should meet. They end with the group.
type hostile struct {
	group     servetest.Group
	addresses []string
	silent    net.PacketConn
	large     string // the address of an honest server of a large object
}

// largeSize is the size of the large object, in bytes.
const largeSize = 4 << 20

// most is how many bytes a hostile server sends on one connection.
const most = 1 << 20

// manners are what hostile servers do with a connection, which they then close.
var manners = []func(c net.Conn){
	// Silence.
	func(c net.Conn) { io.Copy(io.Discard, c) },
	// A reset before any answer.
	func(c net.Conn) { c.(*net.TCPConn).SetLinger(0) },
	// A reset in the middle of what may be an answer.
	func(c net.Conn) {
		read(c)
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nhalf")
		c.(*net.TCPConn).SetLinger(0)
	},
	// A greeting, and one answer for each command.
	func(c net.Conn) { repeat(c, []byte("220 ready\r\n")) },
	func(c net.Conn) { repeat(c, []byte("200 posting allowed\r\n")) },
	// An endless line, an endless menu, an endless head.
	func(c net.Conn) { repeatAll(c, bytes.Repeat([]byte("a"), 4<<10)) },
	func(c net.Conn) {
		read(c)
		repeatAll(c, bytes.Repeat([]byte("1item\t1sel\tmany.example\t70\r\n"), 100))
	},
	func(c net.Conn) {
		read(c)
		io.WriteString(c, "HTTP/1.1 200 OK\r\n")
		repeatAll(c, bytes.Repeat([]byte("X-More: and more\r\n"), 100))
	},
	// A byte each 50 ms.
	func(c net.Conn) {
		for range 200 {
			if _, err := io.WriteString(c, "2"); err != nil {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
	},
	// Commands of telnet, and random bytes.
	func(c net.Conn) { repeatAll(c, bytes.Repeat([]byte{255, 253, 24, 255, 251, 1, 255, 250, 31}, 400)) },
	func(c net.Conn) {
		octets := make([]byte, 64<<10)
		random := rand.NewChaCha8([32]byte{17, 38})
		random.Read(octets)
		c.Write(octets)
		read(c)
		c.Write(octets)
	},
	// A redirect to itself, each time under another name.
	func(c net.Conn) {
		read(c)
		io.WriteString(c, "HTTP/1.1 302 Found\r\nLocation: /"+time.Now().Format(time.StampNano)+"\r\nContent-Length: 0\r\n\r\n")
	},
	// Half of a close, and then silence.
	func(c net.Conn) {
		c.(*net.TCPConn).CloseWrite()
		io.Copy(io.Discard, c)
	},
}

func startHostile() (*hostile, error) {
	h := new(hostile)
	for _, manner := range manners {
		address, err := h.serve(manner)
		if err != nil {
			h.close()
			return nil, err
		}
		h.addresses = append(h.addresses, address)
	}
	var err error
	if h.large, err = h.serve(serveLarge); err != nil {
		h.close()
		return nil, err
	}
	if h.silent, err = net.ListenPacket("udp4", "127.0.0.1:0"); err != nil {
		h.close()
		return nil, err
	}
	h.addresses = append(h.addresses, h.silent.LocalAddr().String())
	return h, nil
}

func (h *hostile) serve(manner func(net.Conn)) (address string, err error) {
	l, err := servetest.Listen(nil)
	if err != nil {
		return "", err
	}
	h.group.Serve(l, func(c net.Conn) func() {
		return func() {
			c.SetDeadline(time.Now().Add(time.Minute))
			manner(c)
		}
	})
	return l.Addr().String(), nil
}

func serveLarge(c net.Conn) {
	read(c)
	fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nCache-Control: no-store\r\nContent-Length: %d\r\n\r\n", largeSize)
	piece := make([]byte, 64<<10)
	for range largeSize / len(piece) {
		if _, err := c.Write(piece); err != nil {
			return
		}
	}
}

func (h *hostile) close() error {
	if h.silent != nil {
		h.silent.Close()
	}
	return h.group.Close()
}

// read reads what has come of a request.
func read(c net.Conn) { c.Read(make([]byte, 4<<10)) }

// repeat answers each read with octets.
func repeat(c net.Conn, octets []byte) {
	for range 1000 {
		if _, err := c.Write(octets); err != nil {
			return
		}
		if _, err := c.Read(make([]byte, 4<<10)); err != nil {
			return
		}
	}
}

// repeatAll writes octets until there are most of them.
func repeatAll(c net.Conn, octets []byte) {
	for n := 0; n < most; n += len(octets) {
		if _, err := c.Write(octets); err != nil {
			return
		}
	}
}

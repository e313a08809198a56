package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/locus-url/locus/bench"
)

// idle starts other gateways and opens many idle connections: without a request, within
// the header of a request, and after a request. Then it measures how long another client
// waits for a response.
func (b *loadTest) idle() {
	b.idleAfter("that say nothing", "")
	b.idleAfter("within the head of a request", "GET /healthz HTTP/1.1\r\nHost: local")
	b.idleAfter("after a request", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
}

func (b *loadTest) idleAfter(what, sent string) {
	addr, pid := b.server(b.program, "gateway", "--listen", "127.0.0.1:0", "--no-cache", "--log-format", "none")
	latency(addr)
	before := memory(pid, "VmRSS")
	for range b.waiting {
		conn := bench.Must(net.Dial("tcp", addr))
		defer conn.Close()
		bench.Must(io.WriteString(conn, sent))
		if strings.HasSuffix(sent, "\n") {
			bench.Must(readHeader(bufio.NewReader(conn)))
		}
	}
	var took []time.Duration
	for range 100 {
		took = append(took, latency(addr))
	}
	slices.Sort(took)
	fmt.Printf("| %d connections %s | %d MiB of memory before | %d MiB at most | another is answered in %.1f ms, at most %.1f ms |\n",
		b.waiting, what, before>>10, memory(pid, "VmHWM")>>10, ms(took[50]), ms(took[99]))
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// latency returns how long a client with a new connection waits for a response.
func latency(addr string) time.Duration {
	begun := time.Now()
	conn := bench.Must(net.Dial("tcp", addr))
	defer conn.Close()
	bench.Must(io.WriteString(conn, "GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n"))
	bench.Must(readHeader(bufio.NewReader(conn)))
	return time.Since(begun)
}

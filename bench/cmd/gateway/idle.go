package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"slices"
	"time"
)

// idle starts another gateway and opens many idle connections: without a request, within
// the header of a request, and after a request. Then it measures how long another client
// waits for a response.
func (b *loadTest) idle() error {
	for _, state := range []struct{ what, sent string }{
		{"that say nothing", ""},
		{"within the head of a request", "GET /healthz HTTP/1.1\r\nHost: local"},
		{"after a request", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"},
	} {
		if err := b.idleAfter(state.what, state.sent); err != nil {
			return err
		}
	}
	return nil
}

func (b *loadTest) idleAfter(what, sent string) error {
	addr, pid, err := b.server(b.program, "gateway", "--listen", "127.0.0.1:0", "--no-cache", "--log-format", "none")
	if err != nil {
		return err
	}
	b.pid = pid
	if _, err := b.latency(addr); err != nil {
		return err
	}
	before, err := b.memory("VmRSS")
	if err != nil {
		return err
	}
	for range b.waiting {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			return err
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, sent); err != nil {
			return err
		}
		if len(sent) > 0 && sent[len(sent)-1] == '\n' {
			if _, err := readHeader(bufio.NewReader(conn)); err != nil {
				return err
			}
		}
	}
	var took []time.Duration
	for range 100 {
		d, err := b.latency(addr)
		if err != nil {
			return err
		}
		took = append(took, d)
	}
	slices.Sort(took)
	peak, err := b.memory("VmHWM")
	if err != nil {
		return err
	}
	fmt.Printf("| %d connections %s | %d MiB of memory before | %d MiB at most | another is answered in %.1f ms, at most %.1f ms |\n",
		b.waiting, what, before>>10, peak>>10, ms(took[50]), ms(took[99]))
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// latency returns how long a client with a new connection waits for a response.
func (b *loadTest) latency(addr string) (time.Duration, error) {
	begun := time.Now()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n"); err != nil {
		return 0, err
	}
	if _, err := readHeader(bufio.NewReader(conn)); err != nil {
		return 0, err
	}
	return time.Since(begun), nil
}

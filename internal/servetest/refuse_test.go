package servetest

import (
	"errors"
	"net"
	"runtime"
	"syscall"
	"testing"
)

// A refusing port refuses each connection, and no other listener can use the port.
func TestRefusing(t *testing.T) {
	held, err := Refusing("tcp")
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	address := held.LocalAddr().String()
	for range 200 {
		l, err := Listen(nil)
		if err != nil {
			t.Fatal(err)
		}
		if l.Addr().String() == address {
			t.Errorf("%s was given away", address)
		}
		l.Close()
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		if !errors.Is(err, syscall.ECONNREFUSED) {
			t.Fatalf("%s: %v", address, err)
		}
	}
}

func TestRefusingDatagrams(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // other systems do not report undeliverable datagrams
	}
	held, err := Refusing("udp")
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	c, err := net.Dial("udp", held.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Error(err)
	}
}

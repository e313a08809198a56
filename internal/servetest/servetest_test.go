package servetest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestGroup(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var g Group
	n := 0
	g.Serve(l, func(c net.Conn) func() {
		n++
		number := n // number of the connection, in the order of arrival
		return func() {
			fmt.Fprintln(c, number)
			io.Copy(io.Discard, c)
		}
	})
	var conns []net.Conn
	for i := range 3 {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if got, err := bufio.NewReader(c).ReadString('\n'); got != fmt.Sprintln(i+1) {
			t.Errorf("connection %d: %q %v", i+1, got, err)
		}
		conns = append(conns, c)
	}
	g.HangUp()
	for _, c := range conns {
		if _, err := c.Read(make([]byte, 1)); err == nil {
			t.Error("a connection goes on")
		}
	}
	r, w := net.Pipe()
	defer r.Close()
	if !g.Track(w) {
		t.Error("it is closed before its time")
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	if _, err := r.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("what was tracked: %v", err)
	}
	if g.Track(w) {
		t.Error("it is closed and tracks")
	}
	if _, err := net.Dial("tcp", l.Addr().String()); err == nil {
		t.Error("it still listens")
	}
}

func TestCommands(t *testing.T) {
	var c Commands
	first, second := c.Begin(), c.Begin()
	second("a")
	first("b")
	second("c")
	if got := fmt.Sprint(c.Log()); got != "[[b] [a c]]" {
		t.Error(got)
	}
}

package access

import (
	"errors"
	"io"
	"net"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/locus-url/locus/scheme"
)

// urgentPair returns both ends of a connection, and the socket of the second end.
func urgentPair(t *testing.T) (c, far net.Conn, raw syscall.RawConn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err = loopbackClient(t).Dialer().DialContext(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	far, err = l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { far.Close() })
	raw, err = far.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	return c, far, raw
}

// Urgent data begins a read, whether it arrived before the read or during it.
func TestReadUrgent(t *testing.T) {
	c, far, raw := urgentPair(t)
	send := func(text string, flags int) {
		var sendErr error
		err := raw.Write(func(fd uintptr) bool { sendErr = syscall.Sendto(int(fd), []byte(text), flags, nil); return true })
		if err := errors.Join(err, sendErr); err != nil {
			t.Error(err)
		}
	}
	type read struct {
		text   string
		urgent bool
	}
	var got []read
	next := func() error {
		buf := make([]byte, 100)
		n, urgent, err := c.(scheme.UrgentConn).ReadUrgent(buf)
		if err == nil {
			got = append(got, read{string(buf[:n]), urgent})
		}
		return err
	}
	if err := c.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	send("before", 0)
	send("!", syscall.MSG_OOB)
	for range 2 {
		if err := next(); err != nil {
			t.Fatal(err)
		}
	}
	waiting := make(chan error)
	go func() { waiting <- next() }()
	send("?", syscall.MSG_OOB)
	if err := <-waiting; err != nil {
		t.Fatal(err)
	}
	send("after", 0)
	if err := next(); err != nil {
		t.Fatal(err)
	}
	if want := []read{{"before", false}, {"!", true}, {"?", true}, {"after", false}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	far.Close()
	if err := next(); err != io.EOF {
		t.Error(err)
	}
	if n, urgent, err := c.(scheme.UrgentConn).ReadUrgent(nil); n != 0 || urgent || err != nil {
		t.Error(n, urgent, err)
	}
}

// Urgent data is reported even if it arrives in the middle of ReadUrgent.
func TestReadUrgentAtAnyTime(t *testing.T) {
	c, _, raw := urgentPair(t)
	const times = 5000
	turn := make(chan struct{}, 1)
	go func() {
		for range turn {
			raw.Write(func(fd uintptr) bool { syscall.Sendto(int(fd), []byte("!"), syscall.MSG_OOB, nil); return true })
		}
	}()
	defer close(turn)
	if err := c.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 10)
	for i := range times {
		turn <- struct{}{}
		if n, urgent, err := c.(scheme.UrgentConn).ReadUrgent(buf); n != 1 || !urgent || err != nil {
			t.Fatalf("%d: %q, %v, %v", i, buf[:n], urgent, err)
		}
	}
}

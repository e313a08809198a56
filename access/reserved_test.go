package access

import (
	"errors"
	"net"
	"os"
	"testing"

	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

func TestDialReserved(t *testing.T) {
	d := loopbackClient(t).Dialer().(scheme.ReservedDialer)
	address := listen(t, "word").String()
	var ports []int
	for range 2 {
		c, err := d.DialReserved(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		ports = append(ports, c.LocalAddr().(*net.TCPAddr).Port)
	}
	reserved := func(port int) bool { return firstReserved <= port && port <= lastReserved }
	if may := os.Geteuid() == 0; reserved(ports[0]) != may || reserved(ports[1]) != may || ports[0] == ports[1] {
		t.Errorf("ports %v; may have reserved ones: %v", ports, may)
	}
	if _, err := New(nil, policy.Policy{}, nil).Dialer().(scheme.ReservedDialer).DialReserved(t.Context(), "tcp", address); !errors.Is(err, policy.ErrDenied) {
		t.Error(err)
	}
}

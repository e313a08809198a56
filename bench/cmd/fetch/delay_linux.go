package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
	"unsafe"

	"github.com/locus-url/locus/bench"
)

// The addresses of the slow network. A packet that is sent to the address far arrives at the
// address near, with far as its source address.
const (
	near = "198.18.77.1"
	far  = "198.18.77.2"
)

const (
	tunSetIff = 0x400454ca
	iffTUN    = 0x0001
	iffNoPI   = 0x1000
)

// slowNetwork creates a network device that delivers each packet after a delay, with the source
// and destination addresses exchanged. As a result, a server on this machine responds at another
// address with a longer round trip. The checksums remain valid, because a sum does not depend on
// the order of its terms. The process must run as root.
func slowNetwork(oneWay time.Duration) (end func()) {
	fd := bench.Must(syscall.Open("/dev/net/tun", syscall.O_RDWR|syscall.O_CLOEXEC, 0))
	var request struct {
		name  [16]byte
		flags uint16
		_     [22]byte
	}
	copy(request.name[:], "locusbench%d")
	request.flags = iffTUN | iffNoPI
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), tunSetIff, uintptr(unsafe.Pointer(&request))); errno != 0 {
		bench.Check(errno)
	}
	bench.Check(syscall.SetNonblock(fd, true))
	device := os.NewFile(uintptr(fd), "tun")
	name := string(request.name[:])
	for i, c := range request.name {
		if c == 0 {
			name = name[:i]
			break
		}
	}
	for _, args := range [][]string{{"addr", "add", near, "peer", far, "dev", name}, {"link", "set", name, "txqueuelen", "10000", "up"}} {
		if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
			bench.Check(fmt.Errorf("ip %v: %w: %s", args, err, out))
		}
	}
	go deliver(device, oneWay)
	return func() { device.Close() }
}

type packet struct {
	octets []byte
	due    time.Time
}

func deliver(device *os.File, oneWay time.Duration) {
	queue := make(chan packet, 1<<16)
	go func() {
		for p := range queue {
			time.Sleep(time.Until(p.due))
			device.Write(p.octets)
		}
	}()
	defer close(queue)
	for {
		p := make([]byte, 1<<16)
		n, err := device.Read(p)
		if errors.Is(err, os.ErrClosed) {
			return
		}
		bench.Check(err)
		if n < 20 || p[0]>>4 != 4 {
			continue
		}
		var source [4]byte
		copy(source[:], p[12:16])
		copy(p[12:16], p[16:20])
		copy(p[16:20], source[:])
		queue <- packet{p[:n:n], time.Now().Add(oneWay)}
	}
}

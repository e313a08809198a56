package telnettest_test

import (
	"io"
	"net"
	"testing"

	"github.com/locus-url/locus/scheme/telnet/telnettest"
)

// A host must accept any octets from a client, and must end the session when the client closes the
// connection.
func FuzzHosts(f *testing.F) {
	started := func(s *telnettest.Server, err error) *telnettest.Server {
		if err != nil {
			f.Fatal(err)
		}
		f.Cleanup(func() { s.Close() })
		return s
	}
	hosts := []*telnettest.Server{
		started(telnettest.StartTelnet(nil)),
		started(telnettest.StartRlogin(&telnettest.RloginOptions{Users: users})),
		started(telnettest.StartTN3270(nil)),
		started(telnettest.StartTN3270(&telnettest.HostOptions{Extended: true})),
	}
	f.Add(byte(0), []byte(refusing("")+"size\roption\rbye\r"))
	f.Add(byte(0), []byte("\xff\xfb\x18\xff\xfa\x18\x00VT100\xff\xf0\xff\xfb'\xff\xfa'\x00\x00A\x01b\x02\x02\xff\xf0"+refusing("")+"\xff\xfd\x2a\xff\xfa\x2a\x02UTF-8\xff\xf0\xff\xf4\xff\xf7\xff\xf8"))
	f.Add(byte(1), []byte("\x00a\x00b\x00c\x00x\xff\xffss\x01\x00\x02\x00\x00\x00\x00\x00alice\rs3cret\rhelp\r\x04"))
	f.Add(byte(2), []byte("\xff\xfb\x18\xff\xfa\x18\x00IBM-3278-2-E\xff\xf0\xff\xfb\x19\xff\xfd\x19\xff\xfb\x00\xff\xfd\x00\x7d\x40\x40\x11\xc5\x5f\xc1\xff\xef\xf5\xff\xef\x88\x00\x04\x81\x80\xff\xef"))
	f.Add(byte(3), []byte("\xff\xfb\x28\xff\xfa\x28\x02\x07IBM-3278-5-E\x01DEV\xff\xf0\xff\xfa\x28\x03\x07\x00\x02\x04\xff\xf0\x00\x00\x00\x00\x00\x6d\xff\xef\xff\xf5\x07\x00\x00\x00\x00\xc1\xff\xef"))
	f.Fuzz(func(t *testing.T, which byte, sent []byte) {
		c, err := net.Dial("tcp", hosts[int(which)%len(hosts)].Addr())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		go func() {
			c.Write(sent)
			c.(*net.TCPConn).CloseWrite()
		}()
		// The client may have requested endless output, which is not an error of the host.
		io.Copy(io.Discard, io.LimitReader(c, 1<<20))
	})
}

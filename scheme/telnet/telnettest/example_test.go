package telnettest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/telnet"
	"github.com/locus-url/locus/scheme/telnet/telnettest"
	"github.com/locus-url/locus/tn3270"
)

// A host that does not speak Telnet, and its log.
func ExampleStartTelnet() {
	s, err := telnettest.StartTelnet(&telnettest.TelnetOptions{Plain: true})
	if err != nil {
		panic(err)
	}
	defer s.Close()
	c, err := net.Dial("tcp", s.Addr())
	if err != nil {
		panic(err)
	}
	defer c.Close()
	io.WriteString(c, "bye\r\n")
	text, err := io.ReadAll(c)
	fmt.Println(strings.ReplaceAll(string(text), "\r", ""), err)
	fmt.Println(s.Log())
	// Output:
	// Welcome, stranger. Type help for what there is.
	// > Goodbye.
	//  <nil>
	// [[typed bye]]
}

// A host that runs a function, and a user who answers it.
func ExampleStartTN3270() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s, err := telnettest.StartTN3270(&telnettest.HostOptions{Run: func(h *telnettest.Host) error {
		err := h.Show(h.Builder().EraseWrite(tn3270.KeyboardRestore).
			Field(tn3270.Protected).Text("Colour?").Field(0).InsertCursor())
		if err != nil {
			return err
		}
		in, err := h.Receive()
		if err != nil {
			return err
		}
		return h.Show(h.Builder().EraseWrite(0).Text("So it is " + in.Fields[0].Value))
	}})
	if err != nil {
		panic(err)
	}
	defer s.Close()

	session, err := telnet.New(nil).Open(ctx, &scheme.Request{URL: locus.MustParse("tn3270://" + s.Addr() + "/"), Dial: new(net.Dialer)})
	if err != nil {
		panic(err)
	}
	defer session.Close()
	person := session.(*scheme.Session).Conn.(telnet.Terminal3270)
	screen := person.Screen()
	if err := screen.Wait(ctx, func(s *tn3270.Screen) bool { return s.Status().Lock == tn3270.Unlocked }); err != nil {
		panic(err)
	}
	if err := errors.Join(person.Type("BLUE"), person.Press(tn3270.Enter)); err != nil {
		panic(err)
	}
	if err := screen.Wait(ctx, func(s *tn3270.Screen) bool { return strings.HasPrefix(s.Text(), "So") }); err != nil {
		panic(err)
	}
	fmt.Println(strings.TrimSpace(screen.Text()))
	fmt.Println(s.Log())
	// Output:
	// So it is BLUE
	// [[type IBM-3279-2-E key Enter typed BLUE]]
}

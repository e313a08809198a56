package gophertest_test

import (
	"fmt"
	"io"
	"net"

	"github.com/locus-url/locus/scheme/gopher/gophertest"
)

func Example() {
	server, err := gophertest.Start(gophertest.Item{Items: []gophertest.Item{
		{Name: "welcome", Data: "Hello.\n"},
	}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	conn, err := net.Dial("tcp", server.Addr())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()
	io.WriteString(conn, "/welcome\t+\r\n")
	reply, err := io.ReadAll(conn)
	fmt.Printf("%q %q %v\n", server.Log(), reply, err)
	// Output:
	// ["/welcome\t+\r\n"] "+-1\r\nHello.\r\n.\r\n" <nil>
}

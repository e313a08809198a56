package waistest_test

import (
	"fmt"
	"io"
	"net"

	"github.com/locus-url/locus/scheme/wais/waistest"
)

func Example() {
	server, err := waistest.Start([]waistest.Database{{Name: "coast", Documents: []waistest.Document{
		{Headline: "The lamp", Types: []waistest.Typed{{Wtype: "TEXT", Data: []byte("It is lit at dusk.\n")}}},
	}}}, nil)
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
	// This packet is a search for "dusk" with at most 0 documents.
	io.WriteString(conn, "0000000039z2wais        0"+
		"\x00\x17\x16\x00\x00\x1e\x00\x13\x88\x00\x00\x1e\x01\x11\x00\x12\x05coast\x14\x013"+
		"c\x0cj\x04dusko\x01\x01r\x01\x00")
	reply := make([]byte, 25+18)
	_, err = io.ReadFull(conn, reply)
	fmt.Printf("%q\n%q %v\n", server.Lines(), reply[:25], err)
	// Output:
	// ["search coast \"dusk\" 0"]
	// "0000000018z2wais        0" <nil>
}

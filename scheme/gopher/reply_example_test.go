package gopher_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme/gopher"
)

func ExampleMenuReader() {
	reply := strings.NewReader("iWelcome\tfake\t(NULL)\t0\r\n" +
		"0About us\t/about us.txt\tother.example\t7070\r\n" +
		"8Catalogue\tguest\tlibrary.example\t23\r\n" +
		"1Nowhere\t/x\tother.example\t99999\r\n" +
		".\r\n")
	menu, _ := gopher.Parse(locus.MustParse("gopher://host/"))
	lines := gopher.NewMenuReader(reply, nil)
	for {
		line, err := lines.Next()
		if err == io.EOF {
			break
		} else if err != nil {
			fmt.Println(err)
			return
		}
		item := line.Item(menu)
		fmt.Printf("%s %q <%s> %q\n", item.Kind, item.Title, item.URL, item.Note)
	}
	fmt.Println("whole:", lines.Terminated())
	// Output:
	// info "Welcome" <> ""
	// object "About us" <gopher://other.example:7070/0/about%20us.txt> ""
	// session "Catalogue" <telnet://guest@library.example> ""
	// menu "Nowhere" <> "invalid port: \"99999\""
	// whole: true
}

func ExampleTextBody() {
	reply := strings.NewReader("One of two dots goes:\n..profile\nand the dot of the last line, too.\n.\n")
	io.Copy(os.Stdout, gopher.TextBody(reply, nil))
	// Output:
	// One of two dots goes:
	// .profile
	// and the dot of the last line, too.
}

func ExampleReadHeader() {
	r := bufio.NewReader(strings.NewReader("--1\r\n1 Keeper <keeper@example.org>\r\nThere is no such item\r\n.\r\n"))
	header, err := gopher.ReadHeader(r)
	if err == nil && header.Failed {
		err = gopher.ReadFailure(header.Body(r, true))
	}
	fmt.Println(err)
	// Output: not found: the server says "There is no such item"; ask "Keeper <keeper@example.org>"
}

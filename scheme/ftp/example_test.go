package ftp_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/ftp"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
)

// The example shows the commands for the three similar URLs in RFC 1738 section 3.2.2.
func ExampleURL_Commands() {
	for _, text := range []string{"ftp://myname@host.dom/%2Fetc/motd", "ftp://myname@host.dom/etc/motd", "ftp://myname@host.dom//etc/motd", "ftp://host.dom/etc;type=d"} {
		u, err := ftp.Parse(locus.MustParse(text))
		if err != nil {
			fmt.Println(err)
			continue
		}
		commands, err := u.Commands(ftp.CWDMulti)
		fmt.Printf("%q %v\n", commands, err)
	}
	// Output:
	// ["CWD /etc" "TYPE I" "RETR motd"] <nil>
	// ["CWD etc" "TYPE I" "RETR motd"] <nil>
	// ["CWD " "CWD etc" "TYPE I" "RETR motd"] <nil>
	// ["NLST etc"] <nil>
}

func ExampleParse() {
	u, err := ftp.Parse(locus.MustParse("ftp://host.dom/pub/a%20b/read%3Bme;type=a"))
	fmt.Printf("%q %q %c %v\n", u.CWD(), u.Name(), u.Typecode(), err)
	// Output: ["pub" "a b"] "read;me" a <nil>
}

func ExampleParts() {
	u, err := ftp.Parts{Host: "host.dom", CWD: []string{"/etc"}, Name: "what now?"}.URL()
	fmt.Println(u.URL(), err)
	// Output: ftp://host.dom/%2Fetc/what%20now%3F <nil>
}

func ExampleClient() {
	server, err := ftptest.Start(ftptest.Files{"pub/hello.txt": {Data: "Hello\n"}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	client := ftp.New(nil)
	defer client.Close()

	u, err := ftp.Parse(locus.MustParse("ftp://" + server.Addr() + "/pub/hello.txt"))
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := client.Get(context.Background(), new(net.Dialer), u)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	text, err := io.ReadAll(r.(*scheme.Object).Body)
	fmt.Printf("%q %v\n", text, err)
	fmt.Println(strings.Join(server.Log()[0], " | "))
	// Output:
	// "Hello\n" <nil>
	// USER anonymous | PASS anonymous@ | CWD pub | TYPE I | SIZE hello.txt | MDTM hello.txt | EPSV | RETR hello.txt
}

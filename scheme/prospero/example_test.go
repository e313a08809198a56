package prospero_test

import (
	"context"
	"fmt"
	"net"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/prospero"
	"github.com/locus-url/locus/scheme/prospero/prosperotest"
)

func ExampleParse() {
	x, err := prospero.Parse(locus.MustParse("prospero://host.dom//pros/name;OBJECT-VERSION=12"))
	if err != nil {
		fmt.Println(err)
		return
	}
	version, ok := x.ObjectVersion()
	fmt.Println(x.Hsoname(), version, ok)
	// Output: /pros/name 12 true
}

func ExampleParts() {
	x, err := prospero.Parts{
		Host:    "host.dom",
		Hsoname: "/pros/a;b",
		Fields:  []prospero.Field{{Name: prospero.ObjectVersion, Value: "12"}},
	}.URL()
	fmt.Println(x.URL(), err)
	// Output: prospero://host.dom//pros/a%3Bb;OBJECT-VERSION=12 <nil>
}

// An object that a Prospero server describes, and that FTP serves.
func ExampleClient_Get() {
	server, err := prosperotest.Start(prosperotest.Directory{
		"/pros/name": {NoContents: true, Methods: []prosperotest.Method{{"AFTP", "INTERNET-D", "FTP.EXAMPLE.ORG", "ASCII", "/pub/name", "BINARY"}}},
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	x, err := prospero.Parse(locus.MustParse("prospero://" + server.Addr() + "//pros/name"))
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := prospero.New().Get(context.Background(), new(net.Dialer), x)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer res.Close()
	fmt.Println(res.(*scheme.Redirect).To)
	// Output: [ftp://ftp.example.org/pub/name;type=i]
}
